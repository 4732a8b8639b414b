"""What a run tells: its tables, comparisons and figures, in frames and in words."""
