// SPDX-License-Identifier: MIT
/*
 * What analyses see of a trace: who recorded it, classes of events, and their fields.
 */
#include <stdalign.h>
#include <string.h>

#include "base/error.h"
#include "trace/ctf/ctf_decoder.h"
#include "trace/trace_facts.h"

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
	int declares = 0;
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

bool ctf_field_int(const struct event *event, uint32_t field, int64_t *out)
{
	const struct ctf_class *class = (const struct ctf_class *)event->class;
	return field < class->class.field_count && ctf_cursor_integer(event->handle, &class->fields[field], out);
}

bool ctf_field_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	const struct ctf_class *class = (const struct ctf_class *)event->class;
	if (field >= class->class.field_count || !ctf_cursor_text(event->handle, &class->fields[field], text, size))
		return false;
	enum ctf_encoding encoding = class->fields[field].type->encoding;
	if (encoding == CTF_UTF_8)
		return true;
	const struct ctf_cursor *cursor = event->handle;
	return cursor->texts != NULL && ctf_texts_keep(cursor->texts, encoding, text, size);
}
