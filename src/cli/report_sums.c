// SPDX-License-Identifier: MIT
/*
 * report_sums.c - the sections of a report about running sums: what was counted in the window for each thread or
 * interface, which is the difference of two values of its sum.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "cli/number_changes.h"
#include "cli/report_sections.h"

enum { COLUMNS_MAX = 4, NAME_SIZE = 40 };

struct sums_section {
	const char *analysis, *folder, *title, *row_name, *command;
	bool has_threads, has_bytes; /* rows are threads; columns whose unit is not said are bytes */
	struct sums_column {
		const char *name, *heading;
		bool is_count;
	} columns[COLUMNS_MAX]; /* none: those that the history has */
	size_t order_count;     /* rows are in the order of the sum of so many columns */
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

struct counted_row {
	histree_quark quark;
	struct histree_value amounts[COLUMNS_MAX]; /* null: nobody knows, or there was nothing to count */
	int64_t order;
	bool has_any;
};

struct counting {
	const struct report_source *source;
	const struct sums_section *section;
	struct histree_history *history;
	char columns[COLUMNS_MAX][NAME_SIZE];
	size_t column_count;
	struct histree_query *names; /* NULL: threads have none */
	struct counted *sums;        /* by quark */
	size_t count, capacity;
	struct counted_row *rows;
	size_t row_count, row_capacity;
	struct row_column headings[2 + COLUMNS_MAX]; /* of the table */
};

/* Returns the number of a column, COLUMNS_MAX if it is none. */
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

static void name_columns(struct counting *counting)
{
	const struct sums_column *columns = counting->section->columns;
	while (counting->column_count < COLUMNS_MAX && columns[counting->column_count].name != NULL) {
		snprintf(counting->columns[counting->column_count], NAME_SIZE, "%s",
			 columns[counting->column_count].name);
		counting->column_count++;
	}
}

static enum histree_status list_row(struct counting *counting, histree_quark row, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(counting->history);
	histree_quark sum = histree_attributes_first_child(attributes, row);
	if (!array_reserve(&counting->rows, &counting->row_capacity, counting->row_count + 1))
		return error_memory(error, "a report");
	counting->rows[counting->row_count++] = (struct counted_row){ .quark = row };
	for (; sum != HISTREE_ROOT; sum = histree_attributes_next_sibling(attributes, sum)) {
		char name[NAME_SIZE];
		histree_attributes_name(attributes, sum, name, sizeof(name));
		uint32_t column = column_of(counting, name);
		if (column == COLUMNS_MAX)
			continue;
		if (!array_reserve(&counting->sums, &counting->capacity, counting->count + 1))
			return error_memory(error, "a report");
		counting->sums[counting->count++] =
			(struct counted){ .quark = sum, .column = column, .row = counting->row_count - 1 };
	}
	return HISTREE_OK;
}

static int by_quark(const void *one, const void *other)
{
	const struct counted *a = one, *b = other;
	return (a->quark > b->quark) - (a->quark < b->quark);
}

static enum histree_status list_sums(struct counting *counting, struct histree_error *error)
{
	const struct histree_attributes *attributes = histree_history_attributes(counting->history);
	histree_quark folder;
	if (histree_attributes_find(attributes, HISTREE_ROOT, counting->section->folder, &folder) != HISTREE_OK)
		return HISTREE_OK;
	enum histree_status status = HISTREE_OK;
	histree_quark row = histree_attributes_first_child(attributes, folder);
	name_columns(counting);
	for (; row != HISTREE_ROOT && status == HISTREE_OK; row = histree_attributes_next_sibling(attributes, row))
		status = list_row(counting, row, error);
	if (counting->count > 0)
		qsort(counting->sums, counting->count, sizeof(*counting->sums), by_quark);
	return status;
}

static int by_amount(const void *one, const void *other)
{
	const struct counted_row *a = one, *b = other;
	if (a->has_any != b->has_any)
		return a->has_any ? -1 : 1;
	if (a->order != b->order)
		return a->order < b->order ? 1 : -1;
	return (a->quark > b->quark) - (a->quark < b->quark);
}

static histree_time within(const struct histree_history_info *info, histree_time time)
{
	return time < info->start ? info->start : time > info->end ? info->end : time;
}

