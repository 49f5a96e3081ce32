// SPDX-License-Identifier: MIT
/*
 * slice_run.c - slices on their way: the plan that all have, the ring, the steps of a run, and its bytes
 * (docs/design/12-build.md).
 */
#include "pipeline/build/slice_run.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/analysis.h"
#include "analysis/registry.h"
#include "base/arena.h"
#include "base/error.h"
#include "event_index/event_index.h"
#include "event_index/index_part.h"
#include "state/ongoing_states.h"
#include "trace/event_stream.h"
#include "trace/trace_source.h"
#include "tree/leaf_pack.h"
#include "tree/tree_shape.h"

/* ---- slice reader -------------------------------------------------------------------------------------------- */

const char slice_changed[] = "the trace has changed while it was read";

enum { SLICE_READER_EVENTS_PER_LOOK = 1024 }; /* at whether to go on */

/* Read from a stream, which is open. */
static enum histree_status begin_reading(struct slice_reader *reader, struct event_stream *stream,
					 struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	reader->stream = stream;
	reader->feed.analysis = reader->source->analysis;
	for (size_t i = 0; i < trace_count(stream->trace) && status == HISTREE_OK; i++)
		status = analysis_feed_meet(&reader->feed, trace_at(stream->trace, i), error);
	return status;
}

enum histree_status slice_reader_open(const struct slice_source *source, struct event_stream *stream,
				      struct slice_reader **out, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	struct slice_reader *reader = *out = calloc(1, sizeof(*reader));
	if (reader == NULL)
		return error_memory(error, "a slice of the trace");
	reader->source = source;
	if (stream == NULL)
		status = event_stream_open(&reader->own, &source->origin, NULL, error);
	if (status == HISTREE_OK)
		status = begin_reading(reader, stream != NULL ? stream : &reader->own, error);
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
	event_stream_close(&reader->own);
	analysis_feed_release(&reader->feed);
	free(reader);
}

/* The owner has met the gaps on the way there. */
enum histree_status slice_reader_go(struct slice_reader *reader, const struct trace_position *positions,
				    struct histree_error *error)
{
	event_stream_forget(reader->stream);
	return trace_move_silently(reader->stream->trace, positions, reader->source->origin.file_count, error);
}

/* Returns whether the event that comes next is the first one of a time from which on others can read. */
static bool slice_reader_is_at(const struct slice_reader *reader, histree_time time)
{
	const struct event_stream *stream = reader->stream;
	return stream->events->gap == NULL && trace_time_here(stream->trace) >= time &&
	       trace_can_begin_here(stream->trace);
}

bool slice_reader_has_said_more(const struct slice_reader *reader, const struct trace_report *before)
{
	const struct trace_report now = trace_report(reader->stream->trace);
	return before->gaps != now.gaps || before->clock_steps_back != now.clock_steps_back ||
	       before->discarded_events != now.discarded_events ||
	       before->discarded_packets != now.discarded_packets ||
	       before->repeated_packets != now.repeated_packets || before->damaged_streams != now.damaged_streams ||
	       before->warning_count != now.warning_count || now.warning_count > TRACE_WARNINGS_MAX;
}

/* Where the next event is; where there are none, all files are at their ends. */
static void slice_reader_find(const struct slice_reader *reader, struct trace_position *positions)
{
	const bool has_next = reader->stream->count > 0;
	if (has_next)
		trace_positions(reader->stream->trace, positions);
	for (size_t i = 0; !has_next && i < reader->source->origin.file_count; i++)
		positions[i] = (struct trace_position){ .packet = TRACE_FILE_DONE };
}

enum histree_status slice_reader_pass(struct slice_reader *reader, histree_time to, struct slice_pass *pass,
				      struct trace_position *positions, struct histree_error *error)
{
	struct event_stream *stream = reader->stream;
	enum histree_status status;
	for (uint64_t i = 0;
	     (status = event_stream_look(stream, error)) == HISTREE_OK && !slice_reader_is_at(reader, to); i++) {
		const struct event *event = stream->events;
		pass->last = event->time > pass->last ? event->time : pass->last;
		pass->events += event->gap == NULL;
		status = analysis_feed_handle(&reader->feed, pass->inputs, pass->instance, event, error);
		if (status == HISTREE_OK)
			status = event_stream_pass(stream, error);
		if (status == HISTREE_OK && i % SLICE_READER_EVENTS_PER_LOOK == 0 && pass->go_on != NULL)
			status = pass->go_on(pass->context, error);
		if (status != HISTREE_OK)
			return status;
	}
	if (status < 0)
		return status;
	slice_reader_find(reader, positions);
	return HISTREE_OK;
}

