"""The command line, for tests that compare it with the package."""

import os
import subprocess

import pytest

_PROGRAM = os.environ.get("OSCBO_PROGRAM")

needs_program = pytest.mark.skipif(
    _PROGRAM is None, reason="OSCBO_PROGRAM, the path of the command line, is not set"
)


def run_program(*arguments, storage, status=0):
    """Returns what a command prints, which must end with a status."""
    # The program has its own sanitizer, if this process was started with one.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    command = [_PROGRAM, *arguments, "--storage", storage]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert ended.returncode == status, ended.stderr
    return ended.stdout
