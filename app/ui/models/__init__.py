"""The page of the models: loaded, here, behind providers, to be fetched."""
