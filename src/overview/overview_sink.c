// SPDX-License-Identifier: MIT
#include "overview/overview_sink.h"

#include <assert.h>

#include "overview/overview_file.h"
#include "state/history_overviews.h"
#include "state/state_file.h"

static enum histree_status name_attributes(struct overview_sink *sink, struct overview_choice *choice,
					   struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < choice->count && status == HISTREE_OK; i++) {
		struct condensed *condensed = &choice->condensed[i];
		histree_quark width;
		if (condensed->width_log2 == OVERVIEW_NO_WIDTH)
			continue;
		status = overview_file_name(&sink->attributes, HISTREE_ROOT, condensed->width_log2, &width, error);
		if (status == HISTREE_OK)
			status = overview_file_name(&sink->attributes, width, condensed->quark, &condensed->own,
						    error);
	}
	return status;
}

enum histree_status overview_sink_begin(struct overview_sink *sink, const struct io *io, const char *path,
					const struct histree_history_info *of, struct overview_choice *choice,
					const struct overview_options *options, struct table_space *tables,
					struct histree_error *error)
{
	char provider[sizeof(of->provider)];
	overview_provider(of, provider, sizeof(provider));
	const struct histree_history_options file_options = {
		.path = path,
		.provider = provider,
		.provider_version = OVERVIEW_VERSION,
		.start = of->start,
		.tree = { .memory_max = options->memory_max,
			  .threads = options->threads > 1 ? 2 : options->threads },
	};
	const struct state_shared shared = { .crew = options->crew, .tables = tables };
	enum histree_status status = state_file_sink(io, &file_options, &shared, &sink->sink, error);
	if (status != HISTREE_OK)
		return status;
	attribute_tree_init(&sink->attributes);
	sink->is_there = true;
	return name_attributes(sink, choice, error);
}

static enum histree_status take_state(struct overview_sink *sink, struct overview_choice *choice,
				      const struct overview_window *window, const struct overview_state *state,
				      struct histree_error *error)
{
	assert(state->start <= state->end && state->attribute < choice->count);
	struct condensed *condensed = &choice->condensed[state->attribute];
	condensed->states++;
	struct histree_interval interval = {
		.quark = condensed->own,
		.start = state->start,
		.end = state->end,
		.value =
			state->value == OVERVIEW_REST ? histree_custom("", 0) : window->values.values[state->value],
	};
	return sink->sink.add(sink->sink.context, &interval, error);
}

enum histree_status overview_sink_take(struct overview_sink *sink, struct overview_choice *choice,
				       const struct overview_window *window, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; status == HISTREE_OK && i < window->cells.count; i++)
		status = take_state(sink, choice, window, &window->cells.states[window->order[i].index], error);
	return status;
}

enum histree_status overview_sink_finish(struct overview_sink *sink, const struct histree_history_info *of,
					 struct histree_error *error)
{
	enum histree_status status = overview_file_groups(&sink->sink, &sink->attributes, of, error);
	if (status == HISTREE_OK)
		status = sink->sink.finish(sink->sink.context, &sink->attributes, of->end, error);
	overview_sink_drop(sink);
	return status;
}

void overview_sink_drop(struct overview_sink *sink)
{
	if (!sink->is_there)
		return;
	attribute_tree_release(&sink->attributes);
	sink->sink.free(sink->sink.context);
	sink->is_there = false;
}
