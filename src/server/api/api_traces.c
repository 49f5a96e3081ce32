// SPDX-License-Identifier: MIT
/*
 * api_traces.c - what is open, and what there is to know about it, for the page: what colours mean, bookmarks,
 * when events are missing.
 *
 * The tree on disk comes as each node with its position in a picture, as `histree draw --view tree` has it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/error.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/catalogue/bookmarks.h"
#include "server/catalogue/catalogue.h"
#include "server/model/chart_set.h"
#include "server/model/event_list.h"
#include "server/model/flame_view.h"
#include "server/model/path_list.h"
#include "server/model/row_model.h"

/* ---- api experiments ----------------------------------------------------------------------------------------- */

static void write_views(struct json_writer *json, const struct dataset *dataset)
{
	json_begin_array_member(json, "views");
	for (const struct row_model *const *model = row_models; *model != NULL; model++) {
		if (!(*model)->own.applies(dataset))
			continue;
		json_begin_object(json);
		json_text_member(json, "name", (*model)->name);
		json_text_member(json, "title", (*model)->title);
		json_bool_member(json, "sorts", (*model)->sort_key != NULL);
		json_bool_member(json, "hasArrows", (*model)->has_arrows != NULL && (*model)->has_arrows(dataset));
		json_end(json);
	}
	json_end(json);
}

static void api_experiments_write_hosts(struct json_writer *json, const struct dataset *dataset)
{
	json_begin_array_member(json, "hosts");
	for (size_t i = 0; i < dataset->host_count; i++) {
		json_begin_object(json);
		json_text_member(json, "name", dataset->hosts[i].name);
		if (dataset->hosts[i].why != NULL)
			json_text_member(json, "why", dataset->hosts[i].why);
		json_end(json);
	}
	json_end(json);
}

/* The first one, and how many there are besides. */
static void write_warning(struct json_writer *json, const struct histree_store_info *info)
{
	char text[1024];
	if (info->warning_count == 0)
		return;
	size_t size = (size_t)snprintf(text, sizeof(text), "%s", info->warnings[0]);
	if (info->warning_count > 1 && size < sizeof(text))
		snprintf(text + size, sizeof(text) - size, " (and %zu more, which 'histree info' lists)",
			 info->warning_count - 1);
	json_text_member(json, "warning", text);
}

static void write_ready(struct json_writer *json, const struct dataset *dataset)
{
	const struct histree_store_info *info = histree_store_info(dataset->store);
	char start[24];
	snprintf(start, sizeof(start), "%" PRId64, info->start);
	json_text_member(json, "start", start); /* a text: it has more than 53 bits */
	json_int_member(json, "duration", info->end - info->start);
	json_int_member(json, "events", (int64_t)info->event_count);
	json_int_member(json, "discarded", (int64_t)info->discarded_events);
	size_t gaps = 0;
	if (dataset->trace_events != NULL)
		histree_events_gaps(dataset->trace_events, &gaps);
	json_int_member(json, "gaps", (int64_t)gaps);
	write_warning(json, info);
	json_bool_member(json, "hasEvents", dataset->trace_events != NULL);
	json_bool_member(json, "hasSegments", dataset->segments_count > 0);
	json_bool_member(json, "hasPaths", path_list_applies(dataset));
	json_bool_member(json, "hasThreads", dataset_history(dataset, "kernel") != NULL);
	json_text_member(json, "store", dataset->store_path);
	json_bool_member(json, "hasCharts", chart_set_named(dataset, HISTREE_CHART_LINES, NULL) != NULL);
	json_bool_member(json, "hasStacks", flame_list_applies(dataset));
	if (dataset->host_count > 0)
		api_experiments_write_hosts(json, dataset);
	write_views(json, dataset);
}

static void write_progress(struct json_writer *json, const struct dataset *dataset)
{
	uint64_t total = dataset->bytes_total;
	json_real_member(json, "progress", total > 0 ? (double)dataset->bytes_done / (double)total : 0);
	json_int_member(json, "events", (int64_t)dataset->events);
}

static void write_experiment(void *context, const struct catalogue *catalogue, const struct catalogue_entry *entry)
{
	static const char *const statuses[] = { "running", "ready", "failed", "cancelled" };
	(void)catalogue;
	struct json_writer *json = context;
	enum dataset_status status = dataset_status(entry->dataset);
	json_begin_object(json);
	json_text_member(json, "uuid", entry->uuid);
	json_text_member(json, "name", entry->name);
	json_text_member(json, "status", statuses[status]);
	if (status == DATASET_READY)
		write_ready(json, entry->dataset);
	else if (status == DATASET_RUNNING)
		write_progress(json, entry->dataset);
	else
		json_text_member(json, "error", entry->dataset->error.message);
	json_end(json);
}

