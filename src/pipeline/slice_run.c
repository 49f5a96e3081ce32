// SPDX-License-Identifier: MIT
#include "pipeline/slice_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/trace_notes.h"
#include "tree/leaf_pack.h"

enum { EVENTS_PER_LOOK = 1024 }; /* at whether to go on */

struct slice_reader {
	const struct slice_source *source;
	struct trace *trace;
	bool is_borrowed;  /* the trace is */
	bool *applies;     /* by the id of a trace */
	struct event next; /* what the trace gave last, which nobody has seen */
	bool has_next;
};

struct slice_run {
	const struct slice_source *source;
	struct slice_range range;
	struct analysis_inputs inputs;
	void *instance; /* NULL: it was committed, and is not needed any more */
	struct leaf_pack *pack;
	histree_quark *keys;         /* of the pack, once it was committed */
	struct slice_memory *memory; /* borrowed */
	struct trace_position *begin, *end;
	uint64_t events;
	histree_time last; /* the greatest time */
	bool is_whole;     /* it was read from its beginning to its end */
	bool has_more;     /* SLICE_HAS_MORE */
};

/* ---- readers ------------------------------------------------------------------------------------------------- */

static enum histree_status has_changed(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_TRACE, "the trace has changed while it was read");
}

static enum histree_status learn_traces(struct slice_reader *reader, struct histree_error *error)
{
	size_t traces = trace_count(reader->trace);
	reader->applies = calloc(traces + 1, sizeof(*reader->applies));
	if (reader->applies == NULL)
		return error_memory(error, "a slice of the trace");
	for (size_t i = 0; i < traces; i++) {
		const struct event_trace *trace = trace_at(reader->trace, i);
		reader->applies[trace->id] = reader->source->analysis->applies(trace);
	}
	return HISTREE_OK;
}

static enum histree_status prepare(struct slice_reader *reader, struct histree_error *error)
{
	const struct slice_source *source = reader->source;
	if (trace_bytes(reader->trace) != source->bytes || trace_file_count(reader->trace) != source->file_count)
		return has_changed(error);
	if (!source->ignores_gaps)
		trace_want_gaps(reader->trace);
	trace_set_clock(reader->trace, source->clock);
	return learn_traces(reader, error);
}

static struct slice_reader *make_reader(const struct slice_source *source, struct histree_error *error)
{
	struct slice_reader *reader = calloc(1, sizeof(*reader));
	if (reader == NULL)
		error_memory(error, "a slice of the trace");
	else
		reader->source = source;
	return reader;
}

enum histree_status slice_reader_open(const struct slice_source *source, struct slice_reader **out,
				      struct histree_error *error)
{
	struct slice_reader *reader = *out = make_reader(source, error);
	if (reader == NULL)
		return HISTREE_ERR_MEMORY;
	enum histree_status status = trace_open(source->traces, source->trace_count, &reader->trace, error);
	if (status == HISTREE_OK)
		status = prepare(reader, error);
	if (status != HISTREE_OK) {
		slice_reader_close(reader);
		*out = NULL;
	}
	return status;
}

enum histree_status slice_reader_over(const struct slice_source *source, struct trace *trace,
				      const struct event *event, struct slice_reader **out,
				      struct histree_error *error)
{
	struct slice_reader *reader = *out = make_reader(source, error);
	if (reader == NULL)
		return HISTREE_ERR_MEMORY;
	reader->trace = trace;
	reader->is_borrowed = true;
	reader->next = *event;
	reader->has_next = true;
	enum histree_status status = learn_traces(reader, error);
	if (status != HISTREE_OK) {
		slice_reader_close(reader);
		*out = NULL;
	}
	return status;
}

void slice_reader_close(struct slice_reader *reader)
{
	if (reader == NULL)
		return;
	if (!reader->is_borrowed)
		trace_close(reader->trace);
	free(reader->applies);
	free(reader);
}

enum histree_status slice_reader_go(struct slice_reader *reader, const struct trace_position *positions,
				    struct histree_error *error)
{
	reader->has_next = false;
	return trace_move_silently(reader->trace, positions, reader->source->file_count, error);
}

static enum histree_status look_ahead(struct slice_reader *reader, struct histree_error *error)
{
	enum histree_status status =
		reader->has_next ? HISTREE_OK : trace_next(reader->trace, &reader->next, error);
	reader->has_next = status == HISTREE_OK;
	return status;
}

static bool applies(const struct slice_reader *reader, const struct event *event)
{
	return reader->applies[(event->gap != NULL ? event->gap->trace : event->class->trace)->id];
}

static enum histree_status feed(const struct slice_reader *reader, struct analysis_inputs *inputs, void *instance,
				struct histree_error *error)
{
	const struct analysis *analysis = reader->source->analysis;
	const struct event *event = &reader->next;
	bool is_for_it = applies(reader, event);
	enum histree_status status = analysis_inputs_begin(inputs, event, error);
	if (status == HISTREE_OK && is_for_it && event->gap == NULL)
		status = analysis->event(instance, event, error);
	else if (status == HISTREE_OK && is_for_it && analysis->gap != NULL)
		status = analysis->gap(instance, event->gap, error);
	return status >= 0 ? analysis_inputs_end(inputs, error) : status;
}

