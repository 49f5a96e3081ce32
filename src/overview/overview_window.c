// SPDX-License-Identifier: MIT
/*
 * overview_window.c - the states of a history window by window of time: read, sorted by attribute, and made
 * fewer.
 *
 * Time is cut into stretches of equal length, and an idle thread makes a window of the next one.  A stretch with
 * too many states is halved until a window holds the states that are left, and windows grow again where there are
 * fewer; the rest of a stretch is read when its window has been taken, so that there are never more windows than
 * places for them.
 */
#include "overview/overview_window.h"

#include <stdlib.h>
#include <string.h>

#include "base/crew.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "overview/overview_choice.h"
#include "query/range_sums.h"
#include "state/pyramid.h"

/* ---- overview window ----------------------------------------------------------------------------------------- */

enum { READ_AT_ONCE = 256 }; /* 10 KiB: they stay in the nearest cache */

/* ---- reading --------------------------------------------------------------------------------------------- */

/* There is room for it. */
static enum histree_status keep_state(struct overview_window *window, const struct overview_choice *choice,
				      const struct histree_interval *interval, struct histree_error *error)
{
	const struct histree_value *of = &interval->value;
	uint32_t attribute = window->state_count > 0 ? window->states[window->state_count - 1].attribute : 0;
	uint32_t value = 0;
	enum histree_status status = HISTREE_OK;
	if (pyramid_value_is_rest(of))
		value = OVERVIEW_REST;
	else if (of->type != HISTREE_INT || !value_table_has_recent(&window->values, of->int32, &value))
		status = value_table_add(&window->values, of, &value, error);
	/* Most come after another one of the same. */
	if (choice->condensed[attribute].source != interval->quark)
		attribute = overview_choice_find(choice, interval->quark, attribute);
	window->states[window->state_count++] = (struct overview_state){
		.start = interval->start,
		.end = interval->end,
		.value = value,
		.attribute = attribute,
	};
	return status;
}

