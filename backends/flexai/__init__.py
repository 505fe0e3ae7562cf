"""The FlexAI model interfaces: one contract for six kinds of model, whatever the engine."""
