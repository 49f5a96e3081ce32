// SPDX-License-Identifier: MIT
/*
 * test_segment_overview_faults.c - overviews of segments are a help and no more: making them fails at each file
 * call, at each allocation and when it is cancelled, and leaves the store as it was and nothing beside it;
 * damaged, foreign or forged ones cost time, and never an answer.
 */
#include "base/hash_index.h"
#include "histree/segment_stats.h"
#include "overview/segment_pyramid.h"
#include "segment/segment_memory.h"
#include "segment/segment_overviews.h"
#include "segment/segment_summary.h"
#include "support/effort.h"
#include "support/faulty_io.h"
#include "support/faulty_memory.h"
#include "support/memory_io.h"
#include "support/test.h"

enum { SEGMENTS = 6000, NAMES = 3, NAME_SIZE = 96 };

static const struct segment_overview_limits all = { 0, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, 1 << 17 };
static const struct histree_work never;

static void build_of(const struct io *io, const char *path, uint64_t seed, uint64_t duration_max)
{
	static const struct histree_segment_field field = { "name", HISTREE_STRING };
	static const char *const names[NAMES] = { "read", "write", "futex" };
	const struct histree_segment_store_options options = { .path = path,
							       .schema = { "test", 1, &field, 1 },
							       .node_size = 4096 };
	struct random random = { seed };
	struct histree_segment_store *store;
	assert_ok(segment_store_create(io, &options, &store, NULL));
	for (histree_time i = 0; i < SEGMENTS; i++) {
		const struct histree_value name = histree_string(names[random_below(&random, NAMES)]);
		histree_time end = i * 100 + (histree_time)random_below(&random, 50);
		histree_time start = end - (histree_time)random_below(&random, duration_max);
		const struct histree_segment segment = { start, end, &name };
		assert_ok(histree_segment_store_add(store, &segment, NULL));
	}
	assert_ok(histree_segment_store_finish(store, NULL));
	histree_segment_store_close(store);
}

static void build(const struct io *io, const char *path, uint64_t seed)
{
	build_of(io, path, seed, 200);
}

static struct histree_segment_store *open_store(const struct io *io, bool no_overviews)
{
	const struct histree_segment_open_options options = { .no_overviews = no_overviews };
	struct histree_segment_store *store;
	assert_ok(segment_store_open(io, "f", &options, &store, NULL));
	return store;
}

static enum histree_status make(const struct io *io, struct histree_work cancel, struct histree_error *error)
{
	struct histree_segment_store *store = open_store(io, false);
	enum histree_status status = segment_overviews_write(store, &all, cancel, error);
	histree_segment_store_close(store);
	return status;
}

/* ---- making them ------------------------------------------------------------------------------------------ */

static unsigned count_files(const struct memory_io *memory)
{
	unsigned count = 0;
	for (size_t i = 0; i < MEMORY_FILE_COUNT; i++)
		count += memory->files[i].path != NULL;
	return count;
}

TEST(every_file_call_may_fail)
{
	const uint64_t stride = test_effort(7, 29);
	for (int for_ever = 0; for_ever < 2; for_ever++) {
		struct memory_io memory;
		struct faulty_io faulty;
		uint64_t at = 1 + test_seed() % stride, failures = 0;
		memory_io_init(&memory);
		faulty_io_init(&faulty, &memory.io);
		build(&memory.io, "f", test_seed());
		for (;; at += stride, failures++) {
			struct histree_error error = { 0 };
			faulty.fail_at = 0;
			struct histree_segment_store *store = open_store(&faulty.io, false);
			faulty.operations = 0;
			faulty.for_ever = for_ever != 0;
			faulty.fail_at = at;
			enum histree_status status = segment_overviews_write(store, &all, never, &error);
			histree_segment_store_close(store);
			if (status == HISTREE_OK && faulty.operations < at)
				break;
			assert_int_equal(status, HISTREE_ERR_IO);
			assert_true(error.message[0] != '\0');
			assert_int_equal(count_files(&memory), 1);
		}
		assert_true(failures > 0);
		assert_true(count_files(&memory) > 2);
		memory_io_release(&memory);
	}
}

