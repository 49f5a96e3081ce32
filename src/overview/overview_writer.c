// SPDX-License-Identifier: MIT
/*
 * overview_writer.c - makes the pyramids of a history from what was fed while it was made, or from what is fed now
 * by reading it.
 *
 * The owners that get cells are chosen, and their cells are written.  Rows are written level by level: each level
 * is made from what was kept, in wider cells than the level before.
 */
#include "overview/overview_writer.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "base/memory_files.h"
#include "histree/history.h"
#include "overview/fact_feed.h"
#include "overview/overview_choice.h"
#include "overview/overview_feed.h"
#include "overview/overview_replay.h"
#include "overview/owner_feed.h"
#include "overview/pyramid_maker.h"
#include "query/thread.h"
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
		status = pyramid_file_name(file, condensed->width_log2, condensed->quark, &condensed->own, error);
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

/* ---- overview writer ----------------------------------------------------------------------------------------- */

struct writer {
	const struct io *io;
	const char *path; /* of the history that has the overviews */
	char *name;       /* room for those of overviews: there must be some when memory runs out */
	struct overview_options options, first_options; /* which are as asked for, before others are tried */
	struct crew own_crew;                           /* used where the options have no crew */
	struct overview_progress progress;
	struct histree_history *source;
	struct histree_history_info of;

	struct overview_feed *feed;     /* what was fed while the history was made; NULL: nothing was */
	struct overview_feed *replayed; /* what was lacking, and was fed now */
	struct table_space tables;      /* of that */
	struct owner_feed *owners;      /* of one of the two */
	struct state_counts counts;     /* of the owners */

	struct overview_choice choice; /* of the level of rows at hand */
	struct pyramid_file rows;      /* the level at hand */
	uint32_t last;                 /* level that is there */

	struct pyramid_source pyramid_source;
	struct pyramid_maker makers[PYRAMIDS]; /* of the other pyramids of cells */
	uint64_t bytes_of_others;
};

static enum histree_status open_source(struct writer *writer, struct histree_error *error)
{
	static const struct histree_open_options options = { .cache_bytes = 8 << 20 };
	struct block_file *file;
	enum histree_status status = block_file_open(writer->io, writer->path, &file, error);
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
	case PYRAMID_NAMES:
		return options->names_percent_max;
	case PYRAMID_ROWS:
	case PYRAMIDS:
		break;
	}
	return options->percent_max;
}

/*
 * What others have, or are likely to take, of what all may have: more than half of what they may, where there are
 * some.
 */
static uint64_t bytes_for_states(const struct writer *writer)
{
	uint64_t others = 0;
	for (unsigned id = 0; id < PYRAMIDS; id++)
		if (writer->makers[id].is_wanted)
			others += percent_of(writer, percent_max_of(&writer->options, id));
	others = others * 5 / 8 + writer->bytes_of_others;
	uint64_t all = percent_of(writer, writer->options.percent_max);
	return all > others ? all - others : 0;
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

enum {
	STATES_IN_SLICE = 1 << 16,
	TRIED_SLICES = 4,
	TRIED_EVERY = 8,
	STATE_BYTES = 8, /* in a level, at most, about */
	MEMORY_DEFAULT = 64 << 20,
	TABLES_SHARE = 2, /* of what a tree may have, while a history is read */
};

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

/* All that ends up to a time is not written. */
static void skip_slice(struct fed_rows *rows, uint32_t count, histree_time to)
{
	for (uint32_t i = 0; i < count; i++) {
		struct fed_row *row = &rows->rows[i];
		row->written = row_feed_after(rows->feed, row->owner, row->written, to);
	}
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
		if (i % every != every / 2) {
			skip_slice(rows, writer->choice.count, to);
			continue;
		}
		if (status == HISTREE_OK)
			status = take_slice(rows, writer->choice.count, writer->of.start, to, error);
		for (size_t state = 0; state < rows->count && status == HISTREE_OK; state++)
			status = take_state(file, &writer->choice, &rows->feed->values,
					    &rows->slice[rows->order[state].index], error);
	}
	return status;
}

static enum histree_status write_rows(struct writer *writer, struct fed_rows *rows, struct histree_error *error)
{
	for (uint32_t i = 0; i < writer->choice.count; i++)
		writer->choice.condensed[i].states = 0;
	return write_slices(writer, rows, &writer->rows, rows->feed->kept / STATES_IN_SLICE + 1, 1, error);
}

/*
 * How many bytes the first level is likely to have, by a part of its time, which is written into memory; all of it
 * where that is not much.
 */
static enum histree_status try_rows(struct writer *writer, struct fed_rows *rows, uint64_t *bytes,
				    struct histree_error *error)
{
	static const char name[] = "trial";
	const struct overview_options alone = { .memory_max = writer->options.memory_max, .threads = 1 };
	const uint64_t every = rows->feed->kept > STATES_IN_SLICE ? TRIED_EVERY : 1;
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
		status = write_slices(writer, rows, &file, TRIED_SLICES * every, every, error);
	if (status == HISTREE_OK)
		status = pyramid_file_finish(&file, io, name, &writer->of, bytes, error);
	pyramid_file_drop(&file);
	table_space_release(&tables);
	memory_files_leave(io);
	*bytes *= every;
	return status;
}

