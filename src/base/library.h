/* SPDX-License-Identifier: MIT */
/*
 * library.h - a library of others that is loaded when something first needs it.
 *
 * Pictures, SQL, the server and names of functions take 34 of the 44 libraries that the command was linked with,
 * and most questions need none of them; to load them took four of the six milliseconds of a command that asks for
 * one state.  So each is loaded by the part that uses it, and a machine without it lacks that part only.
 *
 * The functions of a library are listed once, and become pointers in a struct:
 *
 *	#define CAIRO_FUNCTIONS(F) F(cairo_, arc) F(cairo_, clip)
 *	static struct { CAIRO_FUNCTIONS(LIBRARY_POINTER) } lib_cairo;
 *	static struct library cairo =
 *		LIBRARY("libcairo.so.2", "pictures need cairo (Debian: libcairo2)", CAIRO_FUNCTIONS, lib_cairo);
 *
 * After library_load(&cairo, error), lib_cairo.arc() is cairo_arc(), with the type that its header has for it.  A
 * library once loaded stays until the process ends.
 */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <stdatomic.h>
#include <stddef.h>

#include "histree/status.h"

#define LIBRARY_POINTER(prefix, name) __typeof__(prefix##name) *name;
#define LIBRARY_NAME(prefix, name) #prefix #name,
#define LIBRARY(so_name, why, list, table)                                                                  \
	{                                                                                                   \
		.file = (so_name), .need = (why), .names = (const char *const[]){ list(LIBRARY_NAME) },     \
		.functions = &(table), .count = sizeof(table) / sizeof(void (*)(void))                      \
	}

struct library {
	const char *file;         /* its SONAME */
	const char *need;         /* what needs it, and its package */
	const char *const *names; /* of its functions */
	void *functions;          /* where they go, in the same order */
	size_t count;
	atomic_bool is_loaded;
};

/*
 * Any thread may ask, at any time, for a library that is loaded already, too.  Returns HISTREE_NOT_FOUND if it
 * is not there, or lacks one of the functions.
 */
enum histree_status library_load(struct library *library, struct histree_error *error);

#endif
