"""NVIDIA Cumulus Linux, configured through NVUE."""