TEST(every_allocation_may_fail)
{
	const uint64_t stride = test_effort(7, 29);
	for (int for_ever = 0; for_ever < 2; for_ever++) {
		struct memory_io memory;
		uint64_t at = 1 + test_seed() % stride, failures = 0;
		bool refused = true;
		memory_io_init(&memory);
		build(&memory.io, "f", test_seed());
		for (; refused; at += stride, failures += refused) {
			struct histree_error error = { 0 };
			struct histree_segment_store *store = open_store(&memory.io, false);
			faulty_memory_begin(at, for_ever != 0);
			enum histree_status status = segment_overviews_write(store, &all, never, &error);
			faulty_memory_end();
			refused = faulty_memory.refused;
			histree_segment_store_close(store);
			if (status == HISTREE_OK) /* only a hint was lost, or nothing */
				assert_true(count_files(&memory) > 2);
			else /* files are in memory too: to them it is a full disk */
				assert_true(status == HISTREE_ERR_MEMORY || status == HISTREE_ERR_IO);
			if (status != HISTREE_OK && for_ever == 0)
				assert_int_equal(count_files(&memory), 1);
		}
		assert_true(failures > 0);
		memory_io_release(&memory);
	}
}

TEST(answers_do_without_memory)
{
	const struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	struct memory_io memory;
	uint64_t failures = 0;
	memory_io_init(&memory);
	build(&memory.io, "f", test_seed());
	assert_ok(make(&memory.io, never, NULL));
	for (bool refused = true; refused;) {
		struct histree_segment_store *store = open_store(&memory.io, false);
		struct histree_segment_stats *stats;
		struct histree_error error = { 0 };
		faulty_memory_begin(++failures, false);
		enum histree_status status = histree_segment_stats_create(store, &query, 0, &stats, &error);
		faulty_memory_end();
		refused = faulty_memory.refused;
		assert_true(status == HISTREE_OK || status == HISTREE_ERR_MEMORY);
		if (status == HISTREE_OK)
			assert_int_equal(histree_segment_stats_all(stats)->count, SEGMENTS);
		histree_segment_stats_free(stats);
		histree_segment_store_close(store);
	}
	assert_true(failures > 20);
	memory_io_release(&memory);
}

static bool goes_on(void *context)
{
	unsigned *left = context;
	return (*left)-- > 0;
}

TEST(making_may_be_cancelled)
{
	struct memory_io memory;
	memory_io_init(&memory);
	build(&memory.io, "f", test_seed());
	for (unsigned questions = 0; questions < 2; questions++) {
		unsigned left = questions;
		struct histree_error error = { 0 };
		assert_int_equal(
			make(&memory.io, (struct histree_work){ .go_on = goes_on, .context = &left }, &error),
			HISTREE_ERR_CANCELLED);
		assert_int_equal(count_files(&memory), 1);
	}
	memory_io_release(&memory);
}

/* ---- using them ------------------------------------------------------------------------------------------- */

static void assert_same_group(const struct histree_segment_group *one, const struct histree_segment_group *other)
{
	assert_int_equal(one->count, other->count);
	assert_true(one->total == other->total && one->min == other->min && one->max == other->max);
	assert_int_equal(one->min_start, other->min_start);
	assert_int_equal(one->max_start, other->max_start);
	assert_memory_equal(one->percentiles, other->percentiles, sizeof(one->percentiles));
}

static struct histree_segment_stats *stats_of(const struct io *io, bool no_overviews)
{
	const struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	struct histree_segment_store *store = open_store(io, no_overviews);
	struct histree_segment_stats *stats;
	assert_ok(histree_segment_stats_create(store, &query, 0, &stats, NULL));
	histree_segment_store_close(store);
	return stats;
}

static void assert_same_answer(const struct memory_io *memory)
{
	struct histree_segment_stats *with = stats_of(&memory->io, false), *without = stats_of(&memory->io, true);
	assert_same_group(histree_segment_stats_all(with), histree_segment_stats_all(without));
	for (size_t i = 0; i <= NAMES; i++) {
		const struct histree_segment_group *one = histree_segment_stats_group(with, i);
		const struct histree_segment_group *other = histree_segment_stats_group(without, i);
		assert_int_equal(one == NULL, other == NULL);
		if (one != NULL)
			assert_same_group(one, other);
	}
	histree_segment_stats_free(with);
	histree_segment_stats_free(without);
}

