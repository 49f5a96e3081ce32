# SPDX-License-Identifier: MIT
"""Packages of npm, in which the public clients of protocols come: install() puts some of them into a folder."""
import json
import shutil
import subprocess

SKIP = 77


def install(folder, package):
    """Whether the packages are there, now or since before: npm writes its lock file when it is through."""
    if (folder / "node_modules" / ".package-lock.json").is_file():
        return True
    if not shutil.which("node") or not shutil.which("npm"):
        return False
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text(json.dumps(package))
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, timeout=120).returncode == 0
    except subprocess.TimeoutExpired:  # a registry that does not answer
        return False


def client(script, package, folder, *words):
    """The exit status of a script of node that uses the packages in the folder; SKIP if they cannot be had."""
    if not install(folder, package):
        print("skipped: needs node, and npm with a registry (apt-get install nodejs npm)")
        return SKIP
    return subprocess.run(["node", str(script), str(folder), *map(str, words)], timeout=120).returncode
