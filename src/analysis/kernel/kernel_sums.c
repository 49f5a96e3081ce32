// SPDX-License-Identifier: MIT
/*
 * kernel_sums.c - rows and their attributes, which are made when something is counted, and the life of an analysis
 * of sums.
 *
 * The order of events decides, not their times, where a clock steps back: `now` never does.
 */
#include "analysis/kernel/kernel_sums.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"

static struct kernel_sum_row *row_of(struct kernel_sums *sums, struct kernel_sum_table *table, int32_t number,
				     uint32_t life)
{
	const uint64_t id = (uint64_t)life << 32 | (uint32_t)number;
	struct kernel_sum_row *row = id_map_find_again(&table->rows, id);
	if (row != NULL)
		return row;
	const size_t size = table->kind->row_size > 0 ? table->kind->row_size : sizeof(*row);
	row = arena_allocate(&sums->records, size, alignof(max_align_t));
	if (row == NULL || !id_map_add(&table->rows, id, row)) {
		changes_fail(&sums->changes, HISTREE_ERR_MEMORY, "sums by thread and CPU");
		return NULL;
	}
	memset(row, 0, size);
	row->table = table;
	row->number = number;
	row->life = life;
	row->node = NO_ATTRIBUTE;
	for (size_t i = 0; i < KERNEL_SUM_NAMES; i++)
		row->quarks[i] = NO_ATTRIBUTE;
	return row;
}

struct kernel_sum_row *kernel_sum_row(struct kernel_sums *sums, struct kernel_sum_table *table, int32_t number)
{
	return row_of(sums, table, number, 0);
}

struct kernel_sum_row *kernel_sum_row_of_thread(struct kernel_sums *sums, struct kernel_sum_table *table,
						const struct machine_thread *thread)
{
	return row_of(sums, table, thread->tid, thread->life);
}

histree_quark kernel_sum_node(struct kernel_sums *sums, struct kernel_sum_row *row)
{
	const char *folder = row->table->kind->folder;
	char number[NUMBER_TEXT_SIZE + 24];
	if (row->node != NO_ATTRIBUTE || folder == NULL)
		return row->node;
	size_t size = number_format_signed(row->number, number);
	if (row->life != 0)
		size += (size_t)snprintf(number + size, 24, " (life %" PRIu32 ")", row->life);
	const bool is_named = row->name != NULL;
	changes_child(&sums->changes, &row->table->folder, HISTREE_ROOT, folder, strlen(folder));
	return changes_child(&sums->changes, &row->node, row->table->folder, is_named ? row->name : number,
			     is_named ? row->name_size : size);
}

histree_quark kernel_sum_attribute(struct kernel_sums *sums, struct kernel_sum_row *row, size_t which)
{
	const char *name = row->table->kind->names[which];
	if (row->quarks[which] != NO_ATTRIBUTE)
		return row->quarks[which];
	const histree_quark node = kernel_sum_node(sums, row);
	return changes_child(&sums->changes, &row->quarks[which], node, name, strlen(name));
}

static void restore(struct kernel_sums *sums, struct kernel_sum_row *row)
{
	for (size_t i = 0; i < row->table->kind->sum_count && row->is_lost; i++)
		if (row->quarks[i] != NO_ATTRIBUTE)
			change(&sums->changes, row->quarks[i], histree_long(row->sums[i]));
	row->is_lost = false;
}

void kernel_sum_set(struct kernel_sums *sums, struct kernel_sum_row *row, size_t which, int64_t amount)
{
	histree_quark quark = kernel_sum_attribute(sums, row, which);
	row->sums[which] = amount;
	restore(sums, row);
	change(&sums->changes, quark, histree_long(amount));
}

void kernel_sum_add(struct kernel_sums *sums, struct kernel_sum_row *row, size_t which, int64_t amount)
{
	kernel_sum_set(sums, row, which, row->sums[which] + amount);
}

/* Nobody knows what there is to count from now on. */
static void kernel_sum_lose(struct kernel_sums *sums, struct kernel_sum_row *row)
{
	for (size_t i = 0; i < row->table->kind->sum_count && !row->is_lost; i++)
		if (row->quarks[i] != NO_ATTRIBUTE)
			change(&sums->changes, row->quarks[i], histree_unknown());
	row->is_lost = true;
}

/* ---- the analysis ------------------------------------------------------------------------------------------- */

static const struct kernel_sum_kind of_gaps = { .names = { "gaps" }, .sum_count = 1 };

static void table_init(struct kernel_sums *sums, struct kernel_sum_table *table, const struct kernel_sum_kind *kind)
{
	*table = (struct kernel_sum_table){ .kind = kind, .folder = NO_ATTRIBUTE };
	id_map_use_space(&table->rows, sums->records.space);
}

