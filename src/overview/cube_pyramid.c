// SPDX-License-Identifier: MIT
/*
 * cube_pyramid.c - the cube: what all threads of a kernel did together in a cell of time, by whom and where
 * (docs/design/05-pyramid.md).
 *
 * A window has the states of some threads, which are cut into pieces, each with one status, CPU and call; pieces
 * of the same cell and key are added up first, and then added to the cell.  A thread that waits for a CPU waits
 * for the thread that has it.
 *
 * Cells of level 1 are in memory as bytes until all windows were taken, and become wider as often as they are too
 * large for the file.  A build feeds it while the history is made (overview_feed.h); of a history that is complete,
 * threads that no other pyramid reads are read at the end, a part of them at a time.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bits.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"
#include "overview/overview_choice.h"
#include "overview/overview_feed.h"
#include "overview/overview_window.h"
#include "overview/pyramid_maker.h"
#include "query/attribute_names.h"
#include "query/thread_pieces.h"
#include "state/cube_cell.h"
#include "state/ongoing_states.h"
#include "state/pyramid.h"
#include "state/state_system.h"

/* The bytes of a cell, its own. */
struct cube_bytes {
	uint8_t *bytes;
	size_t size;
};

/* A zeroed one is empty. */
struct cube_cells {
	struct histree_history_info of;
	struct pyramid_grid grid;
	struct cube_bytes *cells[CUBE_PARTS];
	uint64_t bytes[CUBE_PARTS]; /* that all have */
	size_t largest[CUBE_PARTS]; /* of them, as long as cells do not become wider */
	size_t bytes_max;           /* of one that is handed out */
	struct intern texts;
	struct cube_cell open; /* the one that is open */
};

/* What is known of a thread of a choice, and its lists; those of CPUs, who has them, come after all threads. */
enum { LIST_STATUS, LIST_QUEUE, LIST_CALL, LISTS_OF_THREAD };

/* What a window has of a cell and a key. */
struct cube_entry {
	uint64_t cell;
	struct cube_row row; /* of calls; of owners if it has one */
};

/* An entry that was met: its cell and its key as one number. */
struct cube_met {
	uint64_t id; /* 0: none */
	uint32_t entry;
};

/* A wait for a CPU in a window, both inclusive. */
struct cube_wait {
	histree_time start, end;
	uint32_t cpu; /* an index */
	bool begins;
};

/* How many wait for a CPU, while time goes by in a window. */
struct cube_queue {
	const struct window_state *at, *end; /* who has it */
	histree_time time;                   /* up to which it is known what became of the time of those who wait */
	uint32_t count;
};

enum { CUBE_MET_LOG2 = 11 };

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

/* A zeroed one is empty.  It takes about 45 bytes a thread, and what a choice has. */
struct cube_maker {
	struct thread_quarks threads;
	bool *are_chosen;              /* by thread: now or before */
	size_t left;                   /* threads that were not */
	struct pyramid_maker *pyramid; /* whose choice are attributes of some threads, and who has the CPUs */
	uint32_t *list_of;             /* by attribute of the choice */
	size_t list_capacity;
	uint32_t *members; /* the threads, by number */
	size_t member_count, member_capacity;
	bool has_owners;   /* who has the CPUs is asked for */
	bool is_of_no_use; /* no cube can say what is there */
	struct cube_cells cells;
	uint64_t cells_max;            /* bytes of all */
	size_t attributes_max;         /* in windows read for the cube alone */
	uint32_t owner_of[CUBE_PARTS]; /* in the file */
	enum cube_part part;           /* at hand, */
	struct saved_bytes room;       /* and a cell of it as bytes */
	histree_time *counted;         /* by thread: the begin of the last counted call; INT64_MIN: no call yet */
	struct cube_feed *feed;        /* NULL: it reads the history */
	/* In the current window: */
	histree_time from, to;
	uint32_t thread; /* at hand */
	struct window_state *states;
	size_t states_capacity;
	struct window_list *lists; /* by what list_of says */
	size_t lists_capacity;
	int32_t *cpus;  /* their numbers */
	int32_t *texts; /* by value of the window: as a call, USE_NOTHING if it was not looked up; */
	int32_t *ints;  /* as anything else, USE_NOTHING if it is null */
	size_t text_capacity, int_capacity;
	struct cube_entry *entries;
	size_t entry_count, entry_capacity;
	struct hash_index by_key;
	struct cube_met met[1 << CUBE_MET_LOG2]; /* by some bits of the number */
	struct cube_wait *waits;
	size_t wait_count, wait_capacity;
	struct cube_queue *queues; /* by CPU */
	struct keyed_index *order, *ends, *spare;
	size_t order_capacity, ends_capacity, spare_capacity;
};

/* The number of the cell in which a time is. */
static inline uint64_t cube_cells_at(const struct cube_cells *cells, histree_time time)
{
	return ((uint64_t)time - (uint64_t)cells->grid.origin) >> cells->grid.width_log2;
}

/* ---- cube cells ---------------------------------------------------------------------------------------------- */

static enum histree_status cube_cells_init(struct cube_cells *cells, const struct histree_history_info *of,
					   unsigned width_log2, struct histree_error *error)
{
	*cells = (struct cube_cells){ .of = *of, .grid = pyramid_grid(PYRAMID_CUBE, of, width_log2) };
	const uint64_t count = pyramid_grid_cells(&cells->grid, 0);
	for (int part = 0; part < CUBE_PARTS; part++) {
		cells->cells[part] = calloc(count, sizeof(*cells->cells[part]));
		if (cells->cells[part] == NULL)
			return error_memory(error, "an overview");
	}
	return HISTREE_OK;
}

/* ---- one cell ----------------------------------------------------------------------------------------------- */

static uint64_t ns_of(const struct cube_cells *cells, uint64_t cell)
{
	histree_time start, end;
	pyramid_grid_times(&cells->grid, 0, cell, &start, &end);
	return (uint64_t)end - (uint64_t)start + 1;
}

/* Add what a cell says to another one.  The bytes are our own. */
static enum histree_status add_cell(struct cube_cells *cells, enum cube_part part, uint64_t cell,
				    struct cube_cell *to, struct histree_error *error)
{
	const struct cube_bytes *from = &cells->cells[part][cell];
	if (from->size == 0 || cube_cell_get(to, part, &cells->texts, ns_of(cells, cell), cells->of.attribute_count,
					     from->bytes, from->size) == HISTREE_OK)
		return HISTREE_OK;
	return error_memory(error, "an overview");
}

/* Have what a cell of level 1 says in `open`, to add to it, and keep what is there. */
static enum histree_status cube_cells_open(struct cube_cells *cells, enum cube_part part, uint64_t cell,
					   struct histree_error *error)
{
	cube_cell_clear(&cells->open);
	return add_cell(cells, part, cell, &cells->open, error);
}

