// SPDX-License-Identifier: MIT
/*
 * pyramid_maker.c - a pyramid while it is made: owners, their unfinished cells, their finished cells, and the file
 * into which those go.
 *
 * A file is written in the order in which its states end.  Cells that are finished at a time end after all earlier
 * ones, so they are sorted, written and freed.
 */
#include "overview/pyramid_maker.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/io.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/history.h"
#include "histree/value.h"
#include "overview/overview_choice.h"
#include "state/attributes.h"
#include "state/ongoing_states.h"
#include "state/pyramid.h"
#include "state/state_file.h"

enum { FED_FIRST_LOG2 = 5 }; /* cells when the first owner is fed, at most */

#define NO_OWNER UINT32_MAX

/* ---- files ------------------------------------------------------------------------------------------------- */

enum histree_status pyramid_file_begin(struct pyramid_file *file, enum pyramid_id id, const struct io *io,
				       const char *path, const struct histree_history_info *of, unsigned log2,
				       uint32_t node_size, const struct overview_options *options,
				       struct table_space *tables, struct histree_error *error)
{
	char provider[sizeof(of->provider)];
	pyramid_provider(id, of, log2, provider, sizeof(provider));
	const struct histree_history_options file_options = {
		.path = path,
		.provider = provider,
		.provider_version = pyramid_kinds[id].version,
		.start = of->start,
		.tree = { .node_size = node_size,
			  .memory_max = options->memory_max,
			  .threads = options->threads > 1 ? 2 : options->threads },
	};
	const struct state_shared shared = { .crew = options->crew, .tables = tables };
	enum histree_status status = state_file_sink(io, &file_options, &shared, &file->sink, error);
	if (status != HISTREE_OK)
		return status;
	attribute_tree_init(&file->attributes);
	attribute_tree_use_space(&file->attributes, file->sink.tables);
	file->is_begun = true;
	return HISTREE_OK;
}

static enum histree_status add_number(struct attribute_tree *attributes, histree_quark parent, uint32_t number,
				      histree_quark *out, struct histree_error *error)
{
	char name[16];
	int size = snprintf(name, sizeof(name), "%" PRIu32, number);
	return attribute_tree_add(attributes, parent, name, (size_t)size, out, error);
}

enum histree_status pyramid_file_name(struct pyramid_file *file, uint32_t group, uint32_t number,
				      histree_quark *out, struct histree_error *error)
{
	histree_quark parent;
	enum histree_status status = add_number(&file->attributes, HISTREE_ROOT, group, &parent, error);
	return status == HISTREE_OK ? add_number(&file->attributes, parent, number, out, error) : status;
}

enum histree_status pyramid_file_add(struct pyramid_file *file, const struct histree_interval *state,
				     struct histree_error *error)
{
	return file->sink.add(file->sink.context, state, error);
}

/* Attributes of the root only group others: they are null, as each has states up to the end of the history. */
static enum histree_status add_groups(struct pyramid_file *file, const struct histree_history_info *of,
				      struct histree_error *error)
{
	const struct attribute_tree *attributes = &file->attributes;
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = attributes->root.first_child; quark != HISTREE_ROOT && status == HISTREE_OK;
	     quark = attributes->attributes[quark].next_sibling) {
		const struct histree_interval null = { .quark = quark, .start = of->start, .end = of->end };
		status = pyramid_file_add(file, &null, error);
	}
	return status;
}

