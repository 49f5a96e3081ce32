// SPDX-License-Identifier: MIT
/*
 * tsp_traces.c - traces, experiments, bookmarks and annotations of the protocol; GET /health and /identifier.
 *
 * Annotations are the bands of lost events.  They cover the charts of all outputs, so their endpoints use the
 * dataset and not the output.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "server/catalogue/bookmarks.h"
#include "server/catalogue/catalogue.h"
#include "server/model/event_list.h"
#include "server/tsp/outputs.h"
#include "server/tsp/parameters.h"

/* ---- tsp annotations ----------------------------------------------------------------------------------------- */

#define LOST_EVENTS "Lost Events"
static bool has_gaps(const struct dataset *dataset)
{
	size_t count = 0;
	if (dataset_status(dataset) == DATASET_READY && dataset->trace_events != NULL)
		histree_events_gaps(dataset->trace_events, &count);
	return count > 0;
}

/* Returns false if it has answered that there is no such experiment or output. */
static bool find_annotated(struct call *call)
{
	if (!tsp_dataset(call))
		return false;
	if (output_find(call->dataset, call->captured[1]) != NULL)
		return true;
	return reply_error(call->reply, HTTP_NOT_ALLOWED, "no output '%s'", call->captured[1]);
}

/* Marker sets choose categories that an installation defines; there are none, and this one belongs to no set. */
void tsp_annotation_categories(struct call *call)
{
	if (!find_annotated(call))
		return;
	reply_envelope(call->reply);
	json_begin_object(call->json);
	json_begin_array_member(call->json, "annotationCategories");
	if (has_gaps(call->dataset))
		json_put_text(call->json, LOST_EVENTS);
	json_end(call->json);
	json_end(call->json);
}

/* Without a list all categories are. */
static bool is_requested(const struct call *call, const char *category)
{
	const json_t *list = json_object_get(call->parameters, "requested_marker_categories");
	if (!json_is_array(list))
		return true;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *name = json_string_value(json_array_get(list, i));
		if (name != NULL && strcmp(name, category) == 0)
			return true;
	}
	return false;
}

static void write_band(void *context, const struct gap_band *band)
{
	struct json_writer *json = context;
	struct byte_buffer text = { 0 };
	gap_band_text(band, &text);
	json_begin_object(json);
	json_int_member(json, "time", band->from);
	json_int_member(json, "duration", band->to - band->from + 1);
	json_int_member(json, "entryId", -1);
	json_text_member(json, "type", "CHART");
	json_string_member(json, "label", byte_buffer_chars(&text), text.size);
	json_begin_object_member(json, "style");
	json_begin_object_member(json, "values");
	json_text_member(json, "color", "#FF0000");
	json_text_member(json, "background-color", "#FF0000");
	json_real_member(json, "opacity", 0.2);
	json_end(json);
	json_end(json);
	json_end(json);
	byte_buffer_release(&text);
}

void tsp_annotations(struct call *call)
{
	struct parameter_times times;
	if (!find_annotated(call) || !parameters_times(call, &times))
		return;
	reply_envelope(call->reply);
	json_begin_object(call->json);
	json_begin_object_member(call->json, "annotations");
	if (has_gaps(call->dataset) && is_requested(call, LOST_EVENTS)) {
		json_begin_array_member(call->json, LOST_EVENTS);
		gap_bands_each(call->dataset, times.start, times.end, parameter_times_pixels(&times), write_band,
			       call->json);
		json_end(call->json);
	}
	json_end(call->json);
	json_end(call->json);
}

/* ---- tsp bookmarks ------------------------------------------------------------------------------------------- */

static void reply_status(struct call *call, enum histree_status status)
{
	if (status == HISTREE_NOT_FOUND)
		reply_error(call->reply, HTTP_NOT_FOUND, "there is no bookmark '%s'", call->captured[1]);
	else if (status == HISTREE_ERR_TOO_LARGE)
		reply_error(call->reply, HTTP_BAD_REQUEST, "%s", call->reply->error.message);
	else
		reply_ok(call->reply, status);
}

