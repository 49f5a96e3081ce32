// SPDX-License-Identifier: MIT
/*
 * cube_feed.c - feeding the cube: the threads of a window, and where their pieces begin
 * (docs/design/05-pyramid.md).
 *
 * States come as they end, in windows that contain all states that ended in them.  If a state of a thread ended, or
 * the thread waits for a CPU, its pieces are cut up to the end of the window, because its ongoing states have
 * values by then.  All other threads are unchanged, and their pieces are cut when their state ends, however long
 * that takes: cells are in memory until the end, so a piece may reach back over all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/table.h"
#include "overview/cube_maker.h"
#include "overview/feed_item.h"
#include "overview/overview_feed.h"
#include "query/thread_pieces.h"
#include "state/ongoing_states.h"

/* What an attribute is in what is fed: a list of a thread, by number, or of a CPU; most are nothing. */
#define FED_NOTHING UINT32_MAX
#define FED_CPU (UINT32_C(1) << 31)

/* What the cube knows besides while states come as they end. */
struct cube_feed {
	struct attribute_range near;
	uint32_t known;  /* attributes that were looked at */
	uint32_t *roles; /* of these */
	size_t roles_capacity;
	struct table of_roles;
	size_t threads_max;
	uint64_t states;    /* so far */
	uint64_t bytes_max; /* of all cells, whatever the file has room for */
	/* By thread: */
	struct fed_thread {
		uint32_t member;    /* 1 + its place in the window; 0: not in it */
		bool is_sure;       /* that what goes on is what it says, see is_unsure() */
		bool is_held;       /* its pieces are cut in a later window, */
		histree_time since; /* and it is so since a window that began then */
	} * threads;
	size_t threads_capacity, counted_capacity, next_capacity, cpus_capacity, queues_capacity;
	const struct feed_run **runs; /* by list of the window; NULL: nothing ended */
	size_t runs_capacity;
	uint32_t *calls; /* by value of the window: the number of its text; INTERN_NONE: it was not looked for */
	size_t calls_capacity;
	uint32_t *waiting; /* threads that wait for a CPU where the window ends */
	size_t waiting_count, waiting_capacity;
	bool is_broken;         /* what is not known is wanted: it is fed again when the history is complete */
	size_t held_count;      /* threads that are held */
	histree_time held_from; /* from here on, there are pieces to cut of threads that are held */
	size_t held_items;
};

/* ---- from begin to end ------------------------------------------------------------------------------------- */

enum {
	FED_AT_ONCE = 4096,
	FED_FIRST_LOG2 = 7, /* cells in the first window: a history that has overviews has eight of them */
	HELD_ITEMS_MAX = 1 << 16,
	/* Cells may have a byte for this many states, which is twice what the file is likely to have room for. */
	STATES_FOR_BYTE = 12,
};

static enum histree_status cube_feed_begin(struct pyramid_maker *pyramid, struct histree_error *error)
{
	const struct pyramid *again = pyramid->again;
	const size_t memory = pyramid->memory_max > 0 ? pyramid->memory_max : CUBE_MEMORY_DEFAULT;
	struct cube_maker *maker = pyramid->own = calloc(1, sizeof(*maker));
	struct cube_feed *feed = calloc(1, sizeof(*feed));
	uint64_t count = 1 << CUBE_LOG2_MOST;
	if (maker == NULL || feed == NULL) {
		free(feed);
		free(maker);
		pyramid->own = NULL;
		return error_memory(error, "an overview");
	}
	feed->of_roles.space = pyramid->tables;
	feed->threads_max = again != NULL ? SIZE_MAX : memory / CUBE_THREAD_BYTES;
	feed->held_from = INT64_MAX;
	maker->feed = feed;
	maker->pyramid = pyramid;
	feed->bytes_max = memory / CUBE_CELLS_SHARE;
	maker->threads.above = maker->threads.above_cpus = HISTREE_ROOT;
	maker->has_owners = true;
	maker->cells.of = pyramid->of;
	if (again != NULL) {
		maker->cells.grid = pyramid_grid(PYRAMID_CUBE, &pyramid->of, again->log2);
		count = pyramid_grid_cells(&maker->cells.grid, 0);
		if (count > CUBE_CELLS_MAX)
			return error_set(error, HISTREE_ERR_FORMAT, "'%s' has more cells than any",
					 histree_history_info(again->levels[0].history)->provider);
	} else {
		maker->cells.of.attribute_count = UINT32_MAX;
	}
	for (int part = 0; part < CUBE_PARTS; part++) {
		maker->cells.cells[part] = calloc(count, sizeof(*maker->cells.cells[part]));
		if (maker->cells.cells[part] == NULL)
			return error_memory(error, "an overview");
	}
	pyramid->is_wanted = again != NULL || strncmp(pyramid->of.provider, "kernel", strlen("kernel")) == 0;
	return HISTREE_OK;
}

