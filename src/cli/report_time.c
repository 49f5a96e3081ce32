// SPDX-License-Identifier: MIT
/*
 * report_time.c - the sections of a report about the time of threads and CPUs: each is a question of 'histree top'.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/time_text.h"
#include "cli/report_sections.h"
#include "histree/time_use.h"

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
		.from = source->from, .to = source->to, .by = by, .where = where, .cancel = source->cancel
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
	uses->is_damaged = uses->is_damaged || histree_time_use_is_damaged(use->use);
	use->by = by;
	use->where = where;
	*out = use->use;
	return HISTREE_OK;
}

void report_uses_release(struct report_uses *uses)
{
	while (uses->count > 0)
		histree_time_use_free(uses->uses[--uses->count].use);
}

static double percent_of(uint64_t ns, uint64_t of_ns)
{
	return of_ns > 0 ? 100 * (double)ns / (double)of_ns : 0;
}

static void put_percent(struct row_writer *rows, uint64_t ns, uint64_t of_ns)
{
	char text[32];
	snprintf(text, sizeof(text), "%.1f %%", percent_of(ns, of_ns));
	row_text(rows, text);
}

static uint64_t ran(const struct histree_use_row *row)
{
	return row->ns[HISTREE_USE_USER] + row->ns[HISTREE_USE_SYSTEM] + row->ns[HISTREE_USE_INTERRUPTED];
}

/* Of a CPU of which there are no events nothing is known but who waits for it. */
static bool is_recorded(const struct histree_use_row *row)
{
	return ran(row) + row->ns[HISTREE_USE_IDLE] > 0;
}

static uint64_t waited(const struct histree_use_row *row)
{
	return row->ns[HISTREE_USE_WAITING];
}

static uint64_t blocked(const struct histree_use_row *row)
{
	return row->ns[HISTREE_USE_BLOCKED];
}

/* By what a table is sorted, one at a time. */
static uint64_t (*sort_key)(const struct histree_use_row *row);

static int by_key(const void *left, const void *right)
{
	uint64_t a = sort_key(*(const struct histree_use_row *const *)left);
	uint64_t b = sort_key(*(const struct histree_use_row *const *)right);
	return (a < b) - (a > b);
}

/* A question about time, and how its rows are shown. */
struct use_table {
	const char *title;
	unsigned by;
	const char *where, *command; /* the words that ask for all of it */
	uint64_t (*key)(
		const struct histree_use_row *row); /* rows without it are left out; NULL: the order is kept */
	bool (*shows)(const struct histree_use_row *row); /* NULL: all that are not left out */
	const struct row_column *columns;
	size_t column_count;
	void (*put)(struct row_writer *rows, const struct histree_use_row *row, uint64_t window_ns);
};

#define RIGHT(text, columns)                                         \
	{                                                            \
		.name = text, .width = columns, .to_the_right = true \
	}

static void put_thread(struct row_writer *rows, const struct histree_use_row *row, uint64_t window_ns)
{
	row_value(rows, &row->keys[HISTREE_USE_BY_THREAD]);
	row_text(rows, row->name);
	row_duration(rows, ran(row));
	put_percent(rows, ran(row), window_ns);
	row_duration(rows, waited(row));
	row_duration(rows, blocked(row));
}

static void put_program(struct row_writer *rows, const struct histree_use_row *row, uint64_t window_ns)
{
	row_value(rows, &row->keys[HISTREE_USE_BY_NAME]);
	row_duration(rows, ran(row));
	put_percent(rows, ran(row), window_ns);
	row_duration(rows, waited(row));
}

static void put_cpu(struct row_writer *rows, const struct histree_use_row *row, uint64_t window_ns)
{
	row_value(rows, &row->keys[HISTREE_USE_BY_CPU]);
	put_percent(rows, ran(row), window_ns);
	row_duration(rows, row->ns[HISTREE_USE_USER]);
	row_duration(rows, row->ns[HISTREE_USE_SYSTEM]);
	row_duration(rows, row->ns[HISTREE_USE_INTERRUPTED]);
	row_duration(rows, waited(row));
}

static void put_owner(struct row_writer *rows, const struct histree_use_row *row, uint64_t window_ns)
{
	(void)window_ns;
	row_value(rows, &row->keys[HISTREE_USE_BY_HAD_BY]);
	row_text(rows, row->had_by_name);
	row_duration(rows, waited(row));
}

static void put_call(struct row_writer *rows, const struct histree_use_row *row, uint64_t window_ns)
{
	(void)window_ns;
	const struct histree_value *call = &row->keys[HISTREE_USE_BY_SYSTEM_CALL];
	if (call->type == HISTREE_NULL || call->type == HISTREE_UNKNOWN)
		row_text(rows, call->type == HISTREE_NULL ? "(none)" : "(unknown)");
	else
		row_value(rows, call);
	row_duration(rows, blocked(row));
}

static const struct row_column thread_columns[] = { RIGHT("thread", 8),  { .name = "name", .width = 16 },
						    RIGHT("ran", 11),    RIGHT("of a CPU", 9),
						    RIGHT("waited", 11), RIGHT("blocked", 11) };
