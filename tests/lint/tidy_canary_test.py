"""clang-tidy does what .clang-tidy says: each expected fault of tidy_canary.cc is reported, where
it is expected, and no other. And the stricter rules of src/core and include apply there only."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SWAPPABLE = "bugprone-easily-swappable-parameters"
SWAPPABLE_CODE = (
    "int F(long cost, long now) { if (cost > 3) { return 4; } return now > 7 ? 2 : 1; }\n"
)

_EXPECT = re.compile(r"// expect(-next)?: (\S+)")
_REPORT = re.compile(r"^[^\n]*?:(\d+):\d+: (?:warning|error): .* \[([^\]]+)\]$", re.M)


def tidy(path):
    """{(line, check)} of what clang-tidy reports for one file, and its exit status."""
    done = subprocess.run(
        ["clang-tidy", "--quiet", str(path), "--", "-x", "c++", "-std=c++20"],
        capture_output=True, text=True, check=False,
    )
    reported = set()
    for line, checks in _REPORT.findall(done.stdout):
        for check in checks.split(","):
            if check != "-warnings-as-errors":
                reported.add((int(line), check))
    return reported, done.returncode


class TidyCanaryTest(unittest.TestCase):
    def test_every_fault_of_the_canary_is_reported_and_no_other(self):
        canary = HERE / "tidy_canary.cc"
        expected = {
            (number + bool(next_line), check)
            for number, line in enumerate(canary.read_text().splitlines(), 1)
            for next_line, check in _EXPECT.findall(line)
        }
        reported, status = tidy(canary)
        self.assertGreater(len(expected), 5)
        self.assertEqual(expected, reported)
        self.assertNotEqual(0, status, "findings must be errors")

    def test_swappable_parameters_are_reported_in_core_and_include_only(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for config in (".clang-tidy", "src/core/.clang-tidy", "include/.clang-tidy"):
                (root / config).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / config, root / config)
            for path, fires in (("src/core/a.cc", True), ("include/sluice/a.h", True),
                                ("src/store/a.cc", False)):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(SWAPPABLE_CODE)
                checks = {check for _, check in tidy(root / path)[0]}
                self.assertEqual(fires, SWAPPABLE in checks, path)


if __name__ == "__main__":
    unittest.main()