/* ---- what attributes are ------------------------------------------------------------------------------------ */

static bool add_fed_thread(struct cube_maker *maker, histree_quark node, const struct attribute_name *name,
			   uint32_t *role)
{
	struct cube_feed *feed = maker->feed;
	struct thread_quarks *threads = &maker->threads;
	struct thread_quark thread = { .node = node, .status = node, .call = HISTREE_ROOT, .queue = HISTREE_ROOT };
	if (!thread_parse_name(name, &thread.tid, &thread.cpu))
		return true;
	const size_t count = threads->count + 1;
	maker->is_of_no_use |= count > feed->threads_max;
	if (!array_reserve(&threads->threads, &threads->capacity, count) ||
	    !array_reserve(&feed->threads, &feed->threads_capacity, count) ||
	    !array_reserve(&maker->next, &feed->next_capacity, count) ||
	    !array_reserve(&maker->counted, &feed->counted_capacity, count))
		return false;
	*role = (uint32_t)threads->count * LISTS_OF_THREAD + LIST_STATUS;
	feed->threads[threads->count] = (struct fed_thread){ .member = 0 };
	maker->next[threads->count] = maker->cells.of.start;
	maker->counted[threads->count] = INT64_MIN;
	threads->threads[threads->count++] = thread;
	return true;
}

/* Below a thread: the same facts that thread_walk_quark() finds of it. */
static void add_fed_fact(struct cube_maker *maker, histree_quark quark, const struct attribute_name *name,
			 uint32_t parent, uint32_t *role)
{
	struct thread_quark *thread = &maker->threads.threads[parent / LISTS_OF_THREAD];
	const uint32_t first = parent / LISTS_OF_THREAD * LISTS_OF_THREAD;
	switch (thread_fact_of(name)) {
	case THREAD_FACT_STATUS:
		thread->status = quark;
		*role = first + LIST_STATUS;
		break;
	case THREAD_FACT_CALL:
		thread->call = quark;
		*role = first + LIST_CALL;
		break;
	case THREAD_FACT_QUEUE:
		thread->queue = quark;
		thread->part = HISTREE_WHOLE;
		*role = first + LIST_QUEUE;
		break;
	case THREAD_FACT_SCHEDULING:
		if (thread->queue != HISTREE_ROOT)
			break;
		thread->queue = quark;
		thread->part = HISTREE_FIRST_PART;
		*role = first + LIST_QUEUE;
		break;
	default:
		break;
	}
}

static bool add_fed_cpu(struct cube_maker *maker, const struct histree_attributes *attributes, histree_quark quark,
			histree_quark parent, uint32_t *role)
{
	struct thread_quarks *threads = &maker->threads;
	const struct attribute_name name = attributes->source->name(attributes, parent, &maker->feed->near);
	struct cpu_quark cpu = { .number = (int32_t)name.number, .current = quark };
	if (name.text != NULL && leading_number(name.text, name.size, &cpu.number) == 0)
		return true;
	const size_t count = threads->cpu_count + 1;
	if (!array_reserve(&threads->cpus, &threads->cpu_capacity, count) ||
	    !array_reserve(&maker->cpus, &maker->feed->cpus_capacity, count) ||
	    !array_reserve(&maker->queues, &maker->feed->queues_capacity, count))
		return false;
	*role = FED_CPU | (uint32_t)threads->cpu_count;
	maker->cpus[threads->cpu_count] = cpu.number;
	threads->cpus[threads->cpu_count++] = cpu;
	return true;
}