static enum histree_status cube_cells_close(struct cube_cells *cells, enum cube_part part, uint64_t cell,
					    struct histree_error *error)
{
	struct cube_bytes *into = &cells->cells[part][cell];
	struct saved_bytes saved = { 0 };
	cube_cell_put(&cells->open, part, &cells->texts, &saved);
	uint8_t *bytes = saved.no_memory ? NULL : realloc(saved.bytes, saved.size + 1);
	if (bytes == NULL) {
		saved_release(&saved);
		return error_memory(error, "an overview");
	}
	cells->bytes[part] += saved.size - into->size;
	cells->largest[part] = saved.size > cells->largest[part] ? saved.size : cells->largest[part];
	free(into->bytes);
	*into = (struct cube_bytes){ bytes, saved.size };
	return HISTREE_OK;
}

static void forget(struct cube_cells *cells, enum cube_part part, uint64_t cell)
{
	struct cube_bytes *bytes = &cells->cells[part][cell];
	cells->bytes[part] -= bytes->size;
	free(bytes->bytes);
	*bytes = (struct cube_bytes){ 0 };
}

/* Forget what is said of a part. */
static void cube_cells_drop(struct cube_cells *cells, enum cube_part part)
{
	for (uint64_t cell = 0; cell < pyramid_grid_cells(&cells->grid, 0); cell++)
		forget(cells, part, cell);
	cells->largest[part] = 0;
}

/* The two become the first of them. */
static enum histree_status join(struct cube_cells *cells, enum cube_part part, uint64_t cell,
				struct histree_error *error)
{
	enum histree_status status = cube_cells_open(cells, part, cell, error);
	if (status == HISTREE_OK)
		status = add_cell(cells, part, cell + 1, &cells->open, error);
	if (status == HISTREE_OK)
		status = cube_cells_close(cells, part, cell, error);
	if (status == HISTREE_OK)
		forget(cells, part, cell + 1);
	return status;
}

/* Make one cell of each two. */
static enum histree_status cube_cells_widen(struct cube_cells *cells, struct histree_error *error)
{
	const uint64_t count = pyramid_grid_cells(&cells->grid, 0);
	for (int part = 0; part < CUBE_PARTS; part++) {
		struct cube_bytes *all = cells->cells[part];
		cells->largest[part] = 0;
		for (uint64_t cell = 0; cell < count; cell += 2) {
			enum histree_status status = cell + 1 < count && all[cell].size + all[cell + 1].size > 0
							     ? join(cells, (enum cube_part)part, cell, error)
							     : HISTREE_OK;
			if (status != HISTREE_OK)
				return status;
			const struct cube_bytes bytes = all[cell];
			all[cell] = (struct cube_bytes){ 0 };
			all[cell / 2] = bytes;
			cells->largest[part] =
				bytes.size > cells->largest[part] ? bytes.size : cells->largest[part];
		}
	}
	cells->grid = pyramid_grid(PYRAMID_CUBE, &cells->of, cells->grid.width_log2 + 1);
	return HISTREE_OK;
}

static void cube_cells_release(struct cube_cells *cells)
{
	for (int part = 0; part < CUBE_PARTS; part++) {
		if (cells->cells[part] != NULL)
			cube_cells_drop(cells, (enum cube_part)part);
		free(cells->cells[part]);
	}
	cube_cell_release(&cells->open);
	intern_release(&cells->texts);
	*cells = (struct cube_cells){ 0 };
}

/* ---- cube maker ---------------------------------------------------------------------------------------------- */

enum { TEXTS_MAX = 4096 }; /* calls have names of a table; where there are more, they are something else */

/* ---- lists -------------------------------------------------------------------------------------------------- */

/*
 * Names of calls are texts, and all else is numbers.  What is not is for readers of states to judge: then there is
 * no cube.
 */
static enum window_keep keep_call(struct cube_maker *maker, const struct overview_window *window, uint32_t value,
				  int32_t *out)
{
	const struct histree_value *of = &window->values.values[value];
	int64_t kept;
	if (maker->texts[value] == USE_NOTHING && of->type != HISTREE_NULL) {
		maker->is_of_no_use |= of->type == HISTREE_INT;
		if (thread_pieces_value(&maker->cells.texts, of, HISTREE_WHOLE, &kept) != WINDOW_KEEPS)
			return WINDOW_HAS_NO_MEMORY;
		maker->texts[value] = (int32_t)kept;
	}
	*out = maker->texts[value];
	return *out == USE_NOTHING ? WINDOW_SKIPS : WINDOW_KEEPS;
}

static enum window_keep keep_half(struct cube_maker *maker, const struct overview_window *window, uint32_t value,
				  enum histree_part part, int32_t *out)
{
	const struct histree_value of = histree_value_part(&window->values.values[value], part);
	maker->is_of_no_use |= of.type == HISTREE_STRING;
	*out = of.type == HISTREE_INT ? of.int32 : USE_NOT_KNOWN;
	return of.type == HISTREE_NULL ? WINDOW_SKIPS : WINDOW_KEEPS;
}

static enum window_keep keep_int(struct cube_maker *maker, const struct overview_window *window, uint32_t value,
				 int32_t *out)
{
	*out = maker->ints[value];
	if (*out == USE_NOT_KNOWN) /* no status, no CPU and no thread is a text */
		maker->is_of_no_use |= window->values.values[value].type == HISTREE_STRING;
	return *out == USE_NOTHING ? WINDOW_SKIPS : WINDOW_KEEPS;
}

static bool make_list(struct cube_maker *maker, const struct overview_window *window, size_t first, size_t end,
		      uint32_t list, struct window_state **next)
{
	const size_t threads = maker->member_count * LISTS_OF_THREAD;
	const uint32_t kind = list < threads ? list % LISTS_OF_THREAD : LISTS_OF_THREAD;
	const enum histree_part part = kind == LIST_QUEUE
					       ? maker->threads.threads[maker->members[list / LISTS_OF_THREAD]].part
					       : HISTREE_WHOLE;
	struct window_state *state = *next;
	maker->lists[list].states = state;
	for (size_t i = first; i < end; i++) {
		const struct overview_state *from = &window->sorted[i];
		int32_t value = USE_NOT_KNOWN;
		enum window_keep keeps = WINDOW_KEEPS;
		if (from->value != OVERVIEW_REST)
			keeps = kind == LIST_CALL       ? keep_call(maker, window, from->value, &value)
				: part != HISTREE_WHOLE ? keep_half(maker, window, from->value, part, &value)
							: keep_int(maker, window, from->value, &value);
		if (keeps == WINDOW_HAS_NO_MEMORY)
			return false;
		if (keeps == WINDOW_SKIPS)
			continue;
		state->start = from->start;
		state->end = from->end;
		state->value = value;
		state++;
	}
	maker->lists[list].count = (size_t)(state - *next);
	*next = state;
	return true;
}

