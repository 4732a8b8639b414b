"""What a run's answer keys and transcripts say of its atoms now: their texts, their places, and what has changed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from bench.errors import BenchError
from bench.project import find_project

if TYPE_CHECKING:
    import pandas as pd

    from bench.keys import Atom
    from bench.runs.index import Run
    from bench.transcripts.model import Transcript


def atom_texts(run: Run) -> pd.DataFrame:
    """fixture, atom, text of every atom whose key stands unchanged where the run found it; others have no line."""
    import pandas as pd

    lines = [(name, atom.id, atom.text) for name, _, atoms in standing_keys(run) for atom in atoms]
    return pd.DataFrame(lines, columns=["fixture", "atom", "text"]).astype("string")


def rekeyed(run: Run) -> list[str]:
    """Fixtures whose key is no longer what one of their verdicts was given by: their numbers are of the old key."""
    from bench.fixtures import KEY, sha256_of

    of_grades = run.grades.groupby("fixture", observed=True)["key_sha256"].unique()
    found = []
    for name, mark in run.store.run_json().fixtures.items():
        folders = _folders(mark.folder, run.root)[:1]
        if name in of_grades.index and any({*of_grades[name]} != {sha256_of(folder / KEY)} for folder in folders):
            found.append(name)
    return found


def unreviewed(run: Run) -> dict[str, tuple[int, int]]:
    """fixture -> (atoms that nobody has reviewed, atoms) of every key that stands unchanged and has such atoms."""
    counts = {
        name: (sum(atom.status == "drafted" for atom in atoms), len(atoms)) for name, _, atoms in standing_keys(run)
    }
    return {name: count for name, count in counts.items() if count[0]}


def atom_places(run: Run) -> pd.DataFrame:
    """fixture, atom, distance_tokens (characters / 4 of the messages after the last one that establishes it),
    times_said (messages that establish it), of every atom whose key and transcript stand unchanged.

    Others have no line. Raises BenchError where such a transcript cannot be read.
    """
    import pandas as pd

    from bench.fixtures import TRANSCRIPT, sha256_of
    from bench.transcripts import read

    lines: list[tuple[str, str, int, int]] = []
    marks = run.store.run_json().fixtures
    for name, folder, atoms in standing_keys(run):
        path = folder / TRANSCRIPT
        if path.is_file() and sha256_of(path) == marks[name].transcript_sha256:
            lines += [(name, *place) for place in places(read(path), atoms)]
    table = pd.DataFrame(lines, columns=["fixture", "atom", "distance_tokens", "times_said"])
    words, counts = dict.fromkeys(("fixture", "atom"), "string"), dict.fromkeys(table.columns[2:], "Int64")
    return table.astype(words | counts)


def atom_stretches(run: Run) -> pd.DataFrame:
    """fixture, atom, stretch (1 the first) in which the chain's own cuts put the last message that establishes it, of
    every atom whose key stands unchanged, in fixtures that a chain cut. Others have no line."""
    import pandas as pd

    marks = run.store.run_json().fixtures
    lines = [
        (name, atom.id, 1 + sum(cut <= max(atom.at) for cut in marks[name].cuts))
        for name, _, atoms in standing_keys(run)
        for atom in atoms
        if marks[name].cuts and atom.at
    ]
    table = pd.DataFrame(lines, columns=["fixture", "atom", "stretch"])
    return table.astype({"fixture": "string", "atom": "string", "stretch": "Int64"})


def places(transcript: Transcript, atoms: tuple[Atom, ...]) -> Iterator[tuple[str, int, int]]:
    """(id, tokens after the last message that establishes it, messages that do) of each atom with a place."""
    from bench.text import tokens_of_chars

    chars = [message.chars for message in transcript.messages]
    after = [0] * (len(chars) + 1)
    for i in range(len(chars) - 1, -1, -1):
        after[i] = after[i + 1] + chars[i]
    for atom in atoms:
        there = [i for i in atom.at if 0 <= i < len(chars)]
        if there:
            yield atom.id, tokens_of_chars(after[max(there) + 1]), len(set(there))


def standing_keys(run: Run) -> Iterator[tuple[str, Path, tuple[Atom, ...]]]:
    """(fixture, its folder, its atoms) of every key that is what the run was graded with."""
    from bench.fixtures import KEY, sha256_of

    for name, mark in run.store.run_json().fixtures.items():
        for folder in _folders(mark.folder, run.root)[:1]:
            if sha256_of(folder / KEY) == mark.key_sha256:
                yield name, folder, _atoms(folder / KEY, mark.key_sha256)


@lru_cache(maxsize=64)
def _atoms(path: Path, sha256: str) -> tuple[Atom, ...]:  # noqa: ARG001  # what was read stands for these bytes alone
    """The atoms of the key at `path`, kept: several tables and figures of a run ask for them."""
    from bench.keys import read_key

    return read_key(path)[0].atoms


def _folders(folder: str, root: Path) -> list[Path]:
    """Where a fixture with a key lies, as run.json has it: relative to the project of the run, or of the caller."""
    from bench.fixtures import KEY

    found = []
    for start in (root, Path.cwd()):
        try:
            found.append(find_project(start).root / folder)
        except BenchError:  # in no project
            continue
    return [path for path in found if (path / KEY).is_file()]
