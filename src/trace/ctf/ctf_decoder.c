// SPDX-License-Identifier: MIT
/*
 * ctf_decoder.c - the decoders of one trace, made from its metadata: for packet headers, event headers, and each
 * class.
 */
#include "trace/ctf/ctf_decoder.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "event/event.h"
#include "trace/ctf/ctf_cursor.h"
#include "trace/ctf/ctf_procedure.h"
#include "trace/ctf/ctf_schema.h"
#include "trace/trace_source.h"

/* ---- ctf event ----------------------------------------------------------------------------------------------- */

static const char *environment_text(const struct ctf_schema *schema, const char *key)
{
	const struct ctf_environment *entry = ctf_schema_environment(schema, key);
	return entry == NULL || entry->text == NULL ? "" : entry->text;
}

static int environment_number(const struct ctf_schema *schema, const char *key)
{
	const struct ctf_environment *entry = ctf_schema_environment(schema, key);
	bool is = entry != NULL && entry->text == NULL && entry->number >= 0 && entry->number <= INT32_MAX;
	return is ? (int)entry->number : -1;
}

static bool has_member(const struct ctf_type *structure, const char *name)
{
	for (size_t i = 0; structure != NULL && i < structure->member_count; i++)
		if (strcmp(structure->members[i].name, name) == 0)
			return true;
	return false;
}

/* Whose words a trace that is of no kernel and no program, as far as it says, has for a switch between threads. */
static int kernel_words_of(const struct ctf_schema *schema)
{
	static const struct {
		const char *event, *before, *after;
		int words;
	} switches[] = { { "sched_switch", "prev_tid", "next_tid", EVENT_LIKE_LTTNG },
			 { "sched:sched_switch", "prev_pid", "next_pid", EVENT_LIKE_PERF } };
	const char *domain = environment_text(schema, "domain");
	const char *tracer = environment_text(schema, "tracer_name");
	for (size_t i = 0; i < schema->event_count; i++)
		for (size_t at = 0; at < sizeof(switches) / sizeof(switches[0]); at++) {
			const struct ctf_event_type *event = schema->events[i];
			if (event->name != NULL && strcmp(event->name, switches[at].event) == 0 &&
			    has_member(event->payload, switches[at].before) &&
			    has_member(event->payload, switches[at].after) && strcmp(domain, "kernel") != 0 &&
			    strcmp(domain, "ust") != 0 && strcmp(tracer, "perf") != 0)
				return switches[at].words;
		}
	return EVENT_NO_KERNEL;
}

/* What the events of the libraries that LTTng-UST puts in front of programs tell of, and those of a kernel. */
static int declared_by(const struct ctf_schema *schema)
{
	static const struct {
		const char *prefix;
		int declares;
	} rows[] = { { "lttng_ust_cyg_profile", EVENT_DECLARES_CALLS },
		     { "lttng_ust_libc:", EVENT_DECLARES_MEMORY },
		     { "ust_libc:", EVENT_DECLARES_MEMORY } };
	int declares = EVENT_DECLARES_ALL;
	for (size_t i = 0; i < schema->event_count; i++) {
		const char *name = schema->events[i]->name;
		if (name != NULL && event_name_is_system_call(name, strlen(name)))
			declares |= EVENT_DECLARES_SYSTEM_CALLS;
		for (size_t at = 0; at < sizeof(rows) / sizeof(rows[0]); at++)
			if (name != NULL && strncmp(name, rows[at].prefix, strlen(rows[at].prefix)) == 0)
				declares |= rows[at].declares;
	}
	return declares;
}

/* LTTng says "hostname" and "kernel_release", perf says "host" and "release". */
void ctf_schema_describe(const struct ctf_schema *schema, struct event_trace *trace)
{
	const char *hostname = environment_text(schema, "hostname");
	const char *release = environment_text(schema, "kernel_release");
	release = release[0] != '\0' ? release : environment_text(schema, "release");
	*trace = (struct event_trace){
		.id = trace->id,
		.path = trace->path,
		.domain = environment_text(schema, "domain"),
		.tracer_name = environment_text(schema, "tracer_name"),
		.tracer_major = environment_number(schema, "tracer_major"),
		.tracer_minor = environment_number(schema, "tracer_minor"),
		.hostname = hostname[0] != '\0' ? hostname : environment_text(schema, "host"),
		.machine = environment_text(schema, "machine"),
		.kernel_words = kernel_words_of(schema),
		.declares = declared_by(schema),
		.has_new_task_states = trace_release_has_new_task_states(release),
		.get_int = ctf_field_int,
		.get_string = ctf_field_string,
		.visit = ctf_field_visit,
	};
}

