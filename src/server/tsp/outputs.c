// SPDX-License-Identifier: MIT
/*
 * outputs.c - the outputs of an experiment, and the dispatch of endpoints to their functions.
 *
 * Clients make outputs of others: the critical paths of the threads that they chose.  An output of a thread answers
 * without being made.  That a client made it only means that it is listed, until it is deleted, or the server ends.
 */
#include "server/tsp/outputs.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "histree/attributes.h"
#include "server/catalogue/catalogue.h"
#include "server/catalogue/dataset.h"
#include "server/http/http.h"
#include "server/model/chart_set.h"
#include "server/model/path_list.h"

/* ---- derived ------------------------------------------------------------------------------------------------- */

enum { DERIVED_MAX = 64 };

struct derived {
	pthread_mutex_t lock; /* guards what follows */
	char *parts[DERIVED_MAX];
	size_t count;
};

static enum histree_status derived_make(struct dataset *dataset, void **view, struct histree_error *error)
{
	(void)dataset;
	struct derived *derived = calloc(1, sizeof(*derived));
	if (derived == NULL)
		return error_memory(error, "the outputs");
	pthread_mutex_init(&derived->lock, NULL);
	*view = derived;
	return HISTREE_OK;
}

static void derived_free(void *view)
{
	struct derived *derived = view;
	for (size_t i = 0; i < derived->count; i++)
		free(derived->parts[i]);
	pthread_mutex_destroy(&derived->lock);
	free(derived);
}

static const struct view_kind derived_kind = { NULL, derived_make, derived_free };

/* Hands out the list, locked.  Fails if the dataset is not ready, or memory runs out. */
static enum histree_status derived_enter(struct dataset *dataset, struct derived **out, struct histree_error *error)
{
	void *view;
	if (dataset_status(dataset) != DATASET_READY)
		return error_set(error, HISTREE_ERR_ARGUMENT, "the trace has not been read yet");
	enum histree_status status = dataset_view(dataset, &derived_kind, &view, error);
	if (status != HISTREE_OK)
		return status;
	*out = view;
	pthread_mutex_lock(&(*out)->lock);
	return HISTREE_OK;
}

static size_t derived_find(const struct derived *derived, const char *part)
{
	size_t i = 0;
	while (i < derived->count && strcmp(derived->parts[i], part) != 0)
		i++;
	return i;
}

/* Adds the one of a part, TID or HOST/TID, unless it is there. */
static enum histree_status derived_add(struct dataset *dataset, const char *part, struct histree_error *error)
{
	struct derived *derived = NULL;
	enum histree_status status = derived_enter(dataset, &derived, error);
	if (status != HISTREE_OK)
		return status;
	if (derived_find(derived, part) == derived->count) {
		char *own = derived->count < DERIVED_MAX ? strdup(part) : NULL;
		if (own != NULL)
			derived->parts[derived->count++] = own;
		else if (derived->count < DERIVED_MAX)
			status = error_memory(error, "an output");
		else
			status = error_set(error, HISTREE_ERR_ARGUMENT,
					   "there are %d outputs of threads already: delete one", DERIVED_MAX);
	}
	pthread_mutex_unlock(&derived->lock);
	return status;
}

/* Returns false if there is none. */
static bool derived_remove(struct dataset *dataset, const char *part)
{
	struct derived *derived = NULL;
	if (derived_enter(dataset, &derived, NULL) != HISTREE_OK)
		return false;
	const size_t at = derived_find(derived, part);
	const bool is_there = at < derived->count;
	if (is_there) {
		free(derived->parts[at]);
		memmove(derived->parts + at, derived->parts + at + 1,
			(derived->count - at - 1) * sizeof(*derived->parts));
		derived->count--;
	}
	pthread_mutex_unlock(&derived->lock);
	return is_there;
}

/* Visits the part of each. */
static void derived_each(struct dataset *dataset, void (*visit)(void *context, const char *part), void *context)
{
	struct derived *derived = NULL;
	if (derived_enter(dataset, &derived, NULL) != HISTREE_OK)
		return;
	for (size_t i = 0; i < derived->count; i++)
		visit(context, derived->parts[i]);
	pthread_mutex_unlock(&derived->lock);
}

