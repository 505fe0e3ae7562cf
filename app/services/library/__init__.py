"""What a person keeps for later questions: workflows, designed interfaces, skills, pages of the
web.
"""
