// SPDX-License-Identifier: MIT
/*
 * overview_writer.c - make the pyramids of a history: of what was fed while it was made, or of windows of time in
 * which it goes by, each for all of them.
 *
 * Of what was fed, it is chosen which owners have cells, and these are written.  Else the first level of rows and
 * all other pyramids are made of the windows of the history; each further level of rows is made of the one below.
 * Of rows, the states of one attribute after the other are made fewer in each window (overview_choice.h).  Nothing
 * but a few windows is in memory.
 */
#include "overview/overview_writer.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "histree/history.h"
#include "overview/overview_choice.h"
#include "overview/overview_feed.h"
#include "overview/overview_window.h"
#include "overview/owner_feed.h"
#include "overview/pyramid_maker.h"
#include "state/attributes.h"
#include "state/history.h"
#include "state/ongoing_states.h"
#include "state/pyramid.h"
#include "state/state_file.h"

/* ---- a level of rows --------------------------------------------------------------------------------------- */

/* Begin the file, with the attributes that are chosen, of which `own` is set.  `tables`: NULL: it has its own. */
static enum histree_status begin_rows(struct pyramid_file *file, const struct io *io, const char *path,
				      const struct histree_history_info *of, struct overview_choice *choice,
				      const struct overview_options *options, struct table_space *tables,
				      struct histree_error *error)
{
	enum histree_status status =
		pyramid_file_begin(file, PYRAMID_ROWS, io, path, of, 0, 0, options, tables, error);
	for (uint32_t i = 0; i < choice->count && status == HISTREE_OK; i++) {
		struct condensed *condensed = &choice->condensed[i];
		if (condensed->width_log2 != OVERVIEW_NO_WIDTH)
			status = pyramid_file_name(file, condensed->width_log2, condensed->quark, &condensed->own,
						   error);
	}
	return status;
}

static enum histree_status take_state(struct pyramid_file *file, struct overview_choice *choice,
				      const struct value_table *values, const struct overview_state *state,
				      struct histree_error *error)
{
	assert(state->start <= state->end && state->attribute < choice->count);
	struct condensed *condensed = &choice->condensed[state->attribute];
	condensed->states++;
	struct histree_interval interval = {
		.quark = condensed->own,
		.start = state->start,
		.end = state->end,
		.value = state->value == OVERVIEW_REST ? histree_custom("", 0) : values->values[state->value],
	};
	return pyramid_file_add(file, &interval, error);
}

/* Adds the states that a window was condensed to, and counts those of each attribute. */
static enum histree_status take_rows(struct pyramid_file *file, struct overview_choice *choice,
				     const struct overview_window *window, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; status == HISTREE_OK && i < window->cells.count; i++)
		status = take_state(file, choice, &window->values, &window->cells.states[window->order[i].index],
				    error);
	return status;
}

/* ---- overview trial ------------------------------------------------------------------------------------------ */

/* With fewer windows, a trial would read too much of the history to be cheaper than making an overview again. */
enum { WINDOWS_MIN = 8 * OVERVIEW_TRIAL_WINDOWS };

/* ---- reading ----------------------------------------------------------------------------------------------- */

/* The stretches in which a walk has the windows begin. */
static void place(struct overview_trial *trial, size_t number)
{
	const struct histree_history_info *of = &trial->of;
	struct overview_window *window = &trial->read[number];
	uint64_t ahead = ((uint64_t)of->end - (uint64_t)of->start) / trial->windows;
	uint64_t at = trial->windows * (2 * number + 1) / (2 * OVERVIEW_TRIAL_WINDOWS);
	window->from = (histree_time)((uint64_t)of->start + at * ahead);
	window->to = (histree_time)((uint64_t)window->from + ahead - 1);
}

static enum histree_status read_windows(struct overview_trial *trial, struct histree_cursor *query,
					histree_quark *quarks, size_t enough, struct histree_error *error)
{
	const struct overview_choice *choice = &trial->choice;
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < choice->count; i++)
		quarks[i] = choice->condensed[i].source;
	for (size_t i = 0; i < OVERVIEW_TRIAL_WINDOWS && status == HISTREE_OK; i++) {
		place(trial, i);
		status = overview_window_read(&trial->read[i], query, choice, quarks, 2 * enough, error);
		if (status == HISTREE_OK)
			status = overview_window_sort(&trial->read[i], choice, error);
		trial->count++;
	}
	/* It is crowded somewhere, so that a few windows say little of the others. */
	if (status == HISTREE_PARTIAL)
		trial->count = 0;
	return status == HISTREE_PARTIAL ? HISTREE_OK : status;
}