/* What the values of the window are as numbers. */
static bool read_values(struct cube_maker *maker, const struct overview_window *window)
{
	const struct value_table *values = &window->values;
	if (!array_reserve(&maker->texts, &maker->text_capacity, values->count + 1) ||
	    !array_reserve(&maker->ints, &maker->int_capacity, values->count + 1))
		return false;
	for (size_t i = 0; i < values->count; i++) {
		const struct histree_value *value = &values->values[i];
		maker->texts[i] = USE_NOTHING;
		maker->ints[i] = value->type == HISTREE_INT    ? value->int32
				 : value->type == HISTREE_NULL ? USE_NOTHING
							       : USE_NOT_KNOWN;
	}
	return true;
}

static enum histree_status fill_lists(struct cube_maker *maker, const uint32_t *attributes,
				      const struct overview_window *window, struct histree_error *error)
{
	if (!array_reserve(&maker->states, &maker->states_capacity, window->state_count + 1) ||
	    !read_values(maker, window))
		return error_memory(error, "an overview");
	for (uint32_t i = 0; i < maker->pyramid->choice.count; i++)
		maker->lists[maker->list_of[i]].count = 0;
	struct window_state *next = maker->states;
	for (size_t first = 0, end; first < window->state_count; first = end) {
		const uint32_t attribute = window->sorted[first].attribute;
		const uint32_t own = attributes != NULL ? attributes[attribute] : attribute;
		end = window->ends[attribute];
		if (own != OVERVIEW_NOT_OF_OTHER &&
		    !make_list(maker, window, first, end, maker->list_of[own], &next))
			return error_memory(error, "an overview");
	}
	return HISTREE_OK;
}

/* ---- what a window has -------------------------------------------------------------------------------------- */

static uint64_t hash_of(uint64_t cell, const struct cube_key *key)
{
	return cube_key_hash(key) + cell * UINT64_C(0x9e3779b97f4a7c15);
}

static bool has_key(const void *entries, uint32_t number, const void *key)
{
	const struct cube_entry *one = &((const struct cube_entry *)entries)[number], *other = key;
	return one->cell == other->cell && cube_key_is_same(&one->row.key, &other->row.key);
}

static uint64_t hash_of_entry(const void *entries, uint32_t number)
{
	const struct cube_entry *entry = &((const struct cube_entry *)entries)[number];
	return hash_of(entry->cell, &entry->row.key);
}

/* Returns NULL without memory. */
static struct cube_entry *find_entry(struct cube_maker *maker, uint64_t cell, const struct cube_key *key)
{
	const uint64_t hash = hash_of(cell, key);
	const struct cube_entry wanted = { .cell = cell, .row.key = *key };
	uint32_t at = hash_index_find(&maker->by_key, hash, has_key, maker->entries, &wanted);
	if (at != HASH_INDEX_NONE)
		return &maker->entries[at];
	if (maker->entry_count >= UINT32_MAX - 1 ||
	    !array_reserve(&maker->entries, &maker->entry_capacity, maker->entry_count + 1) ||
	    !hash_index_reserve(&maker->by_key, maker->entry_count + 1, hash_of_entry, maker->entries))
		return NULL;
	at = (uint32_t)maker->entry_count++;
	maker->entries[at] = wanted;
	hash_index_add(&maker->by_key, hash, at);
	return &maker->entries[at];
}

/* A cell and a key as one number, if they are as small as most are; else 0. */
static uint64_t id_of(uint64_t cell, const struct cube_key *key)
{
	/* USE_NOTHING and USE_NOT_KNOWN are 0 and 1, and what is negative is large. */
	const uint32_t cpu = (uint32_t)key->cpu - (uint32_t)USE_NOTHING, sign = UINT32_C(1) << 31;
	const uint32_t call = (uint32_t)key->system_call - (uint32_t)USE_NOTHING;
	const uint32_t own_cpu = cpu < 2 ? cpu : cpu - sign + 2, own_call = call < 2 ? call : call - sign + 2;
	if (own_cpu >= 1 << 12 || own_call >= 1 << 14 || (uint32_t)key->status >= 1 << 4 ||
	    key->had_by != USE_NOTHING)
		return 0;
	return (((cell + 1) << 12 | own_cpu) << 14 | own_call) << 5 | (uint32_t)key->status << 1 | key->is_idle;
}

