"""The connection to Telegram: the token of a bot."""

from patchbay.integration import Auth, AuthField

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

auth = Auth(
    fields=(
        AuthField(
            key="token",
            label="Bot token",
            required=True,
            placeholder="123456789:AA…",
            description="From BotFather. It's stored encrypted.",
        ),
    ),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