enum histree_status kernel_sums_create(const struct kernel_sums_kind *kind, struct histree_state_system *system,
				       void *input, void **instance, struct histree_error *error)
{
	struct kernel_sums *sums = calloc(1, kind->size > 0 ? kind->size : sizeof(*sums));
	*instance = sums;
	if (sums == NULL)
		return error_memory(error, kind->what);
	sums->kind = kind;
	sums->input = input;
	sums->changes.system = system;
	sums->records.space = sums->input->machine.records.space;
	for (size_t i = 0; i < KERNEL_SUM_TABLES; i++)
		table_init(sums, &sums->tables[i], &kind->tables[i]);
	table_init(sums, &sums->gaps, &of_gaps);
	sums->counted = kind->counts_all ? UINT64_MAX : 0;
	for (size_t i = 0; i < kind->role_count; i++) {
		kernel_input_want(input, kind->roles[i]);
		sums->counted |= UINT64_C(1) << kind->roles[i];
	}
	if (kind->needs_machine)
		kernel_input_need_machine(input);
	if (kind->create != NULL)
		kind->create(sums);
	return HISTREE_OK;
}

static void begin_changes(struct kernel_sums *sums, histree_time time)
{
	if (sums->kind->counts_all && sums->input->now > time)
		time = sums->input->now;
	sums->now = !sums->is_begun || time > sums->now ? time : sums->now;
	sums->is_begun = true;
	changes_begin(&sums->changes, sums->now);
}

bool kernel_sums_wants(const void *instance, const struct event_class *class)
{
	const struct kernel_sums *sums = instance;
	const enum kernel_role role = kernel_input_role(sums->input, class);
	return sums->kind->wants != NULL ? sums->kind->wants(class, role) : (sums->counted >> role & 1) != 0;
}

enum histree_status kernel_sums_event(void *instance, const struct event *event, struct histree_error *error)
{
	struct kernel_sums *sums = instance;
	if ((sums->counted >> sums->input->event.role & 1) == 0)
		return HISTREE_OK;
	begin_changes(sums, event->time);
	sums->has_any |= sums->kind->counts_all || sums->input->event.role != sums->kind->uncounted;
	sums->source = event;
	sums->kind->count(sums, &sums->input->event);
	return changes_end(&sums->changes, error);
}

static void lose_rows(struct kernel_sums *sums, struct kernel_sum_table *table, const struct event_gap *gap)
{
	const struct id_entry *entry;
	if (table->kind->loss == SUMS_ARE_KEPT)
		return;
	for (size_t position = 0; (entry = id_map_next(&table->rows, &position)) != NULL;)
		if (table->kind->loss == SUMS_ARE_LOST || gap->cpu < 0 || entry->id == (uint32_t)gap->cpu)
			kernel_sum_lose(sums, entry->record);
}

enum histree_status kernel_sums_gap(void *instance, const struct event_gap *gap, struct histree_error *error)
{
	struct kernel_sums *sums = instance;
	if (sums->kind->applies != NULL && !sums->kind->applies(gap->trace))
		return HISTREE_OK;
	begin_changes(sums, gap->begin);
	struct kernel_sum_row *gaps = sums->kind->counts_gaps ? kernel_sum_row(sums, &sums->gaps, 0) : NULL;
	if (gaps != NULL)
		kernel_sum_add(sums, gaps, 0, 1);
	for (size_t i = 0; i < KERNEL_SUM_TABLES; i++)
		lose_rows(sums, &sums->tables[i], gap);
	if (sums->kind->lose != NULL)
		sums->kind->lose(sums, gap);
	return changes_end(&sums->changes, error);
}

uint64_t kernel_sums_refused(const void *instance)
{
	const struct kernel_sums *sums = instance;
	return sums->changes.refused;
}

bool kernel_sums_is_empty(const void *instance)
{
	const struct kernel_sums *sums = instance;
	return sums->kind->is_empty != NULL ? sums->kind->is_empty(sums) : !sums->has_any;
}

void kernel_sums_missing(const void *instance, char *text, size_t size)
{
	const struct kernel_sums *sums = instance;
	const char *missing = kernel_sums_is_empty(sums) ? sums->kind->missing : NULL;
	snprintf(text, size, "%s", missing != NULL ? missing : "");
	if (text[0] == '\0' && sums->kind->say_missing != NULL)
		sums->kind->say_missing(sums, text, size);
}

void kernel_sums_free(void *instance)
{
	struct kernel_sums *sums = instance;
	if (sums == NULL)
		return;
	if (sums->kind->release != NULL)
		sums->kind->release(sums);
	for (size_t i = 0; i < KERNEL_SUM_TABLES; i++)
		id_map_release(&sums->tables[i].rows);
	id_map_release(&sums->gaps.rows);
	arena_release(&sums->records);
	free(sums);
}
