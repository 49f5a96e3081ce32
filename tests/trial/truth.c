// SPDX-License-Identifier: MIT
#include "truth.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/table.h"

void give_up(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(2);
}

COMPARE(compare_intervals, struct histree_interval, BY(quark) BY(start))

static void add_interval(struct truth *truth, const struct histree_interval *interval)
{
	if (!array_reserve(&truth->intervals, &truth->capacity, truth->count + 1))
		give_up("out of memory");
	struct histree_interval *copy = &truth->intervals[truth->count++];
	*copy = *interval;
	if (interval->value.size > 0)
		copy->value.bytes = arena_copy(&truth->bytes, interval->value.bytes, interval->value.size);
}

char *truth_path(const struct histree_attributes *attributes, histree_quark quark)
{
	size_t size = histree_attributes_path(attributes, quark, NULL, 0) + 1;
	char *path = malloc(size);
	if (path == NULL)
		give_up("out of memory");
	histree_attributes_path(attributes, quark, path, size);
	return path;
}

struct histree_cursor *truth_ask_all(struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_cursor *query;
	struct histree_error error;
	if (histree_query_create(history, &query, &error) != HISTREE_OK ||
	    histree_query_start(query, &(struct histree_region){ .from = info->start, .to = info->end }, &error) !=
		    HISTREE_OK)
		give_up("%s", error.message);
	return query;
}

void truth_learn(struct truth *truth, struct histree_history *history)
{
	const struct histree_attributes *attributes = histree_history_attributes(history);
	struct histree_cursor *query = truth_ask_all(history);
	struct histree_interval interval;
	while (histree_cursor_next(query, NULL) == HISTREE_OK) {
		interval = *histree_cursor_interval(query);
		add_interval(truth, &interval);
	}
	histree_cursor_free(query);
	qsort(truth->intervals, truth->count, sizeof(*truth->intervals), compare_intervals);
	truth->start = histree_history_info(history)->start;
	truth->end = histree_history_info(history)->end;
	truth->key_count = histree_attributes_count(attributes);
	truth->first = calloc((size_t)truth->key_count + 1, sizeof(*truth->first));
	truth->paths = calloc((size_t)truth->key_count + 1, sizeof(*truth->paths));
	if (truth->first == NULL || truth->paths == NULL)
		give_up("out of memory");
	size_t at = 0;
	for (histree_quark quark = 0; quark < truth->key_count; quark++) {
		truth->first[quark] = at;
		truth->paths[quark] = truth_path(attributes, quark);
		while (at < truth->count && truth->intervals[at].quark == quark)
			at++;
	}
	truth->first[truth->key_count] = at;
}

const struct histree_interval *truth_find(const struct truth *truth, const struct histree_interval *wanted)
{
	size_t first = truth->first[wanted->quark], behind = truth->first[wanted->quark + 1];
	return first == behind ? NULL
			       : bsearch(wanted, truth->intervals + first, behind - first, sizeof(*wanted),
					 compare_intervals);
}

const struct histree_interval *truth_at(const struct truth *truth, histree_quark quark, histree_time time)
{
	size_t low = truth->first[quark], high = truth->first[quark + 1] - 1;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (truth->intervals[middle].end < time)
			low = middle + 1;
		else
			high = middle;
	}
	return &truth->intervals[low];
}

void truth_release(struct truth *truth)
{
	for (uint32_t quark = 0; quark < truth->key_count; quark++)
		free(truth->paths[quark]);
	free(truth->paths);
	free(truth->first);
	free(truth->intervals);
	arena_release(&truth->bytes);
}
