"""The keys and words that the loader knows, read from the tables in its source.

Everything that describes rule files (the schema, the manual) is compared with these.
"""
import os
import pathlib
import re

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

_TABLE = re.compile(r"constexpr (?:std::array(?:<[^=;]*?>)?|auto) (k\w+) = "
                    r"(?:std::to_array<.*?>\()?\{(.*?)\}\)?;", re.S)
_ROW_TEXT = re.compile(r'\{\s*"([^"]+)"')
_TEXT = re.compile(r'"([^"]+)"')


def _source(path):
    with open(os.path.join(PROJECT, "src", path), encoding="utf-8") as file:
        return file.read()


def _tables(path):
    """Returns the body of every table in the file by its name."""
    return dict(_TABLE.findall(_source(path)))


def _reader_files():
    """Returns the files that read a rule document, found by following their includes."""
    found, waiting = [], ["config/rules/read_document"]
    while waiting:
        stem = waiting.pop()
        if stem in found:
            continue
        found.append(stem)
        waiting += re.findall(r'#include "(config/rules/read_\w+)\.h"', _source(stem + ".cc"))
    return sorted(stem + ".cc" for stem in found)


def field_tables():
    """Returns all tables of keys of rule files: {"config/rules/read_rule.cc kRuleFields": keys}."""
    return {f"{path} {table}": _ROW_TEXT.findall(body)
            for path in _reader_files() for table, body in _tables(path).items()
            if table.endswith("Fields")}


def _body(table):
    """Returns the contents of the only table of this name in the source."""
    source = pathlib.Path(PROJECT, "src")
    found = [body for layer in ("core", "rules", "config")
             for path in sorted((source / layer).rglob("*")) if path.suffix in (".h", ".cc")
             for name, body in _tables(path.relative_to(source)).items() if name == table]
    assert len(found) == 1, f"{len(found)} tables {table}"
    return found[0]


def words(table):
    """Returns the first text of every row of a table: {"limit", RuleAction::kLimit}."""
    return _ROW_TEXT.findall(_body(table))


def texts(table):
    """Returns the rows of a table that has nothing but texts."""
    return _TEXT.findall(_body(table))


def limit_keys():
    """Returns the keys of each algorithm by its usual name, `algorithm` among them."""
    rows = _body("kAlgorithmWords")
    word_of = {}
    for word, meaning in re.findall(r'\{"(\w+)", Algorithm::(k\w+)\}', rows):
        word_of.setdefault(meaning, word)
    source = _source("core/limit/limit_keys.cc")
    with_rate = re.search(r"kAllWithRate = Of\(\{(.*?)\}\)", source, re.S).group(1)
    keys = {word: ["algorithm"] for word in word_of.values()}
    for key, of, owners in re.findall(
            r'LimitKey\{"(\w+)",\s*(Of\(\{(.*?)\}\)|kAllWithRate),', source, re.S):
        for meaning in re.findall(r"k\w+", with_rate if of == "kAllWithRate" else owners):
            keys[word_of[meaning]].append(key)
    return keys


def duration_units():
    return _ROW_TEXT.findall(_tables("base/duration.cc")["kUnits"])


def foreign_units():
    """Returns the units of a rate_limit in the format of envoyproxy/ratelimit."""
    return _ROW_TEXT.findall(_tables("config/rules/read_rate_limit.cc")["kUnits"])
