// SPDX-License-Identifier: MIT
/*
 * Field classes of CTF 2 that have no parts, CTF2-SPEC-2.0, sections 5.3.4 to 5.3.17.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "trace/ctf/ctf2_reader.h"

enum {
	NUMBER_BITS_MAX = 64, /* of what is a number in an event */
	BITS_MAX = 1 << 24,   /* of what is none */
	FLOAT_BITS_MAX = 4096,
};

/* ---- ranges, mappings, roles ----------------------------------------------------------------------------- */

static bool read_range(const struct ctf2_value *value, uint32_t member, struct ctf_range *out)
{
	*out = (struct ctf_range){ .member = member };
	if (!json_is_array(value->json) || json_array_size(value->json) != 2)
		return ctf2_fail(value, "a range of two integers is expected");
	struct ctf2_value low = ctf2_element(value, 0), high = ctf2_element(value, 1);
	return ctf2_number(&low, INT64_MIN, UINT64_MAX, &out->low) &&
	       ctf2_number(&high, INT64_MIN, UINT64_MAX, &out->high) &&
	       (out->low <= out->high || ctf2_fail(value, "the range ends before it begins"));
}

bool ctf2_ranges(const struct ctf2_value *array, uint32_t member, struct ctf_range **ranges, size_t *count,
		 size_t *capacity)
{
	if (!json_is_array(array->json) || json_array_size(array->json) == 0)
		return ctf2_fail(array, "an array of ranges is expected");
	for (size_t i = 0; i < json_array_size(array->json); i++) {
		struct ctf2_value value = ctf2_element(array, i);
		if (!array_reserve(ranges, capacity, *count + 1)) {
			error_memory(array->reader->error, "the metadata");
			return false;
		}
		if (!read_range(&value, member, &(*ranges)[*count]))
			return false;
		++*count;
	}
	return true;
}

/* A name of numbers, once a range. */
static bool add_labels(const struct ctf2_value *value, const char *name, const struct ctf_range *ranges,
		       size_t count, struct ctf_label **labels, size_t *label_count, size_t *capacity)
{
	size_t size = strlen(name) + 1;
	char *copy = ctf2_allocate(value, size, 1);
	if (copy == NULL)
		return false;
	memcpy(copy, name, size);
	if (!array_reserve(labels, capacity, *label_count + count)) {
		error_memory(value->reader->error, "the metadata");
		return false;
	}
	for (size_t i = 0; i < count; i++)
		(*labels)[(*label_count)++] = (struct ctf_label){ .name = copy,
								  .low = (uint64_t)ranges[i].low,
								  .high = (uint64_t)ranges[i].high };
	return true;
}

/*
 * Mappings of an integer, which become its labels, or flags of a bit map, whose names are not used: names of
 * ranges.
 */
static bool read_names(const struct ctf2_value *object, const char *key, bool is_required,
		       struct ctf_type *labelled)
{
	struct ctf2_value names;
	const char *name;
	json_t *value;
	if (!ctf2_get(object, key, JSON_OBJECT, is_required, &names))
		return false;
	if (is_required && json_object_size(names.json) == 0)
		return ctf2_fail(&names, "one flag or more is expected");
	struct ctf_range *ranges = NULL;
	struct ctf_label *labels = NULL;
	size_t capacity = 0, label_count = 0, label_capacity = 0;
	bool ok = true;
	json_object_foreach(names.json, name, value)
	{
		struct ctf2_value of_name = ctf2_member(&names, name);
		size_t count = 0;
		ok = ok && ctf2_ranges(&of_name, 0, &ranges, &count, &capacity);
		if (ok && labelled != NULL)
			ok = add_labels(&of_name, name, ranges, count, &labels, &label_count, &label_capacity);
	}
	if (ok && label_count > 0) {
		labelled->labels = ctf2_allocate(&names, 2 * label_count, sizeof(*labels));
		ok = labelled->labels != NULL;
	}
	if (ok && label_count > 0) {
		memcpy(labelled->labels, labels, label_count * sizeof(*labels));
		labelled->label_count = label_count;
		ctf_labels_sort(labelled);
	}
	free(labels);
	free(ranges);
	return ok;
}