static const struct row_column program_columns[] = {
	{ .name = "name", .width = 16 }, RIGHT("ran", 11), RIGHT("of a CPU", 9), RIGHT("waited", 11)
};
static const struct row_column cpu_columns[] = { RIGHT("CPU", 8),         RIGHT("busy", 9),
						 RIGHT("user", 11),       RIGHT("system", 11),
						 RIGHT("interrupts", 11), RIGHT("waited for", 11) };
static const struct row_column owner_columns[] = { RIGHT("thread", 8),
						   { .name = "name", .width = 16 },
						   RIGHT("others waited", 13) };
static const struct row_column call_columns[] = { { .name = "system call", .width = 20 }, RIGHT("blocked", 11) };

#define COLUMNS(table) .columns = (table), .column_count = sizeof(table) / sizeof((table)[0])

static const struct use_table tables[] = {
	{ .title = "What ran",
	  .by = HISTREE_BY(NAME),
	  .command = " --by name",
	  .key = ran,
	  .put = put_program,
	  COLUMNS(program_columns) },
	{ .title = "Threads that ran",
	  .by = HISTREE_BY(THREAD),
	  .command = "",
	  .key = ran,
	  .put = put_thread,
	  COLUMNS(thread_columns) },
	{ .title = "CPUs",
	  .by = HISTREE_BY(CPU),
	  .where = "cpu >= 0",
	  .command = " --by cpu",
	  .shows = is_recorded,
	  .put = put_cpu,
	  COLUMNS(cpu_columns) },
	{ .title = "Threads that waited for a CPU",
	  .by = HISTREE_BY(THREAD),
	  .command = " --sort waiting",
	  .key = waited,
	  .put = put_thread,
	  COLUMNS(thread_columns) },
	{ .title = "Who had that CPU",
	  .by = HISTREE_BY(HAD_BY),
	  .where = "state == waiting",
	  .command = " --by had-by --where 'state == waiting'",
	  .key = waited,
	  .put = put_owner,
	  COLUMNS(owner_columns) },
	/* A cube knows all that each call did, but not how many calls a filter on the state would leave. */
	{ .title = "Where threads were blocked",
	  .by = HISTREE_BY(SYSTEM_CALL),
	  .command = " --by system-call --sort blocked",
	  .key = blocked,
	  .put = put_call,
	  COLUMNS(call_columns) },
};

static void put_row(struct overview_page *page, const struct report_source *source, const struct use_table *table,
		    const struct histree_use_row *row)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(source->history, &count);
	if (hosts != NULL)
		row_text(&page->rows, hosts[row->host].name);
	table->put(&page->rows, row, (uint64_t)source->to - (uint64_t)source->from + 1);
	row_end(&page->rows);
}

static void begin_table(struct overview_page *page, const struct report_source *source,
			const struct use_table *table)
{
	enum { COLUMNS_MAX = 8 };
	static struct row_column columns[COLUMNS_MAX]; /* as long as the table */
	size_t count;
	bool has_hosts = histree_history_hosts(source->history, &count) != NULL;
	columns[0] = (struct row_column){ .name = "host", .width = 12 };
	memcpy(&columns[has_hosts], table->columns, table->column_count * sizeof(*columns));
	overview_page_section(page, table->title);
	overview_page_table(page, columns, table->column_count + has_hosts);
}

/*
 * Returns the rows to show, sorted; the caller frees them.  NULL: out of memory.  CPUs keep their order, but of
 * several hosts it would show those of the first one: then the busiest come first.
 */
static const struct histree_use_row **choose_rows(const struct histree_time_use *use, const struct use_table *table,
						  bool has_hosts, size_t *count)
{
	uint64_t (*key)(const struct histree_use_row *row) = table->key == NULL && has_hosts ? ran : table->key;
	size_t all, kept = 0;
	const struct histree_use_row *rows = histree_time_use_rows(use, &all);
	const struct histree_use_row **chosen = malloc((all + 1) * sizeof(const struct histree_use_row *));
	for (size_t i = 0; i < all && chosen != NULL; i++)
		if ((table->key == NULL || table->key(&rows[i]) > 0) &&
		    (table->shows == NULL || table->shows(&rows[i])))
			chosen[kept++] = &rows[i];
	sort_key = key;
	if (chosen != NULL && key != NULL)
		qsort(chosen, kept, sizeof(*chosen), by_key);
	*count = kept;
	return chosen;
}

