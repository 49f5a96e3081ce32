// SPDX-License-Identifier: MIT
/*
 * perf_source.c - a recording of perf as a source: its records as events in the order of time, with its losses.
 */
#include "trace/perf/perf_source.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "base/table.h"
#include "histree/value.h"
#include "trace/formats.h"
#include "trace/perf/perf_class.h"
#include "trace/perf/perf_file.h"
#include "trace/perf/perf_records.h"
#include "trace/trace_source.h"

/* ---- perf losses --------------------------------------------------------------------------------------------- */

/* More are of no recording; what is behind them is not marked, but counted. */
enum { LOSSES_MAX = 1 << 20 };

/* The last event of a CPU in the order of the file. */
struct last {
	histree_time time;
	bool is_known;
};

struct walk {
	struct perf_losses *losses;
	struct perf_file *file;
	struct trace_stream *stream;
	struct perf_loss_count *count;
	struct last *lasts; /* by CPU */
	size_t last_count, last_capacity;
	struct last latest; /* of all in the part */
};

static enum histree_status perf_losses_no_memory(struct histree_error *error)
{
	return error_memory(error, "the losses of a trace");
}

/* Events are missing on a CPU since its last one; what came before its first is not known anyway. */
static enum histree_status add_gap(struct walk *walk, uint16_t cpu, struct last last,
				   const struct perf_stamp *stamp, uint64_t count, struct histree_error *error)
{
	struct perf_losses *losses = walk->losses;
	if (!last.is_known || last.time == INT64_MAX || losses->count == LOSSES_MAX)
		return HISTREE_OK;
	if (!array_reserve(&losses->gaps, &losses->capacity, losses->count + 1))
		return perf_losses_no_memory(error);
	struct event_gap *gap = &losses->gaps[losses->count++];
	*gap = (struct event_gap){
		.trace = walk->stream->trace,
		.cpu = cpu == PERF_NO_CPU ? -1 : cpu,
		.begin = last.time + 1,
		.end = stamp->has_time ? stamp->time : INT64_MAX,
		.events = count,
	};
	if (gap->end < gap->begin)
		gap->end = gap->begin;
	return HISTREE_OK;
}

static enum histree_status lose(struct walk *walk, uint16_t cpu, struct last last, const struct perf_stamp *stamp,
				uint64_t count, struct histree_error *error)
{
	struct trace_span span = { .begin = last.is_known ? last.time : INT64_MIN,
				   .end = stamp->has_time ? stamp->time : INT64_MIN };
	walk->stream->notes->report.discarded_events += count;
	trace_stream_note_loss(walk->stream, "event", &count, span);
	return add_gap(walk, cpu, last, stamp, count, error);
}

static enum histree_status read_loss(struct walk *walk, const struct perf_record *record,
				     struct histree_error *error)
{
	struct perf_stamp stamp = perf_stamp_of_side(walk->file, record);
	bool is_big = walk->file->is_big, is_counted = record->type == PERF_LOST_SAMPLES;
	size_t at = is_counted ? 8 : 16;
	if (record->size < at + 8)
		return HISTREE_OK;
	if (is_counted && (ordered_u16(record->bytes + 4, is_big) & PERF_MISC_LEFT_OUT) != 0)
		return HISTREE_OK;
	uint64_t count = ordered_u64(record->bytes + at, is_big);
	if (is_counted && !stamp.has_time) {
		walk->count->by_perf += count;
		return HISTREE_OK;
	}
	walk->count->by_records += is_counted ? 0 : count;
	struct last last = stamp.cpu == PERF_NO_CPU       ? walk->latest
			   : stamp.cpu < walk->last_count ? walk->lasts[stamp.cpu]
							  : (struct last){ 0 };
	return count == 0 ? HISTREE_OK : lose(walk, stamp.cpu, last, &stamp, count, error);
}

/*
 * Whether perf numbers threads as the kernel does: not in a container.  All tracepoints have common_pid at one
 * place (kernel/trace/trace_events.c).
 */
