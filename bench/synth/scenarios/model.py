"""What a scenario is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scenario:
    """The words of one project. Every tuple holds distinct entries; no option is a word of anything else."""

    name: str
    title: str
    folder: str
    suffix: str
    test: str
    """The command that runs a component's tests, with {component}."""
    components: tuple[str, ...]
    """Parts of the project, two words each."""
    quantities: tuple[tuple[str, str], ...]
    """What can be set of a part, and its unit."""
    options: tuple[str, ...]
    """Products and methods that can be chosen, ruled out, or never spoken of; each one word."""
    tasks: tuple[tuple[str, str], ...]
    """What can be done to a part, as a verb phrase, and the word that tells it from the others."""
    rules: tuple[tuple[str, str, str], ...]
    """A rule for a part with {part}; a pattern for its point; the rule as the assistant recalls it, with {part}."""
    reasons: tuple[str, ...]
    code: tuple[str, ...]
    """Lines of code with {verb}, {noun} and {n}."""
    verbs: tuple[str, ...]
    nouns: tuple[str, ...]