/* ---- outputs ------------------------------------------------------------------------------------------------- */

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

static const char *output_type_name(enum output_type type)
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

/*
 * Returns the analysis in the id of an output for each segment store, which follows the colon, by our name of it,
 * or the thread of one that is for a thread, or the name of a chart; NULL for others.
 */
static const char *output_analysis(const struct output *output, const char *id)
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

/*
 * One of the analyses whose segments the store has; as long as there is no store, of all.  Returns false behind the
 * last, *out is NULL for one that makes no segments.
 */
static bool analysis_at(const struct dataset *dataset, size_t index, const char **out)
{
	struct histree_analysis_info info;
	if (dataset_status(dataset) == DATASET_READY) {
		*out = index < dataset->segments_count ? dataset->segments[index] : NULL;
		return *out != NULL;
	}
	const bool is_there = histree_analysis(index, &info);
	*out = is_there && info.makes_segments ? info.name : NULL;
	return is_there;
}

/* Returns the one that comes after a name, or first after NULL, by their names; NULL: there is no more. */
static const char *analysis_after(const struct dataset *dataset, const char *before)
{
	const char *next = NULL, *one;
	for (size_t i = 0; analysis_at(dataset, i, &one); i++)
		if (one != NULL && (before == NULL || strcmp(one, before) > 0) &&
		    (next == NULL || strcmp(one, next) < 0))
			next = one;
	return next;
}

static bool has_segments(const struct dataset *dataset, const char *analysis)
{
	const char *one;
	for (size_t i = 0; analysis_at(dataset, i, &one); i++)
		if (one != NULL && strcmp(one, analysis) == 0)
			return true;
	return false;
}

static bool applies(const struct output *output, const struct dataset *dataset)
{
	return output->applies != NULL ? output->applies(dataset) : output->view->applies(dataset);
}

const struct output *output_find(const struct dataset *dataset, const char *id)
{
	bool is_ready = dataset_status(dataset) == DATASET_READY;
	for (size_t i = 0; outputs[i] != NULL; i++) {
		const struct output *output = outputs[i];
		size_t size = strlen(output->id);
		bool has_more = strncmp(id, output->id, size) == 0 && id[size] == ':';
		if (!(output->is_per_segments || output->is_per_chart
			      ? has_more
			      : (output->is_per_thread && has_more) || strcmp(id, output->id) == 0))
			continue;
		bool is_there = output->is_per_chart
					? is_ready && chart_set_named(dataset, output->chart_kind,
								      output_analysis(output, id)) != NULL
				: output->is_per_segments ? has_segments(dataset, output_analysis(output, id))
							  : !is_ready || applies(output, dataset);
		return is_there ? output : NULL;
	}
	return NULL;
}

/* ---- lists ----------------------------------------------------------------------------------------------- */

/* Of the charts, or of the threads, of which there is an output each. */
struct part_visitor {
	const struct output *output;
	output_visit *visit;
	void *context;
};

static bool visit_chart(void *context, const struct histree_chart *chart)
{
	const struct part_visitor *visitor = context;
	visitor->visit(visitor->context, visitor->output, chart->name);
	return true;
}

static void visit_derived(void *context, const char *part)
{
	const struct part_visitor *visitor = context;
	visitor->visit(visitor->context, visitor->output, part);
}

static void output_each(struct dataset *dataset, output_visit *visit, void *context)
{
	bool is_ready = dataset_status(dataset) == DATASET_READY;
	size_t i = 0;
	while (outputs[i] != NULL) {
		if (outputs[i]->is_per_segments) {
			/* From outputs[first] on those for each segment store: all of one store together. */
			const char *analysis = NULL;
			size_t end = i;
			while (outputs[end] != NULL && outputs[end]->is_per_segments)
				end++;
			while ((analysis = analysis_after(dataset, analysis)) != NULL)
				for (size_t k = i; k < end; k++)
					visit(context, outputs[k], analysis);
			i = end;
			continue;
		}
		/* Which charts there are, the histories say. */
		if (outputs[i]->is_per_chart && is_ready)
			chart_set_each(dataset, outputs[i]->chart_kind, visit_chart,
				       &(struct part_visitor){ outputs[i], visit, context });
		else if (!outputs[i]->is_per_chart && (!is_ready || applies(outputs[i], dataset)))
			visit(context, outputs[i], NULL);
		if (outputs[i]->is_per_thread)
			derived_each(dataset, visit_derived, &(struct part_visitor){ outputs[i], visit, context });
		i++;
	}
}

