/* SPDX-License-Identifier: MIT */
/*
 * registry.h - the table of all analyses.  A new analysis is one line in registry.c.
 */
#ifndef ANALYSIS_REGISTRY_H
#define ANALYSIS_REGISTRY_H

#include "analysis/analysis.h"

struct registry_entry {
	const struct analysis *analysis;         /* that makes a history, or NULL */
	const struct segment_analysis *segments; /* that makes a segment store, or NULL */
	bool is_variant;                         /* of another analysis: it is made only where it is named */
	bool if_any;                             /* by default: only if the trace has something of it */
	bool is_of_line;                         /* defined in one line: if it is left out, it is said why */
	/* But not of a trace that has nothing but samples, nor of one that does not say that it is of a kernel. */
	bool needs_events;
	/* By default only of a trace that declares this (struct event_trace); calls also if it declares nothing. */
	unsigned of_declared;
	/*
	 * What it lives on of the kernel, in the words of perf, for the sentence that says what to record; NULL:
	 * its own sentences say that.
	 */
	const char *events;
};

/* Ended by an entry without either. */
extern const struct registry_entry registry[];

/* Returns the analysis with this name, or NULL. */
const struct registry_entry *registry_find(const char *name);
const char *registry_name(const struct registry_entry *entry);
uint32_t registry_version(const struct registry_entry *entry);
const struct analysis_input_kind *registry_input(const struct registry_entry *entry);

/* What a trace has that the analysis applies to, as the object of "it needs". */
const char *registry_needs(const struct registry_entry *entry);
bool registry_applies(const struct registry_entry *entry, const struct event_trace *trace);

/* Whether a build without -a uses it for such a trace. */
bool registry_is_default(const struct registry_entry *entry, const struct event_trace *trace);

/* "kernel, kernel-2016, ..." for messages. */
void registry_names(char *text, size_t capacity);

/* "kernel needs ...; ust-calls needs ...": of those that a build uses by default. */
void registry_default_needs(char *text, size_t capacity);

/* "irqs (irq:*); block-io (block:*)": of those with these names, what they live on. */
void registry_lacking(const char *const *names, size_t count, char *text, size_t capacity);

/* Returns NULL after the last one. */
const struct registry_entry *registry_at(size_t index);

#endif
