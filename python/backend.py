# SPDX-License-Identifier: MIT
"""Builds the package for pip (PEP 517, PEP 660) with nothing but Python.

A wheel is a zip with three files about itself (the binary distribution format of packaging.python.org).  With the
environment variable HISTREE_WHEEL_LIBRARIES, a folder in which histree was built or installed, the shared libraries
are in it, and it is for this platform; else it is for any, and finds the libraries that are installed.
"""
import base64
import hashlib
import io
import os
import pathlib
import re
import sysconfig
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same sources make the same wheel


def field(name):
    """A line of pyproject.toml; Python 3.9 has no reader for it."""
    found = re.search(rf'^{name} = "(.*)"$', (HERE / "pyproject.toml").read_text(encoding="utf-8"), re.M)
    assert found, name
    return found[1]


NAME, VERSION = field("name"), field("version")
INFO = f"{NAME}-{VERSION}.dist-info"


def metadata():
    lines = ["Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {VERSION}", f"Summary: {field('description')}",
             "License: MIT", f"Requires-Python: {field('requires-python')}", "Provides-Extra: numpy", "Provides-Extra: pandas",
             "Requires-Dist: numpy; extra == 'numpy'", "Requires-Dist: numpy; extra == 'pandas'",
             "Requires-Dist: pandas; extra == 'pandas'", "Description-Content-Type: text/markdown", "",
             (HERE / "README.md").read_text(encoding="utf-8")]
    return "\n".join(lines).encode()


def libraries():
    """The shared libraries that go into the wheel: name in it and file."""
    wanted = os.environ.get("HISTREE_WHEEL_LIBRARIES")
    if not wanted:
        return []
    folder = pathlib.Path(wanted)
    folder = folder / "src" if (folder / "src" / "libhistree.so").exists() else folder
    library = folder / "libhistree.so"
    if not library.exists():
        raise SystemExit(f"backend: there is no libhistree.so in '{wanted}'; build histree first")
    soname = f"libhistree.so.{VERSION.split('.', maxsplit=1)[0]}"
    out = [(soname, library.resolve())]
    for name, inside in (("libhistree_sqlite.so", "sql"), ("libhistree_python.so", "python")):
        for path in (folder / name, folder / inside / name):
            if path.exists():
                out.append((name, path))
                break
    return out


def tag():
    if not libraries():
        return "py3-none-any"
    return "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def write_wheel(folder, files):
    """Write a wheel of (name, bytes, mode), and return its name."""
    wheel = f"Wheel-Version: 1.0\nGenerator: histree {VERSION}\nRoot-Is-Purelib: {'false' if libraries() else 'true'}\n" \
            f"Tag: {tag()}\n"
    files = [*files, (f"{INFO}/METADATA", metadata(), 0o644), (f"{INFO}/WHEEL", wheel.encode(), 0o644)]
    name = f"{NAME}-{VERSION}-{tag()}.whl"
    record = []
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as out:
        def put(path, data, mode):
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
            out.writestr(entry, data)

        for path, data, mode in files:
            put(path, data, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")
        put(f"{INFO}/RECORD", "\n".join([*record, f"{INFO}/RECORD,,", ""]).encode(), 0o644)
    return name


def sources():
    return sorted(each for each in (HERE / NAME).iterdir() if each.suffix == ".py" or each.name == "py.typed")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = [(f"{NAME}/{each.name}", each.read_bytes(), 0o644) for each in sources()]
    files += [(f"{NAME}/lib/{name}", path.read_bytes(), 0o755) for name, path in libraries()]
    return write_wheel(wheel_directory, files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, [(f"{NAME}.pth", f"{HERE}\n".encode(), 0o644)])


def build_sdist(sdist_directory, config_settings=None):
    name = f"{NAME}-{VERSION}"
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz") as out:
        for each in [*sources(), HERE / "pyproject.toml", HERE / "README.md", HERE / "backend.py"]:
            out.add(each, f"{name}/{each.relative_to(HERE)}")
        info = tarfile.TarInfo(f"{name}/PKG-INFO")
        info.size = len(metadata())
        out.addfile(info, io.BytesIO(metadata()))
    return f"{name}.tar.gz"
