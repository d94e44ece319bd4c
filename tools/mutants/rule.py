"""A mutant as a rewrite rule, and the format its files are written in.

A file of rules/ holds the mutants of one layer. Lines that start with # are comments; `tests:`
before the first rule is what its rules share. A rule starts with its name and ends with the next:

    == weighs-at-most-a-part
    file: src/core/algorithm/sliding_buckets.cc
    why: a state ahead of the clock would count more than it holds
    tests: core_test=SlidingBuckets*
    - return std::min(part, rest);
    + return rest;

The text after `- ` must occur exactly once in the file; several lines form one text. Without a `+`
line it is deleted. `tests:` names the tests of which one must fail: a test target, optionally with
a gtest filter after `=`, or a script under tests/cli. `explained:` states why no test can notice
the mutant; it runs all the same.
"""

import dataclasses
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent / "rules"
_FIELDS = ("file", "why", "tests", "explained")


class RuleError(Exception):
    """A file of rules that cannot be read, or a rule that does not match the code."""


@dataclasses.dataclass
class Rule:
    place: str  # file of rules and line, for messages
    layer: str
    name: str
    file: str = ""
    why: str = ""
    tests: str = ""
    explained: str = ""
    old: list = dataclasses.field(default_factory=list)
    new: list = dataclasses.field(default_factory=list)

    @property
    def full_name(self):
        return f"{self.layer}/{self.name}"

    def complain(self, problem):
        return RuleError(f"{self.place}: {self.full_name}: {problem}")

    def apply(self, text):
        """Returns text with the mutant applied."""
        old, new = "\n".join(self.old), "\n".join(self.new)
        count = text.count(old)
        if count == 0:
            raise self.complain(f"the text is no longer in {self.file}; write the rule anew")
        if count > 1:
            raise self.complain(f"the text is {count} times in {self.file}; make it longer")
        return text.replace(old, new)

    def check(self):
        """Raises a RuleError if something is missing."""
        for field in ("file", "why", "tests"):
            if not getattr(self, field):
                raise self.complain(f"no '{field}:'")
        if not any(self.old):
            raise self.complain("no text to replace")
        if self.old == self.new:
            raise self.complain("it changes nothing")


def _read_line(rule, line, shared):
    """Adds a line to its rule; before the first rule, to the shared fields."""
    if rule is not None and line[:2] in ("- ", "+ ") or line in ("-", "+"):
        (rule.old if line[0] == "-" else rule.new).append(line[2:])
        return
    field, colon, value = line.partition(":")
    if not colon or field not in _FIELDS:
        raise ValueError(f"neither a field ({', '.join(_FIELDS)}) nor '- ' or '+ ': {line}")
    if rule is None:
        shared[field] = value.strip()
    else:
        setattr(rule, field, value.strip())


def read_file(path):
    """Returns the rules of one file."""
    rules, shared = [], {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        place = f"{path.name}:{number}"
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("== "):
            rules.append(Rule(place, path.stem, line[3:].strip(), **shared))
            continue
        try:
            _read_line(rules[-1] if rules else None, line, shared)
        except ValueError as problem:
            raise RuleError(f"{place}: {problem}") from None
    for rule in rules:
        rule.check()
    return rules


def read_all(paths):
    """Returns the rules of all files, whose names must differ."""
    rules = [rule for path in paths for rule in read_file(path)]
    names = set()
    for rule in rules:
        if rule.full_name in names:
            raise rule.complain("the name is used twice")
        names.add(rule.full_name)
    return rules


def problems(rules, root):
    """Returns a message for each rule that does not apply to the code under root exactly once."""
    found = []
    for rule in rules:
        try:
            rule.apply((root / rule.file).read_text(encoding="utf-8"))
        except RuleError as problem:
            found.append(str(problem))
        except OSError:
            found.append(str(rule.complain(f"there is no {rule.file}")))
    return found