/* Make cells fewer until they are likely to fit, so that the first level need not be made again. */
static enum histree_status fit_rows(struct writer *writer, struct fed_rows *rows, struct histree_error *error)
{
	const uint64_t bytes_max = bytes_for_states(writer);
	struct overview_options options = writer->options;
	struct overview_choice fewer = { 0 };
	enum histree_status status = choose_kept(writer, rows, error);
	while (status == HISTREE_OK && writer->choice.count > 0 &&
	       (rows->feed->kept > STATES_IN_SLICE || rows->feed->kept * STATE_BYTES > bytes_max)) {
		uint64_t bytes = 0;
		status = try_rows(writer, rows, &bytes, error);
		bytes += bytes / 3; /* of those that follow */
		if (status != HISTREE_OK || bytes <= bytes_max ||
		    !overview_options_coarser(&options, bytes_max, bytes))
			break;
		status = overview_choice_coarser(&fewer, &options, &writer->of, &writer->counts, &writer->choice,
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
static enum histree_status make_rows(struct writer *writer, uint32_t number, uint64_t *bytes,
				     struct histree_error *error)
{
	struct fed_rows rows = { .feed = &writer->owners->rows };
	enum histree_status status =
		number == 1 ? fit_rows(writer, &rows, error) : choose_kept(writer, &rows, error);
	writer->progress.steps = number;
	*bytes = 0;
	if (status == HISTREE_OK && writer->choice.count > 0) {
		pyramid_path(PYRAMID_ROWS, writer->path, number, writer->name);
		status = begin_rows(&writer->rows, writer->io, writer->name, &writer->of, &writer->choice,
				    &writer->options, NULL, error);
		if (status == HISTREE_OK)
			status = write_rows(writer, &rows, error);
		if (status == HISTREE_OK)
			status = pyramid_file_finish(&writer->rows, writer->io, writer->name, &writer->of, bytes,
						     error);
		writer->last = number;
	}
	free(rows.rows);
	free(rows.slice);
	free(rows.order);
	free(rows.spare);
	return status;
}

/* ---- the first one ------------------------------------------------------------------------------------------ */

/* Chooses as many cells as are allowed; fewer if not enough attributes are worth their cells. */
static enum histree_status choose_first(struct writer *writer, struct histree_error *error)
{
	struct histree_cursor *query;
	enum histree_status status = histree_query_create(writer->source, &query, error);
	while (status == HISTREE_OK) {
		status = overview_choice_of_history(&writer->choice, &writer->options, query, &writer->counts,
						    error);
		if (writer->choice.count > 0 || !overview_options_coarser(&writer->options, 0, 0))
			break;
	}
	histree_cursor_free(query);
	return status;
}

/* ---- other pyramids ----------------------------------------------------------------------------------------- */

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
	};
	for (unsigned id = 0; id < PYRAMIDS && status == HISTREE_OK; id++) {
		struct pyramid_maker *fed = overview_feed_maker(writer->feed, id);
		const uint64_t bytes_max = percent_of(writer, percent_max_of(&writer->options, id));
		if (fed == NULL)
			fed = overview_feed_maker(writer->replayed, id);
		if (fed != NULL)
			status = pyramid_maker_adopt(&writer->makers[id], fed, &writer->pyramid_source, bytes_max,
						     error);
	}
	return status;
}

static void drop_others(struct writer *writer)
{
	for (unsigned id = 0; id < PYRAMIDS; id++)
		pyramid_maker_release(&writer->makers[id]);
}

static enum histree_status end_others(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (unsigned id = 0; id < PYRAMIDS && status == HISTREE_OK; id++) {
		uint64_t bytes = 0;
		if (writer->makers[id].kind != NULL)
			status = pyramid_maker_end(&writer->makers[id], &bytes, error);
		writer->bytes_of_others += bytes;
	}
	drop_others(writer);
	return status;
}

/* ---- names of threads --------------------------------------------------------------------------------------- */

/* They have bytes of their own: cells are neither wider nor fewer where there are many names. */
static enum histree_status write_names(struct writer *writer, struct histree_error *error)
{
	struct fact_feed *facts = overview_feed_facts(writer->feed);
	uint64_t bytes = 0;
	facts = facts != NULL ? facts : overview_feed_facts(writer->replayed);
	pyramid_path(PYRAMID_NAMES, writer->path, 1, writer->name);
	return facts == NULL ? HISTREE_OK
			     : fact_feed_write(facts, writer->io, writer->name, writer->source, &writer->options,
					       percent_of(writer, percent_max_of(&writer->options, PYRAMID_NAMES)),
					       &bytes, error);
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

static void remove_last(struct writer *writer)
{
	pyramid_path(PYRAMID_ROWS, writer->path, writer->last--, writer->name);
	writer->io->unlink(writer->io->context, writer->name);
}

/* A first level that is too large is made again of fewer cells, until these are too few for a view. */
static enum histree_status make_first_again(struct writer *writer, uint64_t *bytes, struct histree_error *error)
{
	struct overview_choice before = writer->choice;
	enum histree_status status = HISTREE_OK;
	writer->choice = (struct overview_choice){ 0 };
	remove_last(writer);
	for (*bytes += *bytes / 3; status == HISTREE_OK && writer->choice.count == 0; *bytes = 0) {
		if (!overview_options_coarser(&writer->options, bytes_max_of(writer), *bytes))
			break;
		status = overview_choice_coarser(&writer->choice, &writer->options, &writer->of, &writer->counts,
						 &before, error);
	}
	overview_choice_release(&before);
	return status == HISTREE_OK && writer->choice.count > 0 ? make_rows(writer, 1, bytes, error) : status;
}

/* All levels of rows have what the others leave of the bytes; a level that has more is not there. */
static enum histree_status write_overviews(struct writer *writer, struct histree_error *error)
{
	uint64_t bytes = 0, of_level = 0;
	enum histree_status status = write_names(writer, error);
	if (status == HISTREE_OK)
		status = begin_others(writer, error);
	if (status == HISTREE_OK)
		status = choose_first(writer, error);
	if (status == HISTREE_OK)
		status = make_rows(writer, 1, &bytes, error);
	if (status == HISTREE_OK)
		status = end_others(writer, error);
	while (status == HISTREE_OK && writer->last > 0 && bytes > bytes_max_of(writer))
		status = make_first_again(writer, &bytes, error);
	for (uint32_t number = 2; status == HISTREE_OK && writer->last > 0 && number <= PYRAMID_LEVELS_MAX;
	     number++) {
		overview_choice_of_overview(&writer->choice, &writer->options);
		if (writer->choice.count == 0)
			break;
		status = make_rows(writer, number, &of_level, error);
		bytes += of_level;
		if (status != HISTREE_OK || bytes <= bytes_max_of(writer))
			continue;
		remove_last(writer);
		break;
	}
	return status;
}

/* Feed what was not fed while the history was made. */
static enum histree_status feed_lacking(struct writer *writer, struct histree_error *error)
{
	const bool is_of_kernel = strncmp(writer->of.provider, "kernel", strlen("kernel")) == 0;
	const size_t memory = writer->options.memory_max != 0 ? writer->options.memory_max : MEMORY_DEFAULT;
	unsigned lacking = overview_feed_owners(writer->feed) == NULL ? 1U << PYRAMID_ROWS : 0;
	for (unsigned id = 0; id < PYRAMIDS; id++)
		if (cell_kinds[id] != NULL && overview_feed_maker(writer->feed, id) == NULL &&
		    (id != PYRAMID_CUBE || is_of_kernel))
			lacking |= 1U << id;
	if (histree_thread_analysis_is(writer->of.provider) && overview_feed_facts(writer->feed) == NULL)
		lacking |= 1U << PYRAMID_NAMES;
	if (lacking == 0)
		return HISTREE_OK;
	if (!table_space_init(&writer->tables, writer->path, memory / TABLES_SHARE))
		return error_memory(error, "an overview");
	const struct overview_feed_plan plan = { .provider = writer->of.provider,
						 .start = writer->of.start,
						 .options = &writer->options,
						 .tables = &writer->tables,
						 .is_complete = true,
						 .of_attributes = &writer->tables,
						 .kinds = lacking };
	enum histree_status status = overview_feed_create(&plan, &writer->replayed, error);
	if (status == HISTREE_OK)
		status = overview_replay(writer->replayed, writer->source, &writer->tables, &writer->progress,
					 error);
	return status;
}

static enum histree_status write_all(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = open_source(writer, error);
	if (status != HISTREE_OK)
		return status;
	writer->of = *histree_history_info(writer->source);
	writer->of.nodes_at_height = NULL;
	if (writer->of.interval_count < writer->options.history_states_min)
		return HISTREE_OK;
	status = feed_lacking(writer, error);
	writer->owners = overview_feed_owners(writer->feed);
	if (writer->owners == NULL)
		writer->owners = overview_feed_owners(writer->replayed);
	if (status == HISTREE_OK)
		status = owner_feed_counts(writer->owners, &writer->counts, writer->path,
					   writer->of.attribute_count, writer->options.memory_max, error);
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
	if (writer.name == NULL)
		return error_memory(error, "a path");
	remove_all(&writer); /* what a build that was cut off left */
	take_crew(&writer);
	enum histree_status status = write_all(&writer, error);
	pyramid_file_drop(&writer.rows);
	drop_others(&writer);
	histree_history_close(writer.source);
	overview_choice_release(&writer.choice);
	state_counts_release(&writer.counts);
	overview_feed_free(writer.replayed);
	table_space_release(&writer.tables);
	if (status != HISTREE_OK)
		remove_all(&writer);
	if (writer.options.crew == &writer.own_crew)
		crew_end(&writer.own_crew);
	free(writer.name);
	return status;
}
