"""tools/bootstrap on made-up machines: a copy of it runs with stand-ins for apt, sudo, compilers and python3 in PATH."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ("basename", "bash", "cat", "chmod", "dirname", "env", "mkdir", "mktemp", "rm", "sed", "sort", "tail", "true")
LIBRARY_HEADERS = {"CLI/CLI.hpp", "benchmark/benchmark.h", "fmt/format.h", "gmock/gmock.h", "gtest/gtest.h",
                   "hwloc.h", "nlohmann/json.hpp", "spdlog/logger.h", "toml.hpp", "xxhash.h", "zlib.h"}
NOBODY = 65534
LOG_CALL = 'echo "$(basename "$0") $*" >>"$CALLS"\n'
HAS_ALL = 'printf "installed %s\\n" "${@:3}"\n'
HAS_NO_NINJA = 'for package in "${@:3}"; do [[ $package == ninja-build ]] || echo "installed $package"; done; exit 1\n'
MAKE_VENV = 'mkdir -p .deps/venv/bin; printf "#!/bin/bash\\necho venv-python \\$* >>\\$CALLS\\n" >.deps/venv/bin/python\n' \
            "chmod +x .deps/venv/bin/python\n"


class BootstrapTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / "tools").mkdir()
        (self.root / "bin").mkdir()
        # Where toolkits lie is the only place outside PATH that it looks at.
        script = (ROOT / "tools/bootstrap").read_text(encoding="utf-8")
        self.assertIn(" /usr/local/cuda /opt/cuda;", script)
        (self.root / "tools/bootstrap").write_text(script.replace(" /usr/local/cuda /opt/cuda;", ' "$CUDA_FOLDER";'),
                                                   encoding="utf-8")
        (self.root / "tools/bootstrap").chmod(0o755)
        for tool in TOOLS:
            (self.root / "bin" / tool).symlink_to(shutil.which(tool))
        self.have_versions()

    def stub(self, name, body=""):
        path = self.root / "bin" / name
        path.write_text("#!/bin/bash\n" + LOG_CALL + body, encoding="utf-8")
        path.chmod(0o755)

    def have_versions(self, cmake="3.25.1", gxx="12.2.0"):
        self.stub("cmake", f'printf "cmake version {cmake}\\n\\nCMake suite maintained by\\n"\n')
        self.stub("g++", f'[[ $1 != -dumpfullversion ]] || echo {gxx}\n')

    def have_torch(self, cuda="None"):
        packages = self.root / ".deps/venv/lib/python3.11/site-packages"
        (packages / "torch-2.13.0.dist-info").mkdir(parents=True)
        (packages / "torch").mkdir()
        (packages / "torch/version.py").write_text(f"debug = False\ncuda: Optional[str] = {cuda}\n", encoding="utf-8")

    def have_reader(self, name):
        (self.root / f".deps/venv/lib/python3.11/site-packages/{name}.dist-info").mkdir(parents=True)

    def bootstrap(self, *arguments, user=None, **environment):
        environment = {"PATH": str(self.root / "bin"), "CALLS": str(self.root / "calls"),
                       "CUDA_FOLDER": str(self.root / "cuda"), **environment}
        return subprocess.run([self.root / "tools/bootstrap", *arguments], env=environment, capture_output=True,
                              text=True, timeout=60, check=False, user=user)

    def bootstrap_as_a_user(self):
        """Who may not install packages; root becomes nobody for that."""
        if os.geteuid() != 0:
            return self.bootstrap()
        for path in (self.root, *self.root.rglob("*")):
            os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
        return self.bootstrap(user=NOBODY)

    def calls(self):
        path = self.root / "calls"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def changing_calls(self):
        looks = ("dpkg-query ", "cmake --version", "g++ -dumpfullversion")
        return [call for call in self.calls() if not call.startswith(looks)]

    def packages_asked_for(self):
        call, = (call for call in self.calls() if call.startswith("dpkg-query "))
        return re.sub(r".*\$\{Package\}\S+ ", "", call).split()

    def test_does_and_says_nothing_when_all_is_there(self):
        self.stub("apt-get")
        self.stub("dpkg-query", HAS_ALL)
        self.have_torch()
        self.have_reader("tensorboard-2.21.0")
        self.have_reader("safetensors-0.8.0")
        result = self.bootstrap("--checks")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(self.changing_calls(), [])

    def test_installs_just_what_is_missing(self):
        self.stub("apt-get")
        self.stub("sudo", 'exec "$@"\n')
        self.stub("dpkg-query", HAS_NO_NINJA)
        self.have_torch()
        result = self.bootstrap()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "bootstrap: installing Debian packages: ninja-build\n")
        self.assertIn("apt-get update", self.calls())
        self.assertIn("apt-get install --yes --no-install-recommends ninja-build", self.calls())
        self.assertEqual(os.geteuid() != 0, "sudo apt-get update" in self.calls())

    def test_asks_dpkg_once_about_all_packages(self):
        self.stub("apt-get")
        self.stub("dpkg-query", HAS_ALL)
        self.have_torch()
        self.assertEqual(self.bootstrap().returncode, 0)
        self.assertEqual(len([call for call in self.calls() if call.startswith("dpkg-query")]), 1)
        self.assertIn("cmake", self.packages_asked_for())

    def test_takes_a_package_that_was_removed_for_missing(self):
        self.stub("apt-get")
        self.stub("sudo", 'exec "$@"\n')
        self.stub("dpkg-query", HAS_NO_NINJA.replace("exit 1", "echo config-files ninja-build"))
        self.have_torch()
        self.assertEqual(self.bootstrap().stdout, "bootstrap: installing Debian packages: ninja-build\n")

    def test_installs_packages_with_sudo_for_who_is_not_root(self):
        self.stub("apt-get")
        self.stub("sudo", 'exec "$@"\n')
        self.stub("dpkg-query", HAS_NO_NINJA)
        self.have_torch()
        result = self.bootstrap_as_a_user()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.changing_calls(), [
            "sudo true", "sudo apt-get update", "apt-get update",
            "sudo env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends ninja-build",
            "apt-get install --yes --no-install-recommends ninja-build"])

    def test_says_what_root_has_to_do_where_there_is_no_sudo(self):
        self.stub("apt-get")
        self.stub("dpkg-query", HAS_NO_NINJA)
        self.have_torch()
        result = self.bootstrap_as_a_user()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, "bootstrap: error: missing packages need root and there is no sudo; as root, run: "
                                        "apt-get install ninja-build\n")
        self.assertEqual(self.changing_calls(), [])

    def test_shows_what_apt_said_when_it_fails(self):
        self.stub("apt-get", "echo E: no such luck; exit 100\n")
        self.stub("sudo", 'exec "$@"\n')
        self.stub("dpkg-query", HAS_NO_NINJA)
        result = self.bootstrap()
        self.assertEqual(result.returncode, 1)
        self.assertIn("E: no such luck", result.stderr)
        self.assertIn("bootstrap: error: this failed: as_root apt-get update", result.stderr)

    def test_lists_every_package_where_there_is_no_apt(self):
        for arguments in ((), ("--checks",)):
            (self.root / "calls").unlink(missing_ok=True)
            (self.root / "bin/apt-get").unlink(missing_ok=True)
            result = self.bootstrap(*arguments)
            self.assertEqual(result.returncode, 1)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
            self.assertIn("no apt-get here, and these are missing: ninja python3. Install the equivalents of these Debian "
                          "packages, then run again: ", result.stderr)
            self.stub("apt-get")
            self.stub("dpkg-query", HAS_ALL)
            self.bootstrap(*arguments, LOCKSTEP_TORCH_DIR="/nowhere")
            self.assertEqual(result.stderr.split("run again: ")[1].split(), self.packages_asked_for())

    def test_names_the_headers_that_are_missing_where_there_is_no_apt(self):
        self.stub("ninja")
        self.stub("python3")
        self.stub("g++", '[[ $1 == -dumpfullversion ]] || printf "%s\\n" xxhash.h gmock/gmock.h\n')
        result = self.bootstrap()
        self.assertEqual(result.returncode, 1)
        self.assertIn("these are missing: xxhash.h gmock/gmock.h. Install", result.stderr)

    def test_asks_the_preprocessor_once_for_all_headers(self):
        self.stub("ninja")
        self.stub("python3")
        self.have_torch()
        self.stub("g++", f'[[ $1 == -dumpfullversion ]] || cat >"$CALLS.headers"\n'
                         f'"{shutil.which("g++")}" "$@" <"$CALLS.headers"\n')
        (self.root / "calls.headers").touch()
        result = self.bootstrap()
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        self.assertEqual(len([call for call in self.calls() if " -E " in call]), 1)
        asked = (self.root / "calls.headers").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall("<(.+)>", asked)), LIBRARY_HEADERS)

    def test_refuses_a_cmake_that_is_too_old(self):
        self.stub("apt-get")
        self.stub("dpkg-query", HAS_ALL)
        self.have_versions(cmake="3.22.1")
        result = self.bootstrap()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, "bootstrap: error: cmake 3.22.1 is too old, Lockstep needs 3.25 or later (as in "
                                        "Debian 12 or Ubuntu 24.04): put a newer one first in PATH\n")
        self.assertEqual(self.changing_calls(), [], "before anything is downloaded")

    def test_refuses_a_compiler_that_is_too_old(self):
        self.stub("apt-get")
        self.stub("dpkg-query", HAS_ALL)
        self.have_torch()
        self.have_versions(gxx="9.4.0")
        result = self.bootstrap()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(result.stderr, "bootstrap: error: g++ 9.4.0 is too old, Lockstep needs 12 or later (as in "
                                        "Debian 12 or Ubuntu 24.04): name a newer one by CXX\n")
        self.stub("g++-13", "echo 13.1.0\n")
        self.assertEqual(self.bootstrap(CXX=str(self.root / "bin/g++-13")).returncode, 0)
        self.assertEqual(self.bootstrap(CXX="clang++").returncode, 0)

    def test_refuses_a_torch_for_cuda_without_the_toolkit(self):
        self.stub("apt-get")
        self.stub("dpkg-query", HAS_ALL)
        self.have_torch(cuda="'13.0'")
        result = self.bootstrap()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        for words in ("the torch 2.13.0 that pip installed is a build for CUDA 13.0, and there is no CUDA toolkit (nvcc) here",
                      "LOCKSTEP_TORCH_DIR", "PIP_EXTRA_INDEX_URL", "remove .deps/venv"):
            self.assertIn(words, result.stderr)

    def test_takes_a_torch_for_cuda_beside_a_toolkit(self):
        self.stub("apt-get")
        self.stub("dpkg-query", HAS_ALL)
        self.have_torch(cuda="'13.0'")
        (self.root / "cuda/bin").mkdir(parents=True)
        self.stub("../cuda/bin/nvcc")
        toolkit = str(self.root / "cuda")
        for environment in ({}, {"CUDA_FOLDER": "/nowhere", "CUDA_HOME": toolkit},
                            {"CUDA_FOLDER": "/nowhere", "PATH": f"{self.root / 'bin'}:{toolkit}/bin"}):
            result = self.bootstrap(**environment)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.bootstrap(CUDA_FOLDER="/nowhere").returncode, 1)

    def test_puts_torch_into_a_virtual_environment(self):
        self.stub("apt-get")
        self.stub("dpkg-query", HAS_ALL)
        self.stub("python3", MAKE_VENV)
        result = self.bootstrap()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), 2, "one line a step")
        self.assertEqual(self.changing_calls()[0], "python3 -m venv --clear .deps/venv")
        self.assertIn("torch==2.13.0", self.changing_calls()[1])

    def test_puts_readers_beside_torch_for_the_checks(self):
        self.stub("apt-get")
        self.stub("dpkg-query", HAS_ALL)
        self.stub("python3", MAKE_VENV)
        result = self.bootstrap("--checks")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), 3, "one line a step")
        self.assertEqual(self.changing_calls()[2],
                         "venv-python -m pip install --quiet tensorboard==2.21.0 safetensors==0.8.0")

    def test_installs_only_the_reader_that_is_missing(self):
        self.stub("apt-get")
        self.stub("dpkg-query", HAS_ALL)
        self.stub("python3", MAKE_VENV)
        self.assertEqual(self.bootstrap().returncode, 0)
        (self.root / "calls").unlink()
        self.have_torch()
        self.have_reader("tensorboard-2.21.0")
        result = self.bootstrap("--checks")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "bootstrap: installing safetensors==0.8.0 into .deps/venv\n")
        self.assertEqual(self.changing_calls(), ["venv-python -m pip install --quiet safetensors==0.8.0"])

    def test_makes_an_environment_for_readers_where_torch_needs_none(self):
        self.stub("apt-get")
        self.stub("dpkg-query", HAS_ALL)
        self.stub("python3", MAKE_VENV)
        config = self.root / "libtorch/share/cmake/Torch/TorchConfig.cmake"
        config.parent.mkdir(parents=True)
        config.touch()
        result = self.bootstrap("--checks", LOCKSTEP_TORCH_DIR=str(self.root / "libtorch"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.changing_calls(), [
            "python3 -m venv .deps/venv",
            "venv-python -m pip install --quiet tensorboard==2.21.0 safetensors==0.8.0"])

    def test_takes_a_libtorch_that_is_given(self):
        self.stub("apt-get")
        self.stub("dpkg-query", HAS_ALL)
        config = self.root / "my libtorch/share/cmake/Torch/TorchConfig.cmake"
        config.parent.mkdir(parents=True)
        config.touch()
        libtorch = str(self.root / "my libtorch")
        for environment in ({"LOCKSTEP_TORCH_DIR": libtorch}, {"CMAKE_PREFIX_PATH": f"/nowhere:{libtorch}"}):
            result = self.bootstrap(**environment)
            self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)
        self.assertEqual(self.changing_calls(), [])

    def test_refuses_a_libtorch_that_is_none(self):
        self.stub("apt-get")
        self.stub("dpkg-query", HAS_ALL)
        result = self.bootstrap(LOCKSTEP_TORCH_DIR="/nowhere")
        self.assertEqual(result.returncode, 1)
        self.assertIn("LOCKSTEP_TORCH_DIR=/nowhere has no share/cmake/Torch", result.stderr)

    def test_refuses_an_unknown_argument(self):
        result = self.bootstrap("--chekcs")
        self.assertEqual(result.returncode, 1)
        self.assertIn("unknown argument '--chekcs'", result.stderr)


if __name__ == "__main__":
    unittest.main()
