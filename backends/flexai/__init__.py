"""The FlexAI model interfaces: six kinds of model behind one contract, whatever the engine."""
