"""Scrubbing: the shapes of many vendors, secrets that only their place gives away, and words that are none."""

import base64
import random
import re
import string

import pytest
from sessions import call, transcript
from sessions import user as typed

from bench.scrubbing import scrub, secrets_in
from bench.scrubbing.sieve import Sieved, found
from bench.transcripts.model import Message, Text, ToolResult

letters = random.Random(11)
MIXED = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


def drawn(n: int, alphabet: str = MIXED) -> str:
    """A run that looks drawn; made here, so that no file of the tree holds anything shaped like a key."""
    return "".join(letters.choice(alphabet) for _ in range(n))


def base64_of(n: int) -> str:
    return base64.b64encode(letters.randbytes(n)).decode()


PRIVATE = "-----BEGIN {} KEY-----\n".format("EC PRIVATE") + base64_of(120)
SHAPED = [
    "dckr" + "_pat_" + drawn(27), "hv" + "s." + drawn(90), drawn(14) + ".atlas" + "v1." + drawn(67),
    "dp" + ".pt." + drawn(43), "fo" + "1_" + drawn(43), "fm" + "2_" + base64_of(60), "nf" + "p_" + drawn(36),
    "HRKU" + "-" + drawn(58), "pscale" + "_pw_" + drawn(43), "NRAK" + "-" + drawn(27),
    "glsa" + "_" + drawn(32) + "_" + drawn(8, HEX),
    "glc" + "_" + base64_of(60), "sq0" + "atp-" + drawn(22), "EAAA" + drawn(60), "secret" + "_" + drawn(43),
    "figd" + "_" + drawn(40), "pat" + drawn(14) + "." + drawn(64, HEX), "1/7532331719" + "257824:" + drawn(32, HEX),
    "ATATT3" + drawn(170), "ATBB" + drawn(32), "fw" + "_3" + drawn(23),
    "lsv2" + "_pt_" + drawn(32, HEX) + "_" + drawn(10, HEX),
    "pcsk" + "_" + drawn(70), "csk" + "-" + drawn(48), "nvapi" + "-" + drawn(64), "sk" + "_" + drawn(48, HEX),
    "key" + "-" + drawn(32, HEX), "1//" + "0" + drawn(60), "api" + "_org_" + drawn(34), "q0~" + "8Q~" + drawn(34),
    base64.b64encode(PRIVATE.encode()).decode(),
]  # fmt: skip


@pytest.mark.parametrize("key", SHAPED, ids=lambda key: key[:6])
def test_a_vendors_key_is_known_by_its_shape_alone(key):
    assert [s.value for s in secrets_in(f"value: {key}\nnext")] == [key]


PASSWORD = "zq9" + "xK22pw"
TOKEN = "Dxt3so" + "MxgqWvbiOKkWD"
BASIC = base64.b64encode(f"bob:{PASSWORD}".encode()).decode()


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("curl -u maria:{} https://api.corp/x", PASSWORD),
        ("curl -s --user 'maria:{}' https://x", PASSWORD),
        ("mysql -uroot -p{} shop", PASSWORD),
        ("sshpass -p {} ssh h", PASSWORD),
        ("docker login -u me -p {} reg.io", PASSWORD),
        ("redis-cli -h db -a {} ping", PASSWORD),
        ("machine api.x.io login bob password {}", PASSWORD),
        ("redis://:{}@h:6379", "abc" + "123"),
        ("postgres://app:{}@db/x", "kang" + "aroo"),
        ("ADMIN_PASSWORD='{}'", "correct-horse" + "-battery"),
        ("export DB_SECRET={}\n", "tulip-mania" + "-1637"),
        ("Authorization: Basic {}", BASIC),
        ("Authorization: SSWS {}", "00" + drawn(40)),
        ("-H 'Authorization: token {}'", drawn(30)),
        ("Cookie: theme=dark; sessionid={}; lang=en", drawn(32)),
        ("GET https://maps.io/j?lang=en&key={}", "7f" + drawn(22)),
        ("https://a.blob.core.windows.net/c?se=2025&sig={}", "x1" + drawn(40) + "%3D"),
        ("deploy --token {} --now", TOKEN),
        ("deploy --api-key={}", TOKEN),
        ("https://{}@o12.ingest.sentry.io/678", "a1" + drawn(30, HEX)),
        ("export AWS_SESSION_TOKEN={}", base64_of(300)),
    ],
)  # fmt: skip
def test_a_secret_is_known_by_its_place(text, secret):
    assert [s.value for s in secrets_in(text.format(secret))] == [secret]


