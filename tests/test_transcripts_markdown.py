"""Markdown exports: which headings begin a turn, and nothing else does."""

import pytest

from bench.errors import BenchError
from bench.transcripts import detect, read
from bench.transcripts.markdown import MAX_HEADING, sections, transcript_of
from bench.transcripts.model import Text

CHAT = """# A session

Exported yesterday.

## User

fix it

please

## Assistant

Looking.

```md
## User
not a turn
```

### Plan

1. read

## User

thanks
"""


def turns(text: str) -> list[tuple[str, str]]:
    return [(s.speaker, s.text) for s in sections(text)]


def test_each_heading_of_a_speaker_begins_a_turn(tmp_path):
    path = tmp_path / "chat.md"
    path.write_text(CHAT)
    t = read(path)
    assert [(m.role, m.author, m.line) for m in t.messages] == [
        ("user", "person", 5), ("assistant", "assistant", 11), ("user", "person", 24),
    ]  # fmt: skip
    assert t.messages[0].blocks == (Text("fix it\n\nplease"),)
    assert t.messages[1].text.endswith("### Plan\n\n1. read")
    assert t.records == {"user": 2, "assistant": 1, "preamble": 1}
    assert (t.format, t.counts.user, t.counts.assistant, t.counts.tool_calls) == ("markdown", 2, 1, 0)


@pytest.mark.parametrize(
    ("heading", "speaker"),
    [
        ("## User", "user"),
        ("# Human", "user"),
        ("#### You", "user"),
        ("## **User**", "user"),
        ("## _User_:", "user"),
        ("## 🧑 User", "user"),
        ("## 3. User", "user"),
        ("## User (2026-01-01 10:31)", "user"),
        ("## User [10:31]:", "user"),
        ("   ## USER ##", "user"),
        ("## 🤖 Claude", "assistant"),
        ("## Assistant：", "assistant"),
        ("## Tool result", "tool"),
        ("## tool_output", "tool"),
        ("## System", "system"),
        ("##### User", None),
        ("##User", None),
        ("    ## User", None),
        ("## User guide", None),
        ("## The user", None),
        ("## Claude 3.5 Sonnet", None),
        ("User:", None),
        ("## " + "User" + " " * MAX_HEADING, None),
    ],
)
def test_a_heading_that_names_a_speaker_and_nothing_else(heading, speaker):
    assert [s.speaker for s in sections(f"{heading}\nhello\n")] == ([speaker] if speaker else [])


def test_only_headings_of_the_first_one_s_level_begin_turns():
    assert turns("## User\na\n### Assistant\nb\n## Assistant\nc\n") == [
        ("user", "a\n### Assistant\nb"),
        ("assistant", "c"),
    ]


def test_a_fence_ends_at_one_that_is_as_long():
    text = "## User\n````\n```\n## Assistant\n````\n## Assistant\n~~~\n## User\n~~~\n"
    assert turns(text) == [("user", "````\n```\n## Assistant\n````"), ("assistant", "~~~\n## User\n~~~")]


def test_the_system_prompt_is_no_message_and_a_tool_s_words_are_no_person_s():
    t = transcript_of(b"## System\nBe good.\n## User\ngo\n## Assistant\nok\n## Tool\na.py\n## Assistant\n\n")
    assert t.system == "Be good."
    assert [(m.role, m.author) for m in t.messages] == [
        ("user", "person"), ("assistant", "assistant"), ("user", "tool"), ("assistant", "assistant"),
    ]  # fmt: skip
    assert t.messages[3].blocks == ()


def test_windows_lines_a_byte_order_mark_and_bad_bytes(tmp_path):
    path = tmp_path / "chat.md"
    path.write_bytes(b"\xef\xbb\xbf## User\r\ngo\r\n## Assistant\r\nok \xff\r\n")
    t = read(path)
    assert [m.text for m in t.messages] == ["go", "ok \N{REPLACEMENT CHARACTER}"]
    assert [(u.line, u.reason[:9]) for u in t.unread] == [(4, "bytes tha")]


def test_what_the_harness_put_into_the_user_s_turn_is_not_a_person_s():
    t = transcript_of(b"## User\n<system-reminder>x</system-reminder>\n## Assistant\nok\n")
    assert (t.messages[0].author, t.messages[0].origin) == ("harness", "system-reminder")


@pytest.mark.parametrize("text", ["# Notes\n\n## User\n\nonly one speaks\n", "## Assistant\nmonologue\n", "# README\n"])
def test_a_page_in_which_not_both_speak_is_no_session(tmp_path, text):
    path = tmp_path / "page.md"
    path.write_text(text)
    assert detect(path) is None
    with pytest.raises(BenchError, match="is no session file"):
        read(path)


def test_a_line_of_nothing_but_openings_takes_no_time():
    assert turns("## User " + "(" * 100_000 + "\n" + "#" * 100_000) == []
