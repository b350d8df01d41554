"""The words of the connection dialog in each of its states."""

from patchbay.desktop.state.connection_form import ConnectionFormViewModel, FormState


def titles(model: ConnectionFormViewModel) -> tuple[str, str]:
    """Title and the line below it."""
    if model.state is FormState.WAITING:
        device = model.browser.began is not None and model.browser.began.device is not None
        where = " on the page of the service." if device else ", in your browser."
        return f"Waiting for {model.name}", f"Finish signing in{where}"
    if model.state is FormState.ASKING:
        return "This is another account", f"{model.name} accepted the sign-in."
    if model.renew:
        return (
            f"Reconnect {model.renew.screen_name}",
            f"{model.name}. The old sign-in keeps working until the new one does.",
        )
    return f"Connect {model.name}", (model.app.description or model.app.category) if model.app else ""


def primary_label(model: ConnectionFormViewModel) -> str:
    if model.state is FormState.ASKING:
        return "Use the other account"
    return "Sign in with browser" if model.uses_browser else "Test and save"


def checking_text(model: ConnectionFormViewModel) -> str:
    """What is being done first once the form was sent."""
    return "Preparing to sign in" if model.uses_browser else f"Asking {model.name}"


def footer_text(model: ConnectionFormViewModel, seconds: int) -> str:
    """What is saved by now: nothing."""
    if model.state is FormState.CHECKING and seconds:
        return f"{seconds} s. Nothing has been saved yet"
    if model.state is FormState.ASKING:
        return ""
    if model.state in (FormState.CHECKING, FormState.WAITING):
        return "Nothing is saved until it works"
    return "The stored sign-in has not been changed" if model.renew else "Nothing has been saved yet"