/* Returns NULL without memory. */
static struct cube_row *find_row(struct cube_maker *maker, uint64_t cell, const struct cube_key *key)
{
	const uint64_t id = id_of(cell, key);
	struct cube_met *met = &maker->met[id * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CUBE_MET_LOG2)];
	if (id != 0 && met->id == id)
		return &maker->entries[met->entry].row;
	struct cube_entry *entry = find_entry(maker, cell, key);
	if (entry != NULL)
		*met = (struct cube_met){ id, (uint32_t)(entry - maker->entries) };
	return entry != NULL ? &entry->row : NULL;
}

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
static bool keep_span(struct cube_maker *maker, const struct cube_key *key, uint64_t first, uint64_t after,
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

/* So many threads did what the key says from `start` to `end`; what began did so at the start. */
static enum histree_status add_time(struct cube_maker *maker, const struct cube_key *key, histree_time start,
				    histree_time end, uint32_t threads, uint64_t begins, uint64_t calls,
				    struct histree_error *error)
{
	const struct pyramid_grid *grid = &maker->cells.grid;
	const uint64_t last = cube_cells_at(&maker->cells, end);
	for (uint64_t cell = cube_cells_at(&maker->cells, start); cell <= last; cell++) {
		const histree_time cell_end =
			(histree_time)((uint64_t)grid->origin + ((cell + 1) << grid->width_log2) - 1);
		const histree_time until = cell < last ? cell_end : end;
		struct cube_row *row = find_row(maker, cell, key);
		if (row == NULL)
			return error_memory(error, "an overview");
		row->ns += threads * ((uint64_t)until - (uint64_t)start + 1);
		row->begins += begins;
		row->calls += calls;
		begins = calls = 0;
		start = until + 1;
		if (cell + 1 < last && keep_span(maker, key, cell + 1, last, threads)) {
			start = (histree_time)((uint64_t)grid->origin + (last << grid->width_log2));
			cell = last - 1;
		}
	}
	return HISTREE_OK;
}

/* ---- waits -------------------------------------------------------------------------------------------------- */

static enum histree_status add_owner(struct cube_maker *maker, int32_t owner, histree_time start, histree_time end,
				     uint32_t threads, bool begins, struct histree_error *error)
{
	const struct cube_key key = { .cpu = USE_NOTHING, .system_call = USE_NOTHING, .had_by = owner };
	return add_time(maker, &key, start, end, threads, begins, 0, error);
}

static enum histree_status keep_wait(struct cube_maker *maker, const struct thread_piece *piece,
				     struct histree_error *error)
{
	uint32_t cpu = 0;
	while (cpu < maker->threads.cpu_count && maker->cpus[cpu] != piece->cpu)
		cpu++;
	if (cpu == maker->threads.cpu_count)
		return add_owner(maker, USE_NOT_KNOWN, piece->start, piece->end, 1, piece->begins, error);
	if (!array_reserve(&maker->waits, &maker->wait_capacity, maker->wait_count + 1))
		return error_memory(error, "an overview");
	maker->waits[maker->wait_count++] = (struct cube_wait){ piece->start, piece->end, cpu, piece->begins };
	return HISTREE_OK;
}

/* Who has the CPU at a time, and until when; those that have had it before are passed by. */
static int32_t owner_at(struct cube_queue *queue, histree_time time, histree_time *until)
{
	while (queue->at != queue->end && queue->at->end < time)
		queue->at++;
	if (queue->at == queue->end)
		return USE_NOT_KNOWN;
	const bool has = queue->at->start <= time;
	const histree_time last = has ? queue->at->end : queue->at->start - 1;
	*until = last < *until ? last : *until;
	return has ? (int32_t)queue->at->value : USE_NOT_KNOWN;
}

/* The time up to `end`, which is less than `time`, goes to those that had the CPU in it. */
static enum histree_status pass_time(struct cube_maker *maker, struct cube_queue *queue, histree_time time,
				     struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (queue->count > 0 && queue->time < time && status == HISTREE_OK) {
		histree_time until = time - 1;
		const int32_t owner = owner_at(queue, queue->time, &until);
		status = add_owner(maker, owner, queue->time, until, queue->count, false, error);
		queue->time = until + 1;
	}
	queue->time = time;
	return status;
}

static enum histree_status begin_wait(struct cube_maker *maker, const struct cube_wait *wait,
				      struct histree_error *error)
{
	struct cube_queue *queue = &maker->queues[wait->cpu];
	histree_time until = INT64_MAX;
	enum histree_status status = pass_time(maker, queue, wait->start, error);
	queue->count++;
	if (status == HISTREE_OK && wait->begins) {
		const struct cube_key key = { .cpu = USE_NOTHING,
					      .system_call = USE_NOTHING,
					      .had_by = owner_at(queue, wait->start, &until) };
		struct cube_row *row = find_row(maker, cube_cells_at(&maker->cells, wait->start), &key);
		if (row == NULL)
			return error_memory(error, "an overview");
		row->begins++;
	}
	return status;
}

static bool sort_waits(struct cube_maker *maker)
{
	const size_t count = maker->wait_count;
	if (!array_reserve(&maker->order, &maker->order_capacity, count + 1) ||
	    !array_reserve(&maker->ends, &maker->ends_capacity, count + 1) ||
	    !array_reserve(&maker->spare, &maker->spare_capacity, count + 1))
		return false;
	for (size_t i = 0; i < count; i++) {
		const uint64_t from = (uint64_t)maker->from;
		assert(maker->waits[i].start >= maker->from);
		maker->order[i] = (struct keyed_index){ (uint64_t)maker->waits[i].start - from, (uint32_t)i };
		maker->ends[i] = (struct keyed_index){ (uint64_t)maker->waits[i].end - from, (uint32_t)i };
	}
	radix_sort(maker->order, maker->spare, count);
	radix_sort(maker->ends, maker->spare, count);
	return true;
}

/*
 * While a CPU goes from thread to thread, a waiting thread waits for each of these: it need not be known which
 * threads wait at a time, only how many.
 */
static enum histree_status add_waits(struct cube_maker *maker, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (!sort_waits(maker))
		return error_memory(error, "an overview");
	for (uint32_t cpu = 0; cpu < maker->threads.cpu_count; cpu++) {
		const struct window_list *owners = &maker->lists[maker->member_count * LISTS_OF_THREAD + cpu];
		maker->queues[cpu] = (struct cube_queue){
			.at = owners->states,
			.end = owners->count > 0 ? owners->states + owners->count : owners->states,
			.time = maker->from,
		};
	}
	for (size_t begun = 0, ended = 0; ended < maker->wait_count && status == HISTREE_OK;) {
		const struct cube_wait *end = &maker->waits[maker->ends[ended].index];
		if (begun < maker->wait_count && maker->order[begun].key <= maker->ends[ended].key) {
			status = begin_wait(maker, &maker->waits[maker->order[begun++].index], error);
			continue;
		}
		status = pass_time(maker, &maker->queues[end->cpu], end->end + 1, error);
		maker->queues[end->cpu].count--;
		ended++;
	}
	return status;
}

/* ---- pieces ------------------------------------------------------------------------------------------------- */

static enum histree_status take_piece(void *context, const struct thread_piece *piece, struct histree_error *error)
{
	struct cube_maker *maker = context;
	const struct cube_key key = { .status = piece->status,
				      .cpu = piece->cpu,
				      .system_call = piece->system_call,
				      .had_by = USE_NOTHING,
				      .is_idle = maker->threads.threads[maker->thread].tid == 0 };
	histree_time *counted = &maker->counted[maker->thread];
	const bool counts = piece->system_call != USE_NOTHING && piece->call_start != *counted;
	if (counts)
		*counted = piece->call_start;
	enum histree_status status =
		add_time(maker, &key, piece->start, piece->end, 1, piece->begins, counts, error);
	if (status == HISTREE_OK && maker->has_owners && piece->status == THREAD_WAITS_FOR_CPU)
		status = keep_wait(maker, piece, error);
	return status;
}

/* What is fed is cut from where the thread was cut before, and else from the begin of the window on. */
static histree_time cut_from(struct cube_maker *maker, uint32_t thread);

static enum histree_status cut_threads(struct cube_maker *maker, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t member = 0; member < maker->member_count && status == HISTREE_OK; member++) {
		const uint32_t i = maker->members[member];
		const struct thread_cutting cutting = {
			.from = cut_from(maker, i), .to = maker->to, .give = take_piece, .context = maker
		};
		const struct window_list *lists = &maker->lists[member * LISTS_OF_THREAD];
		const struct thread_states states = {
			.statuses = lists[LIST_STATUS],
			.queues = lists[LIST_QUEUE],
			.calls = lists[LIST_CALL],
			.is_idle = maker->threads.threads[i].tid == 0,
			.cpu = maker->threads.threads[i].cpu,
		};
		maker->thread = i;
		if (states.statuses.count > 0)
			status = thread_pieces_cut(&cutting, &states, error);
	}
	return status;
}