static bool look_at_attribute(struct cube_maker *maker, const struct histree_attributes *attributes,
			      histree_quark quark)
{
	struct cube_feed *feed = maker->feed;
	struct thread_quarks *threads = &maker->threads;
	const struct attribute_source *source = attributes->source;
	const histree_quark parent = source->parent(attributes, quark, &feed->near);
	const struct attribute_name name = source->name(attributes, quark, &feed->near);
	uint32_t *role = &feed->roles[quark];
	*role = FED_NOTHING;
	if (parent == HISTREE_ROOT) {
		if (name.text != NULL && attribute_name_is(name.text, name.size, "Threads"))
			threads->above = quark;
		else if (name.text != NULL && attribute_name_is(name.text, name.size, "CPUs"))
			threads->above_cpus = quark;
		return true;
	}
	if (parent == threads->above)
		return add_fed_thread(maker, quark, &name, role);
	const uint32_t of_parent = feed->roles[parent];
	if (of_parent != FED_NOTHING && (of_parent & FED_CPU) == 0 && of_parent % LISTS_OF_THREAD == LIST_STATUS &&
	    threads->threads[of_parent / LISTS_OF_THREAD].node == parent)
		add_fed_fact(maker, quark, &name, of_parent, role);
	else if (threads->above_cpus != HISTREE_ROOT && name.text != NULL &&
		 source->parent(attributes, parent, &feed->near) == threads->above_cpus &&
		 attribute_name_is(name.text, name.size, "Current_thread"))
		return add_fed_cpu(maker, attributes, quark, parent, role);
	return true;
}

static enum histree_status look_at_attributes(struct cube_maker *maker, const struct histree_attributes *attributes,
					      struct histree_error *error)
{
	struct cube_feed *feed = maker->feed;
	if (!table_reserve(&feed->of_roles, &feed->roles, &feed->roles_capacity, attributes->count))
		return error_memory(error, "an overview");
	for (; feed->known < attributes->count; feed->known++)
		if (!look_at_attribute(maker, attributes, feed->known))
			return error_memory(error, "an overview");
	return HISTREE_OK;
}

/* ---- the lists of a window ---------------------------------------------------------------------------------- */

/*
 * Names of calls are texts, and all other values are numbers.  If a history differs, only readers of states can
 * judge it: then there is no cube.
 */
static enum window_keep keep_fed(struct cube_maker *maker, uint32_t kind, enum histree_part part,
				 const struct histree_value *value, int64_t *out)
{
	int64_t kept = USE_NOT_KNOWN;
	const struct histree_value of = histree_value_part(value, part);
	enum window_keep keeps = WINDOW_KEEPS;
	if (of.type == HISTREE_NULL)
		return WINDOW_SKIPS;
	if (kind == LIST_CALL) {
		maker->is_of_no_use |= of.type == HISTREE_INT;
		keeps = thread_pieces_value(&maker->cells.texts, &of, HISTREE_WHOLE, &kept);
	} else {
		maker->is_of_no_use |= of.type == HISTREE_STRING;
		kept = of.type == HISTREE_INT ? of.int32 : USE_NOT_KNOWN;
	}
	*out = kept;
	return keeps;
}

/* The same of an item; each text of a call is looked for once in a window. */
static enum window_keep keep_item(struct cube_maker *maker, const struct feed_window *window,
				  const struct column_item *item, uint32_t kind, enum histree_part part,
				  int64_t *out)
{
	const enum column_item_kind of = column_item_kind(item);
	if (of == ITEM_NULL)
		return WINDOW_SKIPS;
	if (of == ITEM_INT && kind != LIST_CALL) {
		*out = (int32_t)item->value;
		return WINDOW_KEEPS;
	}
	if (of == ITEM_LISTED && kind == LIST_CALL && maker->feed->calls[item->value] != INTERN_NONE) {
		*out = (int32_t)maker->feed->calls[item->value];
		return WINDOW_KEEPS;
	}
	const struct histree_value value = feed_item_value(window->values, item);
	const enum window_keep keeps = keep_fed(maker, kind, part, &value, out);
	if (keeps == WINDOW_KEEPS && kind == LIST_CALL && value.type == HISTREE_STRING)
		maker->feed->calls[item->value] = (uint32_t)*out;
	return keeps;
}

