"""Code is run here, in a process of its own that is limited, cut off and can always be stopped."""
