// SPDX-License-Identifier: MIT
/*
 * history_labels.c - the labels of a history, or those that are known of the analysis that made it.
 */
#include <stdlib.h>

#include "analysis/registry.h"
#include "state/history.h"
#include "state/labels.h"

static const struct histree_label_table *known_of(const char *provider, size_t *count)
{
	const struct registry_entry *entry = registry_find(provider);
	bool is_known = entry != NULL && entry->analysis != NULL;
	*count = is_known ? entry->analysis->label_table_count : 0;
	return is_known ? entry->analysis->labels : NULL;
}

static const struct history_labels *labels_of_one(const struct histree_history *history)
{
	return labels_slot_get(history_labels_slot(history), history_file(history),
			       histree_history_info(history)->provider, known_of);
}

static const struct history_labels *labels_of_hosts(const struct histree_history *history,
						    const struct histree_history_host *hosts, size_t count)
{
	struct labels_slot *slot = history_labels_slot(history);
	const struct history_labels *labels = atomic_load_explicit(&slot->labels, memory_order_acquire);
	if (labels != NULL)
		return labels;
	const struct history_labels **of_hosts = calloc(count, sizeof(*of_hosts));
	size_t found = 0;
	for (size_t i = 0; of_hosts != NULL && i < count; i++) {
		if (hosts[i].history != NULL)
			of_hosts[found] = labels_of_one(hosts[i].history);
		found += of_hosts[found] != NULL;
	}
	labels = of_hosts != NULL ? labels_slot_unite(slot, of_hosts, found) : NULL;
	free(of_hosts);
	return labels;
}

static const struct history_labels *labels_in(const struct histree_history *history)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	return hosts != NULL ? labels_of_hosts(history, hosts, count) : labels_of_one(history);
}

const struct histree_label_table *histree_labels(const struct histree_history *history, size_t *count)
{
	const struct history_labels *labels = labels_in(history);
	*count = labels != NULL ? labels->count : 0;
	return labels != NULL ? labels->tables : NULL;
}

enum histree_labels_origin histree_labels_origin(const struct histree_history *history)
{
	const struct history_labels *labels = labels_in(history);
	return labels != NULL ? labels->origin : HISTREE_LABELS_NONE;
}

static inline const struct histree_label_table *table_of(const struct histree_history *history, histree_quark quark)
{
	const struct histree_label_table *table;
	history = history_of_host(history, &quark);
	if (history == NULL) /* the folder of a host */
		return NULL;
	struct labels_slot *slot = history_labels_slot(history);
	if (labels_slot_known(slot, quark, &table))
		return table;
	const struct history_labels *labels = labels_of_one(history);
	return labels != NULL ? labels_slot_look(slot, histree_history_attributes(history), labels, quark) : NULL;
}

const struct histree_label_table *histree_labels_of(const struct histree_history *history, histree_quark quark)
{
	return table_of(history, quark);
}

static const struct histree_label_table *find_meaning(const struct histree_label_table *tables, size_t count,
						      enum histree_meaning meaning)
{
	for (size_t i = 0; i < count; i++)
		if (tables[i].meaning == meaning)
			return &tables[i];
	return NULL;
}

const struct histree_label_table *histree_labels_for(const struct histree_history *history,
						     enum histree_meaning meaning)
{
	size_t count = 0;
	const struct histree_label_table *tables = history != NULL ? histree_labels(history, &count) : NULL;
	const struct histree_label_table *found = find_meaning(tables, count, meaning);
	if (found == NULL && meaning != HISTREE_MEANS_ANYTHING)
		found = find_meaning(analysis_kernel.labels, analysis_kernel.label_table_count, meaning);
	return found;
}

enum histree_meaning histree_meaning_of(const struct histree_history *history, histree_quark quark)
{
	const struct histree_label_table *table = table_of(history, quark);
	return table != NULL ? table->meaning : HISTREE_MEANS_ANYTHING;
}

const char *histree_label_of(const struct histree_history *history, histree_quark quark,
			     const struct histree_value *value)
{
	return histree_label_words(table_of(history, quark), value);
}
