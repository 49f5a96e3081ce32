// SPDX-License-Identifier: MIT
/*
 * cube_pyramid.c - the cube: what all threads of a kernel together did in a cell of time, and on which CPUs
 * (docs/design/05-pyramid.md).
 *
 * A window has the states of some threads (cube_feed.c), which are cut into pieces, each with one status, CPU and
 * call; pieces of the same cell and key are added up first, and then added to the cell.  A thread that waits for a
 * CPU waits for the thread that has it.
 *
 * Cells of level 1 are in memory as bytes until all windows have been added; they become wider each time they are
 * too large for the file.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"
#include "overview/cube_maker.h"
#include "overview/overview_choice.h"
#include "overview/pyramid_maker.h"
#include "query/thread_pieces.h"
#include "state/pyramid.h"
#include "state/pyramid_cells.h"

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
enum histree_status cube_cells_open(struct cube_cells *cells, enum cube_part part, uint64_t cell,
				    struct histree_error *error)
{
	cube_cell_clear(&cells->open);
	return add_cell(cells, part, cell, &cells->open, error);
}

enum histree_status cube_cells_close(struct cube_cells *cells, enum cube_part part, uint64_t cell,
				     struct histree_error *error)
{
	struct cube_bytes *into = &cells->cells[part][cell];
	struct byte_buffer saved = { 0 };
	cube_cell_put(&cells->open, part, &cells->texts, &saved);
	uint8_t *bytes = saved.failed ? NULL : realloc(saved.bytes, saved.size + 1);
	if (bytes == NULL) {
		byte_buffer_release(&saved);
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

enum {
	TEXTS_MAX = 4096,
	SPAN_CELLS_MIN = 3
}; /* calls have names of a table; where there are more, they are something else */

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

/* ---- what fills cells ---------------------------------------------------------------------------------------- */

/* Returns the span of a key, NULL if there is no room for it. */
static struct cube_span *find_span(struct cube_maker *maker, const struct cube_key *key)
{
	for (size_t i = maker->span_count; i-- > 0;)
		if (cube_key_is_same(&maker->spans[i].key, key))
			return &maker->spans[i];
	if (maker->span_count == CUBE_SPANS_MAX ||
	    !array_reserve(&maker->spans, &maker->span_capacity, maker->span_count + 1))
		return NULL;
	maker->spans[maker->span_count] = (struct cube_span){ .key = *key };
	return &maker->spans[maker->span_count++];
}

/* Keep for later what fills cells from `first` up to `after`.  Returns false if that is to be added at once. */
static bool keep_span(struct cube_maker *maker, const struct cube_key *key, uint64_t first, uint64_t after,
		      uint32_t threads)
{
	const bool is_call = key->had_by == USE_NOTHING; /* waits that have an owner are cut by windows */
	struct cube_span *span = is_call && first + SPAN_CELLS_MIN <= after && after <= 1 << CUBE_LOG2_MOST
					 ? find_span(maker, key)
					 : NULL;
	if (span == NULL)
		return false;
	span->steps[first] += (int32_t)threads;
	span->steps[after] -= (int32_t)threads;
	return true;
}

/* Go on to the next cell: *threads become those that fill it.  Returns whether any does. */
static bool step_spans(const struct cube_maker *maker, uint64_t cell, int32_t threads[CUBE_SPANS_MAX])
{
	bool is_any = false;
	for (size_t i = 0; i < maker->span_count; i++) {
		threads[i] += maker->spans[i].steps[cell];
		is_any |= threads[i] > 0;
	}
	return is_any;
}

/* Add to the open cell what that many threads have that fill one. */
static enum histree_status add_spans(struct cube_maker *maker, const int32_t threads[CUBE_SPANS_MAX],
				     struct histree_error *error)
{
	const uint64_t width = UINT64_C(1) << maker->cells.grid.width_log2;
	for (size_t i = 0; i < maker->span_count; i++) {
		const struct cube_row row = { .key = maker->spans[i].key, .ns = (uint64_t)threads[i] * width };
		if (threads[i] > 0 && !cube_cell_add(&maker->cells.open, &row))
			return error_memory(error, "an overview");
	}
	return HISTREE_OK;
}

