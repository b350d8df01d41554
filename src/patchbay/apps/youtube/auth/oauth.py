"""Sign-in with Google, with the scopes of this app."""

from patchbay.integration.google import google_oauth

oauth = google_oauth("youtube", "youtube.readonly", "youtube.upload")