enum histree_status overview_trial_read(struct overview_trial *trial, struct histree_history *history,
					const struct overview_choice *choice, size_t states_in_window,
					struct histree_error *error)
{
	const size_t enough = states_in_window + choice->count;
	*trial = (struct overview_trial){
		.of = *histree_history_info(history),
		.windows = choice->states / enough + 1,
	};
	if (trial->windows < WINDOWS_MIN ||
	    ((uint64_t)trial->of.end - (uint64_t)trial->of.start) / trial->windows == 0)
		return HISTREE_OK;
	struct histree_cursor *query = NULL;
	histree_quark *quarks = malloc((choice->count + (size_t)1) * sizeof(*quarks));
	enum histree_status status =
		quarks != NULL ? histree_query_create(history, &query, error) : error_memory(error, "an overview");
	if (status == HISTREE_OK)
		status = overview_choice_copy(&trial->choice, choice, error);
	if (status == HISTREE_OK)
		status = read_windows(trial, query, quarks, enough, error);
	histree_cursor_free(query);
	free(quarks);
	return status;
}

/* ---- trying ------------------------------------------------------------------------------------------------ */

/* What was read stays; attributes that are not chosen have no cells. */
static void take_widths(struct overview_trial *trial, const struct overview_choice *choice)
{
	uint32_t next = 0;
	for (uint32_t i = 0; i < trial->choice.count; i++) {
		struct condensed *condensed = &trial->choice.condensed[i];
		bool is_chosen = next < choice->count && choice->condensed[next].source == condensed->source;
		condensed->width_log2 = is_chosen ? choice->condensed[next++].width_log2 : OVERVIEW_NO_WIDTH;
	}
}

/* Gets the bytes of an overview of the first `count` windows alone. */
static enum histree_status measure(struct overview_trial *trial, const struct io *io, struct table_space *tables,
				   const struct overview_options *options, size_t count, uint64_t *bytes,
				   struct histree_error *error)
{
	static const char name[] = "trial";
	const struct overview_options alone = { .memory_max = options->memory_max, .threads = 1 };
	struct pyramid_file file = { .is_begun = false };
	enum histree_status status = begin_rows(&file, io, name, &trial->of, &trial->choice, &alone, tables, error);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		status = overview_window_condense(&trial->read[i], &trial->choice, trial->of.start, error);
		if (status == HISTREE_OK)
			status = take_rows(&file, &trial->choice, &trial->read[i], error);
	}
	if (status == HISTREE_OK)
		status = pyramid_file_finish(&file, io, name, &trial->of, bytes, error);
	pyramid_file_drop(&file);
	io->unlink(io->context, name);
	return status;
}

enum histree_status overview_trial_bytes(struct overview_trial *trial, const struct overview_choice *choice,
					 const struct overview_options *options, uint64_t *bytes,
					 struct histree_error *error)
{
	struct table_space tables;
	uint64_t names = 0, some = 0;
	const struct io *io = memory_files_create(UINT64_MAX);
	if (io == NULL)
		return error_memory(error, "an overview");
	if (!table_space_init(&tables, "trial", SIZE_MAX)) {
		memory_files_leave(io);
		return error_memory(error, "an overview");
	}
	take_widths(trial, choice);
	/* Names and the like are there once, however many windows there are. */
	enum histree_status status = measure(trial, io, &tables, options, 0, &names, error);
	if (status == HISTREE_OK)
		status = measure(trial, io, &tables, options, trial->count, &some, error);
	table_space_release(&tables);
	memory_files_leave(io);
	*bytes = names + (some > names ? (some - names) / trial->count * trial->windows : 0);
	return status;
}

void overview_trial_release(struct overview_trial *trial)
{
	for (size_t i = 0; i < OVERVIEW_TRIAL_WINDOWS; i++)
		overview_window_release(&trial->read[i]);
	overview_choice_release(&trial->choice);
	*trial = (struct overview_trial){ .count = 0 };
}

/* ---- overview writer ----------------------------------------------------------------------------------------- */

struct writer {
	const struct io *io;
	const char *path;   /* of the history that has the overviews */
	char *name, *other; /* room for those of overviews: there must be some when memory is out */
	struct overview_options options, first_options; /* which are as asked for, before others are tried */
	struct crew own_crew;                           /* used where the options have no crew */
	struct overview_progress progress;
	struct histree_history_info of;
	struct state_counts counts, fed_counts; /* of all attributes; of owners that were fed */

