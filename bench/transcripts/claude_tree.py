"""Which records are the conversation: the branch to the newest leaf, and the branches that were rewound.

A record names its parent; the chain runs through records of every type. Three things make the naive walk wrong:

* parallel tool calls: fragments of one answer and their results hang beside the chain and belong to it;
* a compaction starts a new root that names its parent by another field, sometimes a record of a deleted file;
* parents that are missing, come later in the file, or form a ring.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench.transcripts.claude_records import Record
from bench.transcripts.model import ToolResult


def main_line(records: Sequence[Record], leaf: str | None = None) -> tuple[list[Record], list[list[Record]]]:
    """The records of the main line from its root to the newest leaf, and each rewound branch, in their order.

    `records` are one session's, side conversations left out, in file order. `leaf`: the uuid of a record; the line
    then leads through it to the newest leaf below (it is empty where no record has that uuid).
    """
    forest = _Forest([r for r in records if r.uuid or r.role])
    chain = forest.chain(leaf)
    if not chain:
        return [], []
    kept, cut = _walk(forest, chain)
    seen = set(kept)
    # beginnings that were rewound whole are branches too, and so is what hangs in a ring
    everywhere = range(len(forest.nodes))
    roots = [*cut, *(i for i in everywhere if forest.parents[i] is None), *everywhere]
    branches = [[forest.nodes[i] for i in forest.subtree(root, seen)] for root in roots if root not in seen]
    return [forest.nodes[i] for i in kept], [branch for branch in branches if any(r.role for r in branch)]


class _Forest:
    """The records as trees, by their indices in file order."""

    def __init__(self, nodes: list[Record]) -> None:
        self.nodes = nodes
        self.parents = _parents(nodes)
        self.children: list[list[int]] = [[] for _ in nodes]
        for i, parent in enumerate(self.parents):
            if parent is not None:
                self.children[parent].append(i)
        # of each subtree: its first message in the file, and whether a person or the model speaks in it
        self.first_message: list[int | None] = [i if n.role else None for i, n in enumerate(nodes)]
        self.speaks = [n.role == "assistant" or (n.role == "user" and n.author == "person") for n in nodes]
        for i in self._leaves_first():
            parent = self.parents[i]
            if parent is not None:
                self.speaks[parent] |= self.speaks[i]
                first, known = self.first_message[i], self.first_message[parent]
                if first is not None and (known is None or first < known):
                    self.first_message[parent] = first

    def chain(self, named: str | None = None) -> list[int]:
        """From the root to the newest leaf: the last message or boundary in the file, or what hangs below it."""
        backwards = ((i, self.nodes[i]) for i in reversed(range(len(self.nodes))))
        if named is None:
            leaf = next((i for i, node in backwards if node.role or node.is_boundary), None)
        else:
            leaf = next((i for i, node in backwards if node.uuid == named), None)
        if leaf is None:
            return []
        down = {leaf}
        while below := [c for c in self.children[leaf] if c not in down]:
            leaf = max(below)
            down.add(leaf)
        chain: list[int] = []
        seen: set[int] = set()
        at: int | None = leaf
        while at is not None and at not in seen:
            chain.append(at)
            seen.add(at)
            at = self.parents[at]
        return chain[::-1]

    def subtree(self, root: int, seen: set[int]) -> list[int]:
        """`root` and all below it that is not in `seen`, in file order; `seen` grows by them."""
        found: list[int] = []
        stack = [root]
        while stack:
            at = stack.pop()
            if at not in seen:
                seen.add(at)
                found.append(at)
                stack += self.children[at]
        return sorted(found)

    def _leaves_first(self) -> list[int]:
        """Every node that a root leads to, after all nodes below it."""
        order: list[int] = []
        stack = [i for i, parent in enumerate(self.parents) if parent is None]
        while stack:
            at = stack.pop()
            order.append(at)
            stack += self.children[at]
        return order[::-1]


def _parents(nodes: list[Record]) -> list[int | None]:
    """The index of each node's parent, None for a root."""
    index: dict[str, int] = {}
    for i, node in enumerate(nodes):
        # an id that two kinds of record share is the message's
        if node.uuid and (node.uuid not in index or (node.role and not nodes[index[node.uuid]].role)):
            index[node.uuid] = i
    flat = not any(n.parent in index or n.logical_parent in index for n in nodes)
    return _without_rings([_parent(node, i, index, flat) for i, node in enumerate(nodes)])


def _without_rings(parents: list[int | None]) -> list[int | None]:
    """The parents, where a ring of records begins with the one that stands first in the file."""
    known: set[int] = set()
    for start in range(len(parents)):
        path: dict[int, None] = {}
        at: int | None = start
        while at is not None and at not in known and at not in path:
            path[at] = None
            at = parents[at]
        if at is not None and at in path:
            walked = list(path)
            parents[min(walked[walked.index(at) :])] = None
        known.update(path)
    return parents


def _parent(node: Record, i: int, index: dict[str, int], flat: bool) -> int | None:
    for name in (node.parent, node.logical_parent):
        found = index.get(name) if name else None
        if found is not None and found != i:
            return found
    # no parent in the file. A prompt that says it has none starts afresh (a rewind to the beginning); anything else
    # follows what stands before it: the parent was lost, or the harness names none
    starts = node.parent_null and not node.is_boundary and node.role != "assistant" and not _results(node)
    return None if i == 0 or (starts and not flat) else i - 1


def _walk(forest: _Forest, chain: list[int]) -> tuple[list[int], list[int]]:
    """The chain with everything beside it that belongs to it, in reading order; and the roots of rewound branches."""
    nodes, on_chain = forest.nodes, set(chain)
    answers = {nodes[i].answer for i in chain if nodes[i].answer}
    calls = {call for i in chain for call in nodes[i].calls}
    kept: list[int] = []
    cut: list[int] = []
    seen: set[int] = set()
    stack = [chain[0]]
    while stack:
        at = stack.pop()
        if at in seen:
            continue
        seen.add(at)
        kept.append(at)
        answers.add(nodes[at].answer)
        calls.update(nodes[at].calls)
        children = forest.children[at]
        if len(children) < 2:  # nearly everywhere
            stack += children
            continue
        below = [c for c in children if c not in seen]
        if not below:
            continue
        # off the chain, the newest child is how that stretch went on
        onward = next((c for c in below if c in on_chain), max(below))
        beside = [c for c in below if c != onward]
        belonging = [c for c in beside if _belongs(forest, c, answers, calls)]
        cut += [c for c in beside if c not in belonging]
        stack += [onward, *reversed(belonging)]
    return kept, cut


def _belongs(forest: _Forest, root: int, answers: set[str | None], calls: set[str]) -> bool:
    """Whether what hangs beside the line at `root` is part of it (parallel work, notices) and no rewound branch."""
    first = forest.first_message[root]
    if first is None:
        return True
    node, parent = forest.nodes[first], forest.parents[root]
    if node.role == "assistant":
        # without ids, an answer's fragments can only be told by standing directly below one another
        return (
            node.answer in answers if node.answer else parent is not None and forest.nodes[parent].role == "assistant"
        )
    if results := _results(node):
        return any(call in calls for call in results)
    return not forest.speaks[root]


def _results(node: Record) -> list[str]:
    return [b.tool_use_id for b in node.blocks if isinstance(b, ToolResult)]
