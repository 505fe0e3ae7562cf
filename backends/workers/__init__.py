"""Any FlexAI model in a child process."""
