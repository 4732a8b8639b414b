"""What is told of one arm: level, spread, sizes, cost, and its place on the frontier."""
