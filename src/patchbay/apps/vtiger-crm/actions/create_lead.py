"""Creates a lead."""

from ..records import ASSIGNED_TO, CURRENCY, SALUTATION, choice, create_action, line, long_text, record

_OPTIONS = "listLeadOptions"

create_lead = create_action(
    "createLead",
    "Create lead",
    "Creates a lead.",
    "Leads",
    (
        SALUTATION,
        line("firstName", "First name", "firstname"),
        line("lastName", "Last name", "lastname", required=True),
        line("company", "Company", "company"),
        line("primaryEmail", "Email", "email"),
        line("officePhone", "Office phone", "phone"),
        choice("designation", "Position", "designation", _OPTIONS),
        line("mobilePhone", "Mobile phone", "mobile"),
        choice("industry", "Industry", "industry", _OPTIONS),
        line("website", "Website", "website"),
        line("annualRevenue", "Annual revenue", "annualrevenue"),
        choice("leadSource", "Lead source", "leadsource", _OPTIONS),
        choice("leadStatus", "Status", "leadstatus", _OPTIONS),
        ASSIGNED_TO,
        line("fax", "Fax", "fax"),
        line("numberOfEmployees", "Number of employees", "noofemployees"),
        line("twitterUsername", "X (Twitter) user name", "primary_twitter"),
        CURRENCY,
        choice("emailOptin", "Email opt-in", "emailoptin", _OPTIONS),
        choice("smsOptin", "SMS opt-in", "smsoptin", _OPTIONS),
        choice("language", "Language", "language", _OPTIONS),
        record("sourceCampaignId", "Source campaign", "source_campaign", "listCampaignSources"),
        choice("country", "Country", "country", _OPTIONS),
        line("street", "Street", "lane"),
        line("poBox", "PO box", "pobox"),
        line("postalCode", "Postal code", "code"),
        line("city", "City", "city"),
        choice("state", "State", "state", _OPTIONS),
        long_text("description", "Description", "description"),
        line("leadImage", "Image", "imagename", "The file name of an image."),
    ),
)
