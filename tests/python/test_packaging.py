#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How the package comes to people: wheels, pip without a network, meson install; and what it says without its library."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import zipfile

from support import DEBIAN, ROOT, demo, folder, main

BUILD = pathlib.Path(os.environ["HISTREE_LIBRARY"]).parent
ASK = "import sys, histree; store = histree.open(sys.argv[1]); print(histree.__file__); print(len(list(store.states())))"


def run(*command, **variables):
    """Run a command that knows nothing of this build but what `variables` say."""
    plain = {name: value for name, value in os.environ.items()
             if name not in ("HISTREE_LIBRARY", "PYTHONPATH", "LD_LIBRARY_PATH")}
    return subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False, timeout=120,
                          env={**plain, **variables}, cwd=folder())


def wheel():
    """A wheel with the libraries of this build."""
    made = folder() / "wheel"
    if not made.exists():
        done = run(sys.executable, ROOT / "scripts" / "wheel", BUILD, made)
        assert done.returncode == 0, done.stderr
    return next(made.glob("*.whl"))


class Wheels(unittest.TestCase):
    def test_a_wheel_has_all_of_it(self):
        path = wheel()
        self.assertRegex(path.name, r"^histree-[0-9.]+-py3-none-(many)?linux_\w+\.whl$")
        unpacked = folder() / "unpacked"
        with zipfile.ZipFile(path) as archive:
            self.assertIsNone(archive.testzip())
            names = archive.namelist()
            record = archive.read(next(name for name in names if name.endswith("/RECORD"))).decode()
            self.assertEqual(sorted(line.split(",")[0] for line in record.splitlines()), sorted(names))
            archive.extractall(unpacked)
        sources = {f"histree/{each.name}" for each in (ROOT / "python" / "histree").glob("*.py")}
        self.assertLessEqual(sources | {"histree/py.typed"}, set(names))
        if shutil.which("ldd"):
            self.assertIn("histree/lib/libjansson.so.4", names)
        done = run(sys.executable, "-c", ASK, demo(), PYTHONPATH=str(unpacked))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(str(unpacked), done.stdout)

    def test_the_same_sources_make_the_same_wheel(self):
        again = folder() / "again"
        run(sys.executable, ROOT / "scripts" / "wheel", BUILD, again)
        self.assertEqual(next(again.glob("*.whl")).read_bytes(), wheel().read_bytes())

    def test_pip_needs_no_network(self):
        python = sys.executable if run(sys.executable, "-m", "pip", "--version").returncode == 0 else DEBIAN
        if run(python, "-m", "pip", "--version").returncode != 0:
            self.skipTest("pip is not here (Debian: python3-pip)")
        for what, variables in ((wheel(), {}), (ROOT / "python", {"HISTREE_LIBRARY": str(BUILD / "src")})):
            target = folder() / f"target-{pathlib.Path(what).suffix}"
            done = run(python, "-m", "pip", "install", "-q", "--no-index", "--no-cache-dir", "--target", target, what)
            self.assertEqual(done.returncode, 0, done.stderr)
            # What the command answers is there, too: a wheel carries it.
            done = run(sys.executable, "-c", f"{ASK}; print('busy:', len(store.top(limit=3)))", demo(), PYTHONPATH=str(target),
                       PATH="/nowhere", **variables)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(str(target), done.stdout)
            self.assertIn("busy: 3", done.stdout)

    def test_meson_installs_every_file(self):
        listed = re.findall(r"'histree/(\S+)'", (ROOT / "python" / "meson.build").read_text(encoding="utf-8"))
        there = [each.name for each in (ROOT / "python" / "histree").iterdir() if each.is_file()]
        self.assertEqual(sorted(listed), sorted(there))

    def test_a_prefix_is_enough(self):
        # As `meson install` lays it out: the package finds the library below its own prefix.
        prefix = folder() / "prefix"
        said = run(sys.executable, ROOT / "scripts" / "python-folder", prefix)
        packages = pathlib.Path(said.stdout.strip())
        self.assertIn(prefix, packages.parents)
        shutil.copytree(ROOT / "python" / "histree", packages / "histree", ignore=shutil.ignore_patterns("__pycache__"))
        libraries = prefix / "lib"
        for each in ("libhistree.so.0", "python/libhistree_python.so"):
            shutil.copy(BUILD / "src" / each, libraries / pathlib.Path(each).name)
        done = run(sys.executable, "-c", ASK, demo(), PYTHONPATH=str(packages))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_version_is_that_of_the_project(self):
        version = re.search(r"version: '([0-9.]+)'", (ROOT / "meson.build").read_text(encoding="utf-8"))[1]
        for name, pattern in (("pyproject.toml", r'^version = "(.*)"'), ("histree/__init__.py", r'^__version__ = "(.*)"'),
                              ("histree/_library.py", r'^VERSION = "(.*)"')):
            found = re.search(pattern, (ROOT / "python" / name).read_text(encoding="utf-8"), re.M)
            self.assertEqual(found[1], version, name)


class Libraries(unittest.TestCase):
    def ask(self, library):
        done = run(sys.executable, "-c", "import histree", PYTHONPATH=str(ROOT / "python"), HISTREE_LIBRARY=str(library))
        self.assertEqual(done.returncode, 1)
        self.assertIn("LibraryError", done.stderr)
        return done.stderr

    def test_a_missing_one(self):
        said = self.ask("/nothing/is/here")
        for part in ("HISTREE_LIBRARY: /nothing/is/here is not there", "make install", "set HISTREE_LIBRARY"):
            self.assertIn(part, said)
        done = run(sys.executable, "-c", "import histree", PYTHONPATH=str(ROOT / "python"))
        if done.returncode != 0:  # else histree is installed on this machine
            for part in ("beside the package", "the path of the loader", "libhistree was not found"):
                self.assertIn(part, done.stderr)

    @unittest.skipUnless(shutil.which("cc"), "no C compiler is here")
    def test_others(self):
        for code, part in (("int nothing;", "no library of histree"),
                           ('const char *histree_version(void) { return "0.9.1"; }', "is of version 0.9.1"),
                           ('const char *histree_version(void) { return "0.1.7"; }', "lacks histree_status_text")):
            source, library = folder() / "other.c", folder() / "libhistree.so"
            source.write_text(code, encoding="utf-8")
            subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
            with self.subTest(part=part):
                self.assertIn(part, self.ask(library))
        library.write_text("no library at all", encoding="utf-8")
        self.assertIn("file too short", self.ask(library))


if __name__ == "__main__":
    main()