static uint32_t overview_count(const struct memory_io *memory)
{
	struct histree_segment_store *store = open_store(&memory->io, false);
	uint32_t count = histree_segment_store_overviews(store).count;
	histree_segment_store_close(store);
	return count;
}

TEST(damage_costs_no_answer)
{
	struct memory_io memory;
	memory_io_init(&memory);
	build(&memory.io, "f", test_seed());
	assert_ok(make(&memory.io, never, NULL));
	assert_true(overview_count(&memory) > 1);
	assert_same_answer(&memory);
	for (uint32_t number = 1; number <= overview_count(&memory); number++) {
		char path[NAME_SIZE];
		snprintf(path, sizeof(path), "f.overview%u", number);
		struct memory_file *file = memory_io_find(&memory, path);
		size_t whole = file->size, stride = test_effort(301, 9001);
		for (size_t at = 0; at < whole; at += stride) {
			file->bytes[at] ^= 0x55;
			assert_same_answer(&memory);
			file->bytes[at] ^= 0x55;
			file->size = at;
			assert_same_answer(&memory);
			file->size = whole;
		}
	}
	memory_io_release(&memory);
}

TEST(those_of_another_store_are_not_used)
{
	struct memory_io memory;
	memory_io_init(&memory);
	build(&memory.io, "f", test_seed());
	assert_ok(make(&memory.io, never, NULL));
	assert_true(overview_count(&memory) > 0);
	memory.io.unlink(memory.io.context, "f");
	build(&memory.io, "f", test_seed() + 1);
	assert_int_equal(overview_count(&memory), 0);
	assert_same_answer(&memory);
	memory_io_release(&memory);
}

/* ---- forged ones ------------------------------------------------------------------------------------------ */

/* An overview that is whole and says that it is of the store, of one summary: the content is given. */
static void forge(const struct memory_io *memory, const struct histree_value content[SUMMARY_FIELD_COUNT])
{
	struct histree_segment_store *store = open_store(&memory->io, true);
	const struct histree_segment_store_info *of = histree_segment_store_info(store);
	const struct segment_overview_name name = { of->identity, of->segment_count, 0, 40, 0 };
	struct histree_segment_field fields[SUMMARY_FIELD_COUNT];
	char provider[SEGMENT_OVERVIEW_PROVIDER_SIZE];
	segment_summary_fields(HISTREE_STRING, fields);
	segment_overview_provider(&name, provider);
	const struct histree_segment_store_options options = {
		.path = "f.overview1",
		.schema = { provider, SEGMENT_OVERVIEW_VERSION, fields, SUMMARY_FIELD_COUNT },
		.node_size = 4096,
	};
	const struct histree_segment segment = { 1000, 1190, content };
	struct histree_segment_store *overview;
	memory->io.unlink(memory->io.context, options.path);
	assert_ok(segment_store_create(&memory->io, &options, &overview, NULL));
	assert_ok(histree_segment_store_add(overview, &segment, NULL));
	assert_ok(histree_segment_store_finish(overview, NULL));
	histree_segment_store_close(overview);
	histree_segment_store_close(store);
}

TEST(what_no_segments_have_is_not_believed)
{
	const struct histree_value null = histree_null(), name = histree_string("read");
	const struct {
		int64_t count, spread, excess;
		int32_t squares;
	} forged[] = {
		{ 1, 0, 0, 0 },           /* one is never said so */
		{ -5, 3, 10, 0 },         /* fewer than none */
		{ 5, 191, 500, 0 },       /* shorter than 0 */
		{ 5, 150, 500, 0 },       /* not about as long */
		{ 5, 3, 16, 0 },          /* longer than the longest, on average */
		{ 5, 3, 2, 0 },           /* without the longest */
		{ INT64_MAX, 3, 16, 0 },  /* a sum that does not fit */
		{ 5, 3, 10, -1 },         /* a square below 0 */
		{ 5, 3, 10, 0x7ff80000 }, /* no number */
	};
	struct memory_io memory;
	memory_io_init(&memory);
	build(&memory.io, "f", test_seed());
	for (size_t i = 0; i < sizeof(forged) / sizeof(forged[0]); i++) {
		const struct histree_value content[SUMMARY_FIELD_COUNT] = {
			name,
			histree_long(forged[i].count),
			histree_long(forged[i].spread),
			histree_long(0),
			histree_long(forged[i].excess),
			histree_int(forged[i].squares),
		};
		forge(&memory, content);
		assert_int_equal(overview_count(&memory), 1);
		assert_same_answer(&memory);
	}
	const struct histree_value half[SUMMARY_FIELD_COUNT] = { name, histree_long(5), null, null, null, null };
	forge(&memory, half);
	assert_same_answer(&memory);
	memory_io_release(&memory);
}

