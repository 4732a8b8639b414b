"""What is done again after a compaction, counted against a stretch that nothing cut."""

from __future__ import annotations

import json
from itertools import count

import pytest
from msgspec.structs import replace
from sessions import call, compacted, harness, result, says, summary, transcript, user

from bench.cli import main
from bench.errors import BenchError
from bench.field.after import AfterRow, after
from bench.field.again import commands_again, files_again, normalised
from bench.field.new_work import first_new_work
from bench.field.stretches import LEAST_COMPARED, Session, cuts
from bench.field.talk import corrections, questions_again
from bench.frames import frame
from bench.transcripts import read_all
from bench.transcripts.view import full_compactions

TEXT = "def limit():\n    return 503\n\nBURST = 40\n"
OTHER = "def quota():\n    return 1\n\nDEPTH = 2\n"
SUMMARY = "This session is being continued from a previous conversation. limits.py returns 503."
_ids = count()


def does(tool, output, is_error=False, **arguments):
    """A call and its result."""
    id_ = f"t{next(_ids)}"
    return [call(id_, tool, **arguments), result(id_, output, is_error)]


def reads(path="/app/limits.py", text=TEXT, **arguments):
    return does("Read", text, file_path=path, **arguments)


def edits(old="503", new="429", path="/app/limits.py"):
    return does("Edit", "updated", file_path=path, old_string=old, new_string=new)


def runs(command, output="ok", is_error=False):
    return does("Bash", output, is_error, command=command)


def session(before, later, *, preserved=()):
    """A session that did `before`, was compacted, and did `later`; each a list of turns and pairs of messages."""
    ahead, behind = flat(before), flat(later)
    at = len(ahead)
    whole = transcript(*ahead, summary(SUMMARY), *behind, compactions=[compacted(at, SUMMARY, summary_at=at)])
    cut = replace(whole.compactions[0], preserved=preserved)
    return Session(replace(whole, cwd="/app", compactions=(cut,)))


def flat(parts):
    return [m for part in parts for m in (part if isinstance(part, list) else [part])]


def whole(one):
    return next(cuts(one)).whole


FILES = {
    "read and read again": ([reads()], [reads()], 1),
    "read again by the shell": ([reads()], [runs("cat limits.py", TEXT)], 1),
    "read again by the shell from another folder": ([reads()], [runs("cd /app && cat limits.py", TEXT)], 1),
    "only once before": ([reads()], [], 0),
    "only after": ([], [reads()], 0),
    "another file": ([reads()], [reads("/app/quota.py", OTHER)], 0),
    "twice after is once: the second is in the context": ([reads()], [reads(), reads()], 1),
    "edited before, the rest of its lines known": ([reads(), edits()], [reads(text=TEXT.replace("503", "429"))], 1),
    "changed by a shell command": ([reads(), runs("sed -i s/503/429/ /app/limits.py")], [reads()], 0),
    "changed by somebody else": ([reads()], [reads(text=OTHER)], 0),
    "written whole, never read": ([does("Write", "ok", file_path="/app/limits.py", content=TEXT)], [reads()], 0),
    "the reading failed": ([reads()], [does("Read", "File does not exist.", True, file_path="/app/limits.py")], 0),
}


@pytest.mark.parametrize(("before", "later", "n"), FILES.values(), ids=FILES)
def test_a_file_is_read_again_where_its_lines_were_known(before, later, n):
    one = session(before, later)
    assert len(files_again(one, whole(one))) == n


def test_a_message_that_stayed_word_for_word_was_not_lost():
    one = session([reads()], [reads()], preserved=(0, 1))
    assert files_again(one, whole(one)) == ()


