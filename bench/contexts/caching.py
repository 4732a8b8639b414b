"""What of a prompt a model's cache will hold."""

from __future__ import annotations

from bench.models.names import parse_name

# The API's smallest cacheable prompt in tokens (vendor's documentation, 2026-10); shorter ones are silently not cached.
# Longest matching beginning of the model's id wins.
MINIMUM_TOKENS: dict[str, int] = {
    "claude-fable-5": 512,
    "claude-mythos-5": 512,
    "claude-opus-5": 512,
    "claude-sonnet-5-5": 512,
    "claude-haiku-5-5": 512,
    "claude-sonnet-5": 1024,
    "claude-sonnet-4": 1024,
    "claude-opus-4": 1024,
    "claude-opus-4-7": 2048,
    "claude-opus-4-6": 4096,
    "claude-opus-4-5": 4096,
    "claude-haiku-4-5": 4096,
}


def cacheable_tokens(model: str, prefix_tokens: int) -> int | None:
    """Tokens of the context that will be written once and then read; 0 where it is too short, None where unknown."""
    id_ = parse_name(model).id
    at = id_.find("claude-")
    known = [name for name in MINIMUM_TOKENS if at >= 0 and id_[at:].startswith(name)]
    if not known:
        return None
    return prefix_tokens if prefix_tokens >= MINIMUM_TOKENS[max(known, key=len)] else 0
