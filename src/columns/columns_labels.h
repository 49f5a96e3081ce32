/* SPDX-License-Identifier: MIT */
/*
 * columns_labels.h - the column of labels: what values of states mean, as a dictionary.
 */
#ifndef COLUMNS_LABELS_H
#define COLUMNS_LABELS_H

#include "columns/columns_texts.h"
#include "histree/history.h"

struct columns_labels;

enum histree_status columns_labels_create(struct histree_history *history, size_t text_bytes,
					  struct columns_labels **out, struct histree_error *error);

/* Returns NULL of NULL. */
struct columns_texts *columns_labels_texts(struct columns_labels *labels);

enum histree_status columns_labels_fill(struct columns_labels *labels, const struct histree_interval *states,
					size_t count, uint32_t *ids, uint8_t *valid, struct histree_error *error);
void columns_labels_free(struct columns_labels *labels);

#endif
