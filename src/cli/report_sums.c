// SPDX-License-Identifier: MIT
/*
 * report_sums.c - the sections of a report about running sums: what was counted in the window for each thread or
 * interface, which is the difference of two values of its sum.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "cli/number_changes.h"
#include "cli/report_sections.h"
#include "histree/states.h"
#include "view/view.h"

enum { COLUMNS_MAX = 4, NAME_SIZE = 40 };

struct sums_section {
	const char *analysis, *folder, *title, *row_name, *command;
	bool has_threads, has_bytes; /* rows are threads; columns whose unit is not said are bytes */
	struct sums_column {
		const char *name, *heading;
		bool is_count;
	} columns[COLUMNS_MAX]; /* none: those that the history has */
	size_t order_count;     /* rows are in the order of the sum of this many columns */
};

static const struct sums_section sections[] = {
	{ .analysis = "network",
	  .folder = "Interfaces",
	  .title = "Network interfaces",
	  .row_name = "interface",
	  .command = "'Interfaces/*/*'",
	  .has_bytes = true,
	  .columns = { { "bytes_received", "received", false },
		       { "bytes_sent", "sent", false },
		       { "packets_received", "packets received", true },
		       { "packets_sent", "packets sent", true } },
	  .order_count = 2 },
	{ .analysis = "network",
	  .folder = "Threads",
	  .title = "What threads received and sent",
	  .row_name = "thread",
	  .command = "'Threads/*/*'",
	  .has_threads = true,
	  .has_bytes = true,
	  .columns = { { "bytes_received", "received", false },
		       { "bytes_sent", "sent", false },
		       { "packets_sent", "packets sent", true } },
	  .order_count = 2 },
	{ .analysis = "kernel-memory",
	  .folder = "Threads",
	  .title = "Memory that the kernel allocated for threads, less what was freed",
	  .row_name = "thread",
	  .command = "'Threads/*/*'",
	  .has_threads = true,
	  .has_bytes = true,
	  .columns = { { "pages", "pages", false }, { "heap", "heap", false } },
	  .order_count = 2 },
	{ .analysis = "switches",
	  .folder = "Threads",
	  .title = "How often threads gave up a CPU, lost it, and came to another one",
	  .row_name = "thread",
	  .command = "'Threads/*/*'",
	  .has_threads = true,
	  .columns = { { "voluntary", "gave up", true },
		       { "involuntary", "lost", true },
		       { "migrations", "moved", true } },
	  .order_count = 2 },
	{ .analysis = "counters",
	  .folder = "Threads",
	  .title = "What counters of events counted",
	  .row_name = "thread",
	  .command = "'Threads/*/*'",
	  .has_threads = true,
	  .order_count = 1 },
};

/* A sum, which is a column of a row. */
struct counted {
	histree_quark quark;
	uint32_t column;
	size_t row; /* of `rows` */
};

/*
 * A row is an interface or a thread.  Of a number that several threads had one after another there is a row for
 * each of them that lived in the window, whose sums are read by themselves: the changes within its life.  Where a
 * history has such rows itself, they have all of the window, as what a thread allocated is freed after its end.
 */
struct counted_row {
	histree_quark quark;
	const struct histree_thread *life;         /* NULL: the only one of its number */
	bool is_part;                              /* of what the quark has: what was counted in its life */
	struct histree_value amounts[COLUMNS_MAX]; /* null: not known, or nothing to count */
	int64_t order;
	bool has_any;
};

struct counting {
	const struct report_source *source;
	const struct sums_section *section;
	const struct thread_lives *lives;
	struct histree_history *history;
	histree_time from, to; /* the window, within the history */
	char columns[COLUMNS_MAX][NAME_SIZE];
	size_t column_count;
	struct histree_cursor *names; /* NULL: threads have no names */
	struct counted *sums;         /* by quark */
	size_t count, capacity;
	struct counted_row *rows;
	size_t row_count, row_capacity;
	struct row_column headings[2 + COLUMNS_MAX]; /* of the table */
};

