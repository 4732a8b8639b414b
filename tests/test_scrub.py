"""Scrubbing: planted canaries are gone wherever they stood, the same for the same, and what is no secret stays."""

import json
import random
import string
from pathlib import Path

import pytest
from claude_sessions import jsonl, user
from fixture_files import write_fixture
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions import call, says, summary, transcript
from sessions import user as typed

from bench.checks import check_fixture
from bench.cli import main
from bench.scrubbing import report_csv, scrub, secrets_in, totals
from bench.transcripts import read
from bench.transcripts.model import Compaction, Image, Message, Text, ToolResult
from bench.transcripts.write import to_jsonl

letters = random.Random(7)


def drawn(n: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """A run that looks drawn; made here, so that no file of the tree holds anything shaped like a key."""
    return "".join(letters.choice(alphabet) for _ in range(n))


HEX = "0123456789abcdef"
CANARIES = {
    "anthropic-key": "sk-" + "ant-api03-" + drawn(80),
    "openai-key": "sk-" + "proj-" + drawn(60),
    "api-key": "sk-" + drawn(48),
    "aws-key": "AKIA" + drawn(16, string.ascii_uppercase + string.digits),
    "github-token": "ghp" + "_" + drawn(36),
    "gitlab-token": "glpat" + "-" + drawn(20),
    "google-key": "AIza" + drawn(35),
    "huggingface-token": "hf" + "_" + drawn(34),
    "npm-token": "npm" + "_" + drawn(36),
    "slack-token": "xoxb" + "-123456789012-123456789012-" + drawn(24),
    "stripe-key": "sk" + "_live_" + drawn(24),
    "sendgrid-key": "SG" + "." + drawn(22) + "." + drawn(43),
    "jwt": "eyJ" + drawn(20) + "." + "eyJ" + drawn(40) + "." + drawn(43),
    "private-key": "-----BEGIN RSA " + "PRIVATE KEY-----\n" + drawn(64) + "\n" + drawn(30)
    + "\n-----END RSA PRIVATE KEY-----",
}  # fmt: skip
AROUND = ("{}", "export KEY={}", '{{"key": "{}"}}', "the key is {}, keep it", "a\n{}\nb", "https://x.io/?k={}&v=1")


@pytest.mark.parametrize("kind", CANARIES)
@pytest.mark.parametrize("around", AROUND)
def test_a_key_is_found_whatever_stands_around_it(kind, around):
    text = around.format(CANARIES[kind])
    found = secrets_in(text)
    assert [(s.kind, s.value, text[s.start :].startswith(s.value)) for s in found] == [(kind, CANARIES[kind], True)]


@pytest.mark.parametrize("kind", [k for k in CANARIES if k != "private-key"])
def test_the_n_of_an_escaped_line_break_hides_no_key(kind):
    assert [s.value for s in secrets_in("x\\n" + CANARIES[kind] + "\\ny")] == [CANARIES[kind]]


PASSWORD = "hu" + "nter2-Q7x9"


@pytest.mark.parametrize(
    "text",
    [
        'password = "{}"', "DB_PASSWORD={}", '"apiKey": "{}"', "client_secret: {}", "--password={}",
        "postgres://app:{}@db:5432/x", 'auth_token => "{}"', '{{\\"secret\\": \\"{}\\"}}', "pwd='{}'",
    ],
)  # fmt: skip
def test_a_value_with_a_telling_name_is_a_secret(text):
    assert [s.value for s in secrets_in(text.format(PASSWORD))] == [PASSWORD]


@pytest.mark.parametrize(
    "text",
    [
        "commit 3f9c2b7a1d8e4f60b5c9a7d2e1f8034b6c5d9e7a",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "550e8400-e29b-41d4-a716-446655440000",
        "toolu_01A09q90qw90lq917835lq9",
        '"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg"',
        "data:image/png;base64," + "iVBORw0KGgoAAAANSUhEUgAAAAUA" * 20,
        'password = os.environ["DB_PASSWORD"]', "token = next_page_token2", "const token = await getToken();",
        'API_KEY="your-api-key-here1"', "password: ${DB_PASSWORD1}", "max_tokens: 8192", 'token: "sk-ant-oat01-..."',
        "secret: config.secret.v2", "password: string", "the token bucket holds 100 tokens", "keyboard: us-qwerty-105",
        "AKIAIOSFODNN7EXAMPLE", "GET https://host:8080/a@b", "redacted-github-token-1",
        "password = redacted-password-3", "tokenizer = gpt2-large-v1",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_secret_stays(text):
    assert secrets_in(text) == []
    assert scrub(transcript(typed(text))).transcript.messages[0].text == text


def everywhere(text: str):
    """A session that holds `text` in every kind of place."""
    message = Message(role="user", author="tool", blocks=(ToolResult("t1", (Text(f"out {text} end"),)),))
    session = transcript(
        typed(f"please use {text} now"), says(f"I use {text} then"),
        call("t1", "Bash", command=f"run '{text}'", env={text: 1}), message, summary(f"so far {text} was used"),
        compactions=[Compaction(at=4, summary=f"so far {text} was used", summary_at=4)],
    )  # fmt: skip
    import msgspec

    tools = json.dumps([{"name": "X", "description": f"d {text} d", "input_schema": {}}])
    return msgspec.structs.replace(session, system=f"Be brief. {text} is it", tools_json=tools, cwd=f"/srv/{text}")


@pytest.mark.parametrize("kind", CANARIES)
def test_a_planted_canary_is_gone_from_texts_inputs_results_system_prompt_tools_and_summaries(kind):
    done = scrub(everywhere(CANARIES[kind]), {"stock": f"it was {CANARIES[kind]} then"})
    after = done.transcript
    written = [
        to_jsonl(after),
        after.system,
        after.tools_json,
        after.cwd,
        after.compactions[0].summary,
        *done.beside.values(),
    ]
    place = f"redacted-{kind}-1"
    assert [place in text for text in written] == [True] * len(written)
    marks = (CANARIES[kind], CANARIES[kind][-12:], json.dumps(CANARIES[kind])[1:-1])
    assert [mark for mark in marks for text in written if mark in text] == []
    assert {(r.where, r.kind) for r in done.replaced} == {
        (where, kind) for where in (0, 1, 2, 3, 4, "system", "tools", "summary", "folder", "stock")
    }  # fmt: skip
    assert CANARIES[kind] not in report_csv(done.replaced)


def scrubbed(*texts: str) -> list[str]:
    return [m.text for m in scrub(transcript(*map(typed, texts))).transcript.messages]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("cd /home/marigold/api", "cd /home/user1/api"),
        ("/Users/marigold/.zshrc and marigold's", "/Users/user1/.zshrc and user1's"),
        ("C:\\Users\\Mari Gold\\api", "C:\\Users\\user1\\api"),
        ("/mnt/c/Users/marigold/x", "/mnt/c/Users/user1/x"),
        ('"C:\\\\Users\\\\marigold\\\\x"', '"C:\\\\Users\\\\user1\\\\x"'),
        ("projects/-home-marigold-api/", "projects/-home-user1-api/"),
        ("/home/will/x; it will work", "/home/user1/x; it will work"),
        ("/home/ubuntu/x, /home/user/y", "/home/ubuntu/x, /home/user/y"),
        ("marigold@thinkpad:~/api$ ls", "user1@host1:~/api$ ls"),
        ("Linux thinkpad 6.1.0 x86_64", "Linux host1 6.1.0 x86_64"),
        ("-rw-r--r--  1 marigold staff 12 May 1 a", "-rw-r--r--  1 user1 staff 12 May 1 a"),
        ("mail me@marigold.dev", "mail user1@example.com"),
        ("Author: Mari Gold <mari@gold.dev>", "Author: user2 <user1@example.com>"),
        ("Co-Authored-By: Claude <noreply@anthropic.com>", "Co-Authored-By: Claude <noreply@anthropic.com>"),
        ("icon@2x.png, lodash@4.17.21, @app.route", "icon@2x.png, lodash@4.17.21, @app.route"),
        ("origin\tgit@github.com:marigold/api.git (push)", "origin\tgit@github.com:owner1/repository1.git (push)"),
        ("git clone https://gitlab.com/acme/shop.git", "git clone https://gitlab.com/owner1/repository1.git"),
        ("see https://github.com/facebook/react/issues/1", "see https://github.com/facebook/react/issues/1"),
        ("curl 10.20.30.40:80 and 127.0.0.1", "curl 192.0.2.1:80 and 127.0.0.1"),
        ("v1.2.3.4, version 10.2.3.4, 255.255.255.0, 8.8.8.8", "v1.2.3.4, version 10.2.3.4, 255.255.255.0, 8.8.8.8"),
        ("fe80::1c2d:3eff:fe45:6789 and ::1, std::dead::beef", "2001:db8::1 and ::1, std::dead::beef"),
        ("at 12:34:56 in a::b::c", "at 12:34:56 in a::b::c"),
    ],
)  # fmt: skip
def test_people_and_places_get_placeholders_that_keep_their_shape(before, after):
    assert scrubbed(before) == [after]


def test_the_same_value_gets_the_same_placeholder_wherever_it_stands():
    mails = "marigold@firm.io, x@corp.io, jonquil@firm.io"
    assert scrubbed("/home/marigold/a", "Marigold and /home/jonquil/b", mails) == [
        "/home/user1/a", "user1 and /home/user2/b", "user1@example.com, user3@mail2.example.com, user2@example.com",
    ]  # fmt: skip


def test_a_password_known_from_one_place_is_taken_out_of_the_others():
    assert scrubbed(f"it said {PASSWORD} there", f"DB_PASSWORD={PASSWORD}") == [
        "it said redacted-password-1 there", "DB_PASSWORD=redacted-password-1",
    ]  # fmt: skip


def test_a_placeholder_that_the_session_holds_is_given_to_nobody_else():
    assert scrubbed("/home/user1/x", "/home/marigold/y") == ["/home/user1/x", "/home/user2/y"]


def test_images_ids_and_untouched_json_stay_as_they_were():
    image = Message(role="user", author="person", blocks=(Image("image/png", "sk-" + drawn(48)),))
    session = transcript(image, call("t1", "Bash", n=1.0, big=2**70, text="ä\u2028"))
    assert scrub(session).transcript == session


def test_totals_count_over_all_places():
    assert totals(scrub(transcript(typed("/home/marigold /home/marigold"), says("marigold"))).replaced) == {"user": 3}


pieces = st.sampled_from([
    *CANARIES.values(), f"password='{PASSWORD}'", "/home/marigold/", "marigold", "a@b.io", "10.1.2.3",
    "git clone git@h.io:o/r.git",
    "user1", "host2", "192.0.2.1", '"', "\\n", "\n", " ", "=", "token:", "x", "é",
])  # fmt: skip


@given(st.lists(st.lists(pieces, max_size=6).map("".join), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_what_is_scrubbed_holds_nothing_that_the_detector_finds(texts):
    once = scrub(transcript(*map(typed, texts))).transcript
    assert [s for m in once.messages for s in secrets_in(m.text)] == []


# --- bench import and bench check -------------------------------------------------------------------------------------


@pytest.fixture
def session(tmp_path) -> Path:
    path = tmp_path / "marigold.jsonl"
    key = CANARIES["github-token"]
    path.write_text(jsonl(user("u1", None, f"Never push with {key} from /home/marigold/api, use the deploy key.")))
    return path


def test_import_scrubs_by_default_and_reports_where_but_not_what(session, tmp_path, capsys):
    assert main(["import", str(session), "--to", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert "replaced: " in out and "1 github-token" in out
    folder = tmp_path / "user1"
    assert (folder / "scrubbed.csv").read_text() == "where,kind,count\n0,github-token,1\n0,user,1\nfile name,user,1\n"
    for path in [p for p in folder.rglob("*") if p.is_file()]:
        assert "marigold" not in path.read_text() and CANARIES["github-token"] not in path.read_text(), path
    assert CANARIES["github-token"] not in out + err
    assert check_fixture(folder) == []


def test_no_scrub_leaves_all_and_says_so_and_check_then_refuses_the_fixture(session, tmp_path, capsys):
    assert main(["import", str(session), "--to", str(tmp_path), "--name", "raw", "--no-scrub"]) == 0
    assert "nothing was scrubbed" in capsys.readouterr().err
    folder = tmp_path / "raw"
    assert CANARIES["github-token"] in read(folder / "transcript.jsonl").messages[0].text
    assert not (folder / "scrubbed.csv").exists()
    assert main(["check", str(folder)]) == 2
    err = capsys.readouterr().err
    assert "transcript.jsonl:1: holds what looks like a secret (github-token)" in err
    assert CANARIES["github-token"] not in err


@pytest.mark.parametrize("name", ["system.md", "replays/stock.md", "tools.json", ".env", "notes/by-hand.yaml"])
def test_check_searches_every_file_of_the_fixture(tmp_path, name):
    folder = write_fixture(tmp_path / "small")
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(f"first line\n\nkey: {CANARIES['anthropic-key']}\n")
    told = [(p.path, p.line) for p in check_fixture(folder) if "secret" in p.message]
    assert told == [(str(folder / name), 3)]


@pytest.mark.shared
def test_real_sessions_scrub_once_and_for_all(shared):
    for name in ("claude-code/cc-cctrace-main.jsonl", "codex/codex-unanswered-calls.jsonl"):
        once = scrub(read(shared / "transcripts" / name))
        assert once.replaced
        assert scrub(once.transcript).replaced == ()
