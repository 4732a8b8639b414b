"""Recall taken apart: by kind of atom, by place, by step of a chain, and atom by atom."""
