"""Each check of the house lint must fire on a bad snippet and pass a good one."""

import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import arrows  # noqa: E402
import exemptions  # noqa: E402
import patterns  # noqa: E402
import sizes  # noqa: E402
from source import split_cpp  # noqa: E402
from tree import CHECK_NAMES, lint  # noqa: E402

HEADER = "#pragma once\n"


class TreeTest(unittest.TestCase):
    """Lints small trees made of {path: text}."""

    def findings(self, files, excused=""):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            files = dict(files)
            files["tools/lint/layers.txt"] = (HERE / "layers.txt").read_text()
            files[exemptions.FILE] = excused
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return lint(root)

    def checks(self, files, excused=""):
        return [finding.check for finding in self.findings(files, excused)]

    def assert_fires(self, check, path, text, times=1):
        self.assertEqual([check] * times, self.checks({path: text}), text[:300])

    def assert_clean(self, path, text):
        self.assertEqual([], [str(f) for f in self.findings({path: text})], text[:300])


class SizesTest(TreeTest):
    def test_source_of_400_lines_passes_and_of_401_does_not(self):
        self.assert_clean("src/core/a.cc", "int a;\n" * 400)
        self.assert_fires("file-lines", "src/core/a.cc", "int a;\n" * 401)
        self.assert_fires("file-lines", "tools/a.py", "a = 1\n" * 401)

    def test_test_of_800_lines_passes_and_of_801_does_not(self):
        self.assert_clean("tests/unit/core/a_test.cc", "int a;\n" * 800)
        self.assert_fires("file-lines", "tests/unit/core/a_test.cc", "int a;\n" * 801)

    def test_documents_may_be_long(self):
        self.assert_clean("docs/a.md", ("x" * 150 + "\n") * 500)

    def test_line_of_100_columns_passes_and_of_101_does_not(self):
        self.assert_clean("src/core/a.cc", "//" + "x" * 98 + "\n")
        self.assert_fires("line-columns", "src/core/a.cc", "//" + "x" * 99 + "\n")

    def test_function_of_70_lines_passes_and_of_71_does_not(self):
        heads = [
            "void F() {",
            "int F(int a) const noexcept {",
            "auto F() -> std::vector<int> {",
            "Foo::Foo(int a) : a_(a), b_{a} {",
            "Foo::Foo(int a) : a_{a}, b_{3} {",
            "TEST(FooTest, DoesThis) {",
            "template <class T, typename U = std::vector<int>> void F(T a) {",
            "template <typename T> requires std::integral<T> int F(T a) {",
            "bool operator==(const A& a, const A& b) {",
            "const auto f = [](int a) {",
            "[[nodiscard]] constexpr int F(int a = 3) noexcept(true) {",
        ]
        for head in heads:
            for before, after in (("", ""), ("namespace a {\nclass B {\n public:\n", "};\n}\n")):
                short = before + head + "\n" + "  if (a) { b(); }\n" * 68 + "}\n" + after
                long = before + head + "\n" + "  if (a) { b(); }\n" * 69 + "}\n" + after
                self.assert_clean("src/core/a.cc", short)
                self.assert_fires("function-lines", "src/core/a.cc", long)

    def test_every_long_function_of_a_file_is_found_at_its_line(self):
        long = "void F() {\n" + "  a();\n" * 70 + "}\n"
        found = self.findings({"src/core/a.cc": "int a = 3;\n" + long + "\n" + long})
        self.assertEqual([2, 75], [finding.line for finding in found])

    def test_classes_tables_and_namespaces_may_be_long(self):
        for head, end in (
            ("class A final : public B<int(int)> {", "};"),
            ("class alignas(64) A {", "};"),
            ("namespace a::b {", "}"),
            ("enum class A {", "};"),
            ("constexpr int kTable[] = {", "};"),
            ("template <typename T> struct A {", "};"),
        ):
            self.assert_clean("src/core/a.cc", head + "\n" + "  // x\n" * 100 + end + "\n")

    def test_braces_in_comments_literals_and_macros_do_not_count(self):
        noise = "// {\n/* { */\n#define A { \\\n  {\n"
        inside = '  a = "{"; b = \'{\'; c = R"x({)"{)x"; d = 1\'000;\n'
        text = noise + "void F() {\n" + inside * 68 + "}\n"
        self.assert_clean("src/core/a.cc", text)
        self.assert_fires("function-lines", "src/core/a.cc", text.replace("}\n", inside + "}\n"))

    def test_python_functions_count_too(self):
        self.assert_clean("tools/a.py", "def f():\n" + "    pass\n" * 69)
        self.assert_fires("function-lines", "tools/a.py", "def f():\n" + "    pass\n" * 70)

    def test_large_blob(self):
        self.assert_clean("docs/a.svg", "x" * 100_000)
        self.assert_fires("blob", "docs/a.svg", "x" * 100_001)


