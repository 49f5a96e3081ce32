// SPDX-License-Identifier: MIT
/*
 * api_charts.c - charts of a whole trace for the page: charts of numbers, the gaps, and the tree on disk.
 *
 * A chart of numbers has one number a pixel, such as how busy the CPUs were, and the lines that matter most.  The
 * tree on disk is a list of nodes with their positions in a picture, as in `histree draw --view tree`.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "histree/states.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/chart_set.h"
#include "server/model/cpu_threads.h"
#include "server/model/event_list.h"
#include "server/model/kernel_rows.h"

/* ---- api charts ---------------------------------------------------------------------------------------------- */

static void put_floats(struct byte_buffer *out, const double *numbers, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint8_t bytes[4];
		put_le_float(bytes, (float)numbers[i]);
		byte_buffer_put(out, bytes, sizeof(bytes));
	}
}

void api_usage(struct call *call)
{
	struct page_range range;
	struct histree_cpu_usage *usage;
	if (!page_dataset(call))
		return;
	struct histree_history *kernel = kernel_view_history(call->dataset);
	if (kernel == NULL) {
		reply_error(call->reply, HTTP_NOT_FOUND, "this is not the trace of a kernel");
		return;
	}
	const struct histree_history_info *info = histree_history_info(kernel);
	if (!page_range(call, info->start, info->end, &range))
		return;
	struct histree_cpu_usage_request request = {
		.from = range.from,
		.to = range.to,
		.pixels = range.pixels,
		.work = reply_cancel(call->reply),
		.no_times = true,
	};
	if (!reply_ok(call->reply, histree_cpu_usage_create(kernel, &request, &usage, &call->reply->error)))
		return;
	call->reply->content_type = "application/octet-stream";
	put_floats(&call->reply->body, histree_cpu_usage_curve(usage, HISTREE_NO_INDEX), range.pixels);
	put_floats(&call->reply->body, histree_cpu_usage_unknown(usage), range.pixels);
	histree_cpu_usage_free(usage);
}

/* Counts events, or, where the store has no index of them, the states that begin. */
static enum histree_status count_density(struct call *call, const struct page_range *range, double *counts,
					 bool *are_exact)
{
	void *view;
	struct histree_error *error = &call->reply->error;
	const struct histree_work work = reply_cancel(call->reply);
	if (event_list_kind.applies(call->dataset)) {
		enum histree_status status = dataset_view(call->dataset, &event_list_kind, &view, error);
		return status != HISTREE_OK ? status
					    : event_list_density(view, range->from, range->to, range->pixels, work,
								 counts, are_exact, error);
	}
	uint64_t *states = reply_memory(call->reply, range->pixels, sizeof(*states));
	if (states == NULL)
		return error_memory(error, "a chart");
	enum histree_status status = histree_density(call->dataset->histories[0], range->from, range->to,
						     range->pixels, work, states, error);
	for (uint32_t i = 0; status == HISTREE_OK && i < range->pixels; i++)
		counts[i] = (double)states[i];
	return status;
}

/* Answers and returns false if there is nothing to count: a store of segments alone may have no events either. */
static bool counted_range(const struct call *call, struct page_range *range)
{
	const struct dataset *dataset = call->dataset;
	if (dataset->history_count > 0) {
		const struct histree_history_info *info = histree_history_info(dataset->histories[0]);
		return page_range(call, info->start, info->end, range);
	}
	if (event_list_kind.applies(dataset))
		return page_range_of_trace(call, range);
	return reply_error(call->reply, HTTP_NOT_FOUND, "this store has neither states nor an index of events");
}

void api_density(struct call *call)
{
	struct page_range range;
	bool are_exact = true;
	if (!page_dataset(call) || !counted_range(call, &range))
		return;
	double *counts = reply_memory(call->reply, range.pixels, sizeof(*counts));
	if (counts == NULL || !reply_ok(call->reply, count_density(call, &range, counts, &are_exact)))
		return;
	call->reply->content_type = "application/octet-stream";
	put_floats(&call->reply->body, counts, range.pixels);
	put_floats(&call->reply->body, &(double){ are_exact }, 1);
}

