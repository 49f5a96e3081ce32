// SPDX-License-Identifier: MIT
/*
 * output_cpu_usage.c - how busy the CPUs were, in total and by thread, as an output.
 *
 * Entry 1 is all threads together.  The entries of hosts and threads are those of Control Flow.  A tree has the
 * threads that ran in the requested range, those with the most time first, below their host.
 *
 * Where it is not known which threads had the CPUs, because events were lost or a part of the store is damaged, no
 * number is the usage, and the protocol has none that means "unknown": the numbers are then lower bounds, and named
 * so, and the entry after the last row is the unknown part, which viewers show beside the total.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/number_text.h"
#include "base/table.h"
#include "server/model/kernel_rows.h"
#include "server/tsp/parameters.h"
#include "server/tsp/replies.h"
#include "server/tsp/row_outputs.h"

static const char not_known[] =
	"in a part of the range it is not known who had the CPUs: the usage is the least that "
	"there was";

enum { TOTAL_ID = HOST_ENTRIES_ROOT, CURVES_MAX = 256 };

static int64_t unknown_id(const struct host_rows *rows)
{
	return (int64_t)rows->count + HOST_ENTRIES_FIRST;
}

/* ---- tree -------------------------------------------------------------------------------------------- */

/* A line below the total: a thread that is known, or a host. */
struct usage_line {
	const struct host_view *host;
	uint32_t own; /* HISTREE_NO_INDEX: the host */
	int64_t ns;
};

struct usage_tree {
	const struct host_rows *rows;
	struct usage_line *lines;
	size_t count, capacity;
	int64_t total, unknown;
	histree_time start, end;
};

static void tree_release(void *context)
{
	struct usage_tree *tree = context;
	free(tree->lines);
}

static void write_labels(struct json_writer *json, const char *name, const char *tid, int64_t ns, double span)
{
	char share[16], time[TIME_TEXT_SIZE];
	snprintf(share, sizeof(share), "%.2f %%", 100 * (double)ns / span);
	time_format_duration((uint64_t)ns, time);
	json_begin_array_member(json, "labels");
	json_put_text(json, name);
	json_put_text(json, tid);
	json_put_text(json, share);
	json_put_text(json, time);
	json_end(json);
}

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct usage_tree *tree = context;
	struct tree_entry entry = { TOTAL_ID, -1, tree->start, tree->end, true, true };
	double span = (double)(tree->end - tree->start) + 1;
	if (index == 0) {
		tree_entry_begin(json, &entry);
		write_labels(json, tree->unknown > 0 ? "Total, at least" : "Total", "", tree->total, span);
		return true;
	}
	if (index == 1 && tree->unknown > 0) {
		entry.id = unknown_id(tree->rows);
		tree_entry_begin(json, &entry);
		write_labels(json, "Unknown", "", tree->unknown, span);
		return true;
	}
	index -= tree->unknown > 0;
	if (index > tree->count)
		return false;
	const struct usage_line *line = &tree->lines[index - 1];
	char tid[16] = "";
	const char *name = line->host->name;
	entry = (struct tree_entry){
		host_entry_id(tree->rows, line->host, line->own), TOTAL_ID, tree->start, tree->end, true, false
	};
	if (line->own != HISTREE_NO_INDEX) {
		const struct kernel_threads *threads = line->host->view;
		entry.parent = host_entry_id(tree->rows, line->host, HISTREE_NO_INDEX);
		name = threads->list[line->own].name;
		snprintf(tid, sizeof(tid), "%d", threads->list[line->own].tid);
	}
	tree_entry_begin(json, &entry);
	write_labels(json, name, tid, line->ns, span);
	return true;
}

static enum histree_status add_line(struct usage_tree *tree, const struct host_view *host, uint32_t own, int64_t ns,
				    struct histree_error *error)
{
	if (!array_reserve(&tree->lines, &tree->capacity, tree->count + 1))
		return error_memory(error, "the threads");
	tree->lines[tree->count++] = (struct usage_line){ host, own, ns };
	return HISTREE_OK;
}

