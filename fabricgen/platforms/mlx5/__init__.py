"""NICs of NVIDIA that mlx5 of Linux drives: their view."""
