/* SPDX-License-Identifier: MIT */
/*
 * program_analysis.h - a program as an analysis of the registry's kind: what a build makes of it.
 *
 * A program that makes states is an analysis, one that makes segments a segment analysis, and one that makes both
 * is both, of one name: the same run fills the history and the segment store.
 */
#ifndef ANALYSIS_PROGRAM_PROGRAM_ANALYSIS_H
#define ANALYSIS_PROGRAM_PROGRAM_ANALYSIS_H

#include "analysis/program/program.h"
#include "analysis/program/program_missing.h"
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
/* As program_views_add() does, before the analysis is used. */
bool program_analysis_add_views(struct program_analysis *analysis, const struct histree_label_table *labels,
				size_t label_table_count, const struct histree_chart *charts, size_t chart_count);
void program_analysis_free(struct program_analysis *analysis);

/* Returns its entries, one or two; they live as long as it does. */
const struct registry_entry *program_analysis_entries(const struct program_analysis *analysis, size_t *count);

#endif
