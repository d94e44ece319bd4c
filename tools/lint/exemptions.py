"""exemptions.txt: one `path | check | reason` per line; path may be a glob. An exemption that no
longer excuses anything is itself a finding, so the list contains only what is needed."""

import dataclasses
import fnmatch
import pathlib

from source import Finding

FILE = "tools/lint/exemptions.txt"
REASON_LETTERS_MIN = 10


@dataclasses.dataclass
class Exemption:
    line: int
    path: str
    check: str
    used: bool = False


def read(root, checks):
    """Returns (exemptions, findings about the file itself)."""
    file = pathlib.Path(root) / FILE
    exemptions, findings = [], []
    lines = file.read_text().splitlines() if file.exists() else []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 3:
            findings.append(Finding(FILE, number, "exemption", "expected: path | check | reason"))
        elif fields[1] not in checks:
            findings.append(Finding(FILE, number, "exemption", f"no check is called {fields[1]}"))
        elif len(fields[2]) < REASON_LETTERS_MIN:
            findings.append(Finding(FILE, number, "exemption", "say why, in a few words"))
        else:
            exemptions.append(Exemption(number, fields[0], fields[1]))
    return exemptions, findings


def apply(findings, exemptions):
    """Returns findings without the excused ones, plus one per exemption that excused nothing."""
    left = []
    for finding in findings:
        excused = False
        for exemption in exemptions:
            if exemption.check == finding.check and fnmatch.fnmatchcase(
                finding.path, exemption.path
            ):
                exemption.used = excused = True
        if not excused:
            left.append(finding)
    for exemption in exemptions:
        if not exemption.used:
            left.append(Finding(FILE, exemption.line, "exemption",
                                f"{exemption.path} has no {exemption.check} finding; remove it"))
    return left
