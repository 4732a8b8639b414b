"""What a shell command writes, removes, shows and names, and whether it only looks."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.handoff.inline_script import effects_of
from bench.handoff.shell import mentioned_in, read_shell
from bench.handoff.shell_folder import placed
from bench.handoff.shell_texts import shown_by, texts_written
from bench.handoff.shell_words import commands_in

WRITES = [
    ("git status", []),
    ("echo x > out.txt", ["out.txt"]),
    ("echo x > Makefile", ["Makefile"]),  # a redirect goes into a file whatever it is called
    ("npm run dev >> notes/a.md 2>&1", ["notes/a.md"]),
    ("npm test > build.log; ls > /dev/null", []),  # a check's own log, the bit bucket
    ("echo x > $OUT; echo y > a*.txt", []),  # the shell would have rewritten both
    ("echo x >> ~/notes.md", ["~/notes.md"]),
    ("echo 'a > b.txt' && [ $a -gt 3 ] && echo \"c > d.txt\"", []),  # quoted
    ("(( a > b )) # > c.txt", []),  # arithmetic, a comment
    ("echo a \\\n  > b.txt", ["b.txt"]),  # the line goes on
    ("cat x | tee -a a/b.txt >/dev/null", ["a/b.txt"]),
    ("sed -i 's/a/b/' src/a.py lib/b.py", ["src/a.py", "lib/b.py"]),
    ("sed -i '' -e 's/a/b/' a.py", ["a.py"]),  # BSD
    ("sed -n 's/a/b/p' a.py", []),
    ("perl -pi -e 's/a/b/' a.pl", ["a.pl"]),
    ("mv a.py b/c.py", ["b/c.py"]),
    ("cp a.py b.py dir/", ["dir/a.py", "dir/b.py"]),
    ("sudo -u me timeout 5 cp a.py /etc/b.py", ["/etc/b.py"]),
    ("FOO=1 env A=2 touch new.py", ["new.py"]),
    ("if [ -f x ]; then echo y > z.py; fi", ["z.py"]),
    ('echo "$(date > stamp.txt)"', ["stamp.txt"]),
    ("cat <<'EOF' > a.md\nopen('x.py', 'w')\necho > y.py\nEOF", ["a.md"]),  # prose that goes into a file
    ("python3 - <<'EOF'\nopen('a.py', 'w').write('')\nEOF", ["a.py"]),
    ("python3 -c \"from pathlib import Path; Path('b/c.md').write_text('x')\"", ["b/c.md"]),
    ("python3 -c \"t = 'open(\\'no.py\\', \\'w\\')'\"", []),  # code inside a string of the script
    ("node -e \"fs.writeFileSync('o.json', x)\"", ["o.json"]),
    ("apply_patch <<'EOF'\n*** Update File: src/m.py\n*** End Patch\nEOF", ["src/m.py"]),
    ("curl -s -o out/x.tgz http://h/x", ["out/x.tgz"]),
]


@pytest.mark.parametrize(("command", "paths"), WRITES)
def test_the_files_a_command_writes(command, paths):
    assert list(read_shell(command).writes) == paths


LOOKS = [
    ("git -C /a status", True),
    ("git branch -v", True),
    ("git branch -D old", False),
    ("git tag -l 'v1*'", True),
    ("git tag v1", False),
    ("cat a.py | sort | head -3 2>/dev/null", True),
    ("sort -o a.txt a.txt", False),
    ("find . -name '*.py'", True),
    ("find . -name '*.pyc' -delete", False),
    ("sed -n '1,9p' a.py", True),
    ("sed -i 's/a/b/' a.py", False),
    ("gh pr view 3", True),
    ("gh pr merge 3", False),
    ("gh api repos/a/b/pulls -X POST -f a=b", False),
    ("# a word\nls \\\n  -la", True),
    ("n=$(ls | wc -l) && echo $n", True),
    ("n=$(rm a.py)", False),
    ("echo `rm a.py`", False),
    ("for f in *.py; do wc -l $f; done", True),
    ("xargs rm < names", False),
    ("ls > names.txt", False),
    ("npm test", False),
    ("python3 -c 'import json; print(json.load(open(\"a.json\")))'", True),
    ("python3 -c '\nimport os\nos.remove(\"a\")\n'", False),
    ("python3 script.py", False),
    ("", False),
]


@pytest.mark.parametrize(("command", "looks"), LOOKS)
def test_whether_a_command_only_looks(command, looks):
    assert read_shell(command).only_looks == looks


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("rm -rf build/ a.py", ["build", "a.py"]),
        ("mv a.py b.py", ["a.py"]),
        ("git mv a.py b.py && git rm c.py", ["a.py", "c.py"]),
        ("rm $X", []),
        ("rmdir", []),
    ],
)
def test_the_files_a_command_removes(command, paths):
    assert list(read_shell(command).removes) == paths


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("cat ./src/a.py --out=b/c.txt", ["src/a.py", "b/c.txt"]),
        ("grep -n 'x' lib/*.py ~/y.py $Z/q", []),
        ("python3 -c \"open('d.json')\"", ["d.json"]),
    ],
)
def test_the_words_a_command_names(command, words):
    assert list(mentioned_in(command)) == words


def test_the_lines_a_command_shows():
    shown = [shown_by(c) for c in ("cat a.py", "head -n 40 a.py", "sed -n '10,20p' a.py")]
    assert [(s.path, s.first) for s in shown] == [("a.py", 1), ("a.py", 1), ("a.py", 10)]
    for command in ("cat a.py b.py", "cat a.py | head", "cd x && cat a.py", "tail a.py", "cat $A", "cat -n a.py"):
        assert shown_by(command) is None, command


def test_the_files_a_heredoc_writes_whole():
    command = "mkdir -p d && cat > d/a.py <<'EOF'\nx = 1\nEOF\ncat >> b.py <<EOF\ny\nEOF\ncat > c.py <<EOF\n$y\nEOF"
    assert list(texts_written(command)) == [("d/a.py", "x = 1\n")]  # b is added to, c is put together by the shell


def test_what_a_script_that_does_not_parse_is_taken_for():
    broken = effects_of("print 'x'\nopen('a.py', 'w')", python=True)  # Python 2
    assert (broken.writes, broken.only_looks) == (("a.py",), False)
    assert effects_of("import sys\nsys.stdout.write('x')", python=True).only_looks


SHELLISH = st.text(alphabet="ab/.$(){}[]'\"`\\\n <>&|;#~*=-1EOF", max_size=50)


@settings(max_examples=150, deadline=None)
@given(SHELLISH)
def test_reading_a_command_never_raises(script):
    commands_in(script)
    reading = read_shell(script)
    assert not (reading.writes and reading.only_looks)
    mentioned_in(script)
    shown_by(script)
    list(texts_written(script))


@pytest.mark.parametrize("piece", ["$(", "`", "'", "<<E ", "(", "> ", "a=b ", "\\\n", "${", "((", "sudo -u "])
def test_a_hostile_command_costs_no_more_than_its_length(piece):
    started = time.process_time()
    read_shell(piece * 10_000)
    assert time.process_time() - started < 20  # CPU seconds: milliseconds if linear, minutes if not


@pytest.mark.parametrize(
    ("script", "start", "writes"),
    [
        ("cd /app/src && touch a.ts ../b.ts /etc/c", None, ["/app/src/a.ts", "/app/b.ts", "/etc/c"]),
        ("cd ~/app\necho x > a.ts", None, ["~/app/a.ts"]),
        ("cd '/my app' && mv a.ts old/", None, ["/my app/old/a.ts"]),
        ("touch a.ts", "/app", ["/app/a.ts"]),
        ("cd /app && touch a.ts", "/other", ["/app/a.ts"]),
        ("cd src && touch a.ts", "/app", ["a.ts"]),  # it moves on: which folder that is does not stand there alone
        ("(cd /app && touch a.ts); touch b.ts", None, ["a.ts", "b.ts"]),  # a subshell comes back
        ("cd /app || touch a.ts", None, ["a.ts"]),  # where it failed, it is elsewhere
        ("cd /app && touch a.ts && cd .. && touch b.ts", None, ["a.ts", "b.ts"]),
        ("cd $HERE && touch a.ts", None, ["a.ts"]),
    ],
)
def test_relative_paths_are_told_from_the_folder_that_the_script_works_in(script, start, writes):
    assert list(placed(read_shell(script), script, start).writes) == writes
