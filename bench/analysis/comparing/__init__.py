"""Two arms beside each other: their difference, what it may be by chance, and what the design can see."""