class HomesTest(TreeTest):
    CLOCKS = [
        "auto t = std::chrono::system_clock::now();",
        "auto t = steady_clock::now();",
        "using Clock = std::chrono::steady_clock;",
        "clock_gettime(CLOCK_BOOTTIME, &now);",
        "gettimeofday(&now, nullptr);",
        "auto t = time(nullptr);",
        "auto t = std::time(NULL);",
        "std::this_thread::sleep_for(wait);",
        "std::this_thread::sleep_until(then);",
        "usleep(5);",
        "nanosleep(&a, &b);",
        "sleep(1);",
        "auto t = __rdtsc();",
    ]

    def test_clock_read_or_sleep_outside_its_home(self):
        for line in self.CLOCKS:
            text = f"void F() {{\n  {line}\n}}\n"
            for path in ("src/core/a.cc", "src/limiter/limiter.cc", "tests/unit/core/a_test.cc"):
                self.assert_fires("clock", path, text)
            self.assert_clean("src/limiter/system_clock.cc", text)
            self.assert_clean("bench/a.cc", text)

    def test_comments_about_clocks_and_our_own_names_pass(self):
        self.assert_clean("src/limiter/a.cc",
                          '// not steady_clock::now()\n#include "limiter/system_clock.h"\n'
                          "auto t = clock.Now(); SystemClock system_clock; Time time(now);\n"
                          "clock->SleepFor(wait); std::chrono::nanoseconds a;\n")

    def test_randomness_outside_its_home(self):
        for line in ("int a = rand();", "srand(1);", "std::random_device d;",
                     "getrandom(&a, 8, 0);"):
            self.assert_fires("random", "src/store/a.cc", line + "\n")
            self.assert_clean("src/limiter/system_random.cc", line + "\n")
        self.assert_clean("src/store/a.cc", "int operand(int a); std::mt19937_64 engine(seed);\n")

    def test_printing_outside_its_home(self):
        for line in ('printf("a");', 'std::printf("a");', 'fprintf(stderr, "a");',
                     "std::cout << a;", "std::cerr << a;", 'puts("a");'):
            self.assert_fires("print", "src/core/a.cc", line + "\n")
            for home in ("src/cli/a.cc", "bench/a.cc", "tests/property/a_test.cc"):
                self.assert_clean(home, line + "\n")
        self.assert_clean("src/core/a.cc", 'snprintf(text, 3, "a"); // printf(\n')


