// SPDX-License-Identifier: MIT
/*
 * tsp_traces.c - traces and experiments: list, open, look at, forget.
 */
#include <inttypes.h>
#include <stdio.h>

#include "server/catalogue/service.h"
#include "server/tsp/parameters.h"
#include "server/tsp/tsp.h"

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

static void write_properties(struct json_writer *json, const struct dataset *dataset)
{
	json_key(json, "properties");
	json_begin_object(json);
	switch (dataset_status(dataset)) {
	case DATASET_READY:
		write_facts(json, histree_store_info(dataset->store));
		break;
	case DATASET_RUNNING:
		write_progress(json, dataset);
		break;
	case DATASET_FAILED:
	case DATASET_CANCELLED:
		json_text_member(json, "error", dataset->error.message);
		break;
	}
	json_end(json);
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
	write_properties(json, trace->dataset);
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
	json_key(json, "traces");
	json_begin_array(json);
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
	json_begin_array(&call->reply->json);
	catalogue_each(call->service->catalogue, kind, writers[kind], &call->reply->json);
	json_end(&call->reply->json);
}

static void unknown(struct call *call, enum catalogue_kind kind)
{
	reply_error(call->reply, HTTP_NOT_FOUND, "there is no %s '%s'", kind_names[kind], call->captured[0]);
}

static void look(struct call *call, enum catalogue_kind kind)
{
	if (!catalogue_find(call->service->catalogue, kind, call->captured[0], writers[kind], &call->reply->json))
		unknown(call, kind);
}

/* The writer of a visitor that does not know yet whether its entry is the answer, or in the way of it. */
struct visit {
	struct json_writer json;
	struct piece piece;
	catalogue_visit *write;
};

static void write_apart(void *context, const struct catalogue *catalogue, const struct catalogue_entry *entry)
{
	struct visit *visit = context;
	visit->json = (struct json_writer){ .piece = &visit->piece };
	visit->write(&visit->json, catalogue, entry);
}

/* What is in the way goes with the error, as a member named for its kind. */
static void reply_conflict(struct call *call, enum catalogue_kind kind, const struct visit *visit,
			   const char *title)
{
	struct json_writer *json = &call->reply->json;
	call->reply->status = HTTP_CONFLICT;
	json_begin_object(json);
	json_text_member(json, "title", title);
	json_key(json, kind_names[kind]);
	json_put_raw(json, visit->piece.bytes, visit->piece.size);
	json_end(json);
}

/* The entry, or why there is none. */
static void reply_result(struct call *call, enum catalogue_kind kind, enum catalogue_result result,
			 const struct visit *visit, const struct histree_error *error)
{
	struct reply *reply = call->reply;
	switch (result) {
	case CATALOGUE_OK:
		json_put_raw(&reply->json, visit->piece.bytes, visit->piece.size);
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
		reply_failure(reply, error);
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
		reply_result(call, kind, result, &visit, NULL);
	piece_release(&visit.piece);
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
	struct histree_error error = { 0 };
	enum catalogue_result result = catalogue_add_trace(call->service->catalogue, parameters_text(call, "name"),
							   path, write_apart, &visit, &error);
	reply_result(call, CATALOGUE_TRACES, result, &visit, &error);
	piece_release(&visit.piece);
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
	struct histree_error error = { 0 };
	enum catalogue_result result =
		catalogue_add_experiment(call->service->catalogue, name, uuids, count, write_apart, &visit, &error);
	reply_result(call, CATALOGUE_EXPERIMENTS, result, &visit, &error);
	piece_release(&visit.piece);
}
