# SPDX-License-Identifier: MIT
"""Builds the package for pip (PEP 517, PEP 660) with nothing but Python.

A wheel is a zip with three files about itself (the binary distribution format of packaging.python.org).  With the
environment variable HISTREE_WHEEL_LIBRARIES, a folder in which histree was built or installed, the shared libraries
and the command are in it with those that they need, and it is for this platform; else it is for any, and finds the libraries that are
installed.
"""
import base64
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same sources make the same wheel
# Every Linux has these, and a library can only be used with the C library that it was linked with, or a later one.
SYSTEM = re.compile(r"(linux-vdso|ld-linux.*|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|asan|ubsan|tsan))\.so")
# What libhistree loads when it uses it, and is small: names of system calls, names and lines of functions.
LOADED = ("libseccomp.so.2", "libelf.so.1", "libdw.so.1")


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
    """The shared libraries that go into the wheel, and the command, which top() and others ask: name in it and file."""
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
    for path in (folder / "cli" / "histree", *(each / "bin" / "histree" for each in library.resolve().parents)):
        if path.is_file():
            out.append(("cli/histree", path))
            break
    return out


def needed(path):
    """The libraries of others that the loader of this machine finds for a file: name and file."""
    said = subprocess.run(["ldd", str(path)], capture_output=True, text=True, check=False)
    found = re.findall(r"^\s*(\S+) => (/\S+)", said.stdout, re.M)
    return {name: pathlib.Path(file) for name, file in found if not SYSTEM.match(name) and not name.startswith("libhistree")}


def carried():
    """The libraries of others that go into the wheel, and what their makers want to be said of them: name in it and file."""
    own = [path for _, path in libraries()]
    known = subprocess.run([shutil.which("ldconfig", path="/sbin:/usr/sbin") or "ldconfig", "-p"], capture_output=True,
                           text=True, check=False).stdout if own else ""
    files = {}
    for name in LOADED:
        for file in re.findall(rf"^\s*{re.escape(name)} .*=> (/\S+)", known, re.M)[:1]:
            files[name] = pathlib.Path(file)
    for path in [*own, *files.values()]:
        files.update(needed(path))
    for path in list(files.values()):
        owner = subprocess.run(["dpkg", "-S", "*/" + "/".join(path.resolve().parts[-2:])], capture_output=True,
                               text=True, check=False) if shutil.which("dpkg") else None
        package = re.match(r"[^:,\s]+", owner.stdout) if owner is not None else None
        words = pathlib.Path("/usr/share/doc") / package[0] / "copyright" if package else pathlib.Path("/nowhere")
        if words.exists():
            files[f"copyright/{package[0]}"] = words
    return sorted(files.items())


def tag():
    """Of which machines the wheel is: any, or those with this processor and this C library or a later one (PEP 600)."""
    if not libraries():
        return "py3-none-any"
    c_library = re.match(r"glibc (\d+)\.(\d+)", os.confstr("CS_GNU_LIBC_VERSION") or "")
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return "py3-none-" + (machine if c_library is None else
                          f"manylinux_{c_library[1]}_{c_library[2]}_{machine.split('_', maxsplit=1)[1]}")


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
    files += [(f"{NAME}/lib/{name}", path.read_bytes(), 0o755) for name, path in [*libraries(), *carried()]]
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
