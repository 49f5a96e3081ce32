/* SPDX-License-Identifier: MIT */
/*
 * demangle.h - names of functions of C++ and Rust as programmers write them, by libiberty.
 *
 * "_RNvMs_Cs4Cv8Wi1oAIB_7mycrateNtB4_7Example3foo" (RFC 2603) is "<mycrate::Example>::foo", and _ZN3app4drawEv is
 * "app::draw()".  Hashes of crates are left out.  A name that libiberty refuses stays as it is, as does every name
 * in a build without the feature `symbols`.
 *
 * Names come from untrusted files, and a name can repeat parts of itself until its text exceeds any memory.  So the
 * text is bounded, and a name whose text would be longer is left as it is.
 */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include <stddef.h>

enum { DEMANGLED_SIZE_MAX = 65536 }; /* of a text, with its 0 */

/* A zeroed one is empty. */
struct demangler {
	char *text; /* the last answer; DEMANGLED_SIZE_MAX bytes, or NULL before the first question */
};

/*
 * Returns the name for people, which lasts until the next question, or `name` itself if it is not a mangled name,
 * is too long, or memory runs out.
 */
const char *demangle(struct demangler *demangler, const char *name);
void demangler_release(struct demangler *demangler);

#endif