/* Add what fills cells to these. */
enum histree_status cube_maker_flush_spans(struct cube_maker *maker, struct histree_error *error)
{
	struct cube_cells *cells = &maker->cells;
	enum histree_status status = HISTREE_OK;
	int32_t threads[CUBE_SPANS_MAX] = { 0 };
	for (uint64_t cell = 0; cell < 1 << CUBE_LOG2_MOST && maker->span_count > 0 && status == HISTREE_OK;
	     cell++) {
		if (!step_spans(maker, cell, threads))
			continue;
		status = cube_cells_open(cells, CUBE_OF_CALLS, cell, error);
		if (status == HISTREE_OK)
			status = add_spans(maker, threads, error);
		if (status == HISTREE_OK)
			status = cube_cells_close(cells, CUBE_OF_CALLS, cell, error);
	}
	maker->span_count = 0;
	return status;
}

/* A cell and the one behind it, if there is one, become the first of them, and get what fills each. */
static enum histree_status join(struct cube_maker *maker, enum cube_part part, uint64_t cell, bool has_next,
				int32_t threads[CUBE_SPANS_MAX], struct histree_error *error)
{
	struct cube_cells *cells = &maker->cells;
	struct cube_bytes *all = cells->cells[part];
	const bool has_spans = part == CUBE_OF_CALLS && maker->span_count > 0;
	int32_t first[CUBE_SPANS_MAX];
	bool is_filled = false;
	if (has_spans) {
		is_filled = step_spans(maker, cell, threads);
		memcpy(first, threads, maker->span_count * sizeof(*threads));
		is_filled |= has_next && step_spans(maker, cell + 1, threads);
	}
	if (!is_filled && (!has_next || all[cell + 1].size == 0))
		return HISTREE_OK;
	if (!is_filled && all[cell].size == 0) {
		free(all[cell].bytes);
		all[cell] = all[cell + 1];
		all[cell + 1] = (struct cube_bytes){ 0 };
		return HISTREE_OK;
	}
	enum histree_status status = cube_cells_open(cells, part, cell, error);
	if (status == HISTREE_OK && has_next)
		status = add_cell(cells, part, cell + 1, &cells->open, error);
	if (status == HISTREE_OK && is_filled)
		status = add_spans(maker, first, error);
	if (status == HISTREE_OK && is_filled && has_next)
		status = add_spans(maker, threads, error);
	if (status == HISTREE_OK)
		status = cube_cells_close(cells, part, cell, error);
	if (status == HISTREE_OK && has_next)
		forget(cells, part, cell + 1);
	return status;
}