/* ---- descriptions --------------------------------------------------------------------------------------- */

bool tsp_dataset(struct call *call)
{
	call->dataset = catalogue_dataset(call->service->catalogue, call->captured[0]);
	reply_hold(call->reply, call->dataset);
	if (call->dataset == NULL)
		reply_error(call->reply, HTTP_NOT_FOUND, "there is no experiment '%s'", call->captured[0]);
	return call->dataset != NULL;
}

enum { ID_SIZE = 512 };

/* The type of the configurations by which an output of a thread is made. */
static const char thread_type[] = "histree.thread";

/* What clients are told of an output. */
struct descriptor {
	const struct output *output;
	const char *title; /* of a chart; else NULL: `name` counts */
	char id[ID_SIZE], name[ID_SIZE];
};

/*
 * Names an output.  One for each segment store has the id ID:system-calls and the name "Latencies of system
 * calls: table"; one for a thread ID:14753 and "Critical Path: 14753"; one for a chart ID:disk-bytes and the
 * title of the chart.
 */
static void descriptor_name(struct descriptor *out, const struct dataset *dataset, const struct output *output,
			    const char *analysis)
{
	*out = (struct descriptor){ .output = output };
	snprintf(out->id, sizeof(out->id), analysis != NULL ? "%s:%s" : "%s", output->id, analysis);
	if (analysis == NULL) {
		snprintf(out->name, sizeof(out->name), "%s", output->name);
	} else if (output->is_per_chart) {
		const struct histree_chart *chart = chart_set_named(dataset, output->chart_kind, analysis);
		out->title = chart != NULL ? chart->title : analysis;
	} else if (output->is_per_thread) {
		snprintf(out->name, sizeof(out->name), "%s: %s", output->name, analysis);
	} else {
		size_t begin = sizeof("Latencies of ") - 1;
		snprintf(out->name, sizeof(out->name), "Latencies of %s: %s", analysis, output->name);
		for (size_t i = begin; i < begin + strlen(analysis) && out->name[i] != '\0'; i++)
			out->name[i] = out->name[i] == '-' ? ' ' : out->name[i];
	}
}

static const char *shown_name(const struct descriptor *descriptor)
{
	return descriptor->title != NULL ? descriptor->title : descriptor->name;
}

/* By which viewers make an output of another one, and delete it again. */
static void write_derivation(const struct descriptor *descriptor, struct json_writer *json)
{
	const bool is_made = descriptor->id[strlen(descriptor->output->id)] == ':';
	json_begin_object_member(json, "capabilities");
	json_bool_member(json, "canCreate", !is_made);
	json_bool_member(json, "canDelete", is_made);
	json_end(json);
	if (!is_made)
		return;
	json_text_member(json, "parentId", descriptor->output->id);
	json_begin_object_member(json, "configuration");
	json_text_member(json, "id", descriptor->id);
	json_text_member(json, "name", descriptor->name);
	json_text_member(json, "sourceTypeId", thread_type);
	json_begin_object_member(json, "parameters");
	json_text_member(json, "thread", descriptor->id + strlen(descriptor->output->id) + 1);
	json_end(json);
	json_end(json);
}

static void descriptor_write(const struct descriptor *descriptor, struct json_writer *json)
{
	json_begin_object(json);
	json_text_member(json, "id", descriptor->id);
	json_text_member(json, "name", shown_name(descriptor));
	json_text_member(json, "description", descriptor->output->description);
	json_text_member(json, "type", output_type_name(descriptor->output->type));
	if (descriptor->output->is_per_thread)
		write_derivation(descriptor, json);
	json_end(json);
}

struct descriptors {
	const struct dataset *dataset;
	struct descriptor *all; /* NULL: they are only counted */
	size_t count, room;
};

