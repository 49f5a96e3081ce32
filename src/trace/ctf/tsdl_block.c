// SPDX-License-Identifier: MIT
/*
 * Blocks of TSDL, CTF 1.8, section 7: trace, env, clock, stream, event; others are passed over.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "trace/ctf/tsdl_reader.h"

/* One entry of a block, "key = value;" or "key := type;".  Returns false, with the error set, if it is wrong. */
typedef bool (*read_entry)(struct tsdl_reader *reader, void *block, const char *key);

static bool read_block(struct tsdl_reader *reader, read_entry entry, void *block)
{
	struct tsdl_name *scope = tsdl_scope_enter(reader);
	bool ok = tsdl_expect(reader, "{"), found;
	while (ok && !tsdl_accept(&reader->tsdl, "}")) {
		ok = tsdl_definition(reader, &found);
		if (!ok || found)
			continue;
		const char *key = tsdl_take(reader);
		ok = key != NULL && entry(reader, block, key) && tsdl_skip(reader);
	}
	tsdl_scope_leave(reader, scope);
	return ok && tsdl_expect(reader, ";");
}

/* Step over the "=" or ":=" before a value that is not wanted. */
static bool pass_over(struct tsdl_reader *reader)
{
	return tsdl_accept(&reader->tsdl, "=") || tsdl_expect(reader, ":=");
}

static bool read_number(struct tsdl_reader *reader, uint64_t *out)
{
	return tsdl_expect(reader, "=") && tsdl_take_number(reader, out);
}

static bool read_text(struct tsdl_reader *reader, const char **out)
{
	return tsdl_expect(reader, "=") && (*out = tsdl_take(reader)) != NULL;
}

/* The fields of a scope are a structure. */
static bool read_scope(struct tsdl_reader *reader, struct ctf_type **out)
{
	if (!tsdl_expect(reader, ":=") || (*out = tsdl_type(reader, 0)) == NULL)
		return false;
	return (*out)->kind == CTF_STRUCTURE || tsdl_fail(reader, "a structure is expected");
}

static unsigned digit_of(char byte)
{
	return (unsigned)(isdigit((unsigned char)byte) ? byte - '0' : (byte | 32) - 'a' + 10);
}

static bool read_uuid(struct tsdl_reader *reader)
{
	const char *text;
	if (!read_text(reader, &text))
		return false;
	unsigned digits = 0;
	for (; *text != '\0' && digits < 32; text++) {
		if (!isxdigit((unsigned char)*text))
			continue;
		uint8_t *byte = &reader->schema->uuid[digits++ / 2];
		*byte = (uint8_t)(*byte << 4 | digit_of(*text));
	}
	reader->schema->has_uuid = digits == 32;
	return reader->schema->has_uuid || tsdl_fail(reader, "a UUID has 32 hexadecimal digits");
}

static bool read_trace_entry(struct tsdl_reader *reader, void *block, const char *key)
{
	struct ctf_schema *schema = block;
	uint64_t number;
	if (strcmp(key, "packet.header") == 0)
		return read_scope(reader, &schema->packet_header);
	if (strcmp(key, "uuid") == 0)
		return read_uuid(reader);
	if (strcmp(key, "major") == 0)
		return read_number(reader, &number) &&
		       (number == 1 || tsdl_fail(reader, "this is CTF %u, not CTF 1.8", (unsigned)number));
	if (strcmp(key, "byte_order") != 0)
		return pass_over(reader);
	if (!tsdl_expect(reader, "="))
		return false;
	const struct tsdl *tsdl = &reader->tsdl;
	bool is_big = tsdl_is(tsdl, "be") || tsdl_is(tsdl, "network");
	if (!is_big && !tsdl_is(tsdl, "le"))
		return tsdl_fail(reader, "the byte order of a trace is le, be or network");
	schema->order = is_big ? CTF_BIG : CTF_LITTLE;
	reader->has_order = true;
	return true;
}

