"""`deskpilot chats`: conversations in the shell."""
