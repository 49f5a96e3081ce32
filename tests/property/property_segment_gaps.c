// SPDX-License-Identifier: MIT
/*
 * property_segment_gaps.c - of a trace that lacks events no segment is made that the whole trace does not have.
 *
 * The events of a real trace go to all analyses of kernel traces twice: once as they are, and once without those of
 * random times on random CPUs, each of which is said to be a gap.  Each segment of the second time is one of the
 * first, with the same start, end and content, but for what is null as nobody said it, for the names of processes,
 * which are kept through gaps, and for the start of what begins with the first of several events.
 */
#include "base/arena.h"
#include "base/table.h"
#include "driver.h"
#include "losses.h"
#include "support/analysis_feed.h"
#include "support/effort.h"
#include "support/test.h"
#include "support/workload.h"
#include "trace/trace.h"

static const struct segment_analysis *const analyses[] = {
	&segment_analysis_system_calls, &segment_analysis_futex,   &segment_analysis_irqs,
	&segment_analysis_softirqs,     &segment_analysis_wakeups, &segment_analysis_block_io,
	&segment_analysis_preemptions,
};

enum { ANALYSIS_COUNT = sizeof(analyses) / sizeof(analyses[0]) };

struct run {
	struct histree_segment_store *stores[ANALYSIS_COUNT];
	struct segment_counts counts[ANALYSIS_COUNT];
};

static void create_store(const struct segment_analysis *analysis, struct histree_segment_store **store)
{
	const struct histree_segment_store_options options = {
		.kind = HISTREE_SEGMENTS_LAZY,
		.schema = { .provider = analysis->name,
			    .fields = analysis->fields,
			    .field_count = analysis->field_count },
	};
	assert_ok(histree_segment_store_create(&options, store, NULL));
}

/* Its end is not said: it goes on until the next event of its CPU. */
static void say_gap(const struct analysis_inputs *inputs, void *const *instances, const struct event *event)
{
	const struct event_gap gap = {
		.trace = event->class->trace, .cpu = event->cpu, .begin = event->time, .end = INT64_MAX
	};
	const struct event loss = { .time = gap.begin, .cpu = gap.cpu, .gap = &gap };
	assert_ok(feed_segments_event(inputs, analyses, instances, ANALYSIS_COUNT, &loss, NULL));
}

static void run_trace(struct run *run, const char *name, struct losses *losses)
{
	const char *path = losses_trace_path(name);
	struct trace *trace;
	struct event event;
	struct histree_error error = { 0 };
	struct analysis_inputs inputs = { 0 };
	void *instances[ANALYSIS_COUNT];
	for (size_t i = 0; i < ANALYSIS_COUNT; i++) {
		create_store(analyses[i], &run->stores[i]);
		assert_ok(feed_segments_create(&inputs, analyses[i], run->stores[i], &instances[i], &error));
	}
	if (trace_open(&path, 1, &trace, &error) != HISTREE_OK)
		fail_msg("%s", error.message);
	while (trace_next(trace, &event, &error) == HISTREE_OK) {
		bool begins, lost = losses_take(losses, &event, &begins);
		if (begins)
			say_gap(&inputs, instances, &event);
		if (!lost)
			assert_ok(
				feed_segments_event(&inputs, analyses, instances, ANALYSIS_COUNT, &event, &error));
	}
	for (size_t i = 0; i < ANALYSIS_COUNT; i++) {
		run->counts[i] = analyses[i]->counts(instances[i]);
		analyses[i]->free(instances[i]);
		assert_ok(histree_segment_store_finish(run->stores[i], NULL));
	}
	analysis_inputs_release(&inputs);
	trace_close(trace);
}

static void release(struct run *run)
{
	for (size_t i = 0; i < ANALYSIS_COUNT; i++)
		histree_segment_store_close(run->stores[i]);
}

static struct histree_cursor *iterate(struct histree_segment_store *store)
{
	struct histree_cursor *iter;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.order = HISTREE_SEGMENTS_BY_END;
	assert_ok(histree_segments_create(store, &iter, NULL));
	assert_ok(histree_segments_start(iter, &query, NULL, NULL));
	return iter;
}

static bool is_same_value(const struct histree_value *said, const struct histree_value *known)
{
	if (said->type == HISTREE_NULL)
		return true;
	if (said->type != known->type)
		return false;
	if (said->type == HISTREE_STRING)
		return said->size == known->size && memcmp(said->bytes, known->bytes, said->size) == 0;
	return said->type == HISTREE_INT    ? said->int32 == known->int32
	       : said->type == HISTREE_LONG ? said->int64 == known->int64
					    : said->boolean == known->boolean;
}

/*
 * Fields that say which one it is; the others may be as the event says with which it begins.  So is the thread of a
 * request: who put it into the queue, or who gave it to the driver.
 */
static bool is_identity(const struct segment_analysis *analysis, const char *field)
{
	static const char *const names[] = { "cpu", "device", "sector", "tid" };
	size_t count = sizeof(names) / sizeof(names[0]) - (analysis == &segment_analysis_block_io);
	for (size_t i = 0; i < count; i++)
		if (strcmp(field, names[i]) == 0)
			return true;
	return false;
}