static bool read_environment_entry(struct tsdl_reader *reader, void *block, const char *key)
{
	struct ctf_schema *schema = block;
	if (!tsdl_expect(reader, "="))
		return false;
	struct ctf_environment entry = { .key = key };
	uint64_t number = 0;
	if (tsdl_is_string(&reader->tsdl) || tsdl_is_word(&reader->tsdl)) {
		entry.text = tsdl_take(reader);
		if (entry.text == NULL)
			return false;
	} else if (!tsdl_take_number(reader, &number)) {
		return false;
	}
	entry.number = (int64_t)number;
	if (!array_reserve(&schema->environment, &schema->environment_capacity, schema->environment_count + 1)) {
		error_memory(reader->error, "the metadata");
		return false;
	}
	schema->environment[schema->environment_count++] = entry;
	return true;
}

static bool read_clock_entry(struct tsdl_reader *reader, void *block, const char *key)
{
	struct ctf_clock *clock = block;
	uint64_t number = 0;
	if (strcmp(key, "name") == 0)
		return read_text(reader, &clock->name);
	if (strcmp(key, "freq") == 0)
		return read_number(reader, &clock->frequency) &&
		       (clock->frequency > 0 || tsdl_fail(reader, "a clock of 0 Hz stands still"));
	bool is_seconds = strcmp(key, "offset_s") == 0;
	if (!is_seconds && strcmp(key, "offset") != 0)
		return pass_over(reader);
	if (!read_number(reader, &number))
		return false;
	*(is_seconds ? &clock->offset_seconds : &clock->offset_cycles) = (int64_t)number;
	return true;
}

static bool read_stream_entry(struct tsdl_reader *reader, void *block, const char *key)
{
	struct ctf_stream_type *stream = block;
	if (strcmp(key, "id") == 0)
		return read_number(reader, &stream->id);
	if (strcmp(key, "packet.context") == 0)
		return read_scope(reader, &stream->packet_context);
	if (strcmp(key, "event.header") == 0)
		return read_scope(reader, &stream->event_header);
	if (strcmp(key, "event.context") == 0)
		return read_scope(reader, &stream->event_context);
	return pass_over(reader);
}

static bool read_event_entry(struct tsdl_reader *reader, void *block, const char *key)
{
	struct ctf_event_type *event = block;
	if (strcmp(key, "name") == 0)
		return read_text(reader, &event->name);
	if (strcmp(key, "id") == 0)
		return event->has_id = read_number(reader, &event->id);
	if (strcmp(key, "stream_id") == 0)
		return event->has_stream = read_number(reader, &event->stream_id);
	if (strcmp(key, "context") == 0)
		return read_scope(reader, &event->context);
	if (strcmp(key, "fields") == 0)
		return read_scope(reader, &event->payload);
	return pass_over(reader);
}

static bool ignore_entry(struct tsdl_reader *reader, void *block, const char *key)
{
	(void)block;
	(void)key;
	return pass_over(reader);
}

static bool out_of_memory(struct tsdl_reader *reader)
{
	error_memory(reader->error, "the metadata");
	return false;
}

static bool read_clock(struct tsdl_reader *reader)
{
	struct ctf_schema *schema = reader->schema;
	if (schema->clock_count == CTF_CLOCKS_MAX)
		return tsdl_fail(reader, "there are more than %d clocks", CTF_CLOCKS_MAX);
	if (!array_reserve(&schema->clocks, &schema->clock_capacity, CTF_CLOCKS_MAX))
		return out_of_memory(reader);
	struct ctf_clock *clock = &schema->clocks[schema->clock_count++];
	*clock = (struct ctf_clock){ .name = "", .frequency = 1000000000 };
	return read_block(reader, read_clock_entry, clock);
}

static bool read_stream(struct tsdl_reader *reader)
{
	struct ctf_schema *schema = reader->schema;
	struct ctf_stream_type *stream = ctf_schema_allocate(schema, 1, sizeof(*stream), reader->error);
	if (stream == NULL)
		return false;
	if (!array_reserve(&schema->streams, &schema->stream_capacity, schema->stream_count + 1))
		return out_of_memory(reader);
	*stream = (struct ctf_stream_type){ 0 };
	schema->streams[schema->stream_count++] = stream;
	return read_block(reader, read_stream_entry, stream);
}

