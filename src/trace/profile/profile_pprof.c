// SPDX-License-Identifier: MIT
/*
 * profile_pprof.c - profiles of pprof, as Go and many others write them: one message of protocol buffers
 * (https://github.com/google/pprof/blob/main/proto/profile.proto).
 *
 * A sample is a stack of locations, the innermost first, and a value of each type: of each that is not zero a
 * sample comes, called as the type is ("cpu", "alloc_space").  A location has a line of each function that was
 * inlined there, the innermost first.  Whatever samples refer to may stand behind them, so what is in the message
 * is listed first.  Samples have no times.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "trace/packed/packed_samples.h"
#include "trace/perfetto/wire.h"
#include "trace/profile/profile.h"

/* Fields of the messages. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_COMMENT = 13,
	PROFILE_LAST = 15,
};
enum { TYPE_NAME = 1 };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE };
enum { MAPPING_ID = 1, MAPPING_FILE = 5 };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_NUMBER };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

enum { TYPES_MAX = 64 };

/* What is referred to by an id, or by its number. */
struct part {
	uint64_t id;
	const uint8_t *bytes;
	size_t size;
	/* Of a location: its frames, in those of all locations.  A count of 0: nobody has asked for them yet. */
	uint32_t first_frame, frame_count;
};

struct parts {
	struct part *list; /* by id */
	size_t count, capacity;
	struct table table;
	bool is_unordered;
};

struct pprof {
	struct profile *profile;
	struct parts strings, mappings, locations, functions;
	uint64_t types[TYPES_MAX]; /* the numbers of their names */
	size_t type_count;
	uint32_t *frames; /* of locations, one after the other, the innermost first */
	size_t frame_count, frame_capacity;
	struct table frame_table;
	uint32_t stack[PACKED_DEEP_MAX]; /* of the sample, the innermost first */
	size_t depth;
	struct histree_error *error;
};

/* ---- what a file is -------------------------------------------------------------------------------------- */

/* Whether a message has only fields up to that one, and, where it has `only_numbers`, no others. */
static bool has_fields(struct wire_message message, uint32_t last, bool only_numbers)
{
	struct wire_field field;
	size_t count = 0;
	while (wire_next(&message, &field)) {
		if ((only_numbers && field.kind != WIRE_VARINT) || field.number > last)
			return false;
		count++;
	}
	return count > 0 && !message.is_damaged;
}

/*
 * Writers put the fields in any order, and the format has no mark of its own: each field must be one of it, and
 * some are such that no other message has the like.
 */
bool profile_pprof_begins(const void *bytes, size_t size)
{
	static const struct {
		uint32_t last; /* 0: what is in it is not looked at */
		bool only_numbers;
	} parts[PROFILE_LAST + 1] = {
		[PROFILE_SAMPLE_TYPE] = { 2, true }, [PROFILE_SAMPLE] = { 3, false },
		[PROFILE_MAPPING] = { 10, true },    [PROFILE_LOCATION] = { 5, false },
		[PROFILE_FUNCTION] = { 5, true },    [PROFILE_PERIOD_TYPE] = { 2, true },
	};
	struct wire_message message = wire_message(bytes, size);
	struct wire_field field;
	size_t known = 0, count = 0;
	for (; wire_next(&message, &field); count++) {
		const bool is_message = field.number <= PROFILE_STRING || field.number == PROFILE_PERIOD_TYPE;
		const bool may_be_either = field.number == PROFILE_COMMENT; /* numbers one by one, or in a row */
		if (field.number > PROFILE_LAST || (field.kind != WIRE_VARINT && field.kind != WIRE_BYTES) ||
		    (!may_be_either && is_message != (field.bytes != NULL)))
			return false;
		const uint32_t last = parts[field.number].last;
		if (last > 0 && !has_fields(wire_inside(&field), last, parts[field.number].only_numbers))
			return false;
		known += last > 0 && parts[field.number].only_numbers;
	}
	return known > 0 && count > 1;
}

/* ---- parts ----------------------------------------------------------------------------------------------- */

/* The number of a field; 0 where it is not there, as protocol buffers have it. */
static uint64_t number_in(struct wire_message message, uint32_t number)
{
	struct wire_field field;
	uint64_t value = 0;
	while (wire_next(&message, &field))
		if (field.number == number && field.bytes == NULL)
			value = field.value;
	return value;
}

static bool add_part(struct parts *parts, uint64_t id, const struct wire_field *field)
{
	if (!table_reserve(&parts->table, &parts->list, &parts->capacity, parts->count + 1))
		return false;
	parts->is_unordered |= parts->count > 0 && parts->list[parts->count - 1].id > id;
	parts->list[parts->count++] = (struct part){ id, field->bytes, field->size, 0, 0 };
	return true;
}

COMPARE(compare_ids, struct part, BY(id))

static int compare_in_table(const void *a, const void *b, void *context)
{
	(void)context;
	return compare_ids(a, b);
}

