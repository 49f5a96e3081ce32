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
#include "base/thread.h"

enum { THREADS_MAX = 4 };

struct stretch {
	histree_time to; /* its last ns */
	bool is_done;    /* the window has been prepared, or has failed */
	enum histree_status status;
	struct histree_error error;
	uint64_t ahead; /* how far the last ns of a window is from its first */
	struct overview_window window;
};

struct crew {
	const struct window_walk *walk;
	const struct histree_history_info *of;
	histree_quark *quarks;
	size_t enough;  /* states in a window */
	uint64_t ahead; /* how far the last ns of a stretch is from its first: all of time is 2^64 ns */

	/* A ring, and what is said of it under the mutex. */
	struct stretch *stretches;
	size_t size;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	histree_time next; /* where the next stretch begins */
	bool has_next;
	bool is_stopping;
	uint64_t begun, taken; /* stretches */
};

/* ---- a window ---------------------------------------------------------------------------------------------- */

static uint64_t left_from(const struct crew *crew, histree_time t)
{
	return (uint64_t)crew->of->end - (uint64_t)t;
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
static void make_window(const struct crew *crew, struct histree_query *query, struct stretch *stretch)
{
	const struct window_walk *walk = crew->walk;
	struct overview_window *window = &stretch->window;
	enum histree_status status;
	do {
		uint64_t left = (uint64_t)stretch->to - (uint64_t)window->from, ahead = stretch->ahead;
		window->to = (histree_time)((uint64_t)window->from + (left < ahead ? left : ahead));
		status = overview_window_read(window, query, walk->choice, crew->quarks,
					      ahead > 0 ? 2 * crew->enough : SIZE_MAX, &stretch->error);
		if (status == HISTREE_PARTIAL)
			stretch->ahead /= 2;
	} while (status == HISTREE_PARTIAL);
	if (status == HISTREE_OK)
		status = check_whole(walk, query, &stretch->error);
	if (status == HISTREE_OK && window->state_count < crew->enough / 2)
		stretch->ahead = stretch->ahead < crew->ahead / 2 ? 2 * stretch->ahead + 1 : crew->ahead;
	if (status == HISTREE_OK)
		status = walk->prepare(walk->context, window, &stretch->error);
	stretch->status = status;
}

/* ---- who makes them ---------------------------------------------------------------------------------------- */

/* Returns the next stretch, to make a window of; NULL: there is none, or no place for it.  Under the mutex. */
static struct stretch *begin_stretch(struct crew *crew)
{
	if (!crew->has_next || crew->is_stopping || crew->begun - crew->taken == crew->size)
		return NULL;
	struct stretch *stretch = &crew->stretches[crew->begun++ % crew->size];
	uint64_t left = left_from(crew, crew->next);
	stretch->is_done = false;
	stretch->ahead = left < crew->ahead ? left : crew->ahead;
	stretch->window.from = crew->next;
	stretch->to = (histree_time)((uint64_t)crew->next + stretch->ahead);
	crew->has_next = stretch->to != crew->of->end;
	if (crew->has_next)
		crew->next = stretch->to + 1;
	return stretch;
}

/* Also under the mutex, which is free in between. */
static void do_stretch(struct crew *crew, struct histree_query *query, struct stretch *stretch)
{
	pthread_mutex_unlock(&crew->mutex);
	make_window(crew, query, stretch);
	pthread_mutex_lock(&crew->mutex);
	stretch->is_done = true;
	pthread_cond_broadcast(&crew->changed);
}

/* Who cannot ask does nothing: others do. */
static void *work(void *context)
{
	struct crew *crew = context;
	struct histree_query *query;
	if (histree_query_create(crew->walk->history, &query, NULL) != HISTREE_OK)
		return NULL;
	pthread_mutex_lock(&crew->mutex);
	while (crew->has_next && !crew->is_stopping) {
		struct stretch *stretch = begin_stretch(crew);
		if (stretch != NULL)
			do_stretch(crew, query, stretch);
		else
			pthread_cond_wait(&crew->changed, &crew->mutex);
	}
	pthread_mutex_unlock(&crew->mutex);
	histree_query_free(query);
	return NULL;
}

/* ---- who takes them ---------------------------------------------------------------------------------------- */

static enum histree_status take_window(struct crew *crew, struct stretch *stretch, struct histree_error *error)
{
	const struct window_walk *walk = crew->walk;
	double whole = (double)left_from(crew, crew->of->start) + 1;
	if (stretch->status != HISTREE_OK)
		return error_set(error, stretch->status, "%s", stretch->error.message);
	enum histree_status status = overview_progress_show(
		walk->progress, 1 - (double)left_from(crew, stretch->window.from) / whole, error);
	return status == HISTREE_OK ? walk->take(walk->context, &stretch->window, error) : status;
}

/* All windows of a stretch, of which the first has been made. */
static enum histree_status take_stretch(struct crew *crew, struct histree_query *query, struct stretch *stretch,
					struct histree_error *error)
{
	enum histree_status status = take_window(crew, stretch, error);
	while (status == HISTREE_OK && stretch->window.to != stretch->to) {
		stretch->window.from = stretch->window.to + 1;
		make_window(crew, query, stretch);
		status = take_window(crew, stretch, error);
	}
	return status;
}

/* Waits for the oldest stretch; others are done meanwhile.  Returns NULL behind the last one.  Under the mutex. */
static struct stretch *oldest(struct crew *crew, struct histree_query *query)
{
	for (;;) {
		struct stretch *stretch = &crew->stretches[crew->taken % crew->size], *next;
		if (crew->begun > crew->taken && stretch->is_done)
			return stretch;
		next = begin_stretch(crew);
		if (next != NULL)
			do_stretch(crew, query, next);
		else if (crew->begun > crew->taken)
			pthread_cond_wait(&crew->changed, &crew->mutex);
		else
			return NULL;
	}
}

static enum histree_status take_all(struct crew *crew, struct histree_query *query, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	struct stretch *stretch;
	pthread_mutex_lock(&crew->mutex);
	while (status == HISTREE_OK && (stretch = oldest(crew, query)) != NULL) {
		pthread_mutex_unlock(&crew->mutex);
		status = take_stretch(crew, query, stretch, error);
		pthread_mutex_lock(&crew->mutex);
		crew->taken++;
		pthread_cond_broadcast(&crew->changed);
	}
	crew->is_stopping = true;
	pthread_cond_broadcast(&crew->changed);
	pthread_mutex_unlock(&crew->mutex);
	return status;
}

static enum histree_status walk_with(struct crew *crew, struct histree_query *query, uint32_t helpers,
				     struct histree_error *error)
{
	pthread_t threads[THREADS_MAX];
	uint32_t count = 0;
	if (pthread_mutex_init(&crew->mutex, NULL) != 0)
		return error_memory(error, "an overview");
	if (pthread_cond_init(&crew->changed, NULL) != 0) {
		pthread_mutex_destroy(&crew->mutex);
		return error_memory(error, "an overview");
	}
	while (count < helpers && thread_create(&threads[count], work, crew))
		count++;
	enum histree_status status = take_all(crew, query, error);
	for (uint32_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	pthread_cond_destroy(&crew->changed);
	pthread_mutex_destroy(&crew->mutex);
	return status;
}

/* There is no more help than windows are expected. */
static uint32_t helpers_of(const struct window_walk *walk, uint64_t windows)
{
	uint32_t threads = walk->threads > THREADS_MAX ? THREADS_MAX : walk->threads;
	uint32_t helpers = threads > 0 ? threads - 1 : 0;
	return windows - 1 < helpers ? (uint32_t)(windows - 1) : helpers;
}

enum histree_status window_walk(const struct window_walk *walk, struct histree_error *error)
{
	const struct histree_history_info *of = histree_history_info(walk->history);
	size_t count = walk->choice->count, enough = walk->states_in_window + count;
	uint64_t windows = walk->choice->states / enough + 1;
	uint32_t helpers = helpers_of(walk, windows);
	struct crew crew = {
		.walk = walk,
		.of = of,
		.quarks = malloc((count + 1) * sizeof(histree_quark)),
		.enough = enough,
		.ahead = ((uint64_t)of->end - (uint64_t)of->start) / windows,
		.size = helpers > 0 ? helpers + 2 : 1,
		.next = of->start,
		.has_next = true,
	};
	struct histree_query *query = NULL;
	crew.stretches = calloc(crew.size, sizeof(*crew.stretches));
	enum histree_status status = crew.quarks != NULL && crew.stretches != NULL
					     ? histree_query_create(walk->history, &query, error)
					     : error_memory(error, "an overview");
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		crew.quarks[i] = walk->choice->condensed[i].source;
	if (status == HISTREE_OK)
		status = walk_with(&crew, query, helpers, error);
	histree_query_free(query);
	for (size_t i = 0; i < crew.size && crew.stretches != NULL; i++)
		overview_window_release(&crew.stretches[i].window);
	free(crew.stretches);
	free(crew.quarks);
	return status;
}
