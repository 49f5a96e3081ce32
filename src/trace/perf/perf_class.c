// SPDX-License-Identifier: MIT
/*
 * perf_class.c - classes of perf's events, named as `perf data convert --to-ctf --all` names them.
 */
#include "trace/perf/perf_class.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- classes --------------------------------------------------------------------------------------------- */

/* A class that is being made. */
struct making {
	struct arena *memory;
	const char **names;
	struct perf_field *fields;
	uint32_t count;
};

static void perf_class_add(struct making *making, struct perf_field field)
{
	making->names[making->count] = field.place.name;
	making->fields[making->count++] = field;
}

static bool perf_class_begin(struct making *making, uint32_t room)
{
	making->names = arena_allocate(making->memory, (room + 1) * sizeof(char *), alignof(char *));
	making->fields =
		arena_allocate(making->memory, (room + 1) * sizeof(*making->fields), alignof(struct perf_field));
	return making->names != NULL && making->fields != NULL;
}

static struct perf_class *end(const struct making *making, const char *name, const struct event_trace *trace,
			      uint32_t id)
{
	struct perf_class *class = arena_allocate(making->memory, sizeof(*class), alignof(struct perf_class));
	if (class == NULL || name == NULL)
		return NULL;
	*class = (struct perf_class){
		.class = { .trace = trace,
			   .id = id,
			   .name = name,
			   .field_count = making->count,
			   .fields = making->names,
			   .payload_count = making->count },
		.fields = making->fields,
	};
	return class;
}

static void add_part(struct making *making, const char *name, uint16_t offset, uint32_t size, bool is_signed)
{
	if (offset == 0)
		return;
	perf_class_add(making, (struct perf_field){ .place = { .name = name,
							       .kind = TRACEPOINT_INTEGER,
							       .is_signed = is_signed,
							       .offset = offset,
							       .size = size } });
}

/* What is 64 bits long and found in another way than by its offset. */
static void add_word(struct making *making, const char *name, enum perf_place where)
{
	perf_class_add(making,
		       (struct perf_field){ .place = { .name = name, .kind = TRACEPOINT_INTEGER, .size = 8 },
					    .where = where });
}

/* The same of 32 bits, with a sign. */
static void add_number(struct making *making, const char *name, enum perf_place where)
{
	perf_class_add(making,
		       (struct perf_field){
			       .place = { .name = name, .kind = TRACEPOINT_INTEGER, .is_signed = true, .size = 4 },
			       .where = where });
}

static void add_parts(struct making *making, const struct perf_attribute *attribute)
{
	uint16_t tid = attribute->tid, id = attribute->identifier != 0 ? attribute->identifier : attribute->id;
	add_part(making, "perf_ip", attribute->ip, 8, false);
	add_part(making, "perf_tid", tid == 0 ? 0 : (uint16_t)(tid + 4), 4, true);
	add_part(making, "perf_pid", tid, 4, true);
	add_part(making, "perf_id", id, 8, false);
	add_part(making, "perf_stream_id", attribute->stream_id, 8, false);
	add_part(making, "perf_period", attribute->period, 8, false);
	if (attribute->type != PERF_TYPE_IS_TRACEPOINT) {
		if (attribute->period == 0 && attribute->fixed_period != 0)
			add_word(making, "perf_period", PERF_FIXED_PERIOD);
		add_word(making, "perf_mode", PERF_IN_MODE);
	}
	if ((attribute->sample_type & PERF_HAS_CALLCHAIN) != 0)
		add_word(making, "perf_callchain", PERF_IN_CHAIN);
}

/* Returns a name that lives as long as the file, NULL if memory runs out. */
__attribute__((format(printf, 2, 3))) static const char *make_name(struct perf_file *file, const char *format, ...)
{
	char name[256];
	va_list values;
	va_start(values, format);
	int size = vsnprintf(name, sizeof(name), format, values);
	va_end(values);
	return arena_copy(&file->memory, name, size < (int)sizeof(name) ? (size_t)size : sizeof(name) - 1);
}

static const char *name_of(struct perf_file *file, size_t index, const struct tracepoint *tracepoint)
{
	const struct perf_attribute *attribute = &file->attributes[index];
	if (tracepoint != NULL)
		return make_name(file, "%s:%s", tracepoint->system, tracepoint->name);
	if (file->names[index] != NULL)
		return file->names[index];
	return make_name(file, "perf:%" PRIu32 ":%" PRIu64, attribute->type, attribute->config);
}

/* More events than that are in no group, or a file makes them up. */
enum { COUNTERS_MAX = 64 };

