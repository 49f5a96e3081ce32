// SPDX-License-Identifier: MIT
/*
 * property_slices.c - a trace that is cut in time makes the file, byte by byte, that one pass makes.
 *
 * A real trace, also with losses of which some are said and others are not, is cut between random events: inside
 * of interrupts, system calls, switches of other CPUs.  Each slice is analysed by an instance that has seen a few
 * events before it and nothing else, and then handed over to the true one; if it is refused, the true one analyses
 * it.  Each second one comes to it as bytes.  The instance that results also says the same of itself as that of
 * one pass: it saves the same bytes.
 */
#include "driver.h"
#include "losses.h"
#include "state/state_file.h"
#include "state/state_system.h"
#include "support/analysis_feed.h"
#include "support/memory_io.h"
#include "support/test.h"
#include "trace/trace.h"

enum { RUNS = 3 };

struct cut_kind {
	const char *name;
	const char *trace;
	unsigned length_max; /* of a slice, in events; no more than a quarter of the trace */
	unsigned silent;     /* one in so many events is lost, and nobody says so; 0: none */
	unsigned told;       /* from so many events on, losses are said; 0: never */
};

static const struct cut_kind kinds[] = {
	{ "copy", "scp_dest", 20000, 0, 0 },
	{ "copy, short slices", "scp_dest", 300, 0, 0 },
	{ "threads", "many-threads", 40000, 0, 0 },
	{ "few are lost", "scp_dest", 2000, 3000, 0 },
	{ "many are lost", "scp_dest", 300, 50, 0 },
	{ "gaps", "scp_dest", 1000, 0, 40000 },
	{ NULL, NULL, 0, 0, 0 },
};

/* ---- events -------------------------------------------------------------------------------------------------- */

/* The events and gaps of a trace, the same ones for the same kind and seed. */
struct source {
	const struct cut_kind *kind;
	struct trace *trace;
	struct losses losses;
	struct random random;
	struct event_gap gap;
	uint64_t taken;
};