	/* What is read, and what of it. */
	struct histree_history *source;
	struct overview_choice choice;
	struct overview_choice first; /* that of the first overview, with what came of it */

	const struct state_counts *row_counts; /* by which rows are chosen */
	struct pyramid_file rows;              /* the level at hand */
	uint32_t last;                         /* level that is there */
	struct overview_feed *feed;            /* NULL: nothing was fed */
	struct owner_feed *owners;             /* whose rows were fed; NULL: rows are read */

	/* The other pyramids, which are made of the windows of the first level, by enum pyramid_id. */
	struct pyramid_source pyramid_source, fed_source;
	struct pyramid_maker makers[PYRAMIDS];
	uint32_t *places[PYRAMIDS]; /* by the choice's attribute, which owner it is in each of them */
	uint64_t bytes_of_others;
};

/* ---- windows --------------------------------------------------------------------------------------------- */

static enum histree_status prepare_window(void *context, struct overview_window *window,
					  struct histree_error *error)
{
	const struct writer *writer = context;
	enum histree_status status = overview_window_sort(window, &writer->choice, error);
	if (status == HISTREE_OK && writer->rows.is_begun)
		status = overview_window_condense(window, &writer->choice, writer->of.start, error);
	return status;
}

static enum histree_status take_window(void *context, struct overview_window *window, struct histree_error *error)
{
	struct writer *writer = context;
	enum histree_status status = HISTREE_OK;
	for (unsigned id = 0; id < PYRAMIDS && status == HISTREE_OK; id++)
		if (writer->makers[id].kind != NULL)
			status = pyramid_maker_take(&writer->makers[id], writer->places[id], window, error);
	if (status == HISTREE_OK && writer->rows.is_begun)
		status = take_rows(&writer->rows, &writer->choice, window, error);
	return status;
}

/* ---- an overview -------------------------------------------------------------------------------------------- */

static enum histree_status walk_windows(struct writer *writer, struct histree_error *error)
{
	const struct window_walk walk = {
		.history = writer->source,
		.path = writer->path,
		.choice = &writer->choice,
		.progress = &writer->progress,
		.states_in_window = writer->options.states_in_window,
		.crew = writer->options.crew,
		.threads = writer->options.threads,
		.prepare = prepare_window,
		.take = take_window,
		.context = writer,
	};
	return window_walk(&walk, error);
}

/* Makes an overview of the choice; *bytes is its size. */
static enum histree_status make_overview(struct writer *writer, uint32_t number, uint64_t *bytes,
					 struct histree_error *error)
{
	pyramid_path(PYRAMID_ROWS, writer->path, number, writer->name);
	writer->progress.steps = number;
	enum histree_status status = begin_rows(&writer->rows, writer->io, writer->name, &writer->of,
						&writer->choice, &writer->options, NULL, error);
	if (status == HISTREE_OK)
		status = walk_windows(writer, error);
	if (status == HISTREE_OK)
		status = pyramid_file_finish(&writer->rows, writer->io, writer->name, &writer->of, bytes, error);
	writer->last = number > writer->last ? number : writer->last;
	return status;
}

static void close_source(struct writer *writer)
{
	histree_history_close(writer->source);
	writer->source = NULL;
}

static enum histree_status open_source(struct writer *writer, const char *path, struct histree_error *error)
{
	static const struct histree_open_options options = { .cache_bytes = 8 << 20 };
	struct block_file *file;
	close_source(writer);
	enum histree_status status = block_file_open(writer->io, path, &file, error);
	return status == HISTREE_OK ? history_open_file(file, &options, &writer->source, error) : status;
}

/* ---- how many bytes ------------------------------------------------------------------------------------------ */

static uint64_t percent_of(const struct writer *writer, uint32_t percent)
{
	return writer->of.file_bytes / 100 * percent;
}

static uint32_t percent_max_of(const struct overview_options *options, enum pyramid_id id)
{
	switch (id) {
	case PYRAMID_NUMBERS:
		return options->numbers_percent_max;
	case PYRAMID_SUMS:
		return options->sums_percent_max;
	case PYRAMID_CUBE:
		return options->cube_percent_max;
	case PYRAMID_ROWS:
	case PYRAMIDS:
		break;
	}
	return options->percent_max;
}