/* Returns where the fields of a scope begin among those of the procedure. */
static uint32_t fields_before(const struct ctf_scope *scopes, int scope)
{
	size_t count = 0;
	while (scope-- > 0)
		count += scopes[scope].structure == NULL ? 0 : scopes[scope].structure->member_count;
	return (uint32_t)count;
}

/* The fields of an event as event.h wants them: the payload comes first. */
static bool order_fields(struct ctf_class *class, const struct ctf_scope *scopes, struct arena *memory)
{
	static const int order[CTF_EVENT_SCOPES] = { CTF_PAYLOAD, CTF_OWN_CONTEXT, CTF_COMMON_CONTEXT };
	uint32_t total = class->procedure.field_count, count = 0;
	const char **names = arena_allocate(memory, (total + 1) * sizeof(*names), alignof(char *));
	struct ctf_field *fields = arena_allocate(memory, (total + 1) * sizeof(*fields), alignof(struct ctf_field));
	if (names == NULL || fields == NULL)
		return false;
	for (int i = 0; i < CTF_EVENT_SCOPES; i++) {
		const struct ctf_type *structure = scopes[order[i]].structure;
		uint32_t members = structure == NULL ? 0 : (uint32_t)structure->member_count;
		const struct ctf_field *from = class->procedure.fields + fields_before(scopes, order[i]);
		for (uint32_t member = 0; member < members; member++, count++) {
			fields[count] = from[member];
			names[count] = from[member].name;
		}
		if (order[i] == CTF_PAYLOAD)
			class->class.payload_count = count;
	}
	class->fields = fields;
	class->class.fields = names;
	class->class.field_count = count;
	return true;
}

static struct ctf_class *make_class(struct ctf_decoder *decoder, const struct ctf_stream_decoder *stream,
				    const struct ctf_event_type *event)
{
	const struct ctf_meaning meaning = { .order = decoder->schema->order, .clock = stream->type->clock };
	const struct ctf_scope scopes[CTF_EVENT_SCOPES] = {
		[CTF_COMMON_CONTEXT] = { .structure = stream->type->event_context, .meaning = meaning },
		[CTF_OWN_CONTEXT] = { .structure = event->context, .meaning = meaning },
		[CTF_PAYLOAD] = { .structure = event->payload, .meaning = meaning },
	};
	struct ctf_class *class = arena_allocate(&decoder->memory, sizeof(*class), alignof(struct ctf_class));
	if (class == NULL)
		return NULL;
	*class = (struct ctf_class){
		.class = { .trace = decoder->trace, .id = *decoder->class_count, .name = event->name },
	};
	if (!ctf_procedure_make(&class->procedure, scopes, CTF_EVENT_SCOPES, &decoder->memory) ||
	    !order_fields(class, scopes, &decoder->memory))
		return NULL;
	for (int scope = 0; scope < CTF_EVENT_SCOPES; scope++)
		class->scopes[scope] = scopes[scope].structure;
	class->order = decoder->schema->order;
	class->slot_count = stream->type->slot_count;
	class->cpu_field = event_class_field(&class->class, "perf_cpu");
	++*decoder->class_count;
	return class;
}

enum histree_status ctf_decoder_class(struct ctf_decoder *decoder, struct ctf_stream_decoder *stream, uint64_t id,
				      struct ctf_class **out, struct histree_error *error)
{
	enum { SMALL_IDS = sizeof(stream->by_id) / sizeof(stream->by_id[0]) };
	*out = id < SMALL_IDS ? stream->by_id[id] : id_map_find(&stream->classes, id);
	if (*out != NULL)
		return HISTREE_OK;
	const struct ctf_event_type *event = id_map_find(&stream->type->events, id);
	if (event == NULL)
		return HISTREE_OK;
	*out = make_class(decoder, stream, event);
	if (*out == NULL || !id_map_add(&stream->classes, id, *out))
		return error_memory(error, "the classes of events");
	if (id < SMALL_IDS)
		stream->by_id[id] = *out;
	return HISTREE_OK;
}