static enum histree_status read_bytes_of(const struct io *io, const char *path, uint64_t *bytes,
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

enum histree_status pyramid_file_finish(struct pyramid_file *file, const struct io *io, const char *path,
					const struct histree_history_info *of, uint64_t *bytes,
					struct histree_error *error)
{
	enum histree_status status = add_groups(file, of, error);
	if (status == HISTREE_OK)
		status = file->sink.finish(file->sink.context, &file->attributes, of->end, error);
	pyramid_file_drop(file);
	return status == HISTREE_OK ? read_bytes_of(io, path, bytes, error) : status;
}

void pyramid_file_drop(struct pyramid_file *file)
{
	if (!file->is_begun)
		return;
	attribute_tree_release(&file->attributes);
	file->sink.free(file->sink.context);
	file->is_begun = false;
}

/* ---- what is ready ----------------------------------------------------------------------------------------- */

enum histree_status pyramid_maker_ready(struct pyramid_maker *maker, uint32_t owner, uint32_t level,
					histree_time start, histree_time end, const struct histree_value *value,
					struct histree_error *error)
{
	struct ready_states *ready = &maker->ready;
	const size_t size = value->type == HISTREE_CUSTOM ? value->size : 0;
	assert(level < maker->owners[owner].level_count && start <= end);
	if (!array_reserve(&ready->states, &ready->capacity, ready->count + 1) ||
	    !array_reserve(&ready->bytes, &ready->bytes_capacity, ready->size + size + 1))
		return error_memory(error, "an overview");
	ready->states[ready->count++] = (struct ready_state){
		.start = start,
		.end = end,
		.own = maker->owners[owner].own[level],
		.type = value->type,
		.value = value->type == HISTREE_INT ? value->int32 : 0,
		.size = (uint32_t)size,
		.at = ready->size,
	};
	if (size > 0)
		memcpy(ready->bytes + ready->size, value->bytes, size);
	ready->size += size;
	return HISTREE_OK;
}

struct histree_interval ready_states_get(const struct ready_states *ready, size_t index)
{
	const struct ready_state *state = &ready->states[index];
	struct histree_interval interval = {
		.quark = state->own, .start = state->start, .end = state->end, .value = histree_null()
	};
	if (state->type == HISTREE_CUSTOM)
		interval.value = histree_custom(ready->bytes + state->at, state->size);
	else if (state->type == HISTREE_INT)
		interval.value = histree_int(state->value);
	return interval;
}

enum histree_status pyramid_maker_close(struct pyramid_maker *maker, uint32_t owner, uint32_t level,
					histree_time start, histree_time end, struct histree_error *error)
{
	const struct cell_kind *kind = maker->kind;
	void *cell = pyramid_maker_cell(maker, owner, level);
	struct histree_value value;
	enum histree_status status = kind->put(maker, cell, &value, error);
	if (status == HISTREE_OK)
		status = pyramid_maker_ready(maker, owner, level, start, end, &value, error);
	if (status == HISTREE_OK && level + 1 < maker->owners[owner].level_count)
		status = kind->merge(pyramid_maker_cell(maker, owner, level + 1), cell, error);
	if (kind->clear != NULL)
		kind->clear(cell);
	else
		memset(cell, 0, kind->size);
	return status;
}

/* A tree wants them by their ends. */
static enum histree_status write_ready(void *context, const struct ready_states *ready, struct histree_error *error)
{
	struct pyramid_maker *maker = context;
	enum histree_status status = HISTREE_OK;
	if (!array_reserve(&maker->order, &maker->order_capacity, ready->count) ||
	    !array_reserve(&maker->spare, &maker->spare_capacity, ready->count))
		return error_memory(error, "an overview");
	for (size_t i = 0; i < ready->count; i++)
		maker->order[i] = (struct keyed_index){ (uint64_t)ready->states[i].end - (uint64_t)maker->of.start,
							(uint32_t)i };
	radix_sort(maker->order, maker->spare, ready->count);
	for (size_t i = 0; i < ready->count && status == HISTREE_OK; i++) {
		const struct histree_interval state = ready_states_get(ready, maker->order[i].index);
		status = pyramid_file_add(&maker->file, &state, error);
	}
	return status;
}

enum histree_status pyramid_maker_give(struct pyramid_maker *maker, struct histree_error *error)
{
	enum histree_status status =
		maker->ready.count > 0 ? maker->give(maker->give_context, &maker->ready, error) : HISTREE_OK;
	maker->ready.count = maker->ready.size = 0;
	return status;
}

/* ---- what is chosen ---------------------------------------------------------------------------------------- */

void pyramid_maker_clear_choice(struct pyramid_maker *maker)
{
	maker->choice.count = 0;
	maker->choice.states = 0;
}

void pyramid_maker_clear_owners(struct pyramid_maker *maker)
{
	maker->owner_count = maker->cell_count = 0;
	maker->ready.count = maker->ready.size = 0;
}

enum histree_status pyramid_maker_choose(struct pyramid_maker *maker, histree_quark quark,
					 struct histree_error *error)
{
	struct overview_choice *choice = &maker->choice;
	const uint64_t states = maker->source->counts->states[quark];
	if (!array_reserve(&choice->condensed, &choice->capacity, (size_t)choice->count + 1))
		return error_memory(error, "an overview");
	choice->condensed[choice->count++] = (struct condensed){ .quark = quark, .read = states };
	choice->states += states;
	return HISTREE_OK;
}

enum histree_status pyramid_maker_own(struct pyramid_maker *maker, histree_quark quark, uint32_t levels,
				      struct histree_error *error)
{
	const size_t size = maker->kind->size, before = maker->cell_count;
	if (!array_reserve(&maker->owners, &maker->owners_capacity, maker->owner_count + 1) ||
	    !array_reserve(&maker->cells, &maker->cells_capacity, (before + levels) * size))
		return error_memory(error, "an overview");
	assert(levels > 0 && levels <= PYRAMID_STEPS_MAX);
	maker->owners[maker->owner_count++] =
		(struct pyramid_owner){ .quark = quark, .first = (uint32_t)before, .level_count = levels };
	memset(maker->cells + before * size, 0, levels * size);
	maker->cell_count += levels;
	return HISTREE_OK;
}

/* ---- the file ---------------------------------------------------------------------------------------------- */

enum histree_status pyramid_maker_begin_file(struct pyramid_maker *maker, struct histree_error *error)
{
	if (maker->owner_count == 0 || maker->again != NULL)
		return HISTREE_OK;
	enum histree_status status =
		pyramid_file_begin(&maker->file, maker->kind->id, maker->source->io, maker->name, &maker->of,
				   maker->log2, maker->node_size, maker->source->options, NULL, error);
	if (status != HISTREE_OK)
		return status;

	/* Names attributes by level, so that those of one level are in leaves of their own. */
	uint32_t levels = 0;
	for (size_t i = 0; i < maker->owner_count; i++)
		levels = maker->owners[i].level_count > levels ? maker->owners[i].level_count : levels;
	for (uint32_t level = 0; level < levels; level++)
		for (size_t i = 0; i < maker->owner_count && status == HISTREE_OK; i++) {
			struct pyramid_owner *owner = &maker->owners[i];
			if (owner->level_count > level)
				status = pyramid_file_name(&maker->file, level + 1, owner->quark,
							   &owner->own[level], error);
		}
	return status;
}

/* Owners that are chosen are in the order of their quarks. */
static uint32_t find_owner(const struct pyramid_maker *maker, histree_quark quark)
{
	const size_t at = SEARCH(i, 0, maker->owner_count, maker->owners[i].quark < quark);
	return at < maker->owner_count && maker->owners[at].quark == quark ? (uint32_t)at : NO_OWNER;
}

/* ---- what is kept ------------------------------------------------------------------------------------------ */

/* The cells become as many of level 1 as there are owners, all of them empty; what was filled is *open. */
static bool empty_cells(struct pyramid_maker *maker, uint8_t **open)
{
	const size_t bytes = maker->cell_count * maker->kind->size;
	uint8_t *cells = calloc(1, bytes + 1);
	if (cells == NULL)
		return false;
	*open = maker->cells;
	maker->cells = cells;
	maker->cells_capacity = bytes + 1;
	return true;
}

/* Add what was kept; `places` says which owner each is now, NO_OWNER: none. */
static enum histree_status take_kept(struct pyramid_maker *maker, const struct ready_states *kept,
				     const uint32_t *places, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < kept->count && status == HISTREE_OK; i++) {
		const struct histree_interval cell = ready_states_get(kept, i);
		if (places[cell.quark] != NO_OWNER)
			status = maker->kind->take_kept(maker, places[cell.quark], &cell, error);
	}
	return status;
}

