// SPDX-License-Identifier: MIT
#include "analysis/program/definitions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

static const char *name_of(const struct program_analysis *analysis)
{
	size_t count;
	return registry_name(program_analysis_entries(analysis, &count));
}

enum histree_status definitions_add(struct definitions *definitions, struct program_analysis *analysis,
				    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < definitions->count && status == HISTREE_OK; i++)
		if (strcmp(name_of(definitions->analyses[i]), name_of(analysis)) == 0)
			status = error_set(error, HISTREE_ERR_ARGUMENT, "analysis '%s' is defined twice",
					   name_of(analysis));
	if (status == HISTREE_OK &&
	    !array_reserve(&definitions->analyses, &definitions->capacity, definitions->count + 1))
		status = error_memory(error, "an analysis");
	if (status != HISTREE_OK) {
		program_analysis_free(analysis);
		return status;
	}
	definitions->analyses[definitions->count++] = analysis;
	for (size_t i = 0; i < definitions->foreign_count; i++) {
		const struct foreign_views *foreign = &definitions->foreign[i];
		const struct program_views *views = &foreign->views;
		if (strcmp(foreign->analysis, name_of(analysis)) == 0 &&
		    !program_analysis_add_views(analysis, views->labels, views->label_table_count, views->charts,
						views->chart_count))
			return error_memory(error, "an analysis");
	}
	return HISTREE_OK;
}

static struct foreign_views *foreign_of(struct definitions *definitions, const char *analysis)
{
	for (size_t i = 0; i < definitions->foreign_count; i++)
		if (strcmp(definitions->foreign[i].analysis, analysis) == 0)
			return &definitions->foreign[i];
	char *name = strdup(analysis);
	if (name == NULL ||
	    !array_reserve(&definitions->foreign, &definitions->foreign_capacity, definitions->foreign_count + 1)) {
		free(name);
		return NULL;
	}
	definitions->foreign[definitions->foreign_count] = (struct foreign_views){ .analysis = name };
	return &definitions->foreign[definitions->foreign_count++];
}

enum histree_status definitions_add_views(struct definitions *definitions, const char *analysis,
					  const struct histree_label_table *labels, size_t label_table_count,
					  const struct histree_chart *charts, size_t chart_count,
					  struct histree_error *error)
{
	for (size_t i = 0; i < definitions->count; i++)
		if (strcmp(name_of(definitions->analyses[i]), analysis) == 0)
			return program_analysis_add_views(definitions->analyses[i], labels, label_table_count,
							  charts, chart_count)
				       ? HISTREE_OK
				       : error_memory(error, "an analysis");
	struct foreign_views *foreign = foreign_of(definitions, analysis);
	return foreign != NULL && program_views_add(&foreign->views, labels, label_table_count, charts, chart_count)
		       ? HISTREE_OK
		       : error_memory(error, "an analysis");
}

void definitions_release(struct definitions *definitions)
{
	for (size_t i = 0; i < definitions->count; i++)
		program_analysis_free(definitions->analyses[i]);
	free(definitions->analyses);
	for (size_t i = 0; i < definitions->foreign_count; i++) {
		free(definitions->foreign[i].analysis);
		program_views_release(&definitions->foreign[i].views);
	}
	free(definitions->foreign);
	*definitions = (struct definitions){ 0 };
}