/* What ended of a list in the window, and what goes on at its end. */
static bool fill_fed_list(struct cube_maker *maker, const struct feed_window *window, uint32_t list, uint32_t kind,
			  enum histree_part part, histree_quark quark, struct window_state **next)
{
	const struct feed_run *run = maker->feed->runs[list];
	struct window_state *state = *next;
	enum window_keep keeps = WINDOW_SKIPS;
	maker->lists[list].states = state;
	for (uint32_t i = 0; run != NULL && i < run->count; i++) {
		const struct column_item *item = &window->items[run->first + i];
		if (item->start > window->to)
			break;
		state->start = item->start;
		state->end = item->end;
		keeps = keep_item(maker, window, item, kind, part, &state->value);
		state += keeps == WINDOW_KEEPS;
		if (keeps == WINDOW_HAS_NO_MEMORY)
			return false;
	}
	const struct ongoing_states *ongoing = window->ongoing;
	if (ongoing->states[quark].since <= window->to) {
		const struct histree_value value = ongoing_states_value(ongoing, quark);
		state->start = ongoing->states[quark].since;
		state->end = window->to;
		keeps = keep_fed(maker, kind, part, &value, &state->value);
		state += keeps == WINDOW_KEEPS;
	}
	maker->lists[list].count = (size_t)(state - *next);
	*next = state;
	return keeps != WINDOW_HAS_NO_MEMORY;
}

/* Returns the member that a thread is, 0 being none; the first of them is 1. */
static uint32_t make_member(struct cube_maker *maker, uint32_t thread)
{
	struct cube_feed *feed = maker->feed;
	struct fed_thread *fed = &feed->threads[thread];
	const size_t lists = (maker->member_count + 1) * LISTS_OF_THREAD + maker->threads.cpu_count;
	if (fed->member > 0)
		return fed->member;
	if (!array_reserve(&maker->members, &maker->member_capacity, maker->member_count + 1) ||
	    !array_reserve(&feed->runs, &feed->runs_capacity, lists))
		return 0;
	maker->members[maker->member_count++] = thread;
	for (size_t list = 0; list < LISTS_OF_THREAD; list++)
		feed->runs[(maker->member_count - 1) * LISTS_OF_THREAD + list] = NULL;
	return fed->member = (uint32_t)maker->member_count;
}

/* The threads of the window, and where their ended states are; the ended states of CPUs follow all of those. */
static bool find_members(struct cube_maker *maker, const struct feed_window *window)
{
	struct cube_feed *feed = maker->feed;
	bool has_room = true;
	for (size_t i = 0; i < feed->waiting_count && has_room; i++)
		has_room = make_member(maker, feed->waiting[i]) > 0;
	/* Of whom waits since the very begin, nothing ended before; in a build they are held, see is_unsure(). */
	const bool is_first = window->is_complete && window->from == maker->cells.of.start;
	for (uint32_t i = 0; i < maker->threads.count && is_first && has_room; i++) {
		const struct ongoing_state *status = &window->ongoing->states[maker->threads.threads[i].status];
		if (status->type == HISTREE_INT && (int32_t)status->bits == THREAD_WAITS_FOR_CPU)
			has_room = make_member(maker, i) > 0;
	}
	for (size_t i = 0; i < window->run_count && has_room; i++) {
		const struct feed_run *run = &window->runs[i];
		const uint32_t role = feed->roles[run->quark];
		if ((role & FED_CPU) != 0) /* nothing, too */
			continue;
		const struct thread_quark *thread = &maker->threads.threads[role / LISTS_OF_THREAD];
		histree_quark quarks[LISTS_OF_THREAD];
		cube_maker_quarks(thread, quarks);
		if (quarks[role % LISTS_OF_THREAD] != run->quark)
			continue;
		const uint32_t member = make_member(maker, role / LISTS_OF_THREAD);
		has_room = member > 0;
		if (has_room)
			feed->runs[(member - 1) * LISTS_OF_THREAD + role % LISTS_OF_THREAD] = run;
	}
	const size_t first = maker->member_count * LISTS_OF_THREAD, cpus = maker->threads.cpu_count;
	if (!has_room || !array_reserve(&feed->runs, &feed->runs_capacity, first + cpus + 1))
		return false;
	for (size_t cpu = 0; cpu < cpus; cpu++)
		feed->runs[first + cpu] = NULL;
	for (size_t i = 0; i < window->run_count; i++) {
		const uint32_t role = feed->roles[window->runs[i].quark];
		if (role != FED_NOTHING && (role & FED_CPU) != 0)
			feed->runs[first + (role & ~FED_CPU)] = &window->runs[i];
	}
	return true;
}

