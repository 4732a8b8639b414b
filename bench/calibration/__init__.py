"""Graders held against people: labels read, a grader asked over their units, weights fitted, agreement told."""