/* ---- slice run ----------------------------------------------------------------------------------------------- */

/* ---- the plan ------------------------------------------------------------------------------------------------ */

/* A text that is loaded is copied.  Returns false if memory is out. */
static bool code_name(struct codec *codec, struct arena *arena, const char **text)
{
	size_t size = codec_loads(codec) ? 0 : strlen(*text);
	code_text(codec, text, &size);
	if (codec_loads(codec))
		*text = arena_copy(arena, *text, size);
	return *text != NULL;
}

/* NULL: there is no such analysis, or not of this version. */
static bool code_analysis(struct codec *codec, struct arena *arena, const struct analysis **analysis)
{
	const char *name = codec_loads(codec) ? NULL : (*analysis)->name;
	bool has_room = code_name(codec, arena, &name);
	const uint64_t version = code_number(codec, codec_loads(codec) ? 0 : (*analysis)->version);
	if (!codec_loads(codec) || !has_room)
		return has_room;
	const struct registry_entry *entry = codec_goes_on(codec) ? registry_find(name) : NULL;
	*analysis = entry != NULL ? entry->analysis : NULL;
	if (*analysis != NULL && ((*analysis)->slices == NULL || (*analysis)->version != version))
		*analysis = NULL;
	return true;
}

static bool code_traces(struct codec *codec, struct arena *arena, struct event_origin *origin)
{
	size_t count = code_count(codec, origin->path_count, 1);
	const char **loaded =
		codec_loads(codec) ? arena_allocate(arena, (count + 1) * sizeof(*loaded), _Alignof(char *)) : NULL;
	bool has_room = !codec_loads(codec) || loaded != NULL;
	for (size_t i = 0; i < count && has_room; i++) {
		const char *path = codec_loads(codec) ? NULL : origin->paths[i];
		has_room = code_name(codec, arena, &path);
		if (codec_loads(codec))
			loaded[i] = path;
	}
	if (codec_loads(codec)) {
		origin->paths = loaded;
		origin->path_count = count;
	}
	return has_room;
}

static enum histree_status code_tree(struct codec *codec, struct arena *arena, struct tree_options *tree,
				     struct histree_error *error)
{
	struct histree_tree_options asked = { .variant = codec_loads(codec) ? NULL : tree->variant->name,
					      .threads = 1 };
	if (!code_name(codec, arena, &asked.variant))
		return error_memory(error, "a slice of the trace");
	asked.r_depth = (uint32_t)code_below(codec, tree->r_depth, UINT32_MAX);
	asked.r_nodes = (uint32_t)code_below(codec, tree->r_nodes, UINT32_MAX);
	asked.node_size = (uint32_t)code_below(codec, tree->node_size, UINT32_MAX);
	asked.fan_out = (uint32_t)code_below(codec, tree->fan_out, UINT32_MAX);
	asked.prefer = (enum histree_preference)code_below(codec, (uint64_t)tree->prefer, HISTREE_PREFER_SPACE + 1);
	histree_time start = code_signed(codec, tree->start);
	return codec_loads(codec) && codec_goes_on(codec) ? tree_options_resolve(&asked, start, tree, error)
							  : HISTREE_OK;
}