static void descriptor_add(void *context, const struct output *output, const char *analysis)
{
	struct descriptors *list = context;
	if (list->all != NULL && list->count < list->room)
		descriptor_name(&list->all[list->count], list->dataset, output, analysis);
	list->count++;
}

COMPARE(compare_descriptors, struct descriptor, BY_ORDER(strcmp(shown_name(a), shown_name(b))) BY_TEXT(id))

/* By name.  While a store is being built it is not known which apply, and clients ask only once. */
void tsp_outputs(struct call *call)
{
	if (!tsp_dataset(call))
		return;
	struct descriptors list = { .dataset = call->dataset };
	output_each(call->dataset, descriptor_add, &list);
	/* A build that ends between the two looks can add charts, which the next request tells. */
	list.room = list.count;
	list.all = reply_memory(call->reply, list.room + 1, sizeof(*list.all));
	if (list.all == NULL)
		return;
	list.count = 0;
	output_each(call->dataset, descriptor_add, &list);
	list.count = list.count < list.room ? list.count : list.room;
	qsort(list.all, list.count, sizeof(*list.all), compare_descriptors);
	json_begin_array(call->json);
	for (size_t i = 0; i < list.count; i++)
		descriptor_write(&list.all[i], call->json);
	json_end(call->json);
}

static void reply_descriptor(struct call *call, const struct output *output, const char *part)
{
	struct descriptor descriptor;
	descriptor_name(&descriptor, call->dataset, output, part);
	descriptor_write(&descriptor, call->json);
}

/* Returns false if it has answered that there is no experiment; *out is NULL if there is no output. */
static bool find_output(struct call *call, const struct output **out)
{
	*out = tsp_dataset(call) ? output_find(call->dataset, call->captured[1]) : NULL;
	if (*out != NULL)
		call->part = output_analysis(*out, call->captured[1]);
	return call->dataset != NULL;
}

void tsp_output(struct call *call)
{
	const struct output *output;
	if (!find_output(call, &output))
		return;
	if (output != NULL)
		reply_descriptor(call, output, call->part);
	else
		reply_error(call->reply, HTTP_NOT_FOUND, "there is no output '%s'", call->captured[1]);
}

void tsp_no_configuration(struct call *call)
{
	reply_error(call->reply, HTTP_NOT_FOUND, "there is no such configuration");
}

/* Viewers make outputs of others by their parameters: of that for any thread, the one of a thread. */
void tsp_derive_output(struct call *call)
{
	char number[24];
	const struct output *output;
	if (!find_output(call, &output))
		return;
	const json_t *thread = json_object_get(call->parameters, "thread");
	if (json_is_integer(thread))
		snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(thread));
	const char *text = json_is_integer(thread) ? number : json_string_value(thread);
	const char *type = json_string_value(json_object_get(call->body, "sourceTypeId"));
	struct path_place place;
	if (output == NULL || !output->is_per_thread || (type != NULL && strcmp(type, thread_type) != 0))
		tsp_no_configuration(call);
	else if (text == NULL || *text == '\0')
		reply_error(call->reply, HTTP_BAD_REQUEST, "missing query parameters: thread");
	else if (dataset_status(call->dataset) == DATASET_READY && !path_list_thread(call->dataset, text, &place))
		reply_error(call->reply, HTTP_BAD_REQUEST, "The graph has no thread '%s'", text);
	else if (reply_ok(call->reply, derived_add(call->dataset, text, &call->reply->error)))
		reply_descriptor(call, output, text);
}

/* By the whole id of what was made. */
void tsp_delete_output(struct call *call)
{
	if (!tsp_dataset(call))
		return;
	const struct output *output = output_find(call->dataset, call->captured[2]);
	const char *part =
		output != NULL && output->is_per_thread ? output_analysis(output, call->captured[2]) : NULL;
	if (part != NULL && derived_remove(call->dataset, part))
		reply_descriptor(call, output, part);
	else
		tsp_no_configuration(call);
}

