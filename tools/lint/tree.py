"""All checks on all files of a tree, except for what exemptions.txt excuses.

A check takes a Source and yields Findings; lint_test.py shows each of them firing.
"""

import os
import pathlib
import subprocess

import arrows
import exemptions
import patterns
import sizes
from source import Source

CHECKS = (
    sizes.check_file_lines,
    sizes.check_line_columns,
    sizes.check_function_lines,
    patterns.check_clock,
    patterns.check_random,
    patterns.check_print,
    patterns.check_using_namespace_std,
    patterns.check_reminder,
    patterns.check_pragma_once,
    patterns.check_word,
    patterns.check_comment_opening,
    patterns.check_bound_name,
)
CHECK_NAMES = {
    "file-lines", "line-columns", "function-lines", "clock", "random", "print",
    "using-namespace-std", "reminder", "pragma-once", "word", "include", "blob",
    "comment-opening", "bound-name",
}


def tree_files(root):
    """Returns the paths of all files that are tracked or would be, without ignored ones."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others",
               "--exclude-standard"]
    try:
        listed = subprocess.run(command, capture_output=True, check=True).stdout.decode()
        paths = [path for path in listed.split("\0") if path]
    except (OSError, subprocess.CalledProcessError):
        paths = []  # no git, or an unpacked archive: take all files
        for folder, folders, names in os.walk(root):
            folders[:] = [f for f in folders if f not in (".git", "build", "__pycache__")]
            paths += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted({path for path in paths if (root / path).is_file()})


def lint(root):
    """Returns all findings under root, in order."""
    root = pathlib.Path(root)
    table = arrows.read_layers(root)
    excused, findings = exemptions.read(root, CHECK_NAMES)
    raw = []
    for path in tree_files(root):
        raw += sizes.check_blob(root, path)
        source = Source(root, path)
        for check in CHECKS:
            raw += check(source)
        raw += arrows.check_include(source, table)
    findings += exemptions.apply(raw, excused)
    return sorted(findings, key=lambda f: (f.path, f.line, f.check))