/* What the window has of each cell goes there. */
static enum histree_status fill_cells(struct cube_maker *maker, struct histree_error *error)
{
	const size_t count = maker->entry_count;
	enum histree_status status = HISTREE_OK;
	if (!array_reserve(&maker->order, &maker->order_capacity, count + 1) ||
	    !array_reserve(&maker->spare, &maker->spare_capacity, count + 1))
		return error_memory(error, "an overview");
	for (size_t i = 0; i < count; i++) {
		const struct cube_entry *entry = &maker->entries[i];
		const bool is_owner = entry->row.key.had_by != USE_NOTHING;
		maker->order[i] = (struct keyed_index){ CUBE_PARTS * entry->cell + is_owner, (uint32_t)i };
	}
	radix_sort(maker->order, maker->spare, count);
	for (size_t i = 0; i < count && status == HISTREE_OK;) {
		const uint64_t key = maker->order[i].key, cell = key / CUBE_PARTS;
		const enum cube_part part = (enum cube_part)(key % CUBE_PARTS);
		status = cube_cells_open(&maker->cells, part, cell, error);
		for (; i < count && maker->order[i].key == key && status == HISTREE_OK; i++)
			if (!cube_cell_add(&maker->cells.open, &maker->entries[maker->order[i].index].row))
				status = error_memory(error, "an overview");
		if (status == HISTREE_OK)
			status = cube_cells_close(&maker->cells, part, cell, error);
	}
	return status;
}

/* The lists have the states of the window, those of all CPUs among them. */
static enum histree_status take_lists(struct cube_maker *maker, struct histree_error *error)
{
	maker->entry_count = maker->wait_count = 0;
	hash_index_clear(&maker->by_key);
	memset(maker->met, 0, sizeof(maker->met));
	maker->is_of_no_use |= maker->cells.texts.count > TEXTS_MAX;
	if (maker->is_of_no_use)
		return HISTREE_OK;
	enum histree_status status = cut_threads(maker, error);
	if (status == HISTREE_OK && maker->has_owners)
		status = add_waits(maker, error);
	return status == HISTREE_OK ? fill_cells(maker, error) : status;
}

static enum histree_status take_window(struct cube_maker *maker, const uint32_t *attributes,
				       const struct overview_window *window, struct histree_error *error)
{
	maker->from = window->from;
	maker->to = window->to;
	enum histree_status status = fill_lists(maker, attributes, window, error);
	return status == HISTREE_OK ? take_lists(maker, error) : status;
}

/* ---- cube choice --------------------------------------------------------------------------------------------- */

/* Nothing is left to choose if the history has no threads, or more than `threads_max`. */
static enum histree_status find_threads(struct cube_maker *maker, unsigned width_log2, size_t threads_max,
					struct histree_error *error)
{
	struct histree_history *history = maker->pyramid->source->history;
	const struct histree_history_info *info = &maker->pyramid->of;
	size_t hosts;
	if (strncmp(info->provider, "kernel", strlen("kernel")) != 0 ||
	    histree_history_hosts(history, &hosts) != NULL)
		return HISTREE_OK;
	enum histree_status status = thread_quarks_read(&maker->threads, history, threads_max, error);
	if (status == HISTREE_PARTIAL || (status == HISTREE_OK && maker->threads.count == 0))
		return HISTREE_OK;
	if (status == HISTREE_OK)
		status = cube_cells_init(&maker->cells, info, width_log2, error);
	if (status != HISTREE_OK)
		return status;
	const size_t count = maker->threads.count, cpus = maker->threads.cpu_count;
	maker->are_chosen = calloc(count, sizeof(*maker->are_chosen));
	maker->counted = malloc(count * sizeof(*maker->counted));
	maker->cpus = malloc((cpus + 1) * sizeof(*maker->cpus));
	maker->queues = calloc(cpus + 1, sizeof(*maker->queues));
	if (maker->are_chosen == NULL || maker->counted == NULL || maker->cpus == NULL || maker->queues == NULL)
		return error_memory(error, "an overview");
	for (size_t i = 0; i < count; i++)
		maker->counted[i] = INT64_MIN;
	for (size_t i = 0; i < cpus; i++)
		maker->cpus[i] = maker->threads.cpus[i].number;
	maker->left = count;
	maker->has_owners = cpus > 0;
	return HISTREE_OK;
}

/* The attributes of a thread by list, HISTREE_ROOT where it does not have one; the CPU of an idle loop is known. */
static void quarks_of(const struct thread_quark *thread, histree_quark quarks[LISTS_OF_THREAD])
{
	quarks[LIST_STATUS] = thread->status;
	quarks[LIST_QUEUE] = thread->cpu < 0 ? thread->queue : HISTREE_ROOT;
	quarks[LIST_CALL] = thread->call;
}

/* How many states threads have that were not chosen, and how many of their attributes there are. */
static uint64_t states_left(const struct cube_maker *maker, size_t *attributes)
{
	const struct state_counts *counts = maker->pyramid->source->counts;
	uint64_t states = 0;
	*attributes = 0;
	for (size_t i = 0; i < maker->threads.count; i++) {
		histree_quark quarks[LISTS_OF_THREAD];
		quarks_of(&maker->threads.threads[i], quarks);
		for (int list = 0; list < LISTS_OF_THREAD && !maker->are_chosen[i]; list++) {
			states += quarks[list] != HISTREE_ROOT ? counts->states[quarks[list]] : 0;
			*attributes += quarks[list] != HISTREE_ROOT;
		}
	}
	return states;
}

static enum histree_status choose(struct cube_maker *maker, histree_quark quark, size_t list,
				  struct histree_error *error)
{
	struct overview_choice *choice = &maker->pyramid->choice;
	enum histree_status status = pyramid_maker_choose(maker->pyramid, quark, error);
	if (status == HISTREE_OK)
		choice->condensed[choice->count - 1].quark = (histree_quark)list; /* until they are sorted */
	return status;
}

static enum histree_status choose_thread(struct cube_maker *maker, size_t number, struct histree_error *error)
{
	histree_quark quarks[LISTS_OF_THREAD];
	enum histree_status status = HISTREE_OK;
	quarks_of(&maker->threads.threads[number], quarks);
	if (!array_reserve(&maker->members, &maker->member_capacity, maker->member_count + 1))
		return error_memory(error, "an overview");
	const size_t member = maker->member_count++;
	maker->members[member] = (uint32_t)number;
	maker->are_chosen[number] = true;
	maker->left--;
	for (size_t list = 0; list < LISTS_OF_THREAD && status == HISTREE_OK; list++)
		if (quarks[list] != HISTREE_ROOT)
			status = choose(maker, quarks[list], member * LISTS_OF_THREAD + list, error);
	return status;
}

static int by_source(const void *one, const void *other)
{
	const struct condensed *a = one, *b = other;
	return (a->source > b->source) - (a->source < b->source);
}

static bool has(const struct overview_choice *choice, histree_quark quark)
{
	const struct condensed wanted = { .source = quark };
	return choice->count > 0 &&
	       bsearch(&wanted, choice->condensed, choice->count, sizeof(wanted), by_source) != NULL;
}