static bool add_counter(struct making *making, struct perf_file *file, size_t index)
{
	const struct perf_attribute *attribute = &file->attributes[index];
	const char *kept = file->names[index] != NULL ? make_name(file, "perf_read_%s", file->names[index])
						      : make_name(file, "perf_read_%" PRIu32 ":%" PRIu64,
								  attribute->type, attribute->config);
	if (kept != NULL)
		perf_class_add(making, (struct perf_field){
					       .place = { .name = kept, .kind = TRACEPOINT_INTEGER, .size = 8 },
					       .where = PERF_IN_GROUP,
					       .counter = (uint32_t)index });
	return kept != NULL;
}

struct perf_class *perf_class_of_samples(struct perf_file *file, size_t index, const struct event_trace *trace,
					 uint32_t id)
{
	enum { PARTS_MAX = 11 };
	const struct perf_attribute *attribute = &file->attributes[index];
	const struct tracepoint *tracepoint = attribute->type == PERF_TYPE_IS_TRACEPOINT
						      ? id_map_find(&file->tracepoints, attribute->config)
						      : NULL;
	struct making making = { .memory = &file->memory };
	if (!perf_class_begin(&making,
			      PARTS_MAX + COUNTERS_MAX + (tracepoint == NULL ? 0 : tracepoint->field_count)))
		return NULL;
	add_parts(&making, attribute);
	if (perf_attribute_reads_group(attribute)) {
		if ((attribute->read_format & PERF_READ_TIME_ENABLED) != 0)
			add_word(&making, "perf_time_enabled", PERF_TIME_ENABLED);
		if ((attribute->read_format & PERF_READ_TIME_RUNNING) != 0)
			add_word(&making, "perf_time_running", PERF_TIME_RUNNING);
	}
	/*
	 * Which events are in the group of this one, its samples say: here are all that are read with others.
	 */
	uint32_t count = 0;
	for (size_t i = 0; i < file->attribute_count && count < COUNTERS_MAX; i++) {
		if (!perf_attribute_reads_group(attribute) || !perf_attribute_reads_group(&file->attributes[i]))
			continue;
		if (!add_counter(&making, file, i))
			return NULL;
		count++;
	}
	if (tracepoint != NULL) {
		for (uint32_t i = 0; i < tracepoint->field_count; i++)
			perf_class_add(&making,
				       (struct perf_field){ .place = tracepoint->fields[i], .where = PERF_IN_RAW });
	}
	struct perf_class *class = end(&making, name_of(file, index, tracepoint), trace, id);
	if (class != NULL) {
		class->attribute = attribute;
		class->file = file;
	}
	return class;
}

/* ---- records that are no samples ------------------------------------------------------------------------- */

enum { SIDE_FIELDS_MAX = 7 };

#define NUMBER(word, at, bytes)                                                                        \
	{                                                                                              \
		.name = (word), .kind = TRACEPOINT_INTEGER, .is_signed = (bytes) == 4, .offset = (at), \
		.size = (bytes)                                                                        \
	}
#define TEXT(word, at)                                                  \
	{                                                               \
		.name = (word), .kind = TRACEPOINT_TEXT, .offset = (at) \
	}

/* Offsets: include/uapi/linux/perf_event.h. */
static const struct side_row {
	uint32_t record_type;
	const char *name;
	struct tracepoint_field fields[SIDE_FIELDS_MAX];
} sides[PERF_SIDE_COUNT] = {
	[PERF_SIDE_COMM] = { PERF_COMM,
			     "perf_comm",
			     { NUMBER("pid", 8, 4), NUMBER("tid", 12, 4), TEXT("comm", 16) } },
	[PERF_SIDE_EXIT] = { PERF_EXIT,
			     "perf_exit",
			     { NUMBER("pid", 8, 4), NUMBER("ppid", 12, 4), NUMBER("tid", 16, 4),
			       NUMBER("ptid", 20, 4), NUMBER("time", 24, 8) } },
	[PERF_SIDE_FORK] = { PERF_FORK,
			     "perf_fork",
			     { NUMBER("pid", 8, 4), NUMBER("ppid", 12, 4), NUMBER("tid", 16, 4),
			       NUMBER("ptid", 20, 4), NUMBER("time", 24, 8) } },
	[PERF_SIDE_MMAP] = { PERF_MMAP,
			     "perf_mmap",
			     { NUMBER("pid", 8, 4), NUMBER("tid", 12, 4), NUMBER("start", 16, 8),
			       NUMBER("len", 24, 8), NUMBER("pgoff", 32, 8), TEXT("filename", 40) } },
	[PERF_SIDE_MMAP2] = { PERF_MMAP2,
			      "perf_mmap2",
			      { NUMBER("pid", 8, 4), NUMBER("tid", 12, 4), NUMBER("start", 16, 8),
				NUMBER("len", 24, 8), NUMBER("pgoff", 32, 8), TEXT("filename", 72) } },
	[PERF_SIDE_SWITCH] = { PERF_SWITCH_CPU_WIDE, "perf_switch", { NUMBER("next_pid", 12, 4) } },
	[PERF_SIDE_LEAVE] = { PERF_SWITCH, "perf_leave", { { 0 } } },
	[PERF_SIDE_COME] = { PERF_SWITCH, "perf_come", { { 0 } } },
};

