"""Templates, oldest first."""

from sqlalchemy import delete, insert, select

from patchbay.domain.base import TemplateId
from patchbay.domain.folders import Template
from patchbay.domain.truncation import shorten_template
from patchbay.storage.repositories.rows import Tx, dump_json, load, not_found
from patchbay.storage.tables import template

_BUILT_IN_ONLY = {"needs", "inputs", "built_in"}
"""Fields that stored templates don't have."""


def get(tx: Tx, template_id: TemplateId) -> Template:
    """Return a template. Raises `NotFound`."""
    row = tx.execute(select(template).where(template.c.id == template_id)).mappings().first()
    if row is None:
        raise not_found("template")
    return Template.model_validate(load(row, "flow_data"))


def find(tx: Tx) -> tuple[Template, ...]:
    """All templates, oldest first. Shortens large parameters."""
    rows = tx.execute(select(template).order_by(template.c.created_at, template.c.id)).mappings()
    return tuple(shorten_template(Template.model_validate(load(row, "flow_data"))) for row in rows)


def add(tx: Tx, item: Template) -> Template:
    """Insert a template."""
    values = item.model_dump(exclude=_BUILT_IN_ONLY) | {"flow_data": dump_json(item.flow_data)}
    tx.execute(insert(template).values(**values))
    return item


def remove(tx: Tx, template_id: TemplateId) -> None:
    """Delete a template."""
    tx.execute(delete(template).where(template.c.id == template_id))