void api_experiments(struct call *call)
{
	json_begin_array(call->json);
	catalogue_each(call->service->catalogue, CATALOGUE_EXPERIMENTS, write_experiment, call->json);
	json_end(call->json);
}

static void write_served(void *context, const struct served_trace *trace)
{
	struct json_writer *json = context;
	json_begin_object(json);
	json_text_member(json, "name", trace->name);
	json_text_member(json, "path", trace->path);
	json_bool_member(json, "isStore", trace->is_store);
	json_end(json);
}

void api_traces(struct call *call)
{
	struct json_writer *json = call->json;
	json_begin_object(json);
	json_begin_array_member(json, "traces");
	bool are_all = catalogue_each_served(call->service->catalogue, write_served, json);
	json_end(json);
	json_bool_member(json, "all", are_all);
	json_end(json);
}

void api_write_style(struct json_writer *json, const struct histree_style *style)
{
	char colour[8];
	json_begin_object(json);
	json_text_member(json, "key", style->key);
	json_text_member(json, "name", style->name);
	snprintf(colour, sizeof(colour), "#%06x", style->light & 0xffffff);
	json_text_member(json, "light", colour);
	snprintf(colour, sizeof(colour), "#%06x", style->dark & 0xffffff);
	json_text_member(json, "dark", colour);
	json_real_member(json, "height", style->height);
	json_end(json);
}

static void write_styles(struct json_writer *json, const char *name, const struct histree_label_table *table)
{
	const struct histree_style *style;
	json_begin_array_member(json, name);
	for (size_t k = 0; (style = histree_styles(table, k)) != NULL; k++)
		if (!histree_style_is_palette(style))
			api_write_style(json, style);
	json_end(json);
}

/* What other analyses, and loaded histories, say of their values. */
static void write_labels(struct json_writer *json, const struct dataset *dataset)
{
	for (size_t i = 0; i < dataset->history_count; i++) {
		size_t count;
		const struct histree_label_table *tables = histree_labels(dataset->histories[i], &count);
		for (size_t k = 0; k < count; k++)
			if (tables[k].meaning == HISTREE_MEANS_ANYTHING && tables[k].label_count > 0)
				write_styles(json, *tables[k].name != '\0' ? tables[k].name : tables[k].patterns[0],
					     &tables[k]);
	}
}

/* Without an experiment, what states of a kernel mean. */
void api_legend(struct call *call)
{
	static const struct {
		const char *name;
		enum histree_meaning meaning;
	} meanings[] = {
		{ "threads", HISTREE_MEANS_THREAD_STATUS }, { "CPUs", HISTREE_MEANS_CPU_STATUS },
		{ "interrupts", HISTREE_MEANS_IRQ },        { "softirqs", HISTREE_MEANS_SOFT_IRQ },
		{ "frequency", HISTREE_MEANS_FREQUENCY },
	};
	struct json_writer *json = call->json;
	if (*page_text(call, "experiment") != '\0' && !page_dataset(call))
		return;
	json_begin_object(json);
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		write_styles(json, meanings[i].name, histree_labels_for(NULL, meanings[i].meaning));
	json_begin_array_member(json, "arrows");
	for (unsigned kind = 0; kind < HISTREE_ARROW_KIND_COUNT; kind++)
		api_write_style(json, histree_arrow_style((enum histree_arrow_kind)kind));
	json_end(json);
	if (call->dataset != NULL)
		write_labels(json, call->dataset);
	json_end(json);
}

/* ---- api bookmarks ------------------------------------------------------------------------------------------- */

struct bookmark_writer {
	struct json_writer *json;
	histree_time start, end; /* of the trace */
};

/* Times that a browser can count with; what lies outside of the trace is not shown. */
static void write_for_page(void *context, const struct bookmark *bookmark)
{
	const struct bookmark_writer *writer = context;
	struct bookmark shown = *bookmark;
	if (shown.start > writer->end || shown.end < writer->start)
		return;
	shown.start = (shown.start > writer->start ? shown.start : writer->start) - writer->start;
	shown.end = (shown.end < writer->end ? shown.end : writer->end) - writer->start;
	bookmark_write_json(writer->json, &shown);
}

