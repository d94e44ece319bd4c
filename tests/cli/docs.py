#!/usr/bin/env python3
"""Loads every rule file that the documents show.  usage: docs.py SLUICE"""
import glob
import os
import re
import sys
import tempfile
import traceback

SLUICE = sys.argv[1]
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

import help_text  # noqa: E402
import loader_words  # noqa: E402
import rule_yaml  # noqa: E402



def read(name):
    with open(os.path.join(PROJECT, "docs", name), encoding="utf-8") as document:
        return document.read()


GUIDE = read("rules.md")

# The rule file of the transcript under "Checking".
BAD = """\
domain: api
rules:
  - name: posts
    limt: 2/m
  - { name: likes, per: [user], limit: 2/fortnight }
"""


def check(text, name="rules.yaml"):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = help_text.run(SLUICE, "rules", "check", path)
    return done.returncode, done.stdout.replace(path, name) + done.stderr


def test_every_block_is_valid():
    blocks = rule_yaml.blocks(GUIDE)
    assert len(blocks) > 10 and len(blocks) == GUIDE.count("```yaml"), len(blocks)
    for block in blocks:
        code, said = check(block)
        assert code == 0 and re.fullmatch(r"1 file, .* good\n", said), f"{block}\n{said}"


def promises():
    """Yields the texts for users by name: documents, manual pages and help."""
    for pattern in ("README.md", "docs/*", "man/*"):
        for path in glob.glob(os.path.join(PROJECT, pattern)):
            with open(path, encoding="utf-8") as document:
                yield os.path.relpath(path, PROJECT), document.read()
    for command in ("", *help_text.commands(SLUICE)):
        yield f"sluice {command} --help", help_text.run(SLUICE, *command.split(), "--help").stdout


def test_documents_and_help_promise_only_what_exists():
    for name, text in promises():
        for missing in ("dashboard", "control api", "traefik", "sluice://"):
            assert missing not in text.lower(), f"{name}: {missing}"


def test_every_block_of_other_documents_is_valid():
    for name in ("integrations.md", "redis.md"):
        blocks = rule_yaml.blocks(read(name))
        assert blocks, name
        for block in blocks:
            code, said = check(block)
            assert code == 0, f"{name}: {block}\n{said}"


def test_the_transcript_of_errors_is_real():
    shown = re.search(r"(?s)\$ sluice rules check api.yaml\n(.*?)```", GUIDE).group(1)
    assert check(BAD, "api.yaml") == (1, shown), check(BAD, "api.yaml")


def test_every_key_is_explained():
    prose = re.sub(r"(?ms)^```.*?^```$", "", GUIDE)
    code = re.findall(r"`([^`\n]+)`", prose) + rule_yaml.blocks(GUIDE)
    for table, keys in loader_words.field_tables().items():
        for key in keys:
            assert any(re.search(rf"\b{key}\b", text) for text in code), f"{table}: {key}"


def main():
    failed = 0
    for name, test in sorted(globals().items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
        except Exception:  # any exception is a failure
            failed += 1
            print(f"FAILED {name}")
            traceback.print_exc()
    sys.exit(1 if failed else 0)


main()
