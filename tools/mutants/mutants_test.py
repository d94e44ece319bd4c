"""Reads rules of mutants, valid and invalid ones, and applies them."""

import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import rule as rules  # noqa: E402

GOOD = """# A comment.
tests: core_test

== first
file: src/a.cc
why: it matters
- a < b
+ a <= b

== second
file: src/a.cc
why: it matters
tests: core_test=Suite* net_test
- one();
-   two();
explained: nothing can tell
"""


class RulesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "src").mkdir()

    def read(self, text):
        path = self.root / "layer.txt"
        path.write_text(text)
        return rules.read_all([path])

    def problems(self, text, code):
        (self.root / "src/a.cc").write_text(code)
        return rules.problems(self.read(text), self.root)

    def assert_refused(self, text, words):
        with self.assertRaises(rules.RuleError) as caught:
            self.read(text)
        self.assertIn(words, str(caught.exception))

    def test_rules_have_names_texts_and_shared_tests(self):
        first, second = self.read(GOOD)
        self.assertEqual("layer/first", first.full_name)
        self.assertEqual("core_test", first.tests)
        self.assertEqual("if (a <= b)", first.apply("if (a < b)"))
        self.assertEqual("core_test=Suite* net_test", second.tests)
        self.assertEqual("x  y", second.apply("x one();\n  two(); y"))
        self.assertEqual("nothing can tell", second.explained)

    def test_text_must_occur_exactly_once(self):
        code = "a < b; one();\n  two();"
        self.assertEqual([], self.problems(GOOD, code))
        self.assertIn("no longer in src/a.cc", self.problems(GOOD, "one();\n  two();")[0])
        self.assertIn("2 times in src/a.cc", self.problems(GOOD, code + "a < b")[0])

    def test_file_must_exist(self):
        rule = self.read(GOOD.replace("src/a.cc", "src/gone.cc"))
        self.assertIn("there is no src/gone.cc", rules.problems(rule, self.root)[0])

    def test_incomplete_rules_are_refused(self):
        self.assert_refused(GOOD.replace("why: it matters\n", ""), "no 'why:'")
        self.assert_refused(GOOD.replace("- a < b\n", ""), "no text to replace")
        self.assert_refused(GOOD.replace("a <= b", "a < b"), "changes nothing")
        self.assert_refused(GOOD.replace("second", "first"), "used twice")
        self.assert_refused(GOOD + "wyh: typo\n", "neither a field")


if __name__ == "__main__":
    unittest.main()