/* Returns the number of a column, or COLUMNS_MAX. */
static uint32_t column_of(struct counting *counting, const char *name)
{
	uint32_t number = 0;
	bool is_given = counting->section->columns[0].name != NULL;
	while (number < counting->column_count && strcmp(counting->columns[number], name) != 0)
		number++;
	if (number == counting->column_count && (is_given || number == COLUMNS_MAX))
		return COLUMNS_MAX;
	if (number == counting->column_count)
		snprintf(counting->columns[counting->column_count++], NAME_SIZE, "%s", name);
	return number;
}

static enum histree_status add_row(struct counting *counting, histree_quark quark,
				   const struct histree_thread *life, bool is_part, struct histree_error *error)
{
	if (!array_reserve(&counting->rows, &counting->row_capacity, counting->row_count + 1))
		return error_memory(error, "a report");
	counting->rows[counting->row_count++] =
		(struct counted_row){ .quark = quark, .life = life, .is_part = is_part };
	return HISTREE_OK;
}

/* Adds a row, or one for each thread that had the number in the window. */
static enum histree_status add_rows(struct counting *counting, histree_quark quark, struct histree_error *error)
{
	char name[NAME_SIZE];
	histree_attributes_name(histree_history_attributes(counting->history), quark, name, sizeof(name));
	struct thread_row row;
	if (!counting->section->has_threads || !thread_row_read(counting->history, name, &row))
		return add_row(counting, quark, NULL, false, error);
	const struct histree_thread *life = thread_lives_of_row(counting->lives, 0, &row, counting->from);
	const bool is_part = life != NULL && !row.is_its_own;
	enum histree_status status = add_row(counting, quark, life, is_part, error);
	while (status == HISTREE_OK && is_part && life->to < counting->to) {
		life = thread_lives_of_row(counting->lives, 0, &row, life->to + 1);
		status = add_row(counting, quark, life, true, error);
	}
	return status;
}

static enum histree_status list_row(struct counting *counting, histree_quark quark, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(counting->history);
	const size_t first = counting->row_count;
	enum histree_status status = add_rows(counting, quark, error);
	histree_quark sum = histree_attributes_first_child(attributes, quark);
	for (; sum != HISTREE_ROOT && status == HISTREE_OK;
	     sum = histree_attributes_next_sibling(attributes, sum)) {
		char name[NAME_SIZE];
		histree_attributes_name(attributes, sum, name, sizeof(name));
		uint32_t column = column_of(counting, name);
		if (column == COLUMNS_MAX)
			continue;
		const size_t more = counting->row_count - first;
		if (!array_reserve(&counting->sums, &counting->capacity, counting->count + more))
			return error_memory(error, "a report");
		for (size_t row = first; row < counting->row_count; row++)
			counting->sums[counting->count++] =
				(struct counted){ .quark = sum, .column = column, .row = row };
	}
	return status;
}

static enum histree_status list_sums(struct counting *counting, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(counting->history);
	histree_quark folder;
	if (histree_attributes_find(attributes, HISTREE_ROOT, counting->section->folder, &folder) != HISTREE_OK)
		return HISTREE_OK;
	enum histree_status status = HISTREE_OK;
	histree_quark row = histree_attributes_first_child(attributes, folder);

	const struct sums_column *columns = counting->section->columns;
	while (counting->column_count < COLUMNS_MAX && columns[counting->column_count].name != NULL) {
		snprintf(counting->columns[counting->column_count], NAME_SIZE, "%s",
			 columns[counting->column_count].name);
		counting->column_count++;
	}

	for (; row != HISTREE_ROOT && status == HISTREE_OK; row = histree_attributes_next_sibling(attributes, row))
		status = list_row(counting, row, error);
	return status;
}

