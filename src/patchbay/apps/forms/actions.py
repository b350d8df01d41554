"""The action “Respond with”."""

from patchbay.integration.respond_with import respond_with as respond_with_action

respond_with = respond_with_action(
    "Shows a page to the person who submitted the form, or redirects them, if the form waits for the flow."
)
