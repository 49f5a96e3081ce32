// SPDX-License-Identifier: MIT
#include "overview/overview_trial.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory_files.h"
#include "overview/overview_file.h"
#include "overview/overview_sink.h"

/* With fewer windows, a trial would read too much of the history to be cheaper than to make an overview again. */
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

static enum histree_status read_windows(struct overview_trial *trial, struct histree_query *query,
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
	struct histree_query *query = NULL;
	histree_quark *quarks = malloc((choice->count + (size_t)1) * sizeof(*quarks));
	enum histree_status status =
		quarks != NULL ? histree_query_create(history, &query, error) : error_memory(error, "an overview");
	if (status == HISTREE_OK)
		status = overview_choice_copy(&trial->choice, choice, error);
	if (status == HISTREE_OK)
		status = read_windows(trial, query, quarks, enough, error);
	histree_query_free(query);
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
	struct overview_sink sink = { .is_there = false };
	enum histree_status status =
		overview_sink_begin(&sink, io, name, &trial->of, &trial->choice, &alone, tables, error);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		status = overview_window_condense(&trial->read[i], &trial->choice, trial->of.start, error);
		if (status == HISTREE_OK)
			status = overview_sink_take(&sink, &trial->choice, &trial->read[i], error);
	}
	if (status == HISTREE_OK)
		status = overview_sink_finish(&sink, &trial->of, error);
	overview_sink_drop(&sink);
	if (status == HISTREE_OK)
		status = overview_file_bytes(io, name, bytes, error);
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