/* What others are likely to take of what all may have: more than half of what they may, where there are some. */
static uint64_t bytes_for_states(const struct writer *writer)
{
	uint64_t others = 0;
	for (unsigned id = 0; id < PYRAMIDS; id++)
		if (writer->makers[id].is_wanted)
			others += percent_of(writer, percent_max_of(&writer->options, id));
	uint64_t all = percent_of(writer, writer->options.percent_max);
	return all > others * 5 / 8 ? all - others * 5 / 8 : 0;
}

/* ---- rows that were fed -------------------------------------------------------------------------------------- */

enum { STATES_IN_SLICE = 1 << 16, TRIED_SLICES = 4, TRIED_EVERY = 8 };

/* An attribute that is chosen: an owner, and how many of the states that are kept of it were written. */
struct fed_row {
	uint32_t owner;
	size_t written;
};

struct fed_rows {
	struct row_feed *feed;
	struct fed_row *rows; /* by the choice's attribute */
	struct overview_state *slice;
	struct keyed_index *order, *spare;
	size_t count, capacity, order_capacity, spare_capacity;
};

static uint32_t find_owner(const struct owner_feed *owners, histree_quark quark)
{
	for (uint32_t i = 0; i < owners->owner_count; i++)
		if (owners->owners[i].quark == quark)
			return owners->rows.owners[i].is_left_out ? UINT32_MAX : i;
	return UINT32_MAX;
}

/* Choose only attributes of which rows were kept, in cells that are as wide as those at least. */
static enum histree_status choose_kept(struct writer *writer, struct fed_rows *rows, struct histree_error *error)
{
	struct overview_choice *choice = &writer->choice;
	uint32_t kept = 0;
	free(rows->rows);
	rows->rows = malloc(((size_t)choice->count + 1) * sizeof(*rows->rows));
	if (rows->rows == NULL)
		return error_memory(error, "an overview");
	choice->states = 0;
	for (uint32_t i = 0; i < choice->count; i++) {
		struct condensed condensed = choice->condensed[i];
		const uint32_t owner = find_owner(writer->owners, condensed.quark);
		if (owner == UINT32_MAX)
			continue;
		if (!row_feed_widen(rows->feed, owner, condensed.width_log2))
			return error_memory(error, "an overview");
		condensed.width_log2 = rows->feed->owners[owner].width_log2;
		choice->states += condensed.read;
		rows->rows[kept] = (struct fed_row){ .owner = owner };
		condensed.states = 0;
		choice->condensed[kept++] = condensed;
	}
	choice->count = kept;
	return HISTREE_OK;
}

/* All that ends up to a time, and was not written. */
static enum histree_status take_slice(struct fed_rows *rows, uint32_t count, histree_time origin, histree_time to,
				      struct histree_error *error)
{
	rows->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct fed_row *row = &rows->rows[i];
		for (; row->written < rows->feed->owners[row->owner].kept; row->written++) {
			const struct overview_state state = row_feed_state(rows->feed, row->owner, row->written);
			if (state.end > to)
				break;
			if (!array_reserve(&rows->slice, &rows->capacity, rows->count + 1))
				return error_memory(error, "an overview");
			rows->slice[rows->count] = state;
			rows->slice[rows->count++].attribute = i;
		}
	}
	if (rows->count > UINT32_MAX || !array_reserve(&rows->order, &rows->order_capacity, rows->count + 1) ||
	    !array_reserve(&rows->spare, &rows->spare_capacity, rows->count + 1))
		return error_memory(error, "an overview");
	for (size_t i = 0; i < rows->count; i++)
		rows->order[i] =
			(struct keyed_index){ (uint64_t)rows->slice[i].end - (uint64_t)origin, (uint32_t)i };
	radix_sort(rows->order, rows->spare, rows->count);
	return HISTREE_OK;
}

/* By their ends, a slice of the time after the other; of each `every`, only the one in the middle. */
static enum histree_status write_slices(struct writer *writer, struct fed_rows *rows, struct pyramid_file *file,
					uint64_t slices, uint64_t every, struct histree_error *error)
{
	const uint64_t ahead = ((uint64_t)writer->of.end - (uint64_t)writer->of.start) / slices;
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < writer->choice.count; i++)
		rows->rows[i].written = 0;
	for (uint64_t i = 0; i < slices && status == HISTREE_OK; i++) {
		const histree_time to = i + 1 < slices
						? (histree_time)((uint64_t)writer->of.start + (i + 1) * ahead)
						: writer->of.end;
		status = overview_progress_show(&writer->progress, (double)i / (double)slices, error);
		if (status == HISTREE_OK)
			status = take_slice(rows, writer->choice.count, writer->of.start, to, error);
		for (size_t state = 0; i % every == every / 2 && state < rows->count && status == HISTREE_OK;
		     state++)
			status = take_state(file, &writer->choice, &rows->feed->values,
					    &rows->slice[rows->order[state].index], error);
	}
	return status;
}

