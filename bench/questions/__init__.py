"""Other benches' conversations and question sets, given as files, as fixtures with keys."""
