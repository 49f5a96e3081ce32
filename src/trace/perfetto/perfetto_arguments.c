// SPDX-License-Identifier: MIT
#include "trace/perfetto/perfetto_arguments.h"

/* Fields of TrackEvent. */
enum {
	DEBUG_ANNOTATIONS = 4,
	LOG_MESSAGE = 21,
	SOURCE_LOCATION = 33,
	SOURCE_LOCATION_IID = 34,
	CORRELATION = 52,
	CORRELATION_TEXT = 53,
	CORRELATION_IID = 54,
};

/* Fields of DebugAnnotation. */
enum {
	NAME_IID = 1,
	BOOL = 2,
	UINT = 3,
	INT = 4,
	DOUBLE = 5,
	TEXT = 6,
	POINTER = 7,
	NESTED = 8,
	JSON = 9,
	NAME = 10,
	DICT_ENTRIES = 11,
	ARRAY_VALUES = 12,
	TEXT_IID = 17,
};

/* Fields of NestedValue. */
enum {
	DICT_KEYS = 2,
	DICT_VALUES = 3,
	NESTED_ARRAY = 4,
	NESTED_INT = 5,
	NESTED_DOUBLE = 6,
	NESTED_BOOL = 7,
	NESTED_TEXT = 8,
};

static struct perfetto_text text_of(const struct wire_field *field)
{
	return field->bytes == NULL ? (struct perfetto_text){ "", 0 }
				    : (struct perfetto_text){ (const char *)field->bytes, field->size };
}

static struct perfetto_text find(struct perfetto_arguments *arguments, enum perfetto_table table, uint64_t number)
{
	const struct perfetto_text *text = perfetto_interned_find(arguments->interned, table, number);
	if (text != NULL)
		return *text;
	arguments->undefined++;
	return (struct perfetto_text){ "undefined", strlen("undefined") };
}

/* ---- nested values of old -------------------------------------------------------------------------------- */

static void put_nested(struct packed_parts *parts, struct perfetto_text name, struct wire_message message,
		       unsigned depth);

static void put_dict(struct packed_parts *parts, struct wire_message message, unsigned depth)
{
	struct wire_message keys = message;
	struct wire_field field, key = { 0 };
	while (wire_next(&message, &field)) {
		if (field.number != DICT_VALUES || field.bytes == NULL)
			continue;
		do
			if (!wire_next(&keys, &key))
				return;
		while (key.number != DICT_KEYS || key.bytes == NULL);
		put_nested(parts, text_of(&key), wire_inside(&field), depth);
	}
}

static void put_list(struct packed_parts *parts, struct wire_message message, unsigned depth)
{
	struct wire_field field;
	while (wire_next(&message, &field))
		if (field.number == NESTED_ARRAY && field.bytes != NULL)
			put_nested(parts, (struct perfetto_text){ NULL, 0 }, wire_inside(&field), depth);
}

/* What comes last in a message is what it is. */
static struct wire_field last_value(struct wire_message message, uint32_t first, uint32_t last)
{
	struct wire_field field, value = { 0 };
	while (wire_next(&message, &field))
		if (field.number >= first && field.number <= last)
			value = field;
	return value;
}

static void put_nested(struct packed_parts *parts, struct perfetto_text name, struct wire_message message,
		       unsigned depth)
{
	struct wire_field value = last_value(message, DICT_VALUES, NESTED_TEXT);
	if (depth > PACKED_DEPTH_MAX)
		return;
	switch (value.number) {
	case DICT_VALUES:
		packed_parts_open(parts, EVENT_STRUCTURE, name.bytes, name.size);
		put_dict(parts, message, depth + 1);
		packed_parts_close(parts);
		break;
	case NESTED_ARRAY:
		packed_parts_open(parts, EVENT_ARRAY, name.bytes, name.size);
		put_list(parts, message, depth + 1);
		packed_parts_close(parts);
		break;
	case NESTED_DOUBLE:
		packed_parts_real(parts, name.bytes, name.size, wire_real(value.value));
		break;
	case NESTED_TEXT:
		packed_parts_text(parts, name.bytes, name.size, text_of(&value).bytes, text_of(&value).size);
		break;
	case NESTED_INT:
	case NESTED_BOOL:
		packed_parts_int(parts, name.bytes, name.size, (int64_t)value.value);
		break;
	default:
		packed_parts_nothing(parts, name.bytes, name.size);
		break;
	}
}

