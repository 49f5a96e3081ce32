// SPDX-License-Identifier: MIT
/*
 * partial_history.c - a partial history: its checkpoints while a trace is read, and the slices that are made
 * again between two of them.
 *
 * A checkpoint, as bytes, has the position of the build in the trace and the knowledge of its analysis.  All
 * numbers are varints.
 *
 * 	origin		version, bytes of all stream files, how many there are, 1 if gaps are ignored
 * 	knowledge	how many events and gaps came before; for each stream file its packet plus one (0: done) and
 * 			how many events of that packet came before; then the bytes of the analysis
 *
 * Slices are kept under a byte ceiling.  A slice that several threads need is made once, by one of them, while the
 * others wait; different slices are made at the same time, by a replay each.  Above the ceiling, slices that no
 * query holds are freed, the least recently used first.
 *
 * A replay runs the analysis once more between two checkpoints.  It belongs to one thread at a time and keeps the
 * trace open from one slice to the next.
 */
#include "partial/partial_history.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "analysis/registry.h"
#include "base/bytes.h"
#include "base/error.h"
#include "histree/history.h"
#include "histree/store.h"
#include "state/attribute_section.h"
#include "state/attributes.h"
#include "state/history.h"
#include "state/partial_file.h"
#include "state/partial_section.h"
#include "trace/event_stream.h"

enum { KNOWLEDGE_VERSION = 1 };

struct partial_origin {
	uint64_t trace_bytes;
	uint64_t file_count;
	bool ignores_gaps;
};

/* What all replays of a history have in common; constant. */
struct replay_source {
	struct histree_history *history;
	const struct analysis *analysis; /* it can be loaded */
	struct attribute_tree names;     /* of the history */
	struct partial_origin origin;
	char **traces; /* paths */
	size_t trace_count;
	bool has_clock; /* by which the times of traces are corrected */
	struct histree_clock clock;
	bool null_empty_stacks;
};

static void replay_free(struct replay *replay);
static enum histree_status replay_create(const struct replay_source *source, struct replay **out,
					 struct histree_error *error);
static enum histree_status replay_run(struct replay *replay, size_t checkpoint, struct state_slice *out,
				      struct histree_error *error);

/* ---- knowledge ----------------------------------------------------------------------------------------------- */

static enum histree_status partial_origin_read(const uint8_t *bytes, size_t size, struct partial_origin *out,
					       struct histree_error *error)
{
	struct byte_reader reader = byte_reader(bytes, size);
	uint64_t version = read_varint(&reader);
	out->trace_bytes = read_varint(&reader);
	out->file_count = read_varint(&reader);
	out->ignores_gaps = read_varint(&reader) != 0;
	if (reader.failed || version != KNOWLEDGE_VERSION)
		return error_set(error, HISTREE_ERR_VERSION,
				 "its checkpoints are those of another version; build it again with this one");
	return HISTREE_OK;
}

/* `positions` has room for `count`.  What is left in the reader is the analysis's. */
static void knowledge_read_place(struct byte_reader *reader, uint64_t *before, struct trace_position *positions,
				 size_t count)
{
	*before = read_varint(reader);
	for (size_t i = 0; i < count; i++) {
		positions[i].packet = read_varint(reader) - 1;
		positions[i].events = read_varint(reader);
	}
}

/* ---- slice cache --------------------------------------------------------------------------------------------- */

/* So many replays wait for work; each has the trace open. */
enum { REPLAYS_KEPT = 8 };

struct cached_slice {
	struct state_slice slice; /* first: who has it has this */
	size_t checkpoint;
	unsigned holders;
	bool is_being_made;
	uint64_t held_at; /* by the clock of the cache */
	size_t bytes;
	struct cached_slice *next;
};

struct slice_cache {
	const struct replay_source *source;
	size_t bytes_max;
	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t made;
	struct cached_slice *slices;
	size_t bytes;
	uint64_t clock;
	struct replay *idle[REPLAYS_KEPT];
	size_t idle_count;
};

/* The source outlives the cache. */
static enum histree_status slice_cache_create(const struct replay_source *source, size_t bytes_max,
					      struct slice_cache **out, struct histree_error *error)
{
	struct slice_cache *cache = calloc(1, sizeof(*cache));
	*out = cache;
	if (cache == NULL)
		return error_memory(error, "a partial history");
	cache->source = source;
	cache->bytes_max = bytes_max;
	pthread_mutex_init(&cache->mutex, NULL);
	pthread_cond_init(&cache->made, NULL);
	return HISTREE_OK;
}

