"""Who and where, as a text gives it away: home folders, users, hosts, e-mail addresses, remotes, IP addresses."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from typing import Literal

Kind = Literal["user", "host", "owner", "repository"]

END = r"(?![A-Za-z0-9])"
"""Where a name ends that stands whole."""
_SLASH = r"(?:[\\/]{1,4}|%2F|%5C)"
_BEFORE = (
    r"(?:(?<![\w./~%\\-])|(?<=\\[nrt])|(?<=\s-[A-Z])|file:///?|file%3A%2F%2F|wsl(?:\$|\.localhost|\+)[\\/]{0,4}[\w.+-]+"
    r"|/(?:export|var|mnt(?:/[a-z])?|host|host_mnt|run/host|private|System/Volumes/Data))"
)
"""What stands before a path from the root: `src/home/Page.tsx` and an address's `/users/login` tell of nobody."""
HOME = re.compile(
    rf"(?:{_BEFORE}{_SLASH}(?:home|Users|run{_SLASH}media)|(?<![A-Za-z])[A-Za-z](?::|%3A){_SLASH}"
    rf"(?:[Uu]sers|Documents(?: |%20)and(?: |%20)Settings)|{_BEFORE}/[a-z]/Users){_SLASH}"
    r"(?P<user>[\w.](?:[\w.-]|%20)*(?<![.-])(?: [A-Z][\w.-]*(?=[\\/]))?)"
)
"""A home folder of Linux, macOS or Windows (its separators escaped once or twice, or as an address writes them), and
where a desktop mounts what its user plugs in."""
MANGLED = re.compile(r"(?<![\w-])-(?:home|Users|mnt-[a-z]-Users)-(?P<user>[A-Za-z0-9_]+)(?=-)")
"""A home folder in the name of a project folder of Claude Code."""
EMAIL = re.compile(
    r"(?P<local>(?<![\w.+%/-])[A-Za-z0-9_][\w.+%-]{0,63})@(?P<domain>(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24})(?![\w-]|\.\w)"
)
_NO_DOMAIN = re.compile(
    r"(?i)\.(?:png|jpe?g|gif|svg|webp|pdf|tsx?|jsx?|mjs|json|css|html?|ya?ml|toml|md|txt|whl|tgz|lock|service)$"
)
"""Endings of files: `icon@2x.png` is no address."""
_NOBODY = re.compile(
    r"(?i)^(?:no-?reply|donotreply|git|example|user|test|foo|bar)@|@(?:[\w.-]*\.)?(?:example|test)\.(?:com|org|net)$|\.(?:test|example|invalid)$"
    r""
)
"""Addresses of nobody: reserved domains, senders that take no mail."""
AUTHOR = re.compile(r"(?m)(?:^|\\n|: )\s*(?P<user>[^\W\d_][\w.'’-]+(?: [^\W\d_][\w.'’-]*){1,3}) <[\w.+%-]+@[\w.-]+>")
"""A person's name as git prints it, before the address."""
_PERSON = r"[^\W\d_][\w.'’-]+(?: [^\W\d_][\w.'’-]*){0,3}"
GIT_NAME = re.compile(
    rf"\[user\]\s{{1,9}}(?:\w+ ?= ?[^\n]*\n\s*)?name ?= ?(?P<user>{_PERSON})"
    rf"|\buser\.name(?: |=)\\?[\"'](?P<quoted>{_PERSON})\\?[\"']"
    r"|\buser\.name=(?P<listed>[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]*){1,3})"
    rf"|\bGIT_(?:AUTHOR|COMMITTER)_NAME=\\?[\"']?(?P<exported>{_PERSON})"
)
"""A person's name as git is told it."""
SSH_CONFIG = re.compile(
    r"(?m)^Host [^\n]+\n(?:[ \t]+(?!HostName|User )\w+[^\n]*\n)*(?:[ \t]+HostName (?P<host>[A-Za-z][\w.-]*)\s*?\n?)?"
    r"(?:[ \t]+(?!User )\w+[^\n]*\n)*(?:[ \t]+User (?P<user>[A-Za-z_][\w.-]*))?"
)
"""A host of a configuration of ssh."""
PROMPT = re.compile(
    r"(?m)(?:^|\\n|\()(?:\(\w+\) ?)?(?P<user>[a-z_][\w.-]*)@(?P<host>[A-Za-z][\w.-]*)"
    r"(?=:[~/]|[: ](?:~|/|\w)[^\n]{0,60}[$#%❯](?: |$))"
)
"""A shell's prompt."""
SSH = re.compile(r"\b(?:ssh|scp|rsync|sftp|mosh)\s[^\n|;&]{0,120}?\b(?P<user>[a-z_][\w.-]*)@(?P<host>[A-Za-z][\w.-]*)")
UNAME = re.compile(r"\b(?:Linux|Darwin) (?P<host>[A-Za-z][\w.-]*) \d+\.\d+")
SET = re.compile(
    r"\b(?:HOST(?:NAME)?|COMPUTERNAME)=(?P<host>[A-Za-z][\w.-]+)|\b(?:USER|LOGNAME|USERNAME|SUDO_USER)=(?P<user>[A-Za-z_][\w.-]+)"
)
MAC = re.compile(r"\b(?P<host>[\w-]*(?:MacBook|iMac|Mac-mini|Mac-Studio)[\w-]*-?[\w-]*)(?:\.local)?\b")
LISTED = re.compile(
    r"(?m)(?:^|\\n)\s*[-dlcbps][r-][w-][xsS-][r-][w-][xsS-][r-][w-][xtT-][@+.]?\s+\d+\s+(?P<user>[A-Za-z_][\w.-]*)\s+(?:(?P<group>[A-Za-z_][\w.-]*)\s+)?[\d,.]+[KMGT]?\s"
)
"""A line of `ls -l`."""
_FORGE = r"(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|git\.sr\.ht)"
REMOTE = re.compile(
    rf"(?:(?:https?|ssh|git)://(?:[\w.-]+@)?(?P<host>[\w.-]+)(?::\d+)?/|git@(?P<scp>[\w.-]+):)"
    rf"(?P<owner>~?[\w.-]+(?:/[\w.-]+)*?)/(?P<repository>[\w.-]+?)\.git{END}"
    rf"|(?:^|\\n|\n|remote |origin|upstream|To |From |clone )\s*(?:\\t)?\s*(?:https?://|git@|ssh://git@)?{_FORGE}[/:](?P<owner2>[\w.-]+)/(?P<repository2>[\w-][\w.-]*?)(?:\.git)?(?=[\s\"'\\(]|$)"
)
"""A remote of git: an address that ends in .git, or one of a forge where git names its remotes."""
IPV4 = re.compile(r"(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)")
IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{1,4}:|::)[0-9A-Fa-f:]{2,38}(?![\w:])")
_VERSION_BEFORE = re.compile(r"(?i)(?:v|version|ver|release|==?|@|chrome/|safari/|firefox/)\s?[\"']?$")
_DOCUMENTED = tuple(
    map(ipaddress.ip_network, ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "198.18.0.0/15", "2001:db8::/32"))
)
_PUBLIC_NAMES = frozenset(("8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9", "169.254.169.254"))
"""Name servers and the metadata address of clouds: they tell of nobody."""

