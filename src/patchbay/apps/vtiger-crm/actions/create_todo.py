"""Creates a to-do."""

from patchbay.integration import text

from ..records import (
    ASSIGNED_TO,
    BILLABLE,
    CURRENCY,
    SLA,
    choice,
    create_action,
    date,
    fixed,
    line,
    long_text,
    record,
)

_OPTIONS = "listTodoOptions"
_START = text("startDateAndTime", "Start", placeholder="2026-03-31 14:30")

create_todo = create_action(
    "createTodo",
    "Create to-do",
    "Creates a to-do, which newer versions of Vtiger call a task.",
    "Calendar",
    (
        line("name", "Name", "subject", required=True),
        ASSIGNED_TO,
        (_START, "date_start"),
        date("dueDate", "Due date", "due_date"),
        choice("stage", "Status", "taskstatus", _OPTIONS, required=True),
        record("contactId", "Contact", "contact_id", "listContacts"),
        fixed("priority", "Priority", "taskpriority", ("High", "Medium", "Low"), required=True),
        fixed("sendNotification", "Send notification", "sendnotification", ("true", "false")),
        line("location", "Location", "location"),
        CURRENCY,
        record("milestone", "Milestone", "milestone", "listMilestones"),
        record("previousTask", "Previous task", "previous_task", "listTasks"),
        record("parentTask", "Parent task", "parent_task", "listTasks"),
        choice("taskType", "Type", "tasktype", _OPTIONS, required=True),
        choice("skippedReason", "Reason for skipping", "skipped_reason", _OPTIONS),
        line("estimate", "Estimate", "estimate"),
        record("relatedTask", "Related task", "related_task", "listTasks"),
        record("projectId", "Project", "related_project", "listProjects"),
        record("organizationId", "Organization", "account_id", "listOrganizations"),
        line("sendEmailReminderBefore", "Email reminder before", "reminder_time"),
        long_text("description", "Description", "description"),
        *BILLABLE,
        SLA,
    ),
)
