"""What a person keeps: workflows, designed interfaces, skills, web pages."""
