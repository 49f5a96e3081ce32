/* SPDX-License-Identifier: MIT */
/*
 * program_analysis.h - a program as an analysis of the registry's kind; and the analyses that files define, as
 * front ends make them (definition/definition_files.h reads the files).
 *
 * A program that makes states is an analysis, one that makes segments a segment analysis, and one that makes both
 * is both, under one name: the same run fills the history and the segment store.
 */
#ifndef ANALYSIS_PROGRAM_PROGRAM_ANALYSIS_H
#define ANALYSIS_PROGRAM_PROGRAM_ANALYSIS_H

#include "analysis/program/program.h"
#include "analysis/program/program_run.h"
#include "analysis/registry.h"

struct program_analysis;

struct program_about {
	const char *name;    /* as in -a: letters, digits, '.', '_' and '-' */
	const char *summary; /* one line; NULL: the name */
	const char *domain;  /* "kernel" or "ust": of the traces that it is for; NULL: of any */
	const struct histree_label_table *labels; /* copied */
	size_t label_table_count;
	const struct histree_chart *charts; /* copied */
	size_t chart_count;
	struct program_expected expected; /* of traces, copied: what one lacks is a warning */
	const char *remark;               /* a sentence that the store has as a warning; NULL: none */
};

/*
 * Takes the program over, also if it fails.  Returns HISTREE_ERR_ARGUMENT if the name is invalid, or that of an
 * existing analysis.
 */
enum histree_status program_analysis_create(struct program *program, const struct program_about *about,
					    struct program_analysis **out, struct histree_error *error);

/* It is only kept if it makes something, and it is said why it does not. */
void program_analysis_keep_if_any(struct program_analysis *analysis);

/* Returns its entries, one or two; they live as long as it does. */
const struct registry_entry *program_analysis_entries(const struct program_analysis *analysis, size_t *count);

/* What a file says of the states of an analysis that is not in it. */
struct foreign_views {
	char *analysis;
	struct program_views views;
};

/* A zeroed one is empty. */
struct definitions {
	struct program_analysis **analyses;
	size_t count, capacity;
	struct foreign_views *foreign; /* of analyses that no file has defined yet */
	size_t foreign_count, foreign_capacity;
};

/* Takes the analysis over, also if it fails.  Returns HISTREE_ERR_ARGUMENT if there is one of that name. */
enum histree_status definitions_add(struct definitions *definitions, struct program_analysis *analysis,
				    struct histree_error *error);

/*
 * Views of an analysis of this name, whichever file defines it, before or after; if none does, they are of no use.
 * They are copied.
 */
enum histree_status definitions_add_views(struct definitions *definitions, const char *analysis,
					  const struct histree_label_table *labels, size_t label_table_count,
					  const struct histree_chart *charts, size_t chart_count,
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