static bool fill_fed_lists(struct cube_maker *maker, const struct feed_window *window)
{
	const size_t of_threads = maker->member_count * LISTS_OF_THREAD;
	const size_t lists = of_threads + maker->threads.cpu_count;
	if (!array_reserve(&maker->lists, &maker->lists_capacity, lists + 1) ||
	    !array_reserve(&maker->feed->calls, &maker->feed->calls_capacity, window->value_count + 1) ||
	    !array_reserve(&maker->states, &maker->states_capacity, window->item_count + lists + 1))
		return false;
	for (size_t value = 0; value < window->value_count; value++)
		maker->feed->calls[value] = INTERN_NONE;
	struct window_state *next = maker->states;
	bool has_room = true;
	for (size_t member = 0; member < maker->member_count && has_room; member++) {
		const struct thread_quark *thread = &maker->threads.threads[maker->members[member]];
		histree_quark quarks[LISTS_OF_THREAD];
		cube_maker_quarks(thread, quarks);
		for (uint32_t kind = 0; kind < LISTS_OF_THREAD && has_room; kind++) {
			const uint32_t list = (uint32_t)member * LISTS_OF_THREAD + kind;
			maker->lists[list].count = 0;
			if (quarks[kind] != HISTREE_ROOT)
				has_room = fill_fed_list(maker, window, list, kind,
							 kind == LIST_QUEUE ? thread->part : HISTREE_WHOLE,
							 quarks[kind], &next);
		}
	}
	for (uint32_t cpu = 0; cpu < maker->threads.cpu_count && has_room; cpu++)
		has_room = fill_fed_list(maker, window, (uint32_t)of_threads + cpu, LISTS_OF_THREAD, HISTREE_WHOLE,
					 maker->threads.cpus[cpu].current, &next);
	return has_room;
}

/* Whether what a thread does may have been going on, and be corrected. */
static bool is_unsure(struct cube_maker *maker, const struct feed_window *window, uint32_t number)
{
	struct fed_thread *fed = &maker->feed->threads[number];
	const struct thread_quark *thread = &maker->threads.threads[number];
	const struct ongoing_state *ongoing = window->ongoing->states;
	histree_quark quarks[LISTS_OF_THREAD];
	if (fed->is_sure)
		return false;
	cube_maker_quarks(thread, quarks);
	bool is_sure = true;
	for (int list = 0; list < LISTS_OF_THREAD; list++)
		is_sure = is_sure && quarks[list] != HISTREE_ROOT &&
			  ongoing[quarks[list]].since > maker->cells.of.start;
	fed->is_sure = is_sure || thread->tid == 0;
	return !fed->is_sure;
}

/* Whether a thread waits for a CPU at the end of the window, or did in what ended of it. */
static bool waits(const struct cube_maker *maker, const struct feed_window *window, uint32_t thread,
		  const struct feed_run *run)
{
	const struct ongoing_state *status = &window->ongoing->states[maker->threads.threads[thread].status];
	bool does = status->type == HISTREE_INT && (int32_t)status->bits == THREAD_WAITS_FOR_CPU;
	for (uint32_t i = 0; run != NULL && i < run->count && !does; i++) {
		const struct column_item *item = &window->items[run->first + i];
		does = column_item_kind(item) == ITEM_INT && item->value == THREAD_WAITS_FOR_CPU;
	}
	return does;
}

/* Whether all is known of an attribute from where its thread was cut: what is not decided yet is not. */
static bool is_covered(const struct feed_window *window, histree_quark quark, const struct feed_run *run,
		       histree_time next)
{
	for (uint32_t i = 0; run != NULL && i < run->count && next <= window->to; i++) {
		const struct column_item *item = &window->items[run->first + i];
		if (item->start > next)
			return false;
		next = item->end >= next ? item->end + 1 : next;
	}
	const struct ongoing_state *ongoing = &window->ongoing->states[quark];
	return next > window->to || (ongoing->since <= next && ongoing->run == 0);
}

static bool are_covered(const struct cube_maker *maker, const struct feed_window *window, uint32_t thread,
			const struct feed_run *const *runs)
{
	histree_quark quarks[LISTS_OF_THREAD];
	bool are = true;
	cube_maker_quarks(&maker->threads.threads[thread], quarks);
	for (int list = 0; list < LISTS_OF_THREAD; list++)
		are = are && (quarks[list] == HISTREE_ROOT ||
			      is_covered(window, quarks[list], runs[list], maker->next[thread]));
	return are;
}

