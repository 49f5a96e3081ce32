// SPDX-License-Identifier: MIT
/*
 * requests_source.c - files of spans of requests as sources: OTLP in JSON, a document or one a line, and in
 * messages of protocol buffers; JSON of Jaeger; JSON of Zipkin, version 2.
 *
 * A service is a process, or several if it runs in several instances.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "trace/formats.h"
#include "trace/requests/requests.h"
#include "trace/trace_bytes.h"
#include "trace/trace_source.h"

/* More is refused: what is read is all in memory, or in a file without a name. */
static const size_t document_max = (size_t)2 << 30;

struct requests_source {
	struct packed_source packed;
	struct requests requests;
};

/* ---- the file -------------------------------------------------------------------------------------------- */

static struct json_span without_mark(const uint8_t *at, const uint8_t *end, struct table_space *space)
{
	const bool has_mark = end - at >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0; /* of UTF-8 */
	return (struct json_span){ has_mark ? at + 3 : at, end, space };
}

static void note_faults(const struct requests *requests)
{
	struct trace_notes *notes = requests->packed->base.notes;
	const struct {
		uint64_t count;
		const char *what;
	} rows[] = {
		{ requests->without_time, "spans are left out that have no time, or none that can be" },
		{ requests->events_without_time, "events of spans are left out that have no time" },
		{ requests->without_end, "spans have no end, or one before they begin: they have no length" },
		{ requests->repeated, "spans are there once more, as an exporter that tries again writes them, and "
				      "count once" },
		{ requests->without_parent, "spans were caused by spans that are not in the file" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].count > 0)
			trace_notes_warn(notes, "%s: %s: %" PRIu64, requests->packed->base.path, rows[i].what,
					 rows[i].count);
}

static enum histree_status read_document(struct requests *requests, struct json_span document)
{
	enum histree_status status = HISTREE_OK;
	struct json_span rest = document, value;
	while (status == HISTREE_OK && json_span_next(&rest, &value))
		status = requests_read(requests, value);
	requests->is_damaged |= json_span_is_there(rest);
	if (status == HISTREE_OK && requests->is_out_of_memory)
		status = error_memory(requests->error, "the spans of requests");
	if (status == HISTREE_OK)
		status = requests_tree_make(requests);
	for (uint32_t i = 0; i < requests->service_keys.count && status == HISTREE_OK; i++)
		status = requests_name_service(requests, i);
	for (size_t i = 0; i < requests->count && status == HISTREE_OK; i++)
		status = requests_add(requests, requests->order[i].span);
	if (status == HISTREE_OK && requests->is_out_of_memory)
		status = error_memory(requests->error, "the spans of requests");
	return status;
}

static void release_tables(struct requests *requests)
{
	table_release(&requests->span_table, requests->spans);
	table_release(&requests->order_table, requests->order);
	table_release(&requests->written_table, requests->written);
	hash_index_release(&requests->index);
	intern_release(&requests->texts);
	intern_release(&requests->service_keys);
	intern_release(&requests->process_keys);
	free(requests->services);
	free(requests->process_services);
	for (size_t i = 0; i < sizeof(requests->scan) / sizeof(requests->scan[0]); i++)
		json_text_release(&requests->scan[i]);
	packed_parts_release(&requests->args);
	*requests = (struct requests){ 0 };
}

static enum histree_status read_file(struct packed_source *packed, struct histree_error *error)
{
	struct requests *requests = &((struct requests_source *)packed)->requests;
	struct trace_bytes *bytes = &packed->content;
	release_tables(requests);
	requests->packed = packed;
	requests->error = error;
	if (!packed_track_classes(packed, NULL, requests->classes, error))
		return error_memory(error, "the spans of requests");
	requests->span_table.space = requests->order_table.space = requests->written_table.space = &packed->tables;
	requests->span_table.is_random = true; /* a span is reached from those above and below it */
	enum histree_status status = packed_source_rewind(packed, error);
	bytes->table.space = &packed->tables;
	while (status == HISTREE_OK && (size_t)(bytes->end - bytes->at) <= document_max) {
		status = packed_source_look(packed, error);
		if (status == HISTREE_OK)
			status = trace_bytes_more(bytes, error);
	}
	if (status == HISTREE_OK)
		return error_set(error, HISTREE_ERR_TRACE, "has more than %zu MiB: cut it into several files",
				 document_max >> 20);
	if (status != HISTREE_END)
		return status;
	struct json_span document = without_mark(bytes->at, bytes->end, &packed->tables);
	if (requests_wire_look(bytes->at, (size_t)(bytes->end - bytes->at))) {
		if (!requests_wire_write(requests, bytes->at, (size_t)(bytes->end - bytes->at)))
			return error_memory(error, "the spans of requests");
		const uint8_t *written = (const uint8_t *)requests->written;
		document = (struct json_span){ written, written + requests->written_size, &packed->tables };
	}
	status = read_document(requests, document);
	if (status != HISTREE_OK)
		return status;
	note_faults(requests);
	if (!requests->is_damaged && !bytes->is_cut)
		return HISTREE_OK;
	packed->base.notes->report.damaged_streams++;
	trace_notes_warn(packed->base.notes, "%s: is cut, or damaged in some place: spans behind that are lost",
			 packed->base.path);
	return packed_source_lose_rest(packed, error);
}

static const struct packed_reader reader = { .read = read_file };

static bool begins(const void *bytes, size_t size)
{
	const uint8_t *at = bytes;
	return requests_wire_look(bytes, size) || requests_look(without_mark(at, at + size, NULL));
}

static enum histree_status scan(struct trace_source *base, struct histree_error *error)
{
	const enum histree_status status = packed_source_scan(base, &reader, TRACK_DOMAIN, "requests", error);
	base->trace.has_requests = true;
	return status;
}

static void release(struct trace_source *base)
{
	struct requests_source *source = (struct requests_source *)base;
	release_tables(&source->requests);
	packed_source_release(&source->packed);
}

const struct trace_format_kind requests_format = {
	.size = sizeof(struct requests_source),
	.reads = "spans of OpenTelemetry (OTLP), Jaeger, Zipkin",
	.name = "spans of OpenTelemetry, Jaeger or Zipkin",
	.begins = begins,
	.may_be_packed = true,
	.scan = scan,
	PACKED_SOURCE_KIND,
	.release = release,
};