/* ---- debug annotations ----------------------------------------------------------------------------------- */

static void put_annotation(struct perfetto_arguments *arguments, struct wire_message message, bool is_member,
			   unsigned depth);

static void put_inside(struct perfetto_arguments *arguments, struct wire_message message, uint32_t number,
		       unsigned depth)
{
	struct wire_field field;
	while (wire_next(&message, &field))
		if (field.number == number && field.bytes != NULL)
			put_annotation(arguments, wire_inside(&field), number == DICT_ENTRIES, depth);
}

static void put_value(struct perfetto_arguments *arguments, struct perfetto_text name,
		      const struct wire_field *value)
{
	struct packed_parts *parts = &arguments->parts;
	struct perfetto_text text = text_of(value);
	switch (value->number) {
	case BOOL:
	case INT:
		packed_parts_int(parts, name.bytes, name.size, (int64_t)value->value);
		break;
	case UINT:
	case POINTER:
		packed_parts_unsigned(parts, name.bytes, name.size, value->value);
		break;
	case DOUBLE:
		packed_parts_real(parts, name.bytes, name.size, wire_real(value->value));
		break;
	case TEXT_IID:
		text = find(arguments, PERFETTO_ARGUMENT_TEXTS, value->value);
		/* fall through */
	case TEXT:
	case JSON:
		packed_parts_text(parts, name.bytes, name.size, text.bytes, text.size);
		break;
	default:
		packed_parts_nothing(parts, name.bytes, name.size);
		break;
	}
}

static bool is_value(uint32_t number)
{
	return (number >= BOOL && number <= JSON) || number == DICT_ENTRIES || number == ARRAY_VALUES ||
	       number == TEXT_IID;
}

static void put_annotation(struct perfetto_arguments *arguments, struct wire_message message, bool is_member,
			   unsigned depth)
{
	struct packed_parts *parts = &arguments->parts;
	struct wire_message fields = message;
	struct wire_field field, value = { 0 };
	struct perfetto_text name = { is_member ? "" : NULL, 0 };
	if (depth > PACKED_DEPTH_MAX)
		return;
	while (wire_next(&fields, &field)) {
		if (field.number == NAME && is_member)
			name = text_of(&field);
		else if (field.number == NAME_IID && is_member)
			name = find(arguments, PERFETTO_ARGUMENT_NAMES, field.value);
		else if (is_value(field.number))
			value = field;
	}
	if (value.number == DICT_ENTRIES || value.number == ARRAY_VALUES) {
		packed_parts_open(parts, value.number == DICT_ENTRIES ? EVENT_STRUCTURE : EVENT_ARRAY, name.bytes,
				  name.size);
		put_inside(arguments, message, value.number, depth + 1);
		packed_parts_close(parts);
	} else if (value.number == NESTED) {
		put_nested(parts, name, wire_inside(&value), depth);
	} else {
		put_value(arguments, name, &value);
	}
}

/* ---- others ---------------------------------------------------------------------------------------------- */

/* source_location.proto */
static void put_source(struct packed_parts *parts, struct wire_message message)
{
	enum { FILE_NAME = 2, FUNCTION = 3, LINE = 4 };
	struct wire_field field;
	packed_parts_open(parts, EVENT_STRUCTURE, "source", strlen("source"));
	while (wire_next(&message, &field)) {
		if (field.number == FILE_NAME && field.bytes != NULL)
			packed_parts_text(parts, "file", 4, (const char *)field.bytes, field.size);
		else if (field.number == FUNCTION && field.bytes != NULL)
			packed_parts_text(parts, "function", 8, (const char *)field.bytes, field.size);
		else if (field.number == LINE)
			packed_parts_unsigned(parts, "line", 4, field.value);
	}
	packed_parts_close(parts);
}