static void release_ready(struct ready_states *ready)
{
	free(ready->states);
	free(ready->bytes);
	*ready = (struct ready_states){ 0 };
}

enum histree_status pyramid_maker_feed_owner(struct pyramid_maker *maker, histree_quark quark, histree_time now,
					     struct histree_error *error)
{
	const bool has_grid = pyramid_kinds[maker->kind->id].cells_enough > 0;
	struct kept_cells *kept = &maker->kept;
	if (has_grid && maker->owner_count == 0) {
		const unsigned bits = bits_needed((uint64_t)now - (uint64_t)maker->of.start);
		maker->log2 = bits > FED_FIRST_LOG2 ? bits - FED_FIRST_LOG2 : 1;
		maker->grid = (struct pyramid_grid){ .origin = maker->of.start,
						     .width_log2 = maker->log2,
						     .level_count = 1 };
	}
	if (!array_reserve(&kept->of, &kept->of_capacity, kept->of_count + 1))
		return error_memory(error, "an overview");
	enum histree_status status = pyramid_maker_own(maker, quark, 1, error);
	if (status != HISTREE_OK)
		return status;
	maker->owners[maker->owner_count - 1].own[0] = (histree_quark)kept->of_count;
	kept->of[kept->of_count++] = quark;
	return HISTREE_OK;
}

