/* SPDX-License-Identifier: MIT */
/*
 * program_builder.h - the body of a builder, for program_builder.c and program_finish.c.
 */
#ifndef ANALYSIS_PROGRAM_PROGRAM_BUILDER_H
#define ANALYSIS_PROGRAM_PROGRAM_BUILDER_H

#include "analysis/program/program_inside.h"

struct program_builder {
	struct program program;
	enum histree_status status; /* the first failure */
	struct histree_error error;
};

void builder_fail(struct program_builder *make, enum histree_status status, const char *what);

/* Free what is in a program. */
void program_release(struct program *program);

#endif
