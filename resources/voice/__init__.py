"""How each language is spoken: abbreviations, numbers, dates, units, announcements."""