/* Leave out members that are held. */
static void hold_members(struct cube_maker *maker, const struct feed_window *window, bool is_last)
{
	struct cube_feed *feed = maker->feed;
	const struct feed_run **of_cpus = &feed->runs[maker->member_count * LISTS_OF_THREAD];
	const bool is_too_much = is_last || feed->held_items > HELD_ITEMS_MAX;
	size_t kept = 0;
	maker->from = window->from;
	if (feed->held_from < maker->from)
		maker->from = feed->held_from;
	feed->held_from = INT64_MAX;
	feed->held_items = feed->held_count = 0;
	for (size_t member = 0; member < maker->member_count; member++) {
		const uint32_t thread = maker->members[member];
		struct fed_thread *fed = &feed->threads[thread];
		const struct feed_run **runs = &feed->runs[member * LISTS_OF_THREAD];
		const bool was_held = fed->is_held;
		const bool is_known = are_covered(maker, window, thread, runs);
		feed->is_broken |= !is_known && is_too_much;
		fed->is_held =
			(!is_known || (!window->is_complete && is_unsure(maker, window, thread))) && !is_too_much;
		if (fed->is_held) {
			fed->since = was_held ? fed->since : window->from;
			if (fed->since < feed->held_from &&
			    (!is_known || waits(maker, window, thread, runs[LIST_STATUS])))
				feed->held_from = fed->since;
			for (int list = 0; list < LISTS_OF_THREAD; list++)
				feed->held_items += runs[list] != NULL ? runs[list]->count : 0;
			fed->member = 0;
			feed->held_count++;
			continue;
		}
		maker->members[kept] = thread;
		memmove(&feed->runs[kept * LISTS_OF_THREAD], runs, LISTS_OF_THREAD * sizeof(*runs));
		fed->member = (uint32_t)++kept;
	}
	maker->member_count = kept;
	for (size_t cpu = 0; cpu < maker->threads.cpu_count; cpu++)
		feed->held_items += of_cpus[cpu] != NULL && feed->held_from != INT64_MAX ? of_cpus[cpu]->count : 0;
	memmove(&feed->runs[kept * LISTS_OF_THREAD], of_cpus, maker->threads.cpu_count * sizeof(*of_cpus));
}

/* From which end on the states of an attribute are to be in the next window again. */
static histree_time cube_feed_holds_from(const struct pyramid_maker *pyramid, histree_quark quark)
{
	const struct cube_maker *maker = pyramid->own;
	const struct cube_feed *feed = maker->feed;
	const uint32_t role = quark < feed->known ? feed->roles[quark] : FED_NOTHING;
	if (role == FED_NOTHING)
		return INT64_MAX;
	if ((role & FED_CPU) != 0)
		return feed->held_from;
	return feed->threads[role / LISTS_OF_THREAD].is_held ? INT64_MIN : INT64_MAX;
}

/* Who waits at the end of the window, which no list of later windows would say; nobody is a member any more. */
static bool end_members(struct cube_maker *maker, const struct feed_window *window)
{
	struct cube_feed *feed = maker->feed;
	feed->waiting_count = 0;
	for (size_t member = 0; member < maker->member_count; member++) {
		const uint32_t thread = maker->members[member];
		const struct window_list *statuses = &maker->lists[member * LISTS_OF_THREAD + LIST_STATUS];
		const struct window_state *last =
			statuses->count > 0 ? &statuses->states[statuses->count - 1] : NULL;
		feed->threads[thread].member = 0;
		if (last == NULL || last->end < window->to || last->value != THREAD_WAITS_FOR_CPU)
			continue;
		if (!array_reserve(&feed->waiting, &feed->waiting_capacity, feed->waiting_count + 1))
			return false;
		feed->waiting[feed->waiting_count++] = thread;
	}
	maker->member_count = 0;
	return true;
}

/* ---- windows ------------------------------------------------------------------------------------------------ */