static void source_open(struct source *source, const struct cut_kind *kind, uint64_t seed)
{
	const char *path = losses_trace_path(kind->trace);
	struct histree_error error;
	*source = (struct source){ .kind = kind, .losses = losses_of_seed(seed), .random = { seed } };
	if (trace_open(&path, 1, &source->trace, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
}

static bool source_next(struct source *source, struct event *out)
{
	const struct cut_kind *kind = source->kind;
	bool begins = false, is_lost;
	do {
		if (trace_next(source->trace, out, NULL) != HISTREE_OK)
			return false;
		source->taken++;
		is_lost =
			kind->told > 0 && source->taken > kind->told && losses_take(&source->losses, out, &begins);
		if (begins) {
			source->gap = (struct event_gap){ .trace = out->class->trace,
							  .cpu = out->cpu,
							  .begin = out->time,
							  .end = out->time + 1000 };
			*out = (struct event){ .time = out->time, .cpu = out->cpu, .gap = &source->gap };
			return true;
		}
		is_lost = is_lost || (kind->silent > 0 && random_below(&source->random, kind->silent) == 0);
	} while (is_lost);
	return true;
}

/* ---- who analyses -------------------------------------------------------------------------------------------- */

struct run {
	struct histree_state_system *system;
	struct analysis_inputs inputs;
	void *instance;
};

static void run_begin(struct run *run, struct memory_io *memory, histree_time start)
{
	const struct histree_history_options options = { .path = "f", .provider = "test", .start = start };
	*run = (struct run){ .system = NULL };
	memory_io_init(memory);
	assert_ok(state_file_create(&memory->io, &options, &run->system, NULL));
	assert_ok(feed_create(&run->inputs, &analysis_kernel, run->system, &run->instance, NULL));
}

static void run_event(struct run *run, const struct event *event)
{
	assert_ok(feed_event(&run->inputs, &analysis_kernel, run->instance, event, NULL));
}

static void run_end(struct run *run, histree_time end, struct byte_buffer *saved, char *missing, size_t size)
{
	analysis_kernel.save(run->instance, saved);
	assert_false(saved->failed);
	analysis_kernel.missing(run->instance, missing, size);
	assert_ok(histree_state_close(run->system, end, NULL));
	analysis_kernel.free(run->instance);
	analysis_inputs_release(&run->inputs);
	histree_state_free(run->system);
}

struct slice {
	struct analysis_inputs inputs;
	struct change_log *log; /* which stays where it is */
	void *instance;
};

static void slice_make(struct slice *slice, struct run *run, struct byte_reader *hint)
{
	const struct change_log_frame frame = { .start = histree_state_start(run->system),
						.value_size_max = run->system->sink.value_size_max,
						.bytes_max = SIZE_MAX };
	void *input;
	*slice = (struct slice){ .instance = NULL };
	assert_ok(analysis_inputs_get(&slice->inputs, analysis_kernel.input, &input, NULL));
	slice->log = calloc(1, sizeof(*slice->log));
	assert_ok(change_log_init(slice->log, &frame, NULL));
	assert_ok(
		analysis_kernel.slices->create(&analysis_kernel, slice->log, input, hint, &slice->instance, NULL));
}

static void slice_create(struct slice *slice, struct run *run)
{
	struct byte_buffer hint = { 0 };
	(void)analysis_kernel.slices->hint(run->instance, &hint);
	assert_false(hint.failed);
	struct byte_reader reader = byte_reader(hint.bytes, hint.size);
	slice_make(slice, run, &reader);
	assert_true(!reader.failed && byte_reader_left(&reader) == 0);
	byte_buffer_release(&hint);
}

static void slice_guess(struct slice *slice, const struct event *event)
{
	assert_ok(analysis_inputs_begin(&slice->inputs, event, NULL));
	if (event->gap == NULL)
		analysis_kernel.slices->guess(slice->instance);
	assert_ok(analysis_inputs_end(&slice->inputs, NULL));
}

static void slice_free(struct slice *slice)
{
	analysis_kernel.free(slice->instance);
	if (slice->log != NULL)
		change_log_release(slice->log);
	free(slice->log);
	analysis_inputs_release(&slice->inputs);
}

/* The slice was read elsewhere, and comes as bytes, which are its own. */
static void slice_send(struct slice *slice, struct run *run)
{
	struct byte_buffer bytes = { 0 };
	struct slice loaded;
	struct histree_error error;
	struct codec out = { .out = &bytes };
	assert_ok(analysis_kernel.slices->code(slice->instance, &out, NULL));
	assert_false(bytes.failed);
	slice_make(&loaded, run, NULL);
	struct byte_reader reader = byte_reader(bytes.bytes, bytes.size);
	if (analysis_kernel.slices->code(loaded.instance, &(struct codec){ .in = &reader }, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	assert_int_equal(byte_reader_left(&reader), 0);
	slice_free(slice);
	*slice = loaded;
	byte_buffer_release(&bytes);
}

/* ---- the same ------------------------------------------------------------------------------------------------ */

/* The true instance, which reads the trace by itself, and how far it is. */
struct owner {
	struct run run;
	struct source source;
	uint64_t at;
};

static void owner_pass(struct owner *owner, uint64_t to, bool analyses)
{
	struct event event;
	for (; owner->at < to; owner->at++) {
		assert_true(source_next(&owner->source, &event));
		if (analyses)
			run_event(&owner->run, &event);
	}
}

struct cuts {
	uint64_t slices, taken;
	const char *why; /* the last one was not */
};

static void hand_over(struct owner *owner, struct slice *slice, uint64_t to, struct cuts *cuts)
{
	bool is_elsewhere = cuts->slices % 2 == 0 && change_log_failure(slice->log) == NULL;
	if (is_elsewhere)
		slice_send(slice, &owner->run);
	enum histree_status status = analysis_kernel.slices->commit(owner->run.instance, slice->instance, NULL);
	assert_true(status == HISTREE_OK || status == HISTREE_NOT_FOUND);
	const char *failure = change_log_failure(slice->log);
	assert_true(status == HISTREE_NOT_FOUND || failure == NULL);
	if (status != HISTREE_OK)
		cuts->why = failure != NULL ? failure : "an assumption";
	owner_pass(owner, to, status != HISTREE_OK);
	cuts->slices++;
	cuts->taken += status == HISTREE_OK;
	slice_free(slice);
}

/* The trace, which has so many events, in slices; each one is known for some events before it begins. */
static void analyse_cut(const struct cut_kind *kind, uint64_t seed, uint64_t events, struct owner *owner,
			histree_time end, struct cuts *cuts)
{
	uint64_t length_max = events / 4 < kind->length_max ? events / 4 : kind->length_max;
	struct random random = { seed };
	struct slice now = { .instance = NULL }, next = { .instance = NULL };
	struct source source;
	struct event event;
	uint64_t begin_next = 1 + random_below(&random, length_max), known = random_below(&random, 2000);
	histree_time last = INT64_MIN;
	source_open(&source, kind, seed);
	source_open(&owner->source, kind, seed);
	uint64_t i = 0;
	for (; source_next(&source, &event); i++) {
		if (next.instance == NULL && i + known >= begin_next)
			slice_create(&next, &owner->run);
		if (i >= begin_next && event.gap == NULL && event.time > last) {
			if (now.instance != NULL)
				hand_over(owner, &now, i, cuts);
			else
				owner_pass(owner, i, true);
			now = next;
			next.instance = NULL;
			analysis_kernel.slices->begin(now.instance);
			begin_next = i + 1 + random_below(&random, length_max);
			known = random_below(&random, 2000);
		}
		if (next.instance != NULL)
			slice_guess(&next, &event);
		if (now.instance != NULL && change_log_failure(now.log) == NULL)
			assert_ok(feed_event(&now.inputs, &analysis_kernel, now.instance, &event, NULL));
		last = event.time > last ? event.time : last;
	}
	assert_true(last == end);
	if (now.instance != NULL)
		hand_over(owner, &now, i, cuts);
	owner_pass(owner, i, true);
	if (next.instance != NULL)
		slice_free(&next);
	trace_close(source.trace);
	trace_close(owner->source.trace);
}

/* Returns how many events there are. */
static uint64_t analyse_whole(const struct cut_kind *kind, uint64_t seed, struct run *run, struct memory_io *memory,
			      histree_time *end)
{
	struct source source;
	struct event event;
	uint64_t events = 0;
	*end = INT64_MIN;
	source_open(&source, kind, seed);
	for (; source_next(&source, &event); events++) {
		if (events == 0)
			run_begin(run, memory, event.time);
		run_event(run, &event);
		*end = event.time > *end ? event.time : *end;
	}
	trace_close(source.trace);
	return events;
}

static void check(const struct cut_kind *kind, uint64_t seed, struct cuts *cuts)
{
	struct memory_io whole_memory, memory;
	struct run whole;
	struct owner owner = { .at = 0 };
	struct byte_buffer whole_saved = { 0 }, saved = { 0 };
	char whole_missing[500], missing[500];
	histree_time end;
	uint64_t events = analyse_whole(kind, seed, &whole, &whole_memory, &end);
	run_begin(&owner.run, &memory, histree_state_start(whole.system));
	analyse_cut(kind, seed, events, &owner, end, cuts);
	run_end(&whole, end, &whole_saved, whole_missing, sizeof(whole_missing));
	run_end(&owner.run, end, &saved, missing, sizeof(missing));
	assert_string_equal(missing, whole_missing);
	const struct memory_file *file = memory_io_find(&memory, "f");
	const struct memory_file *whole_file = memory_io_find(&whole_memory, "f");
	if (file->size != whole_file->size || memcmp(file->bytes, whole_file->bytes, file->size) != 0)
		fail_msg("seed %llu: the files of %zu and %zu bytes are not the same", (unsigned long long)seed,
			 whole_file->size, file->size);
	assert_int_equal(saved.size, whole_saved.size);
	assert_memory_equal(saved.bytes, whole_saved.bytes, saved.size);
	free(saved.bytes);
	free(whole_saved.bytes);
	memory_io_release(&memory);
	memory_io_release(&whole_memory);
}

static void slices_make_the_same_file(const void *chosen, uint64_t seed)
{
	const struct cut_kind *kind = chosen;
	struct cuts cuts = { 0 };
	for (uint64_t i = 0; i < RUNS; i++)
		check(kind, seed + i, &cuts);
	print_message("%s: %llu of %llu slices were of use%s%s\n", kind->name, (unsigned long long)cuts.taken,
		      (unsigned long long)cuts.slices, cuts.why != NULL ? "; not: " : "",
		      cuts.why != NULL ? cuts.why : "");
	/*
	 * Without losses, slices are what they are made for; but not of the recording that comes with the sources,
	 * in nearly all slices of which an event denies who ran.
	 */
	char path[DATA_PATH_SIZE];
	if (kind->silent == 0 && kind->told == 0 && losses_has_trace(kind->trace, path))
		assert_true(cuts.taken > 0);
}

PROPERTIES({ KINDS(kinds), .rounds = 1, .check = slices_make_the_same_file })
