"""What stands beside a turn: its record on disk, its guard against loops, what was corrected before."""