static enum histree_status put_table(struct overview_page *page, const struct report_source *source,
				     const struct use_table *table, struct histree_error *error)
{
	const struct histree_time_use *use;
	char command[256];
	enum histree_status status = ask(source, table->by, table->where, &use, error);
	if (status != HISTREE_OK)
		return status;
	size_t count, host_count;
	bool has_hosts = histree_history_hosts(source->history, &host_count) != NULL;
	const struct histree_use_row **rows = choose_rows(use, table, has_hosts, &count);
	if (rows != NULL && count > 0) {
		begin_table(page, source, table);
		for (size_t i = 0; i < count && i < source->row_max; i++)
			put_row(page, source, table, rows[i]);
		overview_page_table_end(page);
		snprintf(command, sizeof(command), "%s%s", source->window, table->command);
		overview_page_command(page, "top", source->target->path, command);
	}
	free(rows);
	return rows != NULL ? HISTREE_OK : HISTREE_ERR_MEMORY;
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
		busy += ran(&rows[i]);
		user += rows[i].ns[HISTREE_USE_USER];
		calls += rows[i].ns[HISTREE_USE_SYSTEM];
		waits += waited(&rows[i]);
	}
	bool has_calls = true;
	if (calls == 0)
		status = find_calls(source, &has_calls, error);
	if (all > count && status == HISTREE_OK)
		overview_page_sentence(
			page, "There are no events of %zu CPU%s to which threads went: nobody knows what %s ran.",
			all - count, all == 1 + count ? "" : "s", all == 1 + count ? "it" : "they");
	if (status != HISTREE_OK || count == 0)
		return status;
	uint64_t whole = ((uint64_t)source->to - (uint64_t)source->from + 1) * count;
	char wait_text[TIME_TEXT_SIZE], call_text[32] = "";
	time_format_duration(waits, wait_text);
	if (has_calls)
		snprintf(call_text, sizeof(call_text), ", %.1f %% in system calls", percent_of(calls, whole));
	overview_page_sentence(page,
			       "%zu CPU%s %s busy for %.1f %% of the time: %.1f %% in user mode%s, %.1f %% in "
			       "interrupts. Threads waited for %s %s in all.%s",
			       count, count == 1 ? "" : "s", count == 1 ? "was" : "were", percent_of(busy, whole),
			       percent_of(user, whole), call_text, percent_of(busy - user - calls, whole),
			       count == 1 ? "it" : "them", wait_text,
			       has_calls            ? ""
			       : source->has_window ? " No system calls were recorded in that time."
						    : " No system calls were recorded: time in them counts as user "
						      "mode.");
	return HISTREE_OK;
}

/* ---- hosts --------------------------------------------------------------------------------------------- */

struct host_sum {
	const char *name;
	uint64_t cpus, ns;          /* for how much of the window it was recorded */
	struct histree_use_row row; /* of its CPUs together */
};

/* The share of its time that a CPU of the host ran on average; of none, they come last. */
static double busy_of(const struct host_sum *sum)
{
	return sum->cpus > 0 && sum->ns > 0 ? (double)ran(&sum->row) / (double)sum->cpus / (double)sum->ns : -1;
}

static int by_busy(const void *left, const void *right)
{
	const struct host_sum *a = left, *b = right;
	double one = busy_of(a), other = busy_of(b);
	return one != other ? (one < other ? 1 : -1) : strcmp(a->name, b->name);
}

static void put_hosts(struct overview_page *page, const struct report_source *source, const struct host_sum *sums,
		      size_t count)
{
	static const struct row_column columns[] = { { .name = "host", .width = 16 },
						     RIGHT("recorded", 11),
						     RIGHT("CPUs", 5),
						     RIGHT("busy", 9),
						     RIGHT("user", 11),
						     RIGHT("system", 11),
						     RIGHT("interrupts", 11),
						     RIGHT("waited for", 11) };
	overview_page_section(page, "Hosts");
	overview_page_table(page, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < count && i < source->row_max; i++) {
		if (sums[i].cpus == 0)
			continue;
		row_text(&page->rows, sums[i].name);
		row_duration(&page->rows, sums[i].ns);
		row_unsigned(&page->rows, sums[i].cpus);
		put_percent(&page->rows, ran(&sums[i].row), sums[i].ns * sums[i].cpus);
		row_duration(&page->rows, sums[i].row.ns[HISTREE_USE_USER]);
		row_duration(&page->rows, sums[i].row.ns[HISTREE_USE_SYSTEM]);
		row_duration(&page->rows, sums[i].row.ns[HISTREE_USE_INTERRUPTED]);
		row_duration(&page->rows, waited(&sums[i].row));
		row_end(&page->rows);
	}
	overview_page_table_end(page);
	char command[256];
	snprintf(command, sizeof(command), "%s --by cpu", source->window);
	overview_page_command(page, "top", source->target->path, command);
}

/* For how long a host was recorded in the window; shares of a window that it has little of would say nothing. */
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
	struct host_sum *sums = calloc(host_count, sizeof(*sums));
	if (sums == NULL)
		return error_memory(error, "the hosts of a report");
	for (size_t i = 0; i < host_count; i++)
		sums[i] = (struct host_sum){ .name = hosts[i].name, .ns = recorded_ns(source, hosts[i].history) };
	const struct histree_use_row *rows = histree_time_use_rows(use, &count);
	for (size_t i = 0; i < count; i++) {
		struct host_sum *sum = &sums[rows[i].host];
		sum->cpus += is_recorded(&rows[i]);
		for (enum histree_use kind = 0; kind < HISTREE_USE_COUNT; kind++)
			sum->row.ns[kind] += rows[i].ns[kind];
	}
	qsort(sums, host_count, sizeof(*sums), by_busy);
	if (count > 0)
		put_hosts(page, source, sums, host_count);
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
		status = put_table(page, source, &tables[i], error);
	return status;
}
