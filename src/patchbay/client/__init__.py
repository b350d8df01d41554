"""`RemoteBackend`: a workspace on a Patchbay or third-party server, over HTTP."""