static void compare_numbers(struct walk *walk, const struct perf_record *record, const struct perf_stamp *stamp)
{
	enum { COMMON_PID = 4, COMMON_SIZE = 8 };
	const struct perf_attribute *attribute = &walk->file->attributes[stamp->attribute];
	const bool is_big = walk->file->is_big;
	uint32_t size = 0;
	if (walk->count->has_compared || attribute->type != PERF_TYPE_IS_TRACEPOINT || attribute->tid == 0)
		return;
	const uint8_t *raw = perf_attribute_raw(attribute, record->bytes, record->size, is_big, &size);
	if (raw == NULL || size < COMMON_SIZE)
		return;
	const int32_t of_kernel = (int32_t)ordered_u32(raw + COMMON_PID, is_big);
	const int32_t of_perf = (int32_t)ordered_u32(record->bytes + attribute->tid + 4, is_big);
	walk->count->has_compared = of_kernel > 0 && of_perf >= 0;
	walk->count->counts_otherwise = walk->count->has_compared && of_kernel != of_perf;
}

/* A sample, or what is read in place of samples: what came before it on its CPU is not lost. */
static enum histree_status meet_event(struct walk *walk, const struct perf_stamp *stamp,
				      struct histree_error *error)
{
	if (stamp->cpu >= walk->last_count) {
		if (!array_reserve(&walk->lasts, &walk->last_capacity, (size_t)stamp->cpu + 1))
			return perf_losses_no_memory(error);
		while (walk->last_count <= stamp->cpu)
			walk->lasts[walk->last_count++] = (struct last){ 0 };
	}
	walk->lasts[stamp->cpu] = (struct last){ .time = stamp->time, .is_known = true };
	if (!walk->latest.is_known || stamp->time > walk->latest.time)
		walk->latest = walk->lasts[stamp->cpu];
	struct perf_loss_count *count = walk->count;
	if (!count->has_latest || stamp->time < count->earliest)
		count->earliest = stamp->time;
	if (!count->has_latest || stamp->time > count->latest)
		count->latest = stamp->time;
	count->has_latest = true;
	return HISTREE_OK;
}

static bool is_switch(const struct perf_record *record)
{
	return record->type == PERF_SWITCH || record->type == PERF_SWITCH_CPU_WIDE;
}

static enum histree_status read_record(struct walk *walk, const struct perf_record *record,
				       struct histree_error *error)
{
	struct perf_stamp stamp;
	if (record->type == PERF_SAMPLE) {
		if (!perf_stamp_of_sample(walk->file, record, &stamp))
			return HISTREE_OK;
		compare_numbers(walk, record, &stamp);
		return meet_event(walk, &stamp, error);
	}
	if (record->type == PERF_LOST || record->type == PERF_LOST_SAMPLES)
		return read_loss(walk, record, error);
	if (walk->file->tells_switches && (is_switch(record) || record->type == PERF_COMM ||
					   record->type == PERF_FORK || record->type == PERF_EXIT)) {
		stamp = perf_stamp_of_side(walk->file, record);
		if (stamp.has_time)
			return meet_event(walk, &stamp, error);
	}
	if (record->type > PERF_MMAP2 || perf_stamp_of_side(walk->file, record).has_time)
		return HISTREE_OK;
	return perf_images_take(&walk->file->images, record->bytes, record->size, walk->file->is_big)
		       ? HISTREE_OK
		       : perf_losses_no_memory(error);
}

/* The rest may be readable when the events are read, but what it lacks is not known. */
static enum histree_status lose_unread(struct walk *walk, struct histree_error *error)
{
	const struct perf_stamp end = { .cpu = PERF_NO_CPU };
	if (!walk->latest.is_known) {
		trace_notes_warn(walk->stream->notes,
				 "%s: it could not be read when it was opened; what perf lost "
				 "is not known",
				 walk->stream->name);
		walk->stream->notes->report.damaged_streams++;
	}
	return add_gap(walk, PERF_NO_CPU, walk->latest, &end, 0, error);
}

static enum histree_status read_all(struct walk *walk, struct perf_records *records, struct histree_error *error)
{
	const struct perf_stamp end = { .cpu = PERF_NO_CPU };
	struct perf_record record;
	enum histree_status status;
	do {
		status = perf_records_next(records, &record, error);
		if (status == HISTREE_OK)
			status = read_record(walk, &record, error);
		else if (status == HISTREE_ERR_TRACE)
			status = perf_records_resume(records, error);
	} while (status == HISTREE_OK);
	if (status == HISTREE_ERR_IO)
		return lose_unread(walk, error);
	const struct perf_loss_count *count = walk->count;
	if (status < 0 || count->by_perf <= count->by_records)
		return status < 0 ? status : HISTREE_OK;
	const struct last latest = { .time = count->latest, .is_known = count->has_latest };
	return lose(walk, PERF_NO_CPU, latest, &end, count->by_perf - count->by_records, error);
}

