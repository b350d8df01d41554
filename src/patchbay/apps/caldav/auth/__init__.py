"""The connection to a CalDAV server: URL, user name, and password."""

from patchbay.integration import Auth, AuthField

from .is_still_verified import is_still_verified
from .verify_credentials import verify_credentials

server_url = AuthField(
    key="serverUrl",
    label="Server URL",
    required=True,
    placeholder="https://calendar.example.com",
    description="The CalDAV URL from your provider. For most servers, the server's address is enough.",
)
username = AuthField(key="username", label="User name", required=True, decides_destination=False)
password = AuthField(
    key="password",
    label="Password",
    required=True,
    secret=True,
    description="Use an app password if your provider supports them. It's stored encrypted.",
)

auth = Auth(
    fields=(server_url, username, password),
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
    sends_to=("{auth.calendarHome}",),
)
