# SPDX-License-Identifier: MIT
"""Find libhistree, load it, and check that it is one for this package."""
import ctypes
import importlib
import os
import pathlib
import subprocess
import sysconfig
from typing import Any, Callable, Iterator, List, Optional, Tuple

from . import _abi
from ._errors import LibraryError, error_of

VERSION = "0.1.0"
SONAME = "libhistree.so." + VERSION.split(".", maxsplit=1)[0]
_WAY_OUT = ("build and install histree ('make && sudo make install'), install a wheel that has the library in it, "
            "or set HISTREE_LIBRARY to the file libhistree.so or to its folder")


def _candidates() -> Iterator[Tuple[str, str]]:
    """Yield (a file or a name for the loader, what it is) in the order in which they are tried."""
    wanted = os.environ.get("HISTREE_LIBRARY")
    if wanted:
        path = pathlib.Path(wanted)
        if path.is_dir():
            names = [path / SONAME, path / "libhistree.so"]
            path = next((each for each in names if each.exists()), names[0])
        yield str(path), "HISTREE_LIBRARY"
        return
    package = pathlib.Path(__file__).resolve().parent
    yield str(package / "lib" / SONAME), "beside the package"
    # Where `make install` put both: PREFIX/lib/python3.11/site-packages/histree, PREFIX/lib/x86_64-linux-gnu.
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    for folder in list(package.parents)[2:5]:
        for libraries in (f"lib/{multiarch}", "lib", "lib64"):
            if (folder / libraries / SONAME).exists():
                yield str(folder / libraries / SONAME), "the prefix that the package is in"
    yield SONAME, "the path of the loader"
    try:
        asked = subprocess.run(["pkg-config", "--variable=libdir", "histree"], capture_output=True, text=True,
                               check=False, timeout=10)
        if asked.returncode == 0 and asked.stdout.strip():
            yield str(pathlib.Path(asked.stdout.strip()) / SONAME), "pkg-config"
    except (OSError, subprocess.SubprocessError):
        pass


def _load_carried(folder: pathlib.Path) -> None:
    """Load the libraries of others that a wheel carries: the loader takes what is loaded for what is needed by its name."""
    waiting = sorted(each for each in folder.glob("lib*.so.*") if not each.name.startswith("libhistree"))
    while waiting:
        left = []
        for each in waiting:
            try:
                ctypes.CDLL(str(each))
            except OSError:  # it needs another one
                left.append(each)
        if len(left) == len(waiting):
            return
        waiting = left


def _load() -> Tuple[ctypes.CDLL, Optional[pathlib.Path]]:
    tried: List[str] = []
    for name, what in _candidates():
        if what == "beside the package":
            _load_carried(pathlib.Path(name).parent)
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            absent = os.sep in name and not os.path.exists(name)
            tried.append(f"  {what}: {name}" + (" is not there" if absent else f": {error}"))
            continue
        folder = pathlib.Path(name).resolve().parent if os.sep in name else _loaded_folder()
        return library, folder
    raise LibraryError("libhistree was not found, which the package 'histree' is made for; looked for it here:\n"
                       + "\n".join(tried) + f"\nTo mend that, {_WAY_OUT}.")


def _loaded_folder() -> Optional[pathlib.Path]:
    """Where the loader found the library, for what lies beside it."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
            for line in maps:
                if "/libhistree.so" in line:
                    return pathlib.Path(line[line.index("/"):].strip()).parent
    except OSError:
        pass
    return None


def _check_version(library: ctypes.CDLL, path: Optional[pathlib.Path]) -> str:
    try:
        library.histree_version.restype = ctypes.c_char_p
        version = str(library.histree_version().decode())
    except AttributeError:
        raise LibraryError(f"the libhistree in '{path}' has no histree_version(): it is no library of histree; "
                           f"{_WAY_OUT}") from None
    # Before 1.0, the structs of the interface may change with the second number.
    if version.split(".")[:2] != VERSION.split(".")[:2]:
        raise LibraryError(f"the libhistree in '{path}' is of version {version}, and this package is made for {VERSION}; "
                           "install both of one version, or set HISTREE_LIBRARY to the library that fits")
    return version


def _declare(library: ctypes.CDLL, path: Optional[pathlib.Path]) -> None:
    missing = []
    for name, result, arguments in _abi.prototypes():
        try:
            function = getattr(library, name)
        except AttributeError:
            missing.append(name)
            continue
        function.restype, function.argtypes = result, arguments
    if missing:
        raise LibraryError(f"the libhistree in '{path}' lacks {', '.join(missing)}: it was built from other sources than "
                           f"this package; {_WAY_OUT}")


lib, folder = _load()
version = _check_version(lib, folder)
_declare(lib, folder)


def call(function: Callable[..., int], *arguments: Any) -> int:
    """Call a function whose last argument is a struct histree_error; raise if it fails, else return its status."""
    error = _abi.Error()
    status = function(*arguments, ctypes.byref(error))
    if status < 0:
        raise error_of(status, error)
    return status


def find_beside(stem: str, inside_build: str) -> Optional[str]:
    """A library that is installed next to libhistree, or lies in `inside_build` of the folder that built it."""
    names = [f"{stem}.so"]
    places = [] if folder is None else [folder, folder / inside_build]
    for place in places:
        for name in names:
            if (place / name).exists():
                return str(place / name)
    return None


def module(name: str) -> Any:
    """numpy or pandas, which the package can do without until something is asked as arrays or frames."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise LibraryError(f"arrays and frames need {name}: 'pip install {name}' (Debian: python3-{name}); rows do without") \
            from None


def encoded(path: "os.PathLike[str] | str | bytes") -> bytes:
    """A path as the bytes that a C function takes."""
    raw = os.fsencode(path)
    if b"\0" in raw:
        raise error_of(_abi.STATUSES["ERR_ARGUMENT"], None, f"the path {path!r} has a byte 0 in it, which no path has")
    return raw


def cstring(text: str, what: str) -> bytes:
    """A text as the bytes that a C function takes."""
    raw = text.encode("utf-8", "surrogateescape")
    if b"\0" in raw:
        raise error_of(_abi.STATUSES["ERR_ARGUMENT"], None, f"{what} {text!r} has a byte 0 in it, which ends a text in C")
    return raw