static void drop(struct slice_cache *cache, struct cached_slice *slice)
{
	struct cached_slice **at = &cache->slices;
	while (*at != slice)
		at = &(*at)->next;
	*at = slice->next;
	cache->bytes -= slice->bytes;
	state_slice_release(&slice->slice);
	free(slice);
}

/* Until what is left fits; what is held stays. */
static void make_room(struct slice_cache *cache)
{
	while (cache->bytes > cache->bytes_max) {
		struct cached_slice *oldest = NULL;
		for (struct cached_slice *slice = cache->slices; slice != NULL; slice = slice->next)
			if (slice->holders == 0 && (oldest == NULL || slice->held_at < oldest->held_at))
				oldest = slice;
		if (oldest == NULL)
			return;
		drop(cache, oldest);
	}
}

/* Nothing is held.  NULL: does nothing. */
static void slice_cache_free(struct slice_cache *cache)
{
	if (cache == NULL)
		return;
	while (cache->slices != NULL) {
		assert(cache->slices->holders == 0);
		drop(cache, cache->slices);
	}
	for (size_t i = 0; i < cache->idle_count; i++)
		replay_free(cache->idle[i]);
	pthread_cond_destroy(&cache->made);
	pthread_mutex_destroy(&cache->mutex);
	free(cache);
}

/* ---- making -------------------------------------------------------------------------------------------------- */

/* Make a slice that is in the list; the mutex is held before and after, but not while the trace is read. */
static enum histree_status partial_history_make(struct slice_cache *cache, struct cached_slice *slice,
						struct histree_error *error)
{
	struct replay *replay = cache->idle_count > 0 ? cache->idle[--cache->idle_count] : NULL;
	pthread_mutex_unlock(&cache->mutex);
	enum histree_status status = replay == NULL ? replay_create(cache->source, &replay, error) : HISTREE_OK;
	if (status == HISTREE_OK)
		status = replay_run(replay, slice->checkpoint, &slice->slice, error);
	if (status != HISTREE_OK) {
		replay_free(replay);
		replay = NULL;
	}
	pthread_mutex_lock(&cache->mutex);
	if (replay != NULL) {
		if (cache->idle_count < REPLAYS_KEPT)
			cache->idle[cache->idle_count++] = replay;
		else
			replay_free(replay);
	}
	slice->is_being_made = false;
	slice->bytes = sizeof(*slice) + state_slice_bytes(&slice->slice);
	cache->bytes += slice->bytes;
	pthread_cond_broadcast(&cache->made);
	return status;
}

/* Returns the slice if it is there or was made meanwhile; NULL: it must be made. */
static struct cached_slice *find(struct slice_cache *cache, size_t checkpoint)
{
	for (;;) {
		struct cached_slice *slice = cache->slices;
		while (slice != NULL && slice->checkpoint != checkpoint)
			slice = slice->next;
		if (slice == NULL || !slice->is_being_made)
			return slice;
		pthread_cond_wait(&cache->made, &cache->mutex);
	}
}

static enum histree_status partial_history_add(struct slice_cache *cache, size_t checkpoint,
					       struct cached_slice **out, struct histree_error *error)
{
	struct cached_slice *slice = calloc(1, sizeof(*slice));
	*out = NULL;
	if (slice == NULL)
		return error_memory(error, "a part of a history");
	slice->checkpoint = checkpoint;
	slice->is_being_made = true;
	slice->next = cache->slices;
	slice->holders = 1;
	cache->slices = slice;
	enum histree_status status = partial_history_make(cache, slice, error);
	slice->holders = 0;
	if (status != HISTREE_OK)
		drop(cache, slice);
	else
		*out = slice;
	return status;
}

/* Hold a slice until it is released; any number of threads may. */
static enum histree_status slice_cache_hold(struct slice_cache *cache, size_t checkpoint,
					    const struct state_slice **out, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	*out = NULL;
	pthread_mutex_lock(&cache->mutex);
	struct cached_slice *slice = find(cache, checkpoint);
	if (slice == NULL)
		status = partial_history_add(cache, checkpoint, &slice, error);
	if (status == HISTREE_OK) {
		slice->holders++;
		slice->held_at = ++cache->clock;
		*out = &slice->slice;
		make_room(cache);
	}
	pthread_mutex_unlock(&cache->mutex);
	return status;
}

static void slice_cache_release(struct slice_cache *cache, const struct state_slice *held)
{
	pthread_mutex_lock(&cache->mutex);
	struct cached_slice *slice = cache->slices;
	while (&slice->slice != held)
		slice = slice->next;
	slice->holders--;
	make_room(cache);
	pthread_mutex_unlock(&cache->mutex);
}

/* ---- replay -------------------------------------------------------------------------------------------------- */