/* ---- api chart lines ----------------------------------------------------------------------------------------- */

enum { LINES_MAX = 64 };

static bool write_chart(void *context, const struct histree_chart *chart)
{
	struct json_writer *json = context;
	json_begin_object(json);
	json_text_member(json, "name", chart->name);
	json_text_member(json, "title", chart->title);
	json_text_member(json, "unit", chart->unit);
	json_end(json);
	return true;
}

/* The chart of who had the CPUs, which no analysis has to declare. */
static const struct histree_chart cpu_threads_chart = {
	.name = "cpu-usage-by-thread", .title = "CPU usage by thread", .unit = "%", .kind = HISTREE_CHART_LINES
};

void api_charts_list(struct call *call)
{
	if (!page_dataset(call))
		return;
	json_begin_array(call->json);
	if (kernel_view_applies(call->dataset))
		write_chart(call->json, &cpu_threads_chart);
	chart_set_each(call->dataset, HISTREE_CHART_LINES, write_chart, call->json);
	json_end(call->json);
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

static void write_line(struct json_writer *json, int64_t id, const char *name, size_t size, const double *values,
		       uint32_t pixels)
{
	json_begin_object(json);
	json_int_member(json, "id", id);
	json_string_member(json, "name", name, size);
	json_begin_array_member(json, "values");
	for (uint32_t k = 0; k < pixels; k++)
		json_put_known(json, values[k]);
	json_end(json);
	json_end(json);
}

/* The busiest of a part, as far as there is history. */
static enum histree_status write_lines(struct call *call, const struct chart_part *part,
				       const struct page_range *range, size_t most)
{
	const struct histree_history_info *info = histree_history_info(part->history);
	histree_time from = range->from > info->start ? range->from : info->start;
	histree_time to = range->to < info->end ? range->to : info->end;
	uint32_t rows[LINES_MAX];
	size_t count;
	double *values = NULL;
	struct histree_error *error = &call->reply->error;
	struct json_writer *json = call->json;
	if (from > to)
		return HISTREE_OK;
	enum histree_status status = histree_chart_view_busiest(part->view, from, to, rows, most, &count, error);
	if (status == HISTREE_OK)
		status = chart_part_lines(part, rows, count, range->from, range->to, range->pixels, &values, error);
	for (size_t i = 0; status == HISTREE_OK && i < count; i++) {
		struct byte_buffer name = { 0 };
		const double *own = values + i * ((size_t)range->pixels + 1);
		chart_line_label(call->dataset, part, rows[i], from, &name);
		write_line(json, chart_entry_id(part, rows[i]), byte_buffer_chars(&name), name.size, own + 1,
			   range->pixels);
		byte_buffer_release(&name);
	}
	free(values);
	return status;
}

/* ---- CPU usage by thread -------------------------------------------------------------------------- */

static void write_stack(struct call *call, const struct cpu_curves *curves, size_t all, double *others)
{
	const struct host_rows *rows = call->view;
	struct json_writer *json = call->json;
	json_begin_object(json);
	json_unsigned_member(json, "all", all);
	json_unsigned_member(json, "top", 100 * (uint64_t)cpu_count(rows)); /* so that the scale stands still */
	json_begin_array_member(json, "lines");
	for (size_t i = 0; i < curves->count; i++) {
		struct byte_buffer name = { 0 };
		cpu_thread_name(&curves->chosen[i], &name);
		write_line(json, host_row(rows, curves->chosen[i].host, curves->chosen[i].own),
			   byte_buffer_chars(&name), name.size, curves->values + i * curves->pixels,
			   curves->pixels);
		byte_buffer_release(&name);
	}
	if (all > curves->count) {
		static const char name[] = "others";
		cpu_curves_others(curves, others);
		write_line(json, -1, name, sizeof(name) - 1, others, curves->pixels);
	}
	json_end(json);
	json_end(json);
}

/* The threads that ran longest in the range, and all others as one. */
static enum histree_status stack_threads(struct call *call, const struct page_range *range, size_t most,
					 struct cpu_threads *threads)
{
	const struct host_rows *rows = call->view;
	struct histree_error *error = &call->reply->error;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < rows->host_count && status == HISTREE_OK; i++)
		status = cpu_threads_add(threads, &rows->hosts[i], range->from, range->to,
					 reply_cancel(call->reply), error);
	if (rows->host_count > 1 && threads->count > 1)
		qsort(threads->list, threads->count, sizeof(*threads->list), cpu_threads_compare);
	struct cpu_curves curves = { .from = range->from,
				     .to = range->to,
				     .pixels = range->pixels,
				     .chosen = threads->list,
				     .count = threads->count < most ? threads->count : most };
	curves.values = reply_memory(call->reply, (curves.count + 3) * range->pixels, sizeof(*curves.values));
	if (status != HISTREE_OK || curves.values == NULL)
		return status;
	curves.total = curves.values + curves.count * range->pixels;
	curves.unknown = curves.total + range->pixels;
	for (size_t i = 0; i < rows->host_count && status == HISTREE_OK; i++)
		status = cpu_curves_add(&curves, &rows->hosts[i], true, reply_cancel(call->reply), error);
	if (status == HISTREE_OK)
		write_stack(call, &curves, threads->count, curves.unknown + range->pixels);
	return status;
}

