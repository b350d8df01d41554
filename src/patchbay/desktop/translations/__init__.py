"""The translations of the window: one file of Qt Linguist for each language."""