CONTEXTS = (HOME, MANGLED, AUTHOR, GIT_NAME, PROMPT, SSH, SSH_CONFIG, UNAME, SET, MAC, LISTED)
"""Where accounts and hosts are named."""
USERS = ("user", "group", "quoted", "listed", "exported")
"""Groups of these patterns that hold an account or a person."""

SHORTEST_BARE = 4
"""Letters of a name that is replaced wherever it stands as a word; a shorter one only where it is known for a name."""
_SERVICE_WORDS = """
    root user users username admin administrator ubuntu debian fedora centos alpine runner vscode codespace codespaces
    node app appuser www www-data nobody daemon guest default public shared docker git jenkins circleci travis vagrant
    ec2-user azureuser opc pi postgres mysql redis nginx apache build builder ci test tester testuser dev developer code
    coder deploy deployer service system local localhost home linuxbrew sandbox workspace workspaces project you me name
    your-username yourname yourusername your-name your_username my myuser someone somebody example staff wheel sudo
    everyone none all-users github-actions dependabot renovate
    agent claude codex openhands swe gemini copilot host hostname server container kali arch
    linux macos windows .. . ... foo bar baz"""
_SERVICE_NAMES = frozenset(
    (
        *_SERVICE_WORDS.split(),
        "claude code",
        "your name",
        "first last",
        "github actions",
        "john doe",
        "jane doe",
        "test user",
    )
)
"""Accounts that tell of nobody; their folders stay as they are."""
_HOSTS_OF_ALL = re.compile(
    r"(?i)^(?:localhost|(?:[\w-]+\.)*(?:github\.com|gitlab\.com|bitbucket\.org|codeberg\.org|sr\.ht|gitee\.com|huggingface\.co"
    r"|googlesource\.com|kernel\.org|gnu\.org|debian\.org|apache\.org|freedesktop\.org|gnome\.org|kde\.org|sourceforge\.net"
    r"|visualstudio\.com|azure\.com|gitea\.com|notabug\.org|example\.(?:com|org|net))|host\.docker\.internal)$"
)
PLACEHOLDER = re.compile(r"(?i)(?:user|host|owner|repository)\d+$")
_ORDINARY_WORDS = """
    will mark grant chase page bill jack dean drew rich rose grace hope faith frank guy art gene ray rob pat sue june
    april august miles stone wood black white brown green gray king queen prince hunter mason carter cooper baker cook
    fisher miller smith taylor turner walker young long short small power gold silver west north east south lane field
    hill brook rivers lake ford bond cash price star sky sunny happy lucky master data main work demo temp login session
    python rust java ruby swift crystal perl julia django flask spring react angular docs source files file dashboard
    settings profile index header footer pages page views view about contact search account accounts login logout
    register details edit list create images assets static"""