static void answer_cpu_threads(struct call *call)
{
	struct page_range range;
	struct cpu_threads threads = { .list = NULL };
	int64_t most;
	if (!page_view(call, &host_threads, "this is not the trace of a kernel"))
		return;
	if (!page_number(call, "lines", 1, LINES_MAX, 8, &most) || !page_range_of_trace(call, &range))
		return;
	reply_ok(call->reply, stack_threads(call, &range, (size_t)most, &threads));
	cpu_threads_release(&threads);
}

void api_chart_lines(struct call *call)
{
	struct page_range range;
	int64_t most;
	const struct chart_of_set *chart;
	enum histree_status status = HISTREE_OK;
	if (strcmp(page_text(call, "chart"), cpu_threads_chart.name) == 0) {
		answer_cpu_threads(call);
		return;
	}
	if (!page_view(call, &chart_set_kind, NULL) ||
	    !reply_ok(call->reply, chart_set_find(call->view, page_text(call, "chart"), reply_cancel(call->reply),
						  &chart, &call->reply->error)) ||
	    !page_number(call, "lines", 1, LINES_MAX, 8, &most) ||
	    !page_range(call, dataset_start(call->dataset), chart->end, &range))
		return;
	json_begin_object(call->json);
	int64_t count = 0;
	for (size_t i = 0; i < chart->part_count; i++)
		for (uint32_t k = 0; k < chart->parts[i].count; k++)
			count += chart->parts[i].rows[k].shown != HISTREE_ROOT;
	json_int_member(call->json, "all", count);
	json_begin_array_member(call->json, "lines");
	for (size_t i = 0; i < chart->part_count && status == HISTREE_OK; i++)
		status = write_lines(call, &chart->parts[i], &range, (size_t)most);
	if (!reply_ok(call->reply, status))
		return;
	json_end(call->json);
	json_end(call->json);
}

/* ---- api gaps ------------------------------------------------------------------------------------------------ */

struct band_writer {
	struct json_writer *json;
	histree_time start;
};

static void write_band(void *context, const struct gap_band *band)
{
	const struct band_writer *writer = context;
	struct byte_buffer text = { 0 };
	gap_band_text(band, &text);
	json_begin_object(writer->json);
	json_int_member(writer->json, "from", band->from - writer->start);
	json_int_member(writer->json, "to", band->to - writer->start);
	json_string_member(writer->json, "text", byte_buffer_chars(&text), text.size);
	json_end(writer->json);
	byte_buffer_release(&text);
}

