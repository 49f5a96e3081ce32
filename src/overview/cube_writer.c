// SPDX-License-Identifier: MIT
#include "overview/cube_writer.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/error.h"
#include "overview/cube_maker.h"

enum {
	CELLS_LOG2_MOST = 10, /* the ends of a range that no cell fills are then a thousandth of the time */
	CELLS_LOG2_LEAST = 6, /* with fewer, most of a range is at its ends */
	BYTES_DEFAULT = 64 << 20,
	THREAD_BYTES = 96,     /* of what a tree may have, so that a cube takes half of it */
	ATTRIBUTE_BYTES = 640, /* that one costs where a window is made, about */
	CELLS_SHARE = 8,       /* of that, which cells may have until they are written */
	STATES_AT_ONCE = 256,  /* that are written together */
};

struct cube_writer {
	struct ladder_file file;
	struct cube_maker maker;
	bool is_wanted;
	uint64_t cells_max, bytes_max;
	size_t attributes_max; /* in windows, that nobody else reads */
	struct ladder_states states;
	struct ladder_rungs rungs[CUBE_PARTS]; /* by attribute of the file */
	uint32_t rung_of[CUBE_PARTS];
};

enum histree_status cube_writer_begin(const struct ladder_source *source, uint64_t bytes_max,
				      struct cube_writer **out, struct histree_error *error)
{
	struct cube_writer *writer = *out = calloc(1, sizeof(*writer));
	if (writer == NULL)
		return error_memory(error, "an overview");
	const struct histree_history_info *of = histree_history_info(source->history);
	const unsigned bits = bits_needed((uint64_t)of->end - (uint64_t)of->start);
	const size_t memory = source->options->memory_max > 0 ? source->options->memory_max : BYTES_DEFAULT;
	writer->bytes_max = bytes_max;
	/* The levels above and the tree have the rest. */
	writer->cells_max = bytes_max / 4 * 3 < memory / CELLS_SHARE ? bytes_max / 4 * 3 : memory / CELLS_SHARE;
	writer->attributes_max = memory / ATTRIBUTE_BYTES;
	enum histree_status status = ladder_file_init(&writer->file, source, &cube_kind, error);
	if (status == HISTREE_OK)
		status = cube_maker_begin(&writer->maker, source->history,
					  bits > CELLS_LOG2_MOST ? bits - CELLS_LOG2_MOST : 0,
					  memory / THREAD_BYTES, error);
	writer->is_wanted = writer->maker.left > 0;
	return status;
}

/* Whether to read what nobody else does would cost more than to read the history once more. */
static bool is_too_much(const struct cube_writer *writer)
{
	const struct ladder_source *source = writer->file.source;
	size_t attributes;
	uint64_t states = cube_maker_states_left(&writer->maker, source->counts, &attributes), of_cpus = 0;
	for (size_t i = 0; i < writer->maker.threads.cpu_count; i++)
		of_cpus += source->counts->states[writer->maker.threads.cpus[i].current];
	states += (attributes / writer->attributes_max + (attributes > 0)) * of_cpus;
	return states > writer->file.of.interval_count;
}

enum histree_status cube_writer_choose(struct cube_writer *writer, const struct overview_choice *among,
				       struct histree_error *error)
{
	if (!writer->is_wanted)
		return HISTREE_OK;
	enum histree_status status =
		cube_maker_choose(&writer->maker, writer->file.source->counts, among, SIZE_MAX, error);
	if (status == HISTREE_OK && is_too_much(writer)) {
		writer->is_wanted = false;
		writer->maker.choice.count = 0;
		writer->maker.choice.states = 0;
	}
	return status;
}

bool cube_writer_is_wanted(const struct cube_writer *writer)
{
	return writer->is_wanted && !writer->maker.is_of_no_use;
}

const struct overview_choice *cube_writer_choice(const struct cube_writer *writer)
{
	return &writer->maker.choice;
}

/* ---- windows ------------------------------------------------------------------------------------------------ */

static bool fits(const struct cube_writer *writer)
{
	const struct cube_cells *cells = &writer->maker.cells;
	return cells->bytes[CUBE_OF_CALLS] + cells->bytes[CUBE_OF_OWNERS] <= writer->cells_max;
}

/* Cells become wider until they fit; who had the CPUs is left out where that does not do. */
static enum histree_status make_fit(struct cube_writer *writer, struct histree_error *error)
{
	struct cube_maker *maker = &writer->maker;
	struct cube_cells *cells = &maker->cells;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && !fits(writer)) {
		if (cube_level_cells(&cells->levels, 0) >> CELLS_LOG2_LEAST > 1) {
			status = cube_cells_widen(cells, error);
		} else if (maker->has_owners) {
			maker->has_owners = false;
			cube_cells_drop(cells, CUBE_OF_OWNERS);
		} else {
			maker->is_of_no_use = true;
			break;
		}
	}
	if (cells->largest[CUBE_OF_OWNERS] > cube_cell_bytes_max(CUBE_NODE_SIZE_MAX)) {
		maker->has_owners = false;
		cube_cells_drop(cells, CUBE_OF_OWNERS);
	}
	maker->is_of_no_use |= cells->largest[CUBE_OF_CALLS] > cube_cell_bytes_max(CUBE_NODE_SIZE_MAX);
	return status;
}

