"""The composition root: builds the objects of a workspace, a server, or a window, and connects them."""
