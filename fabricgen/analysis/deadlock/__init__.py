"""Cycles of PFC: which buffer may wait for which, in every routing state of up to two failures."""
