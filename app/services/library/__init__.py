"""What the user saves: workflows, designed interfaces, skills and web pages."""
