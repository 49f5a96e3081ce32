// SPDX-License-Identifier: MIT
/*
 * test_hosts_faults.c - segments and events of several hosts while memory is refused, once and from then on.
 *
 * Whatever fails, the call says so, the parts are closed, and nothing leaks (AddressSanitizer looks).  What did not
 * fail is what it is when nothing does.
 */
#include "event_index/event_index.h"
#include "event_index/events.h"
#include "histree/segment_stats.h"
#include "segment/segment_memory.h"
#include "support/faulty_memory.h"
#include "support/memory_io.h"
#include "support/segments.h"
#include "support/test.h"

enum { PARTS = 3, REQUESTS_MAX = 4000 };

static const char *const names[PARTS] = { "one", "two", "three" };

/* ---- segments --------------------------------------------------------------------------------------------- */

struct hosts {
	struct memory_io files[PARTS];
	struct segments segments;
};

static void make_files(struct hosts *hosts)
{
	static const struct segment_kind kind = { "small", SEGMENTS_BY_END, 120, true };
	struct histree_error error;
	assert_true(segments_make(&hosts->segments, &kind, 54));
	for (size_t i = 0; i < PARTS; i++) {
		struct histree_segment_store_options options = { .kind = HISTREE_SEGMENTS_DISK,
								 .path = "s",
								 .schema = *hosts->segments.schema };
		struct histree_segment_store *store;
		memory_io_init(&hosts->files[i]);
		assert_ok(segment_store_create(&hosts->files[i].io, &options, &store, &error));
		for (size_t at = i; at < hosts->segments.count; at += PARTS)
			assert_ok(histree_segment_store_add(store, &hosts->segments.segments[at], &error));
		assert_ok(histree_segment_store_finish(store, &error));
		histree_segment_store_close(store);
	}
}

static enum histree_status open_union(struct hosts *hosts, struct histree_segment_store **out,
				      struct histree_error *error)
{
	struct histree_segment_part parts[PARTS] = { { 0 } };
	enum histree_status status = HISTREE_OK;
	*out = NULL;
	for (size_t i = 0; i < PARTS && status == HISTREE_OK; i++) {
		parts[i].name = names[i];
		if (i == 1)
			parts[i].why = "it is gone";
		else
			status = segment_store_open(&hosts->files[i].io, "s", NULL, &parts[i].store, error);
	}
	if (status == HISTREE_OK)
		return histree_segment_store_unite(parts, PARTS, out, error);
	for (size_t i = 0; i < PARTS; i++)
		histree_segment_store_close(parts[i].store);
	return status;
}

/* All of them in an order, and the statistics by host.  A sum of ids tells whether they are what they were. */
static enum histree_status ask(struct hosts *hosts, enum histree_segment_order order, uint64_t *sum,
			       struct histree_error *error)
{
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	struct histree_cursor *iter = NULL;
	struct histree_segment_stats *stats = NULL;
	struct histree_segment_store *store;
	*sum = 0;
	query.order = order;
	query.field = SEGMENT_NAME;
	enum histree_status status = open_union(hosts, &store, error);
	if (status == HISTREE_OK)
		status = histree_segments_create(store, &iter, error);
	if (status == HISTREE_OK)
		status = histree_segments_start(iter, &query, NULL, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(iter, error)) == HISTREE_OK)
		*sum = *sum * 31 + (uint64_t)histree_cursor_segment(iter)->content[SEGMENT_ID].int64;
	histree_cursor_free(iter);
	if (status == HISTREE_END)
		status = histree_segment_stats_create(store, &query, SEGMENT_TEST_FIELDS, &stats, error);
	if (status == HISTREE_OK)
		*sum += histree_segment_stats_all(stats)->total;
	histree_segment_stats_free(stats);
	histree_segment_store_close(store);
	return status;
}

