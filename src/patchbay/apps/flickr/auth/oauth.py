"""OAuth 1.0a with the addresses of the service."""

from patchbay.integration import oauth1

oauth = oauth1(
    request_token_url="https://www.flickr.com/services/oauth/request_token",
    authorize_url="https://www.flickr.com/services/oauth/authorize",
    access_token_url="https://www.flickr.com/services/oauth/access_token",
    authorize_params={"perms": "write"},
    stores={"userId": "{user_nsid}", "fullName": "{fullname}"},
)
