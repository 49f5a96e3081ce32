#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""embed.py FILE... - print C that holds the bytes of each file, and the table of server/web/web.h that names them."""
import pathlib
import sys


def array(index, content):
    numbers = ",".join(str(byte) for byte in content)
    return f"static const unsigned char file_{index}[] = {{{numbers}}};"


def main():
    paths = [pathlib.Path(name) for name in sys.argv[1:]]
    print('#include "server/web/web.h"')
    for index, path in enumerate(paths):
        print(array(index, path.read_bytes()))
    print("const struct web_file web_files[] = {")
    for index, path in enumerate(paths):
        print(f'\t{{ "{path.name}", file_{index}, sizeof(file_{index}) }},')
    print("\t{ 0 },\n};")


if __name__ == "__main__":
    main()