static void take_amount(struct counting *counting, const struct counted *sum, struct histree_value amount)
{
	struct counted_row *row = &counting->rows[sum->row];
	row->amounts[sum->column] = amount;
	row->has_any = row->has_any || (amount.type == HISTREE_LONG && amount.int64 != 0);
	if (amount.type == HISTREE_LONG && sum->column < counting->section->order_count)
		row->order = (int64_t)((uint64_t)row->order + (uint64_t)amount.int64);
}

static enum histree_status read_amounts(struct counting *counting, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(counting->history);
	const struct report_source *source = counting->source;
	struct number_change *changes = calloc(counting->count, sizeof(*changes));
	bool is_damaged;
	if (changes == NULL)
		return error_memory(error, "a report");
	for (size_t i = 0; i < counting->count; i++)
		changes[i].quark = counting->sums[i].quark;
	enum histree_status status =
		number_changes_read(counting->history, changes, counting->count, within(info, source->from),
				    within(info, source->to), &is_damaged, error);
	source->uses->is_damaged = source->uses->is_damaged || (status == HISTREE_OK && is_damaged);
	for (size_t i = 0; i < counting->count && status == HISTREE_OK; i++)
		take_amount(counting, &counting->sums[i], number_change_value(&changes[i]));
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

/* How the thread was called at the end of the window: "" if nobody knows. */
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
		counting->names, quark, within(histree_history_info(history), counting->source->to), &state, error);
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
	overview_page_table(page, columns, first + counting->column_count);
}

static enum histree_status put_row(struct overview_page *page, const struct counting *counting,
				   const struct counted_row *row, struct histree_error *error)
{
	const struct sums_section *section = counting->section;
	const struct histree_attributes *attributes = histree_history_attributes(counting->history);
	enum histree_status status = HISTREE_OK;
	char name[NAME_SIZE], called[NAME_SIZE] = "";
	histree_attributes_name(attributes, row->quark, name, sizeof(name));
	row_text(&page->rows, name);
	if (counting->names != NULL) {
		status = find_name(counting, name, called, sizeof(called), error);
		row_text(&page->rows, called);
	}
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

static enum histree_status put_table(struct overview_page *page, struct counting *counting,
				     struct histree_error *error)
{
	enum histree_status status = open_names(counting, error);
	begin_table(page, counting);
	for (size_t i = 0; i < counting->row_count && i < counting->source->row_max && counting->rows[i].has_any &&
			   status == HISTREE_OK;
	     i++)
		status = put_row(page, counting, &counting->rows[i], error);
	overview_page_table_end(page);
	char command[256];
	snprintf(command, sizeof(command), " -a %s%s --change %s", counting->section->analysis,
		 counting->source->window, counting->section->command);
	overview_page_command(page, "numbers", counting->source->target->path, command);
	return status;
}

/* Of several hosts, one would have to be chosen: that is a question for 'query'. */
static enum histree_status put_section(struct overview_page *page, const struct report_source *source,
				       const struct sums_section *section, struct histree_error *error)
{
	struct counting counting = { .source = source, .section = section };
	size_t host_count;
	enum histree_status status =
		target_history(source->target, section->analysis, true, &counting.history, error);
	if (status == HISTREE_OK && histree_history_hosts(counting.history, &host_count) == NULL)
		status = list_sums(&counting, error);
	if (status == HISTREE_OK && counting.count > 0)
		status = read_amounts(&counting, error);
	if (status == HISTREE_OK && counting.count > 0 && counting.rows[0].has_any)
		status = put_table(page, &counting, error);
	histree_query_free(counting.names);
	free(counting.sums);
	free(counting.rows);
	histree_history_close(counting.history);
	return status;
}

static bool has_history(const struct report_source *source, const char *analysis)
{
	const struct histree_store_info *info = histree_store_info(source->target->store);
	for (size_t i = 0; i < info->history_count; i++)
		if (strcmp(info->histories[i].analysis, analysis) == 0)
			return true;
	return false;
}

enum histree_status report_sums(struct overview_page *page, const struct report_source *source,
				struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]) && status == HISTREE_OK; i++)
		if (has_history(source, sections[i].analysis))
			status = put_section(page, source, &sections[i], error);
	return status;
}
