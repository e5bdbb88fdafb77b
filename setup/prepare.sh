#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# First part of `make setup`: finds a Python 3.10 to 3.13 and the system packages that the rest needs
# (installs them where it may: root on Debian or Ubuntu), then hands over to prepare.py.
#
# Environment: PYTHON (interpreter to use), ROS_WHEELS (jazzy or kilted), FCP_TORCH,
# FCP_OPEN3D, FCP_DEFAULT_MODEL (see prepare.py).
set -eu
cd "$(dirname "$0")/.."

fail() {
    echo "setup: $*" >&2
    exit 1
}

# install_or_explain WHAT PACKAGE...: WHAT is missing; the Debian packages that bring it.
install_or_explain() {
    what=$1
    shift
    if ! command -v apt-get >/dev/null; then
        fail "missing: $what; install it with your system's package manager (on Debian: $*)"
    fi
    if [ "$(id -u)" != 0 ]; then
        fail "missing: $what; install it with: sudo apt-get install $*"
    fi
    echo "setup: missing: $what; installing $*"
    export DEBIAN_FRONTEND=noninteractive
    log=$(mktemp)
    { apt-get update && apt-get install -y --no-install-recommends "$@"; } >"$log" 2>&1 || {
        tail -n 20 "$log" >&2
        fail "apt-get install $* failed (above); install $what yourself and run make again"
    }
    rm -f "$log"
}

# base_python COMMAND: the path of the interpreter behind COMMAND (that of a venv's base, too), where
# it runs and its version fits.
base_python() {
    "$1" -c '
import sys
if not (3, 10) <= sys.version_info[:2] <= (3, 13):
    sys.exit(1)
print(getattr(sys, "_base_executable", sys.executable))' 2>/dev/null
}

has_venv() {
    "$1" -c 'import ctypes, ensurepip, json, venv' 2>/dev/null
}

has_headers() {
    "$1" -c '
import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))'
}

has_compiler() {
    command -v cc >/dev/null && command -v c++ >/dev/null
}

# has_libraries NAME...: the shared libraries load.
has_libraries() {
    "$python" -c 'import ctypes, sys; [ctypes.CDLL(name) for name in sys.argv[1:]]' "$@" 2>/dev/null
}

# wants_open3d: FCP_OPEN3D, or its value in an earlier run, does not leave Open3D out.
wants_open3d() {
    choice=${FCP_OPEN3D:-$(cat "$environment/FCP_OPEN3D" 2>/dev/null || true)}
    [ "$choice" != none ]
}

find_python() {
    first=""
    for command in python3 python3.12 python3.11 python3.13 python3.10; do
        candidate=$(base_python "$command") || continue
        first=${first:-$candidate}
        if has_venv "$candidate" && has_headers "$candidate"; then
            echo "$candidate"
            return
        fi
    done
    echo "$first"
}

environment=$(setup/which_venv.sh)
case $environment in
.venv-ros-*)
    mode=distribution
    # The distribution's rclpy is built for this one.
    python=$(base_python "${PYTHON:-python3}") || fail "ROS 2 $ROS_DISTRO is sourced, but its python3 is none of Python 3.10 to 3.13"
    ;;
*)
    mode=${ROS_WHEELS:-jazzy}
    # Nothing of another ROS 2 environment that happens to be sourced here may get in.
    unset AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH PYTHONPATH PYTHONHOME
    unset ROS_DISTRO _ROS_WHEELS_BOOTSTRAP_COMPLETE
    [ -f "setup/ros-$mode.txt" ] || fail "there is no set of ROS 2 wheels called $mode; ROS_WHEELS can be jazzy or kilted"
    [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] ||
        fail "ROS 2 wheels exist for Linux on x86_64 only; on $(uname -s) $(uname -m) install a ROS 2 distribution, source it, and run make again"
    if [ -n "${PYTHON:-}" ]; then
        python=$(base_python "$PYTHON") || fail "PYTHON=$PYTHON does not run or is none of Python 3.10 to 3.13"
    else
        # The environment that is there keeps its Python.
        python=$(base_python "$environment/bin/python" || find_python)
        if [ -z "$python" ]; then
            install_or_explain "Python 3.10 to 3.13" python3 python3-venv python3-dev
            python=$(find_python)
        fi
        [ -n "$python" ] || fail "no Python 3.10 to 3.13 found; install one and name it: make setup PYTHON=/path/to/python3"
    fi
    ;;
esac

# All that is missing is named and installed at once.
debian_python=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
missing=""
packages=""
need() { # WHAT PACKAGE
    missing=$missing${missing:+, }$1
    packages="$packages $2"
}
has_venv "$python" || need "Python's venv module" "$debian_python-venv"
has_headers "$python" || need "Python's C header files" "$debian_python-dev"
has_compiler || need "a C and C++ compiler" g++
if [ -n "$missing" ]; then
    # shellcheck disable=SC2086
    install_or_explain "$missing" $packages
    has_venv "$python" && has_headers "$python" && has_compiler ||
        fail "still missing for $python: $missing; name another Python: make setup PYTHON=/path/to/python3"
fi

# WordNet tells what kind of thing a word names that no domain lists; without it nobody does.
if [ ! -f "${WNSEARCHDIR:-/usr/share/wordnet}/data.noun" ]; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        install_or_explain "WordNet" wordnet-base
    else
        echo "setup: words that a domain doesn't list have no kind until you run: sudo apt-get install wordnet-base"
    fi
fi

# Open3D is an extra: what it lacks stops nobody who may not install it.
open3d_libraries="libusb-1.0.so.0 libudev.so.1 libGL.so.1 libEGL.so.1 libX11.so.6 libidn2.so.0"
open3d_packages="libusb-1.0-0 libudev1 libgl1 libegl1 libx11-6 libidn2-0"
# shellcheck disable=SC2086
if wants_open3d && ! has_libraries $open3d_libraries; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        # shellcheck disable=SC2086
        install_or_explain "shared libraries of Open3D" $open3d_packages
    else
        echo "setup: meshes and point clouds can't be read until you run: sudo apt-get install $open3d_packages"
    fi
fi

# MuJoCo draws pictures without a display through EGL or OSMesa; all but pictures works without.
if ! has_libraries libOSMesa.so.8 && ! has_libraries libEGL.so.1; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        install_or_explain "OSMesa, which draws pictures of physics worlds" libosmesa6
    else
        echo "setup: physics worlds can't be drawn until you run: sudo apt-get install libosmesa6"
    fi
fi

exec "$python" setup/prepare.py "$mode" "$environment"
