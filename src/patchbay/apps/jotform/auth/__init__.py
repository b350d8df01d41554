"""The connection to Jotform: an API key, and the address of the API."""

from patchbay.integration import Auth, AuthField, api_key_field

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        AuthField(
            key="apiUrl",
            label="API URL",
            value="https://api.jotform.com",
            click_to_copy=True,
            description="In the EU https://eu-api.jotform.com, with HIPAA https://hipaa-api.jotform.com, "
            "for Jotform Enterprise the address of your server followed by /API.",
        ),
        api_key_field(),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