class TextTest(TreeTest):
    def test_using_namespace_std(self):
        self.assert_fires("using-namespace-std", "src/cli/a.cc", "using namespace std;\n")
        self.assert_clean("src/cli/a.cc", "using std::vector; using namespace sluice;\n")
        self.assert_clean("src/cli/a.cc", "using namespace std::chrono_literals;\n")

    def test_reminder_without_a_kind(self):
        for bad in ("TODO: a", "TODO(ann): a", "TODO(now): a", "TODO(perf) a", "FIXME a", "XXX",
                    "HACK a"):
            self.assert_fires("reminder", "src/core/a.cc", f"// {bad}\n")
            self.assert_fires("reminder", "tools/a.sh", f"# {bad}\n")
        for kind in ("perf", "security", "test"):
            self.assert_clean("src/core/a.cc", f"// TODO({kind}): say what\n")

    def test_header_without_pragma_once(self):
        self.assert_fires("pragma-once", "src/core/a.h", "int a;\n")
        self.assert_fires("pragma-once", "src/core/a.h", "// #pragma once\nint a;\n")
        self.assert_clean("src/core/a.h", "// A number.\n#pragma once\nint a;\n")
        self.assert_clean("src/core/a.cc", "int a;\n")

    def test_banned_words_in_names_and_comments(self):
        for name in ("hits", "cache_hits", "hits_addend", "HitsTotal", "quantity", "kQuantity",
                     "max_tokens", "MaxTokens", "kMaxTokens", "dry_run", "DryRun", "bucket_name",
                     "BucketName", "LimitManager", "ManagerOfLimits", "manager_", "ParseHelper",
                     "helpers", "StringUtil", "utils", "LimiterImpl", "impl_"):
            self.assert_fires("word", "src/core/a.cc", f"int {name};\n")
            self.assert_fires("word", "src/core/a.cc", f"// about {name} here\n")
            self.assert_clean("src/frontend/rls.cc", f"int {name};  // {name}\n")

    def test_words_that_only_look_banned_pass(self):
        self.assert_clean("src/core/a.cc",
                          "#include <utility>\n// Implementation of a utility; hit, whits, "
                          "managed, helpful, simplify.\nint tokens_max, implied, bucket, names;\n"
                          'auto text = "hits";\n')


class LanguageTest(TreeTest):
    def test_comments_that_are_no_sentences_fire(self):
        for text in ("// Of the first worker's thread.\n", "// What is left.\n",
                     "int a;  // That of a request that had to wait.\n", "// The same, later.\n",
                     "\n// Whoever asks.\nint b;\n"):
            self.assert_fires("comment-opening", "src/core/a.cc", text)

    def test_sentences_pass(self):
        for text in ("// Returns the units that are left.\n",
                     "// Returns how many units are left\n// Of the limit.\n",
                     "// Whether it is open.\n", "// Theirs.\n"):
            self.assert_clean("src/core/a.cc", text)

    def test_bounds_have_the_name_of_a_bound(self):
        for name in ("kBytesMost", "kMostBytes", "failures_most", "most_", "kLeast"):
            self.assert_fires("bound-name", "src/core/a.cc", f"int {name} = 0;\n")
        for name in ("kMaxBytes", "max_failures", "at_most", "kAtMost", "almost", "topmost"):
            self.assert_clean("src/core/a.cc", f"int {name} = 0;\n")


