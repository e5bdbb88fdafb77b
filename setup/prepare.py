# SPDX-License-Identifier: Apache-2.0
"""Second part of `make setup`: the virtual environment, its packages and the built interfaces.

Started by prepare.sh with the base interpreter; standard library only. Every stage is repeated only
when its inputs change, so a second run takes a second or two. Environment, kept for later runs:

    FCP_TORCH   URL of the package index to take torch from, the path of a wheel, or "none" to go
                without (of models only the sentence models judge then). Default: the CPU build of
                pip's own sources or of download.pytorch.org, else PyPI's with several GB of CUDA.
    FCP_OPEN3D  "none" to go without Open3D (300 MB; meshes and point clouds can't be read then),
                "pinned" to have it again. Default: pinned, where there is a build for the system.
    FCP_DEFAULT_MODEL
                "none" to go without the sentence model with the best degrees (405 MB), "mpnet" to
                have it again. Default: it is fetched into the user's folder of models, once for all
                checkouts; where that fails a smaller one judges.
"""

from __future__ import annotations

import fcntl
import os
import platform
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
LISTS = SOURCE / "setup"
sys.path.insert(0, str(LISTS))

import environment  # noqa: E402
from stage import Log, SetupError, Stages, say  # noqa: E402

TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
DISK_NEEDED = 4.0  # GB for a new environment
OPEN3D_GLIBC = "2.35"  # the wheels of the pinned version are made for this one or newer
UV = "0.13.9"  # installs the packages in a tenth of pip's time
NETWORK = "check the network and run make again"
VERSION = platform.python_version()
CMAKE = "-DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DFCP_ROS_PYTHON_ONLY=ON -Wno-unused-cli"
CHOICES = {
    "FCP_TORCH": (),  # any source
    "FCP_OPEN3D": ("none", "pinned"),
    "FCP_DEFAULT_MODEL": ("none", "mpnet"),
}


MODELS = {
    "mpnet": (
        "the sentence model that judges by default (405 MB, once a machine)",
        "minilm judges, which came with the packages",
    ),
    "smollm2-135m": (
        "the small model that says plainly what people mean (93 MB, once a machine)",
        "what the reader itself doesn't understand is not read",
    ),
}
"""The models that are fetched: their stages' titles, and what is done without them."""


