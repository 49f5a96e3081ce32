// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "pipeline/slice_run.h"

enum { EVENTS_PER_LOOK = 1024 }; /* at whether to go on */

enum histree_status slice_run_create(const struct slice_source *source, const struct slice_frame *frame,
				     const struct slice_range *range, const struct saved_bytes *hint,
				     struct slice_memory *memory, struct slice_run **out,
				     struct histree_error *error)
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
	struct byte_reader reader = byte_reader(hint->bytes, hint->size);
	analysis->slices->take_hint(run->instance, &reader);
	return HISTREE_OK;
}

void slice_run_release_instance(struct slice_run *run)
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
	slice_run_release_instance(run);
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
	if (status == HISTREE_OK && slice_reader_applies(reader, event) && event->gap == NULL)
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
		status = slice_reader_look(reader, NULL);
		if (status != HISTREE_OK)
			break;
		histree_time time = trace_time_here(reader->trace);
		if (time >= run->range.from)
			return slice_reader_is_at(reader, run->range.from) ? HISTREE_OK : HISTREE_NOT_FOUND;
		status = guess(run, reader);
		reader->has_next = false;
		if (i % EVENTS_PER_LOOK == 0 && !goes_on(run, is_stopping))
			return HISTREE_NOT_FOUND;
	}
	return status;
}

static enum histree_status keep_for_index(struct slice_run *run, const struct slice_reader *reader)
{
	struct trace_position position;
	size_t file = trace_position_here(reader->trace, &position);
	return index_part_add(&run->memory->part, &reader->next, file, &position, NULL);
}

static enum histree_status read_events(struct slice_run *run, struct slice_reader *reader, bool is_indexed,
				       const atomic_bool *is_stopping)
{
	enum histree_status status;
	for (uint64_t i = 0; (status = slice_reader_look(reader, NULL)) == HISTREE_OK; i++) {
		const struct event *event = &reader->next;
		if (event->gap != NULL || trace_time_here(reader->trace) >= run->range.to)
			break;
		if (i % EVENTS_PER_LOOK == 0 && !goes_on(run, is_stopping))
			return HISTREE_NOT_FOUND;
		run->last = event->time > run->last ? event->time : run->last;
		run->events++;
		if (is_indexed)
			status = keep_for_index(run, reader);
		if (status == HISTREE_OK)
			status = slice_reader_feed(reader, &run->inputs, run->instance, NULL);
		if (status != HISTREE_OK)
			return status;
		reader->has_next = false;
	}
	return status;
}

void slice_run_read(struct slice_run *run, struct slice_reader *reader, bool is_indexed,
		    const atomic_bool *is_stopping)
{
	if (reader == NULL)
		return;
	enum histree_status status = find_begin(run, reader, is_stopping);
	if (status != HISTREE_OK && status != HISTREE_END)
		return;
	run->is_indexed = is_indexed;
	const struct trace_report before = trace_report(reader->trace);
	slice_reader_find(reader, run->begin);
	run->source->analysis->slices->begin(run->instance);
	if (status == HISTREE_OK)
		status = read_events(run, reader, is_indexed, is_stopping);
	if (status != HISTREE_OK && status != HISTREE_END)
		return;
	run->has_more = slice_reader_has_said_more(reader, &before) ||
			(status == HISTREE_OK && !slice_reader_is_at(reader, run->range.to));
	slice_reader_find(reader, run->end);
	run->size = (struct slice_bytes){
		.kept = run->pack != NULL ? leaf_pack_sums(run->pack).intervals * sizeof(struct column_item) : 0,
		.log = run->source->analysis->slices->bytes(run->instance),
	};
	run->is_whole = true;
}

/* ---- handing one over ---------------------------------------------------------------------------------------- */

static bool are_same(const struct trace_position *one, const struct trace_position *other, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (one[i].packet != other[i].packet || one[i].events != other[i].events)
			return false;
	return true;
}

enum slice_outcome slice_run_outcome(const struct slice_run *run, const struct trace_position *begin)
{
	const struct slice_source *source = run->source;
	if (!run->is_whole || run->instance == NULL || source->analysis->slices->failure(run->instance) != NULL)
		return SLICE_IS_OF_NO_USE;
	if (!are_same(run->begin, begin, source->file_count))
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
	run->keys = source->analysis->slices->take_keys(run->instance, &run->key_count);
	run->before = pass->events;
	memcpy(positions, run->end, source->file_count * sizeof(*positions));
	pass->events += run->events;
	pass->last = run->last > pass->last ? run->last : pass->last;
	return HISTREE_OK;
}

enum histree_status slice_run_replace(struct slice_run *run, struct slice_run *committed,
				      struct histree_error *error)
{
	const struct analysis_slices *slices = run->source->analysis->slices;
	size_t files = run->source->file_count;
	bool is_same = slice_run_outcome(run, committed->begin) == SLICE_IS_OF_USE &&
		       are_same(run->end, committed->end, files) && run->events == committed->events &&
		       run->last == committed->last;
	free(slices->take_keys(run->instance, &run->key_count));
	if (!is_same || run->key_count != committed->key_count)
		return error_set(error, HISTREE_ERR_IO,
				 "what a process had read of the trace is gone with it, and cannot be read again: "
				 "memory is out, or the trace has changed meanwhile");
	run->keys = committed->keys;
	run->before = committed->before;
	committed->keys = NULL;
	return HISTREE_OK;
}

/* ---- making and taking --------------------------------------------------------------------------------------- */

enum histree_status slice_run_make(struct slice_run *run, struct leaf_scratch *scratch, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	slice_run_release_instance(run);
	if (run->is_indexed)
		status = index_part_make(&run->memory->part, run->before, run->end, run->source->file_count, error);
	if (status == HISTREE_OK && run->pack != NULL)
		status = leaf_pack_make(run->pack, run->keys, scratch, error);
	return status;
}

enum histree_status slice_run_take(const struct slice_run *run, struct event_index_writer *index,
				   const struct interval_sink *sink, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (index != NULL && run->is_indexed)
		status = event_index_add_part(index, &run->memory->part, error);
	if (status == HISTREE_OK && run->pack != NULL)
		status = sink->take_pack(sink->context, run->pack, error);
	return status;
}
