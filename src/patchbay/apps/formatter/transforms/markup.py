"""HTML and Markdown. The libraries are imported on first use: they take longer than all apps together."""

from patchbay.integration.values import parameter_error

_TOO_DEEP = "The text is nested too deeply."


def html_to_markdown(html: str) -> str:
    """Convert HTML to Markdown with `#` headings and `-` lists."""
    from bs4.exceptions import ParserRejectedMarkup
    from markdownify import markdownify

    from .html_text import escape_unfinished_end

    try:
        return str(markdownify(escape_unfinished_end(html), heading_style="ATX", bullets="-")).strip()
    except RecursionError:
        raise parameter_error("input", _TOO_DEEP) from None
    except (ParserRejectedMarkup, AssertionError):  # raised by the parser of the standard library
        raise parameter_error(
            "input", "The text can't be read as HTML.", "Check the source of the text."
        ) from None


def markdown_to_html(markdown: str) -> str:
    """Convert Markdown (CommonMark with tables and strikethrough) to HTML."""
    from markdown_it import MarkdownIt

    try:
        return str(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown)).strip()
    except RecursionError:
        raise parameter_error("input", _TOO_DEEP) from None


def html_to_text(html: str) -> str:
    """Return the visible text of HTML, with line breaks between its blocks."""
    from .html_text import visible_text

    try:
        return visible_text(html)
    except AssertionError:  # raised by the parser of the standard library
        raise parameter_error(
            "input", "The text can't be read as HTML.", "Check the source of the text."
        ) from None
