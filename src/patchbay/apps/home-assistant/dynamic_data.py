"""Dropdown lists: entities and services (which Home Assistant's pages call actions)."""

from typing import Any

from patchbay.integration import option_list


def _entity_label(state: dict[str, Any]) -> str:
    name = (state.get("attributes") or {}).get("friendly_name")
    return f"{name} ({state['entity_id']})" if name else str(state["entity_id"])


def _services(domains: Any) -> list[dict[str, str]]:
    """A row for each service of each domain. Home Assistant gives the services of a domain by name."""
    found: list[dict[str, str]] = []
    for domain in domains:
        services = domain["services"]
        for key in services:
            name = services[key].get("name") if isinstance(services, dict) else ""
            full = f"{domain['domain']}.{key}"
            found.append({"value": full, "label": f"{full}: {name}" if name else full})
    return found


list_entities = option_list("listEntities", "/api/states", label=_entity_label, value="{entity_id}")
list_services = option_list("listServices", "/api/services", at=_services, label="{label}", value="{value}")
