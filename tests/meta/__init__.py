"""Tests of the house itself: codes, words, sizes, documents, and that nothing of the language is silent."""
