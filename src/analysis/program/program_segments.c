// SPDX-License-Identifier: MIT
/*
 * Segments: of scenarios, and of spans, which are open under a key.
 */
#include <string.h>

#include "analysis/program/program_run.h"
#include "base/array.h"
#include "base/hash.h"
#include "state/state_system.h"

void run_clear_content(struct program_run *run)
{
	for (size_t i = 0; i < run->program->segment_fields_count; i++)
		run->content[i] = histree_null();
}

/* Unknown is none of the values that a segment can have. */
void run_set_content(struct program_run *run, struct histree_value *content, uint32_t field,
		     struct histree_value value)
{
	value = value_convert(value, run->program->segment_fields[field].type, &run->scratch);
	content[field] = value.type == HISTREE_UNKNOWN ? histree_null() : value;
}

static void fill(struct program_run *run, const struct action_row *row)
{
	const struct program_field_value *fields = &run->program->field_values[row->first_field];
	for (uint32_t i = 0; i < row->field_count; i++)
		run_set_content(run, run->content, fields[i].field, run_value(run, fields[i].value));
}

void run_add_segment(struct program_run *run, histree_time start, histree_time end)
{
	struct changes *changes = &run->changes;
	const struct histree_segment segment = { .start = start, .end = end, .content = run->content };
	if (changes->status == HISTREE_OK && run->segments != NULL)
		changes->status = histree_segment_store_add(run->segments, &segment, &changes->error);
}

/* ---- of scenarios ----------------------------------------------------------------------------------------- */

static histree_time start_of_scenario(struct program_run *run)
{
	struct changes *changes = &run->changes;
	histree_time since = changes->time;
	if (run->scenario != NULL && run->scenario->is_started && run->scenario->start_time != NO_ATTRIBUTE)
		since = changes->system->ongoing.states[run->scenario->start_time].since;
	return since;
}

static bool time_of(struct program_run *run, program_value value, histree_time *out)
{
	struct histree_value time = value_convert(run_value(run, value), HISTREE_LONG, &run->scratch);
	if (time.type == HISTREE_LONG)
		*out = time.int64;
	return time.type == HISTREE_LONG;
}

void run_segment(struct program_run *run, const struct action_row *row)
{
	histree_time now = run->changes.time, start = now, end = now, other;
	if (row->at == PROGRAM_NOTHING || !time_of(run, row->at, &start))
		start = start_of_scenario(run);
	if (row->end != PROGRAM_NOTHING && time_of(run, row->end, &other) && other >= start)
		end = other;
	run_clear_content(run);
	fill(run, row);
	struct histree_value name = run_value(run, row->value);
	run_set_content(run, run->content, SEGMENT_NAME_FIELD, name);
	if (end < start)
		run->without_end++;
	else
		run_add_segment(run, start, end);
}

/* ---- spans ------------------------------------------------------------------------------------------------ */

enum { KEY_BYTES_MAX = 1024 };

struct span_key {
	uint8_t bytes[KEY_BYTES_MAX]; /* the span, and then each value as text with its length */
	size_t size;
	uint64_t hash;
};

/* Returns whether the event has a key. */
static bool read_key(struct program_run *run, const struct action_row *row, struct span_key *key)
{
	memcpy(key->bytes, &row->span, sizeof(row->span));
	key->size = sizeof(row->span);
	for (uint32_t i = 0; i < row->key_count; i++) {
		struct histree_value value = run_value(run, run->program->keys[row->first_key + i]);
		value = value_convert(value, HISTREE_STRING, &run->scratch);
		if (value.type != HISTREE_STRING || key->size + 4 + value.size > KEY_BYTES_MAX)
			return false;
		memcpy(key->bytes + key->size, &value.size, 4);
		memcpy(key->bytes + key->size + 4, value.bytes, value.size);
		key->size += 4 + value.size;
	}
	key->hash = hash_bytes(key->bytes, key->size);
	return true;
}

/*
 * What an open segment keeps is in a buffer of its own: the fields, then the key, then texts of fields.  Of its
 * `values`, the first says how long the key is.
 */
static struct histree_value *kept_fields(const struct open_segment *segment)
{
	return (struct histree_value *)(void *)segment->text;
}

static bool has_key(const struct program_run *run, const struct open_segment *segment, const struct span_key *key)
{
	const char *bytes = segment->text + run->program->segment_fields_count * sizeof(struct histree_value);
	return (size_t)segment->values[0].int64 == key->size && memcmp(bytes, key->bytes, key->size) == 0;
}

static struct open_segment *find_span(struct program_run *run, const struct span_key *key)
{
	struct open_segment *segment = open_segments_find(&run->spans, key->hash);
	return segment != NULL && has_key(run, segment, key) ? segment : NULL;
}

static bool keep_content(struct program_run *run, struct open_segment *segment, const struct span_key *key)
{
	size_t count = run->program->segment_fields_count, size = count * sizeof(struct histree_value) + key->size;
	for (size_t i = 0; i < count; i++)
		size += run->content[i].type == HISTREE_STRING ? run->content[i].size : 0;
	if (!array_reserve(&segment->text, &segment->text_capacity, size))
		return false;
	struct histree_value *fields = kept_fields(segment);
	char *text = segment->text + count * sizeof(*fields);
	memcpy(text, key->bytes, key->size);
	text += key->size;
	for (size_t i = 0; i < count; i++) {
		fields[i] = run->content[i];
		if (fields[i].type != HISTREE_STRING)
			continue;
		memcpy(text, fields[i].bytes, fields[i].size);
		fields[i].bytes = text;
		text += fields[i].size;
	}
	segment->values[0] = histree_long((int64_t)key->size);
	return true;
}

void run_span_begin(struct program_run *run, const struct action_row *row)
{
	struct span_key key;
	if (!read_key(run, row, &key))
		return;
	run_clear_content(run);
	fill(run, row);
	struct histree_value name = row->value != PROGRAM_NOTHING ? run_value(run, row->value)
								  : histree_string(run->program->spans[row->span]);
	run_set_content(run, run->content, SEGMENT_NAME_FIELD, name);
	if (open_segments_find(&run->spans, key.hash) != NULL)
		run->without_end++;
	struct open_segment *segment = open_segments_add(&run->spans, key.hash, run->changes.time);
	if (segment != NULL && keep_content(run, segment, &key))
		return;
	if (segment != NULL)
		open_segments_remove(&run->spans, segment);
	changes_fail(&run->changes, HISTREE_ERR_MEMORY, "no memory for spans");
}

void run_span_end(struct program_run *run, const struct action_row *row)
{
	struct span_key key;
	if (!read_key(run, row, &key))
		return;
	struct open_segment *segment = find_span(run, &key);
	if (segment == NULL) {
		run->without_start++;
		return;
	}
	memcpy(run->content, kept_fields(segment), run->program->segment_fields_count * sizeof(*run->content));
	fill(run, row);
	if (row->value != PROGRAM_NOTHING)
		run_set_content(run, run->content, SEGMENT_NAME_FIELD, run_value(run, row->value));
	if (segment->start > run->changes.time)
		run->without_end++;
	else
		run_add_segment(run, segment->start, run->changes.time);
	open_segments_remove(&run->spans, segment);
}

void run_forget_spans(struct program_run *run)
{
	for (size_t i = 0; i < run->spans.keyed; i++) {
		if (!run->spans.records[i]->is_open)
			continue;
		open_segments_remove(&run->spans, run->spans.records[i]);
		run->without_end++;
	}
}
