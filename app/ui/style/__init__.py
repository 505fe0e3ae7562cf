"""How things look: tokens, style sheet, icons."""