static bool is_wanted(const struct cube_maker *maker, size_t number, const struct overview_choice *among,
		      size_t attributes_max)
{
	histree_quark quarks[LISTS_OF_THREAD];
	if (maker->are_chosen[number] || among == NULL)
		return !maker->are_chosen[number] &&
		       maker->pyramid->choice.count + LISTS_OF_THREAD <= attributes_max;
	quarks_of(&maker->threads.threads[number], quarks);
	for (int list = 0; list < LISTS_OF_THREAD; list++)
		if (quarks[list] != HISTREE_ROOT && has(among, quarks[list]))
			return true;
	return false;
}

/* Where the states of each attribute go. */
static enum histree_status make_lists(struct cube_maker *maker, struct histree_error *error)
{
	struct overview_choice *choice = &maker->pyramid->choice;
	const size_t lists = maker->member_count * LISTS_OF_THREAD + maker->threads.cpu_count;
	if (!array_reserve(&maker->lists, &maker->lists_capacity, lists + 1) ||
	    !array_reserve(&maker->list_of, &maker->list_capacity, (size_t)choice->count + 1))
		return error_memory(error, "an overview");
	for (size_t i = 0; i < lists; i++)
		maker->lists[i] = (struct window_list){ 0 };
	if (choice->count > 1)
		qsort(choice->condensed, choice->count, sizeof(*choice->condensed), by_source);
	for (uint32_t i = 0; i < choice->count; i++) {
		maker->list_of[i] = choice->condensed[i].quark;
		choice->condensed[i].quark = choice->condensed[i].source;
		maker->is_of_no_use |= i > 0 && choice->condensed[i - 1].source == choice->condensed[i].source;
	}
	return HISTREE_OK;
}

/*
 * Choose threads that were not chosen: those with an attribute in another choice, or the next ones that have no
 * more than `attributes_max`.  The choice is empty if no thread is left.
 */
static enum histree_status choose_threads(struct cube_maker *maker, const struct overview_choice *among,
					  size_t attributes_max, struct histree_error *error)
{
	const struct thread_quarks *threads = &maker->threads;
	enum histree_status status = HISTREE_OK;
	pyramid_maker_clear_choice(maker->pyramid);
	maker->member_count = 0;
	for (size_t i = 0; i < threads->count && maker->left > 0 && status == HISTREE_OK; i++)
		if (is_wanted(maker, i, among, attributes_max))
			status = choose_thread(maker, i, error);
	for (size_t i = 0; i < threads->cpu_count && maker->member_count > 0 && status == HISTREE_OK; i++)
		status = choose(maker, threads->cpus[i].current, maker->member_count * LISTS_OF_THREAD + i, error);
	if (status == HISTREE_OK)
		status = make_lists(maker, error);
	if (maker->is_of_no_use)
		maker->pyramid->choice.count = 0;
	if (maker->pyramid->source->counts == NULL)
		maker->pyramid->choice.states = maker->pyramid->of.interval_count; /* at most */
	return status;
}

/* ---- cells become wider ------------------------------------------------------------------------------------ */

enum {
	CELLS_LOG2_MOST = 10, /* the ends of a range that no cell fills are then a thousandth of the time */
	CELLS_LOG2_LEAST = 6, /* with fewer, most of a range is at its ends */
	BYTES_DEFAULT = 64 << 20,
	THREAD_BYTES = 96,     /* of what a tree may have, so that a cube takes half of it */
	ATTRIBUTE_BYTES = 640, /* that one costs where a window is made, about */
	CELLS_SHARE = 8,       /* of that, which cells may have until they are written */
	STATES_AT_ONCE = 256,  /* that are written together */
};

static bool fits(const struct cube_maker *maker)
{
	const struct cube_cells *cells = &maker->cells;
	return cells->bytes[CUBE_OF_CALLS] + cells->bytes[CUBE_OF_OWNERS] <= maker->cells_max;
}