/* ---- ctf decoder --------------------------------------------------------------------------------------------- */

enum { NS_PER_SECOND = 1000000000 };

/* ---- making ---------------------------------------------------------------------------------------------- */

/* Whether a structure has one integer of this size, then others. */
static bool has_sizes(const struct ctf_type *type, const uint32_t *sizes, size_t count, enum ctf_order order)
{
	if (type->kind != CTF_STRUCTURE || type->member_count != count)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct ctf_type *member = type->members[i].type;
		if (member->kind != CTF_INTEGER || member->size != sizes[i] || member->is_signed ||
		    (member->order != CTF_NATIVE && member->order != order))
			return false;
	}
	return true;
}

/*
 * LTTng's headers by their structure: an enumeration of 5 or 16 bits, and a variant of a time of 27 or 32 bits or
 * an id of 32 and a time of 64; little endian, and the id and the time are one after the other.
 */
static bool is_short_header(const struct ctf_stream_type *stream, enum ctf_order order, uint32_t id_bits,
			    uint32_t time_bits)
{
	const struct ctf_type *header = stream->event_header;
	const uint32_t full_sizes[] = { 32, 64 };
	if (header == NULL || order != CTF_LITTLE || header->align != 8 || header->member_count != 2)
		return false;
	const struct ctf_type *id = header->members[0].type, *variant = header->members[1].type;
	if (id->kind != CTF_INTEGER || id->size != id_bits || id->order == CTF_BIG || id->align > 8 ||
	    strcmp(header->members[0].name, "id") != 0 || variant->kind != CTF_VARIANT ||
	    variant->member_count != 2 || variant->choice_count != 2 || variant->target != &header->members[0])
		return false;
	const struct ctf_type *brief = variant->members[0].type, *full = variant->members[1].type;
	uint64_t greatest = ((uint64_t)1 << id_bits) - 1;
	const struct ctf_choice *choices = variant->choices;
	return has_sizes(brief, &time_bits, 1, order) && has_sizes(full, full_sizes, 2, order) &&
	       brief->align <= (id_bits % 8 == 0 ? 8u : 1u) && full->align == 8 &&
	       brief->members[0].type->clock == stream->clock && full->members[1].type->clock == stream->clock &&
	       stream->clock != NULL && strcmp(full->members[0].name, "id") == 0 && choices[0].low == 0 &&
	       choices[0].high == greatest - 1 && choices[0].member == 0 && choices[1].low == greatest &&
	       choices[1].high == greatest && choices[1].member == 1 && header->members[0].slot != CTF_NO_SLOT &&
	       full->members[0].slot == CTF_NO_SLOT && full->members[1].slot == CTF_NO_SLOT &&
	       brief->members[0].slot == CTF_NO_SLOT;
}

/* The roles of all members of a structure, at any depth. */
static uint32_t roles_in(const struct ctf_type *type)
{
	uint32_t roles = 0;
	if (type == NULL || (type->kind != CTF_STRUCTURE && type->kind != CTF_VARIANT))
		return 0;
	for (size_t i = 0; i < type->member_count; i++)
		roles |= type->members[i].roles | roles_in(type->members[i].type);
	return roles;
}

static void need_places(struct ctf_decoder *decoder, const struct ctf_procedure *procedure)
{
	if (decoder->place_count < procedure->body.count)
		decoder->place_count = procedure->body.count;
}

static ctf_wide clock_base(const struct ctf_clock *clock)
{
	if (clock == NULL)
		return 0;
	ctf_wide cycles = clock->offset_cycles, frequency = clock->frequency;
	ctf_wide ns = cycles * NS_PER_SECOND / frequency;
	if (cycles < 0 && ns * frequency != cycles * NS_PER_SECOND)
		ns--;
	return (ctf_wide)clock->offset_seconds * NS_PER_SECOND + ns;
}

