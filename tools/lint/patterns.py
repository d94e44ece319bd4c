"""Things that have one home: clocks, randomness, printing; and words that have none."""

import re

# A home is a file, or a folder when it ends in a slash. Benchmarks measure real time; tests do
# not read clocks at all, so those that must are in exemptions.txt, each with its reason.
CLOCK_HOMES = ("src/limiter/system_clock.cc", "bench/")
RANDOM_HOMES = ("src/limiter/system_random.cc", "tests/support/seed.h", "tests/support/seed.cc")
PRINT_HOMES = ("src/cli/", "bench/", "tests/", "fuzz/", "examples/")
# Front ends speak foreign protocols and use their words, translating them once.
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
_PRAGMA_ONCE = re.compile(r"(?m)^#pragma once$")

# A sequence of name parts, and what to say instead.
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
    """The banned word in name and what to say instead, or None."""
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