static int compare_gaps(const void *a, const void *b)
{
	const struct event_gap *first = a, *second = b;
	if (first->begin != second->begin)
		return first->begin < second->begin ? -1 : 1;
	return (first->cpu > second->cpu) - (first->cpu < second->cpu);
}

/*
 * Find the losses of a part and add them to the notes of the stream; on the way, find the images of the file.  In
 * the last part, the events lost at the end are the total count less the counts of all records.  Returns
 * HISTREE_ERR_MEMORY, or HISTREE_ERR_TRACE if the records cannot be read at all.
 */
static enum histree_status perf_losses_find(struct perf_losses *losses, struct perf_file *file,
					    struct perf_part *part, size_t window_size,
					    struct perf_loss_count *count, struct trace_stream *stream,
					    struct histree_error *error)
{
	struct walk walk = { .losses = losses, .file = file, .stream = stream, .count = count };
	struct perf_records records;
	enum histree_status status = perf_records_init(&records, part, window_size, part->begin, error);
	if (status == HISTREE_OK)
		status = read_all(&walk, &records, error);
	if (losses->count > 0)
		qsort(losses->gaps, losses->count, sizeof(*losses->gaps), compare_gaps);
	perf_records_release(&records);
	free(walk.lasts);
	return status;
}

/* ---- perf stream --------------------------------------------------------------------------------------------- */

/* Kinds of entries: attributes by number, then these. */
enum { KIND_GAP = 65535, KIND_SIDE = 65000 };

enum histree_status perf_stream_init(struct perf_stream *stream, const uint64_t *at, struct histree_error *error)
{
	size_t classes = stream->file->attribute_count + PERF_SIDE_COUNT;
	stream->classes = calloc(classes, sizeof(struct perf_class *));
	if (stream->classes == NULL)
		return error_memory(error, "the events of a trace");
	stream->current.is_big = stream->file->is_big;
	stream->handed_out = INT64_MIN;
	enum histree_status status =
		at == NULL ? perf_losses_find(&stream->losses, stream->file, stream->part, stream->window_size,
					      stream->loss_count, &stream->base, error)
			   : HISTREE_OK;
	return status == HISTREE_OK ? perf_records_init(&stream->records, stream->part, stream->window_size,
							at == NULL ? stream->part->begin : *at, error)
				    : status;
}

void perf_stream_release(struct perf_stream *stream)
{
	perf_records_release(&stream->records);
	perf_rounds_release(&stream->rounds);
	struct perf_losses *losses = &stream->losses;
	free(losses->gaps);
	*losses = (struct perf_losses){ 0 };
	free((void *)stream->classes);
	free(stream->cpus);
	free(stream->fresh);
	switch_records_release(&stream->switches);
}

/* ---- entries --------------------------------------------------------------------------------------------- */

static enum histree_status perf_stream_no_memory(struct histree_error *error)
{
	return error_memory(error, "a round of events");
}

/* Returns the CPU, NULL when memory runs out. */
static struct perf_cpu *cpu_of(struct perf_stream *stream, uint16_t number)
{
	if (!array_reserve(&stream->cpus, &stream->cpu_capacity, (size_t)number + 1))
		return NULL;
	while (stream->cpu_count <= number)
		stream->cpus[stream->cpu_count++] = (struct perf_cpu){ 0 };
	return &stream->cpus[number];
}

/* ---- damage ---------------------------------------------------------------------------------------------- */

/*
 * All CPUs lack events since their last one.  The missing events are not before those already handed out, because
 * the missing records belong to this round or later ones.
 */