static bool add_stream(struct ctf_decoder *decoder, const struct ctf_stream_type *type)
{
	struct ctf_stream_decoder *stream =
		arena_allocate(&decoder->memory, sizeof(*stream), alignof(struct ctf_stream_decoder));
	if (stream == NULL ||
	    !array_reserve(&decoder->streams, &decoder->stream_capacity, decoder->stream_count + 1))
		return false;
	decoder->streams[decoder->stream_count++] = stream;
	*stream = (struct ctf_stream_decoder){ .type = type, .base_ns = clock_base(type->clock) };
	const struct ctf_meaning meaning = { .order = decoder->schema->order, .clock = type->clock };
	const struct ctf_scope context = { .structure = type->packet_context, .meaning = meaning };
	const struct ctf_scope header = { .structure = type->event_header, .meaning = meaning };
	if (!ctf_procedure_make(&stream->packet_context, &context, 1, &decoder->memory) ||
	    !ctf_procedure_make(&stream->event_header, &header, 1, &decoder->memory))
		return false;
	stream->head_roles = roles_in(type->packet_context);
	if (is_short_header(stream->type, decoder->schema->order, 5, 27))
		stream->short_header = (struct ctf_short_header){ .id_bits = 5, .bits = 32 };
	else if (is_short_header(stream->type, decoder->schema->order, 16, 32))
		stream->short_header = (struct ctf_short_header){ .id_bits = 16, .bits = 48 };
	if (stream->short_header.bits > 0)
		stream->short_header.slot = stream->type->event_header->members[0].slot;
	need_places(decoder, &stream->packet_context);
	need_places(decoder, &stream->event_header);
	return true;
}

/*
 * Where the header of packets has the UUID of the trace, if that is an array of bytes at a constant place.  Returns
 * false behind what has no constant size.
 */
static bool find_uuid(struct ctf_decoder *decoder, const struct ctf_type *structure, uint64_t *at)
{
	for (size_t i = 0; i < structure->member_count; i++) {
		const struct ctf_type *type = structure->members[i].type;
		bool is_bytes = type->kind == CTF_ARRAY && type->length == 16 &&
				type->element->kind == CTF_INTEGER && type->element->size == 8 &&
				type->element->align == 8;
		*at = (*at + type->align - 1) & ~(uint64_t)(type->align - 1);
		if (is_bytes && *at % 8 == 0 && (structure->members[i].roles & 1u << CTF_ROLE_UUID) != 0)
			decoder->uuid_at = (uint32_t)(*at / 8);
		if (is_bytes)
			*at += 128;
		else if (type->kind == CTF_INTEGER)
			*at += type->size;
		else if (type->kind != CTF_STRUCTURE || !find_uuid(decoder, type, at))
			return false;
	}
	return true;
}

enum histree_status ctf_decoder_init(struct ctf_decoder *decoder, const struct ctf_schema *schema,
				     const struct event_trace *trace, uint32_t *class_count,
				     struct histree_error *error)
{
	*decoder = (struct ctf_decoder){ .schema = schema, .trace = trace, .class_count = class_count };
	const struct ctf_scope header = { .structure = schema->packet_header,
					  .meaning = { .order = schema->order } };
	if (!ctf_procedure_make(&decoder->packet_header, &header, 1, &decoder->memory))
		return error_memory(error, "the decoder of a trace");
	decoder->magic = ctf_procedure_find(&decoder->packet_header, CTF_ROLE_MAGIC);
	decoder->has_stream_id = (roles_in(schema->packet_header) & 1u << CTF_ROLE_STREAM) != 0;
	need_places(decoder, &decoder->packet_header);
	uint64_t at = 0;
	decoder->uuid_at = UINT32_MAX;
	if (schema->has_uuid && schema->packet_header != NULL)
		find_uuid(decoder, schema->packet_header, &at);
	return ctf_decoder_extend(decoder, error);
}

enum histree_status ctf_decoder_extend(struct ctf_decoder *decoder, struct histree_error *error)
{
	while (decoder->stream_count < decoder->schema->stream_count)
		if (!add_stream(decoder, decoder->schema->streams[decoder->stream_count]))
			return error_memory(error, "the decoder of a trace");
	return HISTREE_OK;
}

void ctf_decoder_release(struct ctf_decoder *decoder)
{
	for (size_t i = 0; i < decoder->stream_count; i++)
		id_map_release(&decoder->streams[i]->classes);
	free((void *)decoder->streams);
	arena_release(&decoder->memory);
	*decoder = (struct ctf_decoder){ 0 };
}

