// SPDX-License-Identifier: MIT
/*
 * The stacks of `samples`, as a tree: a segment is a frame below its caller, from the first sample to the last that
 * has it.
 *
 * `stack` is its number, `parent` that of its caller; null: it is the outermost.  Its line is where in the function
 * the sample is, or the call of the frame below.  `samples` counts those that end in it.
 */
#include <stdlib.h>

#include "analysis/samples/sample_input.h"
#include "analysis/segment_analysis.h"
#include "base/error.h"

enum { STACK_NAME, STACK_LINE, STACK_BINARY, STACK_NUMBER, STACK_PARENT, STACK_SAMPLES, STACK_FIELD_COUNT };

static const struct histree_segment_field fields[STACK_FIELD_COUNT] = {
	{ "name", HISTREE_STRING }, { "line", HISTREE_STRING }, { "binary", HISTREE_STRING },
	{ "stack", HISTREE_INT },   { "parent", HISTREE_INT },  { "samples", HISTREE_LONG },
};

struct sample_stacks {
	struct histree_segment_store *store; /* borrowed */
	struct sample_input *input;          /* borrowed */
};

static enum histree_status create(struct histree_segment_store *store, void *input, void **instance,
				  struct histree_error *error)
{
	struct sample_stacks *stacks = calloc(1, sizeof(*stacks));
	*instance = stacks;
	if (stacks == NULL)
		return error_memory(error, "the analysis of the stacks of samples");
	stacks->store = store;
	stacks->input = input;
	return HISTREE_OK;
}

/* All of them come at the end, when it is known until when they were seen. */
static enum histree_status on_event(void *instance, const struct event *event, struct histree_error *error)
{
	(void)instance, (void)event, (void)error;
	return HISTREE_OK;
}

static enum histree_status finish(void *instance, histree_time *end, struct histree_error *error)
{
	struct sample_stacks *stacks = instance;
	struct stack_tree *tree = &stacks->input->tree;
	enum histree_status status = HISTREE_OK;
	*end = INT64_MIN;
	stack_tree_finish(tree);
	for (uint32_t i = 0; i < tree->count && status == HISTREE_OK; i++) {
		const struct stack_node *node = &tree->nodes[i];
		const struct frame_text text = frame_names_text(&stacks->input->names, node->frame);
		const struct histree_value values[STACK_FIELD_COUNT] = {
			[STACK_NAME] = histree_string(text.name),
			[STACK_LINE] = *text.line != '\0' ? histree_string(text.line) : histree_null(),
			[STACK_BINARY] = histree_string(text.binary),
			[STACK_NUMBER] = histree_int((int32_t)i),
			[STACK_PARENT] =
				node->parent != STACK_NONE ? histree_int((int32_t)node->parent) : histree_null(),
			[STACK_SAMPLES] = histree_long((int64_t)node->samples),
		};
		const struct histree_segment segment = { node->first, node->last, values };
		status = histree_segment_store_add(stacks->store, &segment, error);
	}
	return status;
}

static struct segment_counts counts(const void *instance)
{
	(void)instance;
	return (struct segment_counts){ .without_start = 0 };
}

const struct segment_analysis segment_analysis_sample_stacks = {
	.name = "sample-stacks",
	.version = 1,
	.summary = "the stacks of samples, a frame below its caller, from the first sample that has it to the last",
	.fields = fields,
	.field_count = STACK_FIELD_COUNT,
	.input = &sample_input_kind,
	.applies = sample_input_applies,
	.create = create,
	.event = on_event,
	.finish = finish,
	.counts = counts,
	.free = free,
};
