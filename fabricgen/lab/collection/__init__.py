"""Collecting a running lab as the devices of a fabric are collected."""
