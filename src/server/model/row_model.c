// SPDX-License-Identifier: MIT
#include "server/model/row_model.h"

#include <ctype.h>

const struct row_model *const row_models[] = {
	&row_model_threads, &row_model_resources, &row_model_calls, &row_model_attributes, NULL,
};

const struct row_model *row_model_find(const struct dataset *dataset, const char *name)
{
	for (const struct row_model *const *model = row_models; *model != NULL; model++)
		if (strcmp((*model)->name, name) == 0)
			return (*model)->applies(dataset) ? *model : NULL;
	return NULL;
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