void api_gaps(struct call *call)
{
	struct page_range range;
	if (!page_dataset(call) || !page_range_of_trace(call, &range))
		return;
	struct band_writer writer = { call->json, histree_store_info(call->dataset->store)->start };
	json_begin_array(writer.json);
	gap_bands_each(call->dataset, range.from, range.to, range.pixels, write_band, &writer);
	json_end(writer.json);
}

/* ---- api nodes ----------------------------------------------------------------------------------------------- */

enum { NODE_SIZE = 56, NODES_PER_STEP = 1024, WIDTH_MAX = 30000, WIDTH_USUAL = 1200 };

static const double WIDER = 1.1;

struct nodes {
	const struct dataset *dataset;
	const char *host; /* whose tree it is; NULL: there is but one */
	const struct histree_history_info *info;
	struct histree_tree_layout *layout;
	const struct histree_layout_node *nodes;
	uint32_t count, next;
	double width; /* of the picture */
};

static void nodes_release(void *state)
{
	struct nodes *nodes = state;
	histree_tree_layout_free(nodes->layout);
}

static void write_end(const struct nodes *nodes, struct json_writer *json)
{
	json_begin_object(json);
	json_text_member(json, "analysis", nodes->info->provider);
	json_text_member(json, "variant", nodes->info->variant);
	json_int_member(json, "nodeSize", nodes->info->node_size);
	json_int_member(json, "depth", nodes->info->depth);
	json_int_member(json, "intervals", (int64_t)nodes->info->interval_count);
	json_real_member(json, "width", nodes->width);
	json_begin_array_member(json, "analyses");
	for (size_t i = 0; i < nodes->dataset->history_count; i++)
		json_put_text(json, nodes->dataset->analyses[i]);
	json_end(json);
	if (nodes->host != NULL) {
		/* Those that can be read. */
		json_text_member(json, "host", nodes->host);
		json_begin_array_member(json, "hosts");
		for (size_t k = 0; k < nodes->dataset->host_count; k++)
			if (nodes->dataset->hosts[k].own != NULL)
				json_put_text(json, nodes->dataset->hosts[k].name);
		json_end(json);
	}
	uint32_t count;
	const struct histree_node_level *levels = histree_tree_layout_levels(nodes->layout, &count);
	json_begin_array_member(json, "levels");
	for (uint32_t i = 0; i < count; i++) {
		json_begin_object(json);
		json_int_member(json, "rows", levels[i].rows);
		json_int_member(json, "lines", levels[i].lines);
		json_real_member(json, "size", levels[i].size);
		json_real_member(json, "distance", levels[i].distance);
		json_real_member(json, "top", levels[i].top);
		json_real_member(json, "bottom", levels[i].bottom);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

static enum histree_status nodes_next(void *state, struct json_writer *json, struct histree_error *error)
{
	struct nodes *nodes = state;
	uint32_t left = nodes->count - nodes->next, count = left < NODES_PER_STEP ? left : NODES_PER_STEP;
	uint8_t *room = byte_buffer_room(json->out, (size_t)count * NODE_SIZE);
	if (room == NULL)
		return error_memory(error, "nodes");
	for (uint32_t i = 0; i < count; i++) {
		uint8_t *at = room + (size_t)i * NODE_SIZE;
		const struct histree_layout_node *placed = &nodes->nodes[nodes->next + i];
		const struct histree_node *node = &placed->node;
		put_le_double(at, (double)((uint64_t)node->start - (uint64_t)nodes->info->start));
		put_le_double(at + 8, (double)((uint64_t)node->end - (uint64_t)nodes->info->start));
		put_le_float(at + 16, (float)placed->x);
		put_le_float(at + 20, (float)placed->y);
		put_le32(at + 24, node->number);
		put_le32(at + 28, placed->parent);
		put_le32(at + 32, node->height);
		put_le32(at + 36, node->child_count);
		put_le32(at + 40, node->key_min);
		put_le32(at + 44, node->key_max);
		put_le32(at + 48, node->interval_count);
		put_le32(at + 52, node->is_damaged ? UINT32_MAX : node->bytes_used);
	}
	json->out->size += (size_t)count * NODE_SIZE;
	nodes->next += count;
	if (nodes->next < nodes->count)
		return HISTREE_OK;
	write_end(nodes, json);
	return HISTREE_END;
}

/* ---- the request ------------------------------------------------------------------------------------- */

static bool has_wall(const struct histree_node_level *levels, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (levels[i].rows > 1)
			return true;
	return false;
}

/*
 * Walls become lower in a wider picture: it has the shape of `width` x `height` in the end, as far as they allow.
 */
static void fit_shape(struct nodes *nodes, double width, double height)
{
	uint32_t count;
	const struct histree_node_level *levels = histree_tree_layout_levels(nodes->layout, &count);
	while (nodes->width * WIDER <= WIDTH_MAX && has_wall(levels, count) &&
	       levels[0].bottom * width > nodes->width * height) {
		nodes->width *= WIDER;
		histree_tree_layout_arrange(nodes->layout,
					    &(struct histree_tree_layout_options){ .width = nodes->width });
	}
}

/*
 * Find the named analysis, or the first one, of the named host, or of the first host that has it.  Returns false if
 * it has answered that there is none.
 */
static bool find_history(const struct call *call, struct nodes *nodes, struct histree_history **out)
{
	const struct dataset *dataset = nodes->dataset;
	const char *analysis = page_text(call, "analysis"), *name = page_text(call, "host");
	const size_t hosts = dataset->history_count > 0 ? dataset->host_count : 0;
	*out = NULL;
	if (dataset->history_count > 0 && *analysis == '\0')
		analysis = dataset->analyses[0];
	if (hosts == 0)
		*out = dataset_history(dataset, analysis);
	for (size_t i = 0; i < hosts && *out == NULL; i++) {
		const struct dataset_host *one = &dataset->hosts[i];
		if (one->own == NULL || (*name != '\0' && strcmp(one->name, name) != 0))
			continue;
		*out = dataset_history(one->own, analysis);
		nodes->host = one->name;
	}
	if (*out == NULL)
		reply_error(call->reply, HTTP_NOT_FOUND, "there is no such analysis");
	return *out != NULL;
}

void api_nodes(struct call *call)
{
	struct histree_history *history;
	int64_t width, height;
	uint8_t count[4];
	struct nodes *nodes = reply_memory(call->reply, 1, sizeof(*nodes));
	if (nodes == NULL || !page_dataset(call))
		return;
	nodes->dataset = call->dataset;
	if (!find_history(call, nodes, &history) ||
	    !page_number(call, "width", 100, WIDTH_MAX, WIDTH_USUAL, &width) ||
	    !page_number(call, "height", 0, WIDTH_MAX, 0, &height))
		return;
	nodes->width = (double)width;
	const struct histree_tree_layout_options options = { .width = nodes->width };
	if (!reply_ok(call->reply, histree_tree_layout_create(history, &options, reply_cancel(call->reply),
							      &nodes->layout, &call->reply->error)))
		return;
	if (height > 0)
		fit_shape(nodes, (double)width, (double)height);
	nodes->info = histree_history_info(history);
	nodes->nodes = histree_tree_layout_nodes(nodes->layout, &nodes->count);
	put_le32(count, nodes->count);
	call->reply->content_type = "application/octet-stream";
	byte_buffer_put(&call->reply->body, "HTN1", 4);
	byte_buffer_put(&call->reply->body, count, sizeof(count));
	reply_steps(call->reply, &(struct reply_steps){ nodes_next, nodes_release, nodes });
}