static enum histree_status lose_all(struct perf_stream *stream, struct histree_error *error)
{
	while (stream->fresh_count > 0) {
		uint16_t number = stream->fresh[--stream->fresh_count];
		struct perf_cpu *cpu = &stream->cpus[number];
		cpu->is_fresh = false;
		if (cpu->last == INT64_MAX)
			continue;
		const struct event_gap gap = {
			.trace = stream->base.trace,
			.cpu = number == PERF_NO_CPU ? -1 : number,
			.begin = cpu->last < stream->handed_out ? stream->handed_out : cpu->last + 1,
			.end = INT64_MAX,
		};
		const struct perf_entry entry = { .time = gap.begin, .cpu = number, .kind = KIND_GAP };
		if (!perf_rounds_add(&stream->rounds, entry, &gap, sizeof(gap), false))
			return perf_stream_no_memory(error);
	}
	return HISTREE_OK;
}

static void count_damage(struct perf_stream *stream)
{
	if (!stream->is_damaged)
		stream->base.notes->report.damaged_streams++;
	stream->is_damaged = true;
}

/* Go on behind a record that is malformed.  Returns HISTREE_END if there is nothing to go on with. */
static enum histree_status pass_damage(struct perf_stream *stream, const struct histree_error *why,
				       struct histree_error *error)
{
	enum histree_status found = perf_records_resume(&stream->records, error);
	if (found == HISTREE_ERR_MEMORY)
		return found;
	trace_notes_warn(stream->base.notes, "%s: %s; %s", stream->base.name, why->message,
			 found == HISTREE_OK ? "reading goes on at the next end of a round"
					     : "the events before that are read");
	count_damage(stream);
	enum histree_status status = lose_all(stream, error);
	return status != HISTREE_OK ? status : found == HISTREE_OK ? HISTREE_OK : HISTREE_END;
}

/* ---- records --------------------------------------------------------------------------------------------- */

static enum histree_status add_record(struct perf_stream *stream, const struct perf_record *record,
				      struct histree_error *error)
{
	struct perf_stamp stamp;
	uint16_t kind;
	if (record->type == PERF_SAMPLE) {
		if (!perf_stamp_of_sample(stream->file, record, &stamp)) {
			stream->unknown++;
			return HISTREE_OK;
		}
		kind = stamp.attribute;
	} else {
		enum perf_side side =
			perf_side_of(record->type, ordered_u16(record->bytes + 4, stream->file->is_big));
		/* A dead thread has no number: who comes is not said. */
		if (side == PERF_SIDE_SWITCH &&
		    (record->size < 16 || (int32_t)ordered_u32(record->bytes + 12, stream->file->is_big) < 0))
			side = PERF_SIDE_LEAVE;
		if (side == PERF_SIDE_COUNT || (is_switch(record) && !stream->file->tells_switches))
			return HISTREE_OK;
		stamp = perf_stamp_of_side(stream->file, record);
		if (!stamp.has_time)
			return HISTREE_OK;
		kind = (uint16_t)(KIND_SIDE + side);
	}
	struct perf_entry entry = { .time = stamp.time, .cpu = stamp.cpu, .kind = kind };
	/* Add a record whose time is known. */
	struct perf_cpu *cpu = cpu_of(stream, entry.cpu);
	if (cpu == NULL || !perf_rounds_add(&stream->rounds, entry, record->bytes, record->size, true))
		return perf_stream_no_memory(error);
	cpu->last = entry.time;
	if (cpu->is_fresh)
		return HISTREE_OK;
	if (!array_reserve(&stream->fresh, &stream->fresh_capacity, stream->fresh_count + 1))
		return perf_stream_no_memory(error);
	cpu->is_fresh = true;
	stream->fresh[stream->fresh_count++] = entry.cpu;
	return HISTREE_OK;
}

/* ---- rounds ---------------------------------------------------------------------------------------------- */

/* A round without an end in sight is cut: what comes late then is handed out late. */
static bool is_too_long(struct perf_stream *stream)
{
	if (perf_rounds_size(&stream->rounds) < PERF_ROUND_SIZE_MAX)
		return false;
	if (!stream->is_cut_round)
		trace_notes_warn(
			stream->base.notes,
			"%s: more than %d MiB of events lie between two ends of rounds; they are put in order "
			"piece by piece",
			stream->base.name, PERF_ROUND_SIZE_MAX >> 20);
	stream->is_cut_round = true;
	return true;
}

static enum histree_status end_records(struct perf_stream *stream, struct histree_error *error)
{
	if (!stream->part->is_cut || stream->is_damaged)
		return HISTREE_OK;
	trace_notes_warn(stream->base.notes, "%s: it was cut short; the events that it has are read",
			 stream->base.name);
	count_damage(stream);
	return lose_all(stream, error);
}

