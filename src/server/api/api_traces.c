// SPDX-License-Identifier: MIT
/*
 * api_traces.c - the open traces and their properties, for the page: views, the meaning of colours, bookmarks.
 */
#include <inttypes.h>
#include <math.h>
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
#include "server/model/host_rows.h"
#include "server/model/kernel_rows.h"
#include "server/model/path_list.h"

/* ---- api experiments ----------------------------------------------------------------------------------------- */

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

/* How the times of a host came to be those of the reference. */
static void write_clock(struct json_writer *json, const struct histree_store_info *info, size_t host)
{
	const struct histree_clock *clock = info->hosts[host].clock;
	json_begin_object_member(json, "clock");
	json_text_member(json, "quality", histree_clock_quality_name(clock->quality));
	json_int_member(json, "matches", (int64_t)clock->matches);
	if (clock->error < 0x1p62) /* else nothing bounds it */
		json_int_member(json, "error", (int64_t)ceil(clock->error));
	if (info->hosts[host].neighbour != host)
		json_text_member(json, "neighbour", info->hosts[info->hosts[host].neighbour].name);
	json_end(json);
}

static void write_host(struct json_writer *json, const struct dataset *dataset, size_t index)
{
	const struct histree_store_info *info = histree_store_info(dataset->store);
	const struct histree_store_host *host = &info->hosts[index];
	json_begin_object(json);
	json_text_member(json, "name", dataset->hosts[index].name);
	if (dataset->hosts[index].why != NULL)
		json_text_member(json, "why", dataset->hosts[index].why);
	json_int_member(json, "events", (int64_t)host->event_count);
	if (host->start <= host->end) {
		json_int_member(json, "from", host->start - info->start);
		json_int_member(json, "to", host->end - info->start);
	}
	if (host->clock != NULL)
		write_clock(json, info, index);
	json_end(json);
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
	json_bool_member(json, "hasStates", dataset->history_count > 0);
	json_bool_member(json, "hasEvents", dataset->trace_events != NULL);
	json_bool_member(json, "hasSegments", dataset->segments_count > 0);
	json_bool_member(json, "hasPaths", path_list_applies(dataset));
	json_bool_member(json, "hasThreads", dataset_history(dataset, "kernel") != NULL);
	json_text_member(json, "store", dataset->store_path);
	json_bool_member(json, "hasCharts",
			 kernel_view_applies(dataset) ||
				 chart_set_named(dataset, HISTREE_CHART_LINES, NULL) != NULL);
	json_bool_member(json, "hasStacks", flame_list_applies(dataset));
	if (dataset->host_count > 0) {
		json_begin_array_member(json, "hosts");
		for (size_t i = 0; i < dataset->host_count; i++)
			write_host(json, dataset, i);
		json_end(json);
	}
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
	if (status == DATASET_READY) {
		write_ready(json, entry->dataset);
	} else if (status == DATASET_RUNNING) {
		uint64_t total = entry->dataset->bytes_total;
		json_real_member(json, "progress",
				 total > 0 ? (double)entry->dataset->bytes_done / (double)total : 0);
		json_unsigned_member(json, "bytes", entry->dataset->bytes_done);
		json_unsigned_member(json, "bytesTotal", total);
		json_int_member(json, "events", (int64_t)entry->dataset->events);
		json_int_member(json, "elapsed", entry->dataset->elapsed_ns);
		json_begin_array_member(json, "traces");
		for (size_t i = 0; i < entry->trace_uuid_count; i++)
			json_put_text(json, entry->trace_uuids[i]);
		json_end(json);
	} else {
		json_text_member(json, "error", entry->dataset->error.message);
	}
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
