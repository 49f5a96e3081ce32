// SPDX-License-Identifier: MIT
/*
 * window_walk.c - time is cut in stretches of one length, and whoever has nothing to do makes a window of the next
 * one.  A stretch with too many states is halved until a window holds what is left, and windows grow again where
 * there is less; what comes behind in it is read when that window has been taken, so that there are never more
 * windows than places for them.
 */
#include "overview/window_walk.h"

#include <stdlib.h>

#include "base/error.h"

enum { HELPERS_MAX = 3 };

struct stretch {
	histree_time to; /* its last ns */
	bool is_done;    /* the window has been prepared, or has failed */
	enum histree_status status;
	struct histree_error error;
	uint64_t ahead; /* how far the last ns of a window is from its first */
	struct overview_window window;
};

struct stretches;

/* A task of the crew, a step of which is a stretch. */
struct helper {
	struct crew_task task;
	struct stretches *stretches;
	struct histree_query *query; /* made in its first step */
};

struct stretches {
	const struct window_walk *walk;
	const struct histree_history_info *of;
	histree_quark *quarks;
	size_t enough;  /* states in a window */
	uint64_t ahead; /* how far the last ns of a stretch is from its first: all of time is 2^64 ns */
	struct helper helpers[HELPERS_MAX];
	unsigned helper_count;

	/* A ring, and what is said of it under the mutex. */
	struct stretch *ring;
	size_t size;
	pthread_mutex_t mutex;
	histree_time next; /* where the next stretch begins */
	bool has_next;
	bool is_stopping;
	uint64_t begun, taken; /* stretches */
};

/* ---- a window ---------------------------------------------------------------------------------------------- */

static uint64_t left_from(const struct stretches *stretches, histree_time t)
{
	return (uint64_t)stretches->of->end - (uint64_t)t;
}

