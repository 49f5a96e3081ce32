// SPDX-License-Identifier: MIT
#include "server/model/row_model.h"

#include <ctype.h>

const struct row_model *const row_models[] = {
	&row_model_threads, &row_model_resources, &row_model_calls, &row_model_charts, &row_model_attributes, NULL,
};

static const struct row_model *const row_models_of_hosts[] = {
	&row_model_host_threads, &row_model_host_resources,  &row_model_host_calls,
	&row_model_host_charts,  &row_model_host_attributes,
};

const struct row_model *row_model_find(const struct dataset *dataset, const char *name)
{
	for (size_t i = 0; row_models[i] != NULL; i++) {
		const struct row_model *model = dataset->host_count > 0 ? row_models_of_hosts[i] : row_models[i];
		if (strcmp(model->name, name) == 0)
			return model->applies(dataset) ? model : NULL;
	}
	return NULL;
}

void row_put_text(const struct row_model *model, const void *view, const struct row_facts *facts,
		  const struct histree_value *value, histree_time at, struct piece *text)
{
	if (!row_is_of_host(facts))
		model->text(facts->host_view != NULL ? facts->host_view : view, facts->table, value, at, text);
	else if (facts->why != NULL)
		piece_put_text(text, facts->why);
}

struct state_owner row_owner(const struct row_model *model, const void *view, uint32_t row,
			     const struct row_facts *facts)
{
	bool is_shared = facts->host != NULL;
	return (struct state_owner){
		.view = is_shared ? facts->host_view : view,
		.kind = &model->kind,
		.history = facts->history,
		.row = is_shared ? facts->host_row : row,
		.label = facts->label,
		.table = facts->table,
		.host = facts->host,
		.first = facts->host_first,
	};
}

enum row_sort row_sort_find(const char *name)
{
	static const char *const names[ROW_SORT_COUNT] = { "tree", "tid", "name", "first", "cpu" };
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
