"""handoff-bench: an A/B bench for compaction prompts and handoff pipelines.

Names are loaded when used, so that `import bench` stays fast:
`bench.parameters`, `bench.run`, `bench.open_run` and the frames of `bench.analysis`.
"""

from importlib import import_module

__version__ = "0.1.0"

# public name -> module that owns it
_HOMES: dict[str, str] = {}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'bench' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
