// SPDX-License-Identifier: MIT
/*
 * fuzz_summary.c - an overview of segments that is whole and of a store, it says, of summaries that the input
 * spells out.  What is taken for a summary is one that segments can have, and is said again as it was.  Whatever
 * they say together, answers come in finite time, those of all of the store count its segments, and verify says
 * whether it is true.
 *
 * A summary in the input: start, duration, count, spread, between, excess (8 each), squares (4), which of count to
 * squares are null (1 bit each), which name it has (1).
 */
#include <math.h>

#include "base/bytes.h"
#include "fuzz.h"
#include "histree/segment_stats.h"
#include "view/view.h"
#include "segment/segment_memory.h"
#include "segment/segment_overviews.h"
#include "segment/segment_summary.h"
#include "support/memory_io.h"

enum { SEGMENTS = 300, SUMMARY_SIZE = 54, SUMMARIES_MAX = 200, NAMES = 3 };

static const char *const names[NAMES] = { "read", "write", "futex" };

static void build(const struct io *io)
{
	static const struct histree_segment_field field = { "name", HISTREE_STRING };
	const struct histree_segment_store_options options = { .path = "s",
							       .schema = { "test", 1, &field, 1 },
							       .node_size = 4096 };
	struct histree_segment_store *store;
	REQUIRE(segment_store_create(io, &options, &store, NULL) == HISTREE_OK);
	for (histree_time i = 0; i < SEGMENTS; i++) {
		const struct histree_value name = histree_string(names[i % NAMES]);
		const struct histree_segment segment = { i * 100, i * 100 + i * i % 977, &name };
		REQUIRE(histree_segment_store_add(store, &segment, NULL) == HISTREE_OK);
	}
	REQUIRE(histree_segment_store_finish(store, NULL) == HISTREE_OK);
	histree_segment_store_close(store);
}

static void check_summary(const struct duration_buckets *buckets, const struct histree_segment *segment)
{
	struct segment_summary summary, again;
	struct histree_value content[SUMMARY_FIELD_COUNT];
	if (!segment_summary_get(buckets, segment, &summary))
		return;
	double mean = segment_summary_mean(&summary);
	REQUIRE(summary.count > 0 && summary.shortest <= summary.longest);
	REQUIRE(summary.longest == histree_segment_duration(segment) && summary.longest_start == segment->start);
	REQUIRE(mean >= (double)summary.shortest * 0.999 && mean <= (double)summary.longest * 1.001);
	REQUIRE(isfinite(summary.squares) && summary.squares >= 0);
	REQUIRE(duration_bucket_of(buckets, summary.shortest) == duration_bucket_of(buckets, summary.longest));
	const struct histree_segment put = segment_summary_put(&summary, content);
	REQUIRE(segment_summary_get(buckets, &put, &again));
	REQUIRE(again.count == summary.count && again.total == summary.total);
	REQUIRE(again.shortest == summary.shortest && again.shortest_start == summary.shortest_start);
}

