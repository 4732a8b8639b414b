"""Small keys for tests."""

from bench.keys import Atom, Key, Never, Patterns, Stale


def atom(id="a1", text="The user ruled out Redis.", all=(), any=(), stale=(), wrong=(), **more):
    more = {"tag": "rejected", "importance": "vital", "by": "user", "at": (0,)} | more
    return Atom(
        id=id,
        text=text,
        accept=Patterns(all=tuple(all), any=tuple(any)),
        stale=tuple(Stale(match, until) for match, until in stale),
        wrong=tuple(wrong),
        **more,
    )


def key(*atoms, never=()):
    return Key(version=1, atoms=atoms, never=tuple(Never(id, text, tuple(match)) for id, text, match in never))