struct replay {
	const struct replay_source *source;
	struct event_stream stream;
	struct analysis_feed feed;
	struct trace_position *positions;
};

/* Free it, or do nothing if it is NULL. */
static void replay_free(struct replay *replay)
{
	if (replay == NULL)
		return;
	event_stream_close(&replay->stream);
	analysis_feed_release(&replay->feed);
	free(replay->positions);
	free(replay);
}

static const char is_another[] = "the trace is not the one that the history was built of; build it again";

static enum histree_status prepare(struct replay *replay, struct histree_error *error)
{
	struct trace *trace = replay->stream.trace;
	if (!trace_can_begin_here(trace))
		return error_set(error, HISTREE_ERR_TRACE, "%s", is_another);
	replay->feed.analysis = replay->source->analysis;
	replay->positions = calloc(trace_file_count(trace) + 1, sizeof(*replay->positions));
	if (replay->positions == NULL)
		return error_memory(error, "a part of a history");
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < trace_count(trace) && status == HISTREE_OK; i++)
		status = analysis_feed_meet(&replay->feed, trace_at(trace, i), error);
	return status;
}

/*
 * Open the trace; the source outlives the replay.  Returns HISTREE_ERR_TRACE if it is not the trace of the
 * history.
 */
static enum histree_status replay_create(const struct replay_source *source, struct replay **out,
					 struct histree_error *error)
{
	*out = NULL;
	struct replay *replay = calloc(1, sizeof(*replay));
	if (replay == NULL)
		return error_memory(error, "a part of a history");
	replay->source = source;
	const struct event_origin origin = {
		.paths = (const char *const *)source->traces,
		.path_count = source->trace_count,
		.wants_gaps = !source->origin.ignores_gaps,
		.clock = source->has_clock ? &source->clock : NULL,
		.bytes = source->origin.trace_bytes,
		.file_count = (size_t)source->origin.file_count,
		.changed = is_another,
	};
	enum histree_status status = event_stream_open(&replay->stream, &origin, NULL, error);
	if (status == HISTREE_OK)
		status = prepare(replay, error);
	if (status != HISTREE_OK) {
		error_prefix(
			error,
			"a partial history reads its trace again, which 'histree copy --rebuild STORE TRACE...' "
			"takes from wherever it is now");
		replay_free(replay);
		return status;
	}
	*out = replay;
	return HISTREE_OK;
}

/* ---- the run ------------------------------------------------------------------------------------------------- */

struct run {
	const struct partial_checkpoint *checkpoint;
	struct slice_maker maker;
	struct histree_state_system *system;
	struct analysis_inputs inputs;
	void *instance;
};

static enum histree_status make_instance(const struct replay *replay, struct byte_reader *knowledge,
					 struct run *run, struct histree_error *error)
{
	const struct analysis *analysis = replay->source->analysis;
	void *input;
	enum histree_status status = analysis_inputs_get(&run->inputs, analysis->input, &input, error);
	if (status == HISTREE_OK)
		status = analysis->create(analysis, run->system, input, &run->instance, error);
	if (status == HISTREE_OK)
		status = analysis->load(run->instance, run->checkpoint->attribute_count, knowledge, error);
	return status;
}