class Setup:
    """The stages that make the environment in the folder `venv`.

    ROS 2 is a sourced one where the mode is "distribution", else the wheels of ros-<mode>.txt.
    """

    def __init__(self, venv: Path, mode: str) -> None:
        self.venv, self.mode = venv, mode
        self.distribution = mode == "distribution"
        self.python = venv / "bin" / "python"
        self.install = venv / "colcon" / "install"
        self.stages = Stages(venv)

    def run(self) -> None:
        """Run all stages; interfaces, kernels and the model's download side by side."""
        chosen = {variable: recall(self.venv, variable) for variable in CHOICES}
        run, interpreter = self.stages.run, os.path.realpath(sys.executable)
        title = f"virtual environment {self.venv.name} (Python {VERSION})"
        run("venv", [str(self.venv), interpreter, VERSION, UV], title, self.make)
        overrides = self.overrides(chosen["FCP_OPEN3D"])
        packages = [VERSION, SOURCE / "setup.py", *overrides, *sorted(LISTS.glob("**/*.txt"))]
        title = f"the pinned packages (ROS 2: {self.mode})"
        run("packages", packages, title, self.install_packages, overrides)
        with ThreadPoolExecutor(2) as pool:
            others = [pool.submit(self.build, packages)]
            pin, source = pin_of("torch"), chosen["FCP_TORCH"]
            run("torch", [VERSION, pin, source], pin, self.install_torch, pin, source)
            others.append(pool.submit(self.have_models, chosen))
            title, failure = "search kernels (compiled once)", "no kernels; see above"
            command = [self.python, "-m", "fcp_ros.planning.warm_up"]
            # What is compiled already for these sources is only looked up.
            sources = sorted((SOURCE / "fcp_ros" / "planning").rglob("*.py"))
            run("kernels", [*packages, *sources], title, Log.command, command, VARIABLES, failure)
            for other in others:
                other.result()

    def have_models(self, chosen: dict[str, str]) -> None:
        """Have the models that judge and read by default, unless they are left out."""
        is_wanted = chosen["FCP_DEFAULT_MODEL"] != "none"
        folders = [os.environ.get(name, "") for name in ("FCP_MODELS", "XDG_CACHE_HOME")]
        for model, (title, otherwise) in MODELS.items():
            choice = model if is_wanted else "none"
            inputs = [choice, SOURCE / "config" / "models.yaml", *folders]
            name = f"model-{model}"
            self.stages.run(name, inputs, title, self.fetch_model, model, is_wanted, otherwise)

    def build(self, packages: list[str | Path]) -> None:
        """Build the interfaces, and write the environment that has them."""
        inputs, run = self.interface_inputs(), self.stages.run
        title = "ROS 2 interfaces (colcon, some minutes the first time)"
        run("interfaces", inputs, title, self.build_interfaces)
        inputs = [LISTS / "environment.py", *packages, *inputs]
        run("environment", inputs, environment.SHELL_FILE, self.write_environment)

    def make(self, log: Log) -> None:
        """Make the virtual environment anew; what was chosen (files in its folder) stays."""
        free = shutil.disk_usage(SOURCE).free / 1e9
        if free < DISK_NEEDED:
            needed = f"the environment needs {DISK_NEEDED:.0f}: make room and run make again"
            raise SetupError(f"only {free:.1f} GB are free in {SOURCE}; {needed}")
        for path in self.venv.iterdir():
            if path.is_dir() and not path.is_symlink() and path.name != "logs":
                shutil.rmtree(path)
        options = ["--system-site-packages"] if self.distribution else []
        command = [sys.executable, "-m", "venv", *options, self.venv]
        log.command(command, VARIABLES, f"{sys.executable} could not make {self.venv}")
        command = [self.python, "-m", "pip", "install", "--no-input", "--no-deps", f"uv=={UV}"]
        log.command(command, VARIABLES, f"pip could not install uv; {NETWORK}")

    def overrides(self, open3d: str) -> list[str]:
        """Return what is installed otherwise than the lists say, or not at all."""
        found = []
        numpy = [sys.executable, "-c", "import numpy; print(numpy.__version__)"]
        if self.distribution and _read_output(numpy).startswith("1."):
            # The distribution's message packages are compiled for numpy 1 and can't use numpy 2.
            found.append("numpy==1.26.4")
        if open3d == "none" or not has_open3d_build():
            found.append("open3d-cpu; python_version < '3'")
        return found

    def install_packages(self, log: Log, overrides: list[str]) -> None:
        """Install the pinned packages as they stand, and this checkout for development.

        The lists are complete, so none is resolved; uv checks the hash of each that has one.
        """
        file = self.venv / "logs" / "overrides.txt"
        file.write_text("\n".join(overrides) + "\n")
        lists = ["requirements", "english", *([] if self.distribution else [f"ros-{self.mode}"])]
        hint = f"the pinned packages could not be installed (see above); {NETWORK}"
        # First what builds the few packages that exist as source only.
        self.add(log, "--no-deps", pin_of("setuptools"), on_failure=hint)
        plain = ["--no-deps", "--no-build-isolation", "--override", file]
        named = [part for name in lists for part in ("-r", LISTS / f"{name}.txt")]
        checkout = ["--config-settings", "editable_mode=compat", "--editable", SOURCE]
        self.add(log, *plain, *named, *checkout, on_failure=hint)
        if any(line.startswith("open3d-cpu") for line in overrides):
            log.succeeds(self._uv("uninstall", "open3d-cpu"), VARIABLES)
            system = f"{platform.machine()} with {' '.join(platform.libc_ver())}"
            why = f"FCP_OPEN3D=none, or no build for {system}"
            say(f"  Open3D left out ({why}): meshes and point clouds can't be read")

    def install_torch(self, log: Log, pin: str, chosen: str) -> None:
        """Install torch from the first place that has it; with CUDA only as a last resort."""
        if chosen == "none":
            say("  left out (FCP_TORCH=none): only the default model can judge in this environment")
            return
        if chosen:
            source = [chosen] if chosen.endswith(".whl") else ["--index-url", chosen, pin]
            failure = f"{pin} could not be had from {chosen}"
            self.add(log, "--no-deps", *source, on_failure=failure)
            return
        for source in ([f"{pin}+cpu"], ["--index-url", TORCH_CPU_INDEX, f"{pin}+cpu"]):
            command = self._uv("install", "--no-deps", *source)
            if log.succeeds(command, uv_environment(self.python)):
                return
        say(f"  {TORCH_CPU_INDEX} can't be reached or lacks {pin} for this Python: taking PyPI's")
        say("  build, several GB with CUDA (set FCP_TORCH to choose another source)")
        failure = f"{pin} could not be installed; is there room for it, 12 GB?"
        self.add(log, "-c", LISTS / "requirements.txt", pin, on_failure=failure)

    def interface_inputs(self) -> list[str | Path]:
        """Return all that the build copies, links or compiles."""
        parts: list[str | Path] = [self.mode, VERSION, str(self.venv)]
        files = ("msg/*", "srv/*", "action/*", "cmake/*", "CMakeLists.txt", "package.xml")
        found = (path for name in (*files, "test/interfaces/**/*") for path in SOURCE.glob(name))
        parts += sorted(path for path in found if path.is_file())
        parts += map(str, self.test_interfaces())
        # Files that are linked to, not copied: only which ones there are matters.
        for folder in ("fcp_ros", "launch", "config"):
            found = (path for path in (SOURCE / folder).rglob("*") if path.is_file())
            parts += sorted(str(path) for path in found if "__pycache__" not in path.parts)
        return parts

    def test_interfaces(self) -> list[Path]:
        """Return the packages of messages that only the tests send and that nothing else brings."""
        sourced = os.environ.get("AMENT_PREFIX_PATH", "").split(":") if self.distribution else []
        shares = [Path(prefix) / "share" for prefix in sourced if Path(prefix) != self.install]
        packages = (file.parent for file in sorted(SOURCE.glob("test/interfaces/*/package.xml")))
        return [one for one in packages if not any((s / one.name).is_dir() for s in shares)]

    def build_interfaces(self, log: Log) -> None:
        """Build the packages with colcon; Python, launch and config files are linked to."""
        folder = self.install.parent
        self.forget_interfaces_that_are_gone(folder)
        build = [self.venv / "bin" / "colcon", "--log-base", folder / "log", "build"]
        build += ["--base-paths", SOURCE, *self.test_interfaces()]
        build += ["--build-base", folder / "build", "--install-base", self.install]
        build += ["--merge-install", "--symlink-install", "--event-handlers", "console_direct+"]
        build += [
            "--cmake-args",
            "-G",
            "Ninja",
            f"-DPython3_EXECUTABLE={self.python}",
            *CMAKE.split(),
        ]
        variables = environment.build_variables(self.venv, self.distribution)
        log.command(build, variables, "the ROS 2 interfaces could not be built; see above")

    def forget_interfaces_that_are_gone(self, folder: Path) -> None:
        """Build anew where one is gone: what was generated of it stays, and doesn't load."""
        found = (path for name in ("msg", "srv", "action") for path in SOURCE.glob(f"{name}/*"))
        names = sorted(str(path.relative_to(SOURCE)) for path in found)
        kept = folder / "interfaces.txt"
        if not kept.exists() or not {*kept.read_text().split()} <= {*names}:
            for name in ("build", "install"):
                shutil.rmtree(folder / name, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        kept.write_text("\n".join(names))

    def write_environment(self, log: Log) -> None:
        """Write the environment and try it: rclpy and an interface must import."""
        environment.write_shell_file(self.venv, self.install, SOURCE, self.distribution)
        if not self.distribution:
            environment.write_startup_module(self.venv, self.install)
        check = "import rclpy; from fcp_ros.msg import Plan"
        check += "; Plan.__class__.__import_type_support__()"
        file = self.venv / environment.SHELL_FILE
        if log.succeeds(["sh", "-c", f'. "{file}" && python -c "{check}"'], os.environ):
            return
        output = "\n".join(log.lines()[-10:])
        library = re.search(r"(lib[\w+.-]+\.so[\w.]*): cannot open shared object", output)
        fix = f"install what has {library.group(1)}" if library else f"remove {self.venv}"
        fix = f"{output}\n{fix} and run make again"
        raise SetupError(f"rclpy or the interfaces don't import:\n{fix}")

    def fetch_model(self, log: Log, model: str, is_wanted: bool, otherwise: str) -> None:
        """Fetch a model, or say in one line what is done without it: no failure stops here.

        The user's folder of models is outside the checkout: another one finds the model there.
        """
        if not is_wanted:
            say(f"  left out (FCP_DEFAULT_MODEL=none): unless {model} is there, {otherwise}")
            return
        command = [self.python, "-m", "fcp_ros.cli.main", "models", "fetch", model]
        if log.succeeds(command, VARIABLES):
            return
        lines = log.lines()
        reason = next((line for line in lines if line.startswith("error ")), lines[-1])
        say(f"  {reason.removeprefix('error ')[:300]}")
        say(f"  until `fcp models fetch {model}`, {otherwise}")

    def add(self, log: Log, *arguments: str | Path, on_failure: str) -> None:
        """Install packages into the environment."""
        log.command(self._uv("install", *arguments), uv_environment(self.python), on_failure)

    def _uv(self, command: str, *arguments: str | Path) -> list[str | Path]:
        return [self.venv / "bin" / "uv", "pip", command, "--python", self.python, *arguments]


# Of commands that need nothing of ROS 2.
VARIABLES = dict(os.environ, PIP_USER="0", PIP_DISABLE_PIP_VERSION_CHECK="1")
VARIABLES["_ROS_WHEELS_BOOTSTRAP_COMPLETE"] = "1"


def recall(folder: Path, variable: str) -> str:
    """Return an environment variable, or the value it had in the last run that set it."""
    record, chosen = folder / variable, os.environ.get(variable, "")
    if chosen and chosen not in (allowed := CHOICES[variable] or (chosen,)):
        raise SetupError(f"{variable} is {chosen!r}; it can be {' or '.join(allowed)}")
    if chosen:
        record.write_text(chosen)
    return record.read_text() if record.is_file() else ""


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
    }
    return {**{name: value for name, value in variables.items() if value}, **VARIABLES}


