"""How things look and what they say: tokens, style sheet, icons, the languages of the window."""