enum histree_status slice_plan_code(struct slice_plan *plan, struct arena *arena, struct codec *codec,
				    struct histree_error *error)
{
	struct event_origin *origin = &plan->source.origin;
	bool ignores_gaps = !origin->wants_gaps;
	if (!code_analysis(codec, arena, &plan->source.analysis) || !code_traces(codec, arena, origin))
		return error_memory(error, "a slice of the trace");
	CODE_FLAGS(codec, &ignores_gaps, &plan->has_packs);
	origin->wants_gaps = !ignores_gaps;
	origin->changed = slice_changed;
	origin->bytes = code_number(codec, origin->bytes);
	origin->file_count = (size_t)code_below(codec, origin->file_count, UINT32_MAX);
	plan->frame.start = code_signed(codec, plan->frame.start);
	plan->frame.value_size_max = (size_t)code_number(codec, plan->frame.value_size_max);
	plan->frame.bytes_max = (size_t)code_number(codec, plan->frame.bytes_max);
	plan->ring_size = (size_t)code_below(codec, plan->ring_size, SLICE_RING_MAX + 1);
	plan->kept_max = (size_t)code_number(codec, plan->kept_max);
	enum histree_status status = plan->has_packs ? code_tree(codec, arena, &plan->tree, error) : HISTREE_OK;
	if (status != HISTREE_OK || !codec_loads(codec))
		return status;
	const bool makes_sense = codec_goes_on(codec) && byte_reader_left(codec->in) == 0 && plan->ring_size > 0 &&
				 plan->source.analysis != NULL && origin->path_count > 0;
	return makes_sense
		       ? HISTREE_OK
		       : error_set(error, HISTREE_ERR_FORMAT,
				   "how slices are to be read is said in a way that this histree does not know");
}

/* ---- the ring ------------------------------------------------------------------------------------------------ */

static const long wait_ns = 50 * 1000 * 1000;

bool slice_ring_init(struct slice_ring *ring, size_t size)
{
	*ring = (struct slice_ring){ .size = size };
	pthread_mutex_init(&ring->mutex, NULL);
	pthread_cond_init(&ring->changed, NULL);
	ring->slices = calloc(size, sizeof(*ring->slices));
	return ring->slices != NULL;
}

void slice_ring_release(struct slice_ring *ring)
{
	for (size_t i = 0; i < ring->size && ring->slices != NULL; i++) {
		struct slice *slice = &ring->slices[i];
		slice_run_free(slice->run);
		byte_buffer_release(&slice->hint);
		byte_buffer_release(&slice->answer);
		index_part_release(&slice->memory.part);
	}
	free(ring->slices);
	pthread_cond_destroy(&ring->changed);
	pthread_mutex_destroy(&ring->mutex);
	*ring = (struct slice_ring){ .size = 0 };
}

void slice_ring_cut(struct slice_ring *ring)
{
	pthread_mutex_lock(&ring->mutex);
	ring->cut++;
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->mutex);
}

/* ---- who does the steps -------------------------------------------------------------------------------------- */

/* Leaves first: what waits for them has the most memory. */
static struct slice *slice_for_worker(struct slice_ring *ring, int worker, bool may_read)
{
	struct slice *found = NULL;
	for (uint64_t number = ring->taken; number < ring->cut; number++) {
		struct slice *slice = slice_ring_at(ring, number);
		if (slice->number != number) /* of a worker's ring, which has not all of them */
			continue;
		bool is_to_make = slice->step == STEP_MAKE && slice->worker == worker;
		if (slice->is_begun || (!is_to_make && (slice->step != STEP_READ || !may_read)))
			continue;
		if (is_to_make || found == NULL)
			found = slice;
		if (is_to_make)
			break;
	}
	if (found == NULL)
		return NULL;
	found->is_begun = true;
	found->worker = worker;
	return found;
}

struct slice *slice_ring_take(struct slice_ring *ring, int worker, bool may_read)
{
	pthread_mutex_lock(&ring->mutex);
	struct slice *slice = ring->is_stopping ? NULL : slice_for_worker(ring, worker, may_read);
	pthread_mutex_unlock(&ring->mutex);
	return slice;
}

struct slice *slice_ring_wait(struct slice_ring *ring)
{
	struct slice *slice = NULL;
	pthread_mutex_lock(&ring->mutex);
	while (!ring->is_stopping && (slice = slice_for_worker(ring, SLICE_WORKER_HERE, true)) == NULL)
		pthread_cond_wait(&ring->changed, &ring->mutex);
	pthread_mutex_unlock(&ring->mutex);
	return slice;
}

struct slice *slice_ring_find(struct slice_ring *ring, uint64_t number, int worker, enum slice_step step)
{
	struct slice *found = NULL;
	pthread_mutex_lock(&ring->mutex);
	if (number >= ring->taken && number < ring->cut) {
		struct slice *slice = slice_ring_at(ring, number);
		if (slice->number == number && slice->is_begun && slice->step == step && slice->worker == worker)
			found = slice;
	}
	pthread_mutex_unlock(&ring->mutex);
	return found;
}

