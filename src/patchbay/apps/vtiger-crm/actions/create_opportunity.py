"""Creates an opportunity."""

from patchbay.integration import dropdown

from ..records import ASSIGNED_TO, CURRENCY, choice, create_action, date, line, long_text, record

_OPTIONS = "listOpportunityOptions"
_PIPELINE = dropdown("pipeline", "Pipeline", ("Standard",), required=True, value="Standard", variables=True)

create_opportunity = create_action(
    "createOpportunity",
    "Create opportunity",
    "Creates an opportunity, which newer versions of Vtiger call a deal.",
    "Potentials",
    (
        line("dealName", "Name", "potentialname", required=True),
        line("amount", "Amount", "amount"),
        record("organizationId", "Organization", "related_to", "listOrganizations"),
        record("contactId", "Contact", "contact_id", "listContacts"),
        date("expectedCloseDate", "Expected close date", "closingdate", required=True),
        (_PIPELINE, "pipeline"),
        choice("salesStage", "Sales stage", "sales_stage", _OPTIONS),
        ASSIGNED_TO,
        choice("leadSource", "Lead source", "leadsource", _OPTIONS),
        line("nextStep", "Next step", "nextstep"),
        choice("type", "Type", "opportunity_type", _OPTIONS),
        line("probability", "Probability", "probability", "In percent."),
        record("campaignSourceId", "Source campaign", "campaignid", "listCampaignSources"),
        line("weightedRevenue", "Weighted revenue", "forecast_amount"),
        line("adjustedAmount", "Adjusted amount", "adjusted_amount"),
        choice("lostReason", "Lost reason", "lost_reason", _OPTIONS),
        CURRENCY,
        long_text("description", "Description", "description"),
    ),
)
