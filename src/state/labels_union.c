// SPDX-License-Identifier: MIT
/*
 * labels_union.c - the tables of labels of several hosts as those of one history: each that differs once, for the
 * attributes of any host.
 */
#include <stdlib.h>
#include <string.h>

#include "state/labels_slot.h"

static bool is_same_style(const struct histree_style *a, const struct histree_style *b)
{
	return a->light == b->light && a->dark == b->dark && a->height == b->height &&
	       strcmp(a->key != NULL ? a->key : "", b->key != NULL ? b->key : "") == 0 &&
	       strcmp(a->name != NULL ? a->name : "", b->name != NULL ? b->name : "") == 0;
}

static bool is_same_label(const struct histree_label *a, const struct histree_label *b)
{
	return a->kind == b->kind && a->first == b->first && a->last == b->last && a->is_code == b->is_code &&
	       a->is_hidden == b->is_hidden && is_same_style(&a->style, &b->style) &&
	       (a->kind != HISTREE_LABEL_TEXT || strcmp(a->text, b->text) == 0);
}

static bool is_same_table(const struct histree_label_table *a, const struct histree_label_table *b)
{
	if (a == b)
		return true;
	if (strcmp(a->name, b->name) != 0 || a->meaning != b->meaning || a->uses_palette != b->uses_palette ||
	    a->label_count != b->label_count)
		return false;
	for (size_t i = 0; i < a->label_count; i++)
		if (!is_same_label(&a->labels[i], &b->labels[i]))
			return false;
	size_t i = 0;
	while (a->patterns[i] != NULL && b->patterns[i] != NULL && strcmp(a->patterns[i], b->patterns[i]) == 0)
		i++;
	return a->patterns[i] == NULL && b->patterns[i] == NULL;
}

/* Returns NULL if memory is out. */
static const char *const *below_any_host(struct arena *memory, const char *const *patterns)
{
	static const char prefix[] = "*/";
	size_t count = 0;
	while (patterns[count] != NULL)
		count++;
	const char **below = arena_allocate(memory, (count + 1) * sizeof(*below), _Alignof(const char *));
	for (size_t i = 0; below != NULL && i < count; i++) {
		size_t size = strlen(patterns[i]);
		char *pattern = arena_allocate(memory, sizeof(prefix) + size, 1);
		if (pattern == NULL)
			return NULL;
		memcpy(pattern, prefix, sizeof(prefix) - 1);
		memcpy(pattern + sizeof(prefix) - 1, patterns[i], size + 1);
		below[i] = pattern;
	}
	if (below != NULL)
		below[count] = NULL;
	return below;
}

/* `taken` has room for all: where the tables come from. */
static bool add_tables(struct history_labels *made, const struct history_labels *host,
		       const struct histree_label_table **taken)
{
	for (size_t i = 0; i < host->count; i++) {
		size_t known = 0;
		while (known < made->count && !is_same_table(taken[known], &host->tables[i]))
			known++;
		if (known < made->count)
			continue;
		struct histree_label_table *table = &made->of_file.tables[made->count];
		*table = host->tables[i];
		table->patterns = below_any_host(&made->of_file.memory, table->patterns);
		if (table->patterns == NULL)
			return false;
		taken[made->count++] = &host->tables[i];
	}
	if (made->origin == HISTREE_LABELS_NONE || host->origin == HISTREE_LABELS_OF_FILE)
		made->origin = host->origin;
	return true;
}

static struct history_labels *make_labels(const struct history_labels *const *hosts, size_t count)
{
	size_t room = 1;
	for (size_t i = 0; i < count; i++)
		room += hosts[i]->count;
	struct history_labels *made = calloc(1, sizeof(*made));
	const struct histree_label_table **taken = calloc(room, sizeof(*taken));
	bool done = made != NULL && taken != NULL;
	if (done) {
		made->origin = HISTREE_LABELS_NONE;
		made->of_file.tables = arena_allocate(&made->of_file.memory, room * sizeof(*made->of_file.tables),
						      _Alignof(struct histree_label_table));
		made->tables = made->of_file.tables;
		done = made->tables != NULL;
	}
	for (size_t i = 0; i < count && done; i++)
		done = add_tables(made, hosts[i], taken);
	free(taken);
	if (done)
		return made;
	if (made != NULL)
		label_tables_release(&made->of_file);
	free(made);
	return NULL;
}

const struct history_labels *labels_slot_unite(struct labels_slot *slot, const struct history_labels *const *hosts,
					       size_t count)
{
	struct history_labels *labels = NULL, *made = make_labels(hosts, count);
	if (made == NULL || atomic_compare_exchange_strong(&slot->labels, &labels, made))
		return made;
	label_tables_release(&made->of_file);
	free(made);
	return labels;
}
