// SPDX-License-Identifier: MIT
/*
 * output_cpu_usage.c - how busy the CPUs were, in total and by thread, as an output.
 *
 * Entry 1 is all threads together.  The entries of hosts and threads are those of Control Flow.  A tree has the
 * threads that ran longest in the requested range, below their host, and then, as one entry, the others: viewers
 * draw every entry of a tree.  The curve of the others is that of all threads that are not asked for beside it.
 *
 * Where it is not known which threads had the CPUs, because events were lost or a part of the store is damaged, no
 * number is the usage, and the protocol has none that means "unknown": the numbers are then lower bounds, and named
 * so, and the entry after the last row is the unknown part, which viewers show beside the total.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number_text.h"
#include "server/model/cpu_threads.h"
#include "server/model/kernel_rows.h"
#include "server/tsp/parameters.h"
#include "server/tsp/replies.h"
#include "server/tsp/row_outputs.h"

static const char not_known[] =
	"in a part of the range it is not known who had the CPUs: the usage is the least that "
	"there was";

enum { TOTAL_ID = HOST_ENTRIES_ROOT, THREADS_LISTED = 100 };

static int64_t unknown_id(const struct host_rows *rows)
{
	return (int64_t)rows->count + HOST_ENTRIES_FIRST;
}

static int64_t others_id(const struct host_rows *rows)
{
	return unknown_id(rows) + 1;
}

/* ---- tree -------------------------------------------------------------------------------------------- */

/* Lines below the total: each host, where there are several, and its threads. */
struct usage_tree {
	const struct host_rows *rows;
	struct cpu_threads lines;
	size_t other_count; /* threads that have no line */
	int64_t others;     /* what they ran */
	histree_time start, end;
};

