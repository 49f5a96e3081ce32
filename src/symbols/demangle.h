/* SPDX-License-Identifier: MIT */
/*
 * demangle.h - names of functions of C++ and Rust as programmers write them.
 *
 * Those of C++, and of Rust in its older form, are read by the demangler of libstdc++, which most machines have,
 * and which is loaded when the first such name comes; those of Rust in its newer form by rust_name.h.  A name that
 * is refused, or whose reader is not there, stays as it is.
 */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

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
