// SPDX-License-Identifier: MIT
/*
 * change_log_bytes.c - a change log on its way to whoever has the true system, elsewhere (docs/design/12-build.md).
 *
 *	end less start of the history
 *	texts		of names: how many, each with its size; then of values, likewise
 *	attributes	how many; of each how many quarks before it its parent is (0: none), and the name: a number
 *			twice, or the number of a text twice and one
 *	changes		how many; of each kind and type in one number, the difference of the quark to that before,
 *			of the time to that before, and what its kind has
 *
 * What is read back is checked as far as memory depends on it: attributes and texts that are named are there, times
 * are not before the history.  That it is true, its reader believes.
 */
#include "analysis/change_log.h"
#include "analysis/logged_change.h"
#include "base/error.h"
#include "state/state_system.h"

enum { TYPES = 16 }; /* room for those in the number of a change */

_Static_assert((int)HISTREE_UNKNOWN < (int)TYPES, "a type has four bits");

/* ---- writing ------------------------------------------------------------------------------------------------- */

static void save_texts(const struct intern *texts, struct saved_bytes *out)
{
	saved_put(out, texts->count);
	for (uint32_t id = 0; id < texts->count; id++) {
		size_t size;
		const char *text = intern_get(texts, id, &size);
		saved_put_text(out, text, size);
	}
}

static void save_attributes(const struct attribute_tree *tree, struct saved_bytes *out)
{
	saved_put(out, tree->base.count);
	for (histree_quark quark = 0; quark < tree->base.count; quark++) {
		const struct attribute *attribute = &tree->attributes[quark];
		bool is_number = (attribute->name & ATTRIBUTE_IS_NUMBER) != 0;
		uint64_t name = attribute->name & ~ATTRIBUTE_IS_NUMBER;
		saved_put(out, attribute->parent == HISTREE_ROOT ? 0 : quark - attribute->parent);
		saved_put(out, name << 1 | !is_number);
	}
}

static bool names_another(const struct logged_change *change)
{
	return change->kind == CHANGE_CHOOSE || change->kind == CHANGE_COPY;
}

/* The least and the greatest value are of no time. */
static bool has_time(const struct logged_change *change)
{
	return change->kind != CHANGE_LEAST && change->kind != CHANGE_GREATEST;
}

static bool has_value(const struct logged_change *change)
{
	return change->kind != CHANGE_END_CHILD && !names_another(change);
}

static void save_value(const struct logged_change *change, struct saved_bytes *out)
{
	switch ((enum histree_type)change->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	case HISTREE_INT:
		saved_put_signed(out, (int32_t)(uint32_t)change->bits);
		break;
	case HISTREE_LONG:
		saved_put_signed(out, (int64_t)change->bits);
		break;
	case HISTREE_DOUBLE:
	case HISTREE_BOOL:
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		saved_put(out, change->bits);
		break;
	}
}

static void save_change(const struct logged_change *change, struct logged_change *before, struct saved_bytes *out)
{
	saved_put(out, (uint64_t)change->kind * TYPES + change->type);
	saved_put_signed(out, (int64_t)change->quark - (int64_t)before->quark);
	before->quark = change->quark;
	if (has_time(change)) {
		saved_put_time(out, change->time, before->time);
		before->time = change->time;
	}
	if (change->kind == CHANGE_INTERVAL)
		saved_put_time(out, change->end, change->time);
	if (names_another(change))
		saved_put_signed(out, (int64_t)change->bits - (int64_t)change->quark);
	if (change->kind == CHANGE_CHOOSE) {
		saved_put(out, (uint64_t)change->end >> 32);
		saved_put(out, (uint64_t)change->end & UINT32_MAX);
	}
	if (change->kind == CHANGE_END_CHILD)
		saved_put(out, change->bits);
	if (has_value(change))
		save_value(change, out);
}

void change_log_save(struct change_log *log, struct saved_bytes *out)
{
	struct logged_change before = { .time = histree_state_start(log->system) };
	change_log_settle(log);
	saved_put_time(out, histree_state_current_end(log->system), before.time);
	save_texts(&log->system->attributes.texts, out);
	save_texts(&log->texts, out);
	save_attributes(&log->system->attributes, out);
	saved_put(out, log->count);
	for (const struct change_chunk *chunk = log->first; chunk != NULL; chunk = chunk->next)
		for (size_t i = 0; i < chunk->count; i++)
			save_change(&chunk->changes[i], &before, out);
}

/* ---- reading ------------------------------------------------------------------------------------------------- */

static void load_texts(struct change_log *log, struct intern *texts, size_t size_max, struct byte_reader *reader)
{
	size_t count = saved_read_count(reader, 1);
	for (size_t id = 0; id < count && !reader->failed && !log->no_memory; id++) {
		size_t size;
		const char *text = saved_read_text(reader, &size);
		uint32_t got = reader->failed || size > size_max ? 0 : intern_add(texts, text, size);
		log->no_memory = got == INTERN_NONE;
		reader->failed = reader->failed || size > size_max || got != id;
	}
}

