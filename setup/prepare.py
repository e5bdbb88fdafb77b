# SPDX-License-Identifier: Apache-2.0
"""Second part of `make setup`: the virtual environment, its packages and the built interfaces.

Started by prepare.sh with the base interpreter; standard library only. Every stage is repeated only
when its inputs change, so a second run takes a second or two. Environment:

    FCP_TORCH   URL of the package index to take torch from, the path of a wheel, or "none" to go
                without (of models only the sentence models judge then). Default: pip's own sources
                where they have the CPU build, else https://download.pytorch.org/whl/cpu, else the
                build on PyPI, which brings several GB of CUDA.
    FCP_OPEN3D  "none" to go without Open3D (300 MB; meshes and point clouds can't be read then),
                "pinned" to have it again. Default: pinned, but left out where no build fits (they
                need x86_64 and glibc 2.35).
    FCP_DEFAULT_MODEL
                "none" to go without the sentence model with the best degrees (405 MB), "mpnet" to
                have it again. Default: it is fetched into the user's folder of models, once for all
                checkouts; where that fails a smaller one judges.

What was chosen is kept for later runs.
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
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(SOURCE / "setup"))

import environment  # noqa: E402
from stage import SetupError, Stages, content_hash, say  # noqa: E402

REQUIREMENTS = SOURCE / "setup" / "requirements.txt"
ENGLISH = SOURCE / "setup" / "english.txt"
TORCH = SOURCE / "setup" / "torch.txt"
TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
HASH = " --hash="
DISK_NEEDED = 4.0  # GB for a new environment
DISK_NEEDED_CUDA = 12.0  # GB for torch with CUDA
OPEN3D_GLIBC = "2.35"  # the wheels of the pinned version are made for this one or newer
UV = "0.13.9"  # installs the packages in a tenth of pip's time
NETWORK = "check the network and run make again"
CHOICES = {"FCP_OPEN3D": ("none", "pinned"), "FCP_DEFAULT_MODEL": ("none", "mpnet")}


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
        self.shell_file = venv / environment.SHELL_FILE
        self.stages = Stages(venv)
        self.version = platform.python_version()

    def run(self) -> None:
        """Run all stages; interfaces, and what needs none of them, side by side."""
        for variable in CHOICES:
            check_choice(variable)
        run = self.stages.run
        interpreter = os.path.realpath(sys.executable)
        title = f"virtual environment {self.venv.name} (Python {self.version})"
        run("venv", content_hash([str(self.venv), interpreter, self.version, UV]), title, self.make)
        requirements = self.requirements()
        stamp = content_hash([self.version, *requirements, ENGLISH])
        origin = "the sourced distribution" if self.distribution else f"wheels of {self.mode}"
        title = f"{len(requirements)} pinned packages (ROS 2: {origin})"
        run("packages", stamp, title, lambda: self.install_packages(requirements))
        with ThreadPoolExecutor(1) as pool:
            built = pool.submit(self.build, requirements)
            self.fetch()
            self.stages.done += built.result()
        self.fetch_default()

    def build(self, requirements: list[str]) -> int:
        """Build the interfaces, and write the environment that has them; return what was done."""
        stages = Stages(self.venv)
        run = stages.run
        title = "ROS 2 interfaces (colcon, some minutes the first time)"
        run("interfaces", self.interface_hash(), title, lambda: self.build_interfaces(stages))
        file = SOURCE / "setup" / "environment.py"
        stamp = content_hash([file, *requirements, self.interface_hash()])
        name = self.shell_file.name
        run("environment", stamp, name, lambda: self.write_environment(stages))
        return stages.done

    def fetch(self) -> None:
        """Install what is left, and compile the kernels."""
        run = self.stages.run
        torch, source = pin_of("torch", TORCH), self.remember("FCP_TORCH", "torch_source")
        stamp = content_hash([self.version, torch, source])
        run("torch", stamp, f"{torch} (CPU)", lambda: self.install_torch(torch, source))
        open3d = pin_of("open3d-cpu"), self.remember("FCP_OPEN3D", "open3d_choice") or "pinned"
        stamp = content_hash([self.version, *open3d])
        run("open3d", stamp, open3d[0], lambda: self.install_open3d(*open3d))
        stamp = content_hash([SOURCE / "setup.py", str(SOURCE)])
        run("command", stamp, "the command fcp", self.install_command)
        run("kernels", self.kernel_hash(), "search kernels (compiled once)", self.compile_kernels)

    def fetch_default(self) -> None:
        """Fetch the model by the command `fcp`, which needs the built interfaces."""
        model = self.remember("FCP_DEFAULT_MODEL", "model_choice") or "mpnet"
        folders = [os.environ.get(name, "") for name in ("FCP_MODELS", "XDG_CACHE_HOME")]
        stamp = content_hash([model, SOURCE / "config" / "models.yaml", *folders])
        title = "the sentence model that judges by default (405 MB, once a machine)"
        self.stages.run("model", stamp, title, lambda: self.fetch_model(model))

    def make(self) -> None:
        """Make the virtual environment, anew where one of another Python or place is there."""
        if not self._is_usable():
            free = shutil.disk_usage(SOURCE).free / 1e9
            if free < DISK_NEEDED:
                raise SetupError(
                    f"only {free:.1f} GB are free in {SOURCE}; the environment needs "
                    f"{DISK_NEEDED:.0f} GB: make room and run make again"
                )
            for name in ("bin", "lib", "lib64", "include", "share", "tools", "stamps", "colcon"):
                path = self.venv / name
                if path.is_symlink():
                    path.unlink()
                elif path.exists():
                    shutil.rmtree(path)
            options = ["--system-site-packages"] if self.distribution else []
            self._call(
                [sys.executable, "-m", "venv", *options, self.venv],
                f"{sys.executable} could not make {self.venv}",
            )
            (self.venv / "stamps").mkdir(exist_ok=True)
        self._call(
            [self.python, "-m", "pip", "install", "--no-input", "--no-deps", f"uv=={UV}"],
            "pip could not install uv; check the network and run make again",
        )

    def _is_usable(self) -> bool:
        """Return True if the folder is a working environment of this Python, made at this place."""
        pip = self.venv / "bin" / "pip"
        if not self.python.exists() or not pip.exists():
            return False
        code = "import platform; print(platform.python_version())"
        version = _read_output([str(self.python), "-I", "-c", code])
        return str(self.venv) in pip.read_text(errors="replace") and version == self.version

    def requirements(self) -> list[str]:
        """Return all pins but those with a stage of their own; a distribution keeps its numpy."""
        files = [REQUIREMENTS]
        if not self.distribution:
            files.append(SOURCE / "setup" / f"ros-{self.mode}.txt")
        pins = [
            pin for file in files for pin in pins_in(file) if not pin.startswith("open3d-cpu==")
        ]
        numpy = [sys.executable, "-c", "import numpy; print(numpy.__version__)"]
        if self.distribution and _read_output(numpy).startswith("1."):
            # The distribution's message packages are compiled for numpy 1 and can't use numpy 2.
            pins = [pin for pin in pins if not pin.startswith("numpy==")] + ["numpy==1.26.4"]
        return pins

    def install_packages(self, requirements: list[str]) -> None:
        """Install the pinned packages as they stand; the list is complete, so none is resolved."""
        locked = [pin for pin in requirements if HASH in pin]
        listed, others = (self.venv / "logs" / name for name in ("locked.txt", "others.txt"))
        listed.write_text("\n".join(locked) + "\n")
        others.write_text("\n".join(pin for pin in requirements if HASH not in pin) + "\n")
        hint = f"the pinned packages could not be installed; see above, {NETWORK}"
        # First what builds the few packages that exist as source only.
        self.install("--no-deps", pin_of("setuptools"), on_failure=hint)
        plain = ("--no-deps", "--no-build-isolation")
        self.install(*plain, "--require-hashes", "-r", listed, on_failure=hint)
        self.install(*plain, "-r", others, on_failure=hint)
        self.install("--no-deps", "--require-hashes", "-r", ENGLISH, on_failure=hint)

    def remember(self, variable: str, record_name: str) -> str:
        """Return an environment variable, or the value it had in the last run that set it."""
        record = self.venv / record_name
        if chosen := os.environ.get(variable, ""):
            record.write_text(chosen)
        return record.read_text() if record.is_file() else ""

    def install_torch(self, pin: str, chosen: str) -> None:
        """Install torch from the first place that has it; with CUDA only as a last resort."""
        if chosen == "none":
            say("  left out (FCP_TORCH=none): only the default model can judge in this environment")
            return
        if chosen:
            source = [chosen] if chosen.endswith(".whl") else ["--index-url", chosen, pin]
            self.install("--no-deps", *source, on_failure=f"{pin} could not be had from {chosen}")
            return
        for source in ([f"{pin}+cpu"], ["--index-url", TORCH_CPU_INDEX, f"{pin}+cpu"]):
            command = self._uv("install", "--no-deps", *source)
            if self.stages.succeeds(command, environment=uv_environment(self.python)):
                return
        if (free := shutil.disk_usage(SOURCE).free / 1e9) < DISK_NEEDED_CUDA:
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
        self.install("-c", versions, pin, on_failure=f"{pin} could not be installed")

    def install_open3d(self, pin: str, choice: str) -> None:
        """Install Open3D, or go without it where that was chosen or no build fits this system."""
        reason = "FCP_OPEN3D=none"
        if choice == "none":
            command = self._uv("uninstall", "open3d-cpu")
            self.stages.succeeds(command, environment=uv_environment(self.python))
        elif has_open3d_build():
            hint = f"{NETWORK}, or go without it: FCP_OPEN3D=none make setup"
            self.install("--no-deps", pin, on_failure=f"{pin} could not be installed; {hint}")
            return
        else:
            reason = f"there is a build for x86_64 with glibc {OPEN3D_GLIBC} only, and this is "
            reason += f"{platform.machine()} with {' '.join(platform.libc_ver())}"
        say(f"  left out ({reason}): meshes and point clouds can't be read in this environment")

    def install_command(self) -> None:
        """Install the checkout itself in development mode, for the command and the metadata."""
        options = ("--no-deps", "--no-build-isolation")
        settings = ("--config-settings", "editable_mode=compat")
        failure = "this checkout could not be installed"
        self.install(*options, *settings, "--editable", SOURCE, on_failure=failure)

    def interface_hash(self) -> str:
        """Return the hash of all that the build copies, links or compiles."""
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
        others = [prefix for prefix in prefixes if prefix != self.colcon / "install"]
        return [
            file.parent
            for file in sorted(SOURCE.glob("test/interfaces/*/package.xml"))
            if not any((prefix / "share" / file.parent.name).is_dir() for prefix in others)
        ]

    def build_interfaces(self, stages: Stages) -> None:
        """Build the packages with colcon; Python, launch and config files are linked to."""
        build = [self.venv / "bin" / "colcon", "--log-base", self.colcon / "log", "build"]
        build += ["--base-paths", SOURCE, *self.test_interfaces()]
        build += ["--build-base", self.colcon / "build"]
        build += ["--install-base", self.colcon / "install", "--merge-install", "--symlink-install"]
        build += ["--event-handlers", "console_direct+", "--cmake-args", "-G", "Ninja"]
        build += ["-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF", "-DFCP_ROS_PYTHON_ONLY=ON"]
        build += [f"-DPython3_EXECUTABLE={self.python}", "-Wno-unused-cli"]
        variables = environment.build_variables(self.venv, self.distribution)
        failure = "the ROS 2 interfaces could not be built; see above"
        stages.command(build, cwd=self.venv, environment=variables, on_failure=failure)

    def write_environment(self, stages: Stages) -> None:
        """Write the environment and try it: rclpy and an interface must import."""
        install = self.colcon / "install"
        environment.write_shell_file(self.venv, install, SOURCE, self.distribution)
        if not self.distribution:
            environment.write_startup_module(self.venv, install)
        check = (
            "import rclpy, fcp_ros.msg; from fcp_ros.msg import Plan; "
            "Plan.__class__.__import_type_support__()"
        )
        command = ["sh", "-c", f'. "{self.shell_file}" && python -c "{check}"']
        if not stages.succeeds(command, cwd=self.venv, environment=os.environ):
            raise SetupError(_explain_missing_library(stages.log_text()))

    def kernel_hash(self) -> str:
        """Return the hash of all that the compiled kernels depend on."""
        planning = SOURCE / "fcp_ros" / "planning"
        files = [
            path
            for name in ("flat", "heuristics", "model", "search")
            for path in sorted((planning / name).rglob("*.py"))
        ]
        return content_hash([self.version, pin_of("numba"), str(SOURCE), *files])

    def compile_kernels(self) -> None:
        """Compile the kernels of the search, so that the first plan need not wait for them."""
        failure = "the search kernels could not be compiled; see above"
        self._call([self.python, "-m", "fcp_ros.planning.warm_up"], failure)

    def fetch_model(self, choice: str) -> None:
        """Fetch the model, or say in one line why minilm judges instead: no failure stops here.

        The user's folder of models is outside the checkout: another one finds the model there.
        """
        if choice == "none":
            say("  left out (FCP_DEFAULT_MODEL=none): where mpnet is not yet there, minilm judges")
            return
        command = [self.python, "-m", "fcp_ros.cli.main", "models", "fetch", choice]
        if self.stages.succeeds(command, cwd=SOURCE, environment=self._variables()):
            return
        lines = [line for line in self.stages.log_text().splitlines() if line.strip()]
        reason = next((line for line in lines if line.startswith("error ")), lines[-1])
        say(f"  {reason.removeprefix('error ')[:300]}")
        say(f"  so minilm judges, which came with the packages, until `fcp models fetch {choice}`")

    def install(self, *arguments: str | Path, on_failure: str) -> None:
        """Install packages into the environment."""
        variables = uv_environment(self.python)
        command = self._uv("install", *arguments)
        self.stages.command(command, cwd=SOURCE, environment=variables, on_failure=on_failure)

    def _uv(self, command: str, *arguments: str | Path) -> list[str | Path]:
        return [self.venv / "bin" / "uv", "pip", command, "--python", self.python, *arguments]

    def _call(self, command: list[str | Path], on_failure: str) -> None:
        variables = self._variables()
        self.stages.command(command, cwd=SOURCE, environment=variables, on_failure=on_failure)

    def _variables(self) -> dict[str, str]:
        """Return the environment of commands that need the checkout, but nothing of ROS 2."""
        folders = [str(SOURCE), os.environ.get("PYTHONPATH", "")]
        variables = {
            "PYTHONPATH": ":".join(filter(None, folders)),
            "PIP_USER": "0",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "1",
        }
        return {**os.environ, **variables}


def check_choice(variable: str) -> None:
    """Refuse what can't be chosen, before it is remembered.

    Raises:
        SetupError: an environment variable has another value.
    """
    if (choice := os.environ.get(variable, "")) not in ("", *CHOICES[variable]):
        raise SetupError(f"{variable} is {choice!r}; it can be {' or '.join(CHOICES[variable])}")


def uv_environment(python: Path) -> dict[str, str]:
    """Return the environment of uv: it gets its packages where pip would, which it doesn't read."""
    # "env:.find-links='/folder'" or "global.index-url='...'", each list separated by spaces.
    found = _read_output([str(python), "-m", "pip", "config", "list"]).splitlines()
    lines = sorted(found, key=lambda line: line.startswith("env:"))  # these go before files
    pip = dict(re.findall(r"\.([\w-]+)='(.*)'$", "\n".join(lines), re.MULTILINE))
    variables = {
        "UV_DEFAULT_INDEX": pip.get("index-url", ""),
        "UV_INDEX": pip.get("extra-index-url", ""),
        "UV_FIND_LINKS": ",".join(pip.get("find-links", "").split()),
        "UV_HTTP_TIMEOUT": pip.get("default-timeout", pip.get("timeout", "60")),
        "SSL_CERT_FILE": pip.get("cert", ""),
        # As for pip, all sources are one: the pins say which version is meant.
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_LINK_MODE": "copy",
        "_ROS_WHEELS_BOOTSTRAP_COMPLETE": "1",
    }
    return {**{name: value for name, value in variables.items() if value}, **os.environ}