/* NULL: no part has the id. */
static struct part *find_part(const struct parts *parts, uint64_t id)
{
	const struct part key = { .id = id };
	return parts->count > 0 ? bsearch(&key, parts->list, parts->count, sizeof(key), compare_ids) : NULL;
}

/* Nothing: no part has the id. */
static struct wire_message part_of(const struct parts *parts, uint64_t id)
{
	const struct part *part = find_part(parts, id);
	return part != NULL ? wire_message(part->bytes, part->size) : wire_message(NULL, 0);
}

static struct packed_text text_of(const struct pprof *pprof, uint64_t number)
{
	const bool is_there = number < pprof->strings.count && pprof->strings.list[number].size > 0;
	const struct part *part = is_there ? &pprof->strings.list[number] : NULL;
	return part != NULL ? (struct packed_text){ (const char *)part->bytes, part->size } : packed_string("");
}

/* List what is in the message.  Returns whether it is whole, or that memory runs out. */
static enum histree_status list_parts(struct pprof *pprof, struct wire_message message)
{
	struct wire_field field;
	bool is_put = true;
	while (is_put && wire_next(&message, &field)) {
		enum histree_status status = packed_source_look(pprof->profile->packed, pprof->error);
		if (status != HISTREE_OK)
			return status;
		if (field.bytes == NULL)
			continue;
		const struct wire_message inside = wire_inside(&field);
		if (field.number == PROFILE_SAMPLE_TYPE && pprof->type_count < TYPES_MAX)
			pprof->types[pprof->type_count++] = number_in(inside, TYPE_NAME);
		else if (field.number == PROFILE_STRING)
			is_put = add_part(&pprof->strings, pprof->strings.count, &field);
		else if (field.number == PROFILE_MAPPING)
			is_put = add_part(&pprof->mappings, number_in(inside, MAPPING_ID), &field);
		else if (field.number == PROFILE_LOCATION)
			is_put = add_part(&pprof->locations, number_in(inside, LOCATION_ID), &field);
		else if (field.number == PROFILE_FUNCTION)
			is_put = add_part(&pprof->functions, number_in(inside, FUNCTION_ID), &field);
	}
	struct parts *const lists[] = { &pprof->mappings, &pprof->locations, &pprof->functions };
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && is_put; i++)
		if (lists[i]->is_unordered)
			is_put = table_sort(lists[i]->table.space, lists[i]->list, lists[i]->count,
					    sizeof(struct part), compare_in_table, NULL);
	if (!is_put)
		return error_memory(pprof->error, "a profile");
	return message.is_damaged ? HISTREE_END : HISTREE_OK;
}

/* ---- frames ---------------------------------------------------------------------------------------------- */

static bool put_frame(struct pprof *pprof, struct packed_text function, struct packed_text binary,
		      struct packed_text line)
{
	const uint32_t frame = packed_samples_frame(&pprof->profile->samples, function, binary, line);
	if (frame == INTERN_NONE || pprof->frame_count == UINT32_MAX ||
	    !table_reserve(&pprof->frame_table, &pprof->frames, &pprof->frame_capacity, pprof->frame_count + 1))
		return false;
	pprof->frames[pprof->frame_count++] = frame;
	return true;
}

static bool put_line(struct pprof *pprof, struct wire_message line, struct packed_text binary)
{
	const struct wire_message function = part_of(&pprof->functions, number_in(line, LINE_FUNCTION));
	struct packed_text name = text_of(pprof, number_in(function, FUNCTION_NAME));
	const struct packed_text file = text_of(pprof, number_in(function, FUNCTION_FILE));
	const int64_t number = (int64_t)number_in(line, LINE_NUMBER);
	char place[1024];
	if (name.size == 0)
		name = text_of(pprof, number_in(function, FUNCTION_SYSTEM_NAME));
	int size = number <= 0 ? snprintf(place, sizeof(place), "%.*s", (int)(file.size < 1000 ? file.size : 1000),
					  file.bytes)
			       : snprintf(place, sizeof(place), "%.*s:%" PRId64,
					  (int)(file.size < 1000 ? file.size : 1000), file.bytes, number);
	return put_frame(pprof, name.size > 0 ? name : packed_string("[unknown]"), binary,
			 (struct packed_text){ place, (size_t)size });
}

/* Makes the frames of a location, which has its address where no function is known.  `location` may be nothing. */
static bool make_frames(struct pprof *pprof, struct wire_message location)
{
	const struct wire_message mapping = part_of(&pprof->mappings, number_in(location, LOCATION_MAPPING));
	const struct packed_text binary = text_of(pprof, number_in(mapping, MAPPING_FILE));
	const uint64_t at = number_in(location, LOCATION_ADDRESS);
	const size_t before = pprof->frame_count;
	struct wire_field field;
	while (pprof->frame_count - before < PACKED_DEEP_MAX && wire_next(&location, &field))
		if (field.number == LOCATION_LINE && field.bytes != NULL &&
		    !put_line(pprof, wire_inside(&field), binary))
			return false;
	if (pprof->frame_count > before)
		return true;
	char address[32];
	snprintf(address, sizeof(address), "0x%" PRIx64, at);
	return put_frame(pprof, packed_string(at != 0 ? address : "[unknown]"), binary, packed_string(""));
}

