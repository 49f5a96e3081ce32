/* SPDX-License-Identifier: MIT */
/*
 * demangle.h - names of functions as people wrote them: of C++ by its runtime, of Rust by ourselves.
 *
 * Letters beyond ASCII as letters of ASCII (RFC 3492): "gdel-5qa" is "gödel".
 *
 * Names of Rust in its newer form (_R..., RFC 2603, "v0") as programmers write them:
 * "_RNvMs_Cs4Cv8Wi1oAIB_7mycrateNtB4_7Example3foo" is "<mycrate::Example>::foo".
 *
 * Hashes of crates, the places of impls and the crate that asked for a copy are left out.
 *
 * Names of functions of C++ and Rust as programmers write them.
 *
 * Those of C++, and of Rust in its older form, are read by the demangler of libstdc++, which most machines have,
 * and which is loaded when the first such name comes; those of Rust in its newer form by demangle.h.  A name that
 * is refused, or whose reader is not there, stays as it is.
 */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PUNYCODE_LETTERS_MAX = 256, UTF8_LETTER_SIZE = 4 };

/*
 * Writes UTF-8, of which a letter takes UTF8_LETTER_SIZE bytes at most, and returns its size.  Returns 0 if it is
 * no Punycode, or has more letters than PUNYCODE_LETTERS_MAX.  What is before the last `delimiter` stands as it
 * is.
 */
size_t punycode_read(const char *bytes, size_t size, char delimiter, char *out);

/*
 * Writes the name with its 0.  Returns false, and `out` is of no use, if the name is none of these, is longer than
 * `size` for people, or has parts that came to the form later.
 */
bool rust_name_read(const char *name, char *out, size_t size);

typedef char *demangle_function(const char *name, char *buffer, size_t *size, int *status);

/* A zeroed one has loaded nothing yet. */
struct demangler {
	void *library; /* NULL: not loaded */
	demangle_function *demangle;
	bool is_tried;
	char *text;      /* the last answer */
	char *rust_text; /* likewise */
};

/*
 * Returns the name for people, which lasts until the next question, or the same name.  A name that may stand for
 * more than 256 MiB of text, as it repeats parts of itself, is left as it is.
 */
const char *demangle(struct demangler *demangler, const char *name);
void demangler_release(struct demangler *demangler);

#endif
