"""The FlexAI model interfaces: one contract for six types of models, whatever engine runs them."""