static bool read_roles(const struct ctf2_value *object, struct ctf_type *type)
{
	static const char *const names[] = {
		"data-stream-class-id",
		"data-stream-id",
		"packet-total-length",
		"packet-content-length",
		"packet-end-default-clock-timestamp",
		"discarded-event-record-counter-snapshot",
		"packet-sequence-number",
		"packet-magic-number",
		"metadata-stream-uuid",
		"event-record-class-id",
		"default-clock-timestamp",
	};
	static const enum ctf_role roles[] = {
		CTF_ROLE_STREAM, CTF_ROLE_INSTANCE,  CTF_ROLE_PACKET_SIZE, CTF_ROLE_CONTENT_SIZE,
		CTF_ROLE_END,    CTF_ROLE_DISCARDED, CTF_ROLE_SEQUENCE,    CTF_ROLE_MAGIC,
		CTF_ROLE_UUID,   CTF_ROLE_EVENT,     CTF_ROLE_TICK,
	};
	struct ctf2_value array;
	if (!ctf2_get(object, "roles", JSON_ARRAY, false, &array))
		return false;
	for (size_t i = 0; array.json != NULL && i < json_array_size(array.json); i++) {
		struct ctf2_value role = ctf2_element(&array, i);
		size_t at = 0;
		if (!json_is_string(role.json))
			return ctf2_fail(&role, "a string is expected");
		while (at < sizeof(names) / sizeof(names[0]) &&
		       strcmp(json_string_value(role.json), names[at]) != 0)
			at++;
		if (at == sizeof(names) / sizeof(names[0]))
			return ctf2_fail(&role, "there is no role \"%.60s\"", json_string_value(role.json));
		bool is_of_bytes = roles[at] == CTF_ROLE_UUID;
		if (is_of_bytes != (type->kind == CTF_ARRAY) || type->is_signed || type->kind == CTF_BITS)
			return ctf2_fail(&role, "a field of this class has no such role");
		type->roles |= 1u << roles[at];
	}
	if ((type->roles & 1u << CTF_ROLE_MAGIC) != 0 && (type->kind != CTF_INTEGER || type->size != 32))
		return ctf2_fail(object, "the magic number of packets has 32 bits");
	if ((type->roles & 1u << CTF_ROLE_UUID) != 0 && type->length != 16)
		return ctf2_fail(object, "a UUID has 16 bytes");
	return true;
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

/* The orders of bytes and bits, the length and the alignment. */
static bool read_bits(const struct ctf2_value *value, struct ctf_type *type, uint32_t size_max)
{
	static const char *const orders[] = { "little-endian", "big-endian" };
	static const char *const bit_orders[] = { "first-to-last", "last-to-first" };
	ctf_wide size = 0;
	size_t order = 0;
	if (!ctf2_get_number(value, "length", true, 1, size_max, &size) ||
	    !ctf2_get_word(value, "byte-order", true, orders, 2, &order))
		return false;
	size_t bit_order = order;
	if (!ctf2_get_word(value, "bit-order", false, bit_orders, 2, &bit_order))
		return false;
	type->size = (uint32_t)size;
	type->order = order == 0 ? CTF_LITTLE : CTF_BIG;
	if (bit_order != order)
		type->form |= CTF_REVERSED;
	return ctf2_get_alignment(value, "alignment", &type->align);
}

static bool read_base(const struct ctf2_value *value, struct ctf_type *type)
{
	ctf_wide base = 10;
	struct ctf2_value at = ctf2_member(value, "preferred-display-base");
	if (!ctf2_get_number(value, "preferred-display-base", false, 2, 16, &base))
		return false;
	type->base = base == 10 ? 0 : (uint8_t)base;
	return base == 2 || base == 8 || base == 10 || base == 16 ||
	       ctf2_fail(&at, "the base of a number is 2, 8, 10 or 16");
}

static bool read_integer(const struct ctf2_value *value, struct ctf_type *type)
{
	struct ctf2_value mappings = ctf2_member(value, "mappings");
	type->is_enumeration = mappings.json != NULL && type->kind != CTF_BITS;
	return read_base(value, type) && read_names(value, "mappings", false, type->is_enumeration ? type : NULL) &&
	       read_roles(value, type);
}

static bool read_fixed_integer(const struct ctf2_value *value, struct ctf_type *type)
{
	if (!read_bits(value, type, BITS_MAX))
		return false;
	if (type->size > NUMBER_BITS_MAX) {
		type->kind = CTF_BITS;
		type->is_number = true;
	}
	return read_integer(value, type);
}

static bool read_signed_integer(const struct ctf2_value *value, struct ctf_type *type)
{
	type->is_signed = true;
	return read_fixed_integer(value, type);
}

static bool read_variable_integer(const struct ctf2_value *value, struct ctf_type *type)
{
	type->kind = CTF_VARINT;
	type->align = 8;
	return read_integer(value, type);
}

static bool read_signed_variable_integer(const struct ctf2_value *value, struct ctf_type *type)
{
	type->is_signed = true;
	return read_variable_integer(value, type);
}

static bool read_boolean(const struct ctf2_value *value, struct ctf_type *type)
{
	type->form = CTF_BOOLEAN;
	return read_bits(value, type, NUMBER_BITS_MAX);
}

static bool read_bit_array(const struct ctf2_value *value, struct ctf_type *type)
{
	if (!read_bits(value, type, BITS_MAX))
		return false;
	if (type->size > NUMBER_BITS_MAX)
		type->kind = CTF_BITS;
	return true;
}

static bool read_bit_map(const struct ctf2_value *value, struct ctf_type *type)
{
	return read_bit_array(value, type) && read_names(value, "flags", true, NULL);
}

static bool read_float(const struct ctf2_value *value, struct ctf_type *type)
{
	struct ctf2_value length = ctf2_member(value, "length");
	type->kind = CTF_FLOAT;
	if (!read_bits(value, type, FLOAT_BITS_MAX))
		return false;
	bool is_one = type->size == 16 || type->size == 32 || type->size == 64 ||
		      (type->size >= 128 && type->size % 32 == 0);
	return is_one || ctf2_fail(&length, "no floating point number has %u bits", (unsigned)type->size);
}

/* ---- texts and bytes ------------------------------------------------------------------------------------- */

static bool read_encoding(const struct ctf2_value *value, struct ctf_type *type)
{
	static const char *const names[] = { "utf-8", "utf-16le", "utf-16be", "utf-32le", "utf-32be" };
	size_t encoding = CTF_UTF_8;
	if (!ctf2_get_word(value, "encoding", false, names, sizeof(names) / sizeof(names[0]), &encoding))
		return false;
	type->encoding = (enum ctf_encoding)encoding;
	return true;
}

static bool read_string(const struct ctf2_value *value, struct ctf_type *type)
{
	type->kind = CTF_STRING;
	type->align = 8;
	return read_encoding(value, type);
}

/* Bytes of a length: those of a text, or of a BLOB. */
static bool begin_bytes(const struct ctf2_value *value, struct ctf_type *type, enum ctf_kind kind)
{
	struct ctf2_reader *reader = value->reader;
	if (reader->byte == NULL) {
		reader->byte = ctf2_allocate(value, 1, sizeof(*reader->byte));
		if (reader->byte == NULL)
			return false;
		*reader->byte =
			(struct ctf_type){ .kind = CTF_INTEGER, .size = 8, .align = 8, .order = CTF_LITTLE };
	}
	type->kind = kind;
	type->align = 8;
	type->element = reader->byte;
	return true;
}

static bool read_length(const struct ctf2_value *value, struct ctf_type *type)
{
	ctf_wide length = 0;
	if (!ctf2_get_number(value, "length", true, 0, UINT64_MAX, &length))
		return false;
	type->length = (uint64_t)length;
	return true;
}

static bool read_static_string(const struct ctf2_value *value, struct ctf_type *type)
{
	type->is_text = true;
	return begin_bytes(value, type, CTF_ARRAY) && read_length(value, type) && read_encoding(value, type);
}

static bool read_dynamic_string(const struct ctf2_value *value, struct ctf_type *type)
{
	type->is_text = true;
	return begin_bytes(value, type, CTF_SEQUENCE) && ctf2_location(value, "length-field-location", type) &&
	       read_encoding(value, type);
}

static bool read_media_type(const struct ctf2_value *value, struct ctf_type *type)
{
	struct ctf2_value media;
	type->is_blob = true;
	return ctf2_get(value, "media-type", JSON_STRING, false, &media);
}

static bool read_static_blob(const struct ctf2_value *value, struct ctf_type *type)
{
	return begin_bytes(value, type, CTF_ARRAY) && read_length(value, type) && read_media_type(value, type) &&
	       read_roles(value, type);
}

static bool read_dynamic_blob(const struct ctf2_value *value, struct ctf_type *type)
{
	return begin_bytes(value, type, CTF_SEQUENCE) && ctf2_location(value, "length-field-location", type) &&
	       read_media_type(value, type);
}

/* ---- any ------------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	bool (*read)(const struct ctf2_value *value, struct ctf_type *type);
} classes[] = {
	{ "fixed-length-unsigned-integer", read_fixed_integer },
	{ "fixed-length-signed-integer", read_signed_integer },
	{ "null-terminated-string", read_string },
	{ "fixed-length-boolean", read_boolean },
	{ "fixed-length-bit-array", read_bit_array },
	{ "fixed-length-bit-map", read_bit_map },
	{ "fixed-length-floating-point-number", read_float },
	{ "variable-length-unsigned-integer", read_variable_integer },
	{ "variable-length-signed-integer", read_signed_variable_integer },
	{ "static-length-string", read_static_string },
	{ "dynamic-length-string", read_dynamic_string },
	{ "static-length-blob", read_static_blob },
	{ "dynamic-length-blob", read_dynamic_blob },
};

static struct ctf_type *find_alias(const struct ctf2_value *value)
{
	struct ctf2_reader *reader = value->reader;
	const char *name = json_string_value(value->json);
	uint32_t id = intern_find(&reader->alias_names, name, strlen(name));
	if (id != INTERN_NONE)
		return ctf_type_copy(reader->schema, reader->aliases[id], reader->error);
	ctf2_fail(value, "there is no field class alias \"%.80s\" before it", name);
	return NULL;
}

struct ctf_type *ctf2_class(const struct ctf2_value *value, unsigned depth)
{
	struct ctf2_value name;
	if (json_is_string(value->json))
		return find_alias(value);
	if (!json_is_object(value->json)) {
		ctf2_fail(value, "a field class, or the name of an alias of one, is expected");
		return NULL;
	}
	if (depth > CTF_NESTING_MAX) {
		ctf2_fail(value, "field classes are nested more than %d deep", CTF_NESTING_MAX);
		return NULL;
	}
	if (!ctf2_get(value, "type", JSON_STRING, true, &name) || !ctf2_check_extensions(value))
		return NULL;
	const char *type_name = json_string_value(name.json);
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (strcmp(type_name, classes[i].name) != 0)
			continue;
		struct ctf_type *type = ctf2_allocate(value, 1, sizeof(*type));
		if (type == NULL)
			return NULL;
		*type = (struct ctf_type){ .kind = CTF_INTEGER, .align = 1 };
		return classes[i].read(value, type) ? type : NULL;
	}
	struct ctf_type *type = ctf2_compound(value, type_name, depth);
	return type;
}
