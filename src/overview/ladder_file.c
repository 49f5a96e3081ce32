// SPDX-License-Identifier: MIT
#include "overview/ladder_file.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "overview/overview_file.h"
#include "overview/window_walk.h"
#include "state/state_file.h"

enum histree_status ladder_file_init(struct ladder_file *file, const struct ladder_source *source,
				     const struct leveled_kind *kind, struct histree_error *error)
{
	*file = (struct ladder_file){
		.source = source,
		.kind = kind,
		.node_size = kind->node_size,
		.of = *histree_history_info(source->history),
		.name = malloc(leveled_overview_path_size(kind, source->path)),
	};
	if (file->name == NULL)
		return error_memory(error, "a path");
	leveled_overview_path(kind, source->path, file->name);
	return HISTREE_OK;
}

enum histree_status ladder_file_choose(struct ladder_file *file, histree_quark quark, struct histree_error *error)
{
	struct overview_choice *choice = &file->choice;
	if (!array_reserve(&choice->condensed, &choice->capacity, (size_t)choice->count + 1))
		return error_memory(error, "an overview");
	choice->condensed[choice->count++] = (struct condensed){
		.source = quark,
		.quark = quark,
		.read = file->source->counts->states[quark],
		.width_log2 = OVERVIEW_NO_WIDTH,
	};
	choice->states += file->source->counts->states[quark];
	return HISTREE_OK;
}

/* ---- names ----------------------------------------------------------------------------------------------- */

static enum histree_status name_level(struct ladder_file *file, struct ladder_rungs *rungs, uint32_t level,
				      struct histree_error *error)
{
	histree_quark parent;
	enum histree_status status = overview_file_name(&file->attributes, HISTREE_ROOT, level, &parent, error);
	for (uint32_t i = 0; i < file->choice.count && status == HISTREE_OK; i++)
		if (rungs[i].count >= level)
			status = overview_file_name(&file->attributes, parent, file->choice.condensed[i].quark,
						    &rungs[i].own[level - 1], error);
	return status;
}

/* By level, so that those of one level are in leaves of their own. */
static enum histree_status name_attributes(struct ladder_file *file, struct ladder_rungs *rungs,
					   struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	uint32_t levels = 0;
	for (uint32_t i = 0; i < file->choice.count; i++)
		levels = rungs[i].count > levels ? rungs[i].count : levels;
	for (uint32_t level = 1; level <= levels && status == HISTREE_OK; level++)
		status = name_level(file, rungs, level, error);
	return status;
}

/* ---- the file -------------------------------------------------------------------------------------------- */

static void drop(struct ladder_file *file)
{
	if (!file->is_begun)
		return;
	attribute_tree_release(&file->attributes);
	file->sink.free(file->sink.context);
	file->is_begun = false;
}

enum histree_status ladder_file_begin(struct ladder_file *file, struct ladder_rungs *rungs, unsigned log2,
				      struct histree_error *error)
{
	const struct overview_options *with = file->source->options;
	char provider[sizeof(file->of.provider)];
	leveled_overview_provider(file->kind, &file->of, log2, provider, sizeof(provider));
	const struct histree_history_options options = {
		.path = file->name,
		.provider = provider,
		.provider_version = file->kind->version,
		.start = file->of.start,
		.tree = { .node_size = file->node_size,
			  .memory_max = with->memory_max,
			  .threads = with->threads > 1 ? 2 : with->threads },
	};
	const struct state_shared shared = { .crew = with->crew };
	if (file->choice.count == 0)
		return HISTREE_OK;
	enum histree_status status = state_file_sink(file->source->io, &options, &shared, &file->sink, error);
	if (status != HISTREE_OK)
		return status;
	attribute_tree_init(&file->attributes);
	file->is_begun = true;
	return name_attributes(file, rungs, error);
}

/* A tree wants them by their ends. */
enum histree_status ladder_file_write(struct ladder_file *file, struct ladder_states *states,
				      struct histree_error *error)
{
	const size_t count = states->count;
	enum histree_status status = HISTREE_OK;
	if (!array_reserve(&file->order, &file->order_capacity, count) ||
	    !array_reserve(&file->spare, &file->spare_capacity, count))
		return error_memory(error, "an overview");
	for (size_t i = 0; i < count; i++)
		file->order[i] = (struct keyed_index){ (uint64_t)states->states[i].end - (uint64_t)file->of.start,
						       (uint32_t)i };
	radix_sort(file->order, file->spare, count);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		const struct histree_interval interval = ladder_states_get(states, file->order[i].index);
		status = file->sink.add(file->sink.context, &interval, error);
	}
	ladder_states_clear(states);
	return status;
}

enum histree_status ladder_file_finish(struct ladder_file *file, uint64_t *bytes, struct histree_error *error)
{
	enum histree_status status = overview_file_groups(&file->sink, &file->attributes, &file->of, error);
	if (status == HISTREE_OK)
		status = file->sink.finish(file->sink.context, &file->attributes, file->of.end, error);
	drop(file);
	return status == HISTREE_OK ? overview_file_bytes(file->source->io, file->name, bytes, error) : status;
}

enum histree_status ladder_source_walk(const struct ladder_source *source, const struct overview_choice *choice,
				       enum histree_status (*take)(void *context, struct overview_window *window,
								   struct histree_error *error),
				       void *context, struct histree_error *error)
{
	const struct overview_options *with = source->options;
	const struct window_walk walk = {
		.history = source->history,
		.path = source->path,
		.choice = choice,
		.progress = source->progress,
		.states_in_window = with->states_in_window,
		.crew = with->crew,
		.threads = with->threads,
		.take = take,
		.context = context,
	};
	return window_walk(&walk, error);
}

enum histree_status ladder_file_walk(const struct ladder_file *file,
				     enum histree_status (*take)(void *context, struct overview_window *window,
								 struct histree_error *error),
				     void *context, struct histree_error *error)
{
	return ladder_source_walk(file->source, &file->choice, take, context, error);
}

void ladder_file_remove(const struct ladder_file *file)
{
	file->source->io->unlink(file->source->io->context, file->name);
}

void ladder_file_release(struct ladder_file *file)
{
	drop(file);
	overview_choice_release(&file->choice);
	free(file->order);
	free(file->spare);
	free(file->name);
	*file = (struct ladder_file){ 0 };
}