/* Reads what a request says of a bookmark of an experiment that exists; false if it has answered instead. */
static bool read_bookmark(struct call *call, const char **name, histree_time *start, histree_time *end)
{
	if (!tsp_dataset(call))
		return false;
	*name = parameters_text(call, "name");
	if (*name != NULL && parameters_int(call, "start", start) && parameters_int(call, "end", end))
		return true;
	return reply_error(call->reply, HTTP_BAD_REQUEST, "missing query parameters: name, start, end");
}

void tsp_bookmarks(struct call *call)
{
	if (!tsp_dataset(call))
		return;
	json_begin_array(call->json);
	bookmarks_each(call->service->bookmarks, call->captured[0], bookmark_write_json, call->json);
	json_end(call->json);
}

void tsp_add_bookmark(struct call *call)
{
	const char *name;
	histree_time start, end;
	if (read_bookmark(call, &name, &start, &end))
		reply_status(call, bookmarks_add(call->service->bookmarks, call->captured[0], name, start, end,
						 bookmark_write_json, call->json, &call->reply->error));
}

void tsp_bookmark(struct call *call)
{
	if (tsp_dataset(call))
		reply_status(call, bookmarks_find(call->service->bookmarks, call->captured[0], call->captured[1],
						  bookmark_write_json, call->json));
}

void tsp_change_bookmark(struct call *call)
{
	const char *name;
	histree_time start, end;
	if (read_bookmark(call, &name, &start, &end))
		reply_status(call,
			     bookmarks_change(call->service->bookmarks, call->captured[0], call->captured[1], name,
					      start, end, bookmark_write_json, call->json, &call->reply->error));
}

void tsp_remove_bookmark(struct call *call)
{
	if (tsp_dataset(call))
		reply_status(call, bookmarks_remove(call->service->bookmarks, call->captured[0], call->captured[1],
						    bookmark_write_json, call->json, &call->reply->error));
}

/* ---- tsp diagnostic ------------------------------------------------------------------------------------------ */

void tsp_health(struct call *call)
{
	json_begin_object(call->json);
	json_text_member(call->json, "status", "UP");
	json_end(call->json);
}