COMPARE(by_amount, struct counted_row,
	BY_MOST(has_any) BY_MOST(order) BY(quark) BY_ORDER(a->life != NULL ? a->life->life - b->life->life : 0))

/*
 * How much more there is at the end of a window, or of a life that ends in it, than at its start, as
 * 'histree states --growth' has it.  Before the trace there was nothing.
 */
static enum histree_status read_amounts(struct counting *counting, struct histree_error *error)
{
	struct number_change *changes = calloc(counting->count, sizeof(*changes));
	bool is_damaged;
	if (changes == NULL)
		return error_memory(error, "a report");
	for (size_t i = 0; i < counting->count; i++) {
		const struct counted_row *row = &counting->rows[counting->sums[i].row];
		changes[i] = (struct number_change){ .quark = counting->sums[i].quark,
						     .life = row->is_part ? row->life : NULL };
	}
	enum histree_status status = number_changes_read(counting->history, changes, counting->count,
							 counting->from, counting->to, &is_damaged, error);
	counting->source->uses->is_damaged |= status == HISTREE_OK && is_damaged;
	for (size_t i = 0; i < counting->count && status == HISTREE_OK; i++) {
		const struct counted *sum = &counting->sums[i];
		struct counted_row *row = &counting->rows[sum->row];
		histree_time from = counting->from, to = counting->to;
		if (changes[i].life != NULL)
			number_change_cut(changes[i].life, &from, &to);
		if (from == histree_history_info(counting->history)->start)
			changes[i].before = histree_null();
		const struct histree_value amount = number_change_value(&changes[i]);
		row->amounts[sum->column] = amount;
		row->has_any = row->has_any || (amount.type == HISTREE_LONG && amount.int64 != 0);
		if (amount.type == HISTREE_LONG && sum->column < counting->section->order_count)
			row->order = (int64_t)((uint64_t)row->order + (uint64_t)amount.int64);
	}
	if (counting->row_count > 0)
		qsort(counting->rows, counting->row_count, sizeof(*counting->rows), by_amount);
	free(changes);
	return status;
}

/* ---- the table ---------------------------------------------------------------------------------------------- */

/* Names of threads are in the history of the kernel; without it, a thread is a number. */
static enum histree_status open_names(struct counting *counting, struct histree_error *error)
{
	struct histree_history *history = counting->source->history;
	size_t host_count;
	if (!counting->section->has_threads || history == NULL ||
	    histree_history_hosts(history, &host_count) != NULL ||
	    strcmp(histree_history_info(history)->provider, "kernel") != 0)
		return HISTREE_OK;
	return histree_query_create(history, &counting->names, error);
}

/* The name of the thread at the end of the window, or when it was gone: "" if it is not known. */
static enum histree_status find_name(const struct counting *counting, const char *thread, char *name, size_t size,
				     struct histree_error *error)
{
	struct histree_history *history = counting->source->history;
	struct histree_interval state;
	char path[2 * NAME_SIZE];
	histree_quark quark;
	name[0] = '\0';
	snprintf(path, sizeof(path), "Threads/%s/Exec_name", thread);
	if (counting->names == NULL ||
	    histree_attributes_find(histree_history_attributes(history), HISTREE_ROOT, path, &quark) != HISTREE_OK)
		return HISTREE_OK;
	enum histree_status status = histree_query_single(
		counting->names, quark, histree_time_within(histree_history_info(history), counting->source->to),
		&state, error);
	if (status == HISTREE_OK && state.value.type == HISTREE_NULL &&
	    state.start > histree_history_info(history)->start)
		status = histree_query_single(counting->names, quark, state.start - 1, &state, error);
	if (status == HISTREE_OK && state.value.type == HISTREE_STRING)
		snprintf(name, size, "%.*s", (int)state.value.size, (const char *)state.value.bytes);
	return status;
}

