// SPDX-License-Identifier: MIT
/*
 * packed_samples.c - the stacks of samples by number, each distinct one once, and the classes of samples.
 */
#include "trace/packed/packed_samples.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/table.h"

/* A frame that does not exist yet, or that had no room. */
#define NO_FRAME UINT32_MAX

static void forget(struct packed_samples *samples)
{
	intern_release(&samples->texts);
	intern_release(&samples->frames);
	intern_release(&samples->ids);
	intern_release(&samples->events);
	hash_index_release(&samples->by_frame);
	table_release(&samples->frame_table, samples->frame_list);
	table_release(&samples->stack_table, samples->stacks);
	table_release(&samples->id_table, samples->of_ids);
	samples->frame_list = NULL;
	samples->stacks = NULL;
	samples->of_ids = NULL;
	samples->frame_capacity = samples->stack_capacity = samples->id_capacity = 0;
	samples->frame_table = samples->stack_table = samples->id_table = (struct table){ .space = NULL };
}

void packed_samples_begin(struct packed_samples *samples, struct packed_source *packed, struct event_trace *trace)
{
	forget(samples);
	intern_use_space(&samples->texts, &packed->tables);
	intern_use_space(&samples->frames, &packed->tables);
	intern_use_space(&samples->ids, &packed->tables);
	samples->by_frame.table.space = &packed->tables;
	samples->frame_table.space = samples->stack_table.space = samples->id_table.space = &packed->tables;
	samples->packed = packed;
	samples->trace = trace;
	samples->texts_size = 0;
	samples->stack_count = 0;
	samples->added = 0;
	samples->is_full = false;
	trace->stacks = NULL;
}

void packed_samples_release(struct packed_samples *samples)
{
	forget(samples);
	free((void *)samples->classes);
	*samples = (struct packed_samples){ .packed = NULL };
}

/* ---- frames ---------------------------------------------------------------------------------------------- */

/* At most PACKED_NAME_MAX bytes, and no part of a character. */
static uint32_t add_text(struct packed_samples *samples, struct packed_text text)
{
	size_t size = text.size;
	if (size > PACKED_NAME_MAX)
		for (size = PACKED_NAME_MAX; size > 0 && ((unsigned char)text.bytes[size] & 0xc0) == 0x80;)
			size--;
	const uint32_t known = samples->texts.count;
	const uint32_t number = intern_add(&samples->texts, size > 0 ? text.bytes : "", size);
	samples->texts_size += number == known ? size : 0;
	return number;
}

static const char *text_of(const struct packed_samples *samples, uint32_t number)
{
	size_t size;
	return intern_get(&samples->texts, number, &size);
}

uint32_t packed_samples_frame(struct packed_samples *samples, struct packed_text function,
			      struct packed_text binary, struct packed_text line)
{
	static const struct packed_text none = { "", 0 };
	if (samples->texts_size > PACKED_NAMES_SIZE || samples->frames.count >= PACKED_FRAMES_MAX) {
		samples->is_full = true;
		function = binary = line = none;
	}
	const uint32_t key[3] = { add_text(samples, function), add_text(samples, binary), add_text(samples, line) };
	if (key[0] == INTERN_NONE || key[1] == INTERN_NONE || key[2] == INTERN_NONE)
		return INTERN_NONE;
	const uint32_t known = samples->frames.count;
	const uint32_t frame = intern_add(&samples->frames, key, sizeof(key));
	if (frame == INTERN_NONE || frame < known)
		return frame;
	if (!table_reserve(&samples->frame_table, &samples->frame_list, &samples->frame_capacity,
			   (size_t)frame + 1))
		return INTERN_NONE;
	samples->frame_list[frame] = (struct event_frame){ .function = text_of(samples, key[0]),
							   .binary = text_of(samples, key[1]),
							   .line = text_of(samples, key[2]) };
	return frame;
}

/* ---- stacks ---------------------------------------------------------------------------------------------- */

static bool has_key(const void *elements, uint32_t number, const void *key)
{
	return memcmp(&((const struct event_stack *)elements)[number], key, sizeof(struct event_stack)) == 0;
}

static uint64_t hash_of(const void *elements, uint32_t number)
{
	return hash_bytes(&((const struct event_stack *)elements)[number], sizeof(struct event_stack));
}

/* Returns EVENT_NO_STACK when memory runs out, or the last one when there are too many. */
static uint32_t put_stack(struct packed_samples *samples, struct event_stack stack)
{
	if (samples->stack_count == PACKED_STACKS_MAX) {
		samples->is_full = true;
		samples->stacks[PACKED_STACKS_MAX - 1] = (struct event_stack){ EVENT_NO_STACK, NO_FRAME };
		return PACKED_STACKS_MAX - 1;
	}
	if (!table_reserve(&samples->stack_table, &samples->stacks, &samples->stack_capacity,
			   (size_t)samples->stack_count + 1))
		return EVENT_NO_STACK;
	samples->stacks[samples->stack_count] = stack;
	return samples->stack_count++;
}