enum perf_side perf_side_of(uint32_t record_type, uint16_t misc)
{
	switch (record_type) {
	case PERF_COMM:
		return PERF_SIDE_COMM;
	case PERF_EXIT:
		return PERF_SIDE_EXIT;
	case PERF_FORK:
		return PERF_SIDE_FORK;
	case PERF_MMAP:
		return PERF_SIDE_MMAP;
	case PERF_MMAP2:
		return PERF_SIDE_MMAP2;
	case PERF_SWITCH:
		return (misc & PERF_MISC_IS_OUT) != 0 ? PERF_SIDE_LEAVE : PERF_SIDE_COME;
	case PERF_SWITCH_CPU_WIDE:
		return (misc & PERF_MISC_IS_OUT) != 0 ? PERF_SIDE_SWITCH : PERF_SIDE_COME;
	default:
		return PERF_SIDE_COUNT;
	}
}

struct perf_class *perf_class_of_side(struct perf_file *file, enum perf_side side, const struct event_trace *trace,
				      uint32_t id)
{
	struct making making = { .memory = &file->memory };
	if (!perf_class_begin(&making, SIDE_FIELDS_MAX))
		return NULL;
	for (size_t i = 0; i < SIDE_FIELDS_MAX && sides[side].fields[i].name != NULL; i++)
		perf_class_add(&making, (struct perf_field){ .place = sides[side].fields[i] });
	if (side == PERF_SIDE_COMM)
		add_word(&making, "exec", PERF_IS_EXEC);
	if (side == PERF_SIDE_MMAP || side == PERF_SIDE_MMAP2)
		add_word(&making, "build_id", PERF_BUILD_ID);
	if (side == PERF_SIDE_SWITCH || side == PERF_SIDE_LEAVE || side == PERF_SIDE_COME) {
		add_number(&making, "perf_tid", PERF_OWN_TID);
		add_number(&making, "perf_pid", PERF_OWN_PID);
	}
	if (side == PERF_SIDE_SWITCH || side == PERF_SIDE_LEAVE) {
		add_number(&making, "prev_pid", PERF_OWN_TID);
		add_number(&making, "prev_state", PERF_LEFT_AS);
	}
	if (side == PERF_SIDE_COME)
		add_number(&making, "tid", PERF_OWN_TID);
	struct perf_class *class = end(&making, sides[side].name, trace, id);
	if (class != NULL)
		class->file = file;
	return class;
}

/* ---- fields ---------------------------------------------------------------------------------------------- */

/* What is in the group of a sample: what a counter counted, or a time; false: it is not in there. */
static bool group_int(const struct event *event, const struct perf_field *field, int64_t *out)
{
	const struct perf_class *class = (const struct perf_class *)event->class;
	const struct perf_event *of = event->handle;
	const struct perf_group group =
		perf_attribute_group(class->attribute, of->record, of->record_size, of->is_big);
	const uint8_t *time = field->where == PERF_TIME_ENABLED ? group.enabled : group.running;
	if (field->where != PERF_IN_GROUP) {
		*out = time != NULL ? (int64_t)ordered_u64(time, of->is_big) : 0;
		return time != NULL;
	}
	for (uint64_t i = 0; i < group.count; i++) {
		const uint8_t *value = group.values + i * group.stride;
		const struct perf_number *number =
			id_map_find(&class->file->ids, ordered_u64(value + 8, of->is_big));
		if (number == NULL || number->number != field->counter)
			continue;
		*out = (int64_t)ordered_u64(value, of->is_big);
		return true;
	}
	return false;
}