/* Two cells become one; those of owners that are of no use are gone. */
static enum histree_status widen_kept(struct pyramid_maker *maker, struct histree_error *error)
{
	const struct cell_kind *kind = maker->kind;
	uint32_t *places = malloc((maker->owner_count + 1) * sizeof(*places));
	uint8_t *open = NULL;
	enum histree_status status = kind->flush != NULL ? kind->flush(maker, error) : HISTREE_OK;
	if (status == HISTREE_OK && (places == NULL || !empty_cells(maker, &open)))
		status = error_memory(error, "an overview");
	if (status == HISTREE_OK) {
		struct ready_states kept = maker->ready;
		maker->ready = (struct ready_states){ 0 };
		maker->kept.log2 = maker->log2++;
		maker->grid.width_log2 = maker->log2;
		for (size_t i = 0; i < maker->owner_count; i++)
			places[i] = maker->kept.of[i] != HISTREE_ROOT ? (uint32_t)i : NO_OWNER;
		status = take_kept(maker, &kept, places, error);
		for (uint32_t i = 0; i < maker->owner_count; i++)
			kind->go_on(maker, i, open + i * kind->size);
		release_ready(&kept);
	}
	free(open);
	free(places);
	return status;
}

enum histree_status pyramid_maker_keep_few(struct pyramid_maker *maker, size_t cells_max,
					   struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (maker->again != NULL)
		return pyramid_maker_give(maker, error);
	while (maker->ready.count > cells_max && status == HISTREE_OK) {
		if (maker->log2 >= pyramid_kinds[maker->kind->id].log2_max)
			return error_set(error, HISTREE_ERR_ARGUMENT, "an overview has too many cells");
		status = widen_kept(maker, error);
	}
	return status;
}

enum histree_status pyramid_maker_feed_end(struct pyramid_maker *maker, histree_time end,
					   struct histree_error *error)
{
	if (maker->again != NULL)
		return HISTREE_OK;
	maker->of.end = end;
	enum histree_status status = maker->kind->feed_end(maker, NULL, error);
	maker->kept.ready = maker->ready;
	maker->kept.log2 = maker->log2;
	maker->ready = (struct ready_states){ 0 };
	pyramid_maker_clear_owners(maker);
	return status;
}

bool pyramid_maker_has(const struct pyramid_maker *maker, histree_quark quark)
{
	for (size_t i = 0; i < maker->kept.of_count; i++)
		if (maker->kept.of[i] == quark)
			return true;
	return false;
}

static enum histree_status replay_kept(struct pyramid_maker *maker, struct histree_error *error)
{
	const struct kept_cells *kept = &maker->kept;
	uint32_t *places = malloc((kept->of_count + 1) * sizeof(*places));
	if (places == NULL)
		return error_memory(error, "an overview");
	for (size_t i = 0; i < kept->of_count; i++)
		places[i] = find_owner(maker, kept->of[i]);
	enum histree_status status = take_kept(maker, &kept->ready, places, error);
	free(places);
	return status;
}

/* All is there: choose of what was kept, and add that. */
static enum histree_status choose_of_kept(struct pyramid_maker *maker, uint64_t bytes, struct histree_error *error)
{
	enum histree_status status = maker->kind->choose(maker, bytes, error);
	if (status == HISTREE_OK && maker->is_wanted)
		status = pyramid_maker_begin_file(maker, error);
	return status == HISTREE_OK && maker->is_wanted ? replay_kept(maker, error) : status;
}

/* ---- fed ---------------------------------------------------------------------------------------------------- */

enum histree_status pyramid_maker_feed(struct pyramid_maker *maker, const struct cell_kind *kind,
				       const char *provider, histree_time start, size_t memory_max,
				       struct table_space *tables, struct histree_error *error)
{
	*maker = (struct pyramid_maker){
		.kind = kind,
		.of = { .start = start, .end = start },
		.memory_max = memory_max,
		.tables = tables,
		.node_size = pyramid_kinds[kind->id].node_size,
	};
	snprintf(maker->of.provider, sizeof(maker->of.provider), "%s", provider);
	return kind->feed_begin(maker, error);
}