static void begin_table(struct overview_page *page, struct counting *counting)
{
	const struct sums_section *section = counting->section;
	struct row_column *columns = counting->headings;
	size_t first = counting->names != NULL ? 2 : 1;
	columns[0] = (struct row_column){ .name = section->row_name,
					  .width = section->has_threads ? 8 : 12,
					  .to_the_right = section->has_threads };
	columns[1] = (struct row_column){ .name = "name", .width = 16 };
	for (size_t i = 0; i < counting->column_count; i++) {
		const char *heading =
			section->columns[i].heading != NULL ? section->columns[i].heading : counting->columns[i];
		unsigned width = (unsigned)strlen(heading);
		columns[first + i] = (struct row_column){ .name = heading,
							  .width = width < 12 ? 12 : width,
							  .to_the_right = true };
	}
	overview_page_section(page, section->title);
	overview_page_table(page, columns, first + counting->column_count, ROWS_PLAIN);
}

static enum histree_status put_row(struct overview_page *page, const struct counting *counting,
				   const struct counted_row *row, struct histree_error *error)
{
	const struct sums_section *section = counting->section;
	const struct histree_attributes *attributes = histree_history_attributes(counting->history);
	enum histree_status status = HISTREE_OK;
	char name[NAME_SIZE], called[NAME_SIZE] = "";
	histree_attributes_name(attributes, row->quark, name, sizeof(name));
	if (row->life != NULL)
		snprintf(name, sizeof(name), "%" PRId32, row->life->tid);
	row_text(&page->rows, name);
	if (counting->names != NULL && row->life == NULL)
		status = find_name(counting, name, called, sizeof(called), error);
	if (counting->names != NULL)
		row_text(&page->rows, row->life != NULL ? row->life->name : called);
	for (size_t j = 0; j < counting->column_count; j++) {
		const struct histree_value *amount = &row->amounts[j];
		if (amount->type != HISTREE_LONG)
			row_null(&page->rows);
		else if (section->has_bytes && !section->columns[j].is_count)
			row_size(&page->rows, amount->int64);
		else
			row_number(&page->rows, amount->int64);
	}
	row_end(&page->rows);
	return status;
}

/* With several hosts, one would have to be chosen: that is a question for 'histree states'. */
static enum histree_status put_section(struct overview_page *page, const struct report_source *source,
				       const struct sums_section *section, struct histree_error *error)
{
	struct counting counting = { .source = source, .section = section, .lives = report_lives(source, error) };
	size_t host_count;
	if (counting.lives == NULL)
		return error->status;
	enum histree_status status =
		target_history(source->target, section->analysis, true, &counting.history, error);
	if (status == HISTREE_OK && histree_history_hosts(counting.history, &host_count) == NULL) {
		counting.from = histree_time_within(histree_history_info(counting.history), source->from);
		counting.to = histree_time_within(histree_history_info(counting.history), source->to);
		status = list_sums(&counting, error);
	}
	if (status == HISTREE_OK && counting.count > 0)
		status = read_amounts(&counting, error);
	if (status == HISTREE_OK && counting.count > 0 && counting.rows[0].has_any) {
		status = open_names(&counting, error);
		begin_table(page, &counting);
		for (size_t i = 0; i < counting.row_count && i < counting.source->row_max &&
				   counting.rows[i].has_any && status == HISTREE_OK;
		     i++)
			status = put_row(page, &counting, &counting.rows[i], error);
		overview_page_table_end(page);
		char command[256];
		snprintf(command, sizeof(command), " -a %s%s --growth %s", counting.section->analysis,
			 counting.source->window, counting.section->command);
		overview_page_command(page, "states", counting.source->target->path, command);
	}
	histree_cursor_free(counting.names);
	free(counting.sums);
	free(counting.rows);
	histree_history_close(counting.history);
	return status;
}

enum histree_status report_sums(struct overview_page *page, const struct report_source *source,
				struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]) && status == HISTREE_OK; i++)
		if (target_has_history(source->target, sections[i].analysis))
			status = put_section(page, source, &sections[i], error);
	return status;
}