enum histree_status overview_window_read(struct overview_window *window, struct histree_cursor *query,
					 const struct overview_choice *choice, const histree_quark *quarks,
					 size_t states_max, struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = quarks,
		.quark_count = choice->count,
		.from = window->from,
		.to = window->to,
	};
	size_t count;
	window->state_count = 0;
	enum histree_status status = value_table_reset(&window->values, error);
	if (status == HISTREE_OK)
		status = histree_query_start(query, &region, error);
	while (status == HISTREE_OK) {
		status = histree_cursor_read(query, READ_AT_ONCE, &count, error);
		const struct histree_interval *batch = histree_cursor_interval(query);
		if (status == HISTREE_OK &&
		    !array_reserve(&window->states, &window->states_capacity, window->state_count + count))
			status = error_memory(error, "an overview");
		for (size_t i = 0; status == HISTREE_OK && i < count; i++)
			status = keep_state(window, choice, &batch[i], error);
		if (status == HISTREE_OK && window->state_count > states_max)
			return HISTREE_PARTIAL;
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- making fewer ---------------------------------------------------------------------------------------- */

static enum histree_status make_order(struct overview_window *window, size_t count, struct histree_error *error)
{
	if (count <= UINT32_MAX && array_reserve(&window->order, &window->order_capacity, count) &&
	    array_reserve(&window->spare, &window->spare_capacity, count))
		return HISTREE_OK;
	return error_memory(error, "an overview");
}

/* The time from the beginning of the window on; at most one state of an attribute began before. */
static uint64_t time_key(const struct overview_window *window, histree_time t)
{
	return t > window->from ? (uint64_t)t - (uint64_t)window->from : 0;
}

/*
 * Sorts the states by attribute, those of one in the order in which they came; `ends` says where those of each
 * end.
 */
static void sort_by_attribute(struct overview_window *window, uint32_t attribute_count)
{
	uint32_t *ends = window->ends, sum = 0;
	memset(ends, 0, attribute_count * sizeof(*ends));
	for (size_t i = 0; i < window->state_count; i++)
		ends[window->states[i].attribute]++;
	for (uint32_t attribute = 0; attribute < attribute_count; attribute++) {
		uint32_t here = ends[attribute];
		ends[attribute] = sum;
		sum += here;
	}
	for (size_t i = 0; i < window->state_count; i++)
		window->sorted[ends[window->states[i].attribute]++] = window->states[i];
}

/* False, and then still the same states, if that takes more moves than there are states. */
static bool sort_nearly_sorted(struct overview_state *states, size_t count)
{
	size_t moves_left = count;
	for (size_t i = 1; i < count; i++) {
		if (states[i - 1].start <= states[i].start)
			continue;
		struct overview_state state = states[i];
		size_t slot = i;
		for (; slot > 0 && states[slot - 1].start > state.start && moves_left > 0; slot--, moves_left--)
			states[slot] = states[slot - 1];
		states[slot] = state;
		if (moves_left == 0)
			return false;
	}
	return true;
}

/* The states of one attribute come batch by batch, but long ones later than short ones. */
static void sort_by_time(struct overview_window *window, size_t first, size_t count)
{
	struct overview_state *sorted = window->sorted + first, *room = window->states;
	if (sort_nearly_sorted(sorted, count))
		return;
	for (size_t i = 0; i < count; i++)
		window->order[i] = (struct keyed_index){ time_key(window, sorted[i].start), (uint32_t)i };
	radix_sort(window->order, window->spare, count);
	memcpy(room, sorted, count * sizeof(*room));
	for (size_t i = 0; i < count; i++)
		sorted[i] = room[window->order[i].index];
}

enum histree_status overview_window_sort(struct overview_window *window, const struct overview_choice *choice,
					 struct histree_error *error)
{
	size_t count = window->state_count;
	enum histree_status status = make_order(window, count, error);
	if (status != HISTREE_OK || !array_reserve(&window->sorted, &window->sorted_capacity, count) ||
	    !array_reserve(&window->ends, &window->ends_capacity, choice->count))
		return error_memory(error, "an overview");
	sort_by_attribute(window, choice->count);
	for (uint32_t attribute = 0, first = 0; attribute < choice->count; first = window->ends[attribute++])
		sort_by_time(window, first, window->ends[attribute] - first);
	return HISTREE_OK;
}

static enum histree_status fill_cells(struct overview_window *window, const struct overview_choice *choice,
				      histree_time origin, struct histree_error *error)
{
	struct overview_scale scale = {
		.origin = origin,
		.from = window->from,
		.to = window->to,
		.value_count = (uint32_t)window->values.count,
	};
	enum histree_status status = HISTREE_OK;
	overview_scale_keep_idle_apart(&scale, &window->values);
	overview_cells_clear(&window->cells);
	for (size_t first = 0, end; first < window->state_count && status == HISTREE_OK; first = end) {
		uint32_t attribute = window->sorted[first].attribute;
		end = window->ends[attribute];
		scale.width_log2 = choice->condensed[attribute].width_log2;
		if (scale.width_log2 == OVERVIEW_NO_WIDTH)
			continue;
		status = overview_cells_add(&window->cells, &scale, window->sorted + first, end - first, error);
	}
	return status;
}

/* A tree wants them by their ends. */
static enum histree_status sort_cells(struct overview_window *window, struct histree_error *error)
{
	const struct overview_cells *cells = &window->cells;
	enum histree_status status = make_order(window, cells->count, error);
	if (status != HISTREE_OK)
		return status;
	for (size_t i = 0; i < cells->count; i++)
		window->order[i] = (struct keyed_index){ time_key(window, cells->states[i].end), (uint32_t)i };
	radix_sort(window->order, window->spare, cells->count);
	return HISTREE_OK;
}

enum histree_status overview_window_condense(struct overview_window *window, const struct overview_choice *choice,
					     histree_time origin, struct histree_error *error)
{
	enum histree_status status = fill_cells(window, choice, origin, error);
	return status == HISTREE_OK ? sort_cells(window, error) : status;
}

void overview_window_release(struct overview_window *window)
{
	value_table_release(&window->values);
	overview_cells_release(&window->cells);
	free(window->states);
	free(window->sorted);
	free(window->ends);
	free(window->order);
	free(window->spare);
	*window = (struct overview_window){ 0 };
}

/* ---- window walk --------------------------------------------------------------------------------------------- */

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
	struct histree_cursor *query; /* made in its first step */
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
static enum histree_status check_whole(const struct window_walk *walk, struct histree_cursor *query,
				       struct histree_error *error)
{
	if (histree_cursor_loss(query).nodes == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s' is damaged: build it again", walk->path);
}

/* Make a window of what is left of the stretch, or of its beginning. */
static void make_window(const struct stretches *stretches, struct histree_cursor *query, struct stretch *stretch)
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

/* Returns the next stretch to make a window of; NULL: no stretch is left, or no place for it. */
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
static bool do_stretch(struct stretches *stretches, struct histree_cursor *query, struct stretch *stretch)
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
		histree_cursor_free(stretches->helpers[i].query);
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
static enum histree_status take_stretch(struct stretches *stretches, struct histree_cursor *query,
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
static struct stretch *oldest(struct stretches *stretches, struct histree_cursor *query)
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

static enum histree_status take_all(struct stretches *stretches, struct histree_cursor *query,
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
	struct histree_cursor *query = NULL;
	enum histree_status status = stretches.quarks != NULL && stretches.ring != NULL
					     ? histree_query_create(walk->history, &query, error)
					     : error_memory(error, "an overview");
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		stretches.quarks[i] = walk->choice->condensed[i].source;
	if (status == HISTREE_OK)
		status = take_all(&stretches, query, error);
	histree_cursor_free(query);
	for (size_t i = 0; i < stretches.size && stretches.ring != NULL; i++)
		overview_window_release(&stretches.ring[i].window);
	free(stretches.ring);
	free(stretches.quarks);
	pthread_mutex_destroy(&stretches.mutex);
	return status;
}
