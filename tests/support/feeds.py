"""An RSS feed, as a web site publishes it."""

from collections.abc import Mapping
from xml.sax.saxutils import escape


def rss_feed(site: str, articles: Mapping[str, str]) -> str:
    """A feed of articles: the title of each by the name of its page, newest first."""
    items = [
        f"<item><title>{escape(title)}</title><link>{site}/{page}</link><guid>{site}/{page}</guid></item>"
        for page, title in articles.items()
    ]
    channel = f"<title>News</title><link>{site}</link><description>News</description>{''.join(items)}"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>{channel}</channel></rss>\n'