/* Have cells up to the end of the window. */
static enum histree_status reach(struct cube_maker *maker, histree_time to, struct histree_error *error)
{
	struct cube_cells *cells = &maker->cells;
	const uint64_t length = (uint64_t)to - (uint64_t)cells->of.start;
	enum histree_status status = HISTREE_OK;
	const unsigned bits = bits_needed(length);
	if (maker->pyramid->again != NULL)
		return HISTREE_OK;
	if (cells->grid.level_count == 0)
		cells->grid =
			pyramid_grid(PYRAMID_CUBE, &cells->of, bits > FED_FIRST_LOG2 ? bits - FED_FIRST_LOG2 : 0);
	while (length >> cells->grid.width_log2 >= 1 << CUBE_LOG2_MOST && status == HISTREE_OK)
		status = cube_maker_widen(maker, error);
	cells->of.end = to;
	cells->grid = pyramid_grid(PYRAMID_CUBE, &cells->of, cells->grid.width_log2);
	return status;
}

/*
 * Have no more bytes than twice what the file is likely to have room for: at a width, bytes and room grow alike.
 * And never too many.
 */
static enum histree_status stay_small(struct cube_maker *maker, size_t states, struct histree_error *error)
{
	struct cube_feed *feed = maker->feed;
	enum histree_status status = HISTREE_OK;
	if (maker->pyramid->again != NULL)
		return HISTREE_OK;
	feed->states += states;
	maker->cells_max = feed->states / STATES_FOR_BYTE;
	if (cube_maker_fits(maker))
		return HISTREE_OK;
	if (pyramid_grid_cells(&maker->cells.grid, 0) >> CUBE_LOG2_LEAST > 1)
		status = cube_maker_widen(maker, error);
	maker->cells_max = feed->bytes_max;
	if (status == HISTREE_OK && !cube_maker_fits(maker)) {
		status = cube_maker_flush_spans(maker, error);
		if (status == HISTREE_OK)
			status = cube_maker_make_fit(maker, error);
	}
	return status;
}

static enum histree_status take_fed(struct cube_maker *maker, const struct feed_window *window, bool is_last,
				    struct histree_error *error)
{
	hold_members(maker, window, is_last);
	for (size_t cpu = 0; cpu < maker->threads.cpu_count; cpu++)
		maker->feed->is_broken |=
			!is_covered(window, maker->threads.cpus[cpu].current,
				    maker->feed->runs[maker->member_count * LISTS_OF_THREAD + cpu], maker->from);
	if (maker->feed->is_broken)
		return error_set(error, HISTREE_ERR_INCOMPLETE, "an overview of states that are not decided");
	if (!fill_fed_lists(maker, window))
		return error_memory(error, "an overview");
	enum histree_status status = cube_maker_take_lists(maker, error);
	if (status == HISTREE_OK && !end_members(maker, window))
		status = error_memory(error, "an overview");
	return status == HISTREE_OK ? stay_small(maker, window->states, error) : status;
}

static enum histree_status cube_feed(struct pyramid_maker *pyramid, const struct feed_window *window,
				     struct histree_error *error)
{
	struct cube_maker *maker = pyramid->own;
	enum histree_status status = look_at_attributes(maker, window->attributes, error);
	if (status == HISTREE_OK && !maker->is_of_no_use)
		status = reach(maker, window->to, error);
	maker->to = window->to;
	if (status == HISTREE_OK && !maker->is_of_no_use)
		status = find_members(maker, window) ? take_fed(maker, window, false, error)
						     : error_memory(error, "an overview");
	pyramid->is_wanted = !maker->is_of_no_use;
	pyramid->holds = maker->feed->held_count > 0;
	return status;
}

/* Up to here, all threads do what they did last.  The window has no states. */
static enum histree_status cube_feed_end(struct pyramid_maker *pyramid, const struct feed_window *window,
					 struct histree_error *error)
{
	struct cube_maker *maker = pyramid->own;
	enum histree_status status = look_at_attributes(maker, window->attributes, error);
	if (status == HISTREE_OK)
		status = reach(maker, window->to, error);
	maker->to = window->to;
	maker->feed->waiting_count = 0;
	const histree_time held_from = maker->feed->held_from;
	for (uint32_t thread = 0; thread < maker->threads.count && status == HISTREE_OK && !maker->is_of_no_use;) {
		bool has_room = true;
		for (; thread < maker->threads.count && maker->member_count < FED_AT_ONCE && has_room; thread++)
			if (maker->next[thread] <= window->to)
				has_room = make_member(maker, thread) > 0;
		if (has_room)
			has_room = find_members(maker, window);
		status = has_room ? take_fed(maker, window, true, error) : error_memory(error, "an overview");
		maker->feed->waiting_count = 0;
		maker->feed->held_from = held_from;
	}
	pyramid->is_wanted = !maker->is_of_no_use && maker->threads.count > 0;
	return status;
}

