"""Things that may occur in one place only: clocks, randomness, printing; and banned words."""

import re

# A home is a file, or a folder if it ends in a slash. Benchmarks measure real time. Tests do not
# read clocks; those that must are in exemptions.txt, each with its reason.
CLOCK_HOMES = ("src/limiter/system_clock.cc", "bench/")
RANDOM_HOMES = ("src/limiter/system_random.cc", "tests/support/seed.h", "tests/support/seed.cc")
PRINT_HOMES = ("src/cli/", "bench/", "tests/", "fuzz/", "examples/")
# Front ends speak foreign protocols and use their words, which they translate once.
FOREIGN_WORD_HOMES = ("src/frontend/", "tests/unit/wire/")

_CLOCKS = r"(?:system|steady|high_resolution|utc|tai|gps|file)_clock"
_CLOCK = re.compile(
    rf"chrono\s*::\s*{_CLOCKS}\b|\b{_CLOCKS}\s*::\s*now\b|"
    r"\b(?:clock_gettime|clock_nanosleep|gettimeofday|timespec_get|ftime|__rdtscp?|_rdtsc)\b|"
    r"\btime\s*\(\s*(?:nullptr|NULL|0|&\s*\w+)\s*\)|\bclock\s*\(\s*\)|"
    r"\b(?:sleep_for|sleep_until|usleep|nanosleep)\b|(?<![\w.>])sleep\s*\(")
_RANDOM = re.compile(r"\b(?:s?rand|s?random|rand_r|[dlm]rand48)\s*\(|\brandom_device\b|"
                     r"\b(?:getrandom|getentropy|arc4random\w*)\s*\(")
_PRINT = re.compile(r"\b(?:v?f?printf|puts|fputs|putchar|perror)\s*\(|"
                    r"\bstd\s*::\s*(?:w?cout|w?cerr|w?clog)\b")
_USING_STD = re.compile(r"\busing\s+namespace\s+std\s*;")
_REMINDER = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
_GOOD_REMINDER = re.compile(r"TODO\((?:perf|security|test)\): \S")
# How no comment begins (CONTRIBUTING.md, How we write).
_RIDDLE = re.compile(r"//+ *(Of|That of|Those of|What|Whoever|Who|Likewise|The same)\b(?!\?)")
_MOST = re.compile(r"\b(?:k(?:Most|Least)(?:[A-Z]\w*)?|k(?!At)\w+(?:Most|Least)|"
                   r"(?!at_)\w+_(?:most|least)_?|(?:most|least)_(?!of)\w*|most|least)\b")
_PRAGMA_ONCE = re.compile(r"(?m)^#pragma once$")

# A sequence of name parts, and the word to use instead.
BANNED_WORDS = {
    ("hits",): "cost or charges",
    ("quantity",): "cost",
    ("max", "tokens"): "burst",
    ("dry", "run"): "shadow",
    ("bucket", "name"): "key",
    ("manager",): "what it does",
    ("managers",): "what they do",
    ("helper",): "what it does",
    ("helpers",): "what they do",
    ("util",): "what it is about",
    ("utils",): "what it is about",
    ("impl",): "what sets it apart",
    ("impls",): "what sets them apart",
}
_NAME = re.compile(r"[A-Za-z_]\w*")
_NAME_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def _each(source, pattern, text, check, message):
    for match in pattern.finditer(text):
        found = " ".join(match.group().split())
        yield source.finding(match.start(), check, f"'{found}': {message}")


def check_clock(source):
    if source.is_cpp and not source.is_under(CLOCK_HOMES):
        yield from _each(source, _CLOCK, source.code, "clock",
                         f"time is passed in; only {CLOCK_HOMES[0]} reads it or sleeps")


def check_random(source):
    if source.is_cpp and not source.is_under(RANDOM_HOMES):
        yield from _each(source, _RANDOM, source.code, "random",
                         f"randomness is passed in; only {RANDOM_HOMES[0]} draws it")


def check_print(source):
    if source.is_cpp and not source.is_under(PRINT_HOMES):
        yield from _each(source, _PRINT, source.code, "print",
                         "return a value or a Result; only src/cli prints")


def check_using_namespace_std(source):
    if source.is_cpp:
        yield from _each(source, _USING_STD, source.code, "using-namespace-std",
                         "write std:: or name what is used")


def check_reminder(source):
    if not source.is_source:
        return
    text = source.comments if source.is_cpp else source.text
    for match in _REMINDER.finditer(text):
        if not _GOOD_REMINDER.match(text, match.start()):
            yield source.finding(match.start(), "reminder",
                                 "write TODO(perf|security|test): and what is to be done")


def check_pragma_once(source):
    if source.is_header and not _PRAGMA_ONCE.search(source.code):
        yield source.finding(0, "pragma-once", "a header starts with #pragma once")


def banned_word(name):
    """Returns the banned word in name and its replacement, or None."""
    parts = [part.lower() for part in _NAME_PART.findall(name)]
    for word, instead in BANNED_WORDS.items():
        for at in range(len(parts) - len(word) + 1):
            if tuple(parts[at : at + len(word)]) == word:
                return "_".join(word), instead
    return None


def check_word(source):
    if not source.is_cpp or source.is_under(FOREIGN_WORD_HOMES):
        return
    for text in (source.code, source.comments):
        for match in _NAME.finditer(text):
            found = banned_word(match.group())
            if found:
                yield source.finding(match.start(), "word",
                                     f"'{match.group()}': not {found[0]}, say {found[1]} "
                                     "(CONTRIBUTING.md, Words)")


def check_comment_opening(source):
    """Finds comments that are no sentences: "Of the first worker.", "What is left."."""
    if not source.is_cpp:
        return
    goes_on = False
    at = 0
    for line in source.comments.split("\n"):
        text = line.strip()
        match = _RIDDLE.match(text)
        if match and not goes_on:
            yield source.finding(at + line.index("//"), "comment-opening",
                                 f"'{match.group(1)} ...': write a sentence with a subject "
                                 "(CONTRIBUTING.md, How we write)")
        goes_on = text.startswith("//")
        at += len(line) + 1


def check_bound_name(source):
    """The bound of something is max_x or min_x."""
    if source.is_cpp:
        yield from _each(source, _MOST, source.code, "bound-name",
                         "say max or min (CONTRIBUTING.md, How we write)")