/* The overview; summaries that no segment could be, which end before they start, are none. */
static void forge(const struct io *io, const uint8_t *bytes, size_t size)
{
	struct histree_segment_store *store, *overview;
	REQUIRE(segment_store_open(io, "s", NULL, &store, NULL) == HISTREE_OK);
	const struct histree_segment_store_info *of = histree_segment_store_info(store);
	const struct segment_overview_name name = { of->identity, of->segment_count, 0, 12, 0 };
	struct histree_segment_field fields[SUMMARY_FIELD_COUNT];
	char provider[SEGMENT_OVERVIEW_PROVIDER_SIZE];
	segment_summary_fields(HISTREE_STRING, fields);
	segment_overview_provider(&name, provider);
	const struct histree_segment_store_options options = {
		.path = "s.overview1",
		.schema = { provider, SEGMENT_OVERVIEW_VERSION, fields, SUMMARY_FIELD_COUNT },
		.node_size = 4096,
	};
	struct duration_buckets buckets;
	duration_buckets_init(&buckets, SUMMARY_BUCKETS_PER_DECADE);
	REQUIRE(segment_store_create(io, &options, &overview, NULL) == HISTREE_OK);
	for (size_t i = 0; i < SUMMARIES_MAX && size >= SUMMARY_SIZE; i++) {
		uint8_t nulls = bytes[52];
		struct histree_value content[SUMMARY_FIELD_COUNT] = { histree_string(names[bytes[53] % NAMES]) };
		for (size_t field = 1; field < SUMMARY_FIELD_COUNT - 1; field++)
			content[field] = histree_long((int64_t)get_le64(bytes + 8 + 8 * field));
		content[SUMMARY_FIELD_COUNT - 1] = histree_int((int32_t)get_le32(bytes + 48));
		for (size_t field = 1; field < SUMMARY_FIELD_COUNT; field++)
			if ((nulls >> field & 1) != 0)
				content[field] = histree_null();
		uint64_t start = get_le64(bytes), end = start + get_le64(bytes + 8);
		const struct histree_segment segment = { (histree_time)start, (histree_time)end, content };
		if (segment.end >= segment.start) {
			check_summary(&buckets, &segment);
			REQUIRE(histree_segment_store_add(overview, &segment, NULL) == HISTREE_OK);
		}
		bytes += SUMMARY_SIZE;
		size -= SUMMARY_SIZE;
	}
	REQUIRE(histree_segment_store_finish(overview, NULL) == HISTREE_OK);
	histree_segment_store_close(overview);
	histree_segment_store_close(store);
}

static void ask(struct histree_segment_store *store, histree_time from, histree_time to, bool is_all)
{
	const struct histree_segment_query query = { .from = from, .to = to };
	const struct histree_density_options options = { .field = 0, .column_count = 3, .from = from, .to = to };
	const struct histree_segment_scatter_request request = {
		.query = query, .columns = 5, .rows = 5, .points_max = 50
	};
	struct histree_segment_stats *stats;
	struct histree_segment_density *density;
	struct histree_segment_scatter *scatter;
	uint64_t edges[11], counts[10], sum = 0;
	REQUIRE(histree_segment_stats_create(store, &query, 0, &stats, NULL) == HISTREE_OK);
	REQUIRE(!is_all || histree_segment_stats_all(stats)->count == SEGMENTS);
	histree_segment_stats_free(stats);
	REQUIRE(histree_segment_density_create(store, &query, &options, &density, NULL) == HISTREE_OK);
	histree_segment_density_free(density);
	REQUIRE(histree_segment_scatter_create(store, &request, &scatter, NULL) == HISTREE_OK);
	histree_segment_scatter_free(scatter);
	for (int scale = 0; scale < 2; scale++) {
		REQUIRE(histree_segment_histogram(store, &query, (enum histree_duration_scale)scale, 10,
						  (struct histree_work){ 0 }, edges, counts, NULL) == HISTREE_OK);
		sum = 0;
		for (size_t i = 0; i < 10; i++)
			sum += counts[i];
		REQUIRE(!is_all || sum == SEGMENTS);
	}
}

FUZZ_TARGET(bytes, size)
{
	struct memory_io memory;
	struct histree_segment_store *store;
	memory_io_init(&memory);
	build(&memory.io);
	forge(&memory.io, bytes, size);
	REQUIRE(segment_store_open(&memory.io, "s", NULL, &store, NULL) == HISTREE_OK);
	ask(store, INT64_MIN, INT64_MAX, true);
	ask(store, 1000, 1000 + 5 * 4096, false);
	enum histree_status status = histree_segment_store_verify(store, NULL, NULL, NULL);
	REQUIRE(status == HISTREE_OK || status == HISTREE_ERR_FORMAT);
	histree_segment_store_close(store);
	memory_io_release(&memory);
	return 0;
}