/* What a summary says, changed so that each is one that segments could have. */
enum lie { LIE_COUNT, LIE_MOVED, LIE_TOTAL, LIE_VALUE, LIE_LONGEST, LIE_START, LIE_SQUARES, LIE_LEFT_OUT, LIES };

static void tell_lie(enum lie lie, struct segment_summary *one, struct segment_summary *other)
{
	static const struct histree_value futex = { .type = HISTREE_STRING, .bytes = "futex", .size = 5 };
	static const struct histree_value read = { .type = HISTREE_STRING, .bytes = "read", .size = 4 };
	switch (lie) {
	case LIE_MOVED:
		other->count--;
		other->total -= other->shortest;
		/* fall through */
	case LIE_COUNT:
		one->count++;
		one->total += one->shortest;
		break;
	case LIE_TOTAL:
		one->total--;
		break;
	case LIE_VALUE:
		one->value = histree_value_equal(&one->value, &read) ? futex : read;
		break;
	case LIE_LONGEST:
		one->longest--;
		break;
	case LIE_START:
		one->shortest_start = one->longest_start;
		break;
	case LIE_SQUARES:
		one->squares *= 2;
		break;
	case LIE_LEFT_OUT:
	case LIES:
		break;
	}
}

/* Of so many, with their total well within what it may be. */
static bool is_rich(const struct segment_summary *summary)
{
	uint64_t spread = summary->longest - summary->shortest;
	return summary->count > 3 && spread > 3 && summary->shortest_start != summary->longest_start &&
	       summary->total - summary->count * summary->shortest > spread + 1 &&
	       summary->count * summary->longest - summary->total > spread + 1;
}

/* Write an overview anew with a lie in it.  Returns false if nothing in it can be lied about. */
static bool forge_sums(const struct memory_io *memory, const char *path, enum lie lie)
{
	const struct histree_segment_query all_of_it = HISTREE_SEGMENTS_ALL;
	const struct histree_segment_open_options plain = { .no_overviews = true };
	struct histree_segment_store *from, *to;
	struct histree_cursor *iter;
	struct histree_segment segment;
	struct segment_summary *summaries = calloc(SEGMENTS, sizeof(*summaries)), *rich[2];
	struct duration_buckets buckets;
	size_t count = 0, found = 0;
	char copy[NAME_SIZE + 8];
	assert_non_null(summaries);
	snprintf(copy, sizeof(copy), "%s.copy", path);
	duration_buckets_init(&buckets, SUMMARY_BUCKETS_PER_DECADE);
	assert_ok(segment_store_open(&memory->io, path, &plain, &from, NULL));
	const struct histree_segment_store_options options = { .path = copy,
							       .schema = from->info.schema,
							       .node_size = 4096 };
	assert_ok(segment_store_create(&memory->io, &options, &to, NULL));
	assert_ok(histree_segments_create(from, &iter, NULL));
	assert_ok(histree_segments_start(iter, &all_of_it, NULL, NULL));
	while (histree_cursor_next(iter, NULL) == HISTREE_OK) {
		segment = *histree_cursor_segment(iter);
		struct segment_summary *summary = &summaries[count++];
		assert_true(segment_summary_get(&buckets, &segment, summary));
		if (summary->value.type == HISTREE_STRING)
			summary->value.bytes = strndup(summary->value.bytes, summary->value.size);
		if (found < 2 && is_rich(summary))
			rich[found++] = summary;
	}
	histree_cursor_free(iter);
	for (size_t i = 0; i < count; i++) {
		struct segment_summary said = summaries[i];
		struct histree_value content[SUMMARY_FIELD_COUNT];
		if (found == 2 && (&summaries[i] == rich[0] || &summaries[i] == rich[1])) {
			struct segment_summary one = *rich[0], other = *rich[1];
			tell_lie(lie, &one, &other);
			said = &summaries[i] == rich[0] ? one : other;
			if (lie == LIE_LEFT_OUT && &summaries[i] == rich[0])
				continue;
		}
		const struct histree_segment put = segment_summary_put(&said, content);
		assert_ok(histree_segment_store_add(to, &put, NULL));
	}
	assert_ok(histree_segment_store_finish(to, NULL));
	histree_segment_store_close(to);
	histree_segment_store_close(from);
	for (size_t i = 0; i < count; i++)
		if (summaries[i].value.type == HISTREE_STRING)
			free((void *)(uintptr_t)summaries[i].value.bytes);
	free(summaries);
	memory->io.unlink(memory->io.context, path);
	assert_int_equal(memory->io.rename(memory->io.context, copy, path), 0);
	return found == 2;
}