void api_bookmarks(struct call *call)
{
	if (!page_dataset(call))
		return;
	const struct histree_store_info *info = histree_store_info(call->dataset->store);
	struct bookmark_writer writer = { call->json, info->start, info->end };
	json_begin_array(writer.json);
	bookmarks_each(call->service->bookmarks, page_text(call, "experiment"), write_for_page, &writer);
	json_end(writer.json);
}

/* ---- api gaps ------------------------------------------------------------------------------------------------ */

struct band_writer {
	struct json_writer *json;
	histree_time start;
};

static void write_band(void *context, const struct gap_band *band)
{
	const struct band_writer *writer = context;
	struct piece text = { 0 };
	gap_band_text(band, &text);
	json_begin_object(writer->json);
	json_int_member(writer->json, "from", band->from - writer->start);
	json_int_member(writer->json, "to", band->to - writer->start);
	json_string_member(writer->json, "text", text.bytes, text.size);
	json_end(writer->json);
	piece_release(&text);
}

void api_gaps(struct call *call)
{
	struct page_range range;
	if (!page_dataset(call))
		return;
	const struct histree_store_info *info = histree_store_info(call->dataset->store);
	if (!page_range(call, info->start, info->end, &range))
		return;
	struct band_writer writer = { call->json, info->start };
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

static void put_node(uint8_t *at, const struct histree_layout_node *placed, histree_time start)
{
	const struct histree_node *node = &placed->node;
	put_le_double(at, (double)((uint64_t)node->start - (uint64_t)start));
	put_le_double(at + 8, (double)((uint64_t)node->end - (uint64_t)start));
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

static void write_levels(const struct nodes *nodes, struct json_writer *json)
{
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
}

/* Those that can be read. */
static void api_nodes_write_hosts(const struct nodes *nodes, struct json_writer *json)
{
	json_text_member(json, "host", nodes->host);
	json_begin_array_member(json, "hosts");
	for (size_t i = 0; i < nodes->dataset->host_count; i++)
		if (nodes->dataset->hosts[i].own != NULL)
			json_put_text(json, nodes->dataset->hosts[i].name);
	json_end(json);
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
	if (nodes->host != NULL)
		api_nodes_write_hosts(nodes, json);
	write_levels(nodes, json);
	json_end(json);
}

static enum histree_status nodes_next(void *state, struct json_writer *json, struct histree_error *error)
{
	struct nodes *nodes = state;
	uint32_t left = nodes->count - nodes->next, count = left < NODES_PER_STEP ? left : NODES_PER_STEP;
	char *room = piece_room(json->piece, (size_t)count * NODE_SIZE);
	if (room == NULL)
		return error_memory(error, "nodes");
	for (uint32_t i = 0; i < count; i++)
		put_node((uint8_t *)room + (size_t)i * NODE_SIZE, &nodes->nodes[nodes->next + i],
			 nodes->info->start);
	json->piece->size += (size_t)count * NODE_SIZE;
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

/* The analysis that is named, or the first, of the host that is named, or the first one that has it. */
static struct histree_history *look_for_history(const struct dataset *dataset, const char *analysis,
						const char *name, const char **host)
{
	struct histree_history *found = NULL;
	analysis = *analysis != '\0' ? analysis : dataset->analyses[0];
	*host = NULL;
	if (dataset->host_count == 0)
		return dataset_history(dataset, analysis);
	for (size_t i = 0; i < dataset->host_count && found == NULL; i++) {
		const struct dataset_host *one = &dataset->hosts[i];
		if (one->own == NULL || (*name != '\0' && strcmp(one->name, name) != 0))
			continue;
		found = dataset_history(one->own, analysis);
		*host = one->name;
	}
	return found;
}

/* Returns false if it has answered. */
static bool find_history(const struct call *call, struct nodes *nodes, struct histree_history **out)
{
	*out = nodes->dataset->history_count > 0 ? look_for_history(nodes->dataset, page_text(call, "analysis"),
								    page_text(call, "host"), &nodes->host)
						 : NULL;
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
	piece_put(&call->reply->piece, "HTN1", 4);
	piece_put(&call->reply->piece, count, sizeof(count));
	reply_steps(call->reply, &(struct reply_steps){ nodes_next, nodes_release, nodes });
}