COMMANDS = {
    "nothing was written in between": ([runs("pytest -q", "3 passed")], [runs("pytest -q", "ok")], ["command"]),
    "a file was written in between": ([runs("pytest -q"), edits()], [runs("pytest -q")], []),
    "a commit was made in between": ([runs("git push"), runs("git commit -qm x")], [runs("git push")], []),
    "it fails again in the same way": (
        [runs("make x", "make: *** No rule", True), edits()], [runs("make x", "make: *** No rule", True)], ["command"]
    ),
    "told with other trimmings": ([runs("cd /app && pytest -q 2>&1 | tail -5")], [runs("pytest  -q")], ["command"]),
    "a look that shows the same": ([runs("git log -1", "abc")], [runs("git log -1", "abc")], ["look"]),
    "a look that shows something else": ([runs("git log -1", "abc")], [runs("git log -1", "def")], []),
    "a search": ([does("Grep", "a.py:1", pattern="x")], [does("Grep", "a.py:1", pattern="x")], ["look"]),
    "a page that is fetched": ([runs("curl -s http://h/x", "1")], [runs("curl -s http://h/x", "1")], ["look"]),
    "what waits is no command": ([runs("sleep 5")], [runs("sleep 5")], []),
    "only once after": ([runs("git log -1", "a")], [runs("git log -1", "a"), runs("git log -1", "a")], ["look"]),
}  # fmt: skip


@pytest.mark.parametrize(("before", "later", "kinds"), COMMANDS.values(), ids=COMMANDS)
def test_a_command_is_run_again_where_it_cannot_tell_anything_new(before, later, kinds):
    one = session(before, later)
    assert [again.kind for again in commands_again(one, whole(one))] == kinds


@pytest.mark.parametrize(
    ("script", "plain"),
    [
        ("cd /a/b && make  test", "make test"),
        ("cd 'a b' && cd c; make test 2>&1 | tail -n 20", "make test"),
        ("timeout 60 make test || true", "make test"),
        ("make test | grep x", "make test | grep x"),
        ("sleep 3", ""),
        ("", ""),
    ],
)
def test_two_spellings_of_a_command_are_one(script, plain):
    assert normalised(script) == plain


QUESTION = "Should the rate limiter answer with 429 or 503?"
QUESTIONS = {
    "asked in other words": (["Which status should the rate limiter answer, 503 or 429?"], 1),
    "another question": (["Where shall the tests of the parser live?"], 0),
    "small talk": (["Shall I commit this?"], 0),
    "no question": (["The rate limiter now answers with 429, not 503."], 0),
}


@pytest.mark.parametrize(("later", "n"), QUESTIONS.values(), ids=QUESTIONS)
def test_a_question_is_asked_again_where_the_person_had_answered_one_like_it(later, n):
    answered = session([says("Shall I commit this?"), user("yes"), says(QUESTION), user("429.")], map(says, later))
    assert len(questions_again(answered, whole(answered))) == n
    ignored = session([says(QUESTION), says("I take 429.")], map(says, later))
    assert questions_again(ignored, whole(ignored)) == ()


def test_a_question_may_be_put_by_a_tool():
    def asks():
        return does("AskUserQuestion", "User has answered: 429", questions=[{"question": QUESTION}])

    one = session([asks()], [asks()])
    assert [(q.at, q.before) for q in questions_again(one, whole(one))] == [(3, 0)]


REFUSED = "The user doesn't want to proceed with this tool use. the user said:\nnot that file"
CORRECTIONS = {
    "a no": ([user("no, we use no redis")], ["said"]),
    "what was said already": ([user("I already told you to keep it in memory")], ["said"]),
    "thanks": ([user("great, now the docs")], []),
    "no problem": ([user("no problem, go on")], []),
    "a refusal, its interrupt and the words after it are one": (
        [runs("rm -r x", REFUSED, True), harness("[Request interrupted by user for tool use]", "interrupt"),
         user("we decided to keep x")], ["said"],
    ),
    "a refusal alone": ([runs("rm -r x", REFUSED, True), says("All right.")], ["refused"]),
    "stopped at work": ([says("I go on."), harness("[Request interrupted by user]", "interrupt")], ["interrupted"]),
    "stopped to put it better": ([user("go on"), harness("[Request interrupted by user]", "interrupt")], []),
}  # fmt: skip


