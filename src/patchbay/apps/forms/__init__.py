"""Forms: flows that start when someone submits a form, which Patchbay serves as a web page."""

from patchbay.integration import App

from .actions import respond_with
from .dynamic_data import list_forms
from .triggers import new_form_submission

app = App(
    name="Forms",
    key="forms",
    primary_color="#0059F7",
    description="Serve a form as a web page, and start a flow when someone submits it.",
    category="Built in",
    keywords=("survey", "questionnaire", "contact form", "sign-up"),
    triggers=[new_form_submission],
    actions=[respond_with],
    dynamic_data=[list_forms],
)