/* The bytes that a field is in. */
static struct tracepoint_bytes bytes_of(const struct event *event, const struct perf_field *field)
{
	/* The stream whose event it is keeps what was found for the next field. */
	union {
		const void *given;
		struct perf_event *event;
	} handle = { .given = event->handle };
	struct perf_event *of = handle.event;
	if (field->where != PERF_IN_RAW)
		return (struct tracepoint_bytes){ of->record, of->record_size, of->is_big };
	if (!of->has_looked) {
		const struct perf_class *class = (const struct perf_class *)event->class;
		of->raw_size = 0;
		of->raw = perf_attribute_raw(class->attribute, of->record, of->record_size, of->is_big,
					     &of->raw_size);
		if (of->raw == NULL)
			of->raw_size = 0;
		of->has_looked = true;
	}
	return (struct tracepoint_bytes){ of->raw, of->raw_size, of->is_big };
}

bool perf_event_int(const struct event *event, uint32_t index, int64_t *out)
{
	const struct perf_class *class = (const struct perf_class *)event->class;
	if (index >= class->class.field_count)
		return false;
	const struct perf_field *field = &class->fields[index];
	const struct perf_event *of = event->handle;
	const uint16_t misc = ordered_u16(of->record + 4, of->is_big);
	switch (field->where) {
	case PERF_IN_RECORD:
	case PERF_IN_RAW:
		return tracepoint_field_int(&field->place, bytes_of(event, field), out);
	case PERF_IN_MODE:
		*out = misc & PERF_MISC_CPU_MODE;
		return true;
	case PERF_IS_EXEC:
		*out = (misc & PERF_MISC_IS_EXEC) != 0;
		return true;
	case PERF_FIXED_PERIOD:
		*out = (int64_t) class->attribute->fixed_period;
		return true;
	case PERF_OWN_PID:
		*out = of->own_pid;
		return of->own_pid >= 0;
	case PERF_OWN_TID:
		*out = of->turn.tid;
		return of->turn.tid >= 0;
	case PERF_LEFT_AS:
		*out = of->turn.left_as;
		return true;
	case PERF_IN_CHAIN:
	case PERF_BUILD_ID:
		return false;
	default:
		return group_int(event, field, out);
	}
}

bool perf_event_string(const struct event *event, uint32_t index, const char **text, size_t *size)
{
	const struct perf_class *class = (const struct perf_class *)event->class;
	if (index >= class->class.field_count)
		return false;
	const struct perf_field *field = &class->fields[index];
	if (field->where != PERF_IN_RECORD && field->where != PERF_IN_RAW)
		return false;
	return tracepoint_field_text(&field->place, bytes_of(event, field), text, size);
}

/* An array of addresses, or nothing if the sample is shorter than it says. */
static bool visit_chain(const struct event *event, struct event_part part, event_visitor visitor, void *context)
{
	const struct perf_class *class = (const struct perf_class *)event->class;
	const struct perf_event *of = event->handle;
	uint64_t count;
	const uint8_t *chain =
		perf_attribute_chain(class->attribute, of->record, of->record_size, of->is_big, &count);
	if (chain == NULL)
		return visitor(context, &part);
	part.kind = EVENT_ARRAY;
	if (!visitor(context, &part))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		const struct event_part address = { .kind = EVENT_UNSIGNED,
						    .index = i,
						    .depth = 1,
						    .integer = (int64_t)ordered_u64(chain + 8 * i, of->is_big) };
		if (!visitor(context, &address))
			return false;
	}
	part.kind = EVENT_END;
	return visitor(context, &part);
}

static bool visit_build_id(const struct event *event, struct event_part part, event_visitor visitor, void *context)
{
	const struct perf_class *class = (const struct perf_class *)event->class;
	const struct perf_event *of = event->handle;
	part.bytes = (const char *)perf_images_build_id(&class->file->images, of->record, of->record_size,
							of->is_big, &part.size);
	part.kind = part.bytes != NULL ? EVENT_BYTES : EVENT_NOTHING;
	return visitor(context, &part);
}

bool perf_event_visit(const struct event *event, uint32_t index, event_visitor visitor, void *context)
{
	const struct perf_class *class = (const struct perf_class *)event->class;
	struct event_part part = { .kind = EVENT_NOTHING, .name = event->class->fields[index] };
	if (class->fields[index].where == PERF_IN_CHAIN)
		return visit_chain(event, part, visitor, context);
	if (class->fields[index].where == PERF_BUILD_ID)
		return visit_build_id(event, part, visitor, context);
	if (perf_event_int(event, index, &part.integer))
		part.kind = class->fields[index].place.is_signed ? EVENT_INT : EVENT_UNSIGNED;
	else if (perf_event_string(event, index, &part.bytes, &part.size))
		part.kind = EVENT_TEXT;
	return visitor(context, &part);
}