static void load_attributes(struct change_log *log, struct byte_reader *reader)
{
	size_t count = saved_read_count(reader, 2);
	log->names = calloc(count + 1, sizeof(*log->names));
	if (log->names == NULL) {
		log->no_memory = true;
		return;
	}
	for (size_t quark = 0; quark < count && !reader->failed; quark++) {
		uint64_t up = saved_read_below(reader, quark + 1), name = read_varint(reader);
		bool is_text = (name & 1) != 0;
		uint64_t limit = is_text ? log->name_texts.count : (uint64_t)ATTRIBUTE_NUMBER_MAX + 1;
		if (name >> 1 >= limit)
			reader->failed = true;
		log->names[quark] = (struct logged_name){
			.parent = up == 0 ? HISTREE_ROOT : (histree_quark)(quark - up),
			.name = (uint32_t)(name >> 1) | (is_text ? 0 : ATTRIBUTE_IS_NUMBER),
		};
	}
	log->name_count = count;
}

static void load_value(const struct change_log *log, struct logged_change *change, struct byte_reader *reader)
{
	int64_t number;
	switch ((enum histree_type)change->type) {
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	case HISTREE_INT:
		number = saved_read_signed(reader);
		reader->failed = reader->failed || number != (int32_t)number;
		change->bits = (uint32_t)number;
		break;
	case HISTREE_LONG:
		change->bits = (uint64_t)saved_read_signed(reader);
		break;
	case HISTREE_DOUBLE:
		change->bits = read_varint(reader);
		break;
	case HISTREE_BOOL:
		change->bits = saved_read_below(reader, 2);
		break;
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		change->bits = saved_read_below(reader, log->texts.count);
		break;
	default:
		reader->failed = true;
	}
}

static uint64_t load_quark(const struct change_log *log, histree_quark base, struct byte_reader *reader)
{
	uint64_t quark = (uint64_t)base + (uint64_t)saved_read_signed(reader);
	reader->failed = reader->failed || quark >= log->name_count;
	return quark;
}

/* The true system sees for itself whether it has come to the time of a change. */
static bool makes_sense(const struct logged_change *change, histree_time start, histree_time end)
{
	switch ((enum change_kind)change->kind) {
	case CHANGE_LEAST:
	case CHANGE_GREATEST:
		return change->type == HISTREE_LONG;
	case CHANGE_INTERVAL:
		return change->time >= start && change->end >= change->time && change->end < end;
	case CHANGE_SETTLE:
		return change->time >= start && change->time <= end;
	case CHANGE_SET:
	case CHANGE_CHOOSE:
	case CHANGE_COPY:
	case CHANGE_END_CHILD:
		return change->time >= start;
	}
	return false;
}

static struct logged_change load_change(const struct change_log *log, const struct logged_change *before,
					struct byte_reader *reader)
{
	uint64_t kind = saved_read_below(reader, ((uint64_t)CHANGE_GREATEST + 1) * TYPES);
	struct logged_change change = { .kind = (uint8_t)(kind / TYPES), .type = (uint8_t)(kind % TYPES) };
	change.quark = (histree_quark)load_quark(log, before->quark, reader);
	change.time = has_time(&change) ? saved_read_time(reader, before->time) : before->time;
	if (change.kind == CHANGE_INTERVAL)
		change.end = saved_read_time(reader, change.time);
	if (names_another(&change))
		change.bits = load_quark(log, change.quark, reader);
	if (change.kind == CHANGE_CHOOSE) {
		uint64_t null = saved_read_below(reader, (uint64_t)INT32_MAX + 1);
		change.end = (histree_time)(null << 32 | saved_read_below(reader, (uint64_t)INT32_MAX + 1));
	}
	if (change.kind == CHANGE_END_CHILD)
		change.bits = saved_read_below(reader, log->texts.count);
	if (has_value(&change))
		load_value(log, &change, reader);
	return change;
}

static void load_changes(struct change_log *log, histree_time start, histree_time end, struct byte_reader *reader)
{
	struct logged_change before = { .time = start };
	size_t count = saved_read_count(reader, 3);
	for (size_t i = 0; i < count && !reader->failed && !log->no_memory; i++) {
		before = load_change(log, &before, reader);
		if (reader->failed || !makes_sense(&before, start, end))
			reader->failed = true;
		else
			change_log_put(log, &before);
	}
}

enum histree_status change_log_load(struct change_log *log, size_t value_size_max, struct byte_reader *reader,
				    struct histree_error *error)
{
	histree_time start = histree_state_start(log->system), end = saved_read_time(reader, start);
	reader->failed = reader->failed || end < start;
	log->system->current_end = end;
	if (log->bytes_max <= SIZE_MAX / 2)
		log->bytes_max *= 2; /* what was exact has become changes */
	load_texts(log, &log->name_texts, UINT32_MAX, reader);
	load_texts(log, &log->texts, value_size_max, reader);
	load_attributes(log, reader);
	load_changes(log, start, end, reader);
	if (log->no_memory)
		return error_memory(error, "the changes of a slice");
	if (reader->failed || log->why != NULL)
		return error_set(error, HISTREE_ERR_FORMAT, "the changes of a slice make no sense");
	return HISTREE_OK;
}
