# SPDX-License-Identifier: Apache-2.0
"""Second part of `make setup`: the virtual environment, its packages and the built interfaces.

Started by prepare.sh with the base interpreter; standard library only. Every stage is repeated only
when its inputs change, so a second run takes a second or two. Environment:

    FCP_TORCH   URL of the package index to take torch from, the path of a wheel, or "none" to go
                without (of models only the sentence models judge then); kept for later runs.
                Default: pip's own sources where they have the CPU build, else
                https://download.pytorch.org/whl/cpu, else the build on PyPI, which brings several
                GB of CUDA.
    FCP_OPEN3D  "none" to go without Open3D (300 MB; meshes and point clouds can't be read then),
                "pinned" to have it again; kept for later runs. Default: pinned, but where no build
                fits this system (they need x86_64 and glibc 2.35) it is left out.
    FCP_DEFAULT_MODEL
                "none" to go without the sentence model with the best degrees (405 MB), "mpnet" to
                have it again; kept for later runs. Default: it is fetched into the user's folder
                of models, once for all checkouts; where that fails a smaller one judges.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import environment
from default_model import SIZE, VARIABLE, check_choice, fetch_default_model
from stage import SetupError, Stages, content_hash, say

SOURCE = Path(__file__).resolve().parents[1]
REQUIREMENTS = SOURCE / "setup" / "requirements.txt"
ENGLISH = SOURCE / "setup" / "english.txt"
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
HASH = " --hash="
DISK_NEEDED = 4.0  # GB for a new environment
DISK_NEEDED_CUDA = 12.0  # GB for torch with CUDA
OPEN3D_GLIBC = "2.35"  # the wheels of the pinned version are made for this one or newer
PIP_INSTALL = (
    "-m",
    "pip",
    "install",
    "--no-input",
    "--disable-pip-version-check",
    "--progress-bar",
    "off",
    "--use-pep517",
)


class Setup:
    """One environment: its folder, where its ROS 2 comes from, and the stages that make it.

    Args:
        venv: the folder of the virtual environment (absolute).
        mode: "distribution" (a sourced ROS 2), or the name of a set of wheels (ros-<mode>.txt).
    """

    def __init__(self, venv: Path, mode: str) -> None:
        self.venv = venv
        self.mode = mode
        self.distribution = mode == "distribution"
        self.python = venv / "bin" / "python"
        self.colcon = venv / "colcon"
        self.install = self.colcon / "install"
        self.stages = Stages(venv)
        self.version = "{}.{}".format(*sys.version_info)
        self.full_version = "{}.{}.{}".format(*sys.version_info)

    def run(self) -> None:
        """Runs all stages in order."""
        model = self.model_choice()
        interpreter = os.path.realpath(sys.executable)
        self.stages.run(
            "venv",
            content_hash([str(self.venv), interpreter, self.full_version]),
            f"virtual environment {self.venv.name} (Python {self.full_version})",
            self.make_venv,
        )
        requirements = self.requirements()
        self.stages.run(
            "packages",
            content_hash([self.version, *requirements, ENGLISH]),
            f"{len(requirements)} pinned packages"
            + (
                " (ROS 2 from the sourced distribution)"
                if self.distribution
                else f" (ROS 2 {self.mode} and the common ones)"
            ),
            lambda: self.install_packages(requirements),
        )
        torch = pin_of("torch", REQUIREMENTS)
        torch_source = self.torch_source()
        self.stages.run(
            "torch",
            content_hash([self.version, torch, torch_source]),
            f"{torch} (CPU)",
            lambda: self.install_torch(torch, torch_source),
        )
        open3d = pin_of("open3d-cpu", REQUIREMENTS)
        self.stages.run(
            "open3d",
            content_hash([self.version, open3d, self.open3d_choice()]),
            open3d,
            lambda: self.install_open3d(open3d),
        )
        self.stages.run(
            "command",
            content_hash([SOURCE / "setup.py", str(SOURCE)]),
            "the command fcp",
            self.install_command,
        )
        self.stages.run(
            "interfaces",
            self.interface_hash(),
            "ROS 2 interfaces (colcon, some minutes the first time)",
            self.build_interfaces,
        )
        self.stages.run(
            "environment",
            content_hash(
                [SOURCE / "setup" / "environment.py", *requirements, self.interface_hash()]
            ),
            f"{self.venv.name}/{environment.SHELL_FILE}",
            self.write_environment,
        )
        self.stages.run(
            "kernels", self.kernel_hash(), "search kernels (compiled once)", self.compile_kernels
        )
        folders = [os.environ.get(name, "") for name in ("FCP_MODELS", "XDG_CACHE_HOME")]
        self.stages.run(
            "model",
            content_hash([model, SOURCE / "config" / "models.yaml", *folders]),
            f"the sentence model that judges by default ({SIZE}, once a machine)",
            lambda: fetch_default_model(
                model, self.stages, self.venv / environment.SHELL_FILE, SOURCE
            ),
        )

    def make_venv(self) -> None:
        """Makes the virtual environment, anew where one of another Python or place is there."""
        if self._usable():
            return
        free = shutil.disk_usage(SOURCE).free / 1e9
        if free < DISK_NEEDED:
            raise SetupError(
                f"only {free:.1f} GB are free in {SOURCE}; the environment needs "
                f"{DISK_NEEDED:.0f} GB: make room and run make again"
            )
        options = ["--system-site-packages"] if self.distribution else []
        for name in ("bin", "lib", "lib64", "include", "share", "tools", "stamps", "colcon"):
            path = self.venv / name
            if path.is_symlink():
                path.unlink()
            elif path.exists():
                shutil.rmtree(path)
        self.stages.command(
            [sys.executable, "-m", "venv", *options, self.venv],
            cwd=SOURCE,
            environment=os.environ,
            on_failure=f"{sys.executable} could not make {self.venv}",
        )
        (self.venv / "stamps").mkdir(exist_ok=True)

    def _usable(self) -> bool:
        """Return True if the folder is a working environment of this Python, made at this place."""
        pip = self.venv / "bin" / "pip"
        if not self.python.exists() or not pip.exists():
            return False
        shebang = pip.read_text(errors="replace").splitlines()[0]
        result = subprocess.run(
            [self.python, "-I", "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])"],
            capture_output=True,
            text=True,
            check=False,
        )
        return str(self.venv) in shebang and result.stdout.strip() == self.full_version

    def requirements(self) -> list[str]:
        """Return all pins but those with a stage of their own; a distribution keeps its numpy."""
        files = (
            [REQUIREMENTS]
            if self.distribution
            else [REQUIREMENTS, SOURCE / "setup" / f"ros-{self.mode}.txt"]
        )
        pins = [
            pin
            for file in files
            for pin in pins_in(file)
            if not pin.startswith(("torch==", "open3d-cpu=="))
        ]
        if self.distribution and _numpy_major() == 1:
            # The distribution's message packages are compiled for numpy 1 and can't use numpy 2.
            pins = [pin for pin in pins if not pin.startswith("numpy==")] + ["numpy==1.26.4"]
        return pins

    def install_packages(self, requirements: list[str]) -> None:
        """Installs the pinned packages as they stand; the list is complete, so none is resolved."""
        locked = [pin for pin in requirements if HASH in pin]
        listed, others = (self.venv / "logs" / name for name in ("locked.txt", "others.txt"))
        listed.write_text("\n".join(locked) + "\n")
        others.write_text("\n".join(pin for pin in requirements if HASH not in pin) + "\n")
        setuptools = pin_of("setuptools", REQUIREMENTS)
        hint = (
            "pip could not install the pinned packages; see above, check the network, "
            "and run make again"
        )
        # First what builds the few packages that exist as source only.
        self.pip("--no-deps", setuptools, on_failure=hint)
        plain = ("--no-deps", "--no-build-isolation")
        self.pip(*plain, "--require-hashes", "-r", listed, on_failure=hint)
        self.pip(*plain, "-r", others, on_failure=hint)
        self.pip("--no-deps", "--require-hashes", "-r", ENGLISH, on_failure=hint)

    def torch_source(self) -> str:
        """Return FCP_TORCH as it is set now, or as it was when it was last set; "" for neither."""
        return self._remembered("FCP_TORCH", "torch_source")

    def open3d_choice(self) -> str:
        """Return "none" to go without Open3D, now or since an earlier run; else "pinned"."""
        if (choice := os.environ.get("FCP_OPEN3D", "")) not in ("", "none", "pinned"):
            raise SetupError(f"FCP_OPEN3D is {choice!r}; it can be none or pinned")
        return self._remembered("FCP_OPEN3D", "open3d_choice") or "pinned"

    def model_choice(self) -> str:
        """Return the model that judges by default; "none" to go without, now or since earlier."""
        check_choice(os.environ.get(VARIABLE, ""))  # what is wrong is not remembered
        return check_choice(self._remembered(VARIABLE, "model_choice"))

    def _remembered(self, variable: str, record_name: str) -> str:
        """Return an environment variable, or the value it had in the last run that set it."""
        record = self.venv / record_name
        if chosen := os.environ.get(variable, ""):
            record.write_text(chosen)
        return record.read_text() if record.is_file() else ""

    def install_torch(self, pin: str, chosen: str) -> None:
        """Installs torch from the first place that has it; with CUDA only as a last resort."""
        if chosen == "none":
            say("  left out (FCP_TORCH=none): only the default model can judge in this environment")
            return
        if chosen:
            source = [chosen] if chosen.endswith(".whl") else ["--index-url", chosen, pin]
            self.pip("--no-deps", *source, on_failure=f"pip could not install {pin} from {chosen}")
            return
        tries: list[list[str]] = [
            [f"{pin}+cpu"],
            ["--index-url", TORCH_CPU_INDEX, "--retries", "2", "--timeout", "20", f"{pin}+cpu"],
        ]
        for options in tries:
            if self._try_pip("--no-deps", *options):
                return
        free = shutil.disk_usage(SOURCE).free / 1e9
        if free < DISK_NEEDED_CUDA:
            raise SetupError(
                f"no CPU build of {pin} for Python {self.version} could be had from pip's sources "
                f"or {TORCH_CPU_INDEX}, and there is no room for the one with CUDA on PyPI "
                f"({free:.1f} GB free, {DISK_NEEDED_CUDA:.0f} needed); set FCP_TORCH to the URL of "
                "an index or the path of a wheel"
            )
        say(
            f"  {TORCH_CPU_INDEX} can't be reached or lacks {pin} for this Python: taking PyPI's "
            "build, several GB with CUDA (set FCP_TORCH to choose another source)"
        )
        versions = self.venv / "logs" / "versions.txt"
        versions.write_text("\n".join(pin.split(HASH)[0] for pin in self.requirements()) + "\n")
        self.pip("-c", versions, pin, on_failure=f"pip could not install {pin}")

    def install_open3d(self, pin: str) -> None:
        """Install Open3D, or go without it where that was chosen or no build fits this system."""
        if self.open3d_choice() == "none":
            reason = "FCP_OPEN3D=none"
            self.stages.succeeds(
                [self.python, "-m", "pip", "uninstall", "--yes", "open3d-cpu"],
                cwd=SOURCE,
                environment=_pip_environment(),
            )
        elif not has_open3d_build():
            reason = (
                f"there is a build for x86_64 with glibc {OPEN3D_GLIBC} only, and this is "
                f"{platform.machine()} with {' '.join(platform.libc_ver())}"
            )
        else:
            self.pip(
                "--no-deps",
                pin,
                on_failure=f"pip could not install {pin}; check the network "
                "and run make again, or go without it: FCP_OPEN3D=none make setup",
            )
            return
        say(f"  left out ({reason}): meshes and point clouds can't be read in this environment")

    def install_command(self) -> None:
        """Installs the checkout itself in development mode, for the command and the metadata."""
        self.pip(
            "--no-deps",
            "--no-build-isolation",
            "--config-settings",
            "editable_mode=compat",
            "--editable",
            SOURCE,
            on_failure="pip could not install this checkout",
        )

    def interface_hash(self) -> str:
        """Returns the hash of all that the build copies, links or compiles."""
        parts: list[str | Path] = [self.mode, self.version, str(self.venv)]
        for pattern in ("msg/*.msg", "srv/*.srv", "action/*.action", "cmake/*"):
            parts += sorted(SOURCE.glob(pattern))
        parts += [SOURCE / "CMakeLists.txt", SOURCE / "package.xml"]
        for folder in self.test_interfaces():
            parts += [folder.parent / "interfaces.cmake", *sorted(folder.glob("*.*"))]
            parts += sorted(folder.glob("msg/*.msg"))
        # Files that are linked to, not copied: only which ones there are matters.
        for folder in ("fcp_ros", "launch", "config"):
            parts += sorted(
                str(path.relative_to(SOURCE))
                for path in (SOURCE / folder).rglob("*")
                if path.is_file() and "__pycache__" not in path.parts
            )
        return content_hash(parts)

    def test_interfaces(self) -> list[Path]:
        """Return the packages of messages that only the tests send and that nothing else brings."""
        sourced = os.environ.get("AMENT_PREFIX_PATH", "") if self.distribution else ""
        prefixes = [Path(prefix) for prefix in sourced.split(":") if prefix]
        others = [prefix for prefix in prefixes if prefix != self.install]
        return [
            file.parent
            for file in sorted(SOURCE.glob("test/interfaces/*/package.xml"))
            if not any((prefix / "share" / file.parent.name).is_dir() for prefix in others)
        ]

    def build_interfaces(self) -> None:
        """Builds the packages with colcon; Python, launch and config files are linked to."""
        variables = environment.build_variables(self.venv, self.distribution)
        self.stages.command(
            [
                self.venv / "bin" / "colcon",
                "--log-base",
                self.colcon / "log",
                "build",
                "--base-paths",
                SOURCE,
                *self.test_interfaces(),
                "--build-base",
                self.colcon / "build",
                "--install-base",
                self.install,
                "--merge-install",
                "--symlink-install",
                "--event-handlers",
                "console_direct+",
                "--cmake-args",
                "-G",
                "Ninja",
                "-DCMAKE_BUILD_TYPE=Release",
                "-DBUILD_TESTING=OFF",
                "-DFCP_ROS_PYTHON_ONLY=ON",
                f"-DPython3_EXECUTABLE={self.python}",
                "-Wno-unused-cli",
            ],
            cwd=self.venv,
            environment=variables,
            on_failure="the ROS 2 interfaces could not be built; see above",
        )

    def write_environment(self) -> None:
        """Writes the environment and tries it: rclpy and an interface must import."""
        environment.write_shell_file(self.venv, self.install, SOURCE, self.distribution)
        if not self.distribution:
            environment.write_startup_module(self.venv, self.install)
        check = (
            "import rclpy, fcp_ros.msg; from fcp_ros.msg import Plan; "
            "Plan.__class__.__import_type_support__()"
        )
        shell_file = self.venv / environment.SHELL_FILE
        if not self.stages.succeeds(
            ["sh", "-c", f'. "{shell_file}" && python -c "{check}"'],
            cwd=self.venv,
            environment=os.environ,
        ):
            raise SetupError(_missing_library(self.stages.log_text()))

    def kernel_hash(self) -> str:
        """Hash of all that the compiled kernels depend on."""
        planning = SOURCE / "fcp_ros" / "planning"
        files = [
            path
            for name in ("flat", "heuristics", "model", "search")
            for path in sorted((planning / name).rglob("*.py"))
        ]
        return content_hash([self.full_version, pin_of("numba", REQUIREMENTS), str(SOURCE), *files])

    def compile_kernels(self) -> None:
        """Compiles the kernels of the search, so that the first plan need not wait for them."""
        shell_file = self.venv / environment.SHELL_FILE
        command = f'. "{shell_file}" && python -m fcp_ros.planning.warm_up'
        self.stages.command(
            ["sh", "-c", command],
            cwd=SOURCE,
            environment=os.environ,
            on_failure="the search kernels could not be compiled; see above",
        )

    def pip(self, *arguments: str | Path, on_failure: str) -> None:
        """Runs pip install in the environment."""
        self.stages.command(
            [self.python, *PIP_INSTALL, *arguments],
            cwd=SOURCE,
            environment=_pip_environment(),
            on_failure=on_failure,
        )

    def _try_pip(self, *arguments: str | Path) -> bool:
        return self.stages.succeeds(
            [self.python, *PIP_INSTALL, *arguments], cwd=SOURCE, environment=_pip_environment()
        )


def pins_in(file: Path) -> list[str]:
    """Returns the requirements of a file and of those that it names by -r, with their hashes."""
    text = file.read_text().replace("\\\n", " ")
    pins: list[str] = []
    for line in (line.strip() for line in text.splitlines()):
        if line.startswith("-r "):
            pins += pins_in(file.parent / line.removeprefix("-r "))
        elif line and not line.startswith("#"):
            pins.append(" ".join(line.split()))
    return pins


def pin_of(package: str, file: Path) -> str:
    """Returns the one pin of a package in a file, without its hashes."""
    pins = (pin.split(HASH)[0] for pin in pins_in(file))
    return next(pin for pin in pins if pin.startswith(f"{package}=="))


def _numpy_major() -> int | None:
    """The major version of the numpy that the base interpreter has, if any."""
    result = subprocess.run(
        [sys.executable, "-c", "import numpy; print(numpy.__version__)"],
        capture_output=True,
        text=True,
        check=False,
    )
    return int(result.stdout.split(".")[0]) if result.returncode == 0 else None


def has_open3d_build() -> bool:
    """Return True if the pinned Open3D has a wheel for this system."""
    name, version = platform.libc_ver()
    needed = [int(part) for part in OPEN3D_GLIBC.split(".")]
    return (
        platform.machine() == "x86_64"
        and name == "glibc"
        and [int(part) for part in version.split(".")[:2]] >= needed
    )


def _pip_environment() -> dict[str, str]:
    return {
        **os.environ,
        "PIP_USER": "0",
        "PYTHONNOUSERSITE": "1",
        "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "1",
    }


def _missing_library(output: str) -> str:
    """The sentence for an environment that does not import."""
    found = re.search(r"(lib[\w+.-]+\.so[\w.]*): cannot open shared object", output)
    if found:
        return (
            f"the system library {found.group(1)} is missing; install it (on Debian: "
            f"apt-get install apt-file && apt-file search {found.group(1)}) and run make again"
        )
    tail = "\n".join(output.splitlines()[-10:])
    return f"rclpy or the interfaces don't import:\n{tail}\nremove the folder and run make again"


def main() -> int:
    """Parses the arguments, takes the lock and runs the stages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", required=True)
    parser.add_argument("--environment", required=True)
    arguments = parser.parse_args()
    venv = SOURCE / arguments.environment
    begin = time.monotonic()
    setup = Setup(venv, arguments.mode)
    try:
        venv.mkdir(exist_ok=True)
        with (venv / ".setup_lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two makes at once: the second finds all done
            setup.run()
    except (SetupError, OSError) as error:
        print(f"setup: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("setup: interrupted; run make again to go on", file=sys.stderr)
        return 130
    if setup.stages.done:
        say(
            f"ready after {time.monotonic() - begin:.0f} s; for your own shell: "
            f". {arguments.environment}/{environment.SHELL_FILE}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
