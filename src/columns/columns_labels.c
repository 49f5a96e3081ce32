// SPDX-License-Identifier: MIT
#include "columns/columns_labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "columns/columns_dictionary.h"

struct columns_labels {
	struct columns_dictionary dictionary;
};

enum histree_status columns_labels_create(struct histree_history *history, size_t text_bytes,
					  struct columns_labels **out, struct histree_error *error)
{
	(void)history;
	*out = calloc(1, sizeof(**out));
	if (*out == NULL)
		return error_memory(error, "labels");
	(*out)->dictionary.texts.size_max = text_bytes;
	return HISTREE_OK;
}

struct columns_texts *columns_labels_texts(struct columns_labels *labels)
{
	return labels != NULL ? &labels->dictionary.texts : NULL;
}

enum histree_status columns_labels_fill(struct columns_labels *labels, const struct histree_interval *states,
					size_t count, uint32_t *ids, uint8_t *valid, struct histree_error *error)
{
	(void)labels;
	(void)states;
	(void)error;
	memset(ids, 0, count * sizeof(*ids));
	memset(valid, 0, count);
	return HISTREE_OK;
}

void columns_labels_free(struct columns_labels *labels)
{
	if (labels == NULL)
		return;
	columns_dictionary_release(&labels->dictionary);
	free(labels);
}
