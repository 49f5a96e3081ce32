// SPDX-License-Identifier: MIT
#include "overview/cube_maker.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"

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
	for (uint32_t i = 0; i < maker->choice.count; i++)
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

static bool is_of(const struct cube_entry *entry, uint64_t cell, const struct cube_key *key)
{
	return entry->cell == cell && entry->row.key.status == key->status && entry->row.key.cpu == key->cpu &&
	       entry->row.key.system_call == key->system_call && entry->row.key.had_by == key->had_by &&
	       entry->row.key.is_idle == key->is_idle;
}

static uint64_t hash_of(uint64_t cell, const struct cube_key *key)
{
	const uint64_t one = (uint64_t)(uint32_t)key->cpu << 32 | (uint32_t)key->system_call;
	const uint64_t other = (uint64_t)(uint32_t)key->had_by << 32 | (uint32_t)key->status;
	return hash_mix(one * 5 + other * 3 + cell + key->is_idle);
}

static bool has_key(const void *entries, uint32_t number, const void *key)
{
	const struct cube_entry *entry = key;
	return is_of(&((const struct cube_entry *)entries)[number], entry->cell, &entry->row.key);
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

/* So many threads did what the key says from `start` to `end`; what began did so at the start. */
static enum histree_status add_time(struct cube_maker *maker, const struct cube_key *key, histree_time start,
				    histree_time end, uint32_t threads, uint64_t begins, uint64_t calls,
				    struct histree_error *error)
{
	const struct cube_levels *levels = &maker->cells.levels;
	const uint64_t last = cube_cells_at(&maker->cells, end);
	for (uint64_t cell = cube_cells_at(&maker->cells, start); cell <= last; cell++) {
		const histree_time cell_end =
			(histree_time)((uint64_t)levels->origin + ((cell + 1) << levels->width_log2) - 1);
		const histree_time until = cell < last ? cell_end : end;
		struct cube_row *row = find_row(maker, cell, key);
		if (row == NULL)
			return error_memory(error, "an overview");
		row->ns += threads * ((uint64_t)until - (uint64_t)start + 1);
		row->begins += begins;
		row->calls += calls;
		begins = calls = 0;
		start = until + 1;
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

static bool sort_waits(struct cube_maker *maker, const struct overview_window *window)
{
	const size_t count = maker->wait_count;
	if (!array_reserve(&maker->order, &maker->order_capacity, count + 1) ||
	    !array_reserve(&maker->ends, &maker->ends_capacity, count + 1) ||
	    !array_reserve(&maker->spare, &maker->spare_capacity, count + 1))
		return false;
	for (size_t i = 0; i < count; i++) {
		const uint64_t from = (uint64_t)window->from;
		maker->order[i] = (struct keyed_index){ (uint64_t)maker->waits[i].start - from, (uint32_t)i };
		maker->ends[i] = (struct keyed_index){ (uint64_t)maker->waits[i].end - from, (uint32_t)i };
	}
	radix_sort(maker->order, maker->spare, count);
	radix_sort(maker->ends, maker->spare, count);
	return true;
}

/*
 * Whoever waits while a CPU goes from thread to thread, waits for each of these: who waits at a time need not be
 * known for that, only how many do.
 */
static enum histree_status add_waits(struct cube_maker *maker, const struct overview_window *window,
				     struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (!sort_waits(maker, window))
		return error_memory(error, "an overview");
	for (uint32_t cpu = 0; cpu < maker->threads.cpu_count; cpu++) {
		const struct window_list *owners = &maker->lists[maker->member_count * LISTS_OF_THREAD + cpu];
		maker->queues[cpu] = (struct cube_queue){
			.at = owners->states,
			.end = owners->count > 0 ? owners->states + owners->count : owners->states,
			.time = window->from,
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

static enum histree_status cut_threads(struct cube_maker *maker, const struct overview_window *window,
				       struct histree_error *error)
{
	const struct thread_cutting cutting = {
		.from = window->from, .to = window->to, .give = take_piece, .context = maker
	};
	enum histree_status status = HISTREE_OK;
	for (size_t member = 0; member < maker->member_count && status == HISTREE_OK; member++) {
		const uint32_t i = maker->members[member];
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

enum histree_status cube_maker_take(struct cube_maker *maker, const uint32_t *attributes,
				    const struct overview_window *window, struct histree_error *error)
{
	if (maker->is_of_no_use || maker->choice.count == 0)
		return HISTREE_OK;
	maker->entry_count = maker->wait_count = 0;
	hash_index_clear(&maker->by_key);
	memset(maker->met, 0, sizeof(maker->met));
	enum histree_status status = fill_lists(maker, attributes, window, error);
	maker->is_of_no_use |= maker->cells.texts.count > TEXTS_MAX;
	if (status != HISTREE_OK || maker->is_of_no_use)
		return status;
	status = cut_threads(maker, window, error);
	if (status == HISTREE_OK && maker->has_owners)
		status = add_waits(maker, window, error);
	return status == HISTREE_OK ? fill_cells(maker, error) : status;
}

void cube_maker_release(struct cube_maker *maker)
{
	thread_quarks_release(&maker->threads);
	overview_choice_release(&maker->choice);
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
	*maker = (struct cube_maker){ 0 };
}
