/* SPDX-License-Identifier: MIT */
/*
 * program_missing.h - names of events and fields that a trace should have for an analysis, and which of them it
 * has not.
 */
#ifndef ANALYSIS_PROGRAM_PROGRAM_MISSING_H
#define ANALYSIS_PROGRAM_PROGRAM_MISSING_H

#include "event/event.h"

struct program_expected {
	const char *const *events; /* borrowed */
	size_t event_count;
	const char *const *fields; /* of any event that the program handles */
	size_t field_count;
};

/* Note what a class of the trace has: `met` is one flag an event, and then one a field. */
void program_missing_note(const struct program_expected *expected, const struct event_class *class, bool is_handled,
			  bool *met);

/* Write a sentence about those that were not met, or "". */
void program_missing_say(const struct program_expected *expected, const bool *met, char *text, size_t size);

#endif
