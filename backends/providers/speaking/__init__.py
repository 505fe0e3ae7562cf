"""What all voices share: text cut into pieces, and the form of their sound."""
