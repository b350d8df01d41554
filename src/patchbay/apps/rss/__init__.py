"""RSS: feeds of any address, in RSS, RDF (RSS 1.0), and Atom. Needs no connection."""

from patchbay.integration import App

from .triggers import new_items_in_feed

app = App(
    name="RSS",
    key="rss",
    primary_color="#ff8800",
    description="Start a flow when a feed has a new item.",
    category="News",
    keywords=("feed", "atom", "blog", "podcast"),
    triggers=[new_items_in_feed],
)
