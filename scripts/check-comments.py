#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Comments in C look like comments that somebody wrote: what a formatter breaks is found here.

    check-comments.py ROOT         check every tracked .c and .h file; one line for each fault
    check-comments.py --fix FILE   wrap the broken comments of these files again
    check-comments.py --self-test  show that made-up faults are found, and mended

A comment of several lines opens with a line of its own, every line of it starts with " * " or is " *", and no line
is longer than 116 columns, with tabs of 8.
"""
import pathlib
import re
import subprocess
import sys
import textwrap

WIDTH = 116
WRAP = 114
OPEN = re.compile(r"^(?P<before>[^\"/]*?(?:\"(?:[^\"\\]|\\.)*\"[^\"/]*?)*)/\*(?P<text>[^*].*|)$")


def columns(line):
    return len(line.expandtabs(8))


def faults(lines):
    """Yield (line number, fault) for each fault in the lines of a file."""
    inside = False
    for number, line in enumerate(lines, 1):
        if columns(line) > WIDTH:
            yield number, f"{columns(line)} columns; {WIDTH} are the limit"
        if inside:
            text = line.strip()
            if "*/" in line:
                inside = False
                if text != "*/":
                    yield number, "the end of a comment of several lines stands on a line of its own"
            elif not re.match(r"^\s*\*($|[ \t])", line):
                yield number, "a line of a comment starts with ' * '"
        else:
            found = OPEN.match(line)
            if found and "*/" not in found["text"]:
                inside = True
                if found["before"].strip():
                    yield number, "a comment behind code is one line; a longer one stands above it"
                elif found["text"].strip():
                    yield number, "the beginning of a comment of several lines stands on a line of its own"


def block(indent, words):
    """The lines of a comment that says `words` at this indentation."""
    line = f"{indent}/* {words} */"
    if columns(line) <= WIDTH:
        return [line]
    width = WRAP - columns(indent) - 3
    return [f"{indent}/*", *(f"{indent} * {each}" for each in textwrap.wrap(words, width, break_on_hyphens=False)),
            f"{indent} */"]


def wrapped(comment):
    """The lines of a comment with a blank after each star; a paragraph with a line that is too long is filled anew."""
    out, paragraph = [], []

    def end_paragraph():
        if any(columns(line) > WIDTH for line in paragraph):
            lead = re.match(r"\s*\* ", paragraph[0])[0]
            words = " ".join(line.strip()[2:] for line in paragraph)
            width = WRAP - columns(lead) + 1
            out.extend(lead + each for each in textwrap.wrap(words, width, break_on_hyphens=False))
        else:
            out.extend(paragraph)
        paragraph.clear()

    for line in comment:
        line = re.sub(r"^(\s*)\*(?=[^ \t*/])", r"\1* ", line)
        if re.match(r"^\s*\* [^ \t-]", line):
            paragraph.append(line)
        else:
            end_paragraph()
            out.append(line)
    end_paragraph()
    return out


def mended(lines):
    """The lines with broken comments wrapped again; a comment behind code moves above it."""
    out, index = [], 0
    while index < len(lines):
        found = OPEN.match(lines[index])
        if not found or "*/" in found["text"] or (not found["before"].strip() and not found["text"].strip()):
            if found and "*/" not in found["text"]:
                start = index
                while "*/" not in lines[index]:
                    index += 1
                out += wrapped(lines[start:index])
            out.append(lines[index])
            index += 1
            continue
        words = [found["text"].strip()]
        while "*/" not in lines[index]:
            index += 1
            words.append(re.sub(r"\s*\*/.*$", "", re.sub(r"^\s*\*?(?!/)\s?", "", lines[index])).strip())
        index += 1
        code = found["before"].rstrip()
        indent = re.match(r"\s*", found["before"])[0]
        out += block(indent, " ".join(word for word in words if word))
        if code:
            out.append(code)
    return out


def self_test():
    bad = ["\tint a; /* a comment that", "\t\t* goes on */", "/* begins here", " * and ends here */", "/*", " *no blank",
           " */", "x" * 117]
    found = [number for number, _ in faults(bad)]
    if found != [1, 2, 3, 4, 6, 8]:
        sys.exit(f"self-test: found faults in lines {found}")
    good = mended(bad[:-1])
    if list(faults(good)) or good[0] != "\t/* a comment that goes on */" or good[1] != "\tint a;":
        sys.exit(f"self-test: mended to {good}")
    print("self-test: 6 faults found, 5 mended")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if len(sys.argv) > 2 and sys.argv[1] == "--fix":
        for name in sys.argv[2:]:
            path = pathlib.Path(name)
            text = path.read_text(encoding="utf-8")
            new = "\n".join(mended(text.split("\n")))
            if new != text:
                path.write_text(new, encoding="utf-8")
        return 0
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "*.c", "*.h"], capture_output=True, check=False)
    names = [name for name in listed.stdout.decode().split("\0") if name] if listed.returncode == 0 else [
        str(path.relative_to(root)) for folder in ("src", "include", "tests", "bench", "demo")
        for path in root.glob(f"{folder}/**/*.[ch]")]
    count = 0
    for name in names:
        if (root / name).is_file():
            for number, fault in faults((root / name).read_text(encoding="utf-8").split("\n")):
                print(f"{name}:{number}: {fault}")
                count += 1
    if count == 0:
        print(f"{len(names)} files: no broken comment")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
