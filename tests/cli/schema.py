#!/usr/bin/env python3
"""Compares `sluice rules schema` with the loader.  usage: schema.py SLUICE"""
import copy
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback

import jsonschema

SLUICE = sys.argv[1]
PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "tests", "support"))

import loader_words  # noqa: E402
import rule_yaml  # noqa: E402

# Generous: a sanitised build on a busy machine is many times slower than the release build.
PATIENCE = 120
# The loader lists at most this many problems (kMaxProblems), and few variants have more than two.
PROBLEMS_MOST = 1000
BATCH = 250
CASES = os.path.join(PROJECT, "tests", "rules")

# Faults that a schema of one document cannot see, by the loader's message. It must refuse all
# others.
UNSEEN = {
    "two of one name": r"duplicate (attribute|list|plan|rule|descriptor) |"
                       r"a second limit is known as",
    "what is not there": r"unknown (list|plan|rule|time zone) |'plan' needs plans to choose from",
    "rules that no request reaches": r"unreachable rule ",
    "circles": r"(rules|attributes) \w+ .*one another in a circle: |"
               r"the (rule|limit) '.*' replaces itself|the attribute '.*' stands for itself",
    "debts of permits": r"'debt' needs a limit of units; ",
    "what RE2 says": r"the regex does not compile: ",
    "what documents say together": r"'ip_prefix' has \d+ for ",
    "addresses": r"in a list of addresses: |'.*' is an address and the values before it are not|"
                 r"'.*' is no IP address or prefix|'.*' has bits below the prefix|"
                 r"'.*': expected a prefix length|'ip' must be in a list of addresses",
    "24.0, which is 24 to a schema": r".* must be a whole number .*, found the number \d+\.0+$",
    "decimals, which cannot be counted in binary": r".* at most 4 decimals, found the number "
                                                   r"\d{1,2}\.\d{5,}$",
    "nothing at all": r"the file is empty",
    "no YAML or JSON": r"duplicate key '|this '.' has no closing|expected .*, found '",
}


def output(*args):
    done = subprocess.run([SLUICE, "rules", *args], capture_output=True, text=True,
                          timeout=PATIENCE)
    assert done.stderr == "", done.stderr
    return done.stdout


SCHEMA = json.loads(output("schema"))
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def definition(name):
    return SCHEMA["definitions"][name]


def unseen(message):
    """Returns the kinds of UNSEEN that match the message."""
    return [kind for kind, pattern in UNSEEN.items() if re.match(pattern, message)]


def expect(found, wanted, what=""):
    assert found == wanted, f"{what}: expected {wanted!r}, found {found!r}"


def object_schemas(node, path="#"):
    """Yields every schema below `node` that defines the keys of a mapping, with its place."""
    if isinstance(node, list):
        for index, item in enumerate(node):
            yield from object_schemas(item, f"{path}/{index}")
    if isinstance(node, dict):
        if node.get("type") == "object":
            yield path, node
        for key, value in node.items():
            yield from object_schemas(value, f"{path}/{key}")


def test_the_schema_is_valid_draft_7():
    expect(SCHEMA["$schema"], "http://json-schema.org/draft-07/schema#")
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_the_program_prints_the_file():
    path = os.path.join(PROJECT, "src", "config", "rules", "rules.schema.json")
    with open(path, encoding="utf-8") as file:
        expect(output("schema"), file.read())


def test_an_invalid_command_is_reported():
    done = subprocess.run([SLUICE, "rules", "schema", "api.yaml"], capture_output=True, text=True,
                          timeout=PATIENCE)
    expect((done.returncode, done.stdout), (2, ""))
    expect(done.stderr, "sluice rules schema: unexpected argument 'api.yaml'; expected a flag\n")
    assert output("schema", "--help").startswith("sluice rules schema: "), "no help"


def test_every_mapping_is_closed_and_every_key_is_described():
    seen = 0
    for path, node in object_schemas(SCHEMA):
        if "properties" not in node:
            # Any key is allowed, but values (and, except for metadata, names) have a type.
            assert "additionalProperties" in node, path
            continue
        seen += 1
        expect(node["additionalProperties"], False, path)
        for key, value in node["properties"].items():
            if "enum" in value and key == "algorithm" or "const" in value:
                continue
            target = definition(value["$ref"].split("/")[-1]) if "$ref" in value else value
            assert "description" in value or "description" in target, f"{path}: {key}"
    assert seen > 10, seen


