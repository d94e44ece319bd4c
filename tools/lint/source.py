"""One file of the tree, with C++ comments and literals separated from code.

This understands only the lexical rules of C++; that is enough for the house lint.
"""

import dataclasses
import functools
import pathlib
import re

CPP_SUFFIXES = {".h", ".cc"}
# Files that count as source for sizes and reminders; documents and data do not.
SOURCE_SUFFIXES = CPP_SUFFIXES | {".py", ".cmake", ".sh", ".lua", ".js"}
SOURCE_NAMES = {"CMakeLists.txt", "Makefile"}

_RAW_STRING = re.compile(r'R"([^()\\\s]{0,16})\(')


@dataclasses.dataclass(frozen=True)
class Finding:
    path: str
    line: int
    check: str
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.check}: {self.message}"


def _literal_end(text, start, quote):
    """Returns the index after the literal opened at start; an unclosed one ends with its line."""
    at = start + 1
    while at < len(text) and text[at] != "\n":
        if text[at] == "\\":
            at += 2
        elif text[at] == quote:
            return at + 1
        else:
            at += 1
    return at


def _is_digit_separator(text, at):
    """Returns True for the quote in 1'000 and 0xff'ff, False for the one in u8'a'."""
    start = at
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_'"):
        start -= 1
    return start < at and text[start].isdigit()


def _next_part(text, at):
    """Returns the (kind, end) of the part that starts at at: code, comment or literal."""
    two = text[at : at + 2]
    if two == "//":
        end = text.find("\n", at)
        return "comment", len(text) if end < 0 else end
    if two == "/*":
        end = text.find("*/", at + 2)
        return "comment", len(text) if end < 0 else end + 2
    raw = _RAW_STRING.match(text, at) if two == 'R"' else None
    if raw:
        close = f'){raw.group(1)}"'
        end = text.find(close, raw.end())
        return "literal", len(text) if end < 0 else end + len(close)
    if text[at] == '"' or (text[at] == "'" and not _is_digit_separator(text, at)):
        return "literal", _literal_end(text, at, text[at])
    return "code", at + 1


def _blank(text):
    return re.sub(r"[^\n]", " ", text)


def split_cpp(text):
    """Returns (code, comments): the text twice, same length and lines, with all else blanked."""
    code, comments = [], []
    at = 0
    while at < len(text):
        kind, end = _next_part(text, at)
        part = text[at:end]
        code.append(part if kind == "code" else _blank(part))
        comments.append(part if kind == "comment" else _blank(part))
        at = end
    return "".join(code), "".join(comments)


class Source:
    """A file. REQUIRES: path is relative to root, with forward slashes."""

    def __init__(self, root, path):
        self.root = pathlib.Path(root)
        self.path = path
        self.text = (self.root / path).read_text(encoding="utf-8", errors="replace")
        self.lines = self.text.splitlines()

    @property
    def suffix(self):
        return pathlib.PurePosixPath(self.path).suffix

    @property
    def is_cpp(self):
        return self.suffix in CPP_SUFFIXES

    @property
    def is_header(self):
        return self.suffix == ".h"

    @property
    def is_source(self):
        return self.suffix in SOURCE_SUFFIXES or self.path.split("/")[-1] in SOURCE_NAMES

    @property
    def is_test(self):
        return self.path.startswith("tests/") or self.path.endswith("_test.py")

    @functools.cached_property
    def _parts(self):
        return split_cpp(self.text)

    @property
    def code(self):
        return self._parts[0]

    @property
    def comments(self):
        return self._parts[1]

    def is_under(self, homes):
        """Returns True if this is one of homes: files, or folders written with a closing slash."""
        return any(self.path == h or (h.endswith("/") and self.path.startswith(h)) for h in homes)

    def finding(self, offset, check, message):
        return Finding(self.path, self.text.count("\n", 0, offset) + 1, check, message)