/* What could not be read came as unknown, which the history does not say. */
static enum histree_status check_whole(const struct window_walk *walk, struct histree_query *query,
				       struct histree_error *error)
{
	if (histree_query_stats(query).nodes_damaged == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s' is damaged: build it again", walk->path);
}

/* Make a window of what is left of the stretch, or of its beginning. */
static void make_window(const struct stretches *stretches, struct histree_query *query, struct stretch *stretch)
{
	const struct window_walk *walk = stretches->walk;
	struct overview_window *window = &stretch->window;
	enum histree_status status;
	do {
		uint64_t left = (uint64_t)stretch->to - (uint64_t)window->from, ahead = stretch->ahead;
		window->to = (histree_time)((uint64_t)window->from + (left < ahead ? left : ahead));
		status = overview_window_read(window, query, walk->choice, stretches->quarks,
					      ahead > 0 ? 2 * stretches->enough : SIZE_MAX, &stretch->error);
		if (status == HISTREE_PARTIAL)
			stretch->ahead /= 2;
	} while (status == HISTREE_PARTIAL);
	if (status == HISTREE_OK)
		status = check_whole(walk, query, &stretch->error);
	if (status == HISTREE_OK && window->state_count < stretches->enough / 2)
		stretch->ahead = stretch->ahead < stretches->ahead / 2 ? 2 * stretch->ahead + 1 : stretches->ahead;
	if (status == HISTREE_OK)
		status = walk->prepare != NULL ? walk->prepare(walk->context, window, &stretch->error)
					       : overview_window_sort(window, walk->choice, &stretch->error);
	stretch->status = status;
}

/* ---- who makes them ---------------------------------------------------------------------------------------- */

/* Under the mutex: whether there is another stretch, and a place for it. */
static bool can_begin(const struct stretches *stretches)
{
	return stretches->has_next && !stretches->is_stopping &&
	       stretches->begun - stretches->taken < stretches->size;
}

/* Returns the next stretch, to make a window of; NULL: there is none, or no place for it. */
static struct stretch *begin_stretch(struct stretches *stretches)
{
	struct stretch *stretch = NULL;
	pthread_mutex_lock(&stretches->mutex);
	if (can_begin(stretches)) {
		stretch = &stretches->ring[stretches->begun++ % stretches->size];
		uint64_t left = left_from(stretches, stretches->next);
		stretch->is_done = false;
		stretch->ahead = left < stretches->ahead ? left : stretches->ahead;
		stretch->window.from = stretches->next;
		stretch->to = (histree_time)((uint64_t)stretches->next + stretch->ahead);
		stretches->has_next = stretch->to != stretches->of->end;
		if (stretches->has_next)
			stretches->next = stretch->to + 1;
	}
	pthread_mutex_unlock(&stretches->mutex);
	return stretch;
}

/* Returns whether another one can be begun. */
static bool do_stretch(struct stretches *stretches, struct histree_query *query, struct stretch *stretch)
{
	make_window(stretches, query, stretch);
	pthread_mutex_lock(&stretches->mutex);
	stretch->is_done = true;
	bool goes_on = can_begin(stretches);
	pthread_mutex_unlock(&stretches->mutex);
	return goes_on;
}

/* A step.  Who cannot ask does nothing: others do. */
static bool help(void *context)
{
	struct helper *helper = context;
	struct stretches *stretches = helper->stretches;
	if (helper->query == NULL &&
	    histree_query_create(stretches->walk->history, &helper->query, NULL) != HISTREE_OK)
		return false;
	struct stretch *stretch = begin_stretch(stretches);
	return stretch != NULL && do_stretch(stretches, helper->query, stretch);
}

static void start_helpers(struct stretches *stretches)
{
	for (unsigned i = 0; i < stretches->helper_count; i++)
		crew_start(stretches->walk->crew, &stretches->helpers[i].task);
}

static void finish_helpers(struct stretches *stretches)
{
	for (unsigned i = 0; i < stretches->helper_count; i++) {
		crew_finish(stretches->walk->crew, &stretches->helpers[i].task);
		histree_query_free(stretches->helpers[i].query);
	}
}

/* ---- who takes them ---------------------------------------------------------------------------------------- */

static enum histree_status take_window(struct stretches *stretches, struct stretch *stretch,
				       struct histree_error *error)
{
	const struct window_walk *walk = stretches->walk;
	double whole = (double)left_from(stretches, stretches->of->start) + 1;
	if (stretch->status != HISTREE_OK)
		return error_set(error, stretch->status, "%s", stretch->error.message);
	enum histree_status status = overview_progress_show(
		walk->progress, 1 - (double)left_from(stretches, stretch->window.from) / whole, error);
	return status == HISTREE_OK ? walk->take(walk->context, &stretch->window, error) : status;
}

/* All windows of a stretch, of which the first has been made. */
static enum histree_status take_stretch(struct stretches *stretches, struct histree_query *query,
					struct stretch *stretch, struct histree_error *error)
{
	enum histree_status status = take_window(stretches, stretch, error);
	while (status == HISTREE_OK && stretch->window.to != stretch->to) {
		stretch->window.from = stretch->window.to + 1;
		make_window(stretches, query, stretch);
		status = take_window(stretches, stretch, error);
	}
	return status;
}

static bool is_oldest_done(void *context)
{
	struct stretches *stretches = context;
	pthread_mutex_lock(&stretches->mutex);
	bool is_done = stretches->ring[stretches->taken % stretches->size].is_done;
	pthread_mutex_unlock(&stretches->mutex);
	return is_done;
}

/* Waits for the oldest stretch; others are done meanwhile.  Returns NULL behind the last one. */
static struct stretch *oldest(struct stretches *stretches, struct histree_query *query)
{
	struct stretch *next;
	for (;;) {
		pthread_mutex_lock(&stretches->mutex);
		struct stretch *stretch = &stretches->ring[stretches->taken % stretches->size];
		bool is_begun = stretches->begun > stretches->taken, is_done = is_begun && stretch->is_done;
		pthread_mutex_unlock(&stretches->mutex);
		if (is_done)
			return stretch;
		if ((next = begin_stretch(stretches)) != NULL)
			do_stretch(stretches, query, next);
		else if (is_begun)
			crew_await(stretches->walk->crew, NULL, is_oldest_done, stretches);
		else
			return NULL;
	}
}

static enum histree_status take_all(struct stretches *stretches, struct histree_query *query,
				    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	struct stretch *stretch;
	start_helpers(stretches);
	while (status == HISTREE_OK && (stretch = oldest(stretches, query)) != NULL) {
		status = take_stretch(stretches, query, stretch, error);
		pthread_mutex_lock(&stretches->mutex);
		stretches->taken++;
		pthread_mutex_unlock(&stretches->mutex);
		start_helpers(stretches);
	}
	pthread_mutex_lock(&stretches->mutex);
	stretches->is_stopping = true;
	pthread_mutex_unlock(&stretches->mutex);
	finish_helpers(stretches);
	return status;
}

/* There is no more help than windows are expected. */
static void engage_helpers(struct stretches *stretches, uint64_t windows)
{
	const struct window_walk *walk = stretches->walk;
	unsigned most = walk->crew != NULL && walk->threads > 0 ? walk->threads - 1 : 0;
	most = most < HELPERS_MAX ? most : HELPERS_MAX;
	stretches->helper_count = windows - 1 < most ? (unsigned)(windows - 1) : most;
	for (unsigned i = 0; i < stretches->helper_count; i++)
		stretches->helpers[i] = (struct helper){
			.task = { .step = help, .context = &stretches->helpers[i] },
			.stretches = stretches,
		};
}

enum histree_status window_walk(const struct window_walk *walk, struct histree_error *error)
{
	const struct histree_history_info *of = histree_history_info(walk->history);
	size_t count = walk->choice->count, enough = walk->states_in_window + count;
	uint64_t windows = walk->choice->states / enough + 1;
	struct stretches stretches = {
		.walk = walk,
		.of = of,
		.quarks = malloc((count + 1) * sizeof(histree_quark)),
		.enough = enough,
		.ahead = ((uint64_t)of->end - (uint64_t)of->start) / windows,
		.next = of->start,
		.has_next = true,
	};
	if (pthread_mutex_init(&stretches.mutex, NULL) != 0) {
		free(stretches.quarks);
		return error_memory(error, "an overview");
	}
	engage_helpers(&stretches, windows);
	stretches.size = stretches.helper_count > 0 ? stretches.helper_count + 2 : 1;
	stretches.ring = calloc(stretches.size, sizeof(*stretches.ring));
	struct histree_query *query = NULL;
	enum histree_status status = stretches.quarks != NULL && stretches.ring != NULL
					     ? histree_query_create(walk->history, &query, error)
					     : error_memory(error, "an overview");
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		stretches.quarks[i] = walk->choice->condensed[i].source;
	if (status == HISTREE_OK)
		status = take_all(&stretches, query, error);
	histree_query_free(query);
	for (size_t i = 0; i < stretches.size && stretches.ring != NULL; i++)
		overview_window_release(&stretches.ring[i].window);
	free(stretches.ring);
	free(stretches.quarks);
	pthread_mutex_destroy(&stretches.mutex);
	return status;
}
