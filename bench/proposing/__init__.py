"""Atoms proposed by a model: it reads the transcript in stretches, must quote, and is believed in nothing unquoted."""
