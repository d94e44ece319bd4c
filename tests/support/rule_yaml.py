"""Rule files as Python values, read by the rules of src/config/syntax/yaml.h and json.h.

PyYAML's own loader would not do: it reads yes and off as booleans, dates as dates and some numbers
as octal, but our loader reads strings.
"""
import json
import re

import yaml

_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?\Z")


class Unreadable(Exception):
    """The text is no YAML or JSON that the loader would accept."""


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = {}

    def construct_mapping(self, node, deep=False):
        mapping = {}
        for key_node, value_node in node.value:
            # A key is a string, exactly as written.
            if key_node.value in mapping:
                raise Unreadable(f"duplicate key {key_node.value}")
            mapping[key_node.value] = self.construct_object(value_node, deep=True)
        return mapping


def _number(text):
    return int(text) if text.lstrip("-").isdigit() else float(text)


def _unique(pairs):
    if len({key for key, _ in pairs}) != len(pairs):
        raise Unreadable("duplicate key")
    return dict(pairs)


_Loader.add_implicit_resolver("tag:yaml.org,2002:null",
                              re.compile(r"(~|null|Null|NULL|)\Z"), ["~", "n", "N", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool",
                              re.compile(r"(true|True|TRUE|false|False|FALSE)\Z"), list("tTfF"))
_Loader.add_implicit_resolver("!number", _NUMBER, list("-0123456789"))
_Loader.add_constructor("tag:yaml.org,2002:map",
                        lambda loader, node: loader.construct_mapping(node))
_Loader.add_constructor("!number", lambda loader, node: _number(node.value))


def documents(text, is_json=False):
    """Returns every document of the text that is not empty."""
    try:
        if is_json:
            found = [json.loads(text, object_pairs_hook=_unique)]
        else:
            found = list(yaml.load_all(text, Loader=_Loader))
    except (yaml.YAMLError, json.JSONDecodeError) as error:
        raise Unreadable(str(error)) from error
    return [document for document in found if document is not None]


def read(path):
    with open(path, encoding="utf-8") as file:
        return documents(file.read(), is_json=path.endswith(".json"))


def blocks(markdown):
    """Returns the texts of the ```yaml blocks of a document."""
    return re.findall(r"(?ms)^```yaml\n(.*?)^```$", markdown)