static enum histree_status verify(const struct memory_io *memory)
{
	struct histree_segment_store *store = open_store(&memory->io, false);
	enum histree_status status = histree_segment_store_verify(store, NULL, NULL, NULL);
	histree_segment_store_close(store);
	return status;
}

TEST(sums_that_are_not_true_are_found)
{
	struct memory_io memory;
	memory_io_init(&memory);
	build(&memory.io, "f", test_seed());
	for (int lie = 0; lie < LIES; lie++)
		for (uint32_t number = 1; number <= 2; number++) {
			char path[NAME_SIZE];
			snprintf(path, sizeof(path), "f.overview%u", number);
			assert_ok(make(&memory.io, never, NULL));
			assert_ok(verify(&memory));
			assert_true(forge_sums(&memory, path, LIES));
			assert_ok(verify(&memory));
			assert_true(forge_sums(&memory, path, (enum lie)lie));
			assert_int_equal(verify(&memory), HISTREE_ERR_FORMAT);
		}
	memory_io_release(&memory);
}

/* Returns whether an overview is of parts of the durations. */
static bool is_of_parts(const struct memory_io *memory, const char *path)
{
	struct histree_segment_store *store = open_store(&memory->io, true);
	struct segment_overview overview;
	size_t field;
	assert_ok(segment_overview_open(&memory->io, path, histree_segment_store_info(store), 1 << 16, &overview,
					&field, NULL));
	bool is = overview.parts_log2 > 0;
	histree_segment_store_close(overview.store);
	histree_segment_store_close(store);
	return is;
}

/* The same of parts that are wide enough for a lie. */
TEST(sums_of_parts_that_are_not_true_are_found)
{
	unsigned found = 0;
	struct memory_io memory;
	memory_io_init(&memory);
	build_of(&memory.io, "f", test_seed(), 1000000000);
	assert_ok(make(&memory.io, never, NULL));
	uint32_t count = overview_count(&memory);
	for (uint32_t number = 1; number <= count; number++) {
		char path[NAME_SIZE];
		snprintf(path, sizeof(path), "f.overview%u", number);
		for (int lie = 0; lie < LIES && is_of_parts(&memory, path); lie++) {
			if (lie == LIE_VALUE) /* all values are together in them */
				continue;
			assert_true(forge_sums(&memory, path, LIES));
			assert_ok(verify(&memory));
			assert_true(forge_sums(&memory, path, (enum lie)lie));
			assert_int_equal(verify(&memory), HISTREE_ERR_FORMAT);
			assert_ok(make(&memory.io, never, NULL));
			assert_ok(verify(&memory));
			found++;
		}
	}
	assert_int_equal(found, LIES - 1);
	memory_io_release(&memory);
}

/* Of all segments, queries know how many there are. */
TEST(a_wrong_count_of_all_is_not_believed)
{
	static const enum lie lies[] = { LIE_COUNT, LIE_LEFT_OUT };
	struct memory_io memory;
	memory_io_init(&memory);
	build(&memory.io, "f", test_seed());
	for (size_t i = 0; i < 2; i++) {
		assert_ok(make(&memory.io, never, NULL));
		for (uint32_t number = 1; number <= overview_count(&memory); number++) {
			char path[NAME_SIZE];
			snprintf(path, sizeof(path), "f.overview%u", number);
			/* Those of parts that are a nanosecond wide leave nothing to lie about. */
			assert_true(forge_sums(&memory, path, lies[i]) || number > 2);
		}
		assert_same_answer(&memory);
	}
	memory_io_release(&memory);
}
