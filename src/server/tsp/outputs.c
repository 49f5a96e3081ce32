// SPDX-License-Identifier: MIT
#include "server/tsp/output.h"

#include <stdlib.h>
#include <string.h>

#include "server/model/chart_set.h"
#include "server/model/segment_list.h"

enum { ANALYSES_MAX = 64 };

/* The outputs for each segment store are together, where their names belong. */
const struct output *const outputs[] = {
	&output_chart_lines,
	&output_cpu_usage,
	&output_call_stack,
	&output_control_flow,
	&output_critical_path,
	&output_events,
	&output_statistics,
	&output_flame_graph,
	&output_histogram,
	&output_segment_density,
	&output_segment_scatter,
	&output_segment_statistics,
	&output_segment_table,
	&output_resources,
	&output_state_system,
	&output_chart_states,
	NULL,
};

const char *output_type_name(enum output_type type)
{
	static const char *const names[] = { "TABLE",     "TREE_TIME_XY",    "TIME_GRAPH",
					     "DATA_TREE", "TREE_GENERIC_XY", "GANTT_CHART" };
	return names[type];
}

/* What Trace Compass calls some analyses of segments: scripts that were written for its server ask for them so. */
static const struct {
	const char *theirs, *ours;
} aliases[] = {
	{ "org.eclipse.linuxtools.lttng2.ust.analysis.callstack", "function-calls" },
	{ "org.eclipse.tracecompass.analysis.os.linux.latency.syscall", "system-calls" },
};

const char *output_analysis(const struct output *output, const char *id)
{
	if ((output->is_per_thread || output->is_per_chart) && id[strlen(output->id)] == ':')
		return id + strlen(output->id) + 1;
	if (!output->is_per_segments)
		return NULL;
	const char *analysis = id + strlen(output->id) + 1;
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcmp(analysis, aliases[i].theirs) == 0)
			return aliases[i].ours;
	return analysis;
}

static bool has_id(const struct output *output, const char *id)
{
	size_t size = strlen(output->id);
	bool has_more = strncmp(id, output->id, size) == 0 && id[size] == ':';
	return output->is_per_segments || output->is_per_chart
		       ? has_more
		       : (output->is_per_thread && has_more) || strcmp(id, output->id) == 0;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lists the analyses of the store; while there is none, all that make segments. */
static size_t list_analyses(const struct dataset *dataset, const char *analyses[ANALYSES_MAX])
{
	size_t count = 0;
	if (dataset_status(dataset) == DATASET_READY) {
		const struct histree_store_info *info = histree_store_info(dataset->store);
		while (count < info->segments_count && count < ANALYSES_MAX) {
			analyses[count] = info->segments[count].analysis;
			count++;
		}
	} else {
		struct histree_analysis_info info;
		for (size_t i = 0; histree_analysis(i, &info) && count < ANALYSES_MAX; i++)
			if (info.makes_segments)
				analyses[count++] = info.name;
	}
	qsort(analyses, count, sizeof(*analyses), compare_texts);
	return count;
}

static bool has_segments(const struct dataset *dataset, const char *analysis)
{
	const char *analyses[ANALYSES_MAX];
	size_t count = list_analyses(dataset, analyses);
	for (size_t i = 0; i < count; i++)
		if (strcmp(analyses[i], analysis) == 0)
			return true;
	return false;
}

const struct output *output_find(const struct dataset *dataset, const char *id)
{
	bool is_ready = dataset_status(dataset) == DATASET_READY;
	for (size_t i = 0; outputs[i] != NULL; i++) {
		const struct output *output = outputs[i];
		if (!has_id(output, id))
			continue;
		bool is_there = output->is_per_chart
					? is_ready && chart_set_named(dataset, output->chart_kind,
								      output_analysis(output, id)) != NULL
				: output->is_per_segments
					? has_segments(dataset, output_analysis(output, id))
					: dataset_status(dataset) != DATASET_READY || output->applies(dataset);
		return is_there ? output : NULL;
	}
	return NULL;
}

/* ---- lists ----------------------------------------------------------------------------------------------- */

/* From outputs[first] on those for each segment store: all of one store together.  Returns the index after them. */
static size_t visit_segments(const struct dataset *dataset, size_t first, output_visit *visit, void *context)
{
	const char *analyses[ANALYSES_MAX];
	size_t count = list_analyses(dataset, analyses), end = first;
	while (outputs[end] != NULL && outputs[end]->is_per_segments)
		end++;
	for (size_t i = 0; i < count; i++)
		for (size_t k = first; k < end; k++)
			visit(context, outputs[k], analyses[i]);
	return end;
}

struct chart_visitor {
	const struct output *output;
	output_visit *visit;
	void *context;
};

static bool visit_chart(void *context, const struct histree_chart *chart)
{
	const struct chart_visitor *visitor = context;
	visitor->visit(visitor->context, visitor->output, chart->name);
	return true;
}

void output_each(const struct dataset *dataset, output_visit *visit, void *context)
{
	bool is_ready = dataset_status(dataset) == DATASET_READY;
	size_t i = 0;
	while (outputs[i] != NULL) {
		if (outputs[i]->is_per_segments) {
			i = visit_segments(dataset, i, visit, context);
			continue;
		}
		/* Which charts there are, the histories say. */
		if (outputs[i]->is_per_chart && is_ready)
			chart_set_each(dataset, outputs[i]->chart_kind, visit_chart,
				       &(struct chart_visitor){ outputs[i], visit, context });
		else if (!outputs[i]->is_per_chart && (!is_ready || outputs[i]->applies(dataset)))
			visit(context, outputs[i], NULL);
		i++;
	}
}

bool output_segments(const struct output_call *output, struct segment_list **out)
{
	struct histree_error error = { 0 };
	if (segment_list_find(output->view, output->analysis, out, &error) == HISTREE_OK)
		return true;
	reply_failure(output->call->reply, &error);
	return false;
}

void output_segments_read(const struct output_call *output, const struct segment_list *list)
{
	if (histree_segment_store_met_damage(list->store))
		output->call->reply->notice =
			"segments are missing: the store is damaged; histree verify says where";
}
