"""RemoteBackend: the Backend protocol over httpx, against our own service or any other with its interface."""
