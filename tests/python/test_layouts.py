#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the package takes the library's structs and functions for is what the headers declare.

A C program is generated from the package's tables and compiled behind the headers: the sizes and offsets that it
prints must be those of ctypes, and a declaration that differs from the header's does not compile.
"""
import ctypes
import os
import shutil
import subprocess
import unittest

from support import ROOT, folder, main
from histree import _abi

CONSTANTS = {**{f"HISTREE_{name}": number for table in (_abi.STATUSES, _abi.TYPES, _abi.ORDERS, _abi.BACKENDS, _abi.LABELS)
                for name, number in table.items()},
             **{f"HISTREE_ARROW_{name.upper()}": bit for name, bit in _abi.ARROW_COLUMNS.items()},
             "HISTREE_ARROW_FIELD(0)": 1 << _abi.ARROW_FIELD_BIT, "HISTREE_ROOT": _abi.ROOT}


def program(declarations):
    lines = ["#include <stddef.h>", "#include <stdio.h>", "#include <histree/histree.h>", declarations, "int main(void)", "{"]
    for struct in _abi.STRUCTS:
        name = struct.C_NAME
        lines.append(f'\tprintf("{name}: %zu %zu\\n", sizeof({name}), _Alignof({name}));')
        for field in struct._fields_:
            lines.append(f'\tprintf("{name}.{field[0]}: %zu %zu\\n", offsetof({name}, {field[0]}), '
                         f'sizeof((({name} *)0)->{field[0]}));')
    for name in CONSTANTS:
        lines.append(f'\tprintf("{name}: %lld\\n", (long long){name});')
    return "\n".join([*lines, "\treturn 0;", "}", ""])


def expected():
    lines = []
    for struct in _abi.STRUCTS:
        lines.append(f"{struct.C_NAME}: {ctypes.sizeof(struct)} {ctypes.alignment(struct)}")
        for field in struct._fields_:
            at = getattr(struct, field[0])
            lines.append(f"{struct.C_NAME}.{field[0]}: {at.offset} {at.size}")
    return lines + [f"{name}: {number}" for name, number in CONSTANTS.items()]


def compiled(text, name):
    source = folder() / f"{name}.c"
    source.write_text(text, encoding="utf-8")
    return subprocess.run([*os.environ.get("CC", "cc").split(), "-std=gnu17", "-Werror", "-I", str(ROOT / "include"), "-o",
                           str(source.with_suffix("")), str(source)], capture_output=True, text=True, check=False)


@unittest.skipUnless(shutil.which(os.environ.get("CC", "cc").split()[-1]), "no C compiler is here")
class Layouts(unittest.TestCase):
    def test_structs_functions_and_numbers(self):
        # The program is linked with nothing: declarations are compared, and nothing is called.
        done = compiled(program(_abi.FUNCTIONS), "layouts")
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = subprocess.run([str(folder() / "layouts")], capture_output=True, text=True, check=True).stdout
        self.assertEqual(printed.splitlines(), expected())

    def test_a_wrong_declaration_is_found(self):
        wrong = "uint32_t histree_attributes_count(const struct histree_attributes *attributes, int more);"
        self.assertIn("conflicting types", compiled(program(_abi.FUNCTIONS + wrong), "wrong").stderr)

    def test_each_declaration_becomes_a_prototype(self):
        names = [name for name, _, _ in _abi.prototypes()]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(len(names), _abi.FUNCTIONS.count(";"))
        for name, result, arguments in _abi.prototypes():
            declared = next(text for text in _abi.FUNCTIONS.split(";") if f"{name}(" in text)
            # By the C text, independently of how the package reads it: pointers are pointers, bytes only const char *.
            parameters = declared.split("(", 1)[1]
            self.assertEqual(parameters.count("const char *"), arguments.count(ctypes.c_char_p), name)
            self.assertEqual(len(arguments), 0 if parameters.strip() == "void)" else
                             parameters.replace("context, histree_quark quark)", "").count(",") + 1, name)
            self.assertEqual(result is None, declared.strip().startswith("void "), name)


if __name__ == "__main__":
    main()
