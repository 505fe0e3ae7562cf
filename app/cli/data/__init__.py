"""`deskpilot data`: tables, what is known of them, and the library of workflows."""
