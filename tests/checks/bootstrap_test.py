"""tools/bootstrap on made-up machines: a copy of it runs with stand-ins for apt, sudo and python3 in PATH."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ("bash", "cat", "dirname", "env", "mktemp", "rm", "sleep", "tail")
LOG_CALL = 'echo "$(basename "$0") $*" >>"$CALLS"\n'
HAS_ALL = "echo -n installed\n"
HAS_NO_NINJA = '[[ ${!#} == ninja-build ]] || echo -n installed\n'
MAKE_VENV = 'mkdir -p .deps/venv/bin; printf "#!/bin/bash\\necho venv-python \\$* >>\\$CALLS\\n" >.deps/venv/bin/python\n' \
            "chmod +x .deps/venv/bin/python\n"


class BootstrapTest(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        (self.root / "tools").mkdir()
        (self.root / "bin").mkdir()
        shutil.copy(ROOT / "tools/bootstrap", self.root / "tools")
        for tool in TOOLS + ("basename", "chmod", "mkdir"):
            (self.root / "bin" / tool).symlink_to(shutil.which(tool))

    def stub(self, name, body=""):
        path = self.root / "bin" / name
        path.write_text("#!/bin/bash\n" + LOG_CALL + body, encoding="utf-8")
        path.chmod(0o755)

    def have_torch(self):
        (self.root / ".deps/venv/lib/python3.11/site-packages/torch-2.13.0+cpu.dist-info").mkdir(parents=True)

    def have_reader(self, name):
        (self.root / f".deps/venv/lib/python3.11/site-packages/{name}.dist-info").mkdir(parents=True)

    def bootstrap(self, *arguments, **environment):
        environment = {"PATH": str(self.root / "bin"), "CALLS": str(self.root / "calls"), **environment}
        return subprocess.run([self.root / "tools/bootstrap", *arguments], env=environment, capture_output=True,
                              text=True, timeout=60, check=False)

    def calls(self):
        path = self.root / "calls"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def changing_calls(self):
        return [call for call in self.calls() if not call.startswith("dpkg-query")]

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

    def test_shows_what_apt_said_when_it_fails(self):
        self.stub("apt-get", "echo E: no such luck; exit 100\n")
        self.stub("sudo", 'exec "$@"\n')
        self.stub("dpkg-query", HAS_NO_NINJA)
        result = self.bootstrap()
        self.assertEqual(result.returncode, 1)
        self.assertIn("E: no such luck", result.stderr)
        self.assertIn("bootstrap: error: this failed: as_root apt-get update", result.stderr)

    def test_lists_what_is_needed_where_there_is_no_apt(self):
        result = self.bootstrap()
        self.assertEqual(result.returncode, 1)
        self.assertIn("no apt-get here. Install the equivalents of these Debian packages", result.stderr)
        self.assertIn(" cmake g++ ", result.stderr)

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