struct slice *slice_ring_add(struct slice_ring *ring, uint64_t number, uint64_t taken)
{
	struct slice *slice = slice_ring_at(ring, number);
	pthread_mutex_lock(&ring->mutex);
	bool makes_sense = taken >= ring->taken && number >= taken && number - taken < ring->size;
	/* What is left of those before, the owner has refused; one in work still owes its answer. */
	for (size_t i = 0; i < ring->size && makes_sense; i++) {
		struct slice *left = &ring->slices[i];
		if (left->step == STEP_EMPTY || left->number >= taken)
			continue;
		makes_sense = left->step == STEP_COMMIT && left->is_begun;
		if (!makes_sense)
			break;
		slice_run_free(left->run);
		left->run = NULL;
		left->step = STEP_EMPTY;
		left->is_begun = false;
	}
	makes_sense = makes_sense && slice->step == STEP_EMPTY;
	if (makes_sense) {
		ring->taken = taken;
		ring->cut = number >= ring->cut ? number + 1 : ring->cut;
		slice->number = number;
	}
	pthread_mutex_unlock(&ring->mutex);
	return makes_sense ? slice : NULL;
}

bool slice_ring_answer(struct slice_ring *ring, struct byte_buffer *out)
{
	bool is_found = false;
	pthread_mutex_lock(&ring->mutex);
	for (size_t i = 0; i < ring->size && ring->answers > 0 && !is_found; i++) {
		struct slice *slice = &ring->slices[i];
		if (slice->is_begun || !slice->has_answer)
			continue;
		is_found = true;
		ring->answers--;
		*out = slice->answer;
		slice->answer = (struct byte_buffer){ 0 };
		slice->has_answer = false;
		if (slice->step == STEP_TAKE)
			slice->step = STEP_EMPTY;
		else
			slice->is_begun = true; /* by the owner */
	}
	pthread_mutex_unlock(&ring->mutex);
	return is_found;
}

void slice_ring_end_step(struct slice_ring *ring, struct slice *slice, enum slice_step next)
{
	pthread_mutex_lock(&ring->mutex);
	slice->step = next;
	slice->is_begun = false;
	ring->answers += slice->has_answer;
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->mutex);
}

void slice_ring_lose(struct slice_ring *ring, int worker)
{
	pthread_mutex_lock(&ring->mutex);
	for (uint64_t number = ring->taken; number < ring->cut; number++) {
		struct slice *slice = slice_ring_at(ring, number);
		if (slice->worker != worker || slice->step == STEP_TAKE)
			continue;
		slice->worker = SLICE_WORKER_HERE;
		slice->is_begun = false;
	}
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->mutex);
}

void slice_ring_stop(struct slice_ring *ring)
{
	pthread_mutex_lock(&ring->mutex);
	ring->is_stopping = true;
	pthread_cond_broadcast(&ring->changed);
	pthread_mutex_unlock(&ring->mutex);
}

/* ---- the owner ----------------------------------------------------------------------------------------------- */

bool slice_ring_has_come(struct slice_ring *ring, const struct slice *slice, enum slice_step step, bool waits)
{
	struct timespec until;
	pthread_mutex_lock(&ring->mutex);
	if (waits && slice->step != step) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += wait_ns;
		until.tv_sec += until.tv_nsec / (1000 * 1000 * 1000);
		until.tv_nsec %= 1000 * 1000 * 1000;
		pthread_cond_timedwait(&ring->changed, &ring->mutex, &until);
	}
	bool has_come = slice->step == step;
	pthread_mutex_unlock(&ring->mutex);
	return has_come;
}

void slice_ring_count(struct slice_ring *ring, uint64_t *counter)
{
	pthread_mutex_lock(&ring->mutex);
	++*counter;
	pthread_mutex_unlock(&ring->mutex);
}

int slice_ring_worker(struct slice_ring *ring, const struct slice *slice)
{
	pthread_mutex_lock(&ring->mutex);
	int worker = slice->worker;
	pthread_mutex_unlock(&ring->mutex);
	return worker;
}