/* As the times of threads are sorted: of equal ones, by number. */
static int compare_lines(const void *one, const void *other)
{
	const struct usage_line *a = one, *b = other;
	const struct kernel_threads *threads = a->host->view;
	const struct histree_thread *first = &threads->list[a->own], *second = &threads->list[b->own];
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	if (first->tid != second->tid)
		return first->tid < second->tid ? -1 : 1;
	return (first->life > second->life) - (first->life < second->life);
}

/* A line for each thread that ran, also for each of those that had one number; the longest times come first. */
static enum histree_status add_threads(struct usage_tree *tree, const struct host_view *host, const int64_t *ns,
				       struct histree_error *error)
{
	const struct kernel_threads *threads = host->view;
	const size_t first = tree->count;
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < threads->count && status == HISTREE_OK; i++)
		if (ns[i] > 0)
			status = add_line(tree, host, i, ns[i], error);
	if (tree->count > first)
		qsort(tree->lines + first, tree->count - first, sizeof(*tree->lines), compare_lines);
	return status;
}

static enum histree_status take_times(struct usage_tree *tree, const struct host_view *host,
				      const struct histree_cpu_usage *usage, int64_t *total,
				      struct histree_error *error)
{
	size_t count;
	const struct kernel_threads *threads = host->view;
	const struct histree_cpu_time *times = histree_cpu_usage_times(usage, &count);
	for (size_t i = 0; i < count; i++)
		*total += times[i].ns;
	int64_t *ns = calloc((size_t)threads->count + 1, sizeof(*ns));
	if (ns == NULL)
		return error_memory(error, "the threads");
	enum histree_status status = histree_cpu_usage_by_thread(usage, threads->flow, ns, error);
	if (status == HISTREE_OK)
		status = add_threads(tree, host, ns, error);
	free(ns);
	return status;
}

/* The threads of a host; of several, after a line of its own. */
static enum histree_status add_host(struct usage_tree *tree, const struct host_view *host, struct histree_work work,
				    struct histree_error *error)
{
	struct histree_cpu_usage_request request = {
		.from = tree->start, .to = tree->end, .pixels = 1, .work = work
	};
	struct histree_cpu_usage *usage = NULL;
	int64_t total = 0;
	size_t own_line = tree->count;
	enum histree_status status = HISTREE_OK;
	if (tree->rows->has_hosts)
		status = add_line(tree, host, HISTREE_NO_INDEX, 0, error);
	if (status != HISTREE_OK)
		return status;

	/* The range that is asked for, as far as there is history of the host. */
	if (host->view == NULL)
		return status;
	const struct kernel_view *view = ((const struct kernel_threads *)host->view)->kernel;
	request.from = request.from > view->start ? request.from : view->start;
	request.to = request.to < view->end ? request.to : view->end;
	if (request.from > request.to)
		return status;
	const struct kernel_threads *threads = host->view;
	status = histree_cpu_usage_create(threads->kernel->history, &request, &usage, error);
	if (status == HISTREE_OK)
		status = take_times(tree, host, usage, &total, error);
	if (status == HISTREE_OK) {
		double width = (double)(request.to - request.from) + 1;
		tree->unknown += (int64_t)(histree_cpu_usage_unknown(usage)[0] / 100 * width + 0.5);
		tree->total += total;
	}
	if (status == HISTREE_OK && tree->rows->has_hosts)
		tree->lines[own_line].ns = total;
	histree_cpu_usage_free(usage);
	return status;
}