# The tables of keys in the source, and the matching place in the schema.
TABLES = {
    "config/rules/read_document.cc kDocumentFields": lambda: SCHEMA,
    "config/rules/read_document.cc kPrefixFields": lambda: SCHEMA["properties"]["ip_prefix"],
    "config/rules/read_rule.cc kRuleFields": lambda: definition("rule"),
    "config/rules/read_rule.cc kPlanFields": lambda: definition("plan"),
    "config/rules/read_descriptors.cc kDescriptorFields": lambda: definition("descriptor"),
    "config/rules/read_rate_limit.cc kRateLimitFields": lambda: definition("foreign_limit"),
    "config/rules/read_rate_limit.cc kReplacedFields":
        lambda: definition("replaced_limits")["items"]["anyOf"][1],
    "config/rules/read_rate_limit.cc kSharedFields": None,  # beside the keys of each algorithm
}


def test_loader_and_schema_know_the_same_keys():
    tables = loader_words.field_tables()
    expect(sorted(tables), sorted(TABLES), "tables of keys")
    for table, keys in tables.items():
        if TABLES[table] is not None:
            expect(sorted(TABLES[table]()["properties"]), sorted(keys), table)
    expect(sorted(definition("matcher")["oneOf"][2]["properties"]),
           sorted(loader_words.texts("kMatcherKeys")), "matcher")
    expect(sorted(definition("rule")["then"]["properties"]),
           sorted(loader_words.texts("kKeysOfLimitRules")), "allow and deny")
    expect(sorted(definition("rule")["allOf"][1]["then"]["properties"]),
           sorted(loader_words.texts("kKeysOfRefusals")), "allow")
    shared = tables["config/rules/read_rate_limit.cc kSharedFields"]
    algorithms = loader_words.limit_keys()
    expect(sorted(each["$ref"].split("/")[-1] for each in definition("limit_mapping")["oneOf"]),
           sorted(algorithms), "algorithms")
    for algorithm, keys in algorithms.items():
        expect(sorted(definition(algorithm)["properties"]), sorted(keys + shared), algorithm)


def test_loader_and_schema_know_the_same_words():
    rule = definition("rule")["properties"]
    for key, table in (("action", "kActionWords"), ("mode", "kModeWords"),
                       ("consistency", "kConsistencyWords"),
                       ("on_store_failure", "kOnStoreFailureWords")):
        expect(sorted(rule[key]["enum"]), sorted(loader_words.words(table)), key)
    expect(sorted(map(str, rule["status"]["enum"])),
           sorted(loader_words.texts("kStatuses")), "status")
    expect(definition("foreign_limit")["properties"]["unit"]["anyOf"][0]["enum"],
           loader_words.foreign_units(), "unit")
    for algorithm, key, table in (("token_bucket", "refill", "kRefillWords"),
                                  ("fixed_window", "window", "kWindowWords"),
                                  ("sliding_buckets", "oldest", "kOldestWords")):
        expect(definition(algorithm)["properties"][key]["enum"],
               loader_words.words(table), key)
    written = [word for name in loader_words.limit_keys()
               for word in [definition(name)["properties"]["algorithm"]]
               for word in word.get("enum", [word.get("const")])]
    expect(sorted(written), sorted(loader_words.words("kAlgorithmWords")),
           "algorithm")
    units = "(" + "|".join(loader_words.duration_units()) + ")$"
    for name in ("rate", "rate_from_0", "length"):
        assert definition(name)["pattern"].endswith(units), name


def test_the_schema_accepts_what_the_loader_accepts():
    paths = [path for pattern in ("good/*", "good/*/*") for path in glob.glob(f"{CASES}/{pattern}")
             if path.endswith((".yaml", ".yml", ".json"))]
    paths += glob.glob(os.path.join(PROJECT, "examples", "rules", "*"))
    assert len(paths) > 100, len(paths)
    documents = {path: rule_yaml.read(path) for path in paths}
    with open(os.path.join(PROJECT, "docs", "rules.md"), encoding="utf-8") as file:
        for number, block in enumerate(rule_yaml.blocks(file.read())):
            documents[f"docs/rules.md, block {number}"] = rule_yaml.documents(block)
    for path, found in documents.items():
        assert found, path
        for document in found:
            error = jsonschema.exceptions.best_match(VALIDATOR.iter_errors(document))
            assert error is None, f"{path}: {error.message} at {list(error.absolute_path)}"


