"""NVUE text held against the object paths and values that NVIDIA's command reference lists."""
