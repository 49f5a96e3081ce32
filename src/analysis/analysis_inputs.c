// SPDX-License-Identifier: MIT
#include "analysis/analysis_inputs.h"

#include <stdlib.h>

#include "base/table.h"
#include "base/error.h"

enum histree_status analysis_inputs_get(struct analysis_inputs *inputs, const struct analysis_input_kind *kind,
					void **input, struct histree_error *error)
{
	*input = NULL;
	if (kind == NULL)
		return HISTREE_OK;
	for (size_t i = 0; i < inputs->count; i++) {
		if (inputs->all[i].kind == kind) {
			*input = inputs->all[i].input;
			return HISTREE_OK;
		}
	}
	if (!array_reserve(&inputs->all, &inputs->capacity, inputs->count + 1))
		return error_memory(error, "the inputs of analyses");
	enum histree_status status =
		kind->create_of != NULL ? kind->create_of(kind, input, error) : kind->create(input, error);
	if (status == HISTREE_OK && kind->use_space != NULL)
		kind->use_space(*input, inputs->tables);
	if (status != HISTREE_OK)
		return status;
	inputs->all[inputs->count++] = (struct analysis_input){ .kind = kind, .input = *input };
	return kind->use_symbols != NULL && inputs->symbols != NULL
		       ? kind->use_symbols(*input, inputs->symbols, error)
		       : HISTREE_OK;
}

void analysis_inputs_learn_as(const struct analysis_inputs *inputs, const struct analysis_inputs *other)
{
	for (size_t i = 0; i < inputs->count; i++)
		for (size_t from = 0; from < other->count; from++)
			if (inputs->all[i].kind == other->all[from].kind && inputs->all[i].kind->learn_as != NULL)
				inputs->all[i].kind->learn_as(inputs->all[i].input, other->all[from].input);
}

void analysis_inputs_release(struct analysis_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		inputs->all[i].kind->free(inputs->all[i].input);
	free(inputs->all);
	*inputs = (struct analysis_inputs){ 0 };
}
