// SPDX-License-Identifier: MIT
/*
 * cube_feed.c - the cube while its history is made: who is in a window, and from where pieces are cut
 * (docs/design/05-pyramid.md).
 *
 * States come as they end, in windows that have all that ended in them.  Of a thread of which something ended, or
 * which waits for a CPU, the pieces are cut up to the end of the window: what goes on there has a value by then.
 * All other threads do what they did, and their pieces are cut when that has ended, however long it took: cells are
 * in memory until the end, so a piece may reach back over all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/table.h"
#include "overview/cube_maker.h"
#include "overview/overview_feed.h"
#include "query/thread_pieces.h"
#include "state/ongoing_states.h"
#include "state/state_system.h"

/* What an attribute is in what is fed: a list of a thread, by number, or of a CPU; most are nothing. */
#define FED_NOTHING UINT32_MAX
#define FED_CPU (UINT32_C(1) << 31)

enum { FED_CELLS_LOG2 = 10, FED_SPANS_MAX = 256, FED_SPAN_CELLS_MIN = 3 };

/* In how many threads more than in the cell before a key fills a cell, by cell. */
struct cube_span {
	struct cube_key key;
	int32_t steps[(1 << FED_CELLS_LOG2) + 1];
};

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
		histree_time next;  /* pieces were cut up to here */
		uint32_t member;    /* 1 + of the window; 0: it is none */
		bool is_sure;       /* that what goes on is what it says, see is_unsure() */
		bool is_held;       /* its pieces are cut in a later window, */
		histree_time since; /* and it is so since a window that began then */
	} * threads;
	size_t threads_capacity, counted_capacity, cpus_capacity, queues_capacity;
	const struct feed_run **runs; /* by list of the window; NULL: nothing ended */
	size_t runs_capacity;
	uint32_t *waiting; /* threads that wait for a CPU where the window ends */
	size_t waiting_count, waiting_capacity;
	struct cube_span *spans; /* of pieces that fill several cells, which are added to these together */
	size_t span_count, span_capacity;
	bool is_broken;         /* what is not known is wanted: the history is to be read */
	size_t held_count;      /* threads that are held */
	histree_time held_from; /* from here on, there are pieces to cut of threads that are held */
	size_t held_items;
};

/* ---- what fills cells --------------------------------------------------------------------------------------- */

/* Returns the span of a key, NULL if there is no room for it. */
static struct cube_span *find_span(struct cube_feed *feed, const struct cube_key *key)
{
	for (size_t i = feed->span_count; i-- > 0;)
		if (cube_key_is_same(&feed->spans[i].key, key))
			return &feed->spans[i];
	if (feed->span_count == FED_SPANS_MAX ||
	    !array_reserve(&feed->spans, &feed->span_capacity, feed->span_count + 1))
		return NULL;
	feed->spans[feed->span_count] = (struct cube_span){ .key = *key };
	return &feed->spans[feed->span_count++];
}

/* Keep for later what fills cells from `first` up to `after`.  Returns false if that is to be added at once. */
bool cube_feed_keep_span(struct cube_maker *maker, const struct cube_key *key, uint64_t first, uint64_t after,
			 uint32_t threads)
{
	const bool is_call = key->had_by == USE_NOTHING; /* waits that have an owner are cut by windows */
	struct cube_span *span = maker->feed != NULL && is_call && first + FED_SPAN_CELLS_MIN <= after
					 ? find_span(maker->feed, key)
					 : NULL;
	if (span == NULL)
		return false;
	span->steps[first] += (int32_t)threads;
	span->steps[after] -= (int32_t)threads;
	return true;
}

/* ---- from begin to end ------------------------------------------------------------------------------------- */

enum {
	FED_AT_ONCE = 4096,
	FED_FIRST_LOG2 = 7, /* cells in the first window: a history that has overviews has eight of them */
	HELD_ITEMS_MAX = 1 << 16,
	/* Cells may have a byte for so many states, which is twice what the file is likely to have room for. */
	STATES_FOR_BYTE = 12,
};