/*
 * Puts the frames of a location onto the stack.  They are made when they are first asked for, so that a profile
 * costs what its locations do, however often samples name them.
 */
static bool put_location(struct pprof *pprof, uint64_t id)
{
	struct part *location = find_part(&pprof->locations, id), none = { .id = id };
	if (location == NULL)
		location = &none;
	if (location->frame_count == 0) {
		const size_t first = pprof->frame_count;
		if (!make_frames(pprof, wire_message(location->bytes, location->size)))
			return false;
		location->first_frame = (uint32_t)first;
		location->frame_count = (uint32_t)(pprof->frame_count - first);
	}
	for (uint32_t i = 0; i < location->frame_count && pprof->depth < PACKED_DEEP_MAX; i++)
		pprof->stack[pprof->depth++] = pprof->frames[location->first_frame + i];
	if (location == &none)
		pprof->frame_count = none.first_frame;
	return true;
}

/* ---- samples --------------------------------------------------------------------------------------------- */

static enum histree_status add_values(struct pprof *pprof, struct wire_message sample, uint32_t stack)
{
	static const struct profile_thread nobody = { .has_pid = false };
	struct wire_field field;
	uint64_t value;
	size_t type = 0;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && wire_next(&sample, &field)) {
		struct wire_list values = wire_list(&field, WIRE_VARINT);
		while (status == HISTREE_OK && field.number == SAMPLE_VALUE && wire_list_next(&values, &value)) {
			const size_t of = type++;
			char name[256];
			if (value == 0)
				continue;
			if (of >= pprof->type_count || (int64_t)value < 0) {
				pprof->profile->left_out++;
				continue;
			}
			const struct packed_text text = text_of(pprof, pprof->types[of]);
			snprintf(name, sizeof(name), "%.*s", (int)(text.size < 200 ? text.size : 200), text.bytes);
			status = profile_sample(pprof->profile, &nobody, name[0] != '\0' ? name : "samples",
						(histree_time)pprof->profile->samples.added, (int64_t)value, stack,
						pprof->error);
		}
	}
	return status;
}

static enum histree_status read_sample(struct pprof *pprof, struct wire_message sample)
{
	struct packed_samples *samples = &pprof->profile->samples;
	struct wire_message rest = sample;
	struct wire_field field;
	uint64_t id;
	uint32_t stack = EVENT_NO_STACK;
	pprof->depth = 0;
	while (wire_next(&rest, &field)) {
		struct wire_list ids = wire_list(&field, WIRE_VARINT);
		while (field.number == SAMPLE_LOCATION && pprof->depth < PACKED_DEEP_MAX &&
		       wire_list_next(&ids, &id))
			if (!put_location(pprof, id))
				return error_memory(pprof->error, "a profile");
	}
	if (pprof->depth == 0) {
		const struct packed_text none = packed_string("");
		const uint32_t frame = packed_samples_frame(samples, packed_string("[unknown]"), none, none);
		if (frame == INTERN_NONE)
			return error_memory(pprof->error, "a profile");
		pprof->stack[pprof->depth++] = frame;
	}
	for (size_t i = pprof->depth; i-- > 0;) {
		stack = packed_samples_stack(samples, stack, pprof->stack[i]);
		if (stack == EVENT_NO_STACK)
			return error_memory(pprof->error, "a profile");
	}
	return add_values(pprof, sample, stack);
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

enum histree_status profile_read_pprof(struct profile *profile, const void *bytes, size_t size,
				       struct histree_error *error)
{
	struct pprof pprof = { .profile = profile, .error = error };
	struct parts *const lists[] = { &pprof.strings, &pprof.mappings, &pprof.locations, &pprof.functions };
	struct wire_message message = wire_message(bytes, size);
	struct wire_field field;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		lists[i]->table.space = &profile->packed->tables;
	pprof.frame_table.space = &profile->packed->tables;
	trace_notes_warn(profile->packed->base.notes,
			 "%s: samples of pprof have no times: they lie one ns apart, in the order of the file",
			 profile->packed->base.path);
	const enum histree_status whole = list_parts(&pprof, message);
	enum histree_status status = whole < 0 ? whole : HISTREE_OK;
	while (status == HISTREE_OK && wire_next(&message, &field))
		if (field.number == PROFILE_SAMPLE && field.bytes != NULL) {
			status = packed_source_look(profile->packed, error);
			if (status == HISTREE_OK)
				status = read_sample(&pprof, wire_inside(&field));
		}
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		table_release(&lists[i]->table, lists[i]->list);
	table_release(&pprof.frame_table, pprof.frames);
	return status == HISTREE_OK ? whole : status;
}