/* An interrupt may write its events before one that it came into the middle of, a few records out of order. */
static bool is_round(const struct perf_stream *stream)
{
	return stream->lacks_rounds && perf_rounds_size(&stream->rounds) >= stream->round_size;
}

static enum histree_status read_round(struct perf_stream *stream, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	struct perf_record record;
	struct histree_error why;
	perf_rounds_begin(&stream->rounds, stream->records.at);
	do {
		status = perf_records_next(&stream->records, &record, &why);
		/*
		 * Several rounds are taken for one until they are of some size. So little is waited for less,
		 * and an event that was being written while perf went round more than once, as those with call
		 * chains are, still comes in its place.
		 */
		if (status == HISTREE_OK && record.type == PERF_FINISHED_ROUND &&
		    perf_rounds_size(&stream->rounds) >= stream->round_size)
			break;
		if (status == HISTREE_OK)
			status = add_record(stream, &record, error);
		else if (status == HISTREE_ERR_TRACE || status == HISTREE_ERR_IO)
			status = pass_damage(stream, &why, error);
		else if (status == HISTREE_ERR_MEMORY)
			return perf_stream_no_memory(error);
	} while (status == HISTREE_OK && !is_round(stream) && !is_too_long(stream));
	stream->has_read_all = status == HISTREE_END;
	if (stream->has_read_all)
		status = end_records(stream, error);
	if (status == HISTREE_OK && !perf_rounds_end(&stream->rounds, stream->has_read_all))
		return perf_stream_no_memory(error);
	return status;
}

/* ---- events ---------------------------------------------------------------------------------------------- */

/* Returns NULL when memory runs out. */
static const struct perf_class *class_of(struct perf_stream *stream, uint16_t kind)
{
	size_t attributes = stream->file->attribute_count;
	struct perf_class **class = &stream->classes[kind < KIND_SIDE ? kind : attributes + kind - KIND_SIDE];
	if (*class == NULL) {
		uint32_t id = *stream->class_count;
		*class = kind < KIND_SIDE ? perf_class_of_samples(stream->file, kind, stream->base.trace, id)
					  : perf_class_of_side(stream->file, (enum perf_side)(kind - KIND_SIDE),
							       stream->base.trace, id);
		*stream->class_count += *class != NULL;
	}
	return *class;
}

static void put_gap(struct perf_stream *stream, const struct event_gap *gap)
{
	stream->base.gap = *gap;
	stream->base.has_gap = true;
	trace_stream_put_gap(&stream->base);
}

/* Returns a loss that begins before an entry, or at its time, or NULL. */
static const struct event_gap *loss_before(const struct perf_stream *stream, const struct perf_entry *entry)
{
	const struct perf_losses *losses = &stream->losses;
	bool is_due =
		losses->next < losses->count && (entry == NULL || losses->gaps[losses->next].begin <= entry->time);
	return is_due ? &losses->gaps[losses->next] : NULL;
}

/* ---- switches of perf's own ------------------------------------------------------------------------------ */

/*
 * What came before says the rest of a switch.  It is known again where reading begins anew, two rounds before.
 * Returns false when memory runs out.
 */
static bool look_at_switch(struct perf_stream *stream, const struct perf_entry *entry)
{
	struct perf_event *current = &stream->current;
	const bool is_big = current->is_big;
	const struct perf_record record = { .bytes = current->record,
					    .size = current->record_size,
					    .type = ordered_u32(current->record, is_big) };
	const uint16_t misc = ordered_u16(record.bytes + 4, is_big);
	if (record.type == PERF_EXIT && record.size >= 24)
		switch_records_exit(&stream->switches, (int32_t)ordered_u32(record.bytes + 16, is_big));
	if (!is_switch(&record))
		return true;
	const struct perf_stamp stamp = perf_stamp_of_side(stream->file, &record);
	const bool has_other = record.type == PERF_SWITCH_CPU_WIDE && record.size >= 16;
	current->own_pid = stamp.pid;
	current->turn = (struct switch_record){
		.cpu = has_other && entry->cpu != PERF_NO_CPU ? entry->cpu : -1,
		.tid = stamp.tid,
		.next = has_other ? (int32_t)ordered_u32(record.bytes + 12, is_big) : -1,
		.is_out = (misc & PERF_MISC_IS_OUT) != 0,
		.could_run = (misc & PERF_MISC_IS_PREEMPT) != 0,
	};
	return switch_records_meet(&stream->switches, &current->turn);
}