/* ---- heads of packets, headers of events ----------------------------------------------------------------- */

static bool is_magic(const struct ctf_cursor *cursor, const struct ctf_field *field)
{
	int64_t number;
	return ctf_cursor_integer(cursor, field, &number) && (uint64_t)number == CTF_MAGIC_NUMBER;
}

static enum ctf_outcome broken(const char **why, const char *reason)
{
	*why = reason;
	return CTF_BROKEN;
}

static struct ctf_stream_decoder *find_stream(const struct ctf_decoder *decoder, uint64_t id)
{
	if (!decoder->has_stream_id && (decoder->schema->stream_count == 1 || decoder->schema->version == 1))
		return decoder->schema->stream_count == 1 ? decoder->streams[0] : NULL;
	if (id == CTF_UNKNOWN && decoder->schema->version == 2) /* CTF 2, section 6.1: it is 0 until one is said */
		id = 0;
	const struct ctf_stream_type *type = id_map_find(&decoder->schema->streams_by_id, id);
	return type == NULL ? NULL : decoder->streams[type->index];
}

static enum ctf_outcome read_packet_header(const struct ctf_decoder *decoder, struct ctf_cursor *cursor,
					   struct ctf_head *out, const char **why)
{
	for (uint32_t role = 0; role < CTF_HEAD_ROLES; role++)
		cursor->slots[role] = CTF_UNKNOWN;
	if (decoder->schema->version == 2) /* section 6.1: no packet needs the one before it */
		cursor->clock = 0;
	enum ctf_outcome outcome = ctf_cursor_run(cursor, &decoder->packet_header);
	if (outcome == CTF_BROKEN)
		return broken(why, "is cut short in its header");
	if (outcome != CTF_DONE)
		return outcome;
	if (decoder->magic != NULL && !is_magic(cursor, decoder->magic))
		return broken(why, "does not begin with the magic number");
	if (decoder->uuid_at != UINT32_MAX &&
	    memcmp(cursor->bytes + decoder->uuid_at, decoder->schema->uuid, 16) != 0)
		return broken(why, "is of another trace than the metadata: their UUIDs differ");
	out->stream = find_stream(decoder, cursor->slots[CTF_ROLE_STREAM]);
	out->instance = cursor->slots[CTF_ROLE_INSTANCE];
	return out->stream == NULL ? broken(why, "names a stream that the metadata does not have") : CTF_DONE;
}

/* Returns whether the sizes that a packet says, if it says any, can be those of a packet. */
static bool take_sizes(const struct ctf_schema *schema, struct ctf_head *head, const uint64_t *says)
{
	uint64_t sizes[2] = { says[CTF_ROLE_PACKET_SIZE], says[CTF_ROLE_CONTENT_SIZE] };
	bool is_optional = schema->version == 2;
	bool has_size = is_optional ? sizes[0] != CTF_UNKNOWN : ctf_stream_has(head->stream, CTF_ROLE_PACKET_SIZE);
	bool has_content =
		is_optional ? sizes[1] != CTF_UNKNOWN : ctf_stream_has(head->stream, CTF_ROLE_CONTENT_SIZE);
	head->size = has_size ? sizes[0] : sizes[1];
	head->content = has_content ? sizes[1] : sizes[0];
	if (!has_size && !has_content)
		return true;
	return head->size % 8 == 0 && head->size >= head->bits && head->content <= head->size &&
	       head->content >= head->bits && head->size <= INT64_MAX;
}

