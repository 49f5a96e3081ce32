// SPDX-License-Identifier: MIT
#include "trace/ctf/ctf_live_class.h"

#include <stdalign.h>
#include <string.h>

/* In the order of event.h: of several fields of one name the first is found. */
enum ctf_scope { SCOPE_PAYLOAD, SCOPE_SPECIFIC_CONTEXT, SCOPE_COMMON_CONTEXT, SCOPE_COUNT };

enum ctf_kind { KIND_OTHER, KIND_UNSIGNED, KIND_SIGNED, KIND_BOOL, KIND_STRING };

struct ctf_live_field {
	uint32_t member; /* of the scope's structure */
	uint8_t scope, kind;
};

struct ctf_live_class {
	struct event_class class; /* first: a pointer to it is a pointer to this */
	const bt_event_class *key;
	const struct ctf_live_field *fields; /* as class.fields */
	uint32_t cpu_field;
};

static enum ctf_kind kind_of(const bt_field_class *class)
{
	bt_field_class_type type = bt_field_class_get_type(class);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		return KIND_UNSIGNED;
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
		return KIND_SIGNED;
	if (type == BT_FIELD_CLASS_TYPE_BOOL)
		return KIND_BOOL;
	return type == BT_FIELD_CLASS_TYPE_STRING ? KIND_STRING : KIND_OTHER;
}

static bool read_int(const bt_field *field, enum ctf_kind kind, int64_t *out)
{
	switch (kind) {
	case KIND_UNSIGNED:
		*out = (int64_t)bt_field_integer_unsigned_get_value(field);
		return true;
	case KIND_SIGNED:
		*out = bt_field_integer_signed_get_value(field);
		return true;
	case KIND_BOOL:
		*out = bt_field_bool_get_value(field) ? 1 : 0;
		return true;
	case KIND_STRING:
	case KIND_OTHER:
		break;
	}
	return false;
}

bool ctf_live_field_int(const bt_field *field, int64_t *out)
{
	return read_int(field, kind_of(bt_field_borrow_class_const(field)), out);
}

static const bt_field *borrow_field(const bt_event *event, const struct ctf_live_field *field)
{
	const bt_field *scope = NULL;
	switch ((enum ctf_scope)field->scope) {
	case SCOPE_PAYLOAD:
		scope = bt_event_borrow_payload_field_const(event);
		break;
	case SCOPE_SPECIFIC_CONTEXT:
		scope = bt_event_borrow_specific_context_field_const(event);
		break;
	case SCOPE_COMMON_CONTEXT:
		scope = bt_event_borrow_common_context_field_const(event);
		break;
	case SCOPE_COUNT:
		break;
	}
	return bt_field_structure_borrow_member_field_by_index_const(scope, field->member);
}

bool ctf_live_event_int(const struct event *event, uint32_t field, int64_t *out)
{
	const struct ctf_live_class *class = (const struct ctf_live_class *)event->class;
	if (field >= class->class.field_count)
		return false;
	const struct ctf_live_field *known = &class->fields[field];
	if (known->kind != KIND_UNSIGNED && known->kind != KIND_SIGNED && known->kind != KIND_BOOL)
		return false;
	return read_int(borrow_field(event->handle, known), known->kind, out);
}

/* Arrays of text integers are string fields already: source.ctf.fs makes them so, up to their first zero. */
bool ctf_live_event_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	const struct ctf_live_class *class = (const struct ctf_live_class *)event->class;
	if (field >= class->class.field_count || class->fields[field].kind != KIND_STRING)
		return false;
	const bt_field *string = borrow_field(event->handle, &class->fields[field]);
	*size = bt_field_string_get_length(string);
	/* Fields are used again, and in 2.0 an empty string keeps the bytes of the one before. */
	*text = *size == 0 ? "" : bt_field_string_get_value(string);
	return true;
}

