// SPDX-License-Identifier: MIT
/*
 * report_time.c - the sections of a report about time: what threads and CPUs did with it, each a question of
 * 'histree top'; and what ended the waits of threads, from the graph of which thread waited for which.
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
#include "cli/output.h"
#include "cli/report_sections.h"
#include "histree/critical_path.h"
#include "histree/states.h"
#include "histree/time_use.h"
#include "view/view.h"

/* ---- report waits -------------------------------------------------------------------------------------------- */

enum { NAME_SIZE = 24, CHILDREN = 1024 };

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

static void name_of(const struct waits *waits, histree_quark thread, char name[NAME_SIZE])
{
	histree_attributes_name(histree_history_attributes(waits->history), thread, name, NAME_SIZE);
}

/* All threads but the idle loop and the kernel working for no thread. */
static enum histree_status list_threads(struct waits *waits, struct histree_error *error)
{
	char name[NAME_SIZE];
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
	char thread[NAME_SIZE];
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
	char name[NAME_SIZE], thread[256], word[512], words[768];
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
static enum histree_status put_table(struct overview_page *page, const struct report_source *source,
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
		status = put_table(page, source, &tables[i], error);
	return status;
}
