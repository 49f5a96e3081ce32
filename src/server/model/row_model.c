// SPDX-License-Identifier: MIT
/*
 * row_model.c - the common facts about rows of any model, and their arrows, gathered from all sources.
 */
#include "server/model/row_model.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"

void row_put_text(const struct row_model *model, const struct row_facts *facts, const struct histree_value *value,
		  histree_time at, struct byte_buffer *text)
{
	if (facts->view != NULL)
		model->text(facts->view, facts->table, value, at, text);
	else if (facts->why != NULL)
		byte_buffer_put_chars(text, facts->why);
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

enum row_match row_text_match(const char *text, size_t size, const char *wanted)
{
	size_t wanted_size = strlen(wanted);
	for (size_t at = 0; at + wanted_size <= size; at++) {
		size_t i = 0;
		while (i < wanted_size && tolower((unsigned char)text[at + i]) == tolower((unsigned char)wanted[i]))
			i++;
		if (i == wanted_size)
			return size == wanted_size ? ROW_IS_CALLED : ROW_CONTAINS;
	}
	return ROW_MATCHES_NOT;
}

/* ---- arrows ---------------------------------------------------------------------------------------------- */

enum histree_status arrow_model_within(struct histree_arrows_request *request, const struct arrow_range *range,
				       struct histree_arrows **out, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(request->history);
	request->from = range->from > info->start ? range->from : info->start;
	request->to = range->to < info->end ? range->to : info->end;
	request->pixels = range->pixels;
	request->work = range->work;
	return request->from <= request->to ? histree_arrows_create(request, out, error) : HISTREE_OK;
}

static enum histree_status list_sources(struct arrow_set *set, const struct arrow_asked *asked,
					struct histree_error *error)
{
	struct arrow_source source;
	size_t capacity = 0;
	for (size_t i = 0; asked->next != NULL && asked->next(asked->view, i, &source); i++) {
		if (source.model == NULL || (asked->wants != NULL && !asked->wants(asked->context, &source)))
			continue;
		if (!array_reserve(&set->parts, &capacity, set->count + 1))
			return error_memory(error, "arrows");
		set->parts[set->count++] = (struct arrow_part){ .source = source };
	}
	return HISTREE_OK;
}

enum histree_status arrow_set_make(struct arrow_set *set, const struct arrow_asked *asked,
				   const struct arrow_range *range, struct histree_error *error)
{
	*set = (struct arrow_set){ .are_all = true };
	enum histree_status status = list_sources(set, asked, error);
	struct arrow_range own = *range;
	if (set->count > 1)
		own.pixels = range->pixels / (uint32_t)set->count + 1;
	for (size_t i = 0; i < set->count && status == HISTREE_OK; i++) {
		struct arrow_part *part = &set->parts[i];
		status = part->source.model->make(part->source.view, &own, &part->arrows, error);
		if (status != HISTREE_OK || part->arrows == NULL)
			continue;
		part->list = histree_arrows_list(part->arrows, &part->count);
		set->are_all = set->are_all && histree_arrows_are_all(part->arrows);
	}
	return status;
}

void arrow_set_release(struct arrow_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		histree_arrows_free(set->parts[i].arrows);
	free(set->parts);
	*set = (struct arrow_set){ 0 };
}
