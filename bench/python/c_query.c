// SPDX-License-Identifier: MIT
/*
 * c_query.c - what measure.py compares with: the same queries in C, on the history that Python has open.
 */
#include <stdlib.h>
#include <string.h>

#include "histree/histree.h"

enum { ROOM = 4096 };

int64_t c_read(struct histree_history *history, int64_t *sum);
int64_t c_arrays(struct histree_history *history, int64_t *sum);
int64_t c_batches(struct histree_history *history, uint64_t columns, int64_t *sum);

static struct histree_region all_of(struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	return (struct histree_region){ .from = info->start, .to = info->end };
}

/* Every interval is handed out and looked at, as a program does that keeps none. */
int64_t c_read(struct histree_history *history, int64_t *sum)
{
	struct histree_region region = all_of(history);
	struct histree_cursor *query;
	int64_t rows = 0;
	size_t count;
	*sum = 0;
	if (histree_query_create(history, &query, NULL) != HISTREE_OK)
		return -1;
	if (histree_query_start(query, &region, NULL) == HISTREE_OK)
		while (histree_cursor_read(query, ROOM, &count, NULL) == HISTREE_OK) {
			const struct histree_interval *room = histree_cursor_interval(query);
			for (size_t i = 0; i < count; i++)
				*sum += room[i].start ^ room[i].end;
			rows += (int64_t)count;
		}
	histree_cursor_free(query);
	return rows;
}

/* Every interval goes into arrays that grow, as a program does that works with columns. */
int64_t c_arrays(struct histree_history *history, int64_t *sum)
{
	struct histree_region region = all_of(history);
	struct histree_cursor *query;
	int64_t *starts = NULL, *ends = NULL, *values = NULL;
	uint32_t *quarks = NULL;
	size_t rows = 0, capacity = 0, count;
	*sum = 0;
	if (histree_query_create(history, &query, NULL) != HISTREE_OK)
		return -1;
	if (histree_query_start(query, &region, NULL) == HISTREE_OK)
		while (histree_cursor_read(query, ROOM, &count, NULL) == HISTREE_OK) {
			const struct histree_interval *room = histree_cursor_interval(query);
			if (rows + count > capacity) {
				capacity = capacity == 0 ? 65536 : 2 * capacity;
				starts = realloc(starts, capacity * sizeof(*starts));
				ends = realloc(ends, capacity * sizeof(*ends));
				values = realloc(values, capacity * sizeof(*values));
				quarks = realloc(quarks, capacity * sizeof(*quarks));
				if (starts == NULL || ends == NULL || values == NULL || quarks == NULL)
					abort();
			}
			for (size_t i = 0; i < count; i++, rows++) {
				starts[rows] = room[i].start;
				ends[rows] = room[i].end;
				quarks[rows] = room[i].quark;
				values[rows] = room[i].value.type == HISTREE_INT ? room[i].value.int32 : 0;
			}
		}
	histree_cursor_free(query);
	for (size_t i = 0; i < rows; i++)
		*sum += starts[i] ^ ends[i];
	free(starts);
	free(ends);
	free(values);
	free(quarks);
	return (int64_t)rows;
}

/* The batches of the Arrow stream, taken and released. */
int64_t c_batches(struct histree_history *history, uint64_t columns, int64_t *sum)
{
	const struct histree_arrow_options options = { .columns = columns };
	struct histree_region region = all_of(history);
	struct ArrowArrayStream stream;
	struct ArrowArray batch;
	int64_t rows = 0;
	*sum = 0;
	if (histree_query_arrow(history, &region, &options, &stream, NULL) != HISTREE_OK)
		return -1;
	while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
		rows += batch.length;
		batch.release(&batch);
	}
	stream.release(&stream);
	return rows;
}