/* Of several events with which a wake-up or a request may begin, the first may be lost. */
static bool may_begin_later(const struct segment_analysis *analysis)
{
	return analysis == &segment_analysis_wakeups || analysis == &segment_analysis_block_io;
}

static bool is_same(const struct segment_analysis *analysis, const struct histree_segment *said,
		    const struct histree_segment *known)
{
	bool is_later = said->start > known->start && may_begin_later(analysis);
	if (said->start != known->start && !is_later)
		return false;
	for (size_t i = 0; i < analysis->field_count; i++) {
		const char *field = analysis->fields[i].name;
		bool wanted = is_later ? is_identity(analysis, field) : strcmp(field, "process") != 0;
		if (wanted && !is_same_value(&said->content[i], &known->content[i]))
			return false;
	}
	return true;
}

/* All segments of an analysis, by end. */
struct known {
	struct histree_segment *segments;
	size_t count, capacity;
	struct arena memory;
};

static const struct histree_value *copy_content(struct arena *memory, const struct histree_value *content,
						size_t field_count)
{
	struct histree_value *copy = arena_allocate(memory, field_count * sizeof(*copy), _Alignof(max_align_t));
	assert_non_null(copy);
	for (size_t i = 0; i < field_count; i++) {
		copy[i] = content[i];
		if (copy[i].type == HISTREE_STRING) {
			copy[i].bytes = arena_copy(memory, content[i].bytes, content[i].size);
			assert_non_null(copy[i].bytes);
		}
	}
	return copy;
}

static struct known learn(const struct segment_analysis *analysis, struct histree_segment_store *store)
{
	struct known known = { .count = 0 };
	struct histree_segment segment;
	struct histree_cursor *iter = iterate(store);
	while (histree_cursor_next(iter, NULL) == HISTREE_OK) {
		segment = *histree_cursor_segment(iter);
		assert_true(array_reserve(&known.segments, &known.capacity, known.count + 1));
		segment.content = copy_content(&known.memory, segment.content, analysis->field_count);
		known.segments[known.count++] = segment;
	}
	histree_cursor_free(iter);
	return known;
}

static bool is_known(const struct segment_analysis *analysis, const struct known *known,
		     const struct histree_segment *said)
{
	size_t low = 0, high = known->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (known->segments[middle].end < said->end)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < known->count && known->segments[low].end == said->end; low++)
		if (is_same(analysis, said, &known->segments[low]))
			return true;
	return false;
}

static uint64_t compare(const struct segment_analysis *analysis, const struct known *known,
			struct histree_segment_store *lossy, const struct losses *losses)
{
	struct histree_cursor *iter = iterate(lossy);
	struct histree_segment said;
	uint64_t count = 0;
	for (; histree_cursor_next(iter, NULL) == HISTREE_OK; count++) {
		said = *histree_cursor_segment(iter);
		if (!is_known(analysis, known, &said))
			fail_msg("seed %llu, %u of 1000: %s from %lld to %lld is none",
				 (unsigned long long)losses->random.state, losses->per_mille, analysis->name,
				 (long long)said.start, (long long)said.end);
	}
	histree_cursor_free(iter);
	return count;
}

struct trace_kind {
	const char *name;
};

static const struct trace_kind traces[] = {
	{ "scp_dest" },     /* requests and softirqs */
	{ "many-threads" }, /* system calls */
	{ NULL },
};

static void no_segment_is_made_that_is_none(const void *chosen, uint64_t seed)
{
	const char *name = ((const struct trace_kind *)chosen)->name;
	uint64_t runs = test_effort(2, 1);
	struct run whole;
	struct known known[ANALYSIS_COUNT];
	run_trace(&whole, name, NULL);
	for (size_t i = 0; i < ANALYSIS_COUNT; i++)
		known[i] = learn(analyses[i], whole.stores[i]);
	release(&whole);
	for (uint64_t number = 0; number < runs; number++) {
		struct losses losses = losses_of_seed(seed + number);
		struct run lossy;
		uint64_t segments = 0, alone = 0;
		run_trace(&lossy, name, &losses);
		for (uint64_t other = 1; !losses_are_enough(&losses) && other < 32; other++) {
			release(&lossy);
			losses = losses_of_seed(seed + runs + other);
			run_trace(&lossy, name, &losses);
		}
		for (size_t i = 0; i < ANALYSIS_COUNT; i++) {
			segments += compare(analyses[i], &known[i], lossy.stores[i], &losses);
			alone += lossy.counts[i].without_start + lossy.counts[i].without_end;
		}
		print_message("%llu gaps, %llu events lost: %llu segments, %llu alone\n",
			      (unsigned long long)losses.gaps, (unsigned long long)losses.lost,
			      (unsigned long long)segments, (unsigned long long)alone);
		assert_true(losses.gaps > 0 && losses.lost > losses.gaps && segments > 0 && alone > 0);
		release(&lossy);
	}
	for (size_t i = 0; i < ANALYSIS_COUNT; i++) {
		free(known[i].segments);
		arena_release(&known[i].memory);
	}
}

PROPERTIES({ KINDS(traces), .rounds = 1, .check = no_segment_is_made_that_is_none })