void tsp_identifier(struct call *call)
{
	struct json_writer *json = call->json;
	struct utsname machine = { .sysname = "unknown", .machine = "unknown", .release = "unknown" };
	uname(&machine);
	json_begin_object(json);
	json_text_member(json, "version", histree_version());
	json_text_member(json, "os", machine.sysname);
	json_text_member(json, "osArch", machine.machine);
	json_text_member(json, "osVersion", machine.release);
	json_int_member(json, "cpuCount", sysconf(_SC_NPROCESSORS_ONLN));
	json_int_member(json, "maxMemory", (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
	json_text_member(json, "productId", "histree");
	json_text_member(json, "tspVersion", "0.6.0");
	json_end(json);
}

/* ---- tsp traces ---------------------------------------------------------------------------------------------- */

/* ---- what they look like ----------------------------------------------------------------------------- */

static void write_progress(struct json_writer *json, const struct dataset *dataset)
{
	char share[16] = "waiting";
	uint64_t total = dataset->bytes_total, done = dataset->bytes_done;
	if (total > 0)
		snprintf(share, sizeof(share), "%" PRIu64 " %%", done / (total / 100 + 1));
	json_text_member(json, "progress", share);
}

static void write_facts(struct json_writer *json, const struct histree_store_info *info)
{
	char number[24];
	json_text_member(json, "store", info->path);
	json_text_member(json, "made by", info->made_by);
	if (info->discarded_events > 0) {
		snprintf(number, sizeof(number), "%" PRIu64, info->discarded_events);
		json_text_member(json, "discarded events", number);
	}
	if (info->warning_count > 0)
		json_text_member(json, "warning", info->warnings[0]);
}

/* The members that traces and experiments share. */
static void write_state(struct json_writer *json, const struct dataset *dataset)
{
	enum dataset_status status = dataset_status(dataset);
	const struct histree_store_info *info = status == DATASET_READY ? histree_store_info(dataset->store) : NULL;
	json_int_member(json, "nbEvents", info != NULL ? (int64_t)info->event_count : (int64_t)dataset->events);
	json_int_member(json, "start", info != NULL ? info->start : 0);
	json_int_member(json, "end", info != NULL ? info->end : 0);
	json_text_member(json, "indexingStatus",
			 status == DATASET_READY     ? "COMPLETED"
			 : status == DATASET_RUNNING ? "RUNNING"
						     : "CLOSED");
}

static void write_trace(void *context, const struct catalogue *catalogue, const struct catalogue_entry *trace)
{
	(void)catalogue;
	struct json_writer *json = context;
	json_begin_object(json);
	json_text_member(json, "name", trace->name);
	json_text_member(json, "path", trace->path);
	json_text_member(json, "UUID", trace->uuid);
	write_state(json, trace->dataset);
	json_begin_object_member(json, "properties");
	switch (dataset_status(trace->dataset)) {
	case DATASET_READY:
		write_facts(json, histree_store_info(trace->dataset->store));
		break;
	case DATASET_RUNNING:
		write_progress(json, trace->dataset);
		break;
	case DATASET_FAILED:
	case DATASET_CANCELLED:
		json_text_member(json, "error", trace->dataset->error.message);
		break;
	}
	json_end(json);
	json_end(json);
}

static void write_experiment(void *context, const struct catalogue *catalogue,
			     const struct catalogue_entry *experiment)
{
	struct json_writer *json = context;
	json_begin_object(json);
	json_text_member(json, "name", experiment->name);
	json_text_member(json, "UUID", experiment->uuid);
	write_state(json, experiment->dataset);
	json_begin_array_member(json, "traces");
	for (size_t i = 0; i < experiment->trace_uuid_count; i++) {
		const struct catalogue_entry *trace =
			catalogue_locked(catalogue, CATALOGUE_TRACES, experiment->trace_uuids[i]);
		if (trace != NULL)
			write_trace(json, catalogue, trace);
	}
	json_end(json);
	json_end(json);
}

static catalogue_visit *const writers[CATALOGUE_KIND_COUNT] = { write_trace, write_experiment };

static const char *const kind_names[CATALOGUE_KIND_COUNT] = { "trace", "experiment" };

/* ---- list, look at, forget ----------------------------------------------------------------------------- */

static void list(struct call *call, enum catalogue_kind kind)
{
	json_begin_array(call->json);
	catalogue_each(call->service->catalogue, kind, writers[kind], call->json);
	json_end(call->json);
}

static void unknown(struct call *call, enum catalogue_kind kind)
{
	reply_error(call->reply, HTTP_NOT_FOUND, "there is no %s '%s'", kind_names[kind], call->captured[0]);
}

static void look(struct call *call, enum catalogue_kind kind)
{
	if (!catalogue_find(call->service->catalogue, kind, call->captured[0], writers[kind], call->json))
		unknown(call, kind);
}

/* The writer of a visitor that does not know yet whether its entry is the answer, or in the way of it. */
struct visit {
	struct json_writer json;
	struct byte_buffer text;
	catalogue_visit *write;
};

static void write_apart(void *context, const struct catalogue *catalogue, const struct catalogue_entry *entry)
{
	struct visit *visit = context;
	visit->json = (struct json_writer){ .out = &visit->text };
	visit->write(&visit->json, catalogue, entry);
}

/* What is in the way goes with the error, as a member named for its kind. */
static void reply_conflict(struct call *call, enum catalogue_kind kind, const struct visit *visit,
			   const char *title)
{
	struct json_writer *json = call->json;
	call->reply->status = HTTP_CONFLICT;
	json_begin_object(json);
	json_text_member(json, "title", title);
	json_key(json, kind_names[kind]);
	json_put_raw(json, byte_buffer_chars(&visit->text), visit->text.size);
	json_end(json);
}

/* The entry, or why it is missing. */
static void reply_result(struct call *call, enum catalogue_kind kind, enum catalogue_result result,
			 const struct visit *visit)
{
	struct reply *reply = call->reply;
	switch (result) {
	case CATALOGUE_OK:
		json_put_raw(&reply->json, byte_buffer_chars(&visit->text), visit->text.size);
		break;
	case CATALOGUE_CLASH:
		reply_conflict(call, kind, visit, "The name is taken by something else");
		break;
	case CATALOGUE_IN_USE:
		reply_conflict(call, kind, visit, "The trace belongs to an experiment; delete that first");
		break;
	case CATALOGUE_NO_PATH:
		reply_error(reply, HTTP_NOT_FOUND, "there is nothing at this path");
		break;
	case CATALOGUE_FORBIDDEN:
		reply_error(reply, HTTP_FORBIDDEN,
			    "this path is not below a folder that 'histree serve' was started with");
		break;
	case CATALOGUE_NO_TRACE:
		reply_error(reply, HTTP_NOT_ACCEPTABLE, "this is neither a CTF trace nor a store");
		break;
	case CATALOGUE_UNKNOWN:
		reply_error(reply, HTTP_NOT_FOUND, "there is no such trace");
		break;
	case CATALOGUE_FAILED:
		reply_failure(reply);
		break;
	}
}

static void forget(struct call *call, enum catalogue_kind kind)
{
	struct visit visit = { .write = writers[kind] };
	enum catalogue_result result =
		catalogue_remove(call->service->catalogue, kind, call->captured[0], write_apart, &visit);
	if (result == CATALOGUE_UNKNOWN)
		unknown(call, kind);
	else
		reply_result(call, kind, result, &visit);
	byte_buffer_release(&visit.text);
}

void tsp_traces(struct call *call)
{
	list(call, CATALOGUE_TRACES);
}

void tsp_experiments(struct call *call)
{
	list(call, CATALOGUE_EXPERIMENTS);
}

void tsp_trace(struct call *call)
{
	look(call, CATALOGUE_TRACES);
}

void tsp_experiment(struct call *call)
{
	look(call, CATALOGUE_EXPERIMENTS);
}

void tsp_delete_trace(struct call *call)
{
	forget(call, CATALOGUE_TRACES);
}

void tsp_delete_experiment(struct call *call)
{
	forget(call, CATALOGUE_EXPERIMENTS);
}

/* ---- open ---------------------------------------------------------------------------------------------- */

void tsp_open_trace(struct call *call)
{
	const char *path = parameters_text(call, "uri");
	if (path == NULL || *path == '\0') {
		reply_error(call->reply, HTTP_BAD_REQUEST, "missing query parameters: uri");
		return;
	}
	struct visit visit = { .write = write_trace };
	enum catalogue_result result = catalogue_add_trace(call->service->catalogue, parameters_text(call, "name"),
							   path, write_apart, &visit, &call->reply->error);
	reply_result(call, CATALOGUE_TRACES, result, &visit);
	byte_buffer_release(&visit.text);
}

void tsp_open_experiment(struct call *call)
{
	const char *name = parameters_text(call, "name");
	const json_t *list = json_object_get(call->parameters, "traces");
	const char *uuids[CATALOGUE_TRACES_MAX];
	size_t count = json_array_size(list);
	if (name == NULL || *name == '\0' || count == 0 || count > CATALOGUE_TRACES_MAX) {
		reply_error(call->reply, HTTP_BAD_REQUEST, "missing query parameters: name, traces");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const char *uuid = json_string_value(json_array_get(list, i));
		uuids[i] = uuid != NULL ? uuid : "";
	}
	struct visit visit = { .write = write_experiment };
	enum catalogue_result result = catalogue_add_experiment(call->service->catalogue, name, uuids, count,
								write_apart, &visit, &call->reply->error);
	reply_result(call, CATALOGUE_EXPERIMENTS, result, &visit);
	byte_buffer_release(&visit.text);
}