/* Read `count` events and gaps, or all that are left. */
static enum histree_status handle_events(struct replay *replay, struct run *run, uint64_t count,
					 struct histree_error *error)
{
	for (uint64_t i = 0; i < count; i++) {
		enum histree_status status = event_stream_next(&replay->stream, error);
		if (status == HISTREE_END && count == UINT64_MAX)
			return HISTREE_OK;
		if (status == HISTREE_END)
			return error_set(error, HISTREE_ERR_TRACE, "%s", is_another);
		if (status == HISTREE_OK)
			status = analysis_feed_handle(&replay->feed, &run->inputs, run->instance,
						      replay->stream.events, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

/* Returns how many events and gaps the slice has; UINT64_MAX: all that are left. */
static enum histree_status slice_length(const struct replay *replay, size_t number, uint64_t before,
					uint64_t *length, struct histree_error *error)
{
	const struct partial_section *partial = history_partial(replay->source->history);
	*length = UINT64_MAX;
	if (number + 1 == partial->checkpoint_count)
		return HISTREE_OK;
	const struct partial_checkpoint *next = &partial->checkpoints[number + 1];
	struct byte_reader reader = byte_reader(next->knowledge, next->knowledge_size);
	uint64_t end = read_varint(&reader);
	if (reader.failed || end < before)
		return error_set(error, HISTREE_ERR_FORMAT, "checkpoint %zu of the history makes no sense",
				 number + 1);
	*length = end - before;
	return HISTREE_OK;
}

static enum histree_status go_through(struct replay *replay, size_t number, struct run *run,
				      struct histree_error *error)
{
	const struct replay_source *source = replay->source;
	struct byte_reader reader = byte_reader(run->checkpoint->knowledge, run->checkpoint->knowledge_size);
	uint64_t before, length;
	knowledge_read_place(&reader, &before, replay->positions, source->origin.file_count);
	if (reader.failed)
		return error_set(error, HISTREE_ERR_FORMAT, "checkpoint %zu of the history makes no sense", number);
	enum histree_status status = slice_length(replay, number, before, &length, error);
	if (status == HISTREE_OK)
		status = event_stream_go(&replay->stream, replay->positions, source->origin.file_count, error);
	if (status == HISTREE_OK)
		status = make_instance(replay, &reader, run, error);
	if (status == HISTREE_OK)
		status = handle_events(replay, run, length, error);
	if (status == HISTREE_OK && length == UINT64_MAX)
		status = histree_state_close(run->system, histree_history_info(source->history)->end, error);
	return status;
}

/*
 * Make the slice that a checkpoint begins.  Returns HISTREE_ERR_TRACE if it is another one than was built.
 * state_slice_release() also after failure; after one, the replay can only be freed.
 */
static enum histree_status replay_run(struct replay *replay, size_t number, struct state_slice *out,
				      struct histree_error *error)
{
	const struct replay_source *source = replay->source;
	struct run run = { .checkpoint = &history_partial(source->history)->checkpoints[number] };
	*out = (struct state_slice){ 0 };
	enum histree_status status = slice_maker_begin(&run.maker, source->history, &source->names, number,
						       source->null_empty_stacks, &run.system, error);
	if (status == HISTREE_OK)
		status = go_through(replay, number, &run, error);
	if (run.instance != NULL)
		source->analysis->free(run.instance);
	analysis_inputs_release(&run.inputs);
	bool is_wanted = status == HISTREE_OK;
	enum histree_status ended = slice_maker_end(&run.maker, run.system, is_wanted ? out : NULL, error);
	return is_wanted ? ended : status;
}

/* ---- partial writer ------------------------------------------------------------------------------------------ */

static enum histree_status partial_history_begin(const struct partial_writer *writer, const struct trace *trace,
						 bool ignores_gaps, struct histree_error *error)
{
	struct byte_buffer saved = { 0 };
	const struct partial_origin origin = {
		.trace_bytes = trace_bytes(trace),
		.file_count = trace_file_count(trace),
		.ignores_gaps = ignores_gaps,
	};
	byte_buffer_put_number(&saved, KNOWLEDGE_VERSION);
	byte_buffer_put_number(&saved, origin.trace_bytes);
	byte_buffer_put_number(&saved, origin.file_count);
	byte_buffer_put_number(&saved, origin.ignores_gaps);
	enum histree_status status = saved.failed
					     ? error_memory(error, "a checkpoint")
					     : partial_file_begin(writer->file, saved.bytes, saved.size, error);
	free(saved.bytes);
	return status;
}

enum histree_status partial_writer_checkpoint(const struct partial_writer *writer, const struct trace *trace,
					      uint64_t before, bool ignores_gaps, struct histree_error *error)
{
	size_t count = trace_file_count(trace);
	struct byte_buffer saved = { 0 };
	struct trace_position *positions = calloc(count + 1, sizeof(*positions));
	if (positions == NULL)
		return error_memory(error, "a checkpoint");
	trace_positions(trace, positions);
	enum histree_status status =
		before == 0 ? partial_history_begin(writer, trace, ignores_gaps, error) : HISTREE_OK;
	if (status == HISTREE_OK) {
		byte_buffer_put_number(&saved, before);
		for (size_t i = 0; i < count; i++) {
			byte_buffer_put_number(&saved, positions[i].packet +
							       1); /* TRACE_FILE_DONE is the greatest number: 0 */
			byte_buffer_put_number(&saved, positions[i].events);
		}
		writer->analysis->save(writer->instance, &saved);
		status = saved.failed ? error_memory(error, "a checkpoint")
				      : partial_file_checkpoint(writer->file, writer->system, saved.bytes,
								saved.size, error);
	}
	free(saved.bytes);
	free(positions);
	return status;
}

/* ---- partial history ----------------------------------------------------------------------------------------- */

enum { CACHE_BYTES_DEFAULT = 128 << 20 };

struct partial_history {
	struct replay_source source;
	struct slice_cache *cache;
	pthread_mutex_t mutex; /* of: */
	bool has_names;        /* of the source; made when a slice is */
};

static void free_partial(void *context)
{
	struct partial_history *partial = context;
	slice_cache_free(partial->cache);
	attribute_tree_release(&partial->source.names);
	for (size_t i = 0; i < partial->source.trace_count; i++)
		free(partial->source.traces[i]);
	free(partial->source.traces);
	pthread_mutex_destroy(&partial->mutex);
	free(partial);
}

static enum histree_status hold(void *context, size_t checkpoint, const struct state_slice **out,
				struct histree_error *error)
{
	struct partial_history *partial = context;
	*out = NULL;
	enum histree_status status = HISTREE_OK;
	pthread_mutex_lock(&partial->mutex);
	if (!partial->has_names)
		status = attribute_copy_to_tree(histree_history_attributes(partial->source.history),
						&partial->source.names, error);
	partial->has_names = status == HISTREE_OK;
	pthread_mutex_unlock(&partial->mutex);
	return status == HISTREE_OK ? slice_cache_hold(partial->cache, checkpoint, out, error) : status;
}

static void release(void *context, const struct state_slice *slice)
{
	struct partial_history *partial = context;
	slice_cache_release(partial->cache, slice);
}

/* A trace that a relative path names is looked for from here, then beside the store. */
static char *place_of(const char *trace, const char *store)
{
	const char *slash = strrchr(store, '/');
	char *beside = NULL;
	if (access(trace, F_OK) == 0 || trace[0] == '/' || slash == NULL)
		return strdup(trace);
	if (asprintf(&beside, "%.*s/%s", (int)(slash - store), store, trace) < 0)
		return NULL;
	if (access(beside, F_OK) == 0)
		return beside;
	free(beside);
	return strdup(trace);
}

static bool copy_traces(struct replay_source *source, const struct partial_attachment *attachment)
{
	source->traces = calloc(attachment->trace_count + 1, sizeof(*source->traces));
	if (source->traces == NULL)
		return false;
	for (; source->trace_count < attachment->trace_count; source->trace_count++) {
		char *trace = place_of(attachment->traces[source->trace_count], attachment->store);
		if (trace == NULL)
			return false;
		source->traces[source->trace_count] = trace;
	}
	return true;
}

static enum histree_status find_analysis(const struct histree_history_info *info, const struct analysis **out,
					 struct histree_error *error)
{
	const struct registry_entry *entry = registry_find(info->provider);
	*out = entry != NULL ? entry->analysis : NULL;
	if (*out == NULL || (*out)->load == NULL)
		return error_set(error, HISTREE_ERR_VERSION,
				 "the partial history is of analysis '%s', which this histree cannot begin in the "
				 "middle of a trace",
				 info->provider);
	if ((*out)->version != info->provider_version)
		return error_set(error, HISTREE_ERR_VERSION,
				 "the partial history was built by analysis %s version %u, and this is version %u, "
				 "which may make other states; build it again ('histree copy --rebuild')",
				 info->provider, info->provider_version, (*out)->version);
	return HISTREE_OK;
}

enum histree_status partial_history_attach(struct histree_history *history,
					   const struct partial_attachment *attachment, struct histree_error *error)
{
	const struct partial_section *section = history_partial(history);
	const struct analysis *analysis;
	struct partial_origin origin;
	enum histree_status status = find_analysis(histree_history_info(history), &analysis, error);
	if (status == HISTREE_OK)
		status = partial_origin_read(section->origin, section->origin_size, &origin, error);
	if (status != HISTREE_OK)
		return status;
	struct partial_history *partial = calloc(1, sizeof(*partial));
	if (partial == NULL)
		return error_memory(error, "a partial history");
	pthread_mutex_init(&partial->mutex, NULL);
	attribute_tree_init(&partial->source.names);
	partial->source.history = history;
	partial->source.analysis = analysis;
	partial->source.origin = origin;
	partial->source.null_empty_stacks = attachment->null_empty_stacks;
	partial->source.has_clock = attachment->clock != NULL;
	if (attachment->clock != NULL)
		partial->source.clock = *attachment->clock;
	size_t bytes = attachment->cache_bytes != 0 ? attachment->cache_bytes : CACHE_BYTES_DEFAULT;
	status = copy_traces(&partial->source, attachment)
			 ? slice_cache_create(&partial->source, bytes, &partial->cache, error)
			 : error_memory(error, "a partial history");
	if (status != HISTREE_OK) {
		free_partial(partial);
		return status;
	}
	history_attach_slices(history, &(struct history_slices){
					       .hold = hold,
					       .release = release,
					       .free = free_partial,
					       .context = partial,
				       });
	return HISTREE_OK;
}
