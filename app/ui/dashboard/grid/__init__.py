"""The grid of tiles: moved and resized by mouse and by key."""