static void end_stream(struct perf_stream *stream)
{
	if (!stream->is_done && stream->unknown > 0)
		trace_notes_warn(stream->base.notes,
				 "%s: %" PRIu64 " sample%s %s of no event that it describes, and left out",
				 stream->base.name, stream->unknown, stream->unknown == 1 ? "" : "s",
				 stream->unknown == 1 ? "is" : "are");
	if (!stream->is_done)
		trace_stream_end(&stream->base);
	stream->is_done = true;
}

enum histree_status perf_stream_next(struct trace_stream *base, struct histree_error *error)
{
	struct perf_stream *stream = (struct perf_stream *)base;
	const struct perf_entry *entry;
	struct event_gap gap;
	stream->base.has_upcoming = false;
	while ((entry = perf_rounds_peek(&stream->rounds)) == NULL && !stream->has_read_all) {
		enum histree_status status = read_round(stream, error);
		if (status < 0)
			return status;
	}
	const struct event_gap *loss = loss_before(stream, entry);
	if (loss != NULL) {
		stream->losses.next++;
		put_gap(stream, loss);
		return HISTREE_OK;
	}
	if (entry == NULL) {
		end_stream(stream);
		return HISTREE_END;
	}
	perf_rounds_take(&stream->rounds, entry->kind != KIND_GAP);
	if (entry->time > stream->handed_out)
		stream->handed_out = entry->time;
	if (entry->kind != KIND_GAP) {
		const struct perf_class *class = class_of(stream, entry->kind);
		const uint8_t *record = perf_rounds_record(&stream->rounds, entry);
		struct perf_event *current = &stream->current;
		if (class == NULL)
			return error_memory(error, "the classes of events");
		current->record = record;
		current->record_size = ordered_u16(record + 6, current->is_big);
		current->has_looked = false;
		if (stream->file->tells_switches && class->attribute == NULL && !look_at_switch(stream, entry))
			return perf_stream_no_memory(error);
		if (class->attribute == NULL) {
			uint16_t trailer = stream->file->attributes[0].trailer_size;
			current->record_size -= trailer < current->record_size ? trailer : current->record_size;
		}
		const bool is_own = class->attribute == NULL && ordered_u32(record, current->is_big) == PERF_SWITCH;
		const struct event event = {
			.time = entry->time,
			/* Who runs on a CPU after a thread, its own records do not say. */
			.cpu = entry->cpu == PERF_NO_CPU || is_own ? -1 : entry->cpu,
			.class = &class->class,
			.handle = current,
		};
		trace_stream_put(&stream->base, &event);
		return HISTREE_OK;
	}
	memcpy(&gap, perf_rounds_record(&stream->rounds, entry), sizeof(gap));
	put_gap(stream, &gap);
	return HISTREE_OK;
}

/* ---- perf source --------------------------------------------------------------------------------------------- */

/* Some thousand events: a millisecond or more of a busy machine.  Of a part of a folder, some hundred of a CPU. */
enum { ROUND_SIZE = 256 << 10, PART_ROUND_SIZE = 32 << 10, WINDOW_SIZE = 256 << 10 };

struct perf_source {
	struct trace_source base;
	struct perf_file file;
	struct perf_parts parts; /* of a folder */
	struct perf_stream *all; /* of the parts, then of the file; NULL: it is not open */
	struct perf_loss_count loss_count;
};

struct samples {
	bool are_there, are_all, lack_stacks;
};

static struct samples samples_of(const struct perf_file *file)
{
	struct samples samples = { .are_all = true };
	for (size_t i = 0; i < file->attribute_count; i++) {
		const struct perf_attribute *attribute = &file->attributes[i];
		samples.are_there |= perf_attribute_samples(attribute);
		samples.are_all &= attribute->type != PERF_TYPE_IS_TRACEPOINT;
		samples.lack_stacks |= (attribute->sample_type & PERF_HAS_STACK_MEMORY) != 0;
	}
	samples.are_all &= samples.are_there;
	return samples;
}