/* Cells become wider until they fit; who had the CPUs is left out where that does not do. */
static enum histree_status make_fit(struct cube_maker *maker, struct histree_error *error)
{
	struct cube_cells *cells = &maker->cells;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && !fits(maker)) {
		if (pyramid_grid_cells(&cells->grid, 0) >> CELLS_LOG2_LEAST > 1) {
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

/* ---- from begin to end ------------------------------------------------------------------------------------- */

static enum histree_status cube_begin(struct pyramid_maker *pyramid, struct histree_error *error)
{
	const struct overview_options *options = pyramid->source->options;
	const size_t memory = options->memory_max > 0 ? options->memory_max : BYTES_DEFAULT;
	const uint64_t bytes_max = pyramid->bytes_max / 4 * 3; /* the levels above and the tree have the rest */
	const unsigned bits = bits_needed((uint64_t)pyramid->of.end - (uint64_t)pyramid->of.start);
	const struct pyramid *there = pyramid->again;
	struct cube_maker *maker = pyramid->own = calloc(1, sizeof(*maker));
	if (maker == NULL)
		return error_memory(error, "an overview");
	maker->pyramid = pyramid;
	maker->cells_max = bytes_max < memory / CELLS_SHARE ? bytes_max : memory / CELLS_SHARE;
	maker->attributes_max = memory / ATTRIBUTE_BYTES;
	if (there == NULL)
		return find_threads(maker, bits > CELLS_LOG2_MOST ? bits - CELLS_LOG2_MOST : 0,
				    memory / THREAD_BYTES, error);
	const struct pyramid_grid grid = pyramid_grid(PYRAMID_CUBE, &pyramid->of, there->log2);
	if (pyramid_grid_cells(&grid, 0) > CUBE_CELLS_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "'%s' has more cells than any",
				 histree_history_info(there->levels[0].history)->provider);
	return find_threads(maker, there->log2, UINT32_MAX / 4, error);
}

/* Cells that are too large in the end are not made again. */
static enum histree_status cube_choose(struct pyramid_maker *pyramid, uint64_t bytes, struct histree_error *error)
{
	(void)error;
	pyramid->is_wanted = bytes == 0 && ((const struct cube_maker *)pyramid->own)->left > 0;
	return HISTREE_OK;
}

/* Returns whether reading for the cube alone would cost more than reading the history once more. */
static bool is_too_much(const struct cube_maker *maker)
{
	const struct state_counts *counts = maker->pyramid->source->counts;
	size_t attributes;
	uint64_t states = states_left(maker, &attributes), of_cpus = 0;
	for (size_t i = 0; i < maker->threads.cpu_count; i++)
		of_cpus += counts->states[maker->threads.cpus[i].current];
	states += (attributes / maker->attributes_max + (attributes > 0)) * of_cpus;
	return states > maker->pyramid->of.interval_count;
}

/* The threads of which others read attributes; more of them are read in the end, a part of them at a time. */
static enum histree_status cube_join(struct pyramid_maker *pyramid, const struct overview_choice *others,
				     struct histree_error *error)
{
	struct cube_maker *maker = pyramid->own;
	if (!pyramid->is_wanted || maker->feed != NULL)
		return HISTREE_OK;
	enum histree_status status = choose_threads(maker, others, SIZE_MAX, error);
	pyramid->is_wanted = !maker->is_of_no_use;
	if (status == HISTREE_OK && is_too_much(maker)) {
		pyramid->is_wanted = false;
		pyramid_maker_clear_choice(pyramid);
	}
	return status;
}

static enum histree_status cube_take(struct pyramid_maker *pyramid, const uint32_t *places,
				     const struct overview_window *window, struct histree_error *error)
{
	struct cube_maker *maker = pyramid->own;
	enum histree_status status = take_window(maker, places, window, error);
	if (status == HISTREE_OK && pyramid->again == NULL)
		status = make_fit(maker, error);
	pyramid->is_wanted = !maker->is_of_no_use;
	return status;
}

/* The threads that others do not read. */
static enum histree_status read_others(struct pyramid_maker *pyramid, struct histree_error *error)
{
	struct cube_maker *maker = pyramid->own;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && maker->left > 0 && pyramid->is_wanted) {
		status = choose_threads(maker, NULL, maker->attributes_max, error);
		pyramid->is_wanted = !maker->is_of_no_use;
		if (status == HISTREE_OK)
			status = pyramid_maker_walk(pyramid, error);
	}
	return status;
}

/* ---- cube feed ----------------------------------------------------------------------------------------------- */

/*
 * States come as they end, in windows that have all that ended in them.  Of a thread of which something ended, or
 * which waits for a CPU, the pieces are cut up to the end of the window: what goes on there has a value by then.
 * All other threads do what they did, and their pieces are cut when that has ended, however long it took: cells are
 * in memory until the end, so a piece may reach back over all of them.
 */

enum {
	FED_AT_ONCE = 4096,
	FED_FIRST_LOG2 = 7, /* cells in the first window: a history that has overviews has eight of them */
	HELD_ITEMS_MAX = 1 << 16,
	/* Cells may have a byte for so many states, which is twice what the file is likely to have room for. */
	STATES_FOR_BYTE = 12,
};

static histree_time cut_from(struct cube_maker *maker, uint32_t thread)
{
	if (maker->feed == NULL)
		return maker->from;
	struct fed_thread *fed = &maker->feed->threads[thread];
	const histree_time from = fed->next;
	fed->next = maker->to + 1;
	return from;
}

static enum histree_status cube_feed_begin(struct pyramid_maker *pyramid, struct histree_error *error)
{
	const size_t memory = pyramid->memory_max > 0 ? pyramid->memory_max : BYTES_DEFAULT;
	struct cube_maker *maker = pyramid->own = calloc(1, sizeof(*maker));
	struct cube_feed *feed = calloc(1, sizeof(*feed));
	if (maker == NULL || feed == NULL) {
		free(feed);
		return error_memory(error, "an overview");
	}
	feed->of_roles.space = pyramid->tables;
	feed->threads_max = memory / THREAD_BYTES;
	feed->held_from = INT64_MAX;
	maker->feed = feed;
	maker->pyramid = pyramid;
	feed->bytes_max = memory / CELLS_SHARE;
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
		quarks_of(thread, quarks);
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
		quarks_of(thread, quarks);
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
	quarks_of(thread, quarks);
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
	quarks_of(&maker->threads.threads[thread], quarks);
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
static bool cube_feed_holds(const struct pyramid_maker *pyramid, histree_quark quark, histree_time end)
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
	if (fits(maker))
		return HISTREE_OK;
	if (pyramid_grid_cells(&maker->cells.grid, 0) >> CELLS_LOG2_LEAST > 1) {
		status = flush_spans(maker, error);
		if (status == HISTREE_OK)
			status = cube_cells_widen(&maker->cells, error);
	}
	maker->cells_max = feed->bytes_max;
	if (status == HISTREE_OK && !fits(maker)) {
		status = flush_spans(maker, error);
		if (status == HISTREE_OK)
			status = make_fit(maker, error);
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
	enum histree_status status = take_lists(maker, error);
	if (status == HISTREE_OK && !end_members(maker, window))
		status = error_memory(error, "an overview");
	return status == HISTREE_OK ? stay_small(maker, window->item_count, error) : status;
}

static enum histree_status cube_feed(struct pyramid_maker *pyramid, const struct feed_window *window,
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
static enum histree_status cube_feed_end(struct pyramid_maker *pyramid, const struct feed_window *window,
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
static enum histree_status cube_adopt(struct pyramid_maker *pyramid, struct histree_error *error)
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
	while (status == HISTREE_OK && cells->grid.width_log2 + CELLS_LOG2_MOST < bits)
		status = cube_cells_widen(cells, error);
	if (status == HISTREE_OK)
		status = make_fit(maker, error);
	pyramid->is_wanted = pyramid->is_wanted && !maker->is_of_no_use;
	return status;
}

static bool cube_feed_used(struct pyramid_maker *pyramid, const struct histree_state_system *system,
			   histree_quark quark, histree_time since)
{
	struct cube_maker *maker = pyramid->own;
	const struct cube_feed *feed = maker->feed;
	(void)look_at_attributes(maker, histree_state_attributes(system), NULL);
	const uint32_t role = quark < feed->known ? feed->roles[quark] : 0;
	if (quark >= feed->known || role == FED_NOTHING)
		return quark >= feed->known;
	return (role & FED_CPU) != 0 || feed->threads[role / LISTS_OF_THREAD].next > since;
}

static void cube_feed_free(struct pyramid_maker *pyramid)
{
	struct cube_feed *feed = ((struct cube_maker *)pyramid->own)->feed;
	table_release(&feed->of_roles, feed->roles);
	feed->roles = NULL;
	feed->roles_capacity = 0;
}

static void cube_feed_release(struct cube_feed *feed)
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

/* ---- what is ready ----------------------------------------------------------------------------------------- */

static struct histree_value value_of(const struct cube_cells *cells, const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return histree_null();
	return size <= cells->bytes_max ? histree_custom(bytes, size) : histree_custom("", 1);
}

static enum histree_status cube_put(struct pyramid_maker *pyramid, void *cell, struct histree_value *out,
				    struct histree_error *error)
{
	struct cube_maker *maker = pyramid->own;
	maker->room.size = 0;
	cube_cell_put(cell, maker->part, &maker->cells.texts, &maker->room);
	*out = value_of(&maker->cells, maker->room.bytes, maker->room.size);
	return maker->room.no_memory ? error_memory(error, "an overview") : HISTREE_OK;
}

static enum histree_status cube_merge(void *into, const void *cell, struct histree_error *error)
{
	const struct cube_cell *below = cell;
	for (size_t i = 0; i < below->count; i++)
		if (!cube_cell_add(into, &below->rows[i]))
			return error_memory(error, "an overview");
	return HISTREE_OK;
}

static void cube_clear(void *cell)
{
	cube_cell_clear(cell);
}

/* A cell of level 1 ends, and so may those above it. */
static enum histree_status end_cells(struct pyramid_maker *pyramid, enum cube_part part, uint64_t cell,
				     struct histree_error *error)
{
	struct cube_maker *maker = pyramid->own;
	struct cube_cells *cells = &maker->cells;
	const struct pyramid_grid *grid = &cells->grid;
	const struct cube_bytes *bytes = &cells->cells[part][cell];
	const struct histree_value value = value_of(cells, bytes->bytes, bytes->size);
	const uint32_t owner = maker->owner_of[part];
	const bool is_last = cell + 1 == pyramid_grid_cells(grid, 0);
	histree_time start, end;
	pyramid_grid_times(grid, 0, cell, &start, &end);
	enum histree_status status = pyramid_maker_ready(pyramid, owner, 0, start, end, &value, error);
	if (status == HISTREE_OK && grid->level_count > 1)
		status = add_cell(cells, part, cell, pyramid_maker_cell(pyramid, owner, 1), error);
	maker->part = part;
	for (uint32_t level = 1; level < grid->level_count && status == HISTREE_OK; level++) {
		const uint64_t at = cell >> (level * PYRAMID_STEP_LOG2);
		if (!is_last && (cell + 1) >> (level * PYRAMID_STEP_LOG2) == at)
			break;
		pyramid_grid_times(grid, level, at, &start, &end);
		status = pyramid_maker_close(pyramid, owner, level, start, end, error);
	}
	return status;
}

/* Those of all levels in the order of their ends. */
static enum histree_status end_all(struct pyramid_maker *pyramid, struct histree_error *error)
{
	const struct cube_maker *maker = pyramid->own;
	enum histree_status status = HISTREE_OK;
	for (uint64_t cell = 0; cell < pyramid_grid_cells(&maker->cells.grid, 0) && status == HISTREE_OK; cell++) {
		status = end_cells(pyramid, CUBE_OF_CALLS, cell, error);
		if (status == HISTREE_OK && maker->has_owners)
			status = end_cells(pyramid, CUBE_OF_OWNERS, cell, error);
		if (status == HISTREE_OK && pyramid->ready.count >= STATES_AT_ONCE)
			status = pyramid_maker_give(pyramid, error);
	}
	return status;
}

/* Nodes are as large as the largest cell of level 1 needs them; cells above that are larger say so. */
static void choose_node_size(struct pyramid_maker *pyramid)
{
	struct cube_maker *maker = pyramid->own;
	for (int part = 0; part < CUBE_PARTS; part++)
		while (maker->cells.largest[part] > cube_cell_bytes_max(pyramid->node_size))
			pyramid->node_size *= 2;
}

/* Owns `Threads`, and `CPUs` if a thread ever has one, in the order of their quarks. */
static enum histree_status own_parts(struct pyramid_maker *pyramid, struct histree_error *error)
{
	const struct cube_maker *maker = pyramid->own;
	const uint32_t levels = maker->cells.grid.level_count;
	const histree_quark threads = maker->threads.above, cpus = maker->threads.above_cpus;
	enum histree_status status = HISTREE_OK;
	if (maker->has_owners && cpus < threads)
		status = pyramid_maker_own(pyramid, cpus, levels, error);
	if (status == HISTREE_OK)
		status = pyramid_maker_own(pyramid, threads, levels, error);
	if (status == HISTREE_OK && maker->has_owners && cpus > threads)
		status = pyramid_maker_own(pyramid, cpus, levels, error);
	return status;
}

static bool find_owner(const struct pyramid_maker *pyramid, histree_quark quark, uint32_t *out)
{
	for (*out = 0; *out < pyramid->owner_count; ++*out)
		if (pyramid->owners[*out].quark == quark)
			return true;
	return false;
}

static enum histree_status cube_finish(struct pyramid_maker *pyramid, struct histree_error *error)
{
	struct cube_maker *maker = pyramid->own;
	enum histree_status status = read_others(pyramid, error);
	if (status != HISTREE_OK || !pyramid->is_wanted)
		return status;
	if (pyramid->again == NULL) {
		pyramid->log2 = maker->cells.grid.width_log2;
		choose_node_size(pyramid);
		status = own_parts(pyramid, error);
	} else {
		pyramid->node_size = histree_history_info(pyramid->again->levels[0].history)->node_size;
	}
	maker->cells.bytes_max = cube_cell_bytes_max(pyramid->node_size);
	if (status == HISTREE_OK)
		status = pyramid_maker_begin_file(pyramid, error);
	maker->has_owners = find_owner(pyramid, maker->threads.above_cpus, &maker->owner_of[CUBE_OF_OWNERS]) &&
			    maker->has_owners;
	if (maker->threads.count == 0 ||
	    !find_owner(pyramid, maker->threads.above, &maker->owner_of[CUBE_OF_CALLS]))
		pyramid->is_wanted = false; /* no cube says what is there */
	return status == HISTREE_OK && pyramid->is_wanted ? end_all(pyramid, error) : status;
}

static void cube_release(struct pyramid_maker *pyramid)
{
	struct cube_maker *maker = pyramid->own;
	if (maker == NULL)
		return;
	for (size_t i = 0; i < pyramid->cell_count; i++)
		cube_cell_release(&((struct cube_cell *)(void *)pyramid->cells)[i]);
	thread_quarks_release(&maker->threads);
	cube_feed_release(maker->feed);
	cube_cells_release(&maker->cells);
	hash_index_release(&maker->by_key);
	free(maker->list_of);
	free(maker->are_chosen);
	free(maker->members);
	free(maker->counted);
	free(maker->states);
	free(maker->lists);
	free(maker->cpus);
	free(maker->texts);
	free(maker->ints);
	free(maker->entries);
	free(maker->waits);
	free(maker->queues);
	free(maker->order);
	free(maker->ends);
	free(maker->spare);
	saved_release(&maker->room);
	free(maker);
	pyramid->own = NULL;
}

const struct cell_kind cube_cells = {
	.id = PYRAMID_CUBE,
	.size = sizeof(struct cube_cell),
	.cells_max = CUBE_PARTS * PYRAMID_STEPS_MAX,
	.begin = cube_begin,
	.feed_begin = cube_feed_begin,
	.feed = cube_feed,
	.feed_end = cube_feed_end,
	.feed_used = cube_feed_used,
	.feed_holds = cube_feed_holds,
	.feed_free = cube_feed_free,
	.adopt = cube_adopt,
	.choose = cube_choose,
	.join = cube_join,
	.take = cube_take,
	.finish = cube_finish,
	.merge = cube_merge,
	.put = cube_put,
	.clear = cube_clear,
	.release = cube_release,
	.is_kept = true,
};
