/* SPDX-License-Identifier: MIT */
/*
 * case_kind.h - what the lines of a case (test_analysis_cases.c) do with an analysis of states, or of segments.
 *
 * A failure fails the test.  Events and gaps come first in a run, and what is expected of it follows.  Lines and
 * the name of the tracer outlive the run.
 */
#ifndef CASE_KIND_H
#define CASE_KIND_H

#include "analysis/registry.h"

struct case_kind {
	/* Returns a run of the analysis. */
	void *(*begin)(const struct registry_entry *entry, const char *tracer, int major, int minor);
	void (*event)(void *run, histree_time time, int32_t cpu, const char *name, const char *fields);
	void (*gap)(void *run, histree_time begin, histree_time end, int32_t cpu);

	/* Follows a line of this kind only; returns false if it is none. */
	bool (*line)(void *run, const char *line);

	/* Checks that nothing else came of the run, and frees it. */
	void (*end)(void *run);
};

extern const struct case_kind state_case, segment_case;

#endif