/* PERF_RECORD_MISC_SWITCH_OUT_PREEMPT is of Linux 4.17.  A release that is not known is taken for a newer one. */
static bool has_preempt_bit(const char *release)
{
	unsigned major, minor;
	return sscanf(release, "%u.%u", &major, &minor) != 2 || major > 4 || (major == 4 && minor >= 17);
}

/* Those of the kernel say more, and are enough. */
static bool tells_switches(const struct perf_file *file)
{
	const struct id_entry *entry;
	bool tells = false;
	for (size_t i = 0; i < file->attribute_count; i++)
		tells |= file->attributes[i].has_switches;
	for (size_t at = 0; tells && (entry = id_map_next(&file->tracepoints, &at)) != NULL;)
		tells = strcmp(((const struct tracepoint *)entry->record)->name, "sched_switch") != 0;
	return tells;
}

static enum histree_status scan(struct trace_source *base, struct histree_error *error)
{
	struct perf_source *source = (struct perf_source *)base;
	enum histree_status status = perf_file_open(&source->file, base->io, base->path, error);
	if (status == HISTREE_OK && source->file.is_in_parts)
		status = perf_parts_find(&source->parts, base->io, base->path, source->file.is_big, error);
	if (status != HISTREE_OK) {
		error_prefix(error, "trace \"%s\"", base->path);
		return status;
	}
	base->facts = source->file.facts;
	base->file_count = source->parts.count + 1;
	base->bytes = source->file.part.size;
	for (size_t i = 0; i < source->parts.count; i++)
		base->bytes += source->parts.parts[i].size;
	struct samples samples = samples_of(&source->file);
	source->file.tells_switches = tells_switches(&source->file);
	bool has_calls = false;
	for (size_t i = 0; i < source->file.attribute_count && !has_calls; i++)
		has_calls = source->file.names[i] != NULL &&
			    event_name_is_system_call(source->file.names[i], strlen(source->file.names[i]));
	trace_source_describe(base, "kernel", "perf");
	base->trace.machine = source->file.machine;
	base->trace.has_new_task_states =
		tracepoint_has_new_task_states(source->file.zombie_bit, base->facts.kernel);
	base->trace.declares = has_calls ? EVENT_DECLARES_SYSTEM_CALLS | EVENT_DECLARES_ALL : EVENT_DECLARES_ALL;
	base->trace.has_samples = samples.are_there;
	base->trace.has_only_samples = samples.are_all && !source->file.tells_switches;
	base->trace.images = &source->file.images.before;
	base->trace.get_int = perf_event_int;
	base->trace.get_string = perf_event_string;
	base->trace.visit = perf_event_visit;
	return HISTREE_OK;
}

/* ---- the stream ------------------------------------------------------------------------------------------ */

/* A packet is the offset of a round. */
static void position(const struct trace_stream *base, struct trace_position *out)
{
	const struct perf_stream *stream = (const struct perf_stream *)base;
	uint64_t before;
	out->packet = perf_rounds_base(&stream->rounds, &before);
	out->events = before - (base->upcoming.gap == NULL);
}

static const struct trace_stream_kind stream_kind = { .next = perf_stream_next, .position = position };

/* perf compresses each buffer by itself, and says so in the file. */
static enum histree_status open_stream(struct perf_source *source, size_t number,
				       const struct trace_opening *opening, struct histree_error *error)
{
	struct trace_source *base = &source->base;
	bool is_part = number < source->parts.count;
	struct perf_part *part = is_part ? &source->parts.parts[number] : &source->file.part;
	const struct trace_position *at = opening->positions;
	uint64_t begin = at == NULL || at[number].packet == TRACE_FILE_DONE ? part->end : at[number].packet;
	struct perf_stream *stream = &source->all[number];
	enum histree_status status = trace_source_add(base, &stream->base, &stream_kind, number,
						      is_part ? part->path : base->path, error);
	if (status != HISTREE_OK)
		return status;
	part->is_compressed |= source->file.part.is_compressed;
	stream->file = &source->file;
	stream->part = part;
	stream->loss_count = &source->loss_count;
	stream->class_count = base->class_count;
	stream->window_size = is_part ? opening->window_size : WINDOW_SIZE;
	stream->round_size = is_part ? PART_ROUND_SIZE : ROUND_SIZE;
	stream->lacks_rounds = is_part;
	status = perf_stream_init(stream, at == NULL ? NULL : &begin, error);
	base->trace.has_first = source->loss_count.has_latest;
	base->trace.first = source->loss_count.earliest;
	base->trace.counts_otherwise = source->loss_count.counts_otherwise;
	return status;
}

