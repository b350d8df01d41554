"""`quick_init`: frozen dataclasses that are created as quickly as others."""

from dataclasses import Field, field, fields, make_dataclass
from typing import Any, TypeVar

T = TypeVar("T")


def quick_init(cls: type[T]) -> type[T]:
    """Make a frozen dataclass quick to create: mypy checks that it isn't changed, but Python doesn't.

    Otherwise each of its fields is set by a call, which takes three times as long. That counts for classes
    of which a run creates several per step.
    """
    names = [(each.name, each.type, _copied(each)) for each in fields(cls)]  # type: ignore[arg-type]
    namespace = {name: value for name, value in vars(cls).items() if name == "__post_init__"}
    changeable = make_dataclass(cls.__name__, names, namespace=namespace)
    cls.__init__ = changeable.__init__  # type: ignore[method-assign, misc]
    del cls.__setattr__, cls.__delattr__
    return cls


def _copied(one: "Field[Any]") -> Any:
    return field(default=one.default, default_factory=one.default_factory, kw_only=one.kw_only)
