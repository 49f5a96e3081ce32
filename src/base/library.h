/* SPDX-License-Identifier: MIT */
/*
 * library.h - a third-party library that is loaded when something first needs it.
 *
 * Pictures, SQL, the server and names of functions need 34 of the 44 libraries with which the command was once
 * linked, and most questions need none of these.  Loading them took four of the six milliseconds of a command that
 * asks for one state.  So each library is loaded by the part that uses it, and a machine without it lacks only that
 * part.
 *
 * The functions of a library are listed once, and become pointers in a struct:
 *
 * 	#define CAIRO_FUNCTIONS(F) F(cairo_, arc) F(cairo_, clip)
 * 	static struct { CAIRO_FUNCTIONS(LIBRARY_POINTER) } lib_cairo;
 * 	static struct library cairo =
 * 		LIBRARY("libcairo.so.2", "pictures need cairo (Debian: libcairo2)", CAIRO_FUNCTIONS, lib_cairo);
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
#define LIBRARY(so_name, why, list, table)                                                              \
	{                                                                                               \
		.file = (so_name), .need = (why), .names = (const char *const[]){ list(LIBRARY_NAME) }, \
		.functions = &(table), .count = sizeof(table) / sizeof(void (*)(void))                  \
	}

struct library {
	const char *file;         /* its SONAME */
	const char *need;         /* for the error: what needs it, and its package */
	const char *const *names; /* names of its functions */
	void *functions;          /* where their addresses go, in the same order */
	size_t count;
	atomic_bool is_loaded;
};

/*
 * Any thread may call this at any time, also if the library is already loaded.  Returns HISTREE_NOT_FOUND if the
 * library is not installed, or lacks one of the functions.
 */
enum histree_status library_load(struct library *library, struct histree_error *error);

#endif
