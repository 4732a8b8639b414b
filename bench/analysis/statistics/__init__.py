"""Statistical methods over plain numbers, one a file. They know nothing of runs, arms or frames."""