class IncludeTest(TreeTest):
    def include(self, path, what, times):
        text = f"#include {what}\n"
        if times:
            self.assert_fires("include", path, text, times)
        else:
            self.assert_clean(path, text)

    def test_includes_along_the_arrows_pass(self):
        for layer, what in (
            ("core", '"core/limit/limit.h"'), ("core", '"sluice/limit.h"'), ("core", "<vector>"),
            ("core", "<chrono>"), ("store", '"core/limit/limit.h"'), ("store", "<mutex>"),
            ("store", "<sys/mman.h>"), ("limiter", '"store/store.h"'), ("net", '"wire/resp.h"'),
            ("gate", '"rules/rule.h"'), ("frontend", '"gate/gate.h"'), ("cli", '"admin/a.h"'),
            ("rules", "<re2/re2.h>"), ("config", '"rules/rule.h"'),
        ):
            self.include(f"src/{layer}/a.cc", what, 0)

    def test_includes_against_the_arrows_fire(self):
        for layer, what in (
            ("core", '"store/store.h"'), ("core", '"../store/store.h"'), ("core", "<mutex>"),
            ("core", "<thread>"), ("core", "<iostream>"), ("core", "<boost/asio.hpp>"),
            ("core", "<time.h>"), ("core", '"nowhere/a.h"'), ("store", '"limiter/limiter.h"'),
            ("store", '"../core/limit/limit.h"'), ("store", "<boost/asio.hpp>"),
            ("limiter", '"config/syntax/json.h"'), ("rules", '"store/store.h"'),
            ("wire", '"net/a.h"'), ("net", '"rules/rule.h"'),
            ("frontend", '"store/store.h"'), ("gate", '"net/a.h"'),
        ):
            self.include(f"src/{layer}/a.cc", what, 1)

    def test_public_headers_include_only_public_headers(self):
        self.assert_clean("include/sluice/a.h", HEADER + '#include "sluice/b.h"\n#include <span>\n')
        self.assert_fires("include", "include/sluice/a.h", HEADER + '#include "core/a.h"\n')
        self.assert_fires("include", "include/sluice/a.h", HEADER + "#include <re2/re2.h>\n")

    def test_unknown_folder_needs_a_row(self):
        self.assert_fires("include", "src/shared/a.cc", "int a;\n")

    def test_file_beside_and_commented_includes_pass(self):
        files = {"src/core/a.cc": '#include "b.h"\n// #include "store/store.h"\n',
                 "src/core/b.h": HEADER}
        self.assertEqual([], self.checks(files))

    def test_tests_may_include_any_layer(self):
        self.assert_clean("tests/unit/core/a_test.cc", '#include "store/store.h"\n')

    def test_closure_follows_arrows(self):
        table = {"a": {"b"}, "b": {"c"}, "c": set(), "d": {"*"}}
        self.assertEqual({"b", "c"}, arrows.closure(table, "a"))
        self.assertEqual(set(table), arrows.closure(table, "d"))


class ExemptionsTest(TreeTest):
    BAD = {"src/core/a.cc": "sleep(1);\n"}

    def test_exemption_excuses_its_check_and_path_only(self):
        self.assertEqual([], self.checks(self.BAD, "src/core/a.cc | clock | waits for hardware\n"))
        self.assertEqual([], self.checks(self.BAD, "src/*/a.cc | clock | waits for hardware\n"))
        self.assertEqual(["clock", "exemption"],
                         self.checks(self.BAD, "src/core/b.cc | clock | waits for hardware\n"))
        self.assertEqual(["clock", "exemption"],
                         self.checks(self.BAD, "src/core/a.cc | print | waits for hardware\n"))

    def test_exemption_that_excuses_nothing_is_an_error(self):
        self.assertEqual(["exemption"], self.checks({}, "src/a.cc | clock | was needed once\n"))

    def test_exemption_needs_three_fields_a_known_check_and_a_reason(self):
        for line in ("src/core/a.cc | clock", "src/core/a.cc | clok | waits for hardware",
                     "src/core/a.cc | clock | -"):
            self.assertEqual(["clock", "exemption"], sorted(self.checks(self.BAD, line + "\n")))


class PartsTest(unittest.TestCase):
    def test_split_keeps_lengths_and_lines(self):
        text = 'a("//x"); // b "c\n/* d\n e */ f(\'"\'); g = R"(h\n//)"; i = 1\'0; u8\'j\';\n'
        code, comments = split_cpp(text)
        self.assertEqual((len(text), len(text)), (len(code), len(comments)))
        self.assertEqual(text.count("\n"), code.count("\n"))
        self.assertEqual(["a(", ");", "f(", ");", "g", "=", ";", "i", "=", "1'0;", "u8", ";"],
                         [w for w in code.replace("R", " ").split()])
        self.assertEqual(["//", "b", '"c', "/*", "d", "e", "*/"], comments.split())

    def test_every_check_is_named(self):
        names = {name.removeprefix("check_").replace("_", "-")
                 for module in (arrows, patterns, sizes) for name in dir(module)
                 if name.startswith("check_")}
        self.assertEqual(CHECK_NAMES, names)

    def test_word_parts(self):
        self.assertEqual("impl", patterns.banned_word("HTTPImpl")[0])
        self.assertIsNone(patterns.banned_word("Implement"))


if __name__ == "__main__":
    unittest.main()
