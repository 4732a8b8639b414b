"""Command arms: a real program gets the transcript as JSON, and its handoff, complaint, usage or silence is read."""

import json
import os
import sys
import time

import pytest
from conftest import CANARY_KEY
from sessions import call, fixture, result, says, transcript, user

from bench.arms.build import build
from bench.arms.command import run_command
from bench.arms.model import Arm, ArmFile, CommandSpec
from bench.arms.wire import stdin_of
from bench.environment import STRUCK
from bench.transcripts.model import Image, Message, Other, Text, Thinking, ToolResult, ToolUse, Usage

SESSION = transcript(
    user("Fix the build."),
    says("On it."),
    call("t1", "Bash", command="make"),
    result("t1", "ok"),
)


def run(code, folder, *, timeout_s=20, env=None):
    """What comes of a Python program as the user's pipeline."""
    spec = CommandSpec((sys.executable, "-c", code), timeout_s)
    return run_command(spec, SESSION, folder, {"PATH": os.environ["PATH"], **(env or {})})


def test_the_transcript_goes_in_and_the_handoff_comes_out(tmp_path):
    code = "import json; t = json.loads(input()); print(t['version'], t['tokens'], *(m['role'] for m in t['messages']))"
    ran = run(code, tmp_path)
    assert ran.outcome == "handoff"
    # ceil of 14, 6, 18 and 2 characters by 4
    assert ran.text == f"1 {4 + 2 + 5 + 1} user assistant assistant user\n"
    assert ran.usage is None
    assert ran.detail is None


def test_messages_go_in_as_the_messages_api_has_them_without_thinking():
    blocks = (
        Thinking("hm"),
        Text("see"),
        ToolUse("t1", "Bash", '{"command":"ls"}'),
        ToolUse("t2", "Bash", "{cut off"),
        Image("image/png", "AAAA"),
        Image("image/png"),
        Image("application/pdf", "BBBB"),
        Other("citation", '{"at":1}'),
    )
    session = transcript(
        Message(role="assistant", author="assistant", blocks=blocks),
        Message(role="system", author="harness", blocks=(Text("be brief"),)),
        Message(role="user", author="tool", blocks=(ToolResult("t1", (Text("a"), Image("image/png", "CC")), True),)),
        Message(role="assistant", author="assistant", blocks=(Thinking("only thought"),)),
    )
    assert json.loads(stdin_of(session))["messages"] == [
        {
            "role": "assistant",
            "typed": False,
            "content": [
                {"type": "text", "text": "see"},
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
                {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"raw": "{cut off"}},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
                {"type": "text", "text": "[an image; the transcript holds no copy]"},
                {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "BBBB"}},
                {"type": "text", "text": '[citation] {"at":1}'},
            ],
        },
        {"role": "user", "typed": False, "content": [{"type": "text", "text": "be brief"}]},
        {
            "role": "user",
            "typed": False,
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "content": [
                        {"type": "text", "text": "a"},
                        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "CC"}},
                    ],
                    "is_error": True,
                }
            ],
        },
    ]


def test_what_a_person_typed_is_told_from_all_else_of_the_role_user():
    session = transcript(
        user("Fix the build."),
        Message(role="user", author="harness", blocks=(Text("<environment_context>"),), origin="environment"),
        Message(role="system", author="harness", blocks=(Text("be brief"),)),
        Message(role="user", author="compaction", blocks=(Text("Summary: the build fails."),)),
        result("t1", "ok"),
        says("On it."),
    )
    messages = json.loads(stdin_of(session))["messages"]
    assert [(m["role"], m["typed"]) for m in messages] == [("user", True), *[("user", False)] * 4, ("assistant", False)]


def test_the_program_learns_neither_arm_nor_fixture():
    assert set(json.loads(stdin_of(SESSION))) == {"version", "tokens", "messages"}


def test_the_program_runs_in_the_arms_folder(tmp_path):
    (tmp_path / "compact.py").write_text("import sys; sys.stdin.read(); print('from', __file__)")
    path = tmp_path / "mine.toml"
    mine = Arm(
        label="mine", settings=ArmFile(kind="command", command=CommandSpec((sys.executable, "compact.py"))), path=path
    )
    assert build(mine, fixture(tmp_path, SESSION)).text.startswith("from ")


def test_a_program_that_is_slow_to_start_gets_all_of_a_long_transcript(tmp_path, monkeypatch):
    monkeypatch.setattr("bench.arms.command.LOOK_UP_S", 0.01)  # looked up from long before Python reads
    long = transcript(user("word " * 100_000))
    spec = CommandSpec((sys.executable, "-c", "import sys; print(len(sys.stdin.read()))"), 10)
    ran = run_command(spec, long, tmp_path, {"PATH": os.environ["PATH"]})
    assert (ran.outcome, ran.text) == ("handoff", f"{len(stdin_of(long))}\n")


def test_a_program_need_not_read_its_input(tmp_path):
    assert run("print('done')", tmp_path).text == "done\n"


USAGE = {"input_tokens": 9, "output_tokens": 4, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 2}


