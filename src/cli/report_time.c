// SPDX-License-Identifier: MIT
/*
 * report_time.c - the sections of a report about time: what threads did with it, what they waited for, sums.
 *
 * The sections of a report about running sums: what was counted in the window for each thread or
 * interface, which is the difference of two values of its sum.
 *
 * The section of a report about what ended the waits of threads comes from the graph of which thread waited for
 * which.
 *
 * The sections of a report about the time of threads and CPUs: each is a question of 'histree top'.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/number_text.h"
#include "base/search.h"
#include "base/table.h"
#include "cli/number_changes.h"
#include "cli/output.h"
#include "cli/report_sections.h"
#include "histree/critical_path.h"
#include "histree/states.h"
#include "histree/time_use.h"
#include "view/view.h"

/* ---- report sums --------------------------------------------------------------------------------------------- */

enum { COLUMNS_MAX = 4, REPORT_SUMS_NAME_SIZE = 40 };

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
	char columns[COLUMNS_MAX][REPORT_SUMS_NAME_SIZE];
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
		snprintf(counting->columns[counting->column_count++], REPORT_SUMS_NAME_SIZE, "%s", name);
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
	char name[REPORT_SUMS_NAME_SIZE];
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
		char name[REPORT_SUMS_NAME_SIZE];
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
		snprintf(counting->columns[counting->column_count], REPORT_SUMS_NAME_SIZE, "%s",
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
	char path[2 * REPORT_SUMS_NAME_SIZE];
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

static void report_sums_begin_table(struct overview_page *page, struct counting *counting)
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

static enum histree_status report_sums_put_row(struct overview_page *page, const struct counting *counting,
					       const struct counted_row *row, struct histree_error *error)
{
	const struct sums_section *section = counting->section;
	const struct histree_attributes *attributes = histree_history_attributes(counting->history);
	enum histree_status status = HISTREE_OK;
	char name[REPORT_SUMS_NAME_SIZE], called[REPORT_SUMS_NAME_SIZE] = "";
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
		report_sums_begin_table(page, &counting);
		for (size_t i = 0; i < counting.row_count && i < counting.source->row_max &&
				   counting.rows[i].has_any && status == HISTREE_OK;
		     i++)
			status = report_sums_put_row(page, &counting, &counting.rows[i], error);
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

/* ---- report waits -------------------------------------------------------------------------------------------- */

enum { REPORT_WAITS_NAME_SIZE = 24, CHILDREN = 1024 };

static const struct {
	enum histree_graph_state state;
	const char *words;
} reasons[] = {
	{ HISTREE_GRAPH_BLOCKED, "another thread, or what is not known" },
	{ HISTREE_GRAPH_NETWORK, "a packet" },
	{ HISTREE_GRAPH_BLOCK_DEVICE, "a disk" },
	{ HISTREE_GRAPH_TIMER, "a timer" },
	{ HISTREE_GRAPH_INTERRUPTED, "an interrupt of the scheduler" },
};

enum { REASONS = sizeof(reasons) / sizeof(*reasons) };

struct reason {
	uint64_t count, ns, longest_ns;
	histree_time longest_start;
	histree_quark longest; /* the thread */
};

/* For one host. */
struct waits {
	const struct report_source *source;
	struct histree_history *history;
	histree_quark *threads; /* ascending */
	size_t count, capacity;
	struct reason reasons[REASONS];
};

static void name_of(const struct waits *waits, histree_quark thread, char name[REPORT_WAITS_NAME_SIZE])
{
	histree_attributes_name(histree_history_attributes(waits->history), thread, name, REPORT_WAITS_NAME_SIZE);
}

/* All threads but the idle loop and the kernel working for no thread. */
static enum histree_status list_threads(struct waits *waits, struct histree_error *error)
{
	char name[REPORT_WAITS_NAME_SIZE];
	histree_quark children[CHILDREN], folder, last = HISTREE_ROOT;
	size_t found = CHILDREN;
	const struct histree_attributes *attributes = histree_history_attributes(waits->history);
	if (histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &folder) != HISTREE_OK)
		return HISTREE_OK;
	while (found == CHILDREN) {
		found = histree_attributes_children(attributes, folder, last, children, CHILDREN);
		if (!array_reserve(&waits->threads, &waits->capacity, waits->count + found))
			return error_memory(error, "a report");
		for (size_t i = 0; i < found; i++) {
			name_of(waits, children[i], name);
			if (strcmp(name, "0") != 0 && strcmp(name, "-1") != 0)
				waits->threads[waits->count++] = children[i];
		}
		last = found > 0 ? children[found - 1] : last;
	}
	if (waits->count > 0)
		qsort(waits->threads, waits->count, sizeof(*waits->threads), compare_u32);
	return HISTREE_OK;
}

static enum histree_status read_edges(struct waits *waits, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(waits->history);
	const struct report_source *source = waits->source;
	const struct histree_region region = { .quarks = waits->threads,
					       .quark_count = waits->count,
					       .from = source->from > info->start ? source->from : info->start,
					       .to = source->to < info->end ? source->to : info->end };
	struct histree_cursor *query = NULL;
	struct histree_interval edge;
	if (waits->count == 0 || region.from > region.to)
		return HISTREE_OK;
	enum histree_status status = histree_query_create(waits->history, &query, error);
	if (status == HISTREE_OK)
		status = histree_query_start(query, &region, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_or_next(&source->work, step, query, error);
		if (status == HISTREE_OK)
			edge = *histree_cursor_interval(query);
		if (status == HISTREE_OK) {
			size_t i = 0;
			while (i < REASONS &&
			       (edge.value.type != HISTREE_INT || edge.value.int32 != (int32_t)reasons[i].state))
				i++;
			if (i != REASONS) {
				struct reason *reason = &waits->reasons[i];
				histree_time start = edge.start > region.from ? edge.start : region.from,
					     end = edge.end < region.to ? edge.end : region.to;
				uint64_t ns = (uint64_t)end - (uint64_t)start + 1;
				reason->count++;
				reason->ns += ns;
				if (ns > reason->longest_ns) {
					reason->longest_ns = ns;
					reason->longest_start = start;
					reason->longest = edge.quark;
				}
			}
		}
	}
	if (status == HISTREE_END && histree_cursor_loss(query).nodes > 0)
		source->uses->is_damaged = true;
	histree_cursor_free(query);
	return status < 0 ? status : HISTREE_OK;
}

/* As it is printed. */
struct reason_row {
	struct reason reason;
	const char *host, *words;
	uint64_t mean_ns;
	char thread[REPORT_WAITS_NAME_SIZE];
};

#define RIGHT(text, columns, kind, at) ROW_RIGHT(text, columns, kind, struct reason_row, at)
static const struct row_column reason_columns[] = {
	ROW_HOST("host", 12, struct reason_row, host),
	ROW_LEFT("woken by", 36, CELL_TEXT, struct reason_row, words),
	RIGHT("waits", 8, CELL_UNSIGNED, reason.count),
	RIGHT("total", 11, CELL_DURATION, reason.ns),
	RIGHT("mean", 11, CELL_DURATION, mean_ns),
	RIGHT("longest", 11, CELL_DURATION, reason.longest_ns),
	RIGHT("at", 18, CELL_CLOCK, reason.longest_start),
	RIGHT("thread", 8, CELL_CHARS, thread),
};
#undef RIGHT

/* Shows the command for the thread that waited longest for others. */
static void put_command(struct overview_page *page, const struct waits *waits,
			const struct histree_history_host *hosts, size_t count)
{
	char name[REPORT_WAITS_NAME_SIZE], thread[256], word[512], words[768];
	const struct waits *longest = NULL;
	for (size_t i = 0; i < count; i++)
		if (waits[i].reasons[0].count > 0 &&
		    (longest == NULL || waits[i].reasons[0].longest_ns > longest->reasons[0].longest_ns))
			longest = &waits[i];
	if (longest == NULL)
		return;
	name_of(longest, longest->reasons[0].longest, name);
	const char *host = hosts != NULL ? hosts[longest - waits].name : NULL;
	snprintf(thread, sizeof(thread), "%s%s%s", host != NULL ? host : "", host != NULL ? "/" : "", name);
	shell_word_copy(word, sizeof(word), thread);
	snprintf(words, sizeof(words), " %s%s", word, longest->source->window);
	overview_page_command(page, "why", longest->source->target->path, words);
}

enum histree_status report_waits(struct overview_page *page, const struct report_source *source,
				 struct histree_error *error)
{
	struct histree_history *graph;
	size_t host_count;
	bool has_any = false;
	if (!target_has_history(source->target, "graph"))
		return HISTREE_OK;
	enum histree_status status = target_history(source->target, "graph", true, &graph, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_history_host *hosts = histree_history_hosts(graph, &host_count);
	const size_t count = hosts != NULL ? host_count : 1;
	struct waits *waits = calloc(count + 1, sizeof(*waits));
	if (waits == NULL)
		status = error_memory(error, "a report");
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		waits[i].source = source;
		waits[i].history = hosts != NULL ? hosts[i].history : graph;
		if (waits[i].history == NULL)
			continue;
		status = list_threads(&waits[i], error);
		if (status == HISTREE_OK)
			status = read_edges(&waits[i], error);
		for (size_t k = 0; k < REASONS; k++)
			has_any = has_any || waits[i].reasons[k].count > 0;
	}
	if (status == HISTREE_OK && has_any) {
		/* The waits of each host; `hosts` NULL: of one. */
		overview_page_section(page, "What ended the waits of threads");
		overview_page_table(page, ROW_COLUMNS(reason_columns), hosts != NULL ? ROWS_OF_HOSTS : ROWS_PLAIN);
		for (size_t i = 0; i < count * REASONS; i++) {
			const struct waits *of = &waits[i / REASONS];
			struct reason_row row = { .reason = of->reasons[i % REASONS],
						  .words = reasons[i % REASONS].words };
			if (row.reason.count == 0)
				continue;
			row.host = hosts != NULL ? hosts[i / REASONS].name : NULL;
			row.mean_ns = row.reason.ns / row.reason.count;
			name_of(of, row.reason.longest, row.thread);
			row_put(&page->rows, &row);
		}
		overview_page_table_end(page);

		put_command(page, waits, hosts, count);
	}
	for (size_t i = 0; i < count && waits != NULL; i++)
		free(waits[i].threads);
	free(waits);
	histree_history_close(graph);
	return status;
}

/* ---- report time --------------------------------------------------------------------------------------------- */

static bool is_same(const char *one, const char *other)
{
	return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

/* The answer stays the source's. */
static enum histree_status ask(const struct report_source *source, unsigned by, const char *where,
			       const struct histree_time_use **out, struct histree_error *error)
{
	struct report_uses *uses = source->uses;
	const struct histree_time_use_request request = {
		.from = source->from, .to = source->to, .by = by, .where = where, .work = source->work
	};
	for (size_t i = 0; i < uses->count; i++)
		if (uses->uses[i].by == by && is_same(uses->uses[i].where, where)) {
			*out = uses->uses[i].use;
			return HISTREE_OK;
		}
	assert(uses->count < sizeof(uses->uses) / sizeof(uses->uses[0]));
	struct report_use *use = &uses->uses[uses->count];
	enum histree_status status = histree_time_use_create(source->history, &request, &use->use, error);
	if (status != HISTREE_OK)
		return status;
	uses->count++;
	uses->is_damaged = uses->is_damaged || histree_time_use_loss(use->use).nodes > 0;
	use->by = by;
	use->where = where;
	*out = use->use;
	return HISTREE_OK;
}

void report_uses_release(struct report_uses *uses)
{
	while (uses->count > 0)
		histree_time_use_free(uses->uses[--uses->count].use);
	thread_lives_release(&uses->lives);
}

const struct thread_lives *report_lives(const struct report_source *source, struct histree_error *error)
{
	struct report_uses *uses = source->uses;
	if (!uses->has_lives &&
	    thread_lives_read(&uses->lives, source->history, NULL, source->work, error) != HISTREE_OK)
		return NULL;
	uses->has_lives = true;
	return &uses->lives;
}

/* For a CPU without events, only the threads that wait for it are known. */
static bool is_recorded(const struct histree_use_row *row)
{
	return histree_use_row_ran(row) + row->ns[HISTREE_USE_IDLE] > 0;
}

enum { RAN = -1, AS_IT_COMES = -2 };

/* The amount that rows of a table are ordered by: RAN, or one of view.h. */
static uint64_t amount_of(void *amount, const struct histree_use_row *row)
{
	return *(const int *)amount == RAN ? histree_use_row_ran(row)
					   : histree_use_row_amount(row, *(const int *)amount);
}

/* A question about time, and how its rows are shown. */
struct use_table {
	const char *title;
	unsigned by;
	const char *where, *command; /* the words that ask for all of it */
	int order;                   /* by this amount, and rows without it are left out; AS_IT_COMES: no row is */
	bool is_of_recorded;         /* only rows of what is_recorded() */
	const struct row_column *columns;
	size_t column_count;
};

/* A row of any of them, as it is printed. */
struct time_row {
	struct histree_use_row use;
	const char *host;
	uint64_t ran, recorded_ns, cpus;
	double share; /* of a CPU */
};

static void put_share(struct row_writer *rows, const void *share)
{
	char text[32];
	snprintf(text, sizeof(text), "%.1f %%", *(const double *)share);
	row_text(rows, text);
}

static void put_call(struct row_writer *rows, const void *member)
{
	const struct histree_value *call = member;
	if (call->type == HISTREE_NULL || call->type == HISTREE_UNKNOWN)
		row_text(rows, call->type == HISTREE_NULL ? "(none)" : "(unknown)");
	else
		row_value(rows, call);
}

#define HOST(columns) ROW_HOST("host", columns, struct time_row, host)
#define KEY(text, columns, key) ROW_RIGHT(text, columns, CELL_VALUE, struct time_row, use.keys[key])
#define TIME(text, at) ROW_RIGHT(text, 11, CELL_DURATION, struct time_row, at)
#define SHARE(text) ROW_RIGHT_PUT(text, 9, put_share, struct time_row, share)
#define NAME(at) ROW_LEFT("name", 16, CELL_TEXT, struct time_row, at)
#define OF_CPUS                                                                             \
	TIME("user", use.ns[HISTREE_USE_USER]), TIME("system", use.ns[HISTREE_USE_SYSTEM]), \
		TIME("interrupts", use.ns[HISTREE_USE_INTERRUPTED]),                        \
		TIME("waited for", use.ns[HISTREE_USE_WAITING])
static const struct row_column thread_columns[] = {
	HOST(12),
	KEY("thread", 8, HISTREE_USE_BY_THREAD),
	NAME(use.name),
	TIME("ran", ran),
	SHARE("of a CPU"),
	TIME("waited", use.ns[HISTREE_USE_WAITING]),
	TIME("blocked", use.ns[HISTREE_USE_BLOCKED]),
};

static const struct row_column program_columns[] = {
	HOST(12),
	ROW_LEFT("name", 16, CELL_VALUE, struct time_row, use.keys[HISTREE_USE_BY_NAME]),
	TIME("ran", ran),
	SHARE("of a CPU"),
	TIME("waited", use.ns[HISTREE_USE_WAITING]),
};

static const struct row_column cpu_columns[] = { HOST(12), KEY("CPU", 8, HISTREE_USE_BY_CPU), SHARE("busy"),
						 OF_CPUS };

static const struct row_column owner_columns[] = {
	HOST(12),
	KEY("thread", 8, HISTREE_USE_BY_HAD_BY),
	NAME(use.had_by_name),
	ROW_RIGHT("others waited", 13, CELL_DURATION, struct time_row, use.ns[HISTREE_USE_WAITING]),
};

static const struct row_column call_columns[] = {
	HOST(12),
	ROW_LEFT_PUT("system call", 20, put_call, struct time_row, use.keys[HISTREE_USE_BY_SYSTEM_CALL]),
	TIME("blocked", use.ns[HISTREE_USE_BLOCKED]),
};

static const struct row_column host_columns[] = {
	HOST(16),
	TIME("recorded", recorded_ns),
	ROW_RIGHT("CPUs", 5, CELL_UNSIGNED, struct time_row, cpus),
	SHARE("busy"),
	OF_CPUS,
};
#undef OF_CPUS
#undef NAME
#undef SHARE
#undef TIME
#undef KEY
#undef HOST

#define COLUMNS(table) .columns = (table), .column_count = sizeof(table) / sizeof((table)[0])
static const struct use_table tables[] = {
	{ .title = "What ran",
	  .by = HISTREE_BY(NAME),
	  .command = " --by name",
	  .order = RAN,
	  COLUMNS(program_columns) },
	{ .title = "Threads that ran",
	  .by = HISTREE_BY(THREAD),
	  .command = "",
	  .order = RAN,
	  COLUMNS(thread_columns) },
	{ .title = "CPUs",
	  .by = HISTREE_BY(CPU),
	  .where = "cpu >= 0",
	  .command = " --by cpu",
	  .order = AS_IT_COMES,
	  .is_of_recorded = true,
	  COLUMNS(cpu_columns) },
	{ .title = "Threads that waited for a CPU",
	  .by = HISTREE_BY(THREAD),
	  .command = " --sort waiting",
	  .order = HISTREE_USE_WAITING,
	  COLUMNS(thread_columns) },
	{ .title = "Who had that CPU",
	  .by = HISTREE_BY(HAD_BY),
	  .where = "state == waiting",
	  .command = " --by had-by --where 'state == waiting'",
	  .order = HISTREE_USE_WAITING,
	  COLUMNS(owner_columns) },
	/* A cube knows all that each call did, but not how many calls a filter on the state would leave. */
	{ .title = "Where threads were blocked",
	  .by = HISTREE_BY(SYSTEM_CALL),
	  .command = " --by system-call --sort blocked",
	  .order = HISTREE_USE_BLOCKED,
	  COLUMNS(call_columns) },
};

/* CPUs keep their order, but of several hosts it would show those of the first one: then the busiest come first. */
static enum histree_status report_time_put_table(struct overview_page *page, const struct report_source *source,
						 const struct use_table *table, struct histree_error *error)
{
	const struct histree_time_use *use;
	char command[256];
	enum histree_status status = ask(source, table->by, table->where, &use, error);
	if (status != HISTREE_OK)
		return status;
	size_t all, host_count;
	const struct histree_history_host *hosts = histree_history_hosts(source->history, &host_count);
	const uint64_t window_ns = (uint64_t)source->to - (uint64_t)source->from + 1;
	int order = table->order == AS_IT_COMES && hosts != NULL ? RAN : table->order;
	struct histree_use_ordered *rows =
		histree_time_use_order(use, order != AS_IT_COMES ? amount_of : NULL, &order, true);
	if (rows == NULL)
		return error_memory(error, "a report");

	histree_time_use_rows(use, &all);
	uint64_t shown = 0;
	for (size_t i = 0; i < all && shown < source->row_max; i++) {
		const struct histree_use_row *row = rows[i].row;
		if ((table->order != AS_IT_COMES && rows[i].amount == 0) ||
		    (table->is_of_recorded && !is_recorded(row)))
			continue;
		if (shown++ == 0) {
			overview_page_section(page, table->title);
			overview_page_table(page, table->columns, table->column_count,
					    hosts != NULL ? ROWS_OF_HOSTS : ROWS_PLAIN);
		}
		row_put(&page->rows,
			&(struct time_row){ .use = *row,
					    .host = hosts != NULL ? hosts[row->host].name : NULL,
					    .ran = histree_use_row_ran(row),
					    .share = row_percent_of(histree_use_row_ran(row), window_ns) });
	}
	free(rows);
	if (shown == 0)
		return HISTREE_OK;
	overview_page_table_end(page);
	snprintf(command, sizeof(command), "%s%s", source->window, table->command);
	overview_page_command(page, "top", source->target->path, command);
	return HISTREE_OK;
}

/*
 * Whether any thread was in a system call, or may have been, of a window in which no CPU was: all of them may have
 * slept in theirs.
 */
static enum histree_status find_calls(const struct report_source *source, bool *has_calls,
				      struct histree_error *error)
{
	const struct histree_time_use *use;
	size_t count;
	*has_calls = false;
	enum histree_status status = ask(source, HISTREE_BY(SYSTEM_CALL), NULL, &use, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_use_row *rows = histree_time_use_rows(use, &count);
	for (size_t i = 0; i < count; i++)
		*has_calls = *has_calls || rows[i].keys[HISTREE_USE_BY_SYSTEM_CALL].type != HISTREE_NULL;
	return HISTREE_OK;
}

/* The first sentence: how busy the CPUs were, and with what. */
static enum histree_status put_summary(struct overview_page *page, const struct report_source *source,
				       struct histree_error *error)
{
	const struct histree_time_use *use;
	enum histree_status status = ask(source, HISTREE_BY(CPU), "cpu >= 0", &use, error);
	if (status != HISTREE_OK)
		return status;
	size_t count;
	const struct histree_use_row *rows = histree_time_use_rows(use, &count);
	uint64_t busy = 0, user = 0, calls = 0, waits = 0;
	size_t all = count;
	for (size_t i = 0; i < all; i++) {
		count -= !is_recorded(&rows[i]);
		busy += histree_use_row_ran(&rows[i]);
		user += rows[i].ns[HISTREE_USE_USER];
		calls += rows[i].ns[HISTREE_USE_SYSTEM];
		waits += rows[i].ns[HISTREE_USE_WAITING];
	}
	bool has_calls = true;
	if (calls == 0)
		status = find_calls(source, &has_calls, error);
	if (all > count && status == HISTREE_OK)
		overview_page_sentence(
			page,
			"There are no events of %zu CPU%s to which threads went: it is not known what %s ran.",
			all - count, all == 1 + count ? "" : "s", all == 1 + count ? "it" : "they");
	if (status != HISTREE_OK || count == 0)
		return status;
	uint64_t whole = ((uint64_t)source->to - (uint64_t)source->from + 1) * count;
	char wait_text[TIME_TEXT_SIZE], call_text[32] = "";
	time_format_duration(waits, wait_text);
	if (has_calls)
		snprintf(call_text, sizeof(call_text), ", %.1f %% in system calls", row_percent_of(calls, whole));
	overview_page_sentence(page,
			       "%zu CPU%s %s busy for %.1f %% of the time: %.1f %% in user mode%s, %.1f %% in "
			       "interrupts. Threads waited for %s %s in all.%s",
			       count, count == 1 ? "" : "s", count == 1 ? "was" : "were",
			       row_percent_of(busy, whole), row_percent_of(user, whole), call_text,
			       row_percent_of(busy - user - calls, whole), count == 1 ? "it" : "them", wait_text,
			       has_calls            ? ""
			       : source->has_window ? " No system calls were recorded in that time."
						    : " No system calls were recorded: time in them counts as user "
						      "mode.");
	return HISTREE_OK;
}

/* ---- hosts --------------------------------------------------------------------------------------------- */

/* The share of its time that a CPU of the host ran on average; of none, they come last. */
static double busy_of(const struct time_row *sum)
{
	return sum->cpus > 0 && sum->recorded_ns > 0
		       ? (double)histree_use_row_ran(&sum->use) / (double)sum->cpus / (double)sum->recorded_ns
		       : -1;
}

static int by_busy(const void *left, const void *right)
{
	const struct time_row *a = left, *b = right;
	double one = busy_of(a), other = busy_of(b);
	return one != other ? (one < other ? 1 : -1) : strcmp(a->host, b->host);
}

/*
 * How long a host was recorded in the window; with little of it recorded, shares of the window would say nothing.
 */
static uint64_t recorded_ns(const struct report_source *source, const struct histree_history *history)
{
	if (history == NULL)
		return 0;
	const struct histree_history_info *info = histree_history_info(history);
	histree_time from = info->start > source->from ? info->start : source->from;
	histree_time to = info->end < source->to ? info->end : source->to;
	return from <= to ? (uint64_t)to - (uint64_t)from + 1 : 0;
}

/* How busy each host of several was, from the rows of CPUs that the other tables need, too. */
static enum histree_status sum_hosts(struct overview_page *page, const struct report_source *source,
				     struct histree_error *error)
{
	const struct histree_time_use *use;
	size_t host_count, count;
	const struct histree_history_host *hosts = histree_history_hosts(source->history, &host_count);
	if (hosts == NULL)
		return HISTREE_OK;
	enum histree_status status = ask(source, HISTREE_BY(CPU), "cpu >= 0", &use, error);
	if (status != HISTREE_OK)
		return status;
	struct time_row *sums = calloc(host_count, sizeof(*sums));
	if (sums == NULL)
		return error_memory(error, "the hosts of a report");
	for (size_t i = 0; i < host_count; i++)
		sums[i] = (struct time_row){ .host = hosts[i].name,
					     .recorded_ns = recorded_ns(source, hosts[i].history) };
	const struct histree_use_row *rows = histree_time_use_rows(use, &count);
	for (size_t i = 0; i < count; i++) {
		struct time_row *sum = &sums[rows[i].host];
		sum->cpus += is_recorded(&rows[i]);
		for (enum histree_use kind = 0; kind < HISTREE_USE_COUNT; kind++)
			sum->use.ns[kind] += rows[i].ns[kind];
	}
	qsort(sums, host_count, sizeof(*sums), by_busy);
	if (count > 0) {
		overview_page_section(page, "Hosts");
		overview_page_table(page, ROW_COLUMNS(host_columns), ROWS_OF_HOSTS);
		for (size_t i = 0; i < host_count && i < source->row_max; i++) {
			sums[i].share = row_percent_of(histree_use_row_ran(&sums[i].use),
						       sums[i].recorded_ns * sums[i].cpus);
			if (sums[i].cpus > 0)
				row_put(&page->rows, &sums[i]);
		}
		overview_page_table_end(page);
		char command[256];
		snprintf(command, sizeof(command), "%s --by cpu", source->window);
		overview_page_command(page, "top", source->target->path, command);
	}
	free(sums);
	return HISTREE_OK;
}

enum histree_status report_summary(struct overview_page *page, const struct report_source *source,
				   struct histree_error *error)
{
	bool is_kernel =
		source->history != NULL && strcmp(histree_history_info(source->history)->provider, "kernel") == 0;
	return is_kernel ? put_summary(page, source, error) : HISTREE_OK;
}

enum histree_status report_time_use(struct overview_page *page, const struct report_source *source,
				    struct histree_error *error)
{
	if (source->history == NULL || strcmp(histree_history_info(source->history)->provider, "kernel") != 0)
		return HISTREE_OK;
	enum histree_status status = sum_hosts(page, source, error);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && status == HISTREE_OK; i++)
		status = report_time_put_table(page, source, &tables[i], error);
	return status;
}