uint32_t packed_samples_stack(struct packed_samples *samples, uint32_t parent, uint32_t frame)
{
	const struct event_stack stack = { parent, frame };
	const uint64_t hash = hash_bytes(&stack, sizeof(stack));
	if (frame == INTERN_NONE)
		return EVENT_NO_STACK;
	uint32_t number = hash_index_find(&samples->by_frame, hash, has_key, samples->stacks, &stack);
	if (number != HASH_INDEX_NONE)
		return number;
	if (!hash_index_reserve(&samples->by_frame, (size_t)samples->by_frame.count + 1, hash_of, samples->stacks))
		return EVENT_NO_STACK;
	const uint32_t before = samples->stack_count;
	number = put_stack(samples, stack);
	if (number == before)
		hash_index_add(&samples->by_frame, hash, number);
	return number;
}

uint32_t packed_samples_named(struct packed_samples *samples, struct packed_text id)
{
	static const struct event_stack none = { EVENT_NO_STACK, NO_FRAME };
	uint32_t number = intern_find(&samples->ids, id.bytes, id.size);
	if (number != INTERN_NONE)
		return samples->of_ids[number];
	if (samples->stack_count == PACKED_STACKS_MAX)
		return put_stack(samples, none);
	number = intern_add(&samples->ids, id.bytes, id.size);
	if (number == INTERN_NONE ||
	    !table_reserve(&samples->id_table, &samples->of_ids, &samples->id_capacity, (size_t)number + 1))
		return EVENT_NO_STACK;
	return samples->of_ids[number] = put_stack(samples, none);
}

/* The last that there is room for stays without a name. */
void packed_samples_set(struct packed_samples *samples, uint32_t stack, uint32_t parent, uint32_t frame)
{
	if (stack < samples->stack_count && !(samples->is_full && stack == PACKED_STACKS_MAX - 1))
		samples->stacks[stack] = (struct event_stack){ parent, frame };
}

void packed_samples_adopt(struct packed_samples *samples, uint32_t stack, uint32_t parent)
{
	if (stack < samples->stack_count)
		packed_samples_set(samples, stack, parent, samples->stacks[stack].frame);
}

/* ---- samples --------------------------------------------------------------------------------------------- */

static const struct packed_class *class_of(struct packed_samples *samples, struct packed_text event,
					   struct histree_error *error)
{
	static const struct packed_text unnamed = { "samples", 7 };
	char name[PACKED_NAME_MAX + 1];
	if (event.size == 0 || event.size > PACKED_NAME_MAX || memchr(event.bytes, '\0', event.size) != NULL)
		event = unnamed;
	uint32_t number = intern_find(&samples->events, event.bytes, event.size);
	if (number != INTERN_NONE)
		return samples->classes[number];
	if (samples->events.count >= PACKED_EVENTS_MAX)
		event = unnamed;
	number = intern_add(&samples->events, event.bytes, event.size);
	if (number == INTERN_NONE ||
	    !array_reserve(&samples->classes, &samples->class_capacity, (size_t)number + 1)) {
		error_memory(error, "the classes of samples");
		return NULL;
	}
	memcpy(name, event.bytes, event.size);
	name[event.size] = '\0';
	const struct event_class as = { .trace = samples->trace,
					.name = name,
					.fields = sample_field_names,
					.field_count = SAMPLE_FIELD_COUNT,
					.payload_count = SAMPLE_FIELD_COUNT };
	return samples->classes[number] = packed_source_class(samples->packed, &as, error);
}

enum histree_status packed_samples_add(struct packed_samples *samples, const struct packed_sample *sample,
				       struct histree_error *error)
{
	struct packed_cell cells[SAMPLE_FIELD_COUNT];
	if (sample->stack == EVENT_NO_STACK)
		return error_memory(error, "the stacks of samples");
	const struct packed_class *class = class_of(samples, sample->event, error);
	if (class == NULL)
		return HISTREE_ERR_MEMORY;
	memcpy(cells, sample->cells, sizeof(cells));
	cells[SAMPLE_STACK] = packed_unsigned(sample->stack);
	const struct packed_event event = {
		.time = sample->time, .cpu = sample->cpu, .class = class, .cells = cells
	};
	samples->added++;
	return packed_source_add(samples->packed, &event, error);
}

void packed_samples_end(struct packed_samples *samples)
{
	samples->all = (struct event_stacks){ .frames = samples->frame_list,
					      .frame_count = samples->frames.count,
					      .stacks = samples->stacks,
					      .stack_count = samples->stack_count };
	samples->trace->stacks = samples->added > 0 ? &samples->all : NULL;
	samples->trace->has_samples = samples->added > 0;
	if (samples->is_full)
		trace_notes_warn(samples->packed->base.notes,
				 "%s: it has more functions or stacks than fit in, %d and %d: others are [unknown]",
				 samples->packed->base.path, PACKED_FRAMES_MAX, PACKED_STACKS_MAX);
}