/* Returns whether the event that comes next is the first one of a time from which on others can read. */
static bool is_at(const struct slice_reader *reader, histree_time time)
{
	return reader->next.gap == NULL && trace_time_here(reader->trace) >= time &&
	       trace_can_begin_here(reader->trace);
}

/* Where the next event is; where there are none, all files are at their ends. */
static void find_positions(const struct slice_reader *reader, struct trace_position *positions)
{
	if (reader->has_next)
		trace_positions(reader->trace, positions);
	for (size_t i = 0; !reader->has_next && i < reader->source->file_count; i++)
		positions[i] = (struct trace_position){ .packet = TRACE_FILE_DONE };
}

static enum histree_status index_next(const struct slice_reader *reader, struct event_index_writer *index,
				      struct histree_error *error)
{
	const struct event *event = &reader->next;
	if (index == NULL)
		return HISTREE_OK;
	return event->gap == NULL ? event_index_add(index, reader->trace, event, error)
				  : event_index_add_gap(index, event->gap, error);
}

enum histree_status slice_reader_pass(struct slice_reader *reader, histree_time to, struct slice_pass *pass,
				      struct trace_position *positions, struct histree_error *error)
{
	enum histree_status status;
	for (uint64_t i = 0; (status = look_ahead(reader, error)) == HISTREE_OK && !is_at(reader, to); i++) {
		const struct event *event = &reader->next;
		pass->last = event->time > pass->last ? event->time : pass->last;
		pass->events += event->gap == NULL;
		status = feed(reader, pass->inputs, pass->instance, error);
		if (status == HISTREE_OK)
			status = index_next(reader, pass->index, error);
		if (status == HISTREE_OK && i % EVENTS_PER_LOOK == 0 && pass->go_on != NULL)
			status = pass->go_on(pass->context, error);
		if (status != HISTREE_OK)
			return status;
		reader->has_next = false;
	}
	if (status < 0)
		return status;
	find_positions(reader, positions);
	return HISTREE_OK;
}

/* ---- runs ---------------------------------------------------------------------------------------------------- */

enum histree_status slice_run_create(const struct slice_source *source, const struct slice_frame *frame,
				     const struct slice_range *range, void *owner, struct slice_memory *memory,
				     struct slice_run **out, struct histree_error *error)
{
	const struct analysis *analysis = source->analysis;
	void *input;
	struct slice_run *run = *out = calloc(1, sizeof(*run));
	if (run == NULL) {
		leaf_pack_free(frame->log.pack);
		return error_memory(error, "a slice of the trace");
	}
	*run = (struct slice_run){
		.source = source,
		.range = *range,
		.memory = memory,
		.pack = frame->log.pack,
		.begin = calloc(source->file_count + 1, sizeof(*run->begin)),
		.end = calloc(source->file_count + 1, sizeof(*run->end)),
		.last = INT64_MIN,
	};
	enum histree_status status =
		run->begin != NULL && run->end != NULL ? HISTREE_OK : error_memory(error, "a slice of the trace");
	if (status == HISTREE_OK)
		status = analysis_inputs_get(&run->inputs, analysis->input, &input, error);
	if (status == HISTREE_OK)
		status = analysis->slices->create(frame, input, &run->instance, error);
	if (status != HISTREE_OK) {
		slice_run_free(run);
		*out = NULL;
		return status;
	}
	index_part_clear(&memory->part);
	analysis->slices->hint(run->instance, owner);
	return HISTREE_OK;
}

static void release_instance(struct slice_run *run)
{
	if (run->instance != NULL)
		run->source->analysis->free(run->instance);
	run->instance = NULL;
	analysis_inputs_release(&run->inputs);
}

void slice_run_free(struct slice_run *run)
{
	if (run == NULL)
		return;
	release_instance(run);
	leaf_pack_free(run->pack);
	free(run->keys);
	free(run->begin);
	free(run->end);
	free(run);
}

/* ---- reading one --------------------------------------------------------------------------------------------- */

static bool goes_on(const struct slice_run *run, const atomic_bool *is_stopping)
{
	return !atomic_load(is_stopping) && run->source->analysis->slices->failure(run->instance) == NULL;
}

static enum histree_status guess(struct slice_run *run, const struct slice_reader *reader)
{
	const struct event *event = &reader->next;
	enum histree_status status = analysis_inputs_begin(&run->inputs, event, NULL);
	if (status == HISTREE_OK && applies(reader, event) && event->gap == NULL)
		run->source->analysis->slices->guess(run->instance);
	return status == HISTREE_OK ? analysis_inputs_end(&run->inputs, NULL) : status;
}