uint64_t slice_ring_taken(struct slice_ring *ring)
{
	pthread_mutex_lock(&ring->mutex);
	uint64_t taken = ring->taken;
	pthread_mutex_unlock(&ring->mutex);
	return taken;
}

/* ---- a run --------------------------------------------------------------------------------------------------- */

enum { SLICE_RUN_EVENTS_PER_LOOK = 1024 }; /* at whether to go on */

static enum histree_status create_pack(struct slice_run *run, const struct slice_plan *plan,
				       struct chunk_pool *pool, struct histree_error *error)
{
	return plan->has_packs ? leaf_pack_create(&plan->tree, pool, plan->kept_max, &run->pack, error)
			       : HISTREE_OK;
}

enum histree_status slice_run_create(const struct slice_plan *plan, struct chunk_pool *pool,
				     const struct slice_range *range, const struct byte_buffer *hint,
				     struct slice_memory *memory, struct slice_run **out,
				     struct histree_error *error)
{
	const struct slice_source *source = &plan->source;
	const struct analysis *analysis = source->analysis;
	struct change_log_frame frame = plan->frame;
	struct byte_reader reader = byte_reader(hint->bytes, hint->size);
	void *input;
	struct slice_run *run = *out = calloc(1, sizeof(*run));
	if (run == NULL)
		return error_memory(error, "a slice of the trace");
	*run = (struct slice_run){
		.source = source,
		.range = *range,
		.memory = memory,
		.begin = calloc(source->origin.file_count + 1, sizeof(*run->begin)),
		.end = calloc(source->origin.file_count + 1, sizeof(*run->end)),
		.last = INT64_MIN,
	};
	enum histree_status status =
		run->begin != NULL && run->end != NULL ? HISTREE_OK : error_memory(error, "a slice of the trace");
	if (status == HISTREE_OK && pool != NULL)
		status = create_pack(run, plan, pool, error);
	frame.pack = run->pack;
	if (status == HISTREE_OK)
		status = analysis_inputs_get(&run->inputs, analysis->input, &input, error);
	if (status == HISTREE_OK)
		status = change_log_init(&run->log, &frame, error);
	if (status == HISTREE_OK)
		status = analysis->slices->create(analysis, &run->log, input, &reader, &run->instance, error);
	if (status != HISTREE_OK) {
		slice_run_free(run);
		*out = NULL;
		return status;
	}
	index_part_clear(&memory->part);
	return HISTREE_OK;
}

/* The instance is not needed any more. */
static void slice_run_release_instance(struct slice_run *run)
{
	if (run->instance != NULL)
		run->source->analysis->free(run->instance);
	run->instance = NULL;
	change_log_release(&run->log);
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
	return !atomic_load(is_stopping) && change_log_failure(&run->log) == NULL;
}

static enum histree_status guess(struct slice_run *run, const struct slice_reader *reader)
{
	const struct event *event = reader->stream->events;
	enum histree_status status = analysis_inputs_begin(&run->inputs, event, NULL);
	if (status == HISTREE_OK && analysis_feed_applies(&reader->feed, event) && event->gap == NULL)
		run->source->analysis->slices->guess(run->instance);
	return status == HISTREE_OK ? analysis_inputs_end(&run->inputs, NULL) : status;
}

/* Go to the beginning of the slice.  HISTREE_END: nothing comes then. */
static enum histree_status find_begin(struct slice_run *run, struct slice_reader *reader,
				      const atomic_bool *is_stopping)
{
	event_stream_forget(reader->stream);
	enum histree_status status = trace_move_before(reader->stream->trace, run->range.known_from, NULL);
	for (uint64_t i = 0; status == HISTREE_OK; i++) {
		status = event_stream_look(reader->stream, NULL);
		if (status != HISTREE_OK)
			break;
		histree_time time = trace_time_here(reader->stream->trace);
		if (time >= run->range.from)
			return slice_reader_is_at(reader, run->range.from) ? HISTREE_OK : HISTREE_NOT_FOUND;
		status = guess(run, reader);
		event_stream_forget(reader->stream);
		if (i % SLICE_RUN_EVENTS_PER_LOOK == 0 && !goes_on(run, is_stopping))
			return HISTREE_NOT_FOUND;
	}
	return status;
}

