from patchbay.integration import verify_with

from .oauth import oauth

verify_credentials = verify_with(
    "/v1/users/{auth.ownerId}",
    screen_name="{name} @ {auth.workspaceName}",
    account_id="id",
    sign_in=oauth,
)
