"""The judge grader: a model reads one output and up to 40 atoms, and quotes the output for every verdict."""
