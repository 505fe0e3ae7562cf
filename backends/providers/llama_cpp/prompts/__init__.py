"""What goes into a prompt, beside the template that gives it its form."""
