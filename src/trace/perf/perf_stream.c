// SPDX-License-Identifier: MIT
#include "trace/perf/perf_stream.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

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
	perf_losses_release(&stream->losses);
	free((void *)stream->classes);
	free(stream->cpus);
	free(stream->fresh);
}

/* ---- entries --------------------------------------------------------------------------------------------- */

static enum histree_status no_memory(struct histree_error *error)
{
	return error_memory(error, "a round of events");
}

/* Returns the CPU, NULL when memory is out. */
static struct perf_cpu *cpu_of(struct perf_stream *stream, uint16_t number)
{
	if (!array_reserve(&stream->cpus, &stream->cpu_capacity, (size_t)number + 1))
		return NULL;
	while (stream->cpu_count <= number)
		stream->cpus[stream->cpu_count++] = (struct perf_cpu){ 0 };
	return &stream->cpus[number];
}

/* Add a record whose time is known. */
static enum histree_status add(struct perf_stream *stream, const struct perf_record *record,
			       struct perf_entry entry, struct histree_error *error)
{
	struct perf_cpu *cpu = cpu_of(stream, entry.cpu);
	if (cpu == NULL || !perf_rounds_add(&stream->rounds, entry, record->bytes, record->size, true))
		return no_memory(error);
	cpu->last = entry.time;
	if (cpu->is_fresh)
		return HISTREE_OK;
	if (!array_reserve(&stream->fresh, &stream->fresh_capacity, stream->fresh_count + 1))
		return no_memory(error);
	cpu->is_fresh = true;
	stream->fresh[stream->fresh_count++] = entry.cpu;
	return HISTREE_OK;
}

/* ---- damage ---------------------------------------------------------------------------------------------- */

/*
 * All CPUs lack what came since their last events: those are not before what was handed out, as the records that
 * are missing are of this round or later ones.
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
			return no_memory(error);
	}
	return HISTREE_OK;
}

static void count_damage(struct perf_stream *stream)
{
	if (!stream->is_damaged)
		stream->base.notes->report.damaged_streams++;
	stream->is_damaged = true;
}

/* Go on behind a record that is none.  HISTREE_END: there is nothing to go on with. */
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
		enum perf_side side = perf_side_of(record->type);
		if (side == PERF_SIDE_COUNT)
			return HISTREE_OK;
		stamp = perf_stamp_of_side(stream->file, record);
		if (!stamp.has_time)
			return HISTREE_OK;
		kind = (uint16_t)(KIND_SIDE + side);
	}
	struct perf_entry entry = { .time = stamp.time, .cpu = stamp.cpu, .kind = kind };
	return add(stream, record, entry, error);
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

/*
 * Several rounds are taken for one until they are of some size.  So little is waited for less, and an event that
 * was being written while perf went round more than once, as those with call chains are, still comes in its place.
 */
static bool ends_round(const struct perf_stream *stream, const struct perf_record *record)
{
	return record->type == PERF_FINISHED_ROUND && perf_rounds_size(&stream->rounds) >= stream->round_size;
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
		if (status == HISTREE_OK && ends_round(stream, &record))
			break;
		if (status == HISTREE_OK)
			status = add_record(stream, &record, error);
		else if (status == HISTREE_ERR_TRACE || status == HISTREE_ERR_IO)
			status = pass_damage(stream, &why, error);
		else if (status == HISTREE_ERR_MEMORY)
			return no_memory(error);
	} while (status == HISTREE_OK && !is_round(stream) && !is_too_long(stream));
	stream->has_read_all = status == HISTREE_END;
	if (stream->has_read_all)
		status = end_records(stream, error);
	if (status == HISTREE_OK && !perf_rounds_end(&stream->rounds, stream->has_read_all))
		return no_memory(error);
	return status;
}

/* ---- events ---------------------------------------------------------------------------------------------- */

/* Returns NULL when memory is out. */
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

static enum histree_status put_event(struct perf_stream *stream, const struct perf_entry *entry,
				     struct histree_error *error)
{
	const struct perf_class *class = class_of(stream, entry->kind);
	const uint8_t *record = perf_rounds_record(&stream->rounds, entry);
	struct perf_event *current = &stream->current;
	if (class == NULL)
		return error_memory(error, "the classes of events");
	current->record = record;
	current->record_size = ordered_u16(record + 6, current->is_big);
	current->has_looked = false;
	if (class->attribute == NULL) {
		uint16_t trailer = stream->file->attributes[0].trailer_size;
		current->record_size -= trailer < current->record_size ? trailer : current->record_size;
	}
	const struct event event = {
		.time = entry->time,
		.cpu = entry->cpu == PERF_NO_CPU ? -1 : entry->cpu,
		.class = &class->class,
		.handle = current,
	};
	trace_stream_put(&stream->base, &event);
	return HISTREE_OK;
}

static void put_gap(struct perf_stream *stream, const struct event_gap *gap)
{
	stream->base.gap = *gap;
	stream->base.has_gap = true;
	trace_stream_put_gap(&stream->base);
}

/* A loss that begins before an entry, or at its time; NULL: there is none. */
static const struct event_gap *loss_before(const struct perf_stream *stream, const struct perf_entry *entry)
{
	const struct perf_losses *losses = &stream->losses;
	bool is_due =
		losses->next < losses->count && (entry == NULL || losses->gaps[losses->next].begin <= entry->time);
	return is_due ? &losses->gaps[losses->next] : NULL;
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

enum histree_status perf_stream_next(struct perf_stream *stream, struct histree_error *error)
{
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
	if (entry->kind != KIND_GAP)
		return put_event(stream, entry, error);
	memcpy(&gap, perf_rounds_record(&stream->rounds, entry), sizeof(gap));
	put_gap(stream, &gap);
	return HISTREE_OK;
}