def schema_refuses(path):
    return any(not VALIDATOR.is_valid(document) for document in rule_yaml.read(path))


def test_the_schema_refuses_what_the_loader_refuses_if_it_can_see_it():
    kinds = set()
    expected = glob.glob(f"{CASES}/bad/*.expected")
    assert len(expected) > 200, len(expected)
    for path in expected:
        with open(path, encoding="utf-8") as file:
            lines = [re.match(r"(\S+?):\d+:\d+: (.*)", line).groups() for line in file]
        for name in {name for name, _ in lines}:
            messages = [message for of, message in lines
                        if of == name and not message.startswith("warning: ")]
            of_kinds = [unseen(message) for message in messages]
            kinds.update(kind for found in of_kinds for kind in found)
            file_path = os.path.join(CASES, "bad", name)
            if any("no YAML or JSON" in found for found in of_kinds):
                try:
                    rule_yaml.read(file_path)
                    raise AssertionError(f"{name}: can be read")
                except rule_yaml.Unreadable:
                    continue
            expect(schema_refuses(file_path), not all(of_kinds), f"{name}: {messages}")
    expect(sorted(set(UNSEEN) - kinds), [], "kinds that no file shows")


STRANGE = [None, True, 5, -1, 1.5, "x", "", "a b", [], {}, ["x"], [5], [[]], {"x": 1}, [{"x": 1}]]


def places(value, path=()):
    """Yields every place in a document except for the root, with its holder."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in list(items):
        yield path + (key,), value
        if isinstance(item, (dict, list)):
            yield from places(item, path + (key,))


def changed(document, path, change):
    """Returns a copy after change(holder, key) for the place."""
    document = copy.deepcopy(document)
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    change(holder, path[-1])
    return document


def likeness(path, holder):
    """Returns an equal value for places where the same mistakes can be made."""
    beside = (sorted(holder), holder.get("algorithm")) if isinstance(holder, dict) else None
    return str((["*" if isinstance(key, int) else key for key in path], beside))


def variants(document, tried):
    """Yields copies of the document changed at each place that is unlike those of `tried`."""
    for path, holder in places(document):
        if path == ("domain",) or likeness(path, holder) in tried:
            continue
        tried.add(likeness(path, holder))
        for strange in STRANGE:
            yield changed(document, path, lambda at, key, to=strange: at.__setitem__(key, to))
        yield changed(document, path, lambda at, key: at.__delitem__(key))
        if isinstance(path[-1], str):
            yield changed(document, path, lambda at, key: at.__setitem__("zzz", at[key]))


def loader_errors(documents):
    """Returns the loader's errors about each document."""
    errors = [[] for _ in documents]
    with tempfile.TemporaryDirectory() as folder:
        for number, document in enumerate(documents):
            with open(os.path.join(folder, f"{number}.json"), "w", encoding="utf-8") as file:
                json.dump(document, file)
        problems = json.loads(output("check", "-o", "json", folder))
    assert len(problems) <= PROBLEMS_MOST, "some are not listed"
    for problem in problems:
        if problem["severity"] == "error":
            number = int(os.path.basename(problem["file"]).removesuffix(".json"))
            errors[number].append(problem["message"])
    return errors


def test_loader_and_schema_agree_on_documents_with_one_change():
    tried = set()
    documents = [variant for path in sorted(glob.glob(f"{CASES}/good/*.yaml"))
                 for document in rule_yaml.read(path) for variant in variants(document, tried)]
    for number, document in enumerate(documents):
        # Within one domain the rules of different variants would interact.
        document["domain"] = f"d{number}"
    agreed = {True: 0, False: 0}
    for first in range(0, len(documents), BATCH):
        batch = documents[first:first + BATCH]
        # The combination of rules is only checked if no file has an error; a schema does not see it
        # anyway.
        for document, errors in zip(batch, loader_errors(batch)):
            good = all(unseen(message) for message in errors)
            agreed[good] += 1
            assert VALIDATOR.is_valid(document) == good, \
                f"{json.dumps(document)}: {errors or 'no error'}"
    assert min(agreed.values()) > 500, agreed


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
