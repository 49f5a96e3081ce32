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
	return HISTREE_OK;
}

void definitions_release(struct definitions *definitions)
{
	for (size_t i = 0; i < definitions->count; i++)
		program_analysis_free(definitions->analyses[i]);
	free(definitions->analyses);
	*definitions = (struct definitions){ 0 };
}
