// SPDX-License-Identifier: MIT
/*
 * xml_source.c - traces in XML, the format in which Trace Compass keeps traces for tests of its XML analyses.
 */
#include "trace/xml/xml_source.h"

#include <errno.h>
#include <expat.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "trace/formats.h"
#include "trace/packed/packed_source.h"
#include "trace/trace_bytes.h"

enum { FIELDS_MAX = 256, DEPTH_MAX = 16 };

struct xml_source {
	struct packed_source packed;
	XML_Parser parser;
	enum histree_status status; /* what ended the reading, if it was not the XML */
	struct histree_error error;
	unsigned depth;
	bool is_trace; /* the root is <trace> */
	bool in_event;
	/* Of the event at hand. */
	struct arena texts;
	const char *name;
	histree_time time;
	int32_t cpu;
	const char *fields[FIELDS_MAX];
	struct packed_cell cells[FIELDS_MAX];
	uint32_t field_count;
	uint64_t passed_over; /* elements that are not events */
};

/* ---- events ----------------------------------------------------------------------------------------------- */

static void fail(struct xml_source *source, enum histree_status status)
{
	source->status = status;
	XML_StopParser(source->parser, XML_FALSE);
}

static const char *attribute(const char **attributes, const char *name)
{
	for (; attributes[0] != NULL; attributes += 2)
		if (strcmp(attributes[0], name) == 0)
			return attributes[1];
	return NULL;
}

static bool read_integer(const char *text, int64_t *out)
{
	char *end;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return end != text && *end == '\0' && errno == 0;
}

static const char *keep(struct xml_source *source, const char *text)
{
	const char *copy = arena_copy(&source->texts, text, strlen(text));
	if (copy == NULL)
		fail(source, error_memory(&source->error, "an event"));
	return copy;
}

static void begin_event(struct xml_source *source, const char **attributes)
{
	const char *time = attribute(attributes, "timestamp"), *name = attribute(attributes, "name");
	arena_release(&source->texts);
	source->field_count = 0;
	source->cpu = -1;
	source->in_event = time != NULL && name != NULL && name[0] != '\0' && read_integer(time, &source->time) &&
			   source->time != PACKED_NO_TIME;
	source->passed_over += !source->in_event;
	if (source->in_event)
		source->name = keep(source, name);
}

static struct packed_cell cell_of(struct xml_source *source, const char *type, const char *value)
{
	char *end;
	int64_t integer;
	bool is_integer = type != NULL && (strcmp(type, "int") == 0 || strcmp(type, "long") == 0);
	if (is_integer && read_integer(value, &integer))
		return packed_int(integer);
	double real = type != NULL && strcmp(type, "double") == 0 ? strtod(value, &end) : 0;
	if (type != NULL && strcmp(type, "double") == 0 && end != value && *end == '\0')
		return packed_real(real);
	const char *text = keep(source, value);
	return packed_text(text, text != NULL ? strlen(text) : 0);
}

static void add_field(struct xml_source *source, const char **attributes)
{
	const char *name = attribute(attributes, "name"), *value = attribute(attributes, "value");
	int64_t cpu;
	if (!source->in_event || name == NULL || value == NULL || source->field_count == FIELDS_MAX)
		return;
	if (strcmp(name, "cpu") == 0 && read_integer(value, &cpu) && cpu >= 0 && cpu <= INT32_MAX)
		source->cpu = (int32_t)cpu;
	source->fields[source->field_count] = keep(source, name);
	source->cells[source->field_count++] = cell_of(source, attribute(attributes, "type"), value);
}

static void end_event(struct xml_source *source)
{
	struct packed_source *packed = &source->packed;
	if (!source->in_event || source->status != HISTREE_OK)
		return;
	source->in_event = false;
	const struct event_class as = {
		.trace = &packed->base.trace,
		.name = source->name,
		.field_count = source->field_count,
		.fields = source->fields,
		.payload_count = source->field_count,
	};
	const struct packed_class *class = packed_source_class(packed, &as, &source->error);
	if (class == NULL) {
		fail(source, source->error.status);
		return;
	}
	const struct packed_event event = {
		.time = source->time, .cpu = source->cpu, .class = class, .cells = source->cells
	};
	enum histree_status status = packed_source_add(packed, &event, &source->error);
	if (status != HISTREE_OK)
		fail(source, status);
}