static void output_tree(struct call *call)
{
	static const struct tree_header headers[] = {
		{ "Process", "the name of its program", NULL },
		{ "TID", "the number of the thread", "NUMBER" },
		{ "%", "share of one CPU", "NUMBER" },
		{ "Time", "on all CPUs together", "STRING" },
		{ 0 },
	};
	static const struct tree_source source = { headers, -1, write_entry, tree_release };
	struct usage_tree *tree = reply_memory(call->reply, 1, sizeof(*tree));
	enum histree_status status = HISTREE_OK;
	if (tree == NULL)
		return;
	tree->rows = call->view;
	tree->start = tree->rows->start;
	tree->end = tree->rows->end;
	if (!parameters_range(call, &tree->start, &tree->end))
		return;
	for (size_t i = 0; i < tree->rows->host_count && status == HISTREE_OK; i++)
		status = add_host(tree, &tree->rows->hosts[i], reply_cancel(call->reply), &call->reply->error);
	if (!reply_ok(call->reply, status)) {
		tree_release(tree);
		return;
	}
	if (tree->unknown > 0)
		call->reply->notice = not_known;
	tree_reply(call, &source, tree);
}

/* ---- curves ------------------------------------------------------------------------------------------ */

struct usage_curve {
	int64_t id;
	const struct host_view *host;
	uint32_t own;   /* HISTREE_NO_INDEX: all threads of the host */
	double *values; /* a part of those below */
};

struct usage_curves {
	struct usage_curve chosen[CURVES_MAX];
	size_t count;
	bool wants_total, wants_unknown;
	double *total, *unknown;
};

static void add_up(double *sum, const double *more, uint32_t pixels)
{
	for (uint32_t i = 0; i < pixels; i++)
		sum[i] += more[i];
}

/* Returns whether the answer needs what a host did. */
static bool is_needed(const struct usage_curves *curves, const struct host_view *host)
{
	bool is_needed = curves->wants_total || curves->wants_unknown || host->name == NULL;
	for (size_t i = 0; i < curves->count && !is_needed; i++)
		is_needed = curves->chosen[i].host == host;
	return is_needed && host->view != NULL;
}

static enum histree_status add_curves(struct usage_curves *curves, const struct host_view *host,
				      const struct xy_samples *samples, struct histree_work work,
				      struct histree_error *error)
{
	size_t of_thread[CURVES_MAX + 1];
	struct histree_cpu_usage *usage = NULL;
	if (!is_needed(curves, host))
		return HISTREE_OK;

	/*
	 * The usage of a host, with a curve for each of its threads that are chosen, in the order of `of_thread`.
	 */
	int32_t tids[CURVES_MAX];
	struct histree_row_life lives[CURVES_MAX];
	const struct kernel_threads *threads = host->view;
	struct histree_cpu_usage_request request = {
		.from = samples->from,
		.to = samples->to,
		.pixels = samples->pixels,
		.tids = tids,
		.lives = lives,
		.work = work,
	};
	for (size_t i = 0; i < curves->count; i++) {
		if (curves->chosen[i].host != host || curves->chosen[i].own == HISTREE_NO_INDEX)
			continue;
		const struct histree_thread *thread = &threads->list[curves->chosen[i].own];
		tids[request.tid_count] = thread->tid;
		lives[request.tid_count] = (struct histree_row_life){ thread->from, thread->to };
		of_thread[request.tid_count++] = i;
	}
	request.no_times = host->name != NULL && request.tid_count == 0;
	of_thread[request.tid_count] = SIZE_MAX;
	enum histree_status status = histree_cpu_usage_create(threads->kernel->history, &request, &usage, error);
	if (status != HISTREE_OK)
		return status;
	const double *all = histree_cpu_usage_curve(usage, HISTREE_NO_INDEX);
	add_up(curves->total, all, samples->pixels);
	add_up(curves->unknown, histree_cpu_usage_unknown(usage), samples->pixels);
	for (uint32_t i = 0; of_thread[i] != SIZE_MAX; i++)
		add_up(curves->chosen[of_thread[i]].values, histree_cpu_usage_curve(usage, i), samples->pixels);
	for (size_t i = 0; i < curves->count; i++)
		if (curves->chosen[i].host == host && curves->chosen[i].own == HISTREE_NO_INDEX)
			add_up(curves->chosen[i].values, all, samples->pixels);
	histree_cpu_usage_free(usage);
	return HISTREE_OK;
}