int32_t ctf_live_event_own_cpu(const struct event *event)
{
	int64_t cpu;
	uint32_t field = ((const struct ctf_live_class *)event->class)->cpu_field;
	if (field == EVENT_NO_FIELD || !ctf_live_event_int(event, field, &cpu) || cpu < 0 || cpu > INT32_MAX)
		return -1;
	return (int32_t)cpu;
}

static char *copy_text(struct arena *memory, const char *text)
{
	return arena_copy(memory, text, strlen(text));
}

static bool describe_fields(struct ctf_live_class *class, struct arena *memory)
{
	const bt_stream_class *stream_class = bt_event_class_borrow_stream_class_const(class->key);
	const bt_field_class *scopes[SCOPE_COUNT] = {
		[SCOPE_PAYLOAD] = bt_event_class_borrow_payload_field_class_const(class->key),
		[SCOPE_SPECIFIC_CONTEXT] = bt_event_class_borrow_specific_context_field_class_const(class->key),
		[SCOPE_COMMON_CONTEXT] =
			bt_stream_class_borrow_event_common_context_field_class_const(stream_class),
	};
	uint64_t count = 0;
	for (int scope = 0; scope < SCOPE_COUNT; scope++)
		if (scopes[scope] != NULL)
			count += bt_field_class_structure_get_member_count(scopes[scope]);
	if (count >= EVENT_NO_FIELD / sizeof(char *))
		return false;

	/* One more, so that a class without fields has an address too. */
	const char **names = arena_allocate(memory, (count + 1) * sizeof(*names), alignof(char *));
	struct ctf_live_field *fields =
		arena_allocate(memory, (count + 1) * sizeof(*fields), alignof(struct ctf_live_field));
	if (names == NULL || fields == NULL)
		return false;
	uint32_t field = 0;
	for (int scope = 0; scope < SCOPE_COUNT; scope++) {
		uint64_t members =
			scopes[scope] == NULL ? 0 : bt_field_class_structure_get_member_count(scopes[scope]);
		for (uint32_t index = 0; index < members; index++, field++) {
			const bt_field_class_structure_member *member =
				bt_field_class_structure_borrow_member_by_index_const(scopes[scope], index);
			names[field] = copy_text(memory, bt_field_class_structure_member_get_name(member));
			if (names[field] == NULL)
				return false;
			fields[field] = (struct ctf_live_field){
				.member = index,
				.scope = (uint8_t)scope,
				.kind = (uint8_t)kind_of(
					bt_field_class_structure_member_borrow_field_class_const(member)),
			};
		}
		if (scope == SCOPE_PAYLOAD)
			class->class.payload_count = field;
	}
	class->class.fields = names;
	class->class.field_count = field;
	class->fields = fields;
	return true;
}

static struct ctf_live_class *create_class(struct ctf_live_classes *classes, const bt_event_class *key,
					   const struct event_trace *trace)
{
	struct ctf_live_class *class =
		arena_allocate(&classes->memory, sizeof(*class), alignof(struct ctf_live_class));
	if (class == NULL)
		return NULL;
	const char *name = bt_event_class_get_name(key);
	*class = (struct ctf_live_class){
		.class = { .trace = trace,
			   .id = (uint32_t)classes->by_key.count,
			   .name = copy_text(&classes->memory, name == NULL ? "" : name) },
		.key = key,
	};
	if (class->class.name == NULL || !describe_fields(class, &classes->memory))
		return NULL;
	class->cpu_field = event_class_field(&class->class, "perf_cpu");
	return class;
}

const struct event_class *ctf_live_classes_get(struct ctf_live_classes *classes, const bt_event_class *key,
					       const struct event_trace *trace)
{
	struct ctf_live_class *class = id_map_find(&classes->by_key, (uintptr_t)key);
	if (class != NULL)
		return &class->class;
	class = create_class(classes, key, trace);
	return class != NULL && id_map_add(&classes->by_key, (uintptr_t)key, class) ? &class->class : NULL;
}

void ctf_live_classes_release(struct ctf_live_classes *classes)
{
	arena_release(&classes->memory);
	id_map_release(&classes->by_key);
	*classes = (struct ctf_live_classes){ 0 };
}