static enum histree_status write_fed_rows(struct writer *writer, struct fed_rows *rows, struct histree_error *error)
{
	for (uint32_t i = 0; i < writer->choice.count; i++)
		writer->choice.condensed[i].states = 0;
	return write_slices(writer, rows, &writer->rows, rows->feed->kept / STATES_IN_SLICE + 1, 1, error);
}

/* How many bytes the first level is likely to have, by a part of its time, which is written into memory. */
static enum histree_status try_fed_rows(struct writer *writer, struct fed_rows *rows, uint64_t *bytes,
					struct histree_error *error)
{
	static const char name[] = "trial";
	const struct overview_options alone = { .memory_max = writer->options.memory_max, .threads = 1 };
	struct pyramid_file file = { .is_begun = false };
	struct table_space tables;
	const struct io *io = memory_files_create(UINT64_MAX);
	if (io == NULL)
		return error_memory(error, "an overview");
	if (!table_space_init(&tables, name, SIZE_MAX)) {
		memory_files_leave(io);
		return error_memory(error, "an overview");
	}
	enum histree_status status =
		begin_rows(&file, io, name, &writer->of, &writer->choice, &alone, &tables, error);
	if (status == HISTREE_OK)
		status = write_slices(writer, rows, &file, TRIED_SLICES * TRIED_EVERY, TRIED_EVERY, error);
	if (status == HISTREE_OK)
		status = pyramid_file_finish(&file, io, name, &writer->of, bytes, error);
	pyramid_file_drop(&file);
	table_space_release(&tables);
	memory_files_leave(io);
	*bytes *= TRIED_EVERY;
	return status;
}

/* Make cells fewer until they are likely to fit, so that the first level need not be made again. */
static enum histree_status fit_fed_rows(struct writer *writer, struct fed_rows *rows, struct histree_error *error)
{
	const uint64_t bytes_max = bytes_for_states(writer);
	struct overview_options options = writer->options;
	struct overview_choice fewer = { 0 };
	enum histree_status status = choose_kept(writer, rows, error);
	while (status == HISTREE_OK && writer->choice.count > 0 && rows->feed->kept > STATES_IN_SLICE) {
		uint64_t bytes = 0;
		status = try_fed_rows(writer, rows, &bytes, error);
		bytes += bytes / 3; /* of those that follow */
		if (status != HISTREE_OK || bytes <= bytes_max ||
		    !overview_options_coarser(&options, bytes_max, bytes))
			break;
		status = overview_choice_coarser(&fewer, &options, &writer->of, writer->row_counts, &writer->choice,
						 error);
		if (status != HISTREE_OK || fewer.count == 0)
			break;
		writer->options = options;
		status = overview_choice_copy(&writer->choice, &fewer, error);
		if (status == HISTREE_OK)
			status = choose_kept(writer, rows, error);
	}
	overview_choice_release(&fewer);
	return status;
}

/* A level of the choice, of what was kept; *bytes is its size. */
static enum histree_status make_fed_rows(struct writer *writer, uint32_t number, uint64_t *bytes,
					 struct histree_error *error)
{
	struct fed_rows rows = { .feed = &writer->owners->rows };
	enum histree_status status =
		number == 1 ? fit_fed_rows(writer, &rows, error) : choose_kept(writer, &rows, error);
	writer->progress.steps = number;
	*bytes = 0;
	if (status == HISTREE_OK && writer->choice.count > 0) {
		pyramid_path(PYRAMID_ROWS, writer->path, number, writer->name);
		status = begin_rows(&writer->rows, writer->io, writer->name, &writer->of, &writer->choice,
				    &writer->options, NULL, error);
		if (status == HISTREE_OK)
			status = write_fed_rows(writer, &rows, error);
		if (status == HISTREE_OK)
			status = pyramid_file_finish(&writer->rows, writer->io, writer->name, &writer->of, bytes,
						     error);
		writer->last = number > writer->last ? number : writer->last;
	}
	free(rows.rows);
	free(rows.slice);
	free(rows.order);
	free(rows.spare);
	return status;
}

/* ---- the first one ------------------------------------------------------------------------------------------ */

