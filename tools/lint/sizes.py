"""The maximum sizes of files, functions, lines and tracked files."""

import ast
import re

from source import Finding

FILE_LINES_MAX = 400
TEST_FILE_LINES_MAX = 800
FUNCTION_LINES_MAX = 70
LINE_COLUMNS_MAX = 100
BLOB_BYTES_MAX = 100_000

_TYPE_HEAD = re.compile(r"^(?:\s|\[\[[^\]]*\]\]|export|typedef|static|extern|inline|requires.*?)*"
                        r"\b(?:class|struct|union|enum|namespace)\b", re.S)
# Tokens that may come between a function's closing parenthesis and its body.
_FUNCTION_HEAD = re.compile(
    r"[)\]](?:\s|const\b|noexcept\b|override\b|final\b|mutable\b|constexpr\b|volatile\b|try\b|"
    r"&|\[\[[^\]]*\]\])*(?:->[^;{}=]+)?(?:requires\b[^;{}]+)?(?::[^;]*)?$", re.S)


def check_file_lines(source):
    if not source.is_source:
        return
    most = TEST_FILE_LINES_MAX if source.is_test else FILE_LINES_MAX
    count = len(source.lines)
    if count > most:
        yield Finding(source.path, most + 1, "file-lines",
                      f"{count} lines, at most {most}; split the file by what it is about")


def check_line_columns(source):
    if not source.is_source:
        return
    for number, line in enumerate(source.lines, 1):
        if len(line) > LINE_COLUMNS_MAX:
            yield Finding(source.path, number, "line-columns",
                          f"{len(line)} columns, at most {LINE_COLUMNS_MAX}; break the line")


def _without_template_head(head):
    """Returns head without leading template <...> parts, as <class T> does not begin a class."""
    while True:
        opening = re.match(r"\s*template\s*<", head)
        if not opening:
            return head
        depth, at = 1, opening.end()
        while at < len(head) and depth:
            depth += {"<": 1, ">": -1}.get(head[at], 0)
            at += 1
        head = head[at:]


def is_function_head(head):
    """Returns True if a brace after head (text since the last statement) opens a function body."""
    head = _without_template_head(head)
    if _TYPE_HEAD.match(head) or re.search(r"=\s*$", head):
        return False
    return bool(_FUNCTION_HEAD.search(head))


def _matching_brace(code, opening):
    depth = 0
    for at in range(opening, len(code)):
        if code[at] == "{":
            depth += 1
        elif code[at] == "}":
            depth -= 1
            if depth == 0:
                return at
    return len(code) - 1


def cpp_functions(code):
    """Returns (start, end) offsets of every outermost function in code (with comments blanked).

    Anything nested in a function, such as a lambda, counts as part of it. The braces of a member
    initialiser, as in `Foo() : a_{1} {`, belong to the head; they are known by what follows them.
    """
    # Preprocessor lines, including continued ones, would confuse heads and braces.
    code = re.sub(r"(?m)^[ \t]*#(?:.*\\\n)*.*$", lambda m: re.sub(r"[^\n]", " ", m.group()), code)
    code = re.sub(r"(?m)^\s*(?:public|private|protected)\s*:",
                  lambda m: re.sub(r"[^\n]", " ", m.group()), code)
    head_start = at = 0
    while at < len(code):
        character = code[at]
        if character == "{" and is_function_head(code[head_start:at]):
            end = _matching_brace(code, at)
            following = code[end + 1 :].lstrip()[:1]
            if following in (",", "{"):
                at = end + 1
                continue
            blank = len(code[head_start:at]) - len(code[head_start:at].lstrip())
            yield head_start + blank, end
            head_start = at = end + 1
            continue
        if character in ";{}":
            head_start = at + 1
        at += 1


def _too_long(source, line, count):
    return Finding(source.path, line, "function-lines",
                   f"{count} lines, at most {FUNCTION_LINES_MAX}; keep the branching here and "
                   "move straight-line work into functions of its own")


def check_function_lines(source):
    if source.suffix == ".py":
        for node in ast.walk(ast.parse(source.text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                count = node.end_lineno - node.lineno + 1
                if count > FUNCTION_LINES_MAX:
                    yield _too_long(source, node.lineno, count)
    if source.is_cpp:
        for start, end in cpp_functions(source.code):
            count = source.code.count("\n", start, end) + 1
            if count > FUNCTION_LINES_MAX:
                yield _too_long(source, source.code.count("\n", 0, start) + 1, count)


def check_blob(root, path):
    """Checks every tracked file, text or not."""
    size = (root / path).stat().st_size
    if size > BLOB_BYTES_MAX:
        yield Finding(path, 1, "blob",
                      f"{size} bytes, at most {BLOB_BYTES_MAX}; generate it or fetch it instead")
