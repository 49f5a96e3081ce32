/* SPDX-License-Identifier: MIT */
/*
 * program_builder.h - a program while a front end makes it, and how it is finished.
 *
 */
#ifndef ANALYSIS_PROGRAM_PROGRAM_BUILDER_H
#define ANALYSIS_PROGRAM_PROGRAM_BUILDER_H

#include "analysis/program/program.h"

struct program_builder {
	struct program program;
	enum histree_status status; /* the first failure */
	struct histree_error error;
};

void builder_fail(struct program_builder *make, enum histree_status status, const char *what);

/* Returns a copy; NULL for NULL, or if something failed. */
const char *builder_keep(struct program_builder *make, const char *text);

/* Makes room for one row more of a table; false, and the builder has failed, if memory runs out. */
bool builder_has_room(struct program_builder *make, void *array, size_t *capacity, size_t count, size_t size);

/* Appends a row to a table; PROGRAM_NOTHING if there is no room. */
#define BUILDER_ADD(make, table, ...)                                                        \
	(builder_has_room((make), &(make)->program.table, &(make)->program.table##_capacity, \
			  (make)->program.table##_count, sizeof(*(make)->program.table))     \
		 ? ((make)->program.table[(make)->program.table##_count] = __VA_ARGS__,      \
		    (uint32_t)(make)->program.table##_count++)                               \
		 : PROGRAM_NOTHING)

#endif
