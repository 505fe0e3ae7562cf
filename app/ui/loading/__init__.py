"""What makes the window stand sooner and hold less."""
