"""The exact request prefix that every arm of a group is asked over: built, repaired, checked, cached."""