static enum histree_status keep_for_index(struct slice_run *run, const struct slice_reader *reader)
{
	struct trace_position position;
	size_t file = trace_position_here(reader->stream->trace, &position);
	return index_part_add(&run->memory->part, reader->stream->events, file, &position, NULL);
}

static enum histree_status read_events(struct slice_run *run, struct slice_reader *reader, bool is_indexed,
				       const atomic_bool *is_stopping)
{
	enum histree_status status;
	for (uint64_t i = 0; (status = event_stream_look(reader->stream, NULL)) == HISTREE_OK; i++) {
		const struct event *event = reader->stream->events;
		if (event->gap != NULL || trace_time_here(reader->stream->trace) >= run->range.to)
			break;
		if (i % SLICE_RUN_EVENTS_PER_LOOK == 0 && !goes_on(run, is_stopping))
			return HISTREE_NOT_FOUND;
		run->last = event->time > run->last ? event->time : run->last;
		run->events++;
		if (is_indexed)
			status = keep_for_index(run, reader);
		if (status == HISTREE_OK)
			status = analysis_feed_handle(&reader->feed, &run->inputs, run->instance, event, NULL);
		if (status != HISTREE_OK)
			return status;
		event_stream_forget(reader->stream);
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
	const struct trace_report before = trace_report(reader->stream->trace);
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
		.kept = run->pack != NULL ? run->pack->sums.intervals * sizeof(struct column_item) : 0,
		.log = change_log_bytes(&run->log),
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
	if (!run->is_whole || run->instance == NULL || change_log_failure(&run->log) != NULL)
		return SLICE_IS_OF_NO_USE;
	if (!are_same(run->begin, begin, source->origin.file_count))
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
	run->keys = change_log_take_keys(&run->log, &run->key_count);
	run->before = pass->events;
	memcpy(positions, run->end, source->origin.file_count * sizeof(*positions));
	pass->events += run->events;
	pass->last = run->last > pass->last ? run->last : pass->last;
	return HISTREE_OK;
}

enum histree_status slice_run_replace(struct slice_run *run, struct slice_run *committed,
				      struct histree_error *error)
{
	size_t files = run->source->origin.file_count;
	bool is_same = slice_run_outcome(run, committed->begin) == SLICE_IS_OF_USE &&
		       are_same(run->end, committed->end, files) && run->events == committed->events &&
		       run->last == committed->last;
	run->key_count = change_log_attributes(&run->log);
	if (!is_same || run->key_count != committed->key_count)
		return error_set(error, HISTREE_ERR_IO,
				 "what a process had read of the trace is gone with it, and cannot be read again: "
				 "out of memory, or the trace has changed meanwhile");
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
		status = index_part_make(&run->memory->part, run->before, run->end, run->source->origin.file_count,
					 error);
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

/* ---- as bytes ------------------------------------------------------------------------------------------------ */

/* ---- what was read ------------------------------------------------------------------------------------------- */

static void code_positions(struct codec *codec, struct trace_position *positions, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		positions[i].packet = code_number(codec, positions[i].packet + 1) - 1;
		positions[i].events = code_number(codec, positions[i].events);
	}
}

/* One that is of no use for lack of memory needs no words. */
static enum histree_status code_whole(struct slice_run *run, struct codec *codec, struct histree_error *error)
{
	const size_t files = run->source->origin.file_count;
	code_positions(codec, run->begin, files);
	code_positions(codec, run->end, files);
	run->events = code_number(codec, run->events);
	run->last = code_signed(codec, run->last);
	run->size.kept = (size_t)code_number(codec, run->size.kept);
	return run->has_more || !codec_goes_on(codec)
		       ? HISTREE_OK
		       : run->source->analysis->slices->code(run->instance, codec, error);
}

void slice_run_save_read(struct slice_run *run, struct byte_buffer *out)
{
	struct codec codec = { .out = out };
	const size_t begin = out->size;
	bool is_of_use = run->is_whole && change_log_failure(&run->log) == NULL;
	CODE_FLAGS(&codec, &is_of_use, &run->has_more, &run->is_indexed);
	if (is_of_use && code_whole(run, &codec, NULL) != HISTREE_OK && !out->failed) {
		out->size = begin;
		byte_buffer_put_number(out, 0);
	}
	run->key_count = change_log_attributes(&run->log);
}

enum histree_status slice_run_load_read(struct slice_run *run, struct byte_reader *reader,
					struct histree_error *error)
{
	struct codec codec = { .in = reader };
	CODE_FLAGS(&codec, &run->is_whole, &run->has_more, &run->is_indexed);
	enum histree_status status = run->is_whole ? code_whole(run, &codec, error) : HISTREE_OK;
	run->size.log = change_log_bytes(&run->log);
	if (status == HISTREE_OK && (reader->failed || byte_reader_left(reader) > 0))
		status = error_set(error, HISTREE_ERR_FORMAT, "a slice makes no sense");
	run->is_elsewhere = true;
	run->is_whole = run->is_whole && status == HISTREE_OK;
	return status;
}

/* ---- what it is to be made with ------------------------------------------------------------------------------ */

/* Keys follow one another mostly: each run of them is its difference to the key before, and how many they are. */
void slice_run_save_keys(const struct slice_run *run, struct byte_buffer *out)
{
	histree_quark next = 0;
	byte_buffer_put_number(out, run->before);
	byte_buffer_put_number(out, run->key_count);
	for (size_t i = 0; i < run->key_count;) {
		size_t count = 1;
		while (i + count < run->key_count && run->keys[i + count] == run->keys[i] + count)
			count++;
		byte_buffer_put_signed(out, (int64_t)run->keys[i] - (int64_t)next);
		byte_buffer_put_number(out, count);
		next = run->keys[i] + (histree_quark)count;
		i += count;
	}
}

/* The slice knows how many keys it has: those of another slice are not these. */
enum histree_status slice_run_load_keys(struct slice_run *run, struct byte_reader *reader,
					struct histree_error *error)
{
	run->before = read_varint(reader);
	uint64_t count = read_varint(reader);
	if (reader->failed || count != run->key_count || !run->is_whole)
		return error_set(error, HISTREE_ERR_FORMAT, "the attributes of a slice are not those that it has");
	run->keys = calloc(run->key_count + 1, sizeof(*run->keys));
	if (run->keys == NULL)
		return error_memory(error, "the attributes of a slice");
	uint64_t next = 0;
	for (size_t i = 0; i < run->key_count && !reader->failed;) {
		uint64_t key = next + (uint64_t)byte_reader_signed(reader);
		size_t length = (size_t)byte_reader_below(reader, run->key_count - i + 1);
		if (length == 0 || key >= COLUMN_KEY_LIMIT || key + length > COLUMN_KEY_LIMIT)
			reader->failed = true;
		for (size_t at = 0; at < length && !reader->failed; at++)
			run->keys[i + at] = (histree_quark)(key + at);
		i += length;
		next = key + length;
	}
	if (reader->failed || byte_reader_left(reader) > 0)
		return error_set(error, HISTREE_ERR_FORMAT, "the attributes of a slice make no sense");
	return HISTREE_OK;
}

/* ---- what was made ------------------------------------------------------------------------------------------- */

void slice_run_save_made(const struct slice_run *run, struct byte_buffer *out)
{
	if (run->is_indexed)
		byte_buffer_put_text(out, run->memory->part.made.bytes, run->memory->part.made.size);
	if (run->pack != NULL)
		leaf_pack_save(run->pack, out);
}

enum histree_status slice_run_load_made(struct slice_run *run, const struct slice_plan *plan,
					struct chunk_pool *pool, struct byte_reader *reader,
					struct histree_error *error)
{
	enum histree_status status = create_pack(run, plan, pool, error);
	uint64_t limit = 0;
	for (size_t i = 0; i < run->key_count; i++)
		limit = run->keys[i] >= limit ? (uint64_t)run->keys[i] + 1 : limit;
	slice_run_release_instance(run);
	if (status == HISTREE_OK && run->is_indexed) {
		size_t size;
		const char *index = byte_reader_text(reader, &size);
		status = index_part_load(&run->memory->part, run->before, run->events,
					 run->source->origin.file_count, index, size, error);
	}
	if (status == HISTREE_OK && run->pack != NULL)
		status = leaf_pack_load(run->pack, limit, reader, error);
	if (status == HISTREE_OK && (reader->failed || byte_reader_left(reader) > 0))
		status = error_set(error, HISTREE_ERR_FORMAT, "what was made of a slice makes no sense");
	return status;
}
