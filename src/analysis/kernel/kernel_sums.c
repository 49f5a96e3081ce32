// SPDX-License-Identifier: MIT
#include "analysis/kernel/kernel_sums.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>

void kernel_sums_init(struct kernel_sums *sums, struct histree_state_system *system, struct kernel_input *input)
{
	*sums = (struct kernel_sums){ .input = input, .changes = { .system = system } };
	sums->records.space = input->machine.records.space;
}

void kernel_sums_release(struct kernel_sums *sums)
{
	arena_release(&sums->records);
}

void kernel_sum_table_init(struct kernel_sums *sums, struct kernel_sum_table *table,
			   const struct kernel_sum_kind *kind)
{
	*table = (struct kernel_sum_table){ .kind = kind, .folder = NO_ATTRIBUTE };
	id_map_use_space(&table->rows, sums->records.space);
}

void kernel_sum_table_release(struct kernel_sum_table *table)
{
	id_map_release(&table->rows);
}

void kernel_sums_begin(struct kernel_sums *sums, histree_time time)
{
	sums->now = !sums->is_begun || time > sums->now ? time : sums->now;
	sums->is_begun = true;
	changes_begin(&sums->changes, sums->now);
}

struct kernel_sum_row *kernel_sum_row(struct kernel_sums *sums, struct kernel_sum_table *table, int32_t number)
{
	struct kernel_sum_row *row = id_map_find(&table->rows, (uint32_t)number);
	if (row != NULL)
		return row;
	row = arena_allocate(&sums->records, table->kind->row_size, alignof(max_align_t));
	if (row == NULL || !id_map_add(&table->rows, (uint32_t)number, row)) {
		changes_fail(&sums->changes, HISTREE_ERR_MEMORY, "sums by thread and CPU");
		return NULL;
	}
	memset(row, 0, table->kind->row_size);
	row->table = table;
	row->number = number;
	row->node = NO_ATTRIBUTE;
	for (size_t i = 0; i < KERNEL_SUM_NAMES; i++)
		row->quarks[i] = NO_ATTRIBUTE;
	return row;
}

/* Returns the attribute of a sum, which is made if it is missing. */
static histree_quark attribute_of(struct kernel_sums *sums, struct kernel_sum_row *row, size_t which)
{
	const struct kernel_sum_kind *kind = row->table->kind;
	struct changes *changes = &sums->changes;
	char number[16];
	if (row->quarks[which] == NO_ATTRIBUTE && kind->folder != NULL) {
		const int size = snprintf(number, sizeof(number), "%" PRId32, row->number);
		const bool is_named = row->name != NULL;
		changes_child(changes, &row->table->folder, HISTREE_ROOT, kind->folder, strlen(kind->folder));
		changes_child(changes, &row->node, row->table->folder, is_named ? row->name : number,
			      is_named ? row->name_size : (size_t)size);
	}
	return changes_child(changes, &row->quarks[which], kind->folder != NULL ? row->node : HISTREE_ROOT,
			     kind->names[which], strlen(kind->names[which]));
}

static void restore(struct kernel_sums *sums, struct kernel_sum_row *row)
{
	for (size_t i = 0; i < KERNEL_SUM_NAMES && row->is_lost; i++)
		if (row->quarks[i] != NO_ATTRIBUTE)
			change(&sums->changes, row->quarks[i], histree_long(row->sums[i]));
	row->is_lost = false;
}

void kernel_sum_add(struct kernel_sums *sums, struct kernel_sum_row *row, size_t which, int64_t amount)
{
	histree_quark quark = attribute_of(sums, row, which);
	row->sums[which] += amount;
	restore(sums, row);
	change(&sums->changes, quark, histree_long(row->sums[which]));
}

void kernel_sum_lose(struct kernel_sums *sums, struct kernel_sum_row *row)
{
	for (size_t i = 0; i < KERNEL_SUM_NAMES && !row->is_lost; i++)
		if (row->quarks[i] != NO_ATTRIBUTE)
			change(&sums->changes, row->quarks[i], histree_unknown());
	row->is_lost = true;
}