/* Chooses as many cells as there may be; fewer where no attribute is worth so many. */
static enum histree_status choose_first(struct writer *writer, struct histree_error *error)
{
	struct histree_cursor *query;
	enum histree_status status = histree_query_create(writer->source, &query, error);
	while (status == HISTREE_OK) {
		status = overview_choice_of_history(&writer->choice, &writer->options, query, writer->row_counts,
						    error);
		if (writer->choice.count > 0 || !overview_options_coarser(&writer->options, 0, 0))
			break;
	}
	histree_cursor_free(query);
	return status;
}

/*
 * Make cells fewer until they are likely to fit, so that the first overview need not be made again.  Where no
 * choice fits that is worth it, it stays as it was: what is likely is not certain.
 */
static enum histree_status fit_first(struct writer *writer, struct histree_error *error)
{
	const uint64_t bytes_max = bytes_for_states(writer);
	struct overview_options options = writer->options;
	struct overview_choice fewer = { 0 };
	struct overview_trial trial;
	enum histree_status status = overview_trial_read(&trial, writer->source, &writer->choice,
							 writer->options.states_in_window, error);
	bool is_first = true, fits = trial.count == 0;
	while (status == HISTREE_OK && !fits) {
		uint64_t bytes = 0;
		status = overview_trial_bytes(&trial, is_first ? &writer->choice : &fewer, &options, &bytes, error);
		bytes += bytes / 3;  /* of those that follow */
		bytes += bytes / 16; /* it is likely to be no more than that wrong */
		fits = status == HISTREE_OK && bytes <= bytes_max;
		if (fits || status != HISTREE_OK || !overview_options_coarser(&options, bytes_max, bytes))
			break;
		is_first = false;
		status = overview_choice_coarser(&fewer, &options, &writer->of, writer->row_counts, &writer->choice,
						 error);
		if (fewer.count == 0)
			break;
	}
	if (fits && !is_first && status == HISTREE_OK) {
		writer->options = options;
		status = overview_choice_copy(&writer->choice, &fewer, error);
	}
	overview_choice_release(&fewer);
	overview_trial_release(&trial);
	return status;
}

static enum histree_status begin_others(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	writer->first_options = writer->options;
	writer->pyramid_source = (struct pyramid_source){
		.io = writer->io,
		.path = writer->path,
		.history = writer->source,
		.counts = &writer->counts,
		.options = &writer->first_options,
		.progress = &writer->progress,
	};
	writer->fed_source = writer->pyramid_source;
	writer->fed_source.counts = &writer->fed_counts;
	for (unsigned id = 0; id < PYRAMIDS && status == HISTREE_OK; id++) {
		struct pyramid_maker *maker = &writer->makers[id], *fed = overview_feed_maker(writer->feed, id);
		const uint64_t bytes_max = percent_of(writer, percent_max_of(&writer->options, id));
		if (fed != NULL)
			status = pyramid_maker_adopt(maker, fed, &writer->fed_source, bytes_max, error);
		else if (cell_kinds[id] != NULL)
			status = pyramid_maker_begin(maker, cell_kinds[id], &writer->pyramid_source, bytes_max,
						     error);
	}
	return status;
}

/* Their attributes are read, too. */
static enum histree_status join_others(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (unsigned id = 0; id < PYRAMIDS && status == HISTREE_OK; id++)
		if (cell_kinds[id] != NULL)
			status = pyramid_maker_join(&writer->makers[id], &writer->choice, error);
	for (unsigned id = 0; id < PYRAMIDS && status == HISTREE_OK; id++)
		if (cell_kinds[id] != NULL)
			status = overview_choice_places(&writer->choice, &writer->makers[id].choice,
							&writer->places[id], error);
	return status;
}

static void drop_others(struct writer *writer)
{
	for (unsigned id = 0; id < PYRAMIDS; id++) {
		pyramid_maker_release(&writer->makers[id]);
		free(writer->places[id]);
		writer->places[id] = NULL;
	}
}

static enum histree_status end_others(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (unsigned id = 0; id < PYRAMIDS && status == HISTREE_OK; id++) {
		uint64_t bytes = 0;
		if (cell_kinds[id] != NULL)
			status = pyramid_maker_end(&writer->makers[id], &bytes, error);
		writer->bytes_of_others += bytes;
	}
	drop_others(writer);
	return status;
}

