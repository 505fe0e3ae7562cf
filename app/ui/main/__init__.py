"""The window itself: its panes, its session, its actions and shortcuts."""
