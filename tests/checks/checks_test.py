"""Each check of the sources must fail on what it is there to find, and name the file."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

MAP = """
```
include/lockstep/  public
src/base/          bottom
src/top/           top
src/net/           sees torch
```
"""
TREE = {
    "ARCHITECTURE.md": MAP,
    "include/lockstep/error.h": "#pragma once\n",
    "include/lockstep/net.h": '#pragma once\n#include <torch/torch.h>\n\n#include <vector>\n#include "lockstep/error.h"\n',
    "src/base/CMakeLists.txt": "lockstep_layer(base HEADERS lockstep/error.h SOURCES error.cpp)",
    "src/base/error.cpp": '#include "lockstep/error.h"\n',
    "src/top/CMakeLists.txt": "lockstep_layer(top SOURCES top.cpp DEPENDS base LIBRARIES fmt::fmt)",
    "src/top/top.h": "#pragma once\n",
    "src/top/top.cpp": '#include "top/top.h"\n\n#include "lockstep/error.h"\n',
    "src/net/CMakeLists.txt": "lockstep_layer(net TORCH HEADERS lockstep/net.h SOURCES net.cpp DEPENDS base)",
    "src/net/net.cpp": '#include "lockstep/net.h"\n',
}


class CheckTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        for name, content in TREE.items():
            self.write(name, content)

    def write(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")

    def run_check(self, name):
        environment = dict(os.environ, LOCKSTEP_CHECK_ROOT=str(self.root))
        return subprocess.run([ROOT / "tools" / name], env=environment, capture_output=True, text=True, timeout=60,
                              check=False)

    def expect_refused(self, check, *words):
        result = self.run_check(check)
        if result.returncode == 77:
            self.skipTest(result.stdout.strip())
        self.assertEqual(result.returncode, 1, result.stdout)
        for word in words:
            self.assertIn(word, result.stderr + result.stdout)


class LinksTest(CheckTest):
    def test_accepts_links_that_lead_somewhere(self):
        self.write("README.md", "# A\n[b](docs/b.md#the-second-one) [map](ARCHITECTURE.md) [out](https://example.org/x)\n")
        self.write("docs/b.md", "## The second one\n[up](../README.md#a) <img src=\"b.md\">\n```\n[code](nowhere)\n```\n")
        result = self.run_check("check_links")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("4 links", result.stdout)

    def test_refuses_a_missing_file(self):
        self.write("docs/b.md", "\n[gone](gone.md)\n")
        self.expect_refused("check_links", "docs/b.md:2: gone.md: there is no such file")

    def test_refuses_a_missing_picture(self):
        self.write("README.md", '<img src="docs/images/no.png" width="5">\n')
        self.expect_refused("check_links", "README.md:1: docs/images/no.png: there is no such file")

    def test_refuses_a_missing_heading(self):
        self.write("README.md", "# One\n[two](#two)\n")
        self.expect_refused("check_links", "README.md:2: #two: there is no such heading")


class LayersTest(CheckTest):
    def test_accepts_a_tree_in_order(self):
        result = self.run_check("check_layers")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("3 layers, 4 sources: every include points down", result.stdout)

    def test_refuses_an_upward_include(self):
        self.write("src/base/error.cpp", '#include "top/top.h"\n')
        self.expect_refused("check_layers", 'src/base/error.cpp: includes "top/top.h" of layer \'top\'')

    def test_refuses_a_sideways_include_through_a_public_header(self):
        self.write("src/top/top.cpp", '#include "lockstep/net.h"\n')
        self.expect_refused("check_layers", "src/top/top.cpp: includes \"lockstep/net.h\" of layer 'net'",
                            "src/top/top.cpp: includes <lockstep/net.h>, but layer 'top' is torch-free")

    def test_refuses_torch_in_a_torch_free_layer(self):
        for include in ("<torch/torch.h>", "<ATen/ATen.h>", '"c10/core/Device.h"'):
            self.write("src/base/error.cpp", f"#include {include}\n")
            self.expect_refused("check_layers", "src/base/error.cpp: includes <", "layer 'base' is torch-free")

    def test_refuses_layers_in_a_circle(self):
        self.write("src/base/CMakeLists.txt",
                   "lockstep_layer(base HEADERS lockstep/error.h SOURCES error.cpp DEPENDS top)")
        self.expect_refused("check_layers", "src/base/CMakeLists.txt: layer 'base' depends on itself in a circle")

    def test_refuses_an_unknown_dependency(self):
        self.write("src/top/CMakeLists.txt", "lockstep_layer(top SOURCES top.cpp DEPENDS base bsae)")
        self.expect_refused("check_layers", "there is no layer 'bsae' to depend on")

    def test_refuses_a_source_outside_every_layer(self):
        self.write("src/stray.cpp", "")
        self.expect_refused("check_layers", "src/stray.cpp: belongs to no layer")

    def test_refuses_a_public_header_that_nobody_owns(self):
        self.write("include/lockstep/extra.h", "")
        self.expect_refused("check_layers", "include/lockstep/extra.h: is in no layer's HEADERS")

    def test_refuses_a_public_header_that_needs_a_private_one(self):
        self.write("include/lockstep/error.h", '#include "top/top.h"\n')
        self.expect_refused("check_layers", 'include/lockstep/error.h: is public but includes "top/top.h"')

    def test_refuses_an_upward_include_in_a_public_header(self):
        self.write("include/lockstep/error.h", '#include "lockstep/net.h"\n')
        self.expect_refused("check_layers", "include/lockstep/error.h: includes \"lockstep/net.h\" of layer 'net'",
                            "include/lockstep/error.h: includes <lockstep/net.h>, but layer 'base' is torch-free")

    def test_refuses_torch_in_a_public_header_of_a_torch_free_layer(self):
        self.write("include/lockstep/error.h", "#include <ATen/ATen.h>\n")
        self.expect_refused("check_layers", "include/lockstep/error.h: includes <ATen/ATen.h>, but layer 'base' is")

    def test_refuses_a_third_party_in_a_public_header(self):
        for include in ("fmt/format.h", "toml.hpp", "sys/types.h"):
            self.write("include/lockstep/net.h", f"#include <string_view>\n#include <{include}>\n")
            self.expect_refused("check_layers", f"include/lockstep/net.h: is public but includes <{include}>, which")

    def test_refuses_a_folder_that_is_not_in_the_map(self):
        self.write("tests/new/a_test.cpp", "")
        self.expect_refused("check_layers", "tests/new/a_test.cpp: its folder tests/new/ is not in the code map")

    def test_refuses_a_map_that_names_what_is_gone(self):
        self.write("ARCHITECTURE.md", MAP + "\nsrc/gone/  nothing\n")
        self.expect_refused("check_layers", "ARCHITECTURE.md: the map names src/gone/, which does not exist")


class FormatTest(CheckTest):
    def test_names_a_badly_formatted_file(self):
        shutil.copy(ROOT / ".clang-format", self.root)
        self.write("src/base/error.cpp", "int  f( ){return 1;}\n")
        self.expect_refused("check_format", "src/base/error.cpp:1:", "'make format' does it")

    def test_fixes_it_when_asked(self):
        shutil.copy(ROOT / ".clang-format", self.root)
        self.write("src/base/error.cpp", "int  f( ){return 1;}\n")
        environment = dict(os.environ, LOCKSTEP_CHECK_ROOT=str(self.root))
        if subprocess.run([ROOT / "tools/check_format", "--fix"], env=environment, check=False).returncode == 77:
            self.skipTest("clang-format-14 is not installed")
        self.assertEqual((self.root / "src/base/error.cpp").read_text(encoding="utf-8"), "int f() {\n  return 1;\n}\n")
        self.assertEqual(self.run_check("check_format").returncode, 0)


class TidyTest(CheckTest):
    """tools/check_tidy on a project of two files, with our flags, our list of checks and our annotations."""

    LISTING = f"""
        cmake_minimum_required(VERSION 3.25)
        project(tiny LANGUAGES CXX)
        include({ROOT}/cmake/compiler.cmake)
        add_library(tiny STATIC src/base/count.cpp src/base/other.cpp)
        target_link_libraries(tiny PRIVATE lockstep_flags)
        target_include_directories(tiny PRIVATE {ROOT}/src)
        """
    COUNT = """
        #include "base/thread_annotations.h"

        class LOCKSTEP_CAPABILITY("mutex") Lock {
         public:
          void lock() LOCKSTEP_ACQUIRE();
          void unlock() LOCKSTEP_RELEASE();
        };

        class Count {
         public:
          int next() {
            lock_.lock();
            const int result = ++count_;
            lock_.unlock();
            return result;
          }

         private:
          Lock lock_;
          int count_ LOCKSTEP_GUARDED_BY(lock_) = 0;
        };
        """

    def setUp(self):
        super().setUp()
        for name in (".clang-tidy", "CMakePresets.json"):
            shutil.copy(ROOT / name, self.root)
        self.write("CMakeLists.txt", self.LISTING)
        self.write("src/base/count.cpp", self.COUNT)
        self.write("src/base/other.cpp", "int one();\nint one() {\n  return 1;\n}\n")

    def test_accepts_what_is_in_order(self):
        result = self.run_check("check_tidy")
        if result.returncode == 77:
            self.skipTest(result.stdout.strip())
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stdout, "2 files in 1 groups, 0 read again, 0 with findings\n")

    def test_names_a_badly_named_symbol(self):
        self.write("src/base/other.cpp", "int oneMore();\nint oneMore() {\n  return 1;\n}\n")
        self.expect_refused("check_tidy", "src/base/other.cpp:1:5: error: invalid case style for function 'oneMore'",
                            "2 files in 1 groups, 2 read again, 1 with findings")

    def test_names_an_access_without_the_lock(self):
        self.write("src/base/count.cpp", self.COUNT.replace("lock_.lock();", "").replace("lock_.unlock();", ""))
        self.expect_refused("check_tidy", "src/base/count.cpp", "'count_' requires holding mutex 'lock_' exclusively")

    def test_fails_when_there_is_nothing_to_read(self):
        self.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.25)\nproject(tiny LANGUAGES CXX)\n")
        self.expect_refused("check_tidy", "no file to read in ")


class ShellTest(CheckTest):
    def test_names_a_script_with_a_fault(self):
        for folder in (".ci", "tests"):
            (self.root / folder).mkdir(exist_ok=True)
        self.write("tools/broken", "#!/usr/bin/env bash\nrm $1\n")
        self.expect_refused("check_shell", "tools/broken", "SC2086")


class SummaryTest(CheckTest):
    JUNIT = """<testsuite name="x">
      <testcase name="A.Good" status="run"/>
      <testcase name="A.Bad" status="fail"><failure message=""/></testcase>
      <testcase name="A.Skipped" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
        <system-out>a_test.cpp:7: Skipped\nthere is no GPU here\n</system-out></testcase>
      <testcase name="check.b" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
        <system-out>SKIPPED: clang is not installed\n</system-out></testcase>
    </testsuite>"""

    def summarize(self, content):
        self.write("release/tests.xml", content)
        return subprocess.run([ROOT / "tools/summarize_tests", self.root / "release/tests.xml"], capture_output=True,
                              text=True, check=False)

    def test_counts_and_says_why_a_test_was_skipped(self):
        result = self.summarize(self.JUNIT)
        self.assertEqual(result.returncode, 1)
        self.assertIn("FAILED   release: A.Bad\n", result.stdout)
        self.assertIn("skipped  release: A.Skipped: there is no GPU here\n", result.stdout)
        self.assertIn("skipped  release: check.b: clang is not installed\n", result.stdout)
        self.assertTrue(result.stdout.endswith("\n1 passed, 1 failed, 2 skipped\n"), result.stdout)

    def test_refuses_a_run_without_tests(self):
        self.assertEqual(self.summarize("<testsuite/>").returncode, 1)


class SuiteTest(CheckTest):
    """tools/run_suite in a tree of its own, with stand-ins for cmake, ninja and ctest that say what they were asked to do."""

    CMAKE = """#!/usr/bin/env bash
        echo "CMake says much"
        [[ $2 != "$MISCONFIGURED" ]] || exit 1
        mkdir -p "build/$2"
        touch "build/$2/build.ninja"
        """
    NINJA = """#!/usr/bin/env bash
        if [[ $3 == -n ]]; then
          echo "[1/1] compile"
        else
          echo "built ${2#build/} at priority $(nice)"
          [[ $2 != "build/$BROKEN" ]]
        fi
        """
    CTEST = """#!/usr/bin/env bash
        echo "tested $2 at priority $(nice): ${*:5}"
        mkdir -p "build/$2"
        echo '<testsuite><testcase name="A.Good" status="run"/></testsuite>' >"build/$2/$4"
        [[ $4 != "$FAILING" ]]
        """

    CHECKS = r"^(check[.]tidy$|consumer[.]|fuzz[.])"

    def run_suite(self, *suites, broken="", failing="", tests="", misconfigured=""):
        shutil.rmtree(self.root / "build", ignore_errors=True)
        for name, content in (("bin/cmake", self.CMAKE), ("bin/ninja", self.NINJA), ("bin/ctest", self.CTEST)):
            self.write(name, content)
            (self.root / name).chmod(0o755)
        for tool in ("build", "run_suite", "summarize_tests"):
            self.write(f"tools/{tool}", (ROOT / "tools" / tool).read_text(encoding="utf-8"))
            (self.root / "tools" / tool).chmod(0o755)
        environment = dict(os.environ, PATH=f"{self.root / 'bin'}:{os.environ['PATH']}", BROKEN=broken, FAILING=failing,
                           TESTS=tests, MISCONFIGURED=misconfigured)
        result = subprocess.run([self.root / "tools/run_suite", *suites], env=environment, capture_output=True,
                                text=True, timeout=60, check=False)
        steps = [line for line in result.stdout.splitlines() if line.startswith(("built", "tested"))]
        return result, steps

    def test_builds_all_but_the_first_and_runs_its_checks_at_the_lowest_priority(self):
        result, steps = self.run_suite("release", "asan", "tsan")
        usual, rest = os.nice(0), f"--exclude-regex {self.CHECKS}"
        self.assertEqual(steps, [f"built release at priority {usual}", f"tested release at priority {usual}: {rest}",
                                 "built asan at priority 19", f"tested asan at priority {usual}: {rest}",
                                 "built tsan at priority 19", f"tested tsan at priority {usual}: {rest}",
                                 f"tested release at priority 19: --tests-regex {self.CHECKS}"])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("\nrelease      2 passed     0 failed     0 skipped\n", result.stdout)
        self.assertTrue(result.stdout.endswith("\n4 passed, 0 failed, 0 skipped\n"), result.stdout)

    def test_runs_all_tests_in_one_go_where_checks_have_nothing_to_go_beside(self):
        usual = os.nice(0)
        _, steps = self.run_suite("release")
        self.assertEqual(steps, [f"built release at priority {usual}", f"tested release at priority {usual}: "])
        _, steps = self.run_suite("tsan", "asan")
        self.assertEqual([step for step in steps if step.startswith("tested")],
                         [f"tested tsan at priority {usual}: ", f"tested asan at priority {usual}: "])

    def test_runs_the_tests_that_are_asked_for_in_every_suite(self):
        usual = os.nice(0)
        _, steps = self.run_suite("release", "asan", tests="Dead|fuzz")
        self.assertEqual([step for step in steps if step.startswith("tested")],
                         [f"tested {suite} at priority {usual}: --tests-regex Dead|fuzz" for suite in ("release", "asan")])

    def test_goes_on_after_a_build_that_failed_and_tells_in_the_end(self):
        for broken, tested in (("release", ["asan", "tsan"]), ("asan", ["release", "tsan", "release"])):
            result, steps = self.run_suite("release", "asan", "tsan", broken=broken)
            self.assertEqual([step.split()[1] for step in steps if step.startswith("tested")], tested)
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"the {broken} build failed", result.stderr)
            self.assertTrue(result.stdout.endswith(f"\n{len(tested)} passed, 0 failed, 0 skipped\n"), result.stdout)

    def test_shows_what_cmake_says_only_when_it_fails(self):
        result, _ = self.run_suite("release")
        self.assertNotIn("CMake says much", result.stdout + result.stderr)
        result, steps = self.run_suite("release", misconfigured="release")
        self.assertEqual(steps, [])
        self.assertIn("CMake says much", result.stderr)
        self.assertEqual(result.returncode, 1)

    def test_fails_when_the_checks_do(self):
        result, _ = self.run_suite("release", "asan", failing="checks.xml")
        self.assertEqual(result.returncode, 1)


if __name__ == "__main__":
    unittest.main()
