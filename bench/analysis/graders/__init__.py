"""What can be said of graders: their noise, their agreement with each other and with people."""