TEST(segments_without_memory)
{
	struct hosts hosts;
	struct histree_error error;
	make_files(&hosts);
	for (unsigned order = HISTREE_SEGMENTS_UNSORTED; order <= HISTREE_SEGMENTS_BY_FIELD; order++) {
		uint64_t whole, sum, at = 0;
		bool was_refused = true;
		assert_ok(ask(&hosts, (enum histree_segment_order)order, &whole, &error));
		while (was_refused && ++at < REQUESTS_MAX)
			for (int for_ever = 0; for_ever < 2; for_ever++) {
				faulty_memory_begin(at, for_ever);
				enum histree_status status =
					ask(&hosts, (enum histree_segment_order)order, &sum, &error);
				was_refused = faulty_memory.refused;
				faulty_memory_end();
				if (status == HISTREE_OK)
					assert_true(sum == whole);
				else
					assert_int_equal(status, HISTREE_ERR_MEMORY);
			}
		assert_true(at > 10 && at < REQUESTS_MAX);
	}
	for (size_t i = 0; i < PARTS; i++)
		memory_io_release(&hosts.files[i]);
	segments_release(&hosts.segments);
}

/* ---- events ----------------------------------------------------------------------------------------------- */

static enum histree_status unite_events(const char *path, uint64_t *sum, struct histree_error *error)
{
	struct events_part parts[PARTS] = { { 0 } };
	struct histree_events *events = NULL;
	struct histree_cursor *reader = NULL;
	enum histree_status status = HISTREE_OK;
	size_t count;
	*sum = 0;
	for (size_t i = 0; i < PARTS && status == HISTREE_OK; i++) {
		parts[i].name = names[i];
		parts[i].why = "it is gone";
		if (i == 1)
			continue;
		parts[i].events = calloc(1, sizeof(*parts[i].events));
		status = parts[i].events == NULL
				 ? HISTREE_ERR_MEMORY
				 : event_index_read(&io_posix, path, &parts[i].events->index, error);
	}
	if (status == HISTREE_OK)
		status = events_unite(parts, PARTS, &events, error);
	else
		for (size_t i = 0; i < PARTS; i++)
			histree_events_close(parts[i].events);
	if (status == HISTREE_OK)
		status = histree_event_reader_create(events, &reader, error);
	if (status == HISTREE_OK) {
		const struct histree_gap *gaps = histree_events_gaps(events, &count);
		for (size_t i = 0; i < count; i++)
			*sum = *sum * 31 + (uint64_t)gaps[i].from + gaps[i].host;
		for (size_t i = 0; histree_events_hosts(events, &count) != NULL && i < count; i++)
			*sum += strlen(histree_events_hosts(events, &count)[i].name);
	}
	histree_cursor_free(reader);
	histree_events_close(events);
	return status;
}

TEST(events_without_memory)
{
	struct event_index_writer writer = { .end = 100 };
	struct histree_error error;
	char folder[] = "/tmp/histree-union-XXXXXX", path[64];
	uint64_t identity, whole, sum, at = 0;
	bool was_refused = true;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/" EVENT_INDEX_FILE, folder);
	for (int i = 0; i < 20; i++) {
		const struct event_gap gap = { .cpu = i % 3, .begin = i * 2, .end = i * 2 + 5, .events = 1 };
		assert_ok(event_index_add_gap(&writer, &gap, &error));
	}
	assert_ok(event_index_write(&writer, &io_posix, path, &identity, &error));
	event_index_writer_release(&writer);
	assert_ok(unite_events(path, &whole, &error));
	while (was_refused && ++at < REQUESTS_MAX)
		for (int for_ever = 0; for_ever < 2; for_ever++) {
			faulty_memory_begin(at, for_ever);
			enum histree_status status = unite_events(path, &sum, &error);
			was_refused = faulty_memory.refused;
			faulty_memory_end();
			if (status == HISTREE_OK)
				assert_true(sum == whole);
			else
				assert_int_equal(status, HISTREE_ERR_MEMORY);
		}
	assert_true(at > 10 && at < REQUESTS_MAX);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(folder), 0);
}
