"""How the data of backends come: what is asked, when, and which widgets are asked alike."""