enum histree_status cube_writer_take(struct cube_writer *writer, const uint32_t *attributes,
				     const struct overview_window *window, struct histree_error *error)
{
	if (!cube_writer_is_wanted(writer))
		return HISTREE_OK;
	enum histree_status status = cube_maker_take(&writer->maker, attributes, window, error);
	return status == HISTREE_OK ? make_fit(writer, error) : status;
}

static enum histree_status take_window(void *context, struct overview_window *window, struct histree_error *error)
{
	return cube_writer_take(context, NULL, window, error);
}

/* The threads that others do not read. */
static enum histree_status read_others(struct cube_writer *writer, struct histree_error *error)
{
	const struct ladder_source *source = writer->file.source;
	struct cube_maker *maker = &writer->maker;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && maker->left > 0 && cube_writer_is_wanted(writer)) {
		status = cube_maker_choose(maker, source->counts, NULL, writer->attributes_max, error);
		if (status == HISTREE_OK && maker->choice.count > 0)
			status = ladder_source_walk(source, &maker->choice, take_window, writer, error);
	}
	return status;
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

/* Nodes are as large as the largest cell of level 1 needs them; cells above that are larger say so. */
static void choose_node_size(struct cube_writer *writer)
{
	struct cube_cells *cells = &writer->maker.cells;
	for (int part = 0; part < CUBE_PARTS; part++)
		while (cells->largest[part] > cube_cell_bytes_max(writer->file.node_size))
			writer->file.node_size *= 2;
	cells->bytes_max = cube_cell_bytes_max(writer->file.node_size);
}

static enum histree_status begin_file(struct cube_writer *writer, struct histree_error *error)
{
	const struct cube_maker *maker = &writer->maker;
	const histree_quark quarks[CUBE_PARTS] = { maker->threads.above, maker->threads.above_cpus };
	const enum cube_part first = maker->has_owners && quarks[1] < quarks[0] ? CUBE_OF_OWNERS : CUBE_OF_CALLS;
	enum histree_status status = ladder_file_choose(&writer->file, quarks[first], error);
	writer->rung_of[first] = 0;
	if (status == HISTREE_OK && maker->has_owners) {
		status = ladder_file_choose(&writer->file, quarks[1 - first], error);
		writer->rung_of[1 - first] = 1;
	}
	for (int i = 0; i < CUBE_PARTS; i++)
		writer->rungs[i].count = maker->cells.levels.count;
	choose_node_size(writer);
	return status == HISTREE_OK
		       ? ladder_file_begin(&writer->file, writer->rungs, maker->cells.levels.width_log2, error)
		       : status;
}

static enum histree_status write_cell(void *context, const struct cube_state *state, struct histree_error *error)
{
	struct cube_writer *writer = context;
	if (state->part == CUBE_OF_OWNERS && !writer->maker.has_owners)
		return HISTREE_OK;
	const struct histree_interval interval = {
		.quark = writer->rungs[writer->rung_of[state->part]].own[state->level],
		.start = state->start,
		.end = state->end,
		.value = state->value,
	};
	enum histree_status status = ladder_states_add(&writer->states, &interval, error);
	return status == HISTREE_OK && writer->states.count >= STATES_AT_ONCE
		       ? ladder_file_write(&writer->file, &writer->states, error)
		       : status;
}

enum histree_status cube_writer_end(struct cube_writer *writer, uint64_t *bytes, struct histree_error *error)
{
	*bytes = 0;
	enum histree_status status = read_others(writer, error);
	if (status != HISTREE_OK || !cube_writer_is_wanted(writer))
		return status;
	status = begin_file(writer, error);
	if (status == HISTREE_OK)
		status = cube_cells_each(&writer->maker.cells, write_cell, writer, error);
	if (status == HISTREE_OK)
		status = ladder_file_write(&writer->file, &writer->states, error);
	if (status == HISTREE_OK)
		status = ladder_file_finish(&writer->file, bytes, error);
	if (status == HISTREE_OK && *bytes > writer->bytes_max) {
		ladder_file_remove(&writer->file);
		*bytes = 0;
	}
	return status;
}

void cube_writer_free(struct cube_writer *writer)
{
	if (writer == NULL)
		return;
	ladder_file_release(&writer->file);
	ladder_states_release(&writer->states);
	cube_maker_release(&writer->maker);
	free(writer);
}
