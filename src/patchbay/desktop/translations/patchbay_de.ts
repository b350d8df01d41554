<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<extra-po-header-plural_forms>nplurals=2; plural=(n != 1);</extra-po-header-plural_forms>
<context>
    <name>patchbay</name>
    <!-- desktop/core/execution_labels.py -->
    <message>
        <source>Queued</source>
        <comment>state of an execution</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running</source>
        <comment>state of an execution</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting</source>
        <comment>state of an execution</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Success</source>
        <comment>state of an execution</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failure</source>
        <comment>state of an execution</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filtered</source>
        <comment>state of an execution</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled</source>
        <comment>state of an execution</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Branches</source>
        <comment>kind of step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Branch</source>
        <comment>kind of step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For each</source>
        <comment>kind of step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conditions match. The run continues.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conditions don’t match. The run ends here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whether the conditions match depends on a pattern. Test the step to check it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{state} at step {at} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Details, after {n} attempt</source>
        <extracomment>Details, after {n} attempts</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Execution ID</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flow ID</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Current time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{path}” of step {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{state}, steps not reported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{state} at step {at}, item {item}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Item {n}</source>
        <comment>of a loop</comment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Response from {app}, after {n} attempt</source>
        <extracomment>Response from {app}, after {n} attempts</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{path}” of a removed step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{state}, step {at} of {total} tested</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Success, 1 step</source>
        <extracomment>Success, all {n} steps</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trigger</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Response from {app}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{state}, 1 step tested</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{step} failed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>or</source>
        <comment>between groups of conditions</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/core/file_export.py -->
    <message>
        <source>“{file}” couldn't be written.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another folder, then export again.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/core/flow_alerts.py -->
    <message numerus="yes">
        <source>{n} flow was paused</source>
        <extracomment>{n} flows were paused</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>“{flow}” failed {n} time</source>
        <extracomment>“{flow}” failed {n} times</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{flow}” was paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{flow}” failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} execution failed</source>
        <extracomment>{n} executions failed</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume</source>
        <comment>button: a flow or all runs</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retry</source>
        <comment>verb, button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The backup failed</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/core/keyring_prompt.py -->
    <message>
        <source>Waiting for the {name}</source>
        <comment>the system keyring</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/core/names.py -->
    <message>
        <source>Its flows become uncategorised and keep running. This server can't move them back into a folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/core/navigation.py -->
    <message>
        <source>Flows</source>
        <comment>tab</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Executions</source>
        <comment>tab</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders</source>
        <comment>tab</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Templates</source>
        <comment>tab</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>My Apps</source>
        <comment>tab</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/core/notification_inbox.py -->
    <message numerus="yes">
        <source>{titles}; and {n} more</source>
        <extracomment>{titles}; and {n} more</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} notification</source>
        <extracomment>{n} notifications</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>During quiet hours. {text}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>During quiet hours.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/core/notification_preferences.py -->
    <message>
        <source>Every failure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First failure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never</source>
        <comment>notify of failures</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/core/rate_limits.py -->
    <message numerus="yes">
        <source>max. {calls} in {n} second</source>
        <extracomment>max. {calls} in {n} seconds</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>max. {n} request in {seconds} seconds</source>
        <extracomment>max. {n} requests in {seconds} seconds</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter the number of requests: 1 to {maximum}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter the number of seconds: 1 to {maximum} (1 day).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>second</source>
        <comment>requests per</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>minute</source>
        <comment>requests per</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hour</source>
        <comment>requests per</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>day</source>
        <comment>requests per</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{limit} (app default: {default})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{limit}, the app’s default</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>max. {calls} a second</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>max. {calls} a minute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>max. {calls} an hour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>max. {calls} a day</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>max. {n} request a second</source>
        <extracomment>max. {n} requests a second</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>max. {n} request a minute</source>
        <extracomment>max. {n} requests a minute</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>max. {n} request an hour</source>
        <extracomment>max. {n} requests an hour</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>max. {n} request a day</source>
        <extracomment>max. {n} requests a day</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/core/times.py -->
    <message>
        <source>last hour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>today</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>last 7 days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>last 30 days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last 6 hours, per 10 minutes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last 24 hours, per 30 minutes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last 7 days, per 4 hours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last 14 days, per 6 hours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last 60 days, per day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last year, per week</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>today {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>until {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{start} – now</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/branch_forms.py -->
    <message>
        <source>First matching branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Conditions are checked from top to bottom. Only the first match runs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All matching branches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every branch that matches runs, one after the other from top to bottom.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which branches run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Branch name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename: branch name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <comment>verb, button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The default branch has no conditions, and its position doesn't matter.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run this branch when</source>
        <comment>followed by conditions</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the current item</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its position, starting at 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the number of items</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>after the loop: the output of its last step for each item</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Branches</source>
        <comment>heading of a list</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is the first branch.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is the last branch.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Default branch: runs when no other branch matches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loop variables</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/event_chooser.py -->
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search apps and events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Apps and events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What starts this flow?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What should this step do?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose an event. The flow runs each time it happens.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose an action. It can use variables from earlier steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading apps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No app or event matches “{query}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/failure_section.py -->
    <message>
        <source>When it fails</source>
        <comment>heading: what happens when the step fails</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Default</source>
        <comment>a value that isn't set</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/fields/base.py -->
    <message>
        <source>This version of Patchbay can't edit fields of type “{kind}”. The value is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/fields/choice.py -->
    <message>
        <source>Choose from the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose {field} first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading options</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Couldn't load the options</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No options available</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose</source>
        <comment>placeholder of a list of options</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a connection first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No selection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a value…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reload options</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/fields/code.py -->
    <message>
        <source>Tab indents. To move to the next field, press Esc, then Tab.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/fields/conditions.py -->
    <message>
        <source>2026-03-31, today, or now</source>
        <comment>example; today and now are keywords</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add OR group</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add AND condition</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Value to check</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unit of time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ignore case</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove condition</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>or</source>
        <comment>between conditions</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and</source>
        <comment>between conditions</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/fields/row_fields.py -->
    <message>
        <source>Remove row from {field}</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/fields/variable_chips.py -->
    <message>
        <source>or “{value}”</source>
        <comment>a fallback value</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>or empty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/fields/variable_picker.py -->
    <message>
        <source>Show all</source>
        <comment>variables of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sample from run at {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Search {n} variable</source>
        <extracomment>Search {n} variables</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search variables from earlier steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Values</source>
        <comment>variables</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no sample yet, test this step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>choose</source>
        <comment>what keys do</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>insert</source>
        <comment>what keys do</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>close</source>
        <comment>what keys do</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{listed} of {total} variables</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} variable</source>
        <extracomment>{n} variables</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No matching variables.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no earlier steps to insert variables from.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test an earlier step to see its variables here.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/fields/variable_text.py -->
    <message>
        <source>{keys}: if empty, as JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave empty and warn</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Insert as JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Adds quotes around text so that it's valid inside JSON.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step was deleted, runs later, or is in another branch.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Insert variable into {field}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>If empty, use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>If empty, use…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Insert variable</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/flow_settings_dialog.py -->
    <message>
        <source>Up to the engine's limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One at a time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At most</source>
        <comment>followed by a number of runs at a time</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Skip them</source>
        <comment>missed starts</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Missed starts are listed in Executions but don't run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One run, however many starts were missed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run all</source>
        <comment>missed starts</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One run for each missed start, up to {limit}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flow settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max. runs at a time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at a time</source>
        <comment>after a number of runs</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Maximum runs at a time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause this flow after</source>
        <comment>followed by a number of failures in a row</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>failures in a row</source>
        <comment>after a number</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failures in a row</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Missed starts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After failures</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time zone of the schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This flow isn't paused after failures.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>These settings are read-only here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>runs at a time</source>
        <comment>a changed setting</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pause after failures</source>
        <comment>a changed setting</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“One at a time” keeps events in order. New events wait for the current run to finish.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A paused flow queues its events and doesn't run until you resume it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Changes take effect immediately.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>missed starts</source>
        <comment>a changed setting</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>time zone</source>
        <comment>a changed setting</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/form_fields.py -->
    <message>
        <source>Unnamed connection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Valid, tested {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No connection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a connection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This connection was deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add connection…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Couldn't load more fields. {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>optional</source>
        <comment>beside the name of a field</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading more fields</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/form_pane.py -->
    <message>
        <source>Requests start the flow once it's published. Until then, every request is a test.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Visitors open this address once the flow is published. Until then, what they send is a test.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests to this address are always tests. They appear here, and nothing runs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is sent from this address is always a test. It appears here, and nothing runs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests must be signed. Unsigned requests are rejected.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests aren't signed. Anyone who knows the address can start the flow.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} minute</source>
        <comment>after: look for new items every</comment>
        <extracomment>{n} minutes</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Decides which branches run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Branch</source>
        <comment>a kind of step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs steps for each item of a list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hour</source>
        <comment>after: look for new items every</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>minute</source>
        <comment>after: look for new items every</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>address that starts the flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Webhook address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>address for tests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open page for tests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>address that waits for the response</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address that waits for the response</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No address yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests can't reach this workspace. Skip the test to continue. In a workspace on this computer or on a server, the flow gets an address.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look for new items every</source>
        <comment>followed by a time, such as 5 minutes</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the called flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename: step name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change…</source>
        <comment>verb, button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More about this step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trigger in {app}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Action in {app}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The caller receives the response from “Respond with”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Form address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This flow is read-only here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The credentials were rejected when they were last used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” needs reconnecting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reconnect…</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/header.py -->
    <message>
        <source>New events are queued and run when you resume it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Version {number} published</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Version {number} paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This flow is paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume</source>
        <comment>verb, button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the list (Alt+Left)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flow name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename: flow name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Editing a draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retry saving</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause this flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpublish</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This flow is paused. {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume this flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not saved. {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saving</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft saved {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run the published version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run the draft once, as a test</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/output_preview_box.py -->
    <message>
        <source>Calculating</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The result is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Result with the latest data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Result with the latest data: {text}</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/page.py -->
    <message>
        <source>This flow was deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening the flow</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/publish_bar.py -->
    <message numerus="yes">
        <source>{n} issue to fix</source>
        <extracomment>{n} issues to fix</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Collapse the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Publish</source>
        <comment>verb, button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>before this flow can run</source>
        <comment>after: 2 issues to fix</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>before this draft can replace version {version}</source>
        <comment>after: 2 issues to fix</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Version {version} keeps running until then</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Publishing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready to publish</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expand the list</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/schedule_preview.py -->
    <message>
        <source>Next starts</source>
        <comment>of a schedule</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/step_list.py -->
    <message>
        <source>Steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a step here</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/step_rows.py -->
    <message>
        <source>ready</source>
        <comment>state of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>incomplete</source>
        <comment>state of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not tested</source>
        <comment>state of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>testing</source>
        <comment>state of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a trigger</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose an action</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} step inside</source>
        <extracomment>{n} steps inside</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of {list}</source>
        <comment>after: for each item</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No list selected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>level {number}</source>
        <comment>how deep a step is nested</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>collapsed</source>
        <comment>state of a step with steps inside</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starts the flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs an action</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/steps_pane.py -->
    <message>
        <source>Add a branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a step to this branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a step to the loop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Branches</source>
        <comment>a kind of step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For each item</source>
        <comment>a kind of step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a step after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Actions for step {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Actions</source>
        <comment>menu of commands</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add “{kind}” after</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move into the step above</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} step</source>
        <extracomment>{n} steps</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose an event first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo {change}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redo {change}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing to undo.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing to redo.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/test_pane.py -->
    <message>
        <source>Waiting for a request. Send one to the test address and it appears here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for a submission. Open the test address, fill in the form, and it appears here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests can't reach this workspace. Skip the test to continue.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Success</source>
        <comment>result of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failure</source>
        <comment>result of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped by the filter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled</source>
        <comment>result of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running</source>
        <comment>state of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No input.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test this step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test</source>
        <comment>verb, button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Skip test</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mark this step as ready without running it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search in the data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as JSON</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Input preview</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Testing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose an action first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With data from the run at {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Uses values from steps that have no data yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing to test</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps can't be tested here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not run</source>
        <comment>result of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A branch can't be tested on its own. Test the step that contains it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A failed step has no output.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No event found. Create one in the app and test again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shows the latest request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fetches the latest event</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not tested yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The test was skipped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This result is from before the last change or failed test.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test again before publishing.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some values were missing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test results appear here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No error.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Without a sample: {values}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No data to show.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The step failed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted step</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/view_models/branches.py -->
    <message numerus="yes">
        <source>With the latest data, {branches} would run.</source>
        <extracomment>With the latest data, {branches} would run.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{names} and {name}</source>
        <comment>names of branches</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The latest data doesn't match this branch.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>The latest data has {n} item.</source>
        <extracomment>The latest data has {n} items.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which branches run depends on a pattern. Test the step to check it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No branch matches the latest data.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whether this branch runs depends on a pattern. Test the step that contains it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The latest data matches this branch.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The latest data matches this branch, but “{name}” comes first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no list yet. Choose one, or test the step it comes from.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The list is empty in the latest data, so the steps in the loop wouldn't run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>List</source>
        <comment>label of a field</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A list from an earlier step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The steps in the loop run once per item, one after the other.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first item</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/view_models/comparison_labels.py -->
    <message>
        <source>equals</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>doesn't equal</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is greater than</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is less than</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is at least</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is at most</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>contains</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>doesn't contain</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>starts with</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>doesn't start with</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ends with</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>doesn't end with</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is one of</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>isn't one of</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>matches the pattern</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>doesn't match the pattern</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>includes the item</source>
        <comment>comparison with an item of a list</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>doesn't include the item</source>
        <comment>comparison with an item of a list</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is before</source>
        <comment>comparison with a date</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is after</source>
        <comment>comparison with a date</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is on the day</source>
        <comment>comparison with a date</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is in the last</source>
        <comment>comparison with a time span: 7 days</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is in the next</source>
        <comment>comparison with a time span: 7 days</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is older than</source>
        <comment>comparison with a time span: 7 days</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is true</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is false</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is empty</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>isn't empty</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>minutes</source>
        <comment>after: is in the last 7</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hours</source>
        <comment>after: is in the last 7</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>days</source>
        <comment>after: is in the last 7</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>weeks</source>
        <comment>after: is in the last 7</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>months</source>
        <comment>after: is in the last 7</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>years</source>
        <comment>after: is in the last 7</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{comparison} (ignoring case)</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/view_models/comparisons.py -->
    <message>
        <source>All comparisons…</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/view_models/editor.py -->
    <message>
        <source>Uncategorised</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step {number}, {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not published. {step}: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/view_models/event_catalog.py -->
    <message>
        <source>instant</source>
        <comment>how a trigger starts</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>schedule</source>
        <comment>how a trigger starts</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/view_models/flow_settings.py -->
    <message>
        <source>Same as this computer ({zone})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}”: {setting}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Same as the server</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/view_models/form.py -->
    <message>
        <source>Removed a row from “{field}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>edit {field}</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>edit</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{value}” no longer exists.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>restore row</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/view_models/output_preview.py -->
    <message>
        <source>Fill in “{field}” to see the result.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is nothing to show yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/view_models/publishing.py -->
    <message>
        <source>A condition is empty. Fill it in, or remove it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a comparison for each condition</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Uses a value from a step that was deleted, runs later, or is in another branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a signing secret: the original flow only accepts signed requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a connection: the original flow used one here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter {field}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a condition</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose {field}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a condition for this branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the value that the condition checks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{task} in row {number} of {list}</source>
        <comment>Enter Name in row 2 of Items</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test step {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to field</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Published “{name}” as version {version}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not tested since its last change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a list to loop over</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a step to run for each item</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The connection to {app} was deleted. Choose another</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a step: a flow needs a trigger and at least one action</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose what starts the flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose what to do</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a connection to {app}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The {app} connection “{name}” needs reconnecting</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/view_models/retry_policy.py -->
    <message>
        <source>Attempts that you set apply to every temporary error, even if the step isn't safe to repeat. The default is {attempts} if the app says how long to wait.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Timeout</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>seconds</source>
        <comment>after a number</comment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Default: {n} minute</source>
        <extracomment>Default: {n} minutes</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attempts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in total</source>
        <comment>after a number of attempts</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Default: {attempts} if the step is safe to repeat, otherwise 1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First delay</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Default: {n} second, doubled each time</source>
        <extracomment>Default: {n} seconds, doubled each time</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue with the next step when this one fails</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Later steps get empty values from this step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Defaults</source>
        <comment>no setting was changed</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a whole number from {minimum} to {maximum}, or leave it empty for the default.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue with the next item when one fails</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed items are skipped. The run shows how many failed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} attempt</source>
        <extracomment>{n} attempts</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>first delay {seconds} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>timeout {seconds} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>then continues</source>
        <comment>after: 3 attempts</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/view_models/schedule_preview.py -->
    <message>
        <source>Fill in the fields to see when the flow starts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Correct the fields to see when the flow starts.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/view_models/step_commands.py -->
    <message>
        <source>add step</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>add paths</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>add path</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>add loop</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{title}” deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Started the draft as a test run. See the result in Executions.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>delete step</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>“{title}” deleted with the {n} step in it</source>
        <extracomment>“{title}” deleted with the {n} steps in it</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rename flow</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>change interval</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Started version {version}. See the result in Executions.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move step</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>choose event</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>choose connection</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rename step</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>change error handling</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>change retries</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>edit conditions</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>duplicate step</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>change which branches run</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pause</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>resume</source>
        <comment>a change</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/view_models/step_labels.py -->
    <message>
        <source>Default branch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is not</source>
        <comment>comparison</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{one} and {other}</source>
        <comment>conditions</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{one}, or {other}</source>
        <comment>conditions</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>empty</source>
        <comment>a value in a condition</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trigger</source>
        <comment>a kind of step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Action</source>
        <comment>a kind of step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>signed requests only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>accepts unsigned requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When no other branch matches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No conditions yet</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/editor/view_models/variables.py -->
    <message>
        <source>This run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yes/no</source>
        <comment>a type of values</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>number</source>
        <comment>a type of values</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>text</source>
        <comment>a type of values</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>list</source>
        <comment>a type of values</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>empty</source>
        <comment>a type of values</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>group</source>
        <comment>a type of values</comment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} item</source>
        <extracomment>{n} items</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} value</source>
        <extracomment>{n} values</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/columns.py -->
    <message>
        <source>{name} (test)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Status</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Result note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps reached out of all steps; with a loop, the number of steps that ran</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/detail.py -->
    <message>
        <source>Input</source>
        <comment>data of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output</source>
        <comment>data of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Error</source>
        <comment>data of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search the data ({keys})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the data shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the execution it started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Data</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Same cause: {n} execution</source>
        <extracomment>Same cause: {n} executions</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expand this path to see the input and output of its steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step is running.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No output.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reconnect {app}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This branch didn't run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step didn't run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expand this item to see the input and output of its steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No execution selected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select an execution to see its steps, data, and errors.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retry from here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mark as done and continue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the flow</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/detail_header.py -->
    <message>
        <source>Retry from failed step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run again…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retry now. Other executions waiting for the same host or connection continue too.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retry of</source>
        <comment>followed by a link to an execution</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run again from</source>
        <comment>followed by a link to an execution</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Called by</source>
        <comment>followed by a link to an execution</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Started by the failure of</source>
        <comment>followed by a link to an execution</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retry of a deleted execution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run again from a deleted execution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Called by a deleted execution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Started by the failure of a deleted execution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retried</source>
        <comment>followed by links to executions</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run again</source>
        <comment>followed by links to executions</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Called</source>
        <comment>followed by links to executions</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Started on failure</source>
        <comment>followed by links to executions</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the execution of {time}, {state}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous execution (K)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next execution (J)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More actions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the flow {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Actions for this execution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>test</source>
        <comment>kind of run</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>live</source>
        <comment>kind of run</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>flow version {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is the first execution in the list.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is the last execution in the list.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy ID</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show only this flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>all {n}</source>
        <extracomment>all {n}</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all executions started from this one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show executions started from this one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for the workspace to respond.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/figures.py -->
    <message>
        <source>{n}+ new</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n}+ new executions, show them</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} new</source>
        <extracomment>{n} new</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} new execution, show it</source>
        <extracomment>{n} new executions, show them</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the new executions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{total}: {success} success, {failure} failure, {other} other</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{matching} of {n} execution</source>
        <extracomment>{matching} of {n} executions</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} execution</source>
        <extracomment>{n} executions</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Retry the failed execution…</source>
        <extracomment>Retry all {n} failed…</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Success {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failure {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/filter_bar.py -->
    <message>
        <source>Filter executions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>App</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From</source>
        <comment>filter: the execution that started it</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retried</source>
        <comment>filter: yes or no</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear</source>
        <comment>all filters</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Live updates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export</source>
        <comment>verb</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show all columns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export as CSV…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export as JSON lines…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filters by flow name or execution ID. Enter opens the only match, or searches the data of all steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/progress_bars.py -->
    <message>
        <source>Each execution continues from the step that failed. Earlier steps don't run again; their output is reused. The failed executions stay in the list.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From {flows}, and older executions.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retrying runs that step a second time. To decide one by one, cancel and open the executions with the note “Patchbay was stopped while …”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Retry {n} failed execution?</source>
        <extracomment>Retry {n} failed executions?</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Retry it</source>
        <extracomment>Retry all {n}</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>From {flows}, and {n} other flow.</source>
        <extracomment>From {flows}, and {n} other flows.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>From {flows}, and {n} other flow, and older executions.</source>
        <extracomment>From {flows}, and {n} other flows, and older executions.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From {flows}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Of these, {n} execution stopped at an interrupted step that may already have finished its work.</source>
        <extracomment>Of these, {n} executions stopped at an interrupted step that may already have finished its work.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Of these, at least {n} execution stopped at an interrupted step that may already have finished its work.</source>
        <extracomment>Of these, at least {n} executions stopped at an interrupted step that may already have finished its work.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search further back</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Download history</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not now</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Exported {done} of {n} execution</source>
        <extracomment>Exported {done} of {n} executions</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} execution written to {file}.</source>
        <extracomment>{n} executions written to {file}.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export executions</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Retried {done} of {total}. {n} couldn't be retried.</source>
        <extracomment>Retried {done} of {total}. {n} couldn't be retried.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retried {done} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” ({n})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume download</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no failed executions to retry.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starting retries</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/run_actions.py -->
    <message>
        <source>Creates a new execution that runs every step, including those that already succeeded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The steps exactly as they were when this execution ran.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The steps as published now, including later edits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run “{name}” again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset to original</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Input data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flow version</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The data is still loading.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel “{name}”?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A step is running and will be interrupted, so its outcome will be unknown. Earlier steps aren't undone, and later steps don't run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel execution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trigger output from {time}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading the input data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The data is too long to edit here and is used unchanged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This execution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try now instead of waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The input data wasn't recorded. The workspace uses the data it has.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/tab.py -->
    <message>
        <source>No execution contains “{text}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No execution matches all the filters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No flow name contains this text, or no execution matches the other filters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No matching executions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading executions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Older executions haven't been searched yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No results so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search the data instead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Searching the data of executions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No executions yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every run of a flow appears here, with its steps, data, and errors.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to Flows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Couldn't load the executions.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/table.py -->
    <message>
        <source>Test</source>
        <comment>mark of a test run</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Executions</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Actions for {n} execution</source>
        <extracomment>Actions for {n} executions</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing is selected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open</source>
        <comment>verb</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy row</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy IDs</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/timeline.py -->
    <message numerus="yes">
        <source>{n} attempt, waited {time}</source>
        <extracomment>{n} attempts, waited {time}</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} entry</source>
        <extracomment>{n} entries</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} warning</source>
        <extracomment>{n} warnings</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unfolded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>folded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not run</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/view_models/detail.py -->
    <message>
        <source>Queued: other executions are running, or runs are paused.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for the flow it called.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>any moment now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in {n} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in {d} d {h} h</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in {n} d</source>
        <comment>days</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retries the step at {time} ({left}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continues at {time} ({left}), when the rate limit allows it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continues at {time} ({left}), when the delay ends.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in {m} min {s} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in {n} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in {h} h {m} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in {n} h</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This execution failed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the step</source>
        <comment>after: Response from</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/view_models/execution_list.py -->
    <message numerus="yes">
        <source>Searched the only execution for “{text}”: {found}</source>
        <extracomment>Searched all {n} executions for “{text}”: {found}</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Searching {done} of {total} executions for “{text}”, back to {time}: {found} so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Searched {done} of {total} executions for “{text}”, back to {time}: {found} so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} found</source>
        <extracomment>{n} found</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Searching {done} of {total} executions for “{text}”: {found} so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Searched {done} of {total} executions for “{text}”: {found} so far</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Searched {done} of {total} executions, {found}.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/view_models/history_copy.py -->
    <message>
        <source>This server can filter only by name, status, and time. Download its history to use all filters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloading the history: {done} of {total} executions, back to {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{done} of {total} executions downloaded, back to {time}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{done} of {total} executions downloaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Downloading the history: {done} of {total} executions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The download stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filters other than name, status, and time search only these.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/view_models/queries.py -->
    <message>
        <source>Branch {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/view_models/run_actions.py -->
    <message>
        <source>a comma is missing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a colon is missing after the name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a name in double quotes is expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is an extra comma</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a value is expected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is text after the end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this text has no closing quotation mark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a text continues past the end of the line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a backslash must be written twice</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flow version {n} (latest)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flow version {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{word} isn't valid JSON.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Retried {n} execution.</source>
        <extracomment>Retried {n} executions.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retrying “{name}” from the failed step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continuing “{name}” after the interrupted step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running “{name}” again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled “{name}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” continues now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The draft that was tested</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Version {n}, used by this execution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The flow as it was (latest)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The flow as it was</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line {line}, column {column}: {problem}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A flow can't start with null. Enter {} for an empty object.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} skipped.</source>
        <extracomment>{n} skipped.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} couldn't be retried.</source>
        <extracomment>{n} couldn't be retried.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only executions that failed can be retried.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This execution has already finished.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This execution isn't waiting for a retry or a rate limit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Version {n}, the latest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The data is nested too deeply.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/executions/view_models/timeline.py -->
    <message numerus="yes">
        <source>{n} item, {failed} failed</source>
        <extracomment>{n} items, {failed} failed</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no branch ran</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ran, has no steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>skipped</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/flows/flow_list.py -->
    <message>
        <source>Sort by flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sort by status</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sort by last run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sort by next run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sorted, descending</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sorted, ascending</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select</source>
        <comment>verb, a flow</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unpublish this flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Publish this flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow</source>
        <extracomment>{n} flows</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/flows/flow_rows.py -->
    <message>
        <source>draft</source>
        <comment>state of a flow</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>published</source>
        <comment>state of a flow</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>paused</source>
        <comment>state of a flow</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>last run {state}, {detail}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step {n} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in a moment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This flow hasn't run yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No runs yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When resumed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When called</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by another flow</source>
        <comment>below: When called</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On failure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of another flow</source>
        <comment>below: On failure</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On webhook</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on each request</source>
        <comment>below: On webhook</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last 20 runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Publishing…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>next run {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/flows/folder_list.py -->
    <message numerus="yes">
        <source>{name}, {n} flow</source>
        <extracomment>{name}, {n} flows</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}, number of flows not known</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/flows/import_dialog.py -->
    <message>
        <source>Imported flows are drafts: nothing runs until you publish them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import</source>
        <comment>verb, button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flows in the file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a flow first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None of the flows in this file can be imported.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import flows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From {file}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Import {n} flow</source>
        <extracomment>Import {n} flows</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This file can't be imported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This flow can't be imported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Already imported as “{name}”. Importing it again creates a copy.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/flows/list_actions.py -->
    <message>
        <source>Flows (*.json);;All files (*)</source>
        <comment>file dialog: keep the brackets and ;;</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Like all flows (every failure)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Like all flows (first failure)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Like all flows (never)</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>The flow stops immediately. It has {n} execution. Its connections are kept.</source>
        <extracomment>The flow stops immediately. It has {n} executions. Its connections are kept.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You can undo this for 10 seconds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Actions for {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Actions for {n} flow</source>
        <extracomment>Actions for {n} flows</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notifications</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Actions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete “{name}”?</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Delete {n} flow?</source>
        <extracomment>Delete {n} flows?</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save an export first</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Delete {n} flow</source>
        <extracomment>Delete {n} flows</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export flows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This server can't restore them.</source>
        <comment>flows</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This server can't restore it.</source>
        <comment>a flow</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flow settings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Publish</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause</source>
        <comment>verb, a flow</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume</source>
        <comment>verb, a flow</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The flows stop immediately. Their connections are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The flow stops immediately. Its connections are kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/flows/list_page.py -->
    <message>
        <source>Drag flows to a folder, or press M to choose one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import flows…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No flows yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A flow watches one app and acts in others: “When an issue is opened, add a task”. Build one from scratch, start with a template, or connect an app first. You can also drop an exported flow here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drag flows here, or create one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You can only move flows here on the server.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This folder is empty</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading flows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect an app</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No flow name contains “{text}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No flow matches all the filters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No matching flows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not available</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing needs attention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every published flow can run.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/flows/list_toolbar.py -->
    <message numerus="yes">
        <source>{n} flow, {published} published, {paused} paused</source>
        <extracomment>{n} flows, {published} published, {paused} paused</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter flows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last result</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Empty flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From a template…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Import from a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{shown} of {n} flow</source>
        <extracomment>{shown} of {n} flows</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow, {published} published</source>
        <extracomment>{n} flows, {published} published</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear selection</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} selected</source>
        <comment>flows</comment>
        <extracomment>{n} selected</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All selected flows are already published.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None of the selected flows are published.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>selected</source>
        <comment>a connection, as a filter</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select one flow to open it.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/flows/view_models/batch_changes.py -->
    <message>
        <source>“{name}” published</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow published</source>
        <extracomment>{n} flows published</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” unpublished</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow unpublished</source>
        <extracomment>{n} flows unpublished</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow paused</source>
        <extracomment>{n} flows paused</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” resumed</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow resumed</source>
        <extracomment>{n} flows resumed</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” duplicated</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow duplicated</source>
        <extracomment>{n} flows duplicated</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow deleted</source>
        <extracomment>{n} flows deleted</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” moved to {folder}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow moved to {folder}</source>
        <extracomment>{n} flows moved to {folder}</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/flows/view_models/commands.py -->
    <message>
        <source>“{name}” started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The flow started</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Renamed to “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{done}, {n} failed.</source>
        <extracomment>{done}, {n} failed.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Restored “{name}” as a draft: it was paused or had unpublished edits.</source>
        <extracomment>Restored {n} flows as drafts: they were paused or had unpublished edits.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved “{name}” as a template</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/flows/view_models/flow_list.py -->
    <message>
        <source>unpublished edits</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} incomplete step</source>
        <extracomment>{n} incomplete steps</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/flows/view_models/folders.py -->
    <message>
        <source>All flows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Needs attention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder renamed to “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Folder “{name}” deleted, {n} flow moved to Uncategorised</source>
        <extracomment>Folder “{name}” deleted, {n} flows moved to Uncategorised</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder “{name}” deleted</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/flows/view_models/import_export.py -->
    <message>
        <source>Unknown entry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The flow has no steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first step must be a trigger.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only the first step may be a trigger.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Contains other steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The app “{app}” isn't installed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No app selected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After the import, choose a connection for {apps}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its webhook only accepts signed requests. After the import, choose a signing secret.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file may contain a secret in {places}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow imported as a draft</source>
        <extracomment>{n} flows imported as drafts</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file contains no flows.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unnamed flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This isn't an exported flow: it has no steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow saved to {file}</source>
        <extracomment>{n} flows saved to {file}</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This isn't valid JSON: {problem}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Couldn't read flows from this file: {problem}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At {place}: {problem}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Couldn't write {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This isn't a file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The file is larger than 20 MB, which is too large for exported flows.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This isn't a text file, so it can't be an exported flow.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Couldn't read the file: {problem}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the flow</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/folders/detail.py -->
    <message numerus="yes">
        <source>{n} run, {failed} failed</source>
        <extracomment>{n} runs, {failed} failed</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} run in {days} days, {failed} failed</source>
        <extracomment>{n} runs in {days} days, {failed} failed</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>created {date} by {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>created {date}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{flow}, last run: {state}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flows in this folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open in Flows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs, last 14 days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show failed executions in this folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add flows…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No flows in this folder yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>these flows aren't in a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No failed runs.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/folders/tab.py -->
    <message>
        <source>Filter folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleting a folder doesn't delete its flows. They move to Uncategorised and keep running.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename (F2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select one of your folders first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No matching folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No folder name contains this text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No folders yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Group related flows. Each folder has its own statistics.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/folders/table.py -->
    <message>
        <source>Published</source>
        <comment>column: number of flows</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drafts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs, 7 days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Success</source>
        <comment>column: share of successful runs</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n}%</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders are sorted by name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/folders/view_models/folders.py -->
    <message numerus="yes">
        <source>Folder “{name}” deleted, {n} flow moved to Uncategorised.</source>
        <extracomment>Folder “{name}” deleted, {n} flows moved to Uncategorised.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder “{name}” deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow moved.</source>
        <extracomment>{n} flows moved.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Renamed “{old}” to “{new}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/buttons.py -->
    <message>
        <source>Down opens more choices</source>
        <comment>the key ↓</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/certificate_box.py -->
    <message>
        <source>Ask the server’s administrator for its fingerprint, for example by phone. Connect only if every digit matches.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trusted fingerprint (SHA-256)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Issued to: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Issued by: itself</source>
        <comment>a certificate</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Valid: {start} to {end}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy trusted fingerprint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy fingerprint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trusted fingerprint {digits}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fingerprint {digits}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server's current fingerprint (SHA-256)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fingerprint (SHA-256)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Issued by: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trust only this certificate</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/charts.py -->
    <message numerus="yes">
        <source>Last {n} run: {failed} failed</source>
        <extracomment>Last {n} runs: {failed} failed</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{start} to {end}: {counts}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Executions over time: {counts}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <comment>no executions</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Executions over time: {counts}. Chosen: {start} to {end}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Left and right move a handle, space changes the handle, Esc clears.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} success</source>
        <comment>of executions</comment>
        <extracomment>{n} success</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} failure</source>
        <comment>of executions</comment>
        <extracomment>{n} failure</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} other</source>
        <comment>executions</comment>
        <extracomment>{n} other</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/chips.py -->
    <message>
        <source>No options yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Any</source>
        <comment>no filter</comment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{first} and {n} more</source>
        <extracomment>{first} and {n} more</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter by {label}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{label}: {value}. Delete clears it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{label}: {value}</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/json_view.py -->
    <message>
        <source>Whole text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{at} of {total}</source>
        <comment>a hit</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no other hit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no hit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use as value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show whole text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no hit</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/layout.py -->
    <message>
        <source>Form</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/line_edit.py -->
    <message>
        <source>Edit</source>
        <comment>menu of a text field</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/list_states.py -->
    <message>
        <source>No matches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No entry matches all filters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear filters</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/marks.py -->
    <message>
        <source>Not run</source>
        <comment>state of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draft</source>
        <comment>state of a flow</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Published</source>
        <comment>state of a flow</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paused</source>
        <comment>state of a flow</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Valid</source>
        <comment>state of a connection</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Needs attention</source>
        <comment>state of a connection</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expires soon</source>
        <comment>state of a connection</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never tested</source>
        <comment>state of a connection</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/messages.py -->
    <message>
        <source>Dismiss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/popups.py -->
    <message>
        <source>Choices</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/progress_bar.py -->
    <message>
        <source>CSV, raw values (may run as formulas) (*.csv)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>JSON lines (*.jsonl)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exporting to {file}</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/rate_limit_dialogs.py -->
    <message>
        <source>Steps over the limit wait; they don’t fail.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests aren’t limited.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Calls</source>
        <comment>number of requests</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time</source>
        <comment>unit of a rate limit</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seconds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>seconds</source>
        <comment>after a number field</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rate limit for “{connection}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max. requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{app} is limited to {limit} overall.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add rate limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rate limit for {app}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>per</source>
        <comment>requests per second</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No separate limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Limit for all flows together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For all its connections together. Steps over the limit wait; they don’t fail.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other</source>
        <comment>time span</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/secret_fields.py -->
    <message>
        <source>Press {key} to show it for 10 seconds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show for 10 seconds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/shortcuts.py -->
    <message>
        <source>Open the selected entry</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete, with undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next and previous execution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Retry an execution from its failed step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run an execution again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expand or collapse in a timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show or hide a secret</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear the selection or close the topmost popup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test the step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add a step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move the step up or down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duplicate the step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete the step, with undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Insert a variable</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set a fallback value</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/text.py -->
    <message>
        <source>{n} d</source>
        <comment>days</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} h</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{age} ago</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{m} min {s} s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{h} h {m} min</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{d} d {h} h</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/vault_dialogs.py -->
    <message>
        <source>Credentials are encrypted with a passphrase that you choose now. Patchbay asks for it at every start. It can’t be recovered: if you forget it, you have to reconnect every connection.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connections wait until you enter the passphrase of the vault that stores their credentials. Flows without connections run meanwhile.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Passphrase</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Create a passphrase vault</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>At least {n} character.</source>
        <extracomment>At least {n} characters.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repeat passphrase</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Create vault</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unlock the passphrase vault</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This passphrase is wrong. Try again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The passphrase is too short.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The passphrases don’t match.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Creating</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter the passphrase.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unlocking</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/kit/windowed_model.py -->
    <message>
        <source>The newest are always first. Use the filters to find others.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/my_apps/app_list.py -->
    <message>
        <source>Apps</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/my_apps/app_page.py -->
    <message>
        <source>Polls</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Instant</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connections</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Triggers and actions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other apps aren't affected. Flows that use this app fail until it loads again. Fix the file, and Patchbay reloads it. To list all problems, run:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Triggers</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} couldn't be loaded. {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed to load</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The app couldn't be loaded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set-up guide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add connection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change where credentials are stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You haven't connected {name} yet. Flows use a connection to access your account.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No flow uses this app's connections yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command that checks the app</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Line</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This app couldn't be loaded</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/my_apps/app_picker.py -->
    <message>
        <source>Search apps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Category</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue</source>
        <comment>button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No matching apps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try a different search.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/my_apps/connection_card.py -->
    <message numerus="yes">
        <source>{names} and {n} more</source>
        <comment>flows</comment>
        <extracomment>{names} and {n} more</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{time}, succeeded</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} published flow can't run until you reconnect.</source>
        <extracomment>{n} published flows can't run until you reconnect.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Browser sign-in (OAuth)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No credentials</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Today {time}, succeeded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{time}, rejected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The saved credentials are replaced only after the new ones are verified.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The credentials weren't rejected, so flows keep using them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} published flow can't run until then.</source>
        <extracomment>{n} published flows can't run until then.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No flows use it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Affected flows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No flows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Today {time}, rejected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rate limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connection {name}, {state}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reconnect {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>More actions for {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rate limit…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show flows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Couldn't reach {app} at {time}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Couldn't reach {app} on {day}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename connection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Screen name</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} published flow can't run without it.</source>
        <extracomment>{n} published flows can't run without it.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow, {published} of them published, can't run without it.</source>
        <extracomment>{n} flows, {published} of them published, can't run without it.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow can't run without it.</source>
        <extracomment>{n} flows can't run without it.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Credentials</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Used by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last test</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Show {n} flow</source>
        <extracomment>Show {n} flows</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show failed executions</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/my_apps/connection_dialog.py -->
    <message>
        <source>Create passphrase vault…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use a passphrase instead…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unlock…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored on this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored on the server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stored in the demo only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect {app}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use the new account</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sign in with browser</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test and save</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preparing the sign-in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Contacting {app}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} s. Nothing has been saved yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Credentials are saved only after they're verified</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The saved credentials haven't changed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing has been saved yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finish signing in on the app's page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Finish signing in in your browser</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for {app}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This is a different account</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Signed in to {app}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{app}. The saved credentials keep working until the new ones are verified.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} flow would use “{account}”, with its data and permissions.</source>
        <extracomment>{n} flows would use “{account}”, with its data and permissions.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every flow that uses this connection would use “{account}”, with its data and permissions.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing has changed yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before: {before}. Now: {now}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show guide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Current account</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New account</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Credentials can't be stored right now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reconnect</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hide guide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The fields of this app are still loading.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the current account</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The saved credentials stay unchanged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The connection hasn't been saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard what you entered?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save encrypted</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/my_apps/connection_fields.py -->
    <message>
        <source>Certificates and keys (*.pem *.crt *.cer *.key);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave empty to keep the saved value</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter it again</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{fields} has changed. Stored credentials are only sent to the address they were entered for.</source>
        <extracomment>{fields} have changed. Stored credentials are only sent to the address they were entered for.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a file for {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter the credentials again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{file} isn't a PEM file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Couldn't read {file}: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None</source>
        <comment>no option of a field</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/my_apps/setup_guide.py -->
    <message>
        <source>Open in browser</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How to connect {app}</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/my_apps/sign_in_page.py -->
    <message>
        <source>Time left: {time}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for you to enter the code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open browser again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy sign-in link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before you continue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open browser</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This dialog continues automatically when you're done.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You can close the browser tab and open it again. This dialog keeps waiting.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Code ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opened the sign-in page in your browser</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for you to allow access</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter this code on the page, on any device:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Browser didn't open, or signing in on another computer?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Continue with this address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address of the last page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sign in there, then paste the address of the last page, even if it shows an error.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting for you to continue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You allowed access</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verifying the credentials</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verify the credentials</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Code {code}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the browser</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Couldn't open a browser</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/my_apps/tab.py -->
    <message>
        <source>These are sample connections.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>They belong to the demo’s fictional company. Nothing is sent to any app: the demo responds instead, and rejects keys that contain “wrong”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No connections yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose an app in the list and connect it. Or start with a template, which shows what to connect.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recently used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Testing {n} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connections are managed on the server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter apps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no connections to test yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” is connected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show as list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show as grid</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Problems first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <comment>button, ends a test</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop testing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect an app…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test all connections</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open web interface</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>My Apps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No apps here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This workspace has no apps to connect.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/my_apps/view_models/app_list.py -->
    <message>
        <source>Valid</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never tested</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not connected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Locked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key missing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unreachable</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Expires in {n} day</source>
        <extracomment>Expires in {n} days</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expires soon</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load error</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} rejected</source>
        <comment>connections</comment>
        <extracomment>{n} rejected</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expired</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} connection</source>
        <extracomment>{n} connections</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not used recently</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expires tomorrow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expires today</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This app is no longer installed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All other apps</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/my_apps/view_models/connection_form.py -->
    <message>
        <source>{first} and {second}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter the current value.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reveal it to check what you entered.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paste the address of the last page.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/my_apps/view_models/my_apps.py -->
    <message numerus="yes">
        <source>{n} connection tested: {results}.</source>
        <extracomment>{n} connections tested: {results}.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Stopped after {done} of {n} connection.</source>
        <extracomment>Stopped after {done} of {n} connections.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>The connection is valid.</source>
        <extracomment>All {n} connections are valid.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} needs attention</source>
        <extracomment>{n} need attention</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} couldn't be reached</source>
        <extracomment>{n} couldn't be reached</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rate limit of “{name}”: {limit}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Removed the rate limit of “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” created</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}: needs attention</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/my_apps/wait_steps.py -->
    <message>
        <source>done</source>
        <comment>state of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>in progress</source>
        <comment>state of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pending</source>
        <comment>state of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not done</source>
        <comment>state of a step</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/allowed_folders.py -->
    <message>
        <source>Steps can use files of this computer only in these folders. Everyone who can edit flows can then read, change, and delete everything in them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allow folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allow folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The full path of a folder on this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The full path of a folder on the server.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Allow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folders for files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a folder.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/api_keys_page.py -->
    <message>
        <source>Has access to everyone’s data.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scripts and other Patchbay windows sign in with an API key. Use one key per client so you can revoke it on its own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>With a key, scripts can use the HTTP API, and Patchbay on another computer can open this workspace.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clients send it in the header {header} to {address}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clients send it in the header {header}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>API key “{name}” created</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clients that use this key ({used}) stop working immediately.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>used {age} ago</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Create an API key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nightly export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scope</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Owner</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Create key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>API key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You won’t be able to see this key again. If you lose it, revoke it and create a new one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>API keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Create key…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How to use API keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>example request</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Example request for a terminal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This key has never been used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clients that use this key ({used}) stop working immediately, including this window if it uses this key.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revoke “{name}”?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revoke</source>
        <comment>button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>API keys can’t be managed here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>API keys are still loading.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scope: {scope}, limited by {name}’s role.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revoke…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revoke {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revoking</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>never used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>used just now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy it now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You won’t see it again. Patchbay stores only a hash of it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading API keys…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No API keys yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No owner</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Has the same permissions as {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This can’t be undone.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/audit_columns.py -->
    <message>
        <source>When</source>
        <comment>column</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who</source>
        <comment>column</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What</source>
        <comment>column</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/audit_log.py -->
    <message>
        <source>Every change made by people, API keys, and commands is recorded here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every change made by people, API keys, and commands is recorded with its author and origin. Runs started by triggers aren’t listed here; see Executions.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} entry matches</source>
        <extracomment>{n} entries match</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Exported {done} of {n} entry</source>
        <extracomment>Exported {done} of {n} entries</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} entry written to {file}.</source>
        <extracomment>{n} entries written to {file}.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Audit log</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Actions for {n} entry</source>
        <extracomment>Actions for {n} entries</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter by name or person</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear</source>
        <comment>button, filters</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export the audit log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the audit log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recent changes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{time}, {age} ago</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>this kind of object has no page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only by “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kind</source>
        <comment>filter</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When</source>
        <comment>filter</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The audit log isn’t available here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no entries to export.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading the audit log…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No changes yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Couldn’t load the audit log.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/backups_section.py -->
    <message>
        <source>Folder of backups</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The program that runs the flows makes it, also without a window. A missed one is made later.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Older backups that Patchbay made are deleted after a new one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another disk protects you better, also if this one fails.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make a backup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weekday of backups</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time of backups</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backups to keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last backup: {time}, {size}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Never</source>
        <comment>how often</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every week</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Further backups are encrypted with this passphrase. Keep it somewhere else too: without it, a backup can’t be opened. Older backups keep theirs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>At least {n} characters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading backups…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No backup has been made on a schedule yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set passphrase…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore a backup…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The last {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>None chosen yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Passphrase of backups</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set passphrase</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} backup is kept.</source>
        <extracomment>{n} backups are kept.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change passphrase…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is in {file}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backing up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The backup of {time} failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backups are encrypted with it. Set one to make backups.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No passphrase is set</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/data_page.py -->
    <message>
        <source>This workspace stores nothing on this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Credentials are encrypted, and neither the log nor crash reports contain any. Nothing is sent anywhere.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No internal error has been reported on this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flows, executions, and encrypted credentials</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Key of the credentials, encrypted by the passphrase</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your own apps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copies of what servers have</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log and crash reports</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy of the database from before an upgrade, a restore, or a repair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files and folders</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Crash reports</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the path of “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the folder of “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show</source>
        <comment>button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the crash report of {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete the crash report of {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log</source>
        <comment>title</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Crash report of {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete this crash report?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The report of {time} helps to find the cause of the error.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backups</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The log is empty.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/database_section.py -->
    <message>
        <source>Looks for damage, for example after a disk was full or failed. Flows keep running.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Patchbay copies the database, stops running flows for a moment, and rebuilds what can be rebuilt from the data. What is lost can only come from a backup.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check database</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repair…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repair the database?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repair</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Database</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{problems}; and {n} more</source>
        <extracomment>{problems}; and {n} more</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The database is damaged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The database is intact</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/engine_page.py -->
    <message>
        <source>Rate limits for all connections of an app together. Steps over the limit wait. You can set limits for single connections in My Apps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset the engine settings?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All limits on this page get their defaults. Your rate limits of apps are removed, and steps can’t use the allowed folders any more. Executions beyond the default retention are deleted. This can’t be undone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Programs can use the network</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only for steps that need it. They can then reach everything this computer can reach, including its own services.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For all flows together; further runs are queued.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The oldest are deleted first, failures last.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Counted from when they finish.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unfinished executions are never deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stops flows that trigger each other endlessly.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loops over longer lists fail.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Larger requests are rejected and logged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The longest wait an app can ask for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} day</source>
        <extracomment>{n} days</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} MB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Programs are not isolated; only admins can run them. {detail}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each program runs under bubblewrap with its own user namespace.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each program runs under bubblewrap with its own user ID.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bubblewrap isn't installed. Install the package “bubblewrap” and restart Patchbay.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 minute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>5 minutes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>15 minutes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 hour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>6 hours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>7 days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>30 days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>90 days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>180 days</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 year</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>2 years</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>10 years</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forever</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Programs are isolated. {detail}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Add rate limit…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change the rate limit of {app}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove the rate limit of {app}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max. executions to keep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep successes for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep failures for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max. runs from one start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max. items per loop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max. webhook body</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max. wait for rate limits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset page…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clean up now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine</source>
        <comment>section of the settings</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rate limits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every app already has a rate limit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Code steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Disk usage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shorten history retention?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Older executions, and those over the limit, are deleted now and every hour from then on. This can’t be undone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shorten</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This workspace’s engine runs elsewhere</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This page has its defaults.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} second</source>
        <extracomment>{n} seconds</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checking disk usage…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cleaning up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The size of the history isn't known yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/form_dialog.py -->
    <message>
        <source>Done</source>
        <comment>button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not copied yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close without copying</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/general_page.py -->
    <message>
        <source>When the window is closed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the background, Patchbay shows an icon in the system tray. Click it to open the window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This desktop has no system tray. To get the window back from the background, start Patchbay again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start at login</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Starts Patchbay in the background, without a window, when you sign in to this computer, so that its published flows run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ask once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep flows running in the background</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <comment>end the program</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Applies while flows of this computer are published and this window runs them. Otherwise, closing the window quits. {keys} always quits.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/hosting_page.py -->
    <message>
        <source>Keeps flows and connections from calling this computer, private and link-local addresses, and cloud metadata. A flow that an admin published counts as an admin’s.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Separate entries with commas: nas.example.lan, *.example.lan, 10.1.0.0/16, 10.1.2.3:8080.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The URL others use to reach this workspace, for example through a proxy or tunnel. Webhook addresses, browser sign-ins, and invitations use it. Leave empty to use the address above.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To set up OAuth sign-in, enter this URL in the app's developer console.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You always see the invitation link. With a mail connection, it’s also sent by email.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There’s no listener while only this window is open. Run “patchbay serve” to start the server.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Block for everyone but admins while others can reach this server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Block for everyone but admins</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Block for everyone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Don’t block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests to this address reach Patchbay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some requests to this address don't reach Patchbay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opens in the browser</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} reachable: {result}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} not reachable: {result}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Outgoing addresses</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always allowed addresses</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Always allowed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>listening address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>redirect address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>webhook base URL</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Invitations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server</source>
        <comment>section of the settings</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Listening on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Public address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Redirect URL</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Webhook base URL</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no changes to save.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The changes are being saved.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Documentation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>OpenAPI</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only show the link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send with “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wait for the test to end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This workspace isn't listening for requests, so its address can't be tested.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The public address can’t be set here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send with a deleted connection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect Mail (SMTP) in My Apps first.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/language_page.py -->
    <message>
        <source>Dates, numbers, and the first day of the week. Now: {date}, {time}; {number}; {day}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The language of this window. Names from apps and servers stay as they are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Formats</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Used from the next start of Patchbay.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the language</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/licences.py -->
    <message>
        <source>see the library</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/notifications_page.py -->
    <message>
        <source>When a flow fails</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“First failure” notifies you when a flow fails after it succeeded, and not again until it succeeds. You’re always notified of paused flows, and of connections and backups that stop working.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flows with their own setting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>To add one, choose “Notifications” in the menu of a flow.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quiet hours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What happens in quiet hours is shown in one notification when they end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quiet hours from</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quiet hours to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quiet hours begin on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No notifications from {begin} to {end}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a day; there are no quiet hours now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No notifications from {begin} to {end} on the next day.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Notifications</source>
        <comment>section of the settings</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>When “{name}” fails</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use the setting of all flows for “{name}”</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/pages.py -->
    <message>
        <source>Connections are tested at start-up and then at this interval. You’re notified when one stops working.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“Follow system” changes with the system, for example at night.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every hour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every 6 hours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Once a day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <comment>colours</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <comment>colours</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Automatic</source>
        <comment>font</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The system’s font</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Automatic uses the system font, or Inter if there’s no suitable one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Workflow automation on your own computer. Apache License 2.0.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test connections</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server decides how often it tests connections. The demo never does.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Font</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy versions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a workspace to see its engine settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a workspace to see where its credentials are stored.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a workspace to see its addresses.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a workspace to see its people.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a workspace to see its API keys.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a workspace to see its audit log.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Built with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every {n} hours</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/people_page.py -->
    <message>
        <source>Everyone has their own flows, folders, and connections. Only admins can see other people's.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A workspace needs at least one admin.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You’re the only one here. People you invite get a link that’s valid for 72 hours and gives them their own API key, so they can open this workspace from their computer or a script.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Anyone with this link can join as {name}. It works once.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share it with {email} yourself. You won’t see it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Their API key {names} stops working immediately.</source>
        <extracomment>Their {n} API keys ({names}) stop working immediately.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expires {date}, {time}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Invitation for {name} created</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sent to {email}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share the link yourself. You won’t see it again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the link now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The link sent to {email} stops working.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{names} and others</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>And {n} more. Type part of a name above.</source>
        <extracomment>And {n} more. Type part of a name above.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No one’s name or email matches.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Role</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The current link stops working.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Inviting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Link</source>
        <comment>of an invitation</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You can also share the link yourself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Email not sent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>People</source>
        <comment>section of the settings</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Invite…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter people</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Invited</source>
        <comment>heading</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove {name}?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <comment>button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revoke the invitation for {name}?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some actions aren’t available here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>People can’t be managed here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Role of {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New link…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New link for {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Revoke the invitation for {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}”</source>
        <comment>a name in quotes</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Create new link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Invite someone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Email address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Create link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Invite</source>
        <comment>button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>link</source>
        <comment>of an invitation</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You won’t be able to see this link again. You can create a new one from the list.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading people…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>People aren’t available here</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/reset_bar.py -->
    <message>
        <source>The defaults are restored.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Undo reset</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/restore_dialog.py -->
    <message>
        <source>Backups (*.patchbay);;All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The backup is checked first, and you see what is in it. Running flows stop while it is restored. The current database stays in the data folder under another name.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This backup of {time} is intact ({size})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It contains {contents}. They replace the flows, connections, executions, and settings that you have now.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore a backup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>/path/to/backup.patchbay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backup</source>
        <comment>file</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Passphrase of the backup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check backup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Restore</source>
        <comment>button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a file.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/search_pane.py -->
    <message>
        <source>Search settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No setting matches.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search results</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} setting found</source>
        <extracomment>{n} settings found</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/secrets_page.py -->
    <message>
        <source>Credentials never appear in executions, logs, exports, or crash reports.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connections wait until you enter its passphrase. Flows without connections run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another program runs the flows. Restart it with --passphrase-file to unlock the vault.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>macOS may ask in a separate window whether Patchbay can use the keychain. Enter your password there and click Always Allow. Patchbay waits for 2 minutes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The keyring may ask for its password in a separate window. Patchbay waits for 30 seconds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Checking where credentials are stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Store credentials</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change encryption key…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Discard lost credentials…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change the encryption key?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All credentials are re-encrypted in one step and the old key is deleted. Do this if someone may have seen the key. Earlier copies of the data folder still need the old key.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change key</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Discard the credentials of {n} connection?</source>
        <extracomment>Discard the credentials of {n} connections?</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The encryption key is missing, so saved credentials can’t be decrypted. You’ll have to reconnect each connection. Wait if you might still find the key (on another computer, in a backup).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The server stores the credentials</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} connection stored.</source>
        <extracomment>{n} connections stored.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Credentials are stored securely</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The passphrase vault is locked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Moving</source>
        <comment>credentials</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each one is verified before the old copy is deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Credentials can’t be stored yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Credentials aren’t available</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped waiting for the keyring</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing was changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/view_models/api_keys.py -->
    <message>
        <source>read-only</source>
        <comment>scope in a sentence</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>can run flows</source>
        <comment>scope in a sentence</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>full access</source>
        <comment>scope in a sentence</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read-only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Can view flows, executions, connections, folders, and templates.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Can run flows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Can also create, edit, publish, and run flows, retry executions, and add connections.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Full access</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Can also manage people, API keys, and settings, and view the audit log. Anyone with this key can do everything you can.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” revoked.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Limited to what {name} can see.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>An {role}’s role limits the key to “{scope}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A {role}’s role limits the key to “{scope}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a former member</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter what the key is for, such as “Nightly export”.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/view_models/audit_log.py -->
    <message>
        <source>flow</source>
        <comment>kind of object</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>connection</source>
        <comment>kind of object</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>execution</source>
        <comment>kind of object</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>folder</source>
        <comment>kind of object</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>template</source>
        <comment>kind of object</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>app</source>
        <comment>kind of object</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>person</source>
        <comment>kind of object</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>API key</source>
        <comment>kind of object</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>workspace</source>
        <comment>kind of object</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>history</source>
        <comment>kind of object</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the connection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the execution</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the app</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the person</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the API key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the workspace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the history</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Templates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>People</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings and engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a flow</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a connection</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an execution</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a folder</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a template</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an app</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a person</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>an API key</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a workspace</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a history</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>created {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>renamed {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moved {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>deleted {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>restored {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>published {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>unpublished {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>paused {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>resumed {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ran {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>retried {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ran again {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cancelled {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tested {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reconnected {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>signed out of {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>couldn’t sign out of {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>invited {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>joined as {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cleaned up {object}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>added connection {name}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>added {name}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed name or role of {name}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>renamed {name}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>removed {name}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>invited {name}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>accepted the invitation</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>revoked the invitation for {name}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>revoked API key {name}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ran flow {name} manually</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tested a step of flow {name}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>retried failures of flow {name}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>retried an execution of {name}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ran an execution of {name} again</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cancelled an execution of {name}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>deleted an execution of {name}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed the settings</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>paused all runs</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>resumed all runs</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cleaned up the history</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tested the public address</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>restored a backup</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>retried an execution</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ran an execution again</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cancelled an execution</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ran a flow manually</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>revoked an invitation</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>revoked an API key</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moved the credentials</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>changed the encryption key</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>discarded credentials that couldn’t be decrypted</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>window</source>
        <comment>who changed something</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>command</source>
        <comment>who changed something</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>API key</source>
        <comment>who changed something</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>invitation</source>
        <comment>who changed something</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>automatically</source>
        <comment>who changed something</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{person} {action}.</source>
        <comment>a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} failed execution</source>
        <extracomment>{n} failed executions</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>the retry of {n} execution</source>
        <extracomment>the retry of {n} executions</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for {name}</source>
        <comment>who changed something</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from {address}</source>
        <comment>who changed something</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It no longer exists.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the {name}</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the workspace</source>
        <comment>in a log entry</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{name}” no longer exists.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This no longer exists.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/view_models/backups.py -->
    <message>
        <source>The backups aren’t loaded yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a folder first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Set a passphrase first.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/view_models/engine_settings.py -->
    <message>
        <source>{n} kB</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} execution removed, {size} of disk space freed.</source>
        <extracomment>{n} executions removed, {size} of disk space freed.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} GB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} on the disk, {free} of it reusable.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} on the disk.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} execution, the oldest of {day}.</source>
        <extracomment>{n} executions, the oldest of {day}.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} execution.</source>
        <extracomment>{n} executions.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing to clean up.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/view_models/hosting.py -->
    <message>
        <source>Enter an address such as https://flows.example.org.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/view_models/people.py -->
    <message>
        <source>Their flows are unpublished and don't run any more. Their data is kept, and admins can view it. This can't be undone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This server decides what happens to their data: Automatisch deletes their flows, connections, and folders, and erases them after 30 days. This can't be undone.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The email address may stay reserved: on Automatisch, it can't be invited again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>Expires in {n} hour</source>
        <extracomment>Expires in {n} hours</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Invitation for {name} revoked.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Invited</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Expires in less than 1 hour</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You can invite them again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name}’s role is now {role}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} removed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter the name of the person.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter an email address such as dana@example.org.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a role.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/view_models/role_labels.py -->
    <message>
        <source>Admin</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Editor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Viewer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>admin</source>
        <comment>role in a sentence</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>editor</source>
        <comment>role in a sentence</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>viewer</source>
        <comment>role in a sentence</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Full access to everyone's flows and connections, and to people, keys, and settings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Can create and run their own flows, and manage their own connections and executions.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read-only access to their own flows and executions.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/view_models/search.py -->
    <message>
        <source>Keep flows running in the background, or quit.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exit minimise tray close button</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run published flows when you sign in to this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>autostart boot launch startup log in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light, dark, or as the system.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>theme dark mode night light scheme colors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The font of the window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>typeface text letters inter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The language of the window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>translation german english deutsch locale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dates, numbers, and the first day of the week.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>locale region date time number clock 24 hours week monday sunday</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Further runs are queued.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>concurrency parallel simultaneous workers limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The oldest are deleted first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>retention history size delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Older successes are deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>retention history days delete old executions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Older failures are deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>retention history days delete old executions errors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>recursion loop chain limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for each iteration limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Larger requests are rejected.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>payload size upload request limit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>retry after 429 throttle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Limit the requests to an app.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>throttle requests per minute quota</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Code steps can reach other computers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sandbox isolation internet python javascript code</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps can read and change its files.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>files directory access permission</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete old executions and free disk space.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>storage space vacuum history</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every failure, the first one, or none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>alert alarm message error notify</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No notifications at these times.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>do not disturb night silence mute sleep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How often credentials are tested automatically.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>check health interval expired</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the system keyring or in the database.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>password keyring vault key encryption token</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Encrypt all credentials again with a new key.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rotate data key security</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where other services reach webhooks and sign-ins.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>url domain hostname tunnel proxy webhook</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which addresses flows may call.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>firewall ssrf private network block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How invitations are sent.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mail email smtp people</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let another person use this workspace.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>invite someone user team account role permission member</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let a script or another window sign in.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>create api key token access rest http client</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Who changed what.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>activity history changes security</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Encrypted backups on a schedule.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>schedule automatic daily weekly save copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Older ones are deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>retention number delete old</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where backups are stored.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>backup location directory disk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make a backup at once.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>export save copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replace the workspace with a backup.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>import recover undo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Look for damage, and repair it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>integrity corrupt repair fix</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read and copy what the program logged.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>debug messages trace support</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The version of Patchbay and its libraries.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>licence license release update</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/view_models/secrets.py -->
    <message>
        <source>Encrypted in the data folder, under one key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the system keyring, one item per connection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tried again, but nothing has changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/settings/view_models/sections.py -->
    <message>
        <source>General</source>
        <comment>section of the settings</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Appearance</source>
        <comment>section of the settings</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language and formats</source>
        <comment>section of the settings</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connections</source>
        <comment>section of the settings</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Secrets</source>
        <comment>section of the settings</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>API keys</source>
        <comment>section of the settings</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Audit log</source>
        <comment>section of the settings</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Data</source>
        <comment>section of the settings</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About</source>
        <comment>section of the settings</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/command_palette.py -->
    <message>
        <source>For the selection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Actions</source>
        <comment>commands</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not available: {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search or run a command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Results</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No results. Try a shorter search.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>move</source>
        <comment>the keys ↑ and ↓</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run</source>
        <comment>the key Enter</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type {key} for actions only</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/commands.py -->
    <message>
        <source>Flow, draft</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flow, published</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flow, paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings → Data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Menu</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>open a workspace first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter this list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reload</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the list or the previous tab</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next part of the window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pause all runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resume all runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Create API key…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Invite someone…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Test the public address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the demo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Work on this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset demo…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect to a server…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light colours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark colours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow system colours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where credentials are stored</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Help for this screen</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About Patchbay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Menu of the selection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Minimise the window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the workspace of this computer isn't open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing is stored here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open the data folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Check the database</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to {tab}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings → Engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings → API keys</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings → People</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings → Audit log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings → Server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>you’re already there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings → Secrets</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the demo isn't open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the documentation isn’t installed</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/header.py -->
    <message>
        <source>Demo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Workspaces</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a workspace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tabs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Workspace: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Workspace: none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server settings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You’re in the demo. Nothing here is real. Flows of this computer don’t run in this window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch workspace</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{tab}, {tooltip}</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/help_window.py -->
    <message>
        <source>Patchbay help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search the documentation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No page contains these words.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Page</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/main_window.py -->
    <message>
        <source>Reset the demo?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your changes to its flows, connections, and history will be lost.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset the demo</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/menu_bar.py -->
    <message>
        <source>File</source>
        <comment>menu</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>View</source>
        <comment>menu</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine</source>
        <comment>menu</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Window</source>
        <comment>menu</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Help</source>
        <comment>menu</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Menu bar</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/questions.py -->
    <message>
        <source>A flow asks for this. Your input is stored with the execution, so don't enter passwords.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Send</source>
        <comment>button of a form of a flow</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a number, such as 12 or 3.5.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter a value.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/runs_dialogs.py -->
    <message>
        <source>Patchbay stays in the system tray. Click its icon there to open the window again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This desktop has no system tray. To get the window back, start Patchbay again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>If you quit, nothing starts a flow until you open Patchbay again. Running steps get 10 seconds to finish, and unfinished executions continue at the next start.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>If you switch, nothing starts a flow until you open “This computer” again. Running steps get 10 seconds to finish, and unfinished executions continue then.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This window doesn’t respond, so it isn’t known which flows it runs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You won’t be asked again. You can change this in Settings → General.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In a new window, “{name}” opens beside this one, and flows keep running.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flows of this computer stop while another workspace is open</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} execution hasn’t finished yet.</source>
        <extracomment>{n} executions haven’t finished yet.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} published flow runs only while Patchbay does.</source>
        <extracomment>{n} published flows run only while Patchbay does.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep flows running in the background?</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>This window runs {n} published flow.</source>
        <extracomment>This window runs {n} published flows.</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open in a new window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Switch and stop flows</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/server_dialog.py -->
    <message>
        <source>A PEM or DER file, for servers whose certificate was issued by your organisation.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only this certificate is trusted. Leave empty to trust the same certificates as the system.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>See and manage flows on a Patchbay or Automatisch server.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its API key is removed from the keyring, and its cached data on this computer is deleted. Nothing changes on the server.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use system proxy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No proxy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Custom</source>
        <comment>proxy</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Create one in the server’s settings. It’s stored in the system keyring, never in a file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove {server}?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Proxy and certificates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Proxy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SHA-256 fingerprint</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Proxy address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Certificate authority</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Trusted certificate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>system proxy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no proxy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 pinned certificate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Certificates (*.pem *.crt *.cer)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect</source>
        <comment>verb, button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Leave empty to keep using the stored key.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>custom proxy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>custom authority</source>
        <comment>of certificates</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Server settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect to a server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove this server</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Enter the API key.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connecting</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/shortcut_sheet.py -->
    <message>
        <source>Everywhere</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In lists</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In the flow editor</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/start_problem.py -->
    <message>
        <source>Patchbay can't start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose another folder…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Folder for Patchbay's data</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/status_bar.py -->
    <message>
        <source>Show unfinished executions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine settings…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Resuming</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pausing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine status; pause or resume</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run scheduled</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/tray.py -->
    <message>
        <source>Open Patchbay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run is scheduled</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/view_models/engine_control.py -->
    <message>
        <source>Published flows run automatically.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No flow starts until you resume runs, even after a restart. Incoming webhooks are stored and run then.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing runs. Reopen the workspace to start the engine.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{duration} ago</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} execution, the oldest for {duration}</source>
        <extracomment>{n} executions, the oldest for {duration}</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>just now</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running since</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Last scheduler check</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Unfinished</source>
        <comment>executions</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Queued</source>
        <comment>executions</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none (runs are paused)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none scheduled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All runs paused. Incoming webhooks are stored.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the workspace isn’t responding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the engine is stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>runs are already paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>runs aren’t paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs resumed.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/view_models/taken_port.py -->
    <message>
        <source>Port {taken} is in use by another program, so webhook addresses have changed to {address}. Requests to the old address don’t arrive.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Port {taken} is in use by another program, so webhooks use port {port}. Requests forwarded to port {taken} don’t arrive.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/view_models/vault.py -->
    <message>
        <source>Connections wait until you unlock the passphrase vault. Flows without connections run.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/view_models/workspace_status.py -->
    <message>
        <source>Next run {time}, {flow}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} connection needs attention</source>
        <extracomment>{n} connections need attention</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server} hasn’t responded since {time}. You’re viewing cached data and can’t make changes. Patchbay keeps trying to reconnect.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show what failed since {time} and hasn’t been retried, without tests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next run {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not responding</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Disk problem: changes may be lost</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Disk problem</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paused: storing webhooks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Paused</source>
        <comment>the engine</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“{connection}” needs attention</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reconnect</source>
        <comment>verb, button</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No flows are running because the program that ran them has stopped. This window runs them in a moment, unless that program starts again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tomorrow {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} failure today</source>
        <extracomment>{n} failures today</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} running</source>
        <comment>executions</comment>
        <extracomment>{n} running</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} waiting</source>
        <comment>executions</comment>
        <extracomment>{n} waiting</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} queued</source>
        <comment>executions</comment>
        <extracomment>{n} queued</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server}, offline, data from {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server}, offline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server}, disk problem</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server}, paused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Its credentials are no longer valid.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{server}, online</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Demo engine running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Secrets in {name}</source>
        <comment>the system keyring</comment>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/welcome.py -->
    <message>
        <source>You can have several workspaces and switch between them at the top left. Patchbay sends no usage data.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start on this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Welcome to Patchbay</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connect your apps and automate work between them. Where do you want to work?</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try the demo</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sample flows and executions of a fictional company. Nothing leaves this computer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use this computer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flows run here, while Patchbay is open or in the background.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recommended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No account, no set-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset it at any time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Works offline, no server needed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Your data stays in one folder, with encrypted credentials</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Webhooks need a public address</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You need its address and an API key</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flows run even when this computer is off</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/shell/work_area.py -->
    <message>
        <source>Reloading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Flows now run in this window, because the program that ran them has stopped.</source>
        <translation type="unfinished"></translation>
    </message>
    <message numerus="yes">
        <source>{n} unseen failure</source>
        <extracomment>{n} unseen failures</extracomment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All changes are saved. Patchbay saves them as you make them.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/templates/gallery.py -->
    <message>
        <source>This version of Patchbay can't read this template.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/templates/preview.py -->
    <message>
        <source>Creates a draft. Nothing runs until you publish.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Built-in · {category}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not connected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You choose the connections in the flow's steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>built-in template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Required connections</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>You'll be asked for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What you need</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved by you</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/templates/tab.py -->
    <message>
        <source>From a flow…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“Nothing to connect”: their apps need no connection, or are connected already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search templates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New template from a flow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Connections and folders aren't saved in the template.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save template</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing to connect {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved by you {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show templates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading templates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Template name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Topic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>New</source>
        <comment>button: a template from a flow</comment>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No templates here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no flows to save yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No matching templates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No template matches all the filters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No templates yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A template is a starting point for new flows. Save one of your flows as a template.</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/templates/use_dialog.py -->
    <message>
        <source>Create flow</source>
        <translation type="unfinished"></translation>
    </message>
    <!-- desktop/templates/view_models/templates.py -->
    <message>
        <source>Empty step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No app</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Template “{name}” deleted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Template “{name}” saved.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
