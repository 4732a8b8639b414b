"""What was done to a conversation to make a context of it, in words."""

from __future__ import annotations

from msgspec.structs import asdict

from bench.contexts.native import Repairs

_WORDS = {
    "thinking_removed": ("1 thinking block is left out", "{} thinking blocks are left out"),
    "blank_removed": ("1 empty text is left out", "{} empty texts are left out"),
    "merged": ("1 message is joined to the one before, of the same role",
               "{} messages are joined to those before, of the same role"),
    "orphan_calls": ("1 call has no result on record, which its result now says",
                     "{} calls have no result on record, which their results now say"),
    "orphan_results": ("1 result without a call is kept as text", "{} results without a call are kept as text"),
    "moved_results": ("1 late result is moved to its call", "{} late results are moved to their calls"),
    "renamed": ("1 name or id of a call is changed to what the API takes",
                "{} names and ids of calls are changed to what the API takes"),
    "wrapped_inputs": ("the arguments of 1 call, which were no object, are put into one",
                       "the arguments of {} calls, which were no objects, are put into one each"),
    "images_kept": ("1 image is sent", "{} images are sent"),
    "images_noted": ("a note stands for 1 image, of which there is no copy",
                     "notes stand for {} images, of which there is no copy"),
    "others_as_text": ("1 block of another kind is sent as text", "{} blocks of other kinds are sent as text"),
    "system_as_user": ("1 system message is sent as the user's", "{} system messages are sent as the user's"),
    "opened": ("a user's message that says so opens it", "{} users' messages that say so open it"),
}  # fmt: skip


def repairs_in_words(repairs: Repairs) -> str:
    """`2 thinking blocks are left out; 1 message is joined to the one before, …`; empty where nothing was done."""
    counts = {name: n for name, n in asdict(repairs).items() if n}
    return "; ".join(_WORDS[name][n > 1].format(n) for name, n in counts.items())
