"""NVUE text held against NVIDIA's own schema of the release it is for."""
