/* SPDX-License-Identifier: MIT */
/*
 * recorded_history.h - a history in the memory of a test: every interval as text.
 *
 *	struct recorded_history history = { 0 };
 *	struct interval_sink sink = recorded_history_sink(&history);
 *	state_system_create(start, &sink, &system, &error);
 *	...
 *	histree_state_close(system, end, &error);
 *	recorded_history_find(&history, "Threads/1");
 */
#ifndef RECORDED_HISTORY_H
#define RECORDED_HISTORY_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/attributes.h"
#include "state/attributes.h"
#include "state/ongoing_states.h"

struct recorded_interval {
	histree_time start, end;
	histree_quark quark;
	enum histree_type type;
	const char *value; /* as in a TSV file: \ tab LF CR are escaped */
};

/* Complete once the state system is closed. */
struct recorded_history {
	struct recorded_interval *intervals; /* by attribute, and then by time */
	size_t count, capacity;
	const char **paths; /* by quark */
	uint32_t attribute_count;
	struct arena texts;
};

static inline const char *recorded_string(struct arena *texts, const char *bytes, size_t size)
{
	char *text = arena_allocate(texts, 2 * size + 1, 1);
	if (text == NULL)
		return NULL;
	static const char special[] = "\\\t\n\r", letters[] = "\\tnr";
	char *at = text;
	for (size_t i = 0; i < size; i++) {
		const char *found = memchr(special, bytes[i], sizeof(special) - 1);
		if (found != NULL)
			*at++ = '\\';
		*at++ = found == NULL ? bytes[i] : letters[found - special];
	}
	*at = '\0';
	return text;
}

static inline const char *recorded_value(struct arena *texts, const struct histree_value *value)
{
	char text[64] = "";
	switch (value->type) {
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		return recorded_string(texts, value->bytes, value->size);
	case HISTREE_INT:
		snprintf(text, sizeof(text), "%" PRId32, value->int32);
		break;
	case HISTREE_LONG:
		snprintf(text, sizeof(text), "%" PRId64, value->int64);
		break;
	case HISTREE_DOUBLE:
		snprintf(text, sizeof(text), "%.17g", value->real);
		break;
	case HISTREE_BOOL:
		snprintf(text, sizeof(text), "%s", value->boolean ? "true" : "false");
		break;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	}
	return arena_copy(texts, text, strlen(text));
}

static inline enum histree_status recorded_history_add(void *context, const struct histree_interval *interval,
						       struct histree_error *error)
{
	(void)error;
	struct recorded_history *history = context;
	const char *value = recorded_value(&history->texts, &interval->value);
	if (value == NULL || !array_reserve(&history->intervals, &history->capacity, history->count + 1))
		return HISTREE_ERR_MEMORY;
	history->intervals[history->count++] =
		(struct recorded_interval){ interval->start, interval->end, interval->quark, interval->value.type,
					    value };
	return HISTREE_OK;
}

COMPARE(recorded_history_compare, struct recorded_interval, BY(quark) BY(start))

/* Some intervals come late (ongoing_states.h). */
static inline enum histree_status recorded_history_finish(void *context, const struct attribute_tree *tree,
							  histree_time end, struct histree_error *error)
{
	(void)end;
	(void)error;
	struct recorded_history *history = context;
	const struct histree_attributes *attributes = &tree->base;
	history->attribute_count = histree_attributes_count(attributes);
	if (history->count > 0)
		qsort(history->intervals, history->count, sizeof(*history->intervals), recorded_history_compare);
	history->paths = calloc(history->attribute_count + 1, sizeof(*history->paths));
	if (history->paths == NULL)
		return HISTREE_ERR_MEMORY;
	for (histree_quark quark = 0; quark < history->attribute_count; quark++) {
		size_t size = histree_attributes_path(attributes, quark, NULL, 0);
		char *path = arena_allocate(&history->texts, size + 1, 1);
		if (path == NULL)
			return HISTREE_ERR_MEMORY;
		histree_attributes_path(attributes, quark, path, size + 1);
		history->paths[quark] = path;
	}
	return HISTREE_OK;
}

static inline void recorded_history_keep(void *context)
{
	(void)context;
}

static inline struct interval_sink recorded_history_sink(struct recorded_history *history)
{
	return (struct interval_sink){ .add = recorded_history_add,
				       .finish = recorded_history_finish,
				       .free = recorded_history_keep,
				       .context = history,
				       .value_size_max = 4096 };
}

/* The quark at an escaped path, HISTREE_ROOT if there is none. */
static inline histree_quark recorded_history_find(const struct recorded_history *history, const char *path)
{
	for (histree_quark quark = 0; quark < history->attribute_count; quark++)
		if (strcmp(history->paths[quark], path) == 0)
			return quark;
	return HISTREE_ROOT;
}

static inline void recorded_history_release(struct recorded_history *history)
{
	free(history->intervals);
	free((void *)history->paths);
	arena_release(&history->texts);
}

#endif
