// SPDX-License-Identifier: MIT
#include "server/model/row_model.h"

#include <ctype.h>
#include <string.h>

const struct row_model *const row_models[] = {
	&row_model_threads, &row_model_resources, &row_model_calls, &row_model_charts, &row_model_attributes, NULL,
};

const struct row_model *row_model_find(const struct dataset *dataset, const char *name)
{
	for (size_t i = 0; row_models[i] != NULL; i++)
		if (strcmp(row_models[i]->name, name) == 0)
			return row_models[i]->own.applies(dataset) ? row_models[i] : NULL;
	return NULL;
}

void row_put_text(const struct row_model *model, const struct row_facts *facts, const struct histree_value *value,
		  histree_time at, struct piece *text)
{
	if (facts->view != NULL)
		model->text(facts->view, facts->table, value, at, text);
	else if (facts->why != NULL)
		piece_put_text(text, facts->why);
}

histree_time row_trace_end(const struct row_facts *facts)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(facts->history, &count);
	for (size_t i = 0; i < count; i++)
		if (hosts[i].history != NULL && hosts[i].folder + 1 == facts->first)
			return histree_history_info(hosts[i].history)->end;
	return histree_history_info(facts->history)->end;
}

bool row_is_of_calls(const struct row_facts *facts)
{
	static const char stack[] = "CallStack";
	char name[sizeof(stack) + 1];
	if (facts->table != NULL && facts->table->meaning != HISTREE_MEANS_ANYTHING)
		return false; /* of threads and CPUs this is asked for each row of each picture */
	const struct histree_attributes *attributes = histree_history_attributes(facts->history);
	const histree_quark above =
		facts->quark != HISTREE_ROOT ? histree_attributes_parent(attributes, facts->quark) : HISTREE_ROOT;
	return above != HISTREE_ROOT &&
	       histree_attributes_name(attributes, above, name, sizeof(name)) == sizeof(stack) - 1 &&
	       strcmp(name, stack) == 0;
}

bool row_is_open(const struct row_facts *facts, const struct histree_interval *state)
{
	const histree_time end = row_trace_end(facts);
	return row_is_of_calls(facts) && state->value.type != HISTREE_NULL &&
	       state->value.type != HISTREE_UNKNOWN && state->start <= end && state->end >= end;
}

enum row_sort row_sort_find(const char *name)
{
	static const char *const names[ROW_SORT_COUNT] = { "tree", "tid", "name", "first", "cpu", "active" };
	unsigned sort = 0;
	while (sort < ROW_SORT_COUNT && strcmp(name, names[sort]) != 0)
		sort++;
	return (enum row_sort)sort;
}

bool row_text_contains(const char *text, size_t size, const char *part)
{
	size_t part_size = strlen(part);
	for (size_t at = 0; at + part_size <= size; at++) {
		size_t i = 0;
		while (i < part_size && tolower((unsigned char)text[at + i]) == tolower((unsigned char)part[i]))
			i++;
		if (i == part_size)
			return true;
	}
	return false;
}
