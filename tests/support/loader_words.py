"""The keys and words that the loader knows, as the tables in its source say them.

Whatever describes rule files (the schema, the manual) is compared with these.
"""
import os
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
    """Name to body of every table in the file."""
    return dict(_TABLE.findall(_source(path)))


def _reader_files():
    """The files that read a document of rules, found by what each includes."""
    found, waiting = [], ["config/read_document"]
    while waiting:
        stem = waiting.pop()
        if stem in found:
            continue
        found.append(stem)
        waiting += re.findall(r'#include "(config/read_\w+)\.h"', _source(stem + ".cc"))
    return sorted(stem + ".cc" for stem in found)


def field_tables():
    """Every table of keys that reading rules uses, as {"config/read_rule.cc kRuleFields": keys}."""
    return {f"{path} {table}": _ROW_TEXT.findall(body)
            for path in _reader_files() for table, body in _tables(path).items()
            if table.endswith("Fields")}


def _body(table):
    """What is in the one table of this name, wherever it is."""
    found = [body for layer in ("core", "rules", "config")
             for path in sorted(os.listdir(os.path.join(PROJECT, "src", layer)))
             if path.endswith((".h", ".cc"))
             for name, body in _tables(f"{layer}/{path}").items() if name == table]
    assert len(found) == 1, f"{len(found)} tables {table}"
    return found[0]


def words(table):
    """The first text of every row of a table: {"limit", RuleAction::kLimit}."""
    return _ROW_TEXT.findall(_body(table))


def texts(table):
    """A table of nothing but texts."""
    return _TEXT.findall(_body(table))


def limit_keys():
    """Algorithm, as it is mostly written, to its keys, `algorithm` among them."""
    rows = _body("kAlgorithmWords")
    word_of = {}
    for word, meaning in re.findall(r'\{"(\w+)", Algorithm::(k\w+)\}', rows):
        word_of.setdefault(meaning, word)
    source = _source("core/limit_keys.cc")
    with_rate = re.search(r"kAllWithRate = Of\(\{(.*?)\}\)", source, re.S).group(1)
    keys = {word: ["algorithm"] for word in word_of.values()}
    for key, of, owners in re.findall(
            r'LimitKey\{"(\w+)",\s*(Of\(\{(.*?)\}\)|kAllWithRate),', source, re.S):
        for meaning in re.findall(r"k\w+", with_rate if of == "kAllWithRate" else owners):
            keys[word_of[meaning]].append(key)
    return keys


def duration_units():
    return _ROW_TEXT.findall(_tables("core/duration.cc")["kUnits"])


def foreign_units():
    """Those of a rate_limit in the format of envoyproxy/ratelimit."""
    return _ROW_TEXT.findall(_tables("config/read_rate_limit.cc")["kUnits"])