@pytest.mark.parametrize(
    ("line", "usage", "detail"),
    [
        ({"usage": USAGE}, Usage(9, 4, 3, 2, 0), None),
        ({"usage": {"input_tokens": 1, "output_tokens": 2, "service_tier": "standard"}}, Usage(1, 2), None),
        ({"usage": {**USAGE, "cache_creation": {"ephemeral_1h_input_tokens": 2}}}, Usage(9, 4, 3, 0, 2), None),
        ({"usage": {"input_tokens": -1, "output_tokens": 2}}, None, "usage line not read: a count of tokens"),
        ({"usage": {"input_tokens": 1}}, None, "usage line not read: Object missing required field `output_tokens`"),
        ({"other": 1}, None, None),
    ],
)
def test_usage_is_a_json_line_on_stderr(tmp_path, line, usage, detail):
    code = f"import sys; sys.stderr.write('working\\n' + {json.dumps(line)!r} + '\\nbye\\n'); print('handoff')"
    ran = run(code, tmp_path)
    assert (ran.text, ran.outcome, ran.usage) == ("handoff\n", "handoff", usage)
    assert ran.detail is None if detail is None else ran.detail.startswith(detail)


FAILS = """
import sys
sys.stderr.write("first\\n\\x1b[31mno model\\x1b[0m\\n")
sys.stderr.write('{"usage": {"input_tokens": 5, "output_tokens": 0}}\\n')
sys.exit(7)
"""


def test_a_program_that_fails_is_an_attempt_with_its_last_words(tmp_path):
    ran = run(FAILS, tmp_path)
    assert (ran.text, ran.outcome) == ("", "api-error")
    assert ran.detail == r"exit status 7: \x1b[31mno model\x1b[0m"  # escape codes reach no terminal
    assert ran.usage == Usage(5, 0)  # failed work is paid work


@pytest.mark.parametrize(
    ("code", "detail"),
    [
        ("import sys; sys.exit(1)", "exit status 1: it said nothing on stderr"),
        ("import os; os.kill(os.getpid(), 9)", "killed by signal 9: it said nothing on stderr"),
        ("import sys; sys.stderr.write('x' * 9000); sys.exit(1)", "exit status 1: " + "x" * 284 + "…"),
    ],
)
def test_how_it_failed_is_told_and_clipped(tmp_path, code, detail):
    assert run(code, tmp_path).detail == detail


def test_a_program_that_cannot_start_is_told(tmp_path):
    ran = run_command(CommandSpec(("no-such-program-here",)), SESSION, tmp_path, {})
    assert (ran.outcome, ran.detail) == ("api-error", "'no-such-program-here' cannot start: No such file or directory")


@pytest.mark.parametrize("code", ["", "print(' ')"])
def test_a_program_that_prints_nothing_gave_an_empty_reply(tmp_path, code):
    ran = run(code, tmp_path)
    assert (ran.text, ran.outcome) == ("", "empty-reply")


def test_bytes_that_are_no_utf8_are_replaced_and_told(tmp_path):
    ran = run(r"import sys; sys.stdout.buffer.write(b'caf\xe9 ok')", tmp_path)
    assert (ran.text, ran.outcome) == ("caf� ok", "handoff")
    assert ran.detail == "its output was not all UTF-8; bad bytes stand as U+FFFD"
    assert run(r"import sys; sys.stdout.buffer.write('caf\ufffd'.encode())", tmp_path).detail is None


def test_a_key_reaches_the_program_and_nothing_that_is_kept(tmp_path):
    env = {"ANTHROPIC_API_KEY": CANARY_KEY, "SHORT_TOKEN": "ab"}
    said = run("import os; print('absent' if 'ANTHROPIC_API_KEY' not in os.environ else 'there')", tmp_path, env=env)
    assert said.text == "there\n"
    printed = run("import os; print('key', os.environ['ANTHROPIC_API_KEY'])", tmp_path, env=env)
    assert printed.text == f"key {STRUCK}\n"
    failed = run("import os, sys; sys.exit('bad key ' + os.environ['ANTHROPIC_API_KEY'])", tmp_path, env=env)
    assert failed.detail == f"exit status 1: bad key {STRUCK}"


CHILD = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open("pids", "w").write(f"{os.getpid()} {child.pid}")
sys.stderr.write('{"usage": {"input_tokens": 5, "output_tokens": 1}}\\n'); sys.stderr.flush()
time.sleep(60)
"""


def alive(pid):
    """Whether the process runs; one that is dead and not yet reaped does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def gone(pids):
    """Whether all of them have ended, within five seconds."""
    until = time.monotonic() + 5
    while any(map(alive, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(map(alive, pids))


def test_a_program_over_its_time_is_killed_with_all_it_started(tmp_path):
    began = time.monotonic()
    ran = run(CHILD, tmp_path, timeout_s=2.0)
    assert time.monotonic() - began < 20
    assert (ran.text, ran.outcome, ran.detail) == ("", "timeout", "no end after 2 s; killed")
    assert ran.usage == Usage(5, 1)
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    assert gone(pids)


def test_an_interrupt_leaves_no_program_running(tmp_path, monkeypatch):
    started = []

    def interrupted(process, *_args, **_options):
        started.append(process.pid)
        raise KeyboardInterrupt

    monkeypatch.setattr("subprocess.Popen.communicate", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run("import time; time.sleep(60)", tmp_path)
    assert gone(started)


def test_a_program_that_is_to_stop_is_killed_in_the_middle(tmp_path):
    spec = CommandSpec((sys.executable, "-c", "import time; time.sleep(60)"), timeout_s=60)
    ran = run_command(spec, SESSION, tmp_path, {}, stopped=lambda: True)
    assert (ran.outcome, ran.detail) == ("aborted", "interrupted; killed")
