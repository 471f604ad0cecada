"""Builds the Python package with CMake, by the preset that `make build` uses too, or the one that OSCBO_PRESET names."""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
PRESET = os.environ.get("OSCBO_PRESET", "release")


class CMakeBuild(build_ext):
    """Has CMake build the module and install the whole package where setuptools looks for it."""

    def run(self):
        if self.editable_mode:
            sys.exit("oscbo: no editable install; `make python` leaves a package in build/python")
        cmake("--preset", PRESET, "-DOSCBO_PYTHON=ON", f"-DPython_EXECUTABLE={sys._base_executable}")
        cmake("--build", f"build/{PRESET}", "--target", "oscbo_python")
        cmake("--install", f"build/{PRESET}", "--component", "python", "--prefix", Path(self.build_lib).resolve())


def cmake(*arguments):
    subprocess.run(["cmake", *arguments], cwd=ROOT, check=True)


def version():
    return re.search(r"project\(oscbo VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


setup(
    version=version(),
    packages=[],
    ext_modules=[Extension("oscbo._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
)
