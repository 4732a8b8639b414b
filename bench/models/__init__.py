"""Models behind one protocol: `open_model(name)` gives a model to ask; nothing here knows of arms."""

from __future__ import annotations

from bench.models.names import FORMS, family, parse_name, slug
from bench.models.protocol import (
    Attempt,
    Context,
    Count,
    CredentialsMissing,
    Model,
    ModelMissing,
    Reply,
    Request,
)

__all__ = [
    "FORMS",
    "Attempt",
    "Context",
    "Count",
    "CredentialsMissing",
    "Model",
    "ModelMissing",
    "Reply",
    "Request",
    "family",
    "open_model",
    "slug",
]


def open_model(name: str) -> Model:
    """The model of that name, to be entered with `async with` inside the loop that asks it.

    Raises BenchError for a name of no known form (packages may offer more, see `bench.plugins`), ModelMissing where a
    local model is not installed. Credentials are looked at when the model is entered.
    """
    parsed = parse_name(name)
    if parsed.kind == "local":
        from bench.models.local import LocalModel

        return LocalModel(parsed)
    if parsed.kind == "plugin":
        from bench.plugins import open_model as open_plugin

        return open_plugin(name)
    from bench.models.claude import MessagesModel, Reach
    from bench.models.clients import open_client

    return MessagesModel(name, Reach(lambda: open_client(parsed), parsed.id, paid=parsed.kind != "server"))
