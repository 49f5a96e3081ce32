// SPDX-License-Identifier: MIT
#include "trace/perf/perf_losses.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

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

static enum histree_status no_memory(struct histree_error *error)
{
	return error_memory(error, "the losses of a trace");
}

static enum histree_status meet(struct walk *walk, const struct perf_stamp *stamp, struct histree_error *error)
{
	if (stamp->cpu >= walk->last_count) {
		if (!array_reserve(&walk->lasts, &walk->last_capacity, (size_t)stamp->cpu + 1))
			return no_memory(error);
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

/* Events are missing on a CPU since its last one; what came before its first is not known anyway. */
static enum histree_status add_gap(struct walk *walk, uint16_t cpu, struct last last,
				   const struct perf_stamp *stamp, uint64_t count, struct histree_error *error)
{
	struct perf_losses *losses = walk->losses;
	if (!last.is_known || last.time == INT64_MAX || losses->count == LOSSES_MAX)
		return HISTREE_OK;
	if (!array_reserve(&losses->gaps, &losses->capacity, losses->count + 1))
		return no_memory(error);
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

static enum histree_status read_record(struct walk *walk, const struct perf_record *record,
				       struct histree_error *error)
{
	struct perf_stamp stamp;
	if (record->type == PERF_SAMPLE)
		return perf_stamp_of_sample(walk->file, record, &stamp) ? meet(walk, &stamp, error) : HISTREE_OK;
	if (record->type == PERF_LOST || record->type == PERF_LOST_SAMPLES)
		return read_loss(walk, record, error);
	if (record->type > PERF_MMAP2 || perf_stamp_of_side(walk->file, record).has_time)
		return HISTREE_OK;
	return perf_images_take(&walk->file->images, record->bytes, record->size, walk->file->is_big)
		       ? HISTREE_OK
		       : no_memory(error);
}

/* The rest may be read after all when the events are, but nobody knows what it lacks. */
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

enum histree_status perf_losses_find(struct perf_losses *losses, struct perf_file *file, struct perf_part *part,
				     size_t window_size, struct perf_loss_count *count, struct trace_stream *stream,
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

void perf_losses_release(struct perf_losses *losses)
{
	free(losses->gaps);
	*losses = (struct perf_losses){ 0 };
}