def pins_in(file: Path) -> list[str]:
    """Return the requirements of a file and of those that it names by -r, with their hashes."""
    text = file.read_text().replace("\\\n", " ")
    pins: list[str] = []
    for line in (line.strip() for line in text.splitlines()):
        if line.startswith("-r "):
            pins += pins_in(file.parent / line.removeprefix("-r "))
        elif line and not line.startswith("#"):
            pins.append(" ".join(line.split()))
    return pins


def pin_of(package: str, file: Path = REQUIREMENTS) -> str:
    """Return the one pin of a package, without its hashes."""
    pins = (pin.split(HASH)[0] for pin in pins_in(file))
    return next(pin for pin in pins if pin.startswith(f"{package}=="))


def has_open3d_build() -> bool:
    """Return True if the pinned Open3D has a wheel for this system."""
    name, version = platform.libc_ver()
    has, needs = ([int(one) for one in v.split(".")[:2]] for v in (version or "0", OPEN3D_GLIBC))
    return platform.machine() == "x86_64" and name == "glibc" and has >= needs


def _read_output(command: list[str]) -> str:
    """Return what a command prints; nothing where it fails."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else ""


def _explain_missing_library(output: str) -> str:
    """Return the sentence for an environment that does not import."""
    found = re.search(r"(lib[\w+.-]+\.so[\w.]*): cannot open shared object", output)
    if found:
        return (
            f"the system library {found.group(1)} is missing; install it (on Debian: "
            f"apt-get install apt-file && apt-file search {found.group(1)}) and run make again"
        )
    tail = "\n".join(output.splitlines()[-10:])
    return f"rclpy or the interfaces don't import:\n{tail}\nremove the folder and run make again"


def main() -> int:
    """Parse the arguments, take the lock and run the stages."""
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