histree_time cube_feed_cut_from(struct cube_maker *maker, uint32_t thread)
{
	if (maker->feed == NULL)
		return maker->from;
	struct fed_thread *fed = &maker->feed->threads[thread];
	const histree_time from = fed->next;
	fed->next = maker->to + 1;
	return from;
}

enum histree_status cube_feed_begin(struct pyramid_maker *pyramid, struct histree_error *error)
{
	const size_t memory = pyramid->memory_max > 0 ? pyramid->memory_max : CUBE_MEMORY_DEFAULT;
	struct cube_maker *maker = pyramid->own = calloc(1, sizeof(*maker));
	struct cube_feed *feed = calloc(1, sizeof(*feed));
	if (maker == NULL || feed == NULL) {
		free(feed);
		return error_memory(error, "an overview");
	}
	feed->of_roles.space = pyramid->tables;
	feed->threads_max = memory / CUBE_THREAD_BYTES;
	feed->held_from = INT64_MAX;
	maker->feed = feed;
	maker->pyramid = pyramid;
	feed->bytes_max = memory / CUBE_CELLS_SHARE;
	maker->threads.above = maker->threads.above_cpus = HISTREE_ROOT;
	maker->has_owners = true;
	maker->cells.of = pyramid->of;
	maker->cells.of.attribute_count = UINT32_MAX;
	for (int part = 0; part < CUBE_PARTS; part++) {
		maker->cells.cells[part] = calloc(1 << FED_CELLS_LOG2, sizeof(*maker->cells.cells[part]));
		if (maker->cells.cells[part] == NULL)
			return error_memory(error, "an overview");
	}
	pyramid->is_wanted = strncmp(pyramid->of.provider, "kernel", strlen("kernel")) == 0;
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
	    !array_reserve(&maker->counted, &feed->counted_capacity, count))
		return false;
	*role = (uint32_t)threads->count * LISTS_OF_THREAD + LIST_STATUS;
	feed->threads[threads->count] = (struct fed_thread){ .next = maker->cells.of.start };
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
	if (name->text == NULL)
		return;
	if (attribute_name_is(name->text, name->size, thread_fact_name(THREAD_FACT_STATUS))) {
		thread->status = quark;
		*role = first + LIST_STATUS;
	} else if (attribute_name_is(name->text, name->size, thread_fact_name(THREAD_FACT_CALL))) {
		thread->call = quark;
		*role = first + LIST_CALL;
	} else if (attribute_name_is(name->text, name->size, thread_fact_name(THREAD_FACT_QUEUE))) {
		thread->queue = quark;
		thread->part = HISTREE_WHOLE;
		*role = first + LIST_QUEUE;
	} else if (thread->queue == HISTREE_ROOT &&
		   attribute_name_is(name->text, name->size, thread_fact_name(THREAD_FACT_SCHEDULING))) {
		thread->queue = quark;
		thread->part = HISTREE_FIRST_PART;
		*role = first + LIST_QUEUE;
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

/* As keep_call(), keep_half() and keep_int() do it. */
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
		const struct histree_value value = feed_value(window, item);
		if (item->start > window->to)
			break;
		state->start = item->start;
		state->end = item->end;
		keeps = keep_fed(maker, kind, part, &value, &state->value);
		state += keeps == WINDOW_KEEPS;
		if (keeps == WINDOW_HAS_NO_MEMORY)
			return false;
	}
	const struct ongoing_states *ongoing = &window->system->ongoing;
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

/*
 * Which threads the window is about, and where what ended of them is; what ended of CPUs comes after all of that.
 */