@pytest.mark.parametrize(
    "text",
    [
        "postgres://postgres:postgres@localhost:5432/app", "mysql://root:password@db/x", "amqp://app:app@mq",
        "git push https://x-access-token:${TOKEN}@github.com/a/b", "docker run -p 8080:80 x", "ssh -p 2222 host9",
        "mysqldump -u root -ppassword db", "--secret my-secret-name1", "sort --key some-very-long-key-name2",
        "basic authentication9", "the login form has a password field9x", "CSRF_TOKEN = getTokenValue",
        "MAX_TOKEN=12345678",
        "fw_cfg_add_file_from_host", "secret_manager_client_v1beta1_projects_secrets", "hvs.example", "NR==1{print}",
        "NEXTAUTH_SECRET=change_me_please_now", "API_TOKEN=tokenFromHeader", "curl -u admin:admin http://x",
        "see rsync://mirror.example.org:873/x and user@host",
    ],
)  # fmt: skip
def test_a_setups_password_and_a_name_of_code_stay(text):
    assert secrets_in(text) == []


def scrubbed(*texts: str) -> list[str]:
    return [m.text for m in scrub(transcript(*map(typed, texts))).transcript.messages]


def test_a_short_password_takes_no_part_of_a_word_with_it():
    url = "postgres://app:{}@db/x".format("kang" + "aroo")
    assert scrubbed(url, "kangaroos, kangaroo!") == [
        "postgres://app:redacted-password-1@db/x", "kangaroos, redacted-password-1!",
    ]  # fmt: skip
    assert scrubbed(f"mysql -p{PASSWORD} x", f"and {PASSWORD}") == [
        "mysql -predacted-password-1 x", "and redacted-password-1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("GET /api/users/profile, src/components/home/Header.tsx, https://x.io/home/page", None),
        ("/home/marigold. Then /home/marigold/x", "/home/user1. Then /home/user1/x"),
        ("cc -I/home/marigold/inc", "cc -I/home/user1/inc"),
        ("/home/žofie/x", "/home/user1/x"),
        ("\\\\wsl$\\Ubuntu\\home\\marigold\\x", "\\\\wsl$\\Ubuntu\\home\\user1\\x"),
        ("file%3A%2F%2F%2Fhome%2Fmarigold%2Fa", "file%3A%2F%2F%2Fhome%2Fuser1%2Fa"),
        ("file:///C:/Users/marigold/a", "file:///C:/Users/user1/a"),
        ("C:/Documents and Settings/marigold/x", "C:/Documents and Settings/user1/x"),
        ('{"p":"\\/home\\/marigold\\/x"}', '{"p":"\\/home\\/user1\\/x"}'),
        ("[user]\n\tname = Mari Gold\n", "[user]\n\tname = user1\n"),
        ('git config user.name "Mari Gold"', 'git config user.name "user1"'),
        ("user.name = data.name; git config user.name && ls", None),
        ("Host b\n  HostName bastion.corp.net\n  User marigold\n", "Host b\n  HostName host1\n  User user1\n"),
        ("url = https://git.corp.net/team/api.git", "url = https://host1/owner1/repository1.git"),
    ],
)  # fmt: skip
def test_a_name_is_known_by_its_place_and_no_route_is_one(before, after):
    assert scrubbed(before) == [before if after is None else after]


def test_what_a_command_was_told_is_a_name_everywhere():
    told = [("t1", "whoami && pwd", "marigold\n/srv/app"), ("t2", "hostname", "thinkpad9"), ("t3", "cat x", "jonquil")]
    messages = [typed("ask marigold on thinkpad9, not jonquil")]
    for id_, command, out in told:
        messages += [call(id_, "Bash", command=command)]
        messages += [Message(role="user", author="tool", blocks=(ToolResult(id_, (Text(out),)),))]
    after = scrub(transcript(*messages)).transcript.messages
    assert [m.text for m in after if m.text and "command" not in m.text] == [
        "ask user1 on host1, not jonquil", "user1\n/srv/app", "host1", "jonquil",
    ]  # fmt: skip


def test_names_of_tools_and_models_hold_no_name_either():
    use = call("t1", "mcp__marigold__run", path="/home/marigold/x")
    answer = Message(role="assistant", author="assistant", blocks=use.blocks, model="/home/marigold/m.gguf")
    (after,) = scrub(transcript(answer)).transcript.messages
    assert (after.tool_uses[0].name, after.model) == ("mcp__user1__run", "/home/user1/m.gguf")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [(r"(?<![\w-])key-[a-f]{4}(?![)\w])", "a key-abcd)"), (r"(?i)(?:(?<=\\[nrt])|(?<=x))ab", "XAB"), (r"(a)\1", "aa")],
)
def test_a_sieve_lets_through_whatever_its_pattern_may_find(pattern, text):
    sieved = Sieved("kind", re.compile(pattern))
    assert sieved.may_stand_in(text.encode())


def test_a_sieve_holds_back_a_text_without_the_pattern():
    assert [m[0] for _, m in found([Sieved("kind", re.compile(r"(?<!\d)ab\d"))], "1ab1 ab2")] == ["ab2"]
    assert not Sieved("kind", re.compile(r"(?<!\d)ab\d")).may_stand_in(b"abc")