/* What is to be said of the configuration of an output of a thread. */
static void write_thread_type(struct json_writer *json)
{
	static const char schema[] =
		"{\"type\":\"object\",\"properties\":{\"thread\":{\"type\":\"string\",\"description\":"
		"\"the thread: TID, or HOST/TID\"}},\"required\":[\"thread\"]}";
	json_begin_object(json);
	json_text_member(json, "id", thread_type);
	json_text_member(json, "name", "Thread");
	json_text_member(json, "description", "The thread whose path is shown: TID, or HOST/TID");
	json_key(json, "schema");
	json_put_raw(json, schema, sizeof(schema) - 1);
	json_end(json);
}

void tsp_configuration_types(struct call *call)
{
	const struct output *output;
	if (!find_output(call, &output))
		return;
	json_begin_array(call->json);
	if (output != NULL && output->is_per_thread && call->part == NULL)
		write_thread_type(call->json);
	json_end(call->json);
}

void tsp_configuration_type(struct call *call)
{
	const struct output *output;
	if (!find_output(call, &output))
		return;
	if (output != NULL && output->is_per_thread && strcmp(call->captured[2], thread_type) == 0)
		write_thread_type(call->json);
	else
		tsp_no_configuration(call);
}

void tsp_marker_sets(struct call *call)
{
	if (!tsp_dataset(call))
		return;
	reply_envelope(call->reply);
	json_begin_array(call->json);
	json_end(call->json);
}

/* ---- models -------------------------------------------------------------------------------------------- */

/*
 * What an endpoint answers when the output has nothing to say or is not ready.  Viewers fail at a model of NULL
 * where they expect an object, so each endpoint has its own nothing.
 */
struct data_endpoint {
	const char *nothing;
	bool is_required; /* an output without the function does not answer here at all */
};

static void reply_nothing(struct call *call, const struct data_endpoint *endpoint)
{
	reply_envelope(call->reply);
	json_put_raw(call->json, endpoint->nothing, strlen(endpoint->nothing));
}

static void serve(struct call *call, endpoint_function *(*pick)(const struct output *output),
		  const struct data_endpoint *endpoint)
{
	const struct output *output;
	if (!find_output(call, &output))
		return;
	endpoint_function *function = output != NULL ? pick(output) : NULL;
	if (output == NULL || (function == NULL && endpoint->is_required)) {
		reply_error(call->reply, HTTP_NOT_ALLOWED, "no output '%s' of this kind", call->captured[1]);
	} else if (dataset_status(call->dataset) != DATASET_READY) {
		/* A tree is asked for again until it is complete; everything else follows the tree. */
		const enum dataset_status status = dataset_status(call->dataset);
		if (status == DATASET_RUNNING && strcmp(endpoint->nothing, "null") != 0)
			reply_nothing(call, endpoint);
		else if (status == DATASET_RUNNING)
			reply_envelope_only(call->reply, "RUNNING", "The trace is being read");
		else
			reply_envelope_only(call->reply, status == DATASET_CANCELLED ? "CANCELLED" : "FAILED",
					    call->dataset->error.message);
	} else if (function == NULL) {
		reply_nothing(call, endpoint);
	} else if (output->view == NULL || reply_ok(call->reply, dataset_view(call->dataset, output->view,
									      &call->view, &call->reply->error))) {
		function(call);
	}
}

#define DATA_ENDPOINT(endpoint_name, member, nothing_text, required)                           \
	static endpoint_function *pick_##member(const struct output *output)                   \
	{                                                                                      \
		return output->member;                                                         \
	}                                                                                      \
	void endpoint_name(struct call *call)                                                  \
	{                                                                                      \
		serve(call, pick_##member, &(struct data_endpoint){ nothing_text, required }); \
	}
DATA_ENDPOINT(tsp_tree, tree, "null", true)
DATA_ENDPOINT(tsp_states, states, "{\"rows\":[]}", true)
DATA_ENDPOINT(tsp_arrows, arrows, "[]", false)
DATA_ENDPOINT(tsp_tooltip, tooltip, "{}", false)
DATA_ENDPOINT(tsp_xy, xy, "{\"title\":\"\",\"series\":[]}", true)
DATA_ENDPOINT(tsp_columns, columns, "[]", true)
DATA_ENDPOINT(tsp_lines, lines, "{\"size\":0,\"lowIndex\":0,\"columnIds\":[],\"lines\":[]}", true)
DATA_ENDPOINT(tsp_style, style, "{\"styles\":{}}", false)
