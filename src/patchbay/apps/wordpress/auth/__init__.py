"""The connection to a WordPress site: its address, and an application password.

A sign-in in the browser creates the password. Before version 7.0, WordPress returns only to addresses with
https, which Patchbay usually doesn't have on a personal computer; there, the user enters the password.
"""

from patchbay.integration import Auth, AuthField, Option, instance_url_field, oauth_fields

from .is_still_verified import is_still_verified
from .sign_in import IN_BROWSER, WITH_PASSWORD, sign_in
from .verify_credentials import verify_credentials

instance_url = instance_url_field(
    "Site URL", "https://example.com", "The address of the site, including the path if there is one."
)

kind = AuthField(
    key="signIn",
    label="Sign-in",
    required=True,
    value=IN_BROWSER,
    options=(
        Option(label="In the browser", value=IN_BROWSER),
        Option(label="With an application password", value=WITH_PASSWORD),
    ),
    decides_destination=False,
)

redirect_url = oauth_fields()[0].model_copy(update={"visible_if": {"signIn": IN_BROWSER}})

user_name = AuthField(
    key="userLogin",
    label="User name",
    required=True,
    visible_if={"signIn": WITH_PASSWORD},
    decides_destination=False,
)

application_password = AuthField(
    key="password",
    label="Application password",
    required=True,
    description="Create it under Users → Profile → Application Passwords. It's stored encrypted.",
    visible_if={"signIn": WITH_PASSWORD},
)

auth = Auth(
    fields=(redirect_url, instance_url, kind, user_name, application_password),
    browser_if={"signIn": IN_BROWSER},
    generate_auth_url=sign_in.generate_auth_url,
    verify_credentials=verify_credentials,
    is_still_verified=is_still_verified,
)