/* The history is there: cells are as wide as they would be if its length had been known. */
static enum histree_status cube_adopt(struct pyramid_maker *pyramid, struct histree_error *error)
{
	struct cube_maker *maker = pyramid->own;
	struct cube_cells *cells = &maker->cells;
	const unsigned bits = bits_needed((uint64_t)pyramid->of.end - (uint64_t)pyramid->of.start);
	const uint64_t bytes_max = pyramid->bytes_max / 4 * 3; /* the levels above and the tree have the rest */
	maker->pyramid = pyramid;
	if (!pyramid->is_wanted)
		return HISTREE_OK;
	enum histree_status status = HISTREE_OK;
	maker->cells_max = bytes_max < maker->feed->bytes_max ? bytes_max : maker->feed->bytes_max;
	maker->has_owners = maker->has_owners && maker->threads.cpu_count > 0;
	cells->of = pyramid->of;
	cells->grid = pyramid_grid(PYRAMID_CUBE, &cells->of, cells->grid.width_log2);
	while (status == HISTREE_OK && cells->grid.width_log2 + CUBE_LOG2_MOST < bits)
		status = cube_maker_widen(maker, error);
	if (status == HISTREE_OK)
		status = cube_maker_flush_spans(maker, error);
	if (status == HISTREE_OK)
		status = cube_maker_make_fit(maker, error);
	pyramid->is_wanted = pyramid->is_wanted && !maker->is_of_no_use;
	return status;
}

static bool cube_feed_takes(struct pyramid_maker *pyramid, const struct histree_attributes *attributes,
			    histree_quark quark)
{
	struct cube_maker *maker = pyramid->own;
	const struct cube_feed *feed = maker->feed;
	if (quark >= feed->known)
		(void)look_at_attributes(maker, attributes, NULL);
	return quark >= feed->known || feed->roles[quark] != FED_NOTHING;
}

static bool cube_feed_used(struct pyramid_maker *pyramid, const struct histree_attributes *attributes,
			   histree_quark quark, histree_time since)
{
	struct cube_maker *maker = pyramid->own;
	const struct cube_feed *feed = maker->feed;
	(void)look_at_attributes(maker, attributes, NULL);
	const uint32_t role = quark < feed->known ? feed->roles[quark] : 0;
	if (quark >= feed->known || role == FED_NOTHING)
		return quark >= feed->known;
	return (role & FED_CPU) != 0 || maker->next[role / LISTS_OF_THREAD] > since;
}

static void cube_feed_free(struct pyramid_maker *pyramid)
{
	struct cube_feed *feed = ((struct cube_maker *)pyramid->own)->feed;
	if (feed->roles != NULL) /* else their space may be gone */
		table_release(&feed->of_roles, feed->roles);
	feed->roles = NULL;
	feed->known = 0;
	feed->roles_capacity = 0;
}

static void cube_release(struct pyramid_maker *pyramid)
{
	struct cube_maker *maker = pyramid->own;
	if (maker == NULL)
		return;
	for (size_t i = 0; i < pyramid->cell_count; i++)
		cube_cell_release(&((struct cube_cell *)(void *)pyramid->cells)[i]);
	cube_feed_free(pyramid);
	free(maker->feed->threads);
	free(maker->feed->runs);
	free(maker->feed->calls);
	free(maker->feed->waiting);
	free(maker->feed);
	cube_maker_release(maker);
	free(maker);
	pyramid->own = NULL;
}

const struct cell_kind cube_cells = {
	.id = PYRAMID_CUBE,
	.size = sizeof(struct cube_cell),
	.cells_max = CUBE_PARTS * PYRAMID_STEPS_MAX,
	.feed_begin = cube_feed_begin,
	.feed = cube_feed,
	.feed_end = cube_feed_end,
	.feed_takes = cube_feed_takes,
	.feed_used = cube_feed_used,
	.feed_holds_from = cube_feed_holds_from,
	.feed_free = cube_feed_free,
	.adopt = cube_adopt,
	.finish = cube_finish,
	.merge = cube_merge,
	.put = cube_put,
	.clear = cube_clear,
	.release = cube_release,
};