_ORDINARY = frozenset(_ORDINARY_WORDS.split())
"""Names that are words too: replaced in paths and addresses only."""


def names_in(text: str) -> Iterator[tuple[Kind, str]]:
    """Each name of a person's account, a machine, an owner or a repository that the text gives away."""
    for pattern in CONTEXTS:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            for user in map(groups.get, USERS):
                if user and is_somebody(user):
                    yield "user", user
            if (host := groups.get("host")) and is_some_host(host):
                yield "host", host
    for match in REMOTE.finditer(text):
        if (host := match["host"] or match["scp"]) and is_some_host(host) and not host.replace(".", "").isdigit():
            yield "host", host
        owner, repository = match["owner"] or match["owner2"], match["repository"] or match["repository2"]
        if owner.casefold() in _SERVICE_NAMES:
            continue
        if not PLACEHOLDER.match(owner):
            yield "owner", owner
        if not PLACEHOLDER.match(repository):
            yield "repository", f"{owner}/{repository}"


def is_somebody(user: str) -> bool:
    """Whether an account's name tells of a person."""
    return (
        user.casefold() not in _SERVICE_NAMES and not PLACEHOLDER.match(user) and not user.isdigit() and len(user) > 1
    )


def is_some_host(host: str) -> bool:
    """Whether a machine's name tells of somebody."""
    return (
        not _HOSTS_OF_ALL.match(host)
        and host.casefold() not in _SERVICE_NAMES
        and not PLACEHOLDER.match(host)
        and len(host) > 1
    )


def stands_alone(name: str) -> bool:
    """Whether a name is replaced as a bare word, too: long enough, and no word of the language."""
    return len(name) >= SHORTEST_BARE and name.casefold() not in _ORDINARY


def is_address(local: str, domain: str) -> bool:
    """Whether `local@domain` is a person's e-mail address."""
    return not _NO_DOMAIN.search(domain) and not _NOBODY.search(f"{local}@{domain}")


def is_telling_ip(found: re.Match[str]) -> bool:
    """Whether an IP address tells of a place: no loopback, example, mask or version."""
    try:
        address = ipaddress.ip_address(found[0])
    except ValueError:
        return False
    if found[0] in _PUBLIC_NAMES or address.is_loopback or address.is_unspecified or address.is_multicast:
        return False
    if any(address in network for network in _DOCUMENTED if network.version == address.version):
        return False
    if isinstance(address, ipaddress.IPv6Address):
        groups = [g for g in found[0].split(":") if g]
        return len(groups) >= 3 and any(c.isdigit() for c in found[0]) and max(map(len, groups)) >= 3
    before = found.string[max(found.start() - 12, 0) : found.start()]
    first, *_, last = map(int, found[0].split("."))
    return (
        first > 1
        and first < 240
        and not _VERSION_BEFORE.search(before)
        and (last != 0 or found.string[found.end() : found.end() + 1] == "/")
    )
