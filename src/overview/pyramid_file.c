// SPDX-License-Identifier: MIT
/*
 * pyramid_file.c - the file of a pyramid of cells while it is made: its attributes, its states, its levels.
 */
#include "overview/pyramid_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/io.h"
#include "histree/history.h"
#include "histree/value.h"
#include "overview/overview_choice.h"
#include "overview/overview_window.h"
#include "state/attribute_tree.h"
#include "state/interval_sink.h"
#include "state/pyramid.h"
#include "state/state_file.h"

/* ---- ladder states ------------------------------------------------------------------------------------------- */

enum histree_status ladder_states_add(struct ladder_states *states, const struct histree_interval *state,
				      struct histree_error *error)
{
	const struct histree_value *value = &state->value;
	const size_t size = value->type == HISTREE_CUSTOM ? value->size : 0;
	if (!array_reserve(&states->states, &states->capacity, states->count + 1) ||
	    !array_reserve(&states->bytes, &states->bytes_capacity, states->size + size + 1))
		return error_memory(error, "an overview");
	states->states[states->count++] = (struct ladder_state){
		.start = state->start,
		.end = state->end,
		.own = state->quark,
		.type = value->type,
		.value = value->type == HISTREE_INT ? value->int32 : 0,
		.size = (uint32_t)size,
		.at = states->size,
	};
	if (size > 0)
		memcpy(states->bytes + states->size, value->bytes, size);
	states->size += size;
	return HISTREE_OK;
}

struct histree_interval ladder_states_get(const struct ladder_states *states, size_t index)
{
	const struct ladder_state *state = &states->states[index];
	struct histree_interval interval = {
		.quark = state->own, .start = state->start, .end = state->end, .value = histree_null()
	};
	if (state->type == HISTREE_CUSTOM)
		interval.value = histree_custom(states->bytes + state->at, state->size);
	else if (state->type == HISTREE_INT)
		interval.value = histree_int(state->value);
	return interval;
}

void ladder_states_clear(struct ladder_states *states)
{
	states->count = states->size = 0;
}

void ladder_states_release(struct ladder_states *states)
{
	free(states->states);
	free(states->bytes);
	*states = (struct ladder_states){ 0 };
}

/* ---- overview file ------------------------------------------------------------------------------------------- */

enum histree_status overview_file_name(struct attribute_tree *attributes, histree_quark parent, uint32_t number,
				       histree_quark *out, struct histree_error *error)
{
	char name[16];
	int size = snprintf(name, sizeof(name), "%" PRIu32, number);
	return attribute_tree_add(attributes, parent, name, (size_t)size, out, error);
}

enum histree_status overview_file_groups(const struct interval_sink *sink, const struct attribute_tree *attributes,
					 const struct histree_history_info *of, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = attributes->root.first_child; quark != HISTREE_ROOT && status == HISTREE_OK;
	     quark = attributes->attributes[quark].next_sibling) {
		const struct histree_interval null = { .quark = quark, .start = of->start, .end = of->end };
		status = sink->add(sink->context, &null, error);
	}
	return status;
}

enum histree_status overview_file_bytes(const struct io *io, const char *path, uint64_t *bytes,
					struct histree_error *error)
{
	off_t size = 0;
	int file = io->open(io->context, path, O_RDONLY, 0);
	if (file < 0 || io->size(io->context, file, &size) != 0) {
		enum histree_status status =
			error_set(error, HISTREE_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
		if (file >= 0)
			io->close(io->context, file);
		return status;
	}
	io->close(io->context, file);
	*bytes = (uint64_t)size;
	return HISTREE_OK;
}

/* ---- ladder file --------------------------------------------------------------------------------------------- */

enum histree_status ladder_file_init(struct ladder_file *file, const struct ladder_source *source,
				     enum pyramid_id id, struct histree_error *error)
{
	*file = (struct ladder_file){
		.source = source,
		.id = id,
		.node_size = pyramid_kinds[id].node_size,
		.of = *histree_history_info(source->history),
		.name = malloc(pyramid_path_size(source->path)),
	};
	if (file->name == NULL)
		return error_memory(error, "a path");
	pyramid_path(id, source->path, 1, file->name);
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
	pyramid_provider(file->id, &file->of, log2, provider, sizeof(provider));
	const struct histree_history_options options = {
		.path = file->name,
		.provider = provider,
		.provider_version = pyramid_kinds[file->id].version,
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
