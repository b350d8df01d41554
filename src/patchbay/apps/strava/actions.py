"""Actions."""

from patchbay.integration import request_action

create_totals_and_stats_report = request_action(
    key="createTotalsAndStatsReport",
    name="Get totals and statistics",
    description="Gets the totals of your runs, rides, and swims: the last 4 weeks, this year, and overall. "
    "Strava only counts activities that everyone can see.",
    request="GET /v3/athletes/{auth.athleteId}/stats",
)
