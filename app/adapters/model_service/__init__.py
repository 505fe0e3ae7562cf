"""The model service: started, watched and asked."""