static void put_source_of(struct perfetto_arguments *arguments, uint64_t number)
{
	const struct perfetto_text *found =
		perfetto_interned_find(arguments->interned, PERFETTO_SOURCE_LOCATIONS, number);
	arguments->undefined += found == NULL;
	if (found != NULL)
		put_source(&arguments->parts, wire_message(found->bytes, found->size));
}

/* log_message.proto */
static void put_log(struct perfetto_arguments *arguments, struct wire_message message)
{
	enum { SOURCE_IID = 1, BODY_IID = 2, PRIORITY = 3 };
	struct packed_parts *parts = &arguments->parts;
	struct wire_field field;
	packed_parts_open(parts, EVENT_STRUCTURE, "log", strlen("log"));
	while (wire_next(&message, &field)) {
		if (field.number == BODY_IID) {
			struct perfetto_text text = find(arguments, PERFETTO_LOG_TEXTS, field.value);
			packed_parts_text(parts, "body", 4, text.bytes, text.size);
		} else if (field.number == SOURCE_IID) {
			put_source_of(arguments, field.value);
		} else if (field.number == PRIORITY) {
			packed_parts_unsigned(parts, "priority", 8, field.value);
		}
	}
	packed_parts_close(parts);
}

static void put_correlation(struct perfetto_arguments *arguments, const struct wire_field *field)
{
	static const char name[] = "correlation_id";
	struct perfetto_text text = text_of(field);
	if (field->number == CORRELATION) {
		packed_parts_unsigned(&arguments->parts, name, strlen(name), field->value);
		return;
	}
	if (field->number == CORRELATION_IID)
		text = find(arguments, PERFETTO_CORRELATIONS, field->value);
	packed_parts_text(&arguments->parts, name, strlen(name), text.bytes, text.size);
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

void perfetto_arguments_begin(struct perfetto_arguments *arguments, const struct perfetto_interned *interned)
{
	arguments->interned = interned;
	arguments->has_some = false;
}

static bool is_argument(const struct wire_field *field)
{
	switch (field->number) {
	case DEBUG_ANNOTATIONS:
	case LOG_MESSAGE:
	case SOURCE_LOCATION:
	case CORRELATION_TEXT:
		return field->bytes != NULL;
	case SOURCE_LOCATION_IID:
	case CORRELATION:
	case CORRELATION_IID:
		return field->bytes == NULL;
	default:
		return false;
	}
}

void perfetto_arguments_add(struct perfetto_arguments *arguments, const struct wire_field *field)
{
	if (!is_argument(field))
		return;
	if (!arguments->has_some) {
		packed_parts_clear(&arguments->parts);
		packed_parts_open(&arguments->parts, EVENT_STRUCTURE, NULL, 0);
	}
	arguments->has_some = true;
	if (field->number == DEBUG_ANNOTATIONS)
		put_annotation(arguments, wire_inside(field), true, 1);
	else if (field->number == LOG_MESSAGE)
		put_log(arguments, wire_inside(field));
	else if (field->number == SOURCE_LOCATION)
		put_source(&arguments->parts, wire_inside(field));
	else if (field->number == SOURCE_LOCATION_IID)
		put_source_of(arguments, field->value);
	else
		put_correlation(arguments, field);
}

bool perfetto_arguments_end(struct perfetto_arguments *arguments)
{
	if (arguments->has_some)
		packed_parts_close(&arguments->parts);
	return arguments->has_some;
}

void perfetto_arguments_release(struct perfetto_arguments *arguments)
{
	packed_parts_release(&arguments->parts);
}