enum ctf_outcome ctf_head_read(const struct ctf_decoder *decoder, struct ctf_cursor *cursor,
			       const struct ctf_stream_decoder *expected, struct ctf_head *out, const char **why)
{
	enum ctf_outcome outcome = read_packet_header(decoder, cursor, out, why);
	if (outcome != CTF_DONE)
		return outcome;
	if (expected != NULL && out->stream != expected)
		return broken(why, "names another stream than the ones before it");
	outcome = ctf_cursor_run(cursor, &out->stream->packet_context);
	if (outcome == CTF_BROKEN)
		return broken(why, "is cut short in its context");
	if (outcome != CTF_DONE)
		return outcome;
	const uint64_t *says = cursor->slots;
	out->begin = says[CTF_ROLE_BEGIN];
	out->end = says[CTF_ROLE_END];
	out->discarded = says[CTF_ROLE_DISCARDED];
	out->sequence = says[CTF_ROLE_SEQUENCE];
	out->cpu = says[CTF_ROLE_CPU] <= INT32_MAX ? (int32_t)says[CTF_ROLE_CPU] : -1;
	out->bits = cursor->at;
	/*
	 * All ones stand for what is not known, and no tracer counts so far. In CTF 2 a field may be optional.
	 */
	static const enum ctf_role roles[] = { CTF_ROLE_BEGIN, CTF_ROLE_END, CTF_ROLE_DISCARDED,
					       CTF_ROLE_SEQUENCE };
	for (size_t i = 0; decoder->schema->version == 1 && i < sizeof(roles) / sizeof(roles[0]); i++)
		if (ctf_stream_has(out->stream, roles[i]) && says[roles[i]] == CTF_UNKNOWN)
			return broken(why, "has an impossible time or counter");
	return take_sizes(decoder->schema, out, says) ? CTF_DONE : broken(why, "has an impossible size");
}

enum ctf_outcome ctf_event_header_read(const struct ctf_stream_decoder *stream, struct ctf_cursor *cursor)
{
	if (stream->short_header.bits > 0 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
		/* Two loads instead of a procedure: most events have this header. */
		uint64_t at = (cursor->at + 7) & ~(uint64_t)7, word = 0;
		const uint8_t *bytes = cursor->bytes + at / 8;
		if (at + stream->short_header.bits > cursor->end)
			return at + stream->short_header.bits > cursor->content ? CTF_BROKEN : CTF_SHORT;
		memcpy(&word, bytes, stream->short_header.bits / 8);
		uint64_t greatest = ((uint64_t)1 << stream->short_header.id_bits) - 1, id = word & greatest;
		cursor->has_id = true;
		cursor->slots[stream->short_header.slot] = id;
		if (id != greatest) {
			cursor->id = id;
			cursor->clock = ctf_clock_tick(cursor->clock, word >> stream->short_header.id_bits,
						       stream->short_header.bits - stream->short_header.id_bits);
			cursor->at = at + stream->short_header.bits;
			return CTF_DONE;
		}
		at += (stream->short_header.id_bits + 7) / 8 * 8;
		if (at + 96 > cursor->end)
			return at + 96 > cursor->content ? CTF_BROKEN : CTF_SHORT;
		cursor->id = ctf_integer_read(cursor->bytes, at, (struct ctf_integer){ .size = 32 });
		cursor->clock = ctf_integer_read(cursor->bytes, at + 32, (struct ctf_integer){ .size = 64 });
		cursor->at = at + 96;
		return CTF_DONE;
	}
	cursor->has_id = false;
	return ctf_cursor_run(cursor, &stream->event_header);
}

/* ---- times ----------------------------------------------------------------------------------------------- */

/* Whether a procedure always meets all bits of the clock. */
static bool has_whole_tick(const struct ctf_procedure *procedure)
{
	for (size_t i = 0; i < procedure->body.count; i++) {
		const struct ctf_operation *operation = &procedure->body.operations[i];
		if (operation->kind == CTF_TICK && operation->integer.size == 64)
			return true;
	}
	return false;
}

bool ctf_stream_knows_clock(const struct ctf_stream_decoder *stream, unsigned version)
{
	return version == 2 || stream->type->clock == NULL || has_whole_tick(&stream->packet_context) ||
	       has_whole_tick(&stream->event_header);
}

bool ctf_decoder_time(const struct ctf_stream_decoder *stream, uint64_t ticks, histree_time *out)
{
	const struct ctf_clock *clock = stream->type->clock;
	if (clock == NULL || ticks == CTF_UNKNOWN)
		return false;
	ctf_wide ns = ticks;
	if (clock->frequency != NS_PER_SECOND)
		ns = ns * NS_PER_SECOND / clock->frequency;
	ns += stream->base_ns;
	*out = (histree_time)ns;
	return ns >= INT64_MIN && ns <= INT64_MAX;
}
