"""Pictures of every screen (`patchbay tour`): the scenes, and the gallery of components."""