def pin_of(package: str) -> str:
    """Return the pin of a package, without its hashes."""
    text = "".join(path.read_text() for path in LISTS.glob("**/*.txt"))
    return re.findall(rf"^{package}==\S+", text, re.MULTILINE)[0]


def has_open3d_build() -> bool:
    """Return True if the pinned Open3D has a wheel for this system."""
    name, version = platform.libc_ver()
    has, needs = ([int(one) for one in v.split(".")[:2]] for v in (version or "0", OPEN3D_GLIBC))
    return platform.machine() == "x86_64" and name == "glibc" and has >= needs


def _read_output(command: list[str]) -> str:
    """Return what a command prints; nothing where it fails."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else ""


def main(mode: str, folder: str) -> int:
    """Take the lock and run the stages; commands run in the checkout."""
    os.chdir(SOURCE)
    setup = Setup(SOURCE / folder, mode)
    try:
        setup.venv.mkdir(exist_ok=True)
        with (setup.venv / ".setup_lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two makes at once: the second finds all done
            setup.run()
    except (SetupError, OSError, KeyboardInterrupt) as error:
        print(f"setup: {str(error) or 'interrupted; run make again to go on'}", file=sys.stderr)
        return 1
    if setup.stages.done:
        say(f"ready; for your own shell: . {folder}/{environment.SHELL_FILE}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