static enum histree_status open_streams(struct trace_source *base, const struct trace_opening *opening,
					struct histree_error *error)
{
	struct perf_source *source = (struct perf_source *)base;
	source->all = calloc(base->file_count, sizeof(*source->all));
	if (source->all == NULL)
		return error_memory(error, "the streams of a trace");
	if (source->file.lacks_features)
		trace_notes_warn(base->notes, "%s: what perf wrote behind the events is cut or damaged",
				 base->path);
	if (source->file.tells_switches)
		trace_notes_warn(
			base->notes,
			"%s: its switches are those of --switch-events, which say neither why a thread slept "
			"nor when it was woken: that it waited for a CPU counts as blocked, unless it was "
			"preempted%s; 'perf record -e sched:sched_switch,sched:sched_wakeup' has all of that",
			base->path,
			has_preempt_bit(source->file.facts.kernel)
				? ""
				: ", which kernels before 4.17 do not say either");
	if (samples_of(&source->file).lack_stacks)
		trace_notes_warn(
			base->notes,
			"%s: of the stacks of programs it has a copy of the memory (perf record --call-graph "
			"dwarf), which is not unwound: only functions of the kernel have their callers; "
			"record with '--call-graph fp', and programs with -fno-omit-frame-pointer",
			base->path);
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; status == HISTREE_OK && i < base->file_count; i++)
		status = open_stream(source, i, opening, error);
	if (!perf_images_end(&source->file.images) && status == HISTREE_OK)
		status = error_memory(error, "the names of threads");
	if (status != HISTREE_OK)
		error_prefix(error, "trace \"%s\"", base->path);
	return status;
}

/* ---- what is known of it --------------------------------------------------------------------------------- */

/* What is compressed can be read from the start only; so is a folder. */
static bool has_places(const struct trace_source *base)
{
	const struct perf_file *file = &((const struct perf_source *)base)->file;
	return !file->part.is_compressed && !file->is_in_parts;
}

static bool has_position(const struct trace_source *base, size_t file, const struct trace_position *at)
{
	const struct perf_part *of = &((const struct perf_source *)base)->file.part;
	(void)file;
	return at->packet >= of->begin && at->packet <= of->end;
}

static bool span(const struct trace_source *base, histree_time *begin, histree_time *end)
{
	const struct perf_file *file = &((const struct perf_source *)base)->file;
	return file->first != 0 && perf_file_time(file, file->first, begin) &&
	       perf_file_time(file, file->last, end);
}

static uint64_t bytes_done(const struct trace_source *base)
{
	const struct perf_source *source = (const struct perf_source *)base;
	uint64_t left = 0;
	for (size_t i = 0; i < base->stream_count; i++) {
		const struct perf_stream *stream = &source->all[i];
		left += stream->has_read_all ? 0 : stream->part->size - stream->records.at;
	}
	return base->bytes - left;
}

static enum histree_status read_facts(const char *path, struct trace_facts *out, struct histree_error *error)
{
	struct perf_file file = { 0 };
	enum histree_status status = perf_file_open(&file, &io_posix, path, error);
	if (status == HISTREE_OK)
		*out = file.facts;
	else
		error_prefix(error, "trace \"%s\"", path);
	perf_file_close(&file);
	return status;
}

static void release(struct trace_source *base)
{
	struct perf_source *source = (struct perf_source *)base;
	for (size_t i = 0; i < base->stream_count; i++)
		perf_stream_release(&source->all[i]);
	free(source->all);
	perf_parts_release(&source->parts);
	perf_file_close(&source->file);
}

const struct trace_format_kind perf_format = {
	.size = sizeof(struct perf_source),
	.reads = "perf.data",
	.name = PERF_NAME,
	.begins = perf_begins,
	.inside = PERF_INSIDE,
	.scan = scan,
	.open = open_streams,
	.has_places = has_places,
	.has_position = has_position,
	.span = span,
	.bytes_done = bytes_done,
	.facts = read_facts,
	.has_states_as_written = true,
	.release = release,
};
