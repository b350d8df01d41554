"""The connection to Stripe: a secret or restricted key, and a name for the account."""

from patchbay.integration import Auth, AuthField

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        AuthField(
            key="secretKey",
            label="Secret key",
            required=True,
            description="A restricted key (rk_…) or a secret key (sk_…). It's stored encrypted.",
        ),
        AuthField(
            key="displayName",
            label="Account name",
            required=True,
            decides_destination=False,
            description="The name of this connection in Patchbay.",
        ),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