@pytest.mark.parametrize(("later", "how"), CORRECTIONS.values(), ids=CORRECTIONS)
def test_a_correction_is_a_turn_in_which_the_person_says_no(later, how):
    one = session([user("hello"), says("Hello.")], [says("I use redis."), *later])
    assert [c.how for c in corrections(one, whole(one))] == how


@pytest.mark.parametrize(
    ("later", "at"),
    [
        ([reads(), edits()], 5),  # 0, 1 before, 2 the summary, 3 and 4 the reading
        ([runs("git log -1"), runs("make x")], 5),
        ([runs("pytest -q"), runs("make x")], 5),  # pytest ran before
        ([runs("make x", "make: *** No rule", True), edits()], 5),
        ([reads()], None),
    ],
)
def test_new_work_writes_a_file_or_runs_what_never_ran(later, at):
    one = session([runs("pytest -q")], later)
    work = first_new_work(one, whole(one))
    assert (work and work.at) == at
    if work:
        assert work.tokens == sum(m.tokens for m in one.messages[3:at])


def working(n):
    """`n` pairs of messages that repeat nothing."""
    return [runs(f"git show {next(_ids)}", f"commit {next(_ids)}") for _ in range(n)]


def test_the_excess_is_what_the_same_stretch_before_did_not_do():
    # 40 messages before: the base begins at message 20 and reads quota.py again; after the cut both are read again
    before = [reads(), reads("/app/quota.py", OTHER), *working(8), reads("/app/quota.py", OTHER), *working(9)]
    one = session(before, [reads(), reads("/app/quota.py", OTHER), *working(10)])
    (found,) = after(one.transcript)
    row = found.row
    assert (row.compared, row.files, row.files_soon, row.files_base, row.files_excess) == (20, 2, 2, 1, 1)
    tokens = -(-len(TEXT) // 4), -(-len(OTHER) // 4)
    assert (row.again_tokens, row.again_tokens_base, row.again_tokens_excess) == (sum(tokens), tokens[1], tokens[0])
    assert [(e.measure, e.at, e.before, e.soon) for e in found.evidence] == [
        ("files", 41, 0, True), ("files", 43, 20, True),
    ]  # fmt: skip


def test_too_short_a_window_has_no_base_and_says_why():
    one = session([reads(), *working(8)], [reads()])
    (found,) = after(one.transcript)
    assert (found.row.files, found.row.files_base, found.row.files_excess, found.row.compared) == (1, None, None, None)
    assert str(LEAST_COMPARED) in (found.row.why or "")


def test_the_rows_make_a_frame_of_a_line_a_compaction():
    rows = [one.row for one in after(session([reads(), *working(12)], [reads(), *working(12)]).transcript)]
    table = frame(rows, AfterRow)
    assert list(table["compaction"]) == [1]
    assert str(table["files_excess"].dtype) == "Int64"


def test_the_command_prints_counts_and_the_messages(tmp_path, capsys):
    from bench.transcripts.write import to_jsonl

    plain = tmp_path / "plain.jsonl"
    plain.write_text(to_jsonl(transcript(user("hello"), says("Hello."))))
    assert main(["after", str(plain)]) == 0
    assert "no compaction" in capsys.readouterr().err
    assert main(["after", str(plain), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


@pytest.mark.shared
def test_every_real_session_is_measured(shared):
    measured = 0
    for path in sorted((shared / "transcripts").glob("*/*")):
        try:
            sessions = read_all(path)
        except BenchError:  # which files can be read is another test's
            continue
        for one in sessions:
            found = after(one)
            assert len(found) == len(full_compactions(one))
            for row in (f.row for f in found):
                assert row.files_soon <= row.files
                assert row.corrections_soon <= row.corrections
            measured += len(found)
    assert measured >= 10