/* Go to the beginning of the slice.  HISTREE_END: nothing comes then. */
static enum histree_status find_begin(struct slice_run *run, struct slice_reader *reader,
				      const atomic_bool *is_stopping)
{
	reader->has_next = false;
	enum histree_status status = trace_move_before(reader->trace, run->range.known_from, NULL);
	for (uint64_t i = 0; status == HISTREE_OK; i++) {
		status = look_ahead(reader, NULL);
		if (status != HISTREE_OK)
			break;
		histree_time time = trace_time_here(reader->trace);
		if (time >= run->range.from)
			return is_at(reader, run->range.from) ? HISTREE_OK : HISTREE_NOT_FOUND;
		status = guess(run, reader);
		reader->has_next = false;
		if (i % EVENTS_PER_LOOK == 0 && !goes_on(run, is_stopping))
			return HISTREE_NOT_FOUND;
	}
	return status;
}

static enum histree_status read_events(struct slice_run *run, struct slice_reader *reader, bool is_indexed,
				       const atomic_bool *is_stopping)
{
	enum histree_status status;
	for (uint64_t i = 0; (status = look_ahead(reader, NULL)) == HISTREE_OK; i++) {
		const struct event *event = &reader->next;
		if (event->gap != NULL || trace_time_here(reader->trace) >= run->range.to)
			break;
		if (i % EVENTS_PER_LOOK == 0 && !goes_on(run, is_stopping))
			return HISTREE_NOT_FOUND;
		run->last = event->time > run->last ? event->time : run->last;
		run->events++;
		if (is_indexed)
			status = index_part_add(&run->memory->part, reader->trace, event, NULL);
		if (status == HISTREE_OK)
			status = feed(reader, &run->inputs, run->instance, NULL);
		if (status != HISTREE_OK)
			return status;
		reader->has_next = false;
	}
	return status;
}

/* Whether a reader has had something to say of the trace: losses, damage, clocks that step back. */
static bool has_said_more(const struct trace_report *before, const struct trace_report *now)
{
	return before->gaps != now->gaps || before->clock_steps_back != now->clock_steps_back ||
	       before->discarded_events != now->discarded_events ||
	       before->discarded_packets != now->discarded_packets ||
	       before->repeated_packets != now->repeated_packets ||
	       before->damaged_streams != now->damaged_streams || before->warning_count != now->warning_count ||
	       now->warning_count > TRACE_WARNINGS_MAX;
}

void slice_run_read(struct slice_run *run, struct slice_reader *reader, bool is_indexed,
		    const atomic_bool *is_stopping)
{
	if (reader == NULL)
		return;
	enum histree_status status = find_begin(run, reader, is_stopping);
	if (status != HISTREE_OK && status != HISTREE_END)
		return;
	const struct trace_report before = trace_report(reader->trace);
	find_positions(reader, run->begin);
	run->source->analysis->slices->begin(run->instance);
	if (status == HISTREE_OK)
		status = read_events(run, reader, is_indexed, is_stopping);
	if (status != HISTREE_OK && status != HISTREE_END)
		return;
	const struct trace_report now = trace_report(reader->trace);
	run->has_more = has_said_more(&before, &now) || (status == HISTREE_OK && !is_at(reader, run->range.to));
	find_positions(reader, run->end);
	run->is_whole = true;
}

/* ---- handing one over ---------------------------------------------------------------------------------------- */

enum slice_outcome slice_run_outcome(const struct slice_run *run, const struct trace_position *begin)
{
	const struct slice_source *source = run->source;
	if (!run->is_whole || source->analysis->slices->failure(run->instance) != NULL)
		return SLICE_IS_OF_NO_USE;
	for (size_t i = 0; i < source->file_count; i++)
		if (run->begin[i].packet != begin[i].packet || run->begin[i].events != begin[i].events)
			return SLICE_IS_OF_NO_USE;
	return run->has_more ? SLICE_HAS_MORE : SLICE_IS_OF_USE;
}

enum histree_status slice_run_commit(struct slice_run *run, struct slice_pass *pass,
				     struct trace_position *positions, struct histree_error *error)
{
	const struct slice_source *source = run->source;
	enum histree_status status = source->analysis->slices->commit(pass->instance, run->instance, error);
	if (status != HISTREE_OK)
		return status;
	run->keys = source->analysis->slices->take_keys(run->instance);
	memcpy(positions, run->end, source->file_count * sizeof(*positions));
	if (pass->index != NULL)
		status = event_index_add_part(pass->index, &run->memory->part, run->end, source->file_count, error);
	pass->events += run->events;
	pass->last = run->last > pass->last ? run->last : pass->last;
	return status;
}

struct slice_bytes slice_run_bytes(const struct slice_run *run)
{
	return (struct slice_bytes){
		.kept = run->pack != NULL ? leaf_pack_sums(run->pack).intervals * sizeof(struct column_item) : 0,
		.log = run->source->analysis->slices->bytes(run->instance),
	};
}

enum histree_status slice_run_make(struct slice_run *run, struct leaf_scratch *scratch, struct histree_error *error)
{
	release_instance(run);
	return run->pack != NULL ? leaf_pack_make(run->pack, run->keys, scratch, error) : HISTREE_OK;
}

const struct leaf_pack *slice_run_pack(const struct slice_run *run)
{
	return run->pack;
}