/* Make one cell of each two, which get what fills them as well. */
enum histree_status cube_maker_widen(struct cube_maker *maker, struct histree_error *error)
{
	struct cube_cells *cells = &maker->cells;
	const uint64_t count = pyramid_grid_cells(&cells->grid, 0);
	int32_t threads[CUBE_SPANS_MAX] = { 0 };
	for (int part = 0; part < CUBE_PARTS; part++) {
		struct cube_bytes *all = cells->cells[part];
		cells->largest[part] = 0;
		for (uint64_t cell = 0; cell < count; cell += 2) {
			enum histree_status status =
				join(maker, (enum cube_part)part, cell, cell + 1 < count, threads, error);
			if (status != HISTREE_OK)
				return status;
			const struct cube_bytes bytes = all[cell];
			all[cell] = (struct cube_bytes){ 0 };
			all[cell / 2] = bytes;
			cells->largest[part] =
				bytes.size > cells->largest[part] ? bytes.size : cells->largest[part];
		}
	}
	maker->span_count = 0;
	cells->grid = pyramid_grid(PYRAMID_CUBE, &cells->of, cells->grid.width_log2 + 1);
	return HISTREE_OK;
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

static enum histree_status cut_threads(struct cube_maker *maker, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t member = 0; member < maker->member_count && status == HISTREE_OK; member++) {
		const uint32_t i = maker->members[member];
		const struct thread_cutting cutting = {
			.from = maker->next[i], .to = maker->to, .give = take_piece, .context = maker
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
		maker->next[i] = maker->to + 1;
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
enum histree_status cube_maker_take_lists(struct cube_maker *maker, struct histree_error *error)
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

/* ---- which attributes --------------------------------------------------------------------------------------- */

/* The attributes of a thread by list, HISTREE_ROOT where it does not have one; the CPU of an idle loop is known. */
void cube_maker_quarks(const struct thread_quark *thread, histree_quark quarks[LISTS_OF_THREAD])
{
	quarks[LIST_STATUS] = thread->status;
	quarks[LIST_QUEUE] = thread->cpu < 0 ? thread->queue : HISTREE_ROOT;
	quarks[LIST_CALL] = thread->call;
}

/* ---- cells become wider ------------------------------------------------------------------------------------ */

enum { STATES_AT_ONCE = 256 /* that are written together */ };

bool cube_maker_fits(const struct cube_maker *maker)
{
	const struct cube_cells *cells = &maker->cells;
	return cells->bytes[CUBE_OF_CALLS] + cells->bytes[CUBE_OF_OWNERS] <= maker->cells_max;
}

/* Cells become wider until they fit; who had the CPUs is left out where that does not do. */
enum histree_status cube_maker_make_fit(struct cube_maker *maker, struct histree_error *error)
{
	struct cube_cells *cells = &maker->cells;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && !cube_maker_fits(maker)) {
		if (pyramid_grid_cells(&cells->grid, 0) >> CUBE_LOG2_LEAST > 1) {
			status = cube_maker_widen(maker, error);
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

/* ---- what is ready ----------------------------------------------------------------------------------------- */

static struct histree_value value_of(const struct cube_cells *cells, const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return histree_null();
	return size <= cells->bytes_max ? histree_custom(bytes, size) : histree_custom("", 1);
}

enum histree_status cube_put(struct pyramid_maker *pyramid, void *cell, struct histree_value *out,
			     struct histree_error *error)
{
	struct cube_maker *maker = pyramid->own;
	maker->room.size = 0;
	cube_cell_put(cell, maker->part, &maker->cells.texts, &maker->room);
	*out = value_of(&maker->cells, maker->room.bytes, maker->room.size);
	return maker->room.failed ? error_memory(error, "an overview") : HISTREE_OK;
}

enum histree_status cube_merge(void *into, const void *cell, struct histree_error *error)
{
	const struct cube_cell *below = cell;
	for (size_t i = 0; i < below->count; i++)
		if (!cube_cell_add(into, &below->rows[i]))
			return error_memory(error, "an overview");
	return HISTREE_OK;
}

void cube_clear(void *cell)
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

enum histree_status cube_finish(struct pyramid_maker *pyramid, struct histree_error *error)
{
	struct cube_maker *maker = pyramid->own;
	enum histree_status status = HISTREE_OK;
	if (pyramid->again == NULL) {
		pyramid->log2 = maker->cells.grid.width_log2;
		choose_node_size(pyramid);
		status = own_parts(pyramid, error);
	} else {
		pyramid->node_size = histree_history_info(pyramid->again->levels[0].history)->node_size;
		status = cube_maker_flush_spans(maker, error);
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

void cube_maker_release(struct cube_maker *maker)
{
	thread_quarks_release(&maker->threads);
	cube_cells_release(&maker->cells);
	hash_index_release(&maker->by_key);
	free(maker->members);
	free(maker->counted);
	free(maker->next);
	free(maker->spans);
	free(maker->states);
	free(maker->lists);
	free(maker->cpus);
	free(maker->entries);
	free(maker->waits);
	free(maker->queues);
	free(maker->order);
	free(maker->ends);
	free(maker->spare);
	byte_buffer_release(&maker->room);
}