static bool read_event(struct tsdl_reader *reader)
{
	struct ctf_schema *schema = reader->schema;
	struct ctf_event_type *event = ctf_schema_allocate(schema, 1, sizeof(*event), reader->error);
	if (event == NULL)
		return false;
	if (!array_reserve(&schema->events, &schema->event_capacity, schema->event_count + 1))
		return out_of_memory(reader);
	*event = (struct ctf_event_type){ .name = "" };
	schema->events[schema->event_count++] = event;
	return read_block(reader, read_event_entry, event);
}

static bool read_top(struct tsdl_reader *reader)
{
	struct tsdl *tsdl = &reader->tsdl;
	bool found;
	if (tsdl_accept(tsdl, ";"))
		return true;
	if (!tsdl_definition(reader, &found))
		return false;
	if (found)
		return true;
	if (tsdl_is(tsdl, "trace") && reader->in_pieces && reader->has_trace)
		return tsdl_fail(reader, "the trace is declared twice");
	if (tsdl_accept(tsdl, "trace")) {
		reader->has_trace = true;
		return read_block(reader, read_trace_entry, reader->schema);
	}
	if (tsdl_accept(tsdl, "env"))
		return read_block(reader, read_environment_entry, reader->schema);
	if (tsdl_accept(tsdl, "clock"))
		return read_clock(reader);
	if (tsdl_accept(tsdl, "stream"))
		return read_stream(reader);
	if (tsdl_accept(tsdl, "event"))
		return read_event(reader);
	if (tsdl_accept(tsdl, "callsite"))
		return read_block(reader, ignore_entry, NULL);
	return tsdl_fail(reader, "'%.*s' does not begin a declaration", (int)(tsdl->size < 40 ? tsdl->size : 40),
			 tsdl->text);
}

static bool read_blocks(struct tsdl_reader *reader)
{
	while (reader->tsdl.size > 0)
		if (!read_top(reader))
			return false;
	return true;
}

static bool read_all(struct tsdl_reader *reader)
{
	if (!read_blocks(reader))
		return false;
	if (!reader->has_trace)
		return tsdl_fail(reader, "the text ends and has declared no trace");
	return reader->has_order || tsdl_fail(reader, "the trace has no byte order");
}

enum histree_status tsdl_read(struct ctf_schema *schema, const char *text, struct histree_error *error)
{
	struct histree_error own;
	struct histree_error *told = error != NULL ? error : &own; /* the status of a failure is found there */
	struct tsdl_reader *reader = calloc(1, sizeof(*reader));
	if (reader == NULL)
		return error_memory(error, "the metadata");
	reader->schema = schema;
	schema->version = 1;
	reader->error = told;
	reader->tsdl = tsdl_begin(text, 0);
	enum histree_status status = read_all(reader) ? ctf_schema_link(schema, told) : told->status;
	free(reader);
	return status;
}

struct tsdl_reader *tsdl_reader_create(struct ctf_schema *schema)
{
	struct tsdl_reader *reader = calloc(1, sizeof(*reader));
	if (reader == NULL)
		return NULL;
	reader->schema = schema;
	reader->in_pieces = true;
	schema->version = 1;
	return reader;
}

enum histree_status tsdl_read_more(struct tsdl_reader *reader, const char *text, struct histree_error *error)
{
	struct histree_error own;
	reader->error = error != NULL ? error : &own;
	reader->tsdl = tsdl_begin(text, reader->tsdl.lines);
	if (!read_blocks(reader))
		return reader->error->status;
	reader->tsdl.lines = tsdl_line(&reader->tsdl) - 1;
	return tsdl_reader_is_begun(reader) ? ctf_schema_link_more(reader->schema, reader->error) : HISTREE_OK;
}
