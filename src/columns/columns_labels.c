// SPDX-License-Identifier: MIT
/*
 * Most states are ints, of a few values each with a table of labels, so that what was looked for last is remembered
 * by the two.  Labels live as long as the history.
 */
#include "columns/columns_labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "columns/columns_dictionary.h"
#include "histree/labels.h"

enum { KNOWN = 256 };

/* What an int means to a table. */
struct known_label {
	const struct histree_label_table *table; /* NULL: free */
	int32_t number;
	bool has_label;
	uint32_t id;
};

struct columns_labels {
	const struct histree_history *history;
	bool has_tables;
	histree_quark quark; /* whose table is at hand; HISTREE_ROOT: none */
	const struct histree_label_table *table;
	struct columns_dictionary dictionary;
	struct known_label known[KNOWN];
};

enum histree_status columns_labels_create(struct histree_history *history, size_t text_bytes,
					  struct columns_labels **out, struct histree_error *error)
{
	size_t tables;
	struct columns_labels *labels = *out = calloc(1, sizeof(*labels));
	if (labels == NULL)
		return error_memory(error, "labels");
	histree_labels(history, &tables);
	labels->history = history;
	labels->has_tables = tables > 0;
	labels->quark = HISTREE_ROOT;
	labels->dictionary.texts.size_max = text_bytes;
	return HISTREE_OK;
}

struct columns_texts *columns_labels_texts(struct columns_labels *labels)
{
	return labels != NULL ? &labels->dictionary.texts : NULL;
}

static enum histree_status look_up(struct columns_labels *labels, const struct histree_value *value, uint32_t *id,
				   bool *has_label, struct histree_error *error)
{
	const char *words = histree_label_words(labels->table, value);
	*has_label = words != NULL;
	*id = 0;
	return words != NULL ? columns_dictionary_add(&labels->dictionary, words, strlen(words), id, error)
			     : HISTREE_OK;
}

static enum histree_status look_up_int(struct columns_labels *labels, const struct histree_value *value,
				       uint32_t *id, bool *has_label, struct histree_error *error)
{
	size_t place = ((uintptr_t)labels->table / 64 + (uint32_t)value->int32) % KNOWN;
	struct known_label *known = &labels->known[place];
	if (known->table != labels->table || known->number != value->int32) {
		known->table = NULL;
		enum histree_status status = look_up(labels, value, &known->id, &known->has_label, error);
		if (status != HISTREE_OK)
			return status;
		known->table = labels->table;
		known->number = value->int32;
	}
	*id = known->id;
	*has_label = known->has_label;
	return HISTREE_OK;
}

enum histree_status columns_labels_fill(struct columns_labels *labels, const struct histree_interval *states,
					size_t count, uint32_t *ids, uint8_t *valid, struct histree_error *error)
{
	memset(ids, 0, count * sizeof(*ids));
	memset(valid, 0, count);
	for (size_t i = 0; i < count && labels->has_tables; i++) {
		enum histree_type type = states[i].value.type;
		if (states[i].quark != labels->quark) {
			labels->quark = states[i].quark;
			labels->table = histree_labels_of(labels->history, labels->quark);
		}
		if (labels->table == NULL || type == HISTREE_NULL || type == HISTREE_UNKNOWN)
			continue;
		bool has_label;
		enum histree_status status =
			type == HISTREE_INT ? look_up_int(labels, &states[i].value, &ids[i], &has_label, error)
					    : look_up(labels, &states[i].value, &ids[i], &has_label, error);
		if (status != HISTREE_OK)
			return status;
		valid[i] = has_label;
	}
	return HISTREE_OK;
}

void columns_labels_free(struct columns_labels *labels)
{
	if (labels == NULL)
		return;
	columns_dictionary_release(&labels->dictionary);
	free(labels);
}
