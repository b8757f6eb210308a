"""cmake/find_torch.cmake in a project of its own, with packages that look like libtorch from outside."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

PROJECT = f"""
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES NONE)
include({ROOT}/cmake/find_torch.cmake)
lockstep_find_torch(FALLBACK ${{FALLBACK}})
if(NOT Torch_FOUND)
  message("none: ${{lockstep_torch_reason}}")
  return()
endif()
message("headers: ${{TORCH_INSTALL_PREFIX}}")
message("targets: ${{TARGETS_FROM}}")
message("library: ${{TORCH_LIBRARY}}")
message("prefixes: ${{CMAKE_PREFIX_PATH}}")
"""
# As libtorch has it: what is found on the way stays in the cache as well.
TORCH_CONFIG = """
get_filename_component(TORCH_INSTALL_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_package(Caffe2 REQUIRED PATHS ${CMAKE_CURRENT_LIST_DIR}/../Caffe2)
find_library(TORCH_LIBRARY torch PATHS "${TORCH_INSTALL_PREFIX}/lib")
message(WARNING "library kineto not found.")
"""
CAFFE2_CONFIG = """
get_filename_component(TARGETS_FROM "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
"""


class FindTorchTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        self.write("CMakeLists.txt", PROJECT)
        self.one, self.other = self.make_torch("one"), self.make_torch("the other")

    def write(self, name, content):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")

    def make_torch(self, name):
        self.write(f"{name}/share/cmake/Torch/TorchConfig.cmake", TORCH_CONFIG)
        self.write(f"{name}/share/cmake/Caffe2/Caffe2Config.cmake", CAFFE2_CONFIG)
        self.write(f"{name}/lib/libtorch.so", "")
        return str(self.root / name)

    def configure(self, *arguments, **environment):
        """What the project says, the build's cache being that of the call before."""
        kept = {name: value for name, value in os.environ.items()
                if name not in ("LOCKSTEP_TORCH_DIR", "CMAKE_PREFIX_PATH", "Torch_DIR", "Torch_ROOT")}
        done = subprocess.run(["cmake", "-S", self.root, "-B", self.root / "build", *arguments],
                              env={**kept, **environment}, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def expect_all_of(self, torch, said):
        self.assertIn(f"headers: {torch}\ntargets: {torch}\nlibrary: {torch}/lib/libtorch.so\n", said)

    def test_takes_the_one_that_is_given_before_one_in_the_prefix_path(self):
        said = self.configure(f"-DLOCKSTEP_TORCH_DIR={self.other}", f"-DCMAKE_PREFIX_PATH={self.one}",
                              f"-DFALLBACK={self.one}")
        self.expect_all_of(self.other, said)
        self.assertIn(f"prefixes: {self.one}\n", said, "the user's own is as it was")

    def test_follows_the_one_that_is_given_in_a_build_that_has_found_another(self):
        self.expect_all_of(self.one, self.configure(f"-DLOCKSTEP_TORCH_DIR={self.one}"))
        self.expect_all_of(self.other, self.configure(f"-DLOCKSTEP_TORCH_DIR={self.other}"))

    def test_follows_the_environment_in_a_build_that_has_found_another(self):
        self.expect_all_of(self.one, self.configure(CMAKE_PREFIX_PATH=self.one))
        self.expect_all_of(self.other, self.configure(CMAKE_PREFIX_PATH=self.one, LOCKSTEP_TORCH_DIR=self.other))

    def test_finds_none_when_the_one_that_is_given_is_none(self):
        said = self.configure("-DLOCKSTEP_TORCH_DIR=/nowhere", f"-DCMAKE_PREFIX_PATH={self.one}",
                              f"-DFALLBACK={self.one}")
        self.assertEqual(said, "none: LOCKSTEP_TORCH_DIR=/nowhere has no libtorch that CMake can use\n")
        self.expect_all_of(self.other, self.configure(f"-DLOCKSTEP_TORCH_DIR={self.other}"))

    def test_falls_back_when_the_prefix_path_holds_none(self):
        fallback = f"-DFALLBACK={self.other}"
        self.expect_all_of(self.other, self.configure(fallback))
        shutil.rmtree(self.root / "build")
        self.expect_all_of(self.one, self.configure(fallback, f"-DCMAKE_PREFIX_PATH={self.one}"))

    def test_says_what_to_set_when_there_is_none(self):
        self.assertEqual(self.configure(),
                         "none: libtorch was not found; set LOCKSTEP_TORCH_DIR or CMAKE_PREFIX_PATH\n")


if __name__ == "__main__":
    unittest.main()
