"""Creates a case."""

from ..records import (
    ASSIGNED_TO,
    BILLABLE,
    CURRENCY,
    SLA,
    choice,
    create_action,
    date,
    line,
    long_text,
    record,
)

_OPTIONS = "listCaseOptions"

create_case = create_action(
    "createCase",
    "Create case",
    "Creates a case of a contact.",
    "Cases",
    (
        long_text("summary", "Summary", "description", required=True),
        CURRENCY,
        line("caseTitle", "Title", "title", required=True),
        choice("status", "Status", "casestatus", _OPTIONS, required=True),
        choice("priority", "Priority", "casepriority", _OPTIONS, required=True),
        record("contactId", "Contact", "contact_id", "listContacts", required=True),
        record("organizationId", "Organization", "parent_id", "listOrganizations"),
        record("groupId", "Group", "group_id", "listGroups"),
        ASSIGNED_TO,
        record("productId", "Product", "product_id", "listProducts"),
        choice("channel", "Channel", "casechannel", _OPTIONS),
        long_text("resolution", "Resolution", "resolution"),
        choice("category", "Category", "impact_type", _OPTIONS),
        choice("subCategory", "Subcategory", "impact_area", _OPTIONS),
        choice("resolutionType", "Resolution type", "resolution_type", _OPTIONS),
        date("deferredDate", "Deferred until", "deferred_date"),
        record("serviceContractId", "Service contract", "servicecontract_id", "listServiceContracts"),
        record("assetId", "Asset", "asset_id", "listAssets"),
        SLA,
        *BILLABLE,
        choice("serviceType", "Service type", "servicetype", _OPTIONS),
        choice("serviceLocation", "Service location", "servicelocation", _OPTIONS),
        line("workLocation", "Work location", "work_location"),
    ),
)
