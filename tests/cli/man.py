#!/usr/bin/env python3
"""Compares the manual pages with the program.  usage: man.py SLUICE"""
import glob
import os
import re
import subprocess
import sys
import tempfile
import traceback

SLUICE = sys.argv[1]
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

import help_text  # noqa: E402
import loader_words  # noqa: E402

PATIENCE = help_text.PATIENCE
FOLDER = os.path.join(PROJECT, "man")
FLAG = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-[a-z])(?![\w-])")


def pages():
    return sorted(os.path.basename(path) for path in glob.glob(f"{FOLDER}/*"))


def source(page):
    with open(os.path.join(FOLDER, page), encoding="utf-8") as file:
        return file.read()


def mandoc(*args):
    return subprocess.run(["mandoc", *args], capture_output=True, text=True, timeout=PATIENCE)


def shown(page):
    """Returns the text of the page without its examples, which show other commands, too."""
    text = re.sub(".\b", "", mandoc("-Tascii", "-O", "width=200", f"{FOLDER}/{page}").stdout)
    return re.sub(r"(?ms)^EXAMPLES$.*?^(?=\S)", "", text)


def flags_of(page):
    """Returns the flags of the page, which must all be in its synopsis and in its list of flags.

    A synopsis with [flags] names only some of them.
    """
    text = shown(page)
    head = re.search(r"(?ms)^SYNOPSIS$.*?^(?=\S)", text).group()
    synopsis = set(FLAG.findall(head))
    listed = {f"-{name}" for name in re.findall(r"^\.It Fl (\S+)", source(page), re.M)}
    if "[flags]" in head:
        expect(synopsis - listed, set(), f"{page}: flags of the synopsis that the list lacks")
        synopsis = listed
    expect(listed, synopsis, f"{page}: flags of the list and of the synopsis")
    expect(set(FLAG.findall(text)), synopsis, f"{page}: flags in all")
    return synopsis


def expect(found, wanted, what=""):
    assert found == wanted, f"{what}: expected {sorted(wanted)}, found {sorted(found)}"


def test_mandoc_reports_nothing():
    assert len(pages()) >= 5, pages()
    for page in pages():
        done = mandoc("-Tlint", "-Wstyle", f"{FOLDER}/{page}")
        # Other pages are not installed here; the next test looks for them.
        said = [line for line in (done.stdout + done.stderr).splitlines()
                if "referenced manual not found" not in line]
        assert not said, "\n".join(said)


def test_pages_refer_to_existing_pages():
    for page in pages():
        for name, section in re.findall(r"^\.Xr (\S+) (\d)", source(page), re.M):
            assert f"{name}.{section}" in pages(), f"{page}: {name}({section})"


def test_every_command_has_a_page():
    awaited = {command.split()[0] for command in help_text.AWAITED}
    commands = set(help_text.groups(SLUICE)) | awaited
    expect({page for page in pages() if page.endswith(".1")},
           {"sluice.1"} | {f"sluice-{command}.1" for command in commands})
    items = set(re.findall(r"^\.It Cm (\S+)$", source("sluice.1"), re.M))
    expect(items, commands | {"help"}, "sluice.1")


def test_every_flag_of_the_help_is_in_the_page_and_no_other():
    expect(flags_of("sluice.1"), help_text.flags(SLUICE, ""), "sluice.1")
    flags = {}
    for command in help_text.commands(SLUICE):
        flags.setdefault(command.split()[0], set()).update(help_text.flags(SLUICE, command))
    for command, wanted in flags.items():
        found = flags_of(f"sluice-{command}.1")
        if any(awaited.split()[0] == command for awaited in help_text.AWAITED):
            assert wanted <= found, f"{command}: without {wanted - found}"
        else:
            expect(found, wanted, command)


def test_sub_commands_are_in_the_page():
    for command, subs in help_text.groups(SLUICE).items():
        text = source(f"sluice-{command}.1")
        for sub in subs:
            assert re.search(rf"^\.Nm sluice {command} {sub}$", text, re.M), f"{command} {sub}"
            assert re.search(rf"^\.It Cm {sub}$", text, re.M), f"{command} {sub}"


def loader_keys():
    keys = {key for table in loader_words.field_tables().values() for key in table}
    keys.update(loader_words.texts("kMatcherKeys"))
    for of_algorithm in loader_words.limit_keys().values():
        keys.update(of_algorithm)
    return keys


def test_every_key_and_word_of_rule_files_is_in_the_page_and_no_other():
    text = source("sluice-rules.5")
    marked = {word for line in re.findall(r"^\.(?:It )?(?:Brq )?Cm (.*)$", text, re.M)
              for word in line.split()}
    words = loader_keys()
    for table in ("kActionWords", "kModeWords", "kConsistencyWords", "kOnStoreFailureWords"):
        words.update(loader_words.words(table))
    for table in ("kAlgorithmWords", "kRefillWords", "kWindowWords", "kOldestWords"):
        words.update(loader_words.words(table))
    expect(words - marked, set(), "words that the page lacks")
    heads = set(re.findall(r"^\.It (?:Brq )?Cm (\w+)", text, re.M))
    algorithms = loader_words.limit_keys()
    # Two mappings of two keys are described within their parents, as are the keys of one algorithm.
    told_elsewhere = {"v4", "v6", "by", "default"} | set().union(*algorithms.values())
    expect(heads | told_elsewhere, loader_keys() | set(algorithms), "keys that head an entry")
    for unit in (loader_words.duration_units()
                 + loader_words.foreign_units()):
        assert re.search(rf"\b{unit}\b", text), unit


def test_every_op_of_a_step_is_in_the_page():
    with open(os.path.join(PROJECT, "src", "simulate", "step.cc"), encoding="utf-8") as file:
        ops = re.findall(r'OpWord\{"(\w+)"', file.read())
    assert len(ops) >= 7, ops
    for op in ops:
        assert re.search(rf"^\.Cm {op}\b", source("sluice-simulate.1"), re.M), op


def test_the_example_of_a_rule_file_is_valid():
    example = re.search(r"(?ms)^\.Bd -literal\n(.*?)^\.Ed$", source("sluice-rules.5")).group(1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rules.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(example)
        done = help_text.run(SLUICE, "rules", "check", path)
    assert (done.returncode, done.stdout) == (0, "1 file, 1 domain, 3 rules: good\n"), done


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