static void write_curves(struct call *call, const struct usage_curves *curves, const struct xy_samples *samples)
{
	const struct host_rows *rows = call->view;
	struct reply *reply = call->reply;
	bool is_known = true;
	for (uint32_t i = 0; i < samples->pixels; i++)
		is_known = is_known && curves->unknown[i] == 0;
	if (!is_known)
		reply->notice = not_known;
	struct xy_curve curve = { .id = TOTAL_ID, .label = "CPU usage", .unit = "%" };
	if (curves->wants_total) {
		curve.name = is_known ? "Total" : "Total, at least";
		curve.values = samples->pixels > 0 ? curves->total : NULL;
		xy_put(reply, samples, &curve);
	}
	if (curves->wants_unknown) {
		curve.id = unknown_id(rows);
		curve.name = "Unknown";
		curve.values = samples->pixels > 0 ? curves->unknown : NULL;
		xy_put(reply, samples, &curve);
	}
	for (size_t i = 0; i < curves->count; i++) {
		char name[128];
		const struct usage_curve *chosen = &curves->chosen[i];
		const struct kernel_threads *threads = chosen->host->view;
		const char *host = chosen->host->name != NULL ? chosen->host->name : "";
		const char *more = is_known ? "" : ", at least";
		if (chosen->own == HISTREE_NO_INDEX)
			snprintf(name, sizeof(name), "%s%s", host, more);
		else
			snprintf(name, sizeof(name), "%s%s%s (%d)%s", host, *host != '\0' ? " " : "",
				 threads->list[chosen->own].name, threads->list[chosen->own].tid, more);
		curve.id = curves->chosen[i].id;
		curve.name = name;
		curve.values = samples->pixels > 0 ? curves->chosen[i].values : NULL;
		xy_put(reply, samples, &curve);
	}
}

static void xy(struct call *call)
{
	const struct host_rows *rows = call->view;
	struct usage_curves curves = { .count = 0 };
	struct xy_request request;
	const struct xy_samples *samples = &request.samples;
	enum histree_status status = HISTREE_OK;
	if (!xy_request_read(call, rows->start, rows->end, &request))
		return;

	/* Of a store of one host the entry that stands above all threads is the total. */
	for (size_t i = 0; i < request.item_count; i++) {
		uint32_t own;
		const int64_t item = request.items[i];
		const struct host_view *host = host_entry_find(rows, item, &own);
		curves.wants_total = curves.wants_total || item == TOTAL_ID;
		curves.wants_unknown = curves.wants_unknown || item == unknown_id(rows);
		if (host != NULL && host->view != NULL && curves.count < CURVES_MAX)
			curves.chosen[curves.count++] = (struct usage_curve){ item, host, own, NULL };
	}
	double *values =
		reply_memory(call->reply, (curves.count + 2) * ((size_t)samples->pixels + 1), sizeof(*values));
	if (values == NULL)
		return;

	/* `values` has room for all of them. */
	for (size_t i = 0; i < curves.count; i++)
		curves.chosen[i].values = values + i * samples->pixels;
	curves.total = values + curves.count * samples->pixels;
	curves.unknown = curves.total + samples->pixels;
	for (size_t i = 0; i < rows->host_count && samples->pixels > 0 && status == HISTREE_OK; i++)
		status = add_curves(&curves, &rows->hosts[i], samples, reply_cancel(call->reply),
				    &call->reply->error);
	if (!reply_ok(call->reply, status))
		return;
	xy_begin(call->reply, "CPU Usage");
	write_curves(call, &curves, samples);
	xy_end(call->reply);
}

const struct output output_cpu_usage = {
	.id = "org.eclipse.tracecompass.analysis.os.linux.core.cpuusage.CpuUsageDataProvider",
	.name = "CPU Usage",
	.description = "How busy the CPUs were, and with whom",
	.type = OUTPUT_TREE_TIME_XY,
	.view = &host_threads,
	.tree = output_tree,
	.xy = xy,
};
