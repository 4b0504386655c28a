"""What the families of mlx5 NICs share."""
