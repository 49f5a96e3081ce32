// SPDX-License-Identifier: MIT
#include "overview/window_walk.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/worker.h"

/*
 * What reads.  Windows are as long as what is in them lets them be.  Each attribute has a state in a window,
 * however short that is.  `ahead` is how far the last ns of a window is from its first: all of time is 2^64 ns.
 */
struct window_reader {
	const struct window_walk *walk;
	const struct histree_history_info *of;
	histree_quark *quarks;
	size_t enough; /* states in a window */
	uint64_t whole, ahead;
	histree_time next; /* where the next window begins */

	/* The one that is read. */
	struct overview_window *window;
	enum histree_status status;
	struct histree_error error;
};

/* What could not be read came as unknown, which the history does not say. */
static enum histree_status check_whole(const struct window_walk *walk, struct histree_error *error)
{
	if (histree_query_stats(walk->query).nodes_damaged == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s' is damaged: build it again", walk->path);
}

static uint64_t left_from(const struct window_reader *reader, histree_time t)
{
	return (uint64_t)reader->of->end - (uint64_t)t;
}

static void read_window(void *context)
{
	struct window_reader *reader = context;
	const struct window_walk *walk = reader->walk;
	struct overview_window *window = reader->window;
	enum histree_status status;
	window->from = reader->next;
	do {
		uint64_t left = left_from(reader, window->from), ahead = reader->ahead;
		window->to = (histree_time)((uint64_t)window->from + (left < ahead ? left : ahead));
		status = overview_window_read(window, walk->query, walk->choice, reader->quarks,
					      ahead > 0 ? 2 * reader->enough : SIZE_MAX, &reader->error);
		if (status == HISTREE_PARTIAL)
			reader->ahead /= 2;
	} while (status == HISTREE_PARTIAL);
	if (status == HISTREE_OK)
		status = check_whole(walk, &reader->error);
	reader->status = status;
	if (status != HISTREE_OK || window->to == reader->of->end)
		return;
	reader->next = window->to + 1;
	if (window->state_count < reader->enough / 2)
		reader->ahead = reader->ahead < reader->whole / 2 ? 2 * reader->ahead + 1 : reader->whole;
}

/* Begin to read the next window; without a worker it is read at once. */
static void begin_window(struct window_reader *reader, struct worker *worker, struct overview_window *window)
{
	reader->window = window;
	if (worker != NULL)
		worker_start(worker, read_window, reader);
	else
		read_window(reader);
}

typedef enum histree_status (*take_window)(void *context, struct overview_window *window,
					   struct histree_error *error);

/* The worker has no part in what is taken: the arrays that this takes are those of whichever window it is. */
static enum histree_status walk_windows(struct window_walk *walk, struct window_reader *reader,
					struct worker *worker, take_window take, void *context,
					struct histree_error *error)
{
	struct overview_window *window = &walk->windows[0], *other = &walk->windows[worker != NULL ? 1 : 0];
	enum histree_status status = HISTREE_OK;
	begin_window(reader, worker, window);
	for (;;) {
		if (worker != NULL)
			worker_wait(worker);
		if (reader->status != HISTREE_OK)
			return error_set(error, reader->status, "%s", reader->error.message);
		bool is_last = window->to == reader->of->end;
		double left = (double)left_from(reader, window->from) / ((double)reader->whole + 1);
		if (!is_last && worker != NULL)
			begin_window(reader, worker, other);
		status = overview_progress_show(walk->progress, 1 - left, error);
		if (status == HISTREE_OK)
			status = take(context, window, error);
		if (status != HISTREE_OK || is_last)
			break;
		if (worker == NULL) {
			begin_window(reader, NULL, window);
			continue;
		}
		overview_window_move_room(window, other);
		struct overview_window *taken = window;
		window = other;
		other = taken;
	}
	if (worker != NULL)
		worker_wait(worker);
	return status;
}

enum histree_status window_walk(struct window_walk *walk,
				enum histree_status (*take)(void *context, struct overview_window *window,
							    struct histree_error *error),
				void *context, struct histree_error *error)
{
	const struct histree_history_info *of = histree_history_info(histree_query_history(walk->query));
	struct window_reader reader = {
		.walk = walk,
		.of = of,
		.quarks = malloc(((size_t)walk->choice->count + 1) * sizeof(histree_quark)),
		.enough = walk->states_in_window + walk->choice->count,
		.whole = (uint64_t)of->end - (uint64_t)of->start,
		.next = of->start,
	};
	struct worker worker;
	if (reader.quarks == NULL)
		return error_memory(error, "an overview");
	for (uint32_t i = 0; i < walk->choice->count; i++)
		reader.quarks[i] = walk->choice->condensed[i].source;
	reader.ahead = reader.whole / (walk->choice->states / reader.enough + 1);
	bool has_worker = walk->threads > 1 && worker_create(&worker);
	enum histree_status status = walk_windows(walk, &reader, has_worker ? &worker : NULL, take, context, error);
	if (has_worker)
		worker_stop(&worker);
	free(reader.quarks);
	return status;
}

void window_walk_release(struct window_walk *walk)
{
	overview_window_release(&walk->windows[0]);
	overview_window_release(&walk->windows[1]);
}