static void tree_release(void *context)
{
	struct usage_tree *tree = context;
	cpu_threads_release(&tree->lines);
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

/* A line that is no row of Control Flow. */
static void write_line(struct json_writer *json, const struct usage_tree *tree, int64_t id, const char *name,
		       int64_t ns)
{
	const struct tree_entry entry = { id, -1, tree->start, tree->end, true, true };
	tree_entry_begin(json, &entry);
	write_labels(json, name, "", ns, (double)(tree->end - tree->start) + 1);
}

static void write_thread(struct json_writer *json, const struct usage_tree *tree, const struct cpu_thread *line)
{
	char tid[16] = "";
	const char *name = line->host->name;
	struct tree_entry entry = {
		host_entry_id(tree->rows, line->host, line->own), TOTAL_ID, tree->start, tree->end, true, false
	};
	if (line->own != HISTREE_NO_INDEX) {
		const struct kernel_threads *threads = line->host->view;
		entry.parent = host_entry_id(tree->rows, line->host, HISTREE_NO_INDEX);
		name = threads->list[line->own].name;
		snprintf(tid, sizeof(tid), "%d", threads->list[line->own].tid);
	}
	tree_entry_begin(json, &entry);
	write_labels(json, name, tid, line->ns, (double)(tree->end - tree->start) + 1);
}

static bool write_entry(const void *context, size_t index, struct json_writer *json)
{
	const struct usage_tree *tree = context;
	const struct cpu_threads *lines = &tree->lines;
	char others[64];
	if (index == 0) {
		write_line(json, tree, TOTAL_ID, lines->unknown > 0 ? "Total, at least" : "Total", lines->total);
		return true;
	}
	index--;
	if (lines->unknown > 0 && index-- == 0) {
		write_line(json, tree, unknown_id(tree->rows), "Unknown", lines->unknown);
		return true;
	}
	if (index < lines->count) {
		write_thread(json, tree, &lines->list[index]);
		return true;
	}
	if (tree->other_count == 0 || index > lines->count)
		return false;
	snprintf(others, sizeof(others), "Others, %zu threads", tree->other_count);
	write_line(json, tree, others_id(tree->rows), others, tree->others);
	return true;
}

/* The threads of a host; of several, after a line of its own. */
static enum histree_status add_host(struct usage_tree *tree, const struct host_view *host, struct histree_work work,
				    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	struct cpu_threads *lines = &tree->lines;
	const int64_t before = lines->total;
	const size_t own_line = lines->count;
	if (tree->rows->has_hosts)
		status = cpu_threads_put(lines, &(struct cpu_thread){ host, HISTREE_NO_INDEX, 0 }, error);
	const size_t first = lines->count;
	if (status == HISTREE_OK)
		status = cpu_threads_add(lines, host, tree->start, tree->end, work, error);
	if (status == HISTREE_OK && tree->rows->has_hosts)
		lines->list[own_line].ns = lines->total - before;
	for (; lines->count > first + THREADS_LISTED; lines->count--, tree->other_count++)
		tree->others += lines->list[lines->count - 1].ns;
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
	if (tree->lines.unknown > 0)
		call->reply->notice = not_known;
	tree_reply(call, &source, tree);
}

/* ---- curves ------------------------------------------------------------------------------------------ */

/* What is asked for, besides threads and hosts. */
struct asked_sums {
	bool total, unknown, others;
};

static void put_curve(struct call *call, const struct xy_samples *samples, int64_t id, const char *name,
		      const double *values)
{
	const struct xy_curve curve = { .id = id,
					.name = name,
					.label = "CPU usage",
					.unit = "%",
					.values = samples->pixels > 0 ? values : NULL };
	xy_put(call->reply, samples, &curve);
}

static void write_curves(struct call *call, const struct cpu_curves *curves, const struct asked_sums *asked,
			 const struct xy_samples *samples, double *room)
{
	const struct host_rows *rows = call->view;
	bool is_known = true;
	for (uint32_t i = 0; i < samples->pixels; i++)
		is_known = is_known && curves->unknown[i] == 0;
	if (!is_known)
		call->reply->notice = not_known;
	if (asked->total)
		put_curve(call, samples, TOTAL_ID, is_known ? "Total" : "Total, at least", curves->total);
	if (asked->unknown)
		put_curve(call, samples, unknown_id(rows), "Unknown", curves->unknown);
	if (asked->others) {
		cpu_curves_others(curves, room);
		put_curve(call, samples, others_id(rows), is_known ? "Others" : "Others, at least", room);
	}
	for (size_t i = 0; i < curves->count; i++) {
		struct byte_buffer name = { 0 };
		const struct cpu_thread *thread = &curves->chosen[i];
		cpu_thread_name(thread, &name);
		byte_buffer_put(&name, is_known ? "" : ", at least", is_known ? 1 : sizeof(", at least"));
		if (!name.failed)
			put_curve(call, samples, host_entry_id(rows, thread->host, thread->own),
				  byte_buffer_chars(&name), curves->values + i * samples->pixels);
		byte_buffer_release(&name);
	}
}

static void xy(struct call *call)
{
	const struct host_rows *rows = call->view;
	struct cpu_thread chosen[CPU_CURVES_MAX];
	struct asked_sums asked = { .total = false };
	struct xy_request request;
	const struct xy_samples *samples = &request.samples;
	enum histree_status status = HISTREE_OK;
	if (!xy_request_read(call, rows->start, rows->end, &request))
		return;
	struct cpu_curves curves = {
		.from = samples->from, .to = samples->to, .pixels = samples->pixels, .chosen = chosen
	};

	/* Of a store of one host the entry that stands above all threads is the total. */
	for (size_t i = 0; i < request.item_count; i++) {
		uint32_t own;
		const int64_t item = request.items[i];
		const struct host_view *host = host_entry_find(rows, item, &own);
		asked.total = asked.total || item == TOTAL_ID;
		asked.unknown = asked.unknown || item == unknown_id(rows);
		asked.others = asked.others || item == others_id(rows);
		if (host != NULL && host->view != NULL && curves.count < CPU_CURVES_MAX)
			chosen[curves.count++] = (struct cpu_thread){ host, own, 0 };
	}
	double *values =
		reply_memory(call->reply, (curves.count + 3) * ((size_t)samples->pixels + 1), sizeof(*values));
	if (values == NULL)
		return;
	curves.values = values;
	curves.total = values + curves.count * samples->pixels;
	curves.unknown = curves.total + samples->pixels;
	for (size_t i = 0; i < rows->host_count && samples->pixels > 0 && status == HISTREE_OK; i++)
		status = cpu_curves_add(&curves, &rows->hosts[i], asked.total || asked.unknown || asked.others,
					reply_cancel(call->reply), &call->reply->error);
	if (!reply_ok(call->reply, status))
		return;
	xy_begin(call->reply, "CPU Usage");
	write_curves(call, &curves, &asked, samples, curves.unknown + samples->pixels);
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