enum histree_status pyramid_maker_adopt(struct pyramid_maker *maker, struct pyramid_maker *fed,
					const struct pyramid_source *source, uint64_t bytes_max,
					struct histree_error *error)
{
	*maker = *fed;
	*fed = (struct pyramid_maker){ .kind = NULL };
	maker->source = source;
	maker->of = *histree_history_info(source->history);
	maker->bytes_max = bytes_max;
	maker->give = write_ready;
	maker->give_context = maker;
	maker->name = malloc(pyramid_path_size(source->path));
	if (maker->name == NULL)
		return error_memory(error, "a path");
	pyramid_path(maker->kind->id, source->path, 1, maker->name);
	return maker->kind->adopt != NULL ? maker->kind->adopt(maker, error) : choose_of_kept(maker, 0, error);
}

enum histree_status pyramid_maker_again(struct pyramid_maker *maker, const struct cell_kind *kind,
					const struct pyramid_source *source, const struct pyramid *there,
					struct table_space *tables, struct histree_error *error)
{
	*maker = (struct pyramid_maker){
		.kind = kind,
		.source = source,
		.of = *histree_history_info(source->history),
		.tables = tables,
		.again = there,
		.log2 = there->log2,
		.node_size = pyramid_kinds[kind->id].node_size,
	};
	if (pyramid_kinds[kind->id].cells_enough > 0)
		maker->grid = pyramid_grid(kind->id, &maker->of, there->log2);
	enum histree_status status = kind->feed_begin(maker, error);
	if (status != HISTREE_OK)
		return status;

	/* Own the attributes of an existing pyramid, each of which must have all levels where cells are of ns. */
	const bool has_grid = pyramid_kinds[maker->kind->id].cells_enough > 0;
	const struct pyramid_level *level = &there->levels[0];
	for (size_t i = 0; i < level->count && status == HISTREE_OK; i++) {
		const histree_quark quark = level->entries[i].quark;
		histree_quark own[PYRAMID_LEVELS_MAX];
		const uint32_t levels = pyramid_find(there, quark, own);
		if (maker->cell_count + levels > maker->kind->cells_max || quark >= maker->of.attribute_count ||
		    (has_grid && levels != maker->grid.level_count))
			return error_set(error, HISTREE_ERR_FORMAT,
					 "'%s' has other levels, or more attributes, than any; remove the file",
					 histree_history_info(level->history)->provider);
		status = pyramid_maker_own(maker, quark, levels, error);
		if (status == HISTREE_OK)
			memcpy(maker->owners[i].own, own, sizeof(own));
	}
	return status;
}

enum histree_status pyramid_maker_finish(struct pyramid_maker *maker, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (maker->is_wanted && maker->kind->flush != NULL)
		status = maker->kind->flush(maker, error);
	if (maker->is_wanted && status == HISTREE_OK)
		status = maker->kind->finish(maker, error);
	return status == HISTREE_OK ? pyramid_maker_give(maker, error) : status;
}

static enum histree_status end_file(struct pyramid_maker *maker, uint64_t *bytes, struct histree_error *error)
{
	enum histree_status status = pyramid_maker_finish(maker, error);
	*bytes = 0;
	if (status != HISTREE_OK || !maker->file.is_begun)
		return status;
	return pyramid_file_finish(&maker->file, maker->source->io, maker->name, &maker->of, bytes, error);
}

enum histree_status pyramid_maker_end(struct pyramid_maker *maker, uint64_t *bytes, struct histree_error *error)
{
	enum histree_status status = end_file(maker, bytes, error);
	while (status == HISTREE_OK && *bytes > maker->bytes_max) {
		maker->source->io->unlink(maker->source->io->context, maker->name);
		status = maker->kind->choose != NULL ? choose_of_kept(maker, *bytes, error) : HISTREE_OK;
		*bytes = 0;
		if (status != HISTREE_OK || maker->kind->choose == NULL || !maker->is_wanted)
			return status;
		status = end_file(maker, bytes, error);
	}
	return status;
}

void pyramid_maker_release(struct pyramid_maker *maker)
{
	if (maker->kind == NULL)
		return;
	if (maker->kind->release != NULL)
		maker->kind->release(maker);
	pyramid_file_drop(&maker->file);
	overview_choice_release(&maker->choice);
	free(maker->owners);
	free(maker->cells);
	release_ready(&maker->ready);
	release_ready(&maker->kept.ready);
	free(maker->kept.of);
	free(maker->order);
	free(maker->spare);
	free(maker->name);
	*maker = (struct pyramid_maker){ .kind = NULL };
}