static bool find_members(struct cube_maker *maker, const struct feed_window *window)
{
	struct cube_feed *feed = maker->feed;
	bool has_room = true;
	for (size_t i = 0; i < feed->waiting_count && has_room; i++)
		has_room = make_member(maker, feed->waiting[i]) > 0;
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
	    !array_reserve(&maker->states, &maker->states_capacity, window->item_count + lists + 1))
		return false;
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
	const struct ongoing_state *ongoing = window->system->ongoing.states;
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
	const struct ongoing_state *status = &window->system->ongoing.states[maker->threads.threads[thread].status];
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
	const struct ongoing_state *ongoing = &window->system->ongoing.states[quark];
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
			      is_covered(window, quarks[list], runs[list], maker->feed->threads[thread].next));
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
		fed->is_held = (!is_known || is_unsure(maker, window, thread)) && !is_too_much;
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

/* Whether a state is to be in the next window again. */
bool cube_feed_holds(const struct pyramid_maker *pyramid, histree_quark quark, histree_time end)
{
	const struct cube_maker *maker = pyramid->own;
	const struct cube_feed *feed = maker->feed;
	const uint32_t role = quark < feed->known ? feed->roles[quark] : FED_NOTHING;
	if (role == FED_NOTHING)
		return false;
	return (role & FED_CPU) != 0 ? end >= feed->held_from : feed->threads[role / LISTS_OF_THREAD].is_held;
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

/* Add what fills cells to these. */
static enum histree_status flush_spans(struct cube_maker *maker, struct histree_error *error)
{
	struct cube_feed *feed = maker->feed;
	struct cube_cells *cells = &maker->cells;
	const uint64_t width = UINT64_C(1) << cells->grid.width_log2;
	enum histree_status status = HISTREE_OK;
	int32_t threads[FED_SPANS_MAX] = { 0 };
	for (uint64_t cell = 0; cell < 1 << FED_CELLS_LOG2 && feed->span_count > 0 && status == HISTREE_OK;
	     cell++) {
		bool is_any = false;
		for (size_t i = 0; i < feed->span_count; i++) {
			threads[i] += feed->spans[i].steps[cell];
			is_any |= threads[i] > 0;
		}
		if (!is_any)
			continue;
		status = cube_cells_open(cells, CUBE_OF_CALLS, cell, error);
		for (size_t i = 0; i < feed->span_count && status == HISTREE_OK; i++) {
			const struct cube_row row = { .key = feed->spans[i].key,
						      .ns = (uint64_t)threads[i] * width };
			if (threads[i] > 0 && !cube_cell_add(&cells->open, &row))
				status = error_memory(error, "an overview");
		}
		if (status == HISTREE_OK)
			status = cube_cells_close(cells, CUBE_OF_CALLS, cell, error);
	}
	feed->span_count = 0;
	return status;
}

/* Have cells up to the end of the window. */
static enum histree_status reach(struct cube_maker *maker, histree_time to, struct histree_error *error)
{
	struct cube_cells *cells = &maker->cells;
	const uint64_t length = (uint64_t)to - (uint64_t)cells->of.start;
	enum histree_status status = HISTREE_OK;
	const unsigned bits = bits_needed(length);
	if (cells->grid.level_count == 0)
		cells->grid =
			pyramid_grid(PYRAMID_CUBE, &cells->of, bits > FED_FIRST_LOG2 ? bits - FED_FIRST_LOG2 : 0);
	if (length >> cells->grid.width_log2 >= 1 << FED_CELLS_LOG2)
		status = flush_spans(maker, error);
	while (length >> cells->grid.width_log2 >= 1 << FED_CELLS_LOG2 && status == HISTREE_OK)
		status = cube_cells_widen(cells, error);
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
	feed->states += states;
	maker->cells_max = feed->states / STATES_FOR_BYTE;
	if (cube_maker_fits(maker))
		return HISTREE_OK;
	if (pyramid_grid_cells(&maker->cells.grid, 0) >> CUBE_LOG2_LEAST > 1) {
		status = flush_spans(maker, error);
		if (status == HISTREE_OK)
			status = cube_cells_widen(&maker->cells, error);
	}
	maker->cells_max = feed->bytes_max;
	if (status == HISTREE_OK && !cube_maker_fits(maker)) {
		status = flush_spans(maker, error);
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

enum histree_status cube_feed(struct pyramid_maker *pyramid, const struct feed_window *window,
			      struct histree_error *error)
{
	struct cube_maker *maker = pyramid->own;
	enum histree_status status = look_at_attributes(maker, histree_state_attributes(window->system), error);
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
enum histree_status cube_feed_end(struct pyramid_maker *pyramid, const struct feed_window *window,
				  struct histree_error *error)
{
	struct cube_maker *maker = pyramid->own;
	enum histree_status status = look_at_attributes(maker, histree_state_attributes(window->system), error);
	if (status == HISTREE_OK)
		status = reach(maker, window->to, error);
	maker->to = window->to;
	maker->feed->waiting_count = 0;
	const histree_time held_from = maker->feed->held_from;
	for (uint32_t thread = 0; thread < maker->threads.count && status == HISTREE_OK && !maker->is_of_no_use;) {
		bool has_room = true;
		for (; thread < maker->threads.count && maker->member_count < FED_AT_ONCE && has_room; thread++)
			if (maker->feed->threads[thread].next <= window->to)
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
enum histree_status cube_adopt(struct pyramid_maker *pyramid, struct histree_error *error)
{
	struct cube_maker *maker = pyramid->own;
	struct cube_cells *cells = &maker->cells;
	const unsigned bits = bits_needed((uint64_t)pyramid->of.end - (uint64_t)pyramid->of.start);
	const uint64_t bytes_max = pyramid->bytes_max / 4 * 3; /* as cube_begin() has it */
	maker->pyramid = pyramid;
	if (!pyramid->is_wanted)
		return HISTREE_OK;
	enum histree_status status = flush_spans(maker, error);
	maker->cells_max = bytes_max < maker->feed->bytes_max ? bytes_max : maker->feed->bytes_max;
	maker->has_owners = maker->has_owners && maker->threads.cpu_count > 0;
	cells->of = pyramid->of;
	cells->grid = pyramid_grid(PYRAMID_CUBE, &cells->of, cells->grid.width_log2);
	while (status == HISTREE_OK && cells->grid.width_log2 + CUBE_LOG2_MOST < bits)
		status = cube_cells_widen(cells, error);
	if (status == HISTREE_OK)
		status = cube_maker_make_fit(maker, error);
	pyramid->is_wanted = pyramid->is_wanted && !maker->is_of_no_use;
	return status;
}

bool cube_feed_takes(struct pyramid_maker *pyramid, const struct histree_state_system *system, histree_quark quark)
{
	struct cube_maker *maker = pyramid->own;
	const struct cube_feed *feed = maker->feed;
	if (quark >= feed->known)
		(void)look_at_attributes(maker, histree_state_attributes(system), NULL);
	return quark >= feed->known || feed->roles[quark] != FED_NOTHING;
}

bool cube_feed_used(struct pyramid_maker *pyramid, const struct histree_state_system *system, histree_quark quark,
		    histree_time since)
{
	struct cube_maker *maker = pyramid->own;
	const struct cube_feed *feed = maker->feed;
	(void)look_at_attributes(maker, histree_state_attributes(system), NULL);
	const uint32_t role = quark < feed->known ? feed->roles[quark] : 0;
	if (quark >= feed->known || role == FED_NOTHING)
		return quark >= feed->known;
	return (role & FED_CPU) != 0 || feed->threads[role / LISTS_OF_THREAD].next > since;
}

void cube_feed_free(struct pyramid_maker *pyramid)
{
	struct cube_feed *feed = ((struct cube_maker *)pyramid->own)->feed;
	table_release(&feed->of_roles, feed->roles);
	feed->roles = NULL;
	feed->roles_capacity = 0;
}

void cube_feed_release(struct cube_feed *feed)
{
	if (feed == NULL)
		return;
	if (feed->roles != NULL)
		table_release(&feed->of_roles, feed->roles);
	free(feed->threads);
	free(feed->runs);
	free(feed->waiting);
	free(feed->spans);
	free(feed);
}