/* What was fed is written, and the others are made in a pass through the history, if that is wanted. */
static enum histree_status make_of_fed(struct writer *writer, uint64_t *bytes, struct histree_error *error)
{
	enum histree_status status = choose_first(writer, error);
	if (status == HISTREE_OK)
		status = make_fed_rows(writer, 1, bytes, error);
	struct overview_choice of_rows = writer->choice;
	writer->choice = (struct overview_choice){ 0 };
	if (status == HISTREE_OK)
		status = join_others(writer, error);
	if (status == HISTREE_OK && writer->choice.count > 0)
		status = walk_windows(writer, error);
	overview_choice_release(&writer->choice);
	writer->choice = of_rows;
	return status == HISTREE_OK ? end_others(writer, error) : status;
}

/* The first level of rows and all other pyramids are made in one pass, each that there is. */
static enum histree_status make_first(struct writer *writer, uint64_t *bytes, struct histree_error *error)
{
	enum histree_status status = begin_others(writer, error);
	if (status == HISTREE_OK && writer->owners != NULL)
		return make_of_fed(writer, bytes, error);
	if (status == HISTREE_OK)
		status = choose_first(writer, error);
	if (status == HISTREE_OK && writer->choice.count > 0)
		status = fit_first(writer, error);
	bool is_any = writer->choice.count > 0;
	if (status == HISTREE_OK)
		status = join_others(writer, error);
	if (status == HISTREE_OK && is_any)
		status = make_overview(writer, 1, bytes, error);
	else if (status == HISTREE_OK && writer->choice.count > 0)
		status = walk_windows(writer, error);
	return status == HISTREE_OK ? end_others(writer, error) : status;
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

/* Remove all overviews that exist. */
static void remove_all(struct writer *writer)
{
	for (unsigned id = 0; id < PYRAMIDS; id++)
		for (uint32_t file = 1; file <= pyramid_files_max(id); file++) {
			pyramid_path(id, writer->path, file, writer->name);
			writer->io->unlink(writer->io->context, writer->name);
		}
}

/* What the others leave of what all may have. */
static uint64_t bytes_max_of(const struct writer *writer)
{
	uint64_t all = percent_of(writer, writer->options.percent_max);
	return all > writer->bytes_of_others ? all - writer->bytes_of_others : 0;
}

/*
 * Those behind the first, which has *bytes, of which *bytes becomes the sum.  HISTREE_PARTIAL: they have too many
 * bytes, and *bytes is how many they are likely to have.
 */
static enum histree_status write_levels(struct writer *writer, uint64_t *bytes, struct histree_error *error)
{
	uint64_t of_one = *bytes;
	enum histree_status status = overview_choice_copy(&writer->first, &writer->choice, error);
	for (uint32_t number = 2; status == HISTREE_OK; number++) {
		if (*bytes > bytes_max_of(writer)) {
			*bytes += of_one / 3; /* those that would follow */
			return HISTREE_PARTIAL;
		}
		overview_choice_of_overview(&writer->choice, &writer->options);
		if (writer->choice.count == 0 || number > PYRAMID_LEVELS_MAX)
			return HISTREE_OK;
		if (writer->owners != NULL) {
			status = make_fed_rows(writer, number, &of_one, error);
		} else {
			status = open_source(writer, writer->name, error);
			if (status == HISTREE_OK)
				status = make_overview(writer, number, &of_one, error);
		}
		*bytes += of_one;
	}
	return status;
}

/* The first overview, which is too large, is what a smaller one is made of: until then it is the last one. */
static enum histree_status put_aside(struct writer *writer, struct histree_error *error)
{
	close_source(writer);
	writer->owners = NULL;
	pyramid_path(PYRAMID_ROWS, writer->path, 1, writer->name);
	pyramid_path(PYRAMID_ROWS, writer->path, PYRAMID_LEVELS_MAX, writer->other);
	if (writer->io->rename(writer->io->context, writer->name, writer->other) != 0)
		return error_set(error, HISTREE_ERR_IO, "cannot rename '%s': %s", writer->name, strerror(errno));
	for (uint32_t number = 2; number <= writer->last && number < PYRAMID_LEVELS_MAX; number++) {
		pyramid_path(PYRAMID_ROWS, writer->path, number, writer->name);
		writer->io->unlink(writer->io->context, writer->name);
	}
	writer->last = 0;
	return open_source(writer, writer->other, error);
}

/* There is none behind the last overview. */
static void remove_aside(struct writer *writer)
{
	close_source(writer);
	pyramid_path(PYRAMID_ROWS, writer->path, PYRAMID_LEVELS_MAX, writer->other);
	if (writer->last < PYRAMID_LEVELS_MAX)
		writer->io->unlink(writer->io->context, writer->other);
}

/* Those that are too large are made again of fewer cells, until these are too few for a view. */
static enum histree_status write_overviews(struct writer *writer, struct histree_error *error)
{
	uint64_t bytes = 0;
	enum histree_status status = make_first(writer, &bytes, error);
	bool is_again = false;
	while (status == HISTREE_OK && writer->last > 0) {
		status = write_levels(writer, &bytes, error);
		if (status != HISTREE_PARTIAL)
			break;
		is_again = true;
		status = put_aside(writer, error);
		writer->choice.count = 0;
		while (status == HISTREE_OK && writer->choice.count == 0 &&
		       overview_options_coarser(&writer->options, bytes_max_of(writer), bytes)) {
			status = overview_choice_again(&writer->choice, &writer->options, &writer->of,
						       writer->row_counts, &writer->first, error);
			bytes = 0;
		}
		if (status == HISTREE_OK && writer->choice.count > 0)
			status = make_overview(writer, 1, &bytes, error);
	}
	if (is_again && status == HISTREE_OK)
		remove_aside(writer);
	return status;
}

/* Whether a kind is made of the history, which is then counted. */
static bool is_read(struct writer *writer, enum pyramid_id id)
{
	const bool is_of_kernel = strncmp(writer->of.provider, "kernel", strlen("kernel")) == 0;
	return cell_kinds[id] != NULL && overview_feed_maker(writer->feed, id) == NULL &&
	       (id != PYRAMID_CUBE || is_of_kernel);
}

static enum histree_status count_states(struct writer *writer, struct histree_error *error)
{
	const struct owner_feed *owners = writer->owners = overview_feed_owners(writer->feed);
	enum histree_status status = HISTREE_OK;
	bool is_any = owners == NULL;
	writer->row_counts = owners != NULL ? &writer->fed_counts : &writer->counts;
	if (owners != NULL)
		status = owner_feed_counts(owners, &writer->fed_counts, writer->path, writer->of.attribute_count,
					   writer->options.memory_max, error);
	for (unsigned id = 0; id < PYRAMIDS; id++)
		is_any |= is_read(writer, id);
	if (status != HISTREE_OK || !is_any)
		return status;
	return state_counts_make(&writer->counts, writer->source, &writer->options, &writer->progress, error);
}

static enum histree_status write_all(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = open_source(writer, writer->path, error);
	if (status != HISTREE_OK)
		return status;
	writer->of = *histree_history_info(writer->source);
	writer->of.nodes_at_height = NULL;
	if (writer->of.interval_count < writer->options.history_states_min)
		return HISTREE_OK;
	status = count_states(writer, error);
	return status == HISTREE_OK ? write_overviews(writer, error) : status;
}

/* If no thread can be started, the caller's thread does all the work. */
static void take_crew(struct writer *writer)
{
	struct overview_options *options = &writer->options;
	if (options->threads < 2)
		options->crew = NULL;
	else if (options->crew == NULL && crew_begin(&writer->own_crew, options->threads - 1))
		options->crew = &writer->own_crew;
}

enum histree_status overviews_write_fed(const struct io *io, const char *path,
					const struct overview_options *options, struct overview_feed *feed,
					struct histree_error *error)
{
	struct writer writer = {
		.io = io, .path = path, .options = overview_options_complete(options), .feed = feed
	};
	size_t size = pyramid_path_size(path); /* the longest of all */
	writer.progress =
		(struct overview_progress){ .go_on = writer.options.go_on, .context = writer.options.context };
	writer.name = malloc(size);
	writer.other = malloc(size);
	if (writer.name == NULL || writer.other == NULL) {
		free(writer.name);
		free(writer.other);
		return error_memory(error, "a path");
	}
	remove_all(&writer); /* what a build that was cut off left */
	take_crew(&writer);
	enum histree_status status = write_all(&writer, error);
	pyramid_file_drop(&writer.rows);
	drop_others(&writer);
	close_source(&writer);
	overview_choice_release(&writer.choice);
	overview_choice_release(&writer.first);
	state_counts_release(&writer.counts);
	state_counts_release(&writer.fed_counts);
	if (status != HISTREE_OK)
		remove_all(&writer);
	if (writer.options.crew == &writer.own_crew)
		crew_end(&writer.own_crew);
	free(writer.name);
	free(writer.other);
	return status;
}
