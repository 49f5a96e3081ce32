// SPDX-License-Identifier: MIT
#include "golden_segments.h"

#include <inttypes.h>
#include <math.h>

#include "base/hash_index.h"
#include "golden_history.h"

enum { SEGMENTS = 1200, EDGES = 60 };
enum { NAME, RESULT, RATIO, FAILED, TID, FIELDS };

static const struct histree_segment_field fields[FIELDS] = {
	[NAME] = { "name", HISTREE_STRING },   [RESULT] = { "result", HISTREE_LONG },
	[RATIO] = { "ratio", HISTREE_DOUBLE }, [FAILED] = { "failed", HISTREE_BOOL },
	[TID] = { "tid", HISTREE_INT },
};

/* ---- building ------------------------------------------------------------------------------------------ */

/* A system call, as an analysis makes them: by end, most of them short. */
static void draw_call(struct histree_segment *segment, struct histree_value *content, histree_time now,
		      struct random *random)
{
	static const char *const names[] = { "read", "write", "openat", "futex", "epoll_wait", "mmap" };
	segment->end = now;
	segment->start = now - (histree_time)random_below(random, 100 << random_below(random, 18));
	content[NAME] = histree_string(names[random_below(random, 6)]);
	content[RESULT] = histree_long((int64_t)random_below(random, 5000) - 40);
	content[RATIO] = histree_double((double)random_below(random, 16) / 8);
	content[FAILED] = histree_bool(content[RESULT].int64 < 0);
	content[TID] =
		random_percent(random, 10) ? histree_null() : histree_int((int32_t)random_below(random, 300));
}

/* The edges of types and of time; each comes several times. */
static void draw_edge(struct histree_segment *segment, struct histree_value *content, size_t turn)
{
	static const histree_time times[][2] = {
		{ INT64_MIN, INT64_MIN }, { INT64_MIN, INT64_MAX }, { INT64_MAX, INT64_MAX }, { -1, 0 }, { 0, 0 },
	};
	static const double doubles[] = { 0.0, -0.0, -0.1, (double)INFINITY, (double)NAN, -5e-324, -1e300 };
	static const int64_t longs[] = { 0, INT64_MIN, INT64_MAX, -1 };
	static const int32_t ints[] = { 0, INT32_MIN, INT32_MAX };
	static const char *const strings[] = { "", "read", "\xc3\xa4\xe2\x82\xac", "tab\tand newline\n" };
	segment->start = times[turn % 5][0];
	segment->end = times[turn % 5][1];
	content[NAME] = histree_string(strings[turn % 4]);
	content[RESULT] = histree_long(longs[turn % 4]);
	content[RATIO] = histree_double(doubles[turn % 7]);
	content[FAILED] = histree_bool(turn % 2 == 0);
	content[TID] = histree_int(ints[turn % 3]);
	if (turn % 6 == 5)
		content[turn / 6 % FIELDS] = histree_null();
}

enum histree_status golden_segments_build(const char *path, struct histree_error *error)
{
	const struct histree_segment_store_options options = {
		.path = path,
		.schema = { .provider = "golden", .provider_version = 3, .fields = fields, .field_count = FIELDS },
		.node_size = 4096,
	};
	struct histree_segment_store *store;
	struct random random = { 1 };
	histree_time now = INT64_C(1457113583) * 1000000000;
	enum histree_status status = histree_segment_store_create(&options, &store, error);
	for (size_t turn = 0; status == HISTREE_OK && turn < SEGMENTS; turn++) {
		struct histree_value content[FIELDS];
		struct histree_segment segment = { .content = content };
		now += (histree_time)random_below(&random, 20000);
		if (turn % (SEGMENTS / EDGES) == 0)
			draw_edge(&segment, content, turn / (SEGMENTS / EDGES));
		else
			draw_call(&segment, content, now, &random);
		status = histree_segment_store_add(store, &segment, error);
	}
	if (status == HISTREE_OK)
		status = histree_segment_store_finish(store, error);
	histree_segment_store_close(store);
	return status;
}

enum histree_status golden_segments_make_table(const char *path, struct histree_error *error)
{
	struct histree_segment_store *store;
	enum histree_status status = histree_segment_store_open(path, NULL, &store, error);
	if (status == HISTREE_OK)
		status = histree_segment_store_make_table(store, NAME, error);
	histree_segment_store_close(store);
	return status;
}

/* ---- dumping ------------------------------------------------------------------------------------------- */

static void dump_schema(const struct histree_segment_store_info *info, FILE *out)
{
	fprintf(out, "%s\t%" PRIu32, info->schema.provider, info->schema.provider_version);
	for (size_t i = 0; i < info->schema.field_count; i++)
		fprintf(out, "\t%s\t%s", histree_type_name(info->schema.fields[i].type),
			info->schema.fields[i].name);
	fprintf(out, "\n%" PRId64 "\t%" PRId64 "\t%" PRIu64 "\t%" PRIu64 "\n", info->start, info->end,
		info->duration_min, info->duration_max);
}

enum histree_status golden_segments_dump(struct histree_segment_store *store, FILE *out,
					 struct histree_error *error)
{
	const struct histree_segment_store_info *info = histree_segment_store_info(store);
	const struct histree_segment_query all = HISTREE_SEGMENTS_ALL;
	struct histree_cursor *iter;
	struct histree_segment segment;
	enum histree_status status = histree_segments_create(store, &iter, error);
	if (status != HISTREE_OK)
		return status;
	dump_schema(info, out);
	status = histree_segments_start(iter, &all, NULL, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(iter, error)) == HISTREE_OK) {
		segment = *histree_cursor_segment(iter);
		fprintf(out, "%" PRId64 "\t%" PRId64, segment.start, segment.end);
		for (size_t i = 0; i < info->schema.field_count; i++) {
			fprintf(out, "\t%s\t", histree_type_name(segment.content[i].type));
			golden_print_value(out, &segment.content[i]);
		}
		fputc('\n', out);
	}
	histree_cursor_free(iter);
	return status == HISTREE_END ? HISTREE_OK : status;
}
