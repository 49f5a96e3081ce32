/* SPDX-License-Identifier: MIT */
/*
 * definitions.h - the analyses that files define, as front ends make them (definition/definition_files.h reads the
 * files).
 */
#ifndef ANALYSIS_PROGRAM_DEFINITIONS_H
#define ANALYSIS_PROGRAM_DEFINITIONS_H

#include "analysis/program/program_analysis.h"

/* A zeroed one is empty. */
struct definitions {
	struct program_analysis **analyses;
	size_t count, capacity;
};

/* Takes the analysis over, also if it fails.  Returns HISTREE_ERR_ARGUMENT if there is one of that name. */
enum histree_status definitions_add(struct definitions *definitions, struct program_analysis *analysis,
				    struct histree_error *error);

void definitions_release(struct definitions *definitions);

/*
 * What a front end is: it makes analyses of the bytes of a file and adds them with definitions_add().  `path` is
 * for messages, which begin with it, the line and the column: "my.xml:12:3: ...".  The bytes end with a zero that
 * is not counted.
 *
 * Returns HISTREE_NOT_FOUND, with a message, if the file is a trace: in a folder it is passed by.
 */
typedef enum histree_status definitions_reader(const char *path, const char *bytes, size_t size,
					       struct definitions *definitions, struct histree_error *error);

#endif
