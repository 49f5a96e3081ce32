#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""embed.py FILE... - print C that holds the bytes of each file, and the table of server/web/web.h that names them.  The
questions of a cookbook (.md) become questions.js."""
import json
import pathlib
import re
import sys


def questions(text):
    """[{group, title, statement}], in its order."""
    found, group = [], ""
    for part in re.split(r"^(?=##)", text, flags=re.MULTILINE):
        heading, _, body = part.partition("\n")
        statement = re.search(r"```sql\n(.*?)```", body, re.DOTALL)
        if heading.startswith("## "):
            group = heading[3:].strip()
        elif heading.startswith("### ") and statement:
            found.append({"group": group, "title": re.sub(r"^\d+\.\s*", "", heading[4:].strip()), "statement": statement[1].strip()})
    return found


def content_of(path):
    """Name and bytes of what is served."""
    if path.suffix != ".md":
        return path.name, path.read_bytes()
    listed = questions(path.read_text(encoding="utf-8"))
    return "questions.js", f"export const QUESTIONS = {json.dumps(listed, indent=1)};\n".encode()


def array(index, content):
    numbers = ",".join(str(byte) for byte in content)
    return f"static const unsigned char file_{index}[] = {{{numbers}}};"


def main():
    files = [content_of(pathlib.Path(name)) for name in sys.argv[1:]]
    print('#include "server/web/web.h"')
    for index, (_, content) in enumerate(files):
        print(array(index, content))
    print("const struct web_file web_files[] = {")
    for index, (name, _) in enumerate(files):
        print(f'\t{{ "{name}", file_{index}, sizeof(file_{index}) }},')
    print("\t{ 0 },\n};")


if __name__ == "__main__":
    main()