static void XMLCALL begin_element(void *context, const char *name, const char **attributes)
{
	struct xml_source *source = context;
	if (++source->depth > DEPTH_MAX)
		fail(source, error_set(&source->error, HISTREE_ERR_TRACE,
				       "elements are within one another more than %d "
				       "deep",
				       DEPTH_MAX));
	else if (source->depth == 1)
		source->is_trace = strcmp(name, "trace") == 0;
	else if (source->depth == 2 && strcmp(name, "event") == 0)
		begin_event(source, attributes);
	else if (source->depth == 3 && strcmp(name, "field") == 0)
		add_field(source, attributes);
}

static void XMLCALL end_element(void *context, const char *name)
{
	struct xml_source *source = context;
	(void)name;
	if (source->depth-- == 2)
		end_event(source);
}

static void XMLCALL refuse_document_type(void *context, const char *name, const char *system, const char *public,
					 int has_subset)
{
	struct xml_source *source = context;
	(void)name, (void)system, (void)public, (void)has_subset;
	fail(source,
	     error_set(&source->error, HISTREE_ERR_TRACE,
		       "the file has a document type, which could define entities: take the <!DOCTYPE> out"));
}

/* ---- the file --------------------------------------------------------------------------------------------- */

static enum histree_status parse(struct xml_source *source, bool *is_damaged, struct histree_error *error)
{
	enum histree_status status;
	enum XML_Status parsed = XML_STATUS_OK;
	while (parsed == XML_STATUS_OK &&
	       (status = trace_bytes_more(&source->packed.content, error)) == HISTREE_OK) {
		status = packed_source_look(&source->packed, error);
		if (status != HISTREE_OK)
			return status;
		size_t size = (size_t)(source->packed.content.end - source->packed.content.at);
		size = size < INT32_MAX ? size : INT32_MAX;
		parsed = XML_Parse(source->parser, (const char *)source->packed.content.at, (int)size, 0);
		source->packed.content.at += size;
	}
	if (parsed == XML_STATUS_OK && status == HISTREE_END)
		parsed = XML_Parse(source->parser, "", 0, 1);
	else if (parsed == XML_STATUS_OK)
		return status;
	*is_damaged = parsed != XML_STATUS_OK;
	return source->status == HISTREE_OK ? HISTREE_OK
					    : error_set(error, source->status, "%s", source->error.message);
}

static enum histree_status read_file(struct packed_source *packed, struct histree_error *error)
{
	struct xml_source *source = (struct xml_source *)packed;
	struct trace_notes *notes = packed->base.notes;
	bool is_damaged = false;
	source->parser = XML_ParserCreate(NULL);
	if (source->parser == NULL)
		return error_memory(error, "a trace in XML");
	source->depth = 0;
	source->passed_over = 0;
	source->is_trace = source->in_event = false;
	source->status = HISTREE_OK;
	XML_SetUserData(source->parser, source);
	XML_SetElementHandler(source->parser, begin_element, end_element);
	XML_SetStartDoctypeDeclHandler(source->parser, refuse_document_type);
	enum histree_status status = packed_source_rewind(packed, error);
	if (status == HISTREE_OK)
		status = parse(source, &is_damaged, error);
	if (status == HISTREE_OK && is_damaged) {
		trace_notes_warn(notes, "%s: line %lu: %s: what comes after that is lost", packed->base.path,
				 XML_GetCurrentLineNumber(source->parser),
				 XML_ErrorString(XML_GetErrorCode(source->parser)));
		notes->report.damaged_streams++;
		status = packed_source_lose_rest(packed, error);
	}
	XML_ParserFree(source->parser);
	if (status == HISTREE_OK && !source->is_trace)
		return error_set(error, HISTREE_ERR_TRACE, "is XML without <trace>");
	if (status == HISTREE_OK && source->passed_over > 0)
		trace_notes_warn(notes, "%s: events without a name or a timestamp were passed over: %" PRIu64,
				 packed->base.path, source->passed_over);
	return status;
}

static const struct packed_reader reader = { .read = read_file };

/* ---- the trace -------------------------------------------------------------------------------------------- */

static enum histree_status scan(struct trace_source *base, struct histree_error *error)
{
	return packed_source_scan(base, &reader, "", "xml", error);
}

static void release(struct trace_source *base)
{
	struct xml_source *source = (struct xml_source *)base;
	arena_release(&source->texts);
	packed_source_release(&source->packed);
}

const struct trace_format_kind xml_format = {
	.size = sizeof(struct xml_source),
	.name = XML_NAME,
	.begins = xml_begins,
	.scan = scan,
	PACKED_SOURCE_KIND,
	.release = release,
};
