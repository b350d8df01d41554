"""Checks credentials when a connection is added."""

from patchbay.integration import verify_with

# The ID of the user is part of the address of the files. The user name can be a mail address instead.
verify_credentials = verify_with(
    "/ocs/v2.php/cloud/user",
    query={"format": "json"},
    at="ocs.data",
    screen_name="{id} @ {auth.instanceUrl}",
    account_id="id",
    stores={"userId": "{id}"},
)
