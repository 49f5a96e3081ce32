/* SPDX-License-Identifier: MIT */
/*
 * slice_run.h - the steps of one slice: read it from the trace, analyse it, hand it over.
 *
 * A reader belongs to one thread at a time, and so does a run.
 */
#ifndef PIPELINE_SLICE_RUN_H
#define PIPELINE_SLICE_RUN_H

#include <stdatomic.h>

#include "analysis/analysis.h"
#include "trace/trace.h"

/* What all readers of a trace have in common; constant, and outlives them. */
struct slice_source {
	const struct analysis *analysis;
	const char *const *traces;
	size_t trace_count;
	bool ignores_gaps;
	const struct histree_clock *clock; /* NULL: none */
	uint64_t bytes;                    /* of the trace that was cut: another one is refused */
	size_t file_count;
};

struct slice_reader;

enum histree_status slice_reader_open(const struct slice_source *source, struct slice_reader **out,
				      struct histree_error *error);
void slice_reader_close(struct slice_reader *reader);

/* Hand an event or gap to an instance, through its inputs. */
enum histree_status slice_feed(const struct analysis *analysis, struct analysis_inputs *inputs, void *instance,
			       const struct event *event, bool applies, struct histree_error *error);

/* Hand `count` events and gaps from a place on to an instance. */
enum histree_status slice_reader_feed(struct slice_reader *reader, const struct trace_position *from,
				      uint64_t count, struct analysis_inputs *inputs, void *instance,
				      struct histree_error *error);

/* Where a slice is: so many events and gaps behind a place, and so long. */
struct slice_range {
	const struct trace_position *known_from;
	uint64_t known, events;
};

struct slice_run;

/* Make one; `owner` is the instance that will take it, and may be far from there yet. */
enum histree_status slice_run_create(const struct slice_source *source, const struct slice_frame *frame,
				     void *owner, struct slice_run **out, struct histree_error *error);

/* Analyse the slice, as far as that is of use, until `is_stopping`.  A reader that is NULL could not be opened. */
enum histree_status slice_run_read(struct slice_run *run, struct slice_reader *reader,
				   const struct slice_range *range, const atomic_bool *is_stopping,
				   struct histree_error *error);

/* It is of no use. */
void slice_run_spoil(struct slice_run *run);

/* As struct analysis_slices has it: HISTREE_NOT_FOUND if nothing was done. */
enum histree_status slice_run_commit(struct slice_run *run, void *owner, struct histree_error *error);

void slice_run_free(struct slice_run *run);

#endif
