// SPDX-License-Identifier: MIT
/*
 * perfetto_track_events.c - track events and samples of Perfetto, mapped to the words of event.h.
 */
#include "trace/perfetto/perfetto_track_events.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/number_text.h"
#include "trace/packed/packed_markers.h"
#include "trace/packed/packed_samples.h"
#include "trace/perfetto/perfetto_packets.h"
#include "trace/perfetto/perfetto_tracks.h"

/* ---- perfetto track events ----------------------------------------------------------------------------------- */

/* An event that is being read: the cells common to all events made from it. */
struct making {
	struct perfetto_track_events *events;
	struct perfetto_sequence *sequence;
	const struct track_event *event;
	histree_time time;
	struct packed_cell cells[TRACK_FIELD_COUNT];
};

static enum histree_status perfetto_track_events_add(struct making *making, enum track_class class,
						     struct histree_error *error)
{
	const struct packed_event event = {
		.time = making->time, .cpu = -1, .class = making->events->classes[class], .cells = making->cells
	};
	return packed_source_add(making->events->packed, &event, error);
}

static struct packed_cell text_cell(struct perfetto_text text)
{
	return packed_text(text.bytes, text.size);
}

/* ---- where it belongs ------------------------------------------------------------------------------------ */

static void put_owner(struct packed_cell *cells, const struct perfetto_track *owner)
{
	if (owner != NULL)
		cells[TRACK_PID] = packed_int(owner->pid);
	if (owner != NULL && owner->kind == PERFETTO_THREAD_TRACK)
		cells[TRACK_TID] = packed_int(owner->tid);
}

static void put_other(struct packed_cell *cells, char text[PERFETTO_TEXT_SIZE], uint64_t uuid)
{
	memcpy(text, "0x", 2);
	cells[TRACK_TRACK] = packed_text(text, 2 + number_format_hex(uuid, text + 2));
}

/* A track that is neither a thread nor a process has the process of its ancestors, and so has one that is apart. */
static void put_track(struct perfetto_tracks *tracks, uint64_t uuid, char text[PERFETTO_TEXT_SIZE],
		      struct packed_cell *cells)
{
	const struct perfetto_track *track = perfetto_tracks_find(tracks, uuid);
	const struct perfetto_track *owner = perfetto_tracks_owner(tracks, track);
	put_owner(cells, owner);
	if (uuid == 0 || (track != NULL && track == owner && !perfetto_track_is_apart(tracks, track)))
		return;
	cells[TRACK_TID] = (struct packed_cell){ .kind = PACKED_ABSENT };
	put_other(cells, text, uuid);
}

/* A counter is identified by its name and its owner: a thread, a process, or neither. */
static void put_counter_track(const struct perfetto_tracks *tracks, const struct perfetto_track *track,
			      uint64_t uuid, char text[PERFETTO_TEXT_SIZE], struct packed_cell *cells)
{
	const struct perfetto_track *owner = perfetto_tracks_owner(tracks, track);
	bool is_nested = track != NULL && track->parent != 0 && (owner == NULL || owner->uuid != track->parent);
	put_owner(cells, owner);
	cells[TRACK_NAME] = track != NULL && track->name.size > 0 ? text_cell(track->name)
								  : (struct packed_cell){ .kind = PACKED_ABSENT };
	if (is_nested || track == NULL) {
		cells[TRACK_TID] = (struct packed_cell){ .kind = PACKED_ABSENT };
		put_other(cells, text, is_nested ? track->parent : uuid);
	}
	if (cells[TRACK_NAME].kind == PACKED_ABSENT)
		cells[TRACK_NAME] = packed_text("counter", strlen("counter"));
}

static uint64_t track_of(const struct making *making)
{
	return making->event->has_track ? making->event->track : making->sequence->track;
}

/* Whether the event is of the thread of its sequence; one of today that says 0 is of no thread. */
static bool is_of_sequence(const struct making *making)
{
	return track_of(making) == 0 && making->sequence->tid != 0 &&
	       (!making->event->has_track || making->event->type == TRACK_EVENT_UNSPECIFIED);
}

/* Writers of old say once whose their events are, or in each. */
static void put_place(struct making *making)
{
	const struct track_event_legacy *legacy = making->event->legacy;
	const struct perfetto_sequence *sequence = making->sequence;
	uint64_t uuid = track_of(making);
	if (is_of_sequence(making)) {
		making->cells[TRACK_PID] = packed_int(sequence->pid);
		making->cells[TRACK_TID] = packed_int(sequence->tid);
	} else {
		put_track(making->events->tracks, uuid, making->events->track, making->cells);
	}
	if (legacy->pid != 0)
		making->cells[TRACK_PID] = packed_int(legacy->pid);
	if (legacy->tid != 0)
		making->cells[TRACK_TID] = packed_int(legacy->tid);
}

/* ---- what a sequence writes ------------------------------------------------------------------------------ */

/* The thread of the sequence is row 0.  Returns false if memory runs out. */
static bool note(struct perfetto_sequence *sequence, struct id_map *rows, uint64_t uuid)
{
	enum { ROWS_MAX = 1024 };
	if (sequence->has_other_rows || id_map_find_again(rows, uuid) != NULL)
		return true;
	sequence->has_other_rows = rows->count >= ROWS_MAX;
	return sequence->has_other_rows || id_map_add(rows, uuid, sequence);
}

static bool note_row(struct making *making)
{
	struct perfetto_sequence *sequence = making->sequence;
	const struct track_event *event = making->event;
	const struct track_event_legacy *legacy = event->legacy;
	const bool is_legacy = event->type == TRACK_EVENT_UNSPECIFIED;
	const uint64_t uuid = track_of(making);
	if (event->type == TRACK_EVENT_COUNTER)
		return true;
	/* What is known by an id of its own, or by numbers in the event. */
	sequence->has_other_rows |=
		(uuid == 0 && !is_of_sequence(making)) ||
		(is_legacy && (legacy->id_kind != LEGACY_NO_ID || legacy->pid != 0 || legacy->tid != 0));
	return note(sequence, &sequence->rows, uuid);
}

static struct packed_cell duration_of(struct trace_span span)
{
	int64_t duration;
	return packed_int(__builtin_sub_overflow(span.end, span.begin, &duration) ? INT64_MAX : duration);
}

enum histree_status perfetto_track_events_lose(struct perfetto_track_events *events,
					       struct perfetto_sequence *sequence, struct trace_span span,
					       struct histree_error *error)
{
	const struct id_entry *entry;
	enum histree_status status = HISTREE_OK;
	char text[PERFETTO_TEXT_SIZE];
	if (sequence->has_other_rows)
		return HISTREE_NOT_FOUND;
	for (size_t at = 0; status == HISTREE_OK && (entry = id_map_next(&sequence->rows, &at)) != NULL;) {
		struct making making = { .events = events, .time = span.begin };
		making.cells[TRACK_DURATION] = duration_of(span);
		if (entry->id != 0) {
			put_track(events->tracks, entry->id, text, making.cells);
		} else {
			making.cells[TRACK_PID] = packed_int(sequence->pid);
			making.cells[TRACK_TID] = packed_int(sequence->tid);
		}
		status = perfetto_track_events_add(&making, TRACK_LOSS, error);
	}
	for (size_t at = 0; status == HISTREE_OK && (entry = id_map_next(&sequence->counted, &at)) != NULL;) {
		struct making making = { .events = events, .time = span.begin };
		making.cells[TRACK_DURATION] = duration_of(span);
		put_counter_track(events->tracks, perfetto_tracks_find(events->tracks, entry->id), entry->id, text,
				  making.cells);
		status = perfetto_track_events_add(&making, TRACK_LOSS, error);
	}
	return status;
}

/* ---- what it is called ----------------------------------------------------------------------------------- */

static bool perfetto_track_events_find(struct making *making, enum perfetto_table table, uint64_t number,
				       struct perfetto_text *out)
{
	const struct perfetto_text *text = perfetto_interned_find(&making->sequence->interned, table, number);
	making->events->undefined += text == NULL;
	if (text != NULL)
		*out = *text;
	return text != NULL;
}

static void put_name(struct making *making)
{
	const struct track_event *event = making->event;
	uint64_t number = event->name_iid != 0 ? event->name_iid : event->legacy->name;
	struct perfetto_text text = { (const char *)event->name.bytes, event->name.size };
	if (text.bytes != NULL ||
	    (number != 0 && perfetto_track_events_find(making, PERFETTO_EVENT_NAMES, number, &text)))
		making->cells[TRACK_NAME] =
			text_cell(perfetto_tracks_meant(making->events->tracks, PERFETTO_SPAN_NAMES, text));
}

static size_t append(char *category, size_t size, struct perfetto_text text)
{
	size_t room = PERFETTO_CATEGORY_SIZE - size;
	if (size > 0 && room > 0) {
		category[size++] = ',';
		room--;
	}
	if (text.size < room)
		room = text.size;
	memcpy(category + size, text.bytes, room);
	return size + room;
}

/* Several are one text, with commas between. */
static void put_category(struct making *making)
{
	const struct track_event *event = making->event;
	char *category = making->events->category;
	if (event->has_category) {
		struct perfetto_text only = { NULL, 0 };
		perfetto_track_events_find(making, PERFETTO_CATEGORIES, event->category, &only);
		only.size = only.size < PERFETTO_CATEGORY_SIZE ? only.size : PERFETTO_CATEGORY_SIZE;
		if (only.size > 0)
			making->cells[TRACK_CATEGORY] = text_cell(only);
		return;
	}
	struct track_event_items numbers = track_event_items(event, TRACK_EVENT_CATEGORY_IIDS);
	struct track_event_items texts = track_event_items(event, TRACK_EVENT_CATEGORIES);
	struct wire_field field;
	struct perfetto_text text;
	uint64_t number;
	size_t size = 0;
	while (track_event_number(&numbers, &number))
		if (perfetto_track_events_find(making, PERFETTO_CATEGORIES, number, &text))
			size = append(category, size, text);
	while (track_event_text(&texts, &field))
		size = append(category, size, (struct perfetto_text){ (const char *)field.bytes, field.size });
	if (size > 0)
		making->cells[TRACK_CATEGORY] = packed_text(category, size);
}

static enum histree_status put_arguments(struct making *making, struct histree_error *error)
{
	struct perfetto_arguments *arguments = &making->events->arguments;
	struct wire_message message = making->event->arguments;
	struct wire_field field;
	if (message.at == NULL)
		return HISTREE_OK;
	perfetto_arguments_begin(arguments, &making->sequence->interned);
	while (wire_next(&message, &field))
		perfetto_arguments_add(arguments, &field);
	if (!perfetto_arguments_end(arguments))
		return HISTREE_OK;
	if (arguments->parts.has_failed)
		return error_memory(error, "the arguments of an event");
	making->cells[TRACK_ARGS] = packed_value(&arguments->parts);
	return HISTREE_OK;
}

/* ---- counters -------------------------------------------------------------------------------------------- */

static enum histree_status add_counter(struct making *making, uint64_t uuid, uint64_t value, bool is_real,
				       struct histree_error *error)
{
	const struct perfetto_track *track = perfetto_tracks_find(making->events->tracks, uuid);
	struct making counter = { .events = making->events, .time = making->time };
	char text[PERFETTO_TEXT_SIZE];
	put_counter_track(making->events->tracks, track, uuid, text, counter.cells);
	enum histree_status status = note(making->sequence, &making->sequence->counted, uuid)
					     ? HISTREE_OK
					     : error_memory(error, "the counters of a trace");
	if (status != HISTREE_OK)
		return status;
	if (!is_real && track != NULL && track->is_incremental)
		status = perfetto_tracks_grow(making->events->tracks, track, making->sequence->id,
					      making->sequence->generation, &value);
	if (status != HISTREE_OK)
		return status < 0 ? error_memory(error, "what counters have grown by") : HISTREE_OK;
	counter.cells[TRACK_VALUE] = is_real ? packed_real(wire_real(value)) : packed_int((int64_t)value);
	if (track != NULL && track->unit != 1)
		counter.cells[TRACK_VALUE] = is_real ? packed_real(wire_real(value) * (double)track->unit)
						     : packed_int((int64_t)(value * (uint64_t)track->unit));
	return perfetto_track_events_add(&counter, TRACK_COUNTER, error);
}

/* The tracks of values are said by the event, or once for all of them. */
static enum histree_status add_counters(struct making *making, enum track_event_list tracks,
					enum track_event_list values, const struct perfetto_counters *defaults,
					struct histree_error *error)
{
	const struct track_event *event = making->event;
	if (!track_event_has(event, values))
		return HISTREE_OK;
	struct track_event_items uuids = track_event_items(event, tracks);
	struct track_event_items numbers = track_event_items(event, values);
	bool has_tracks = track_event_has(event, tracks);
	enum histree_status status = HISTREE_OK;
	uint64_t uuid, value;
	for (size_t i = 0; status == HISTREE_OK && track_event_number(&numbers, &value); i++) {
		if (!has_tracks && i < defaults->count)
			uuid = defaults->tracks[i];
		else if (!track_event_number(&uuids, &uuid))
			return HISTREE_OK;
		status = add_counter(making, uuid, value, values == TRACK_EVENT_REAL_VALUES, error);
	}
	return status;
}

static enum histree_status add_extra_counters(struct making *making, struct histree_error *error)
{
	const struct perfetto_sequence *sequence = making->sequence;
	enum histree_status status =
		add_counters(making, TRACK_EVENT_COUNTERS, TRACK_EVENT_VALUES, &sequence->counters, error);
	return status != HISTREE_OK ? status
				    : add_counters(making, TRACK_EVENT_REAL_COUNTERS, TRACK_EVENT_REAL_VALUES,
						   &sequence->real_counters, error);
}

/* ---- times of threads ------------------------------------------------------------------------------------ */

/* The value of the thread's counter of its time, if the event brings one, in ns. */
static bool thread_time_of_counters(const struct making *making, uint64_t *out)
{
	const struct perfetto_sequence *sequence = making->sequence;
	if (!track_event_has(making->event, TRACK_EVENT_VALUES))
		return false;
	struct track_event_items uuids = track_event_items(making->event, TRACK_EVENT_COUNTERS);
	struct track_event_items numbers = track_event_items(making->event, TRACK_EVENT_VALUES);
	const bool has_tracks = track_event_has(making->event, TRACK_EVENT_COUNTERS);
	uint64_t uuid, value;
	for (size_t i = 0; track_event_number(&numbers, &value); i++) {
		if (!has_tracks && i < sequence->counters.count)
			uuid = sequence->counters.tracks[i];
		else if (!track_event_number(&uuids, &uuid))
			return false;
		const struct perfetto_track *track = perfetto_tracks_find(making->events->tracks, uuid);
		if (track == NULL || !track->is_thread_time)
			continue;
		if (track->is_incremental)
			value += perfetto_tracks_sum(making->events->tracks, track, sequence->id,
						     sequence->generation);
		*out = value * (uint64_t)track->unit;
		return true;
	}
	return false;
}

/* Of a span of a thread the thread's own time at its beginning and its end, whichever way the writer has it. */
static void put_thread_time(struct making *making)
{
	const struct track_event *event = making->event;
	struct perfetto_sequence *sequence = making->sequence;
	const bool is_legacy = event->type != TRACK_EVENT_BEGIN && event->type != TRACK_EVENT_END;
	const struct perfetto_track *track = perfetto_tracks_find(making->events->tracks, track_of(making));
	const bool is_span = (!is_legacy || event->legacy->phase == 'B' || event->legacy->phase == 'E') &&
			     (making->cells[TRACK_TID].kind == PACKED_INT ||
			      (track != NULL && perfetto_track_is_apart(making->events->tracks, track)));
	uint64_t ns = 0;
	if (event->has_thread_time && event->is_thread_delta)
		sequence->thread_us += event->thread_us;
	if (event->has_thread_time)
		ns = (event->is_thread_delta ? sequence->thread_us : event->thread_us) * 1000;
	if (is_span && (event->has_thread_time || thread_time_of_counters(making, &ns)) && ns <= INT64_MAX)
		making->cells[TRACK_THREAD_TIME] = packed_int((int64_t)ns);
}

/* ---- flows ----------------------------------------------------------------------------------------------- */

static enum histree_status add_flow(struct making *making, enum track_class class, const char *prefix, uint64_t id,
				    struct histree_error *error)
{
	char text[PERFETTO_TEXT_SIZE];
	struct making flow = { .events = making->events, .time = making->time };
	int size = snprintf(text, sizeof(text), "%s0x%" PRIx64, prefix, id);
	flow.cells[TRACK_PID] = making->cells[TRACK_PID];
	flow.cells[TRACK_TID] = making->cells[TRACK_TID];
	flow.cells[TRACK_TRACK] = making->cells[TRACK_TRACK];
	flow.cells[TRACK_NAME] = making->cells[TRACK_NAME];
	flow.cells[TRACK_ID] = packed_text(text, (size_t)size);
	return perfetto_track_events_add(&flow, class, error);
}

static enum histree_status add_flows(struct making *making, struct histree_error *error)
{
	enum { FLOW_IN = 1 };
	const struct track_event *event = making->event;
	struct track_event_items flows = track_event_items(event, TRACK_EVENT_FLOWS);
	struct track_event_items last = track_event_items(event, TRACK_EVENT_LAST_FLOWS);
	enum histree_status status = HISTREE_OK;
	uint64_t id;
	while (status == HISTREE_OK && track_event_number(&flows, &id))
		status = add_flow(making, TRACK_FLOW_STEP, "", id, error);
	while (status == HISTREE_OK && track_event_number(&last, &id))
		status = add_flow(making, TRACK_FLOW_END, "", id, error);
	if (status == HISTREE_OK && event->legacy->bind_id != 0 && event->legacy->flow != 0)
		status = add_flow(making, event->legacy->flow == FLOW_IN ? TRACK_FLOW_END : TRACK_FLOW_STEP,
				  "bind:", event->legacy->bind_id, error);
	return status;
}

/* ---- events of old --------------------------------------------------------------------------------------- */

/* The letters of the Trace Event Format; TRACK_CLASS_COUNT: not a known letter. */
static enum track_class class_of_phase(int32_t phase)
{
	switch (phase) {
	case 'B':
	case 'b':
	case 'S':
		return TRACK_SPAN_BEGIN;
	case 'E':
	case 'e':
	case 'F':
		return TRACK_SPAN_END;
	case 'X':
		return TRACK_SPAN;
	case 'I':
	case 'i':
	case 'n':
	case 'T':
	case 'p':
	case 'R':
		return TRACK_INSTANT;
	case 's':
		return TRACK_FLOW_BEGIN;
	case 't':
		return TRACK_FLOW_STEP;
	case 'f':
		return TRACK_FLOW_END;
	default:
		return TRACK_CLASS_COUNT;
	}
}

/* What category, scope and id tell, and where the id is local the process. */
static int id_text(const struct making *making, char text[PERFETTO_TEXT_SIZE])
{
	const struct track_event_legacy *legacy = making->event->legacy;
	const struct packed_cell *category = &making->cells[TRACK_CATEGORY];
	const struct wire_field *scope = &legacy->scope;
	char process[24] = "";
	if (legacy->id_kind == LEGACY_LOCAL && making->cells[TRACK_PID].kind == PACKED_INT)
		snprintf(process, sizeof(process), "%" PRId64 ":", making->cells[TRACK_PID].integer);
	int category_size = category->kind == PACKED_TEXT ? (int)(category->size < 30 ? category->size : 30) : 0;
	int scope_size = scope->bytes == NULL ? 0 : (int)(scope->size < 20 ? scope->size : 20);
	return snprintf(text, PERFETTO_TEXT_SIZE, "%.*s:%.*s%s%s0x%" PRIx64, category_size,
			category_size > 0 ? (const char *)category->bytes : "", scope_size,
			scope_size > 0 ? (const char *)scope->bytes : "", scope_size > 0 ? ":" : "", process,
			legacy->id);
}

static enum histree_status add_legacy(struct making *making, struct histree_error *error)
{
	const struct track_event_legacy *legacy = making->event->legacy;
	enum track_class class = class_of_phase(legacy->phase);
	char id[PERFETTO_TEXT_SIZE];
	int64_t duration;
	if (class == TRACK_CLASS_COUNT) {
		making->events->unknown++;
		return HISTREE_OK;
	}
	if (class == TRACK_SPAN) {
		bool fits = !__builtin_mul_overflow(legacy->duration_us, 1000, &duration) && duration >= 0;
		making->cells[TRACK_DURATION] = packed_int(fits ? duration : 0);
		if (legacy->thread_duration_us > 0 &&
		    !__builtin_mul_overflow(legacy->thread_duration_us, 1000, &duration))
			making->cells[TRACK_THREAD_DURATION] = packed_int(duration);
	}
	if (class == TRACK_FLOW_BEGIN || class == TRACK_FLOW_STEP || class == TRACK_FLOW_END)
		making->cells[TRACK_ID] = packed_text(id, (size_t)id_text(making, id));
	if (legacy->phase > 0 && legacy->phase < 128 && strchr("bneSFTp", legacy->phase) != NULL) {
		char *track = making->events->track;
		making->cells[TRACK_TRACK] = packed_text(track, (size_t)id_text(making, track));
		making->cells[TRACK_TID] = (struct packed_cell){ .kind = PACKED_ABSENT };
	}
	return perfetto_track_events_add(making, class, error);
}

/* ---- events ---------------------------------------------------------------------------------------------- */

/* A state is a span up to the next one of its track; one without a name makes no span. */
static enum histree_status add_state(struct making *making, struct histree_error *error)
{
	struct perfetto_track *track = perfetto_tracks_find(making->events->tracks, track_of(making));
	enum histree_status status = HISTREE_OK;
	if (track == NULL || track->has_state) {
		struct making before = *making;
		before.cells[TRACK_NAME] = before.cells[TRACK_CATEGORY] = before.cells[TRACK_ARGS] =
			before.cells[TRACK_THREAD_TIME] = (struct packed_cell){ .kind = PACKED_ABSENT };
		status = perfetto_track_events_add(&before, TRACK_SPAN_END, error);
	}
	const struct packed_cell *name = &making->cells[TRACK_NAME];
	bool has_state = name->kind == PACKED_TEXT && name->size > 0;
	if (track != NULL)
		track->has_state = has_state;
	return status == HISTREE_OK && has_state ? perfetto_track_events_add(making, TRACK_SPAN_BEGIN, error)
						 : status;
}

static enum histree_status add_event(struct making *making, struct histree_error *error)
{
	const struct track_event *event = making->event;
	switch (event->type) {
	case TRACK_EVENT_BEGIN:
		return perfetto_track_events_add(making, TRACK_SPAN_BEGIN, error);
	case TRACK_EVENT_END:
		return perfetto_track_events_add(making, TRACK_SPAN_END, error);
	case TRACK_EVENT_INSTANT:
		return perfetto_track_events_add(making, TRACK_INSTANT, error);
	case TRACK_EVENT_STATE:
		return add_state(making, error);
	case TRACK_EVENT_COUNTER:
		return event->has_value ? add_counter(making, track_of(making), event->value, event->is_real, error)
					: HISTREE_OK;
	default:
		return add_legacy(making, error);
	}
}

enum histree_status perfetto_track_events_read(struct perfetto_track_events *events,
					       struct perfetto_sequence *sequence, struct wire_message message,
					       histree_time time, struct histree_error *error)
{
	struct track_event event;
	track_event_read(&event, message);
	struct making making;
	making.events = events;
	making.sequence = sequence;
	making.event = &event;
	making.time = time;
	for (int i = 0; i < TRACK_FIELD_COUNT; i++) {
		making.cells[i].kind = PACKED_ABSENT;
		making.cells[i].size = 0;
	}
	if (!note_row(&making))
		return error_memory(error, "the tracks of a trace");
	put_place(&making);
	put_name(&making);
	put_category(&making);
	put_thread_time(&making);
	enum histree_status status = put_arguments(&making, error);
	if (status == HISTREE_OK)
		status = add_event(&making, error);
	if ((event.lists & ~(uint32_t)TRACK_EVENT_ALL_CATEGORIES) == 0 && event.legacy->bind_id == 0)
		return status;
	if (status == HISTREE_OK)
		status = add_extra_counters(&making, error);
	return status == HISTREE_OK ? add_flows(&making, error) : status;
}

/* ---- names ----------------------------------------------------------------------------------------------- */

/* The track of a thread that is apart is called after it, and its number tells it from others of that name. */
static enum histree_status name_apart(struct perfetto_track_events *events, const struct perfetto_track *track,
				      struct histree_error *error)
{
	struct making making = { .events = events, .time = PACKED_NO_TIME };
	char name[PERFETTO_TEXT_SIZE];
	const int text_size = (int)(track->name.size < 64 ? track->name.size : 64);
	const int size = snprintf(name, sizeof(name), "%.*s%s%" PRId32, text_size,
				  text_size > 0 ? track->name.bytes : "", text_size > 0 ? " " : "", track->tid);
	put_track(events->tracks, track->uuid, events->track, making.cells);
	making.cells[TRACK_NAME] = packed_text(name, (size_t)size);
	return perfetto_track_events_add(&making, TRACK_TRACK_NAME, error);
}

/* Counters have theirs in each value. */
static enum histree_status name_track(struct perfetto_track_events *events, const struct perfetto_track *track,
				      struct histree_error *error)
{
	static const enum track_class classes[] = {
		[PERFETTO_OTHER_TRACK] = TRACK_TRACK_NAME,
		[PERFETTO_PROCESS_TRACK] = TRACK_PROCESS_NAME,
		[PERFETTO_THREAD_TRACK] = TRACK_THREAD_NAME,
	};
	struct making making = { .events = events, .time = PACKED_NO_TIME };
	bool has_index = events->tracks->has_indexes && track->kind != PERFETTO_OTHER_TRACK;
	enum histree_status status = HISTREE_OK;
	if (perfetto_track_is_apart(events->tracks, track))
		status = name_apart(events, track, error);
	if (status != HISTREE_OK || (track->name.size == 0 && !has_index) || track->is_counter)
		return status;
	if (track->kind == PERFETTO_OTHER_TRACK)
		put_track(events->tracks, track->uuid, events->track, making.cells);
	else
		put_owner(making.cells, track);
	if (track->name.size > 0)
		making.cells[TRACK_NAME] =
			text_cell(track->kind == PERFETTO_OTHER_TRACK
					  ? perfetto_tracks_meant(events->tracks, PERFETTO_TRACK_NAMES, track->name)
					  : track->name);
	if (has_index)
		making.cells[TRACK_SORT_INDEX] = packed_int(track->index);
	return perfetto_track_events_add(&making, classes[track->kind], error);
}

enum histree_status perfetto_track_events_begin(struct perfetto_track_events *events, struct histree_error *error)
{
	const struct id_entry *entry;
	enum histree_status status = HISTREE_OK;
	if (!packed_track_classes(events->packed, NULL, events->classes, error))
		return error->status;
	for (size_t at = 0; status == HISTREE_OK && (entry = id_map_next(&events->tracks->map, &at)) != NULL;)
		status = name_track(events, entry->record, error);
	return status;
}

void perfetto_track_events_release(struct perfetto_track_events *events)
{
	perfetto_arguments_release(&events->arguments);
}

/* ---- perfetto samples ---------------------------------------------------------------------------------------- */

void perfetto_samples_begin(struct perfetto_samples *samples, struct packed_source *packed,
			    const struct packed_class *const *classes)
{
	packed_samples_begin(&samples->samples, packed, &packed->base.trace);
	samples->classes = classes;
	samples->undefined = samples->lost = samples->skipped = 0;
}

void perfetto_samples_release(struct perfetto_samples *samples)
{
	packed_samples_release(&samples->samples);
}

/* ---- frames ---------------------------------------------------------------------------------------------- */

/* Returns an interned text; if it is missing, nothing, which is counted.  0 is not a number of a text. */
static struct packed_text perfetto_samples_find(struct perfetto_samples *samples,
						struct perfetto_sequence *sequence, enum perfetto_table table,
						uint64_t number)
{
	const struct packed_text none = { "", 0 };
	if (number == 0)
		return none;
	const struct perfetto_text *text = perfetto_interned_find(&sequence->interned, table, number);
	samples->undefined += text == NULL;
	return text != NULL ? (struct packed_text){ text->bytes, text->size } : none;
}

enum { PATH_MAX_SIZE = 1024 };

/* A path is interned part by part: "system", "lib64", "libc.so". */
static struct packed_text path_of(struct perfetto_samples *samples, struct perfetto_sequence *sequence,
				  uint64_t mapping, char path[static PATH_MAX_SIZE])
{
	enum { PATH_PARTS = 7 };
	const struct packed_text whole = perfetto_samples_find(samples, sequence, PERFETTO_MAPPINGS, mapping);
	struct wire_message message = wire_message(whole.bytes, whole.size);
	struct wire_field field;
	size_t size = 0;
	while (wire_next(&message, &field)) {
		struct wire_list list = wire_list(&field, WIRE_VARINT);
		uint64_t number;
		while (field.number == PATH_PARTS && wire_list_next(&list, &number)) {
			const struct packed_text part =
				perfetto_samples_find(samples, sequence, PERFETTO_MAPPING_PATHS, number);
			/* What is in brackets is no file, and what begins with a slash is whole. */
			const bool has_slash = part.size > 0 && (part.bytes[0] == '/' || part.bytes[0] == '[');
			if (part.size == 0 || size + part.size + 1 > PATH_MAX_SIZE)
				continue;
			if (!has_slash)
				path[size++] = '/';
			memcpy(path + size, part.bytes, part.size);
			size += part.size;
		}
	}
	return (struct packed_text){ path, size };
}

static struct packed_text name_of_binary(struct packed_text path, char name[static PATH_MAX_SIZE + 2])
{
	const char *slash = path.size > 0 ? memrchr(path.bytes, '/', path.size) : NULL;
	const char *begin = slash != NULL ? slash + 1 : path.bytes, *end = path.bytes + path.size;
	if (begin == end || *begin == '[')
		return (struct packed_text){ begin, (size_t)(end - begin) };
	int size = snprintf(name, PATH_MAX_SIZE + 2, "[%.*s]", (int)(end - begin), begin);
	return (struct packed_text){ name, (size_t)size };
}

/* Returns INTERN_NONE when memory runs out. */
static uint32_t frame_of(struct perfetto_samples *samples, struct perfetto_sequence *sequence, uint64_t number)
{
	enum { FUNCTION = 2, MAPPING = 3, SOURCE = 5, LINE = 6 };
	char path[PATH_MAX_SIZE], name[PATH_MAX_SIZE + 2], line[PATH_MAX_SIZE + 32];
	const struct packed_text frame = perfetto_samples_find(samples, sequence, PERFETTO_FRAMES, number);
	const struct perfetto_flat parts = perfetto_flat(wire_message(frame.bytes, frame.size));
	const uint64_t line_number = parts.numbers[LINE];
	const struct packed_text binary = path_of(samples, sequence, parts.numbers[MAPPING], path);
	struct packed_text text =
		perfetto_samples_find(samples, sequence, PERFETTO_FUNCTION_NAMES, parts.numbers[FUNCTION]);
	const struct packed_text file =
		perfetto_samples_find(samples, sequence, PERFETTO_SOURCE_PATHS, parts.numbers[SOURCE]);
	if (text.size == 0)
		text = name_of_binary(binary, name);
	line[0] = '\0';
	if (line_number > 0)
		snprintf(line, sizeof(line), "%.*s:%" PRIu64,
			 (int)(file.size < PATH_MAX_SIZE ? file.size : PATH_MAX_SIZE), file.bytes, line_number);
	return packed_samples_frame(&samples->samples, text, binary, packed_string(line));
}

/* The outermost is first.  False: memory runs out. */
static bool make_stack(struct perfetto_samples *samples, struct perfetto_sequence *sequence, uint64_t number,
		       uint32_t stack)
{
	enum { FRAMES = 2 };
	const struct packed_text whole = perfetto_samples_find(samples, sequence, PERFETTO_CALLSTACKS, number);
	struct wire_message message = wire_message(whole.bytes, whole.size);
	struct wire_field field;
	uint32_t parent = EVENT_NO_STACK, frame = INTERN_NONE;
	while (wire_next(&message, &field)) {
		struct wire_list list = wire_list(&field, WIRE_VARINT);
		uint64_t id;
		while (field.number == FRAMES && wire_list_next(&list, &id)) {
			if (frame != INTERN_NONE)
				parent = packed_samples_stack(&samples->samples, parent, frame);
			const bool has_parent = frame == INTERN_NONE || parent != EVENT_NO_STACK;
			frame = frame_of(samples, sequence, id);
			if (!has_parent || frame == INTERN_NONE)
				return false;
		}
	}
	if (frame != INTERN_NONE)
		packed_samples_set(&samples->samples, stack, parent, frame);
	return true;
}

/* ---- samples --------------------------------------------------------------------------------------------- */

static enum histree_status perfetto_samples_add(struct perfetto_samples *samples,
						struct perfetto_sequence *sequence, struct packed_sample *sample,
						uint64_t number, struct histree_error *error)
{
	/*
	 * A stack is made when it is first met: its number belongs to a sequence, until the state of the sequence
	 * begins anew.
	 */
	char id[96];
	snprintf(id, sizeof(id), "%" PRIu32 " %" PRIu32 " %" PRIu64, sequence->id, sequence->generation, number);
	const uint32_t known = samples->samples.stack_count;
	const uint32_t stack = packed_samples_named(&samples->samples, packed_string(id));
	sample->stack = stack == known && !make_stack(samples, sequence, number, stack) ? EVENT_NO_STACK : stack;
	return sample->stack != EVENT_NO_STACK ? packed_samples_add(&samples->samples, sample, error)
					       : error_memory(error, "the stacks of samples");
}

static struct packed_cell id_cell(uint64_t number)
{
	return packed_int((int32_t)number);
}

enum histree_status perfetto_samples_read(struct perfetto_samples *samples, struct perfetto_sequence *sequence,
					  struct wire_message message, histree_time time,
					  struct histree_error *error)
{
	enum { CPU = 1, PID = 2, TID = 3, CALLSTACK = 4, RECORDS_LOST = 17 };
	struct packed_sample sample = { .time = time, .cpu = -1 };
	struct wire_field field;
	uint64_t callstack = 0, lost = 0;
	while (wire_next(&message, &field)) {
		if (field.number == CPU && field.value < INT32_MAX)
			sample.cpu = (int32_t)field.value;
		else if (field.number == PID)
			sample.cells[SAMPLE_PID] = id_cell(field.value);
		else if (field.number == TID)
			sample.cells[SAMPLE_TID] = id_cell(field.value);
		else if (field.number == CALLSTACK)
			callstack = field.value;
		else if (field.number == RECORDS_LOST)
			lost = field.value;
	}
	samples->lost += lost;
	if (lost > 0)
		return HISTREE_OK;
	if (callstack == 0 || time == PACKED_NO_TIME) {
		samples->skipped++;
		return HISTREE_OK;
	}
	return perfetto_samples_add(samples, sequence, &sample, callstack, error);
}

/* TrackEvents of old count their times so, too: in microseconds of the monotonic clock. */
static bool time_of_us(const struct perfetto_clocks *clocks, uint64_t us, histree_time *out)
{
	enum { MONOTONIC = 3 };
	uint64_t trace;
	if (us > INT64_MAX / 1000)
		return false;
	if (!perfetto_clocks_convert(clocks, MONOTONIC, us * 1000, &trace))
		trace = us * 1000;
	return perfetto_clocks_time(clocks, trace, out);
}

/* Two lists of the same length, which may be cut in parts. */
enum histree_status perfetto_samples_stream(struct perfetto_samples *samples, struct perfetto_sequence *sequence,
					    const struct perfetto_clocks *clocks, struct wire_message message,
					    struct histree_error *error)
{
	enum { CALLSTACKS = 1, DELTAS = 2 };
	struct wire_message deltas = message;
	struct wire_field field, delta_field;
	struct wire_list delta_list = { .has_single = false };
	enum histree_status status = HISTREE_OK;
	while (wire_next(&message, &field)) {
		struct wire_list list = wire_list(&field, WIRE_VARINT);
		uint64_t number, delta = 0;
		while (field.number == CALLSTACKS && status == HISTREE_OK && wire_list_next(&list, &number)) {
			struct packed_sample sample = { .cpu = -1 };
			bool has_delta;
			while (!(has_delta = wire_list_next(&delta_list, &delta)) &&
			       wire_next(&deltas, &delta_field))
				if (delta_field.number == DELTAS)
					delta_list = wire_list(&delta_field, WIRE_VARINT);
			sequence->last_us += has_delta ? delta : 0;
			if (number == 0 || !time_of_us(clocks, sequence->last_us, &sample.time)) {
				samples->skipped++;
				continue;
			}
			if (sequence->pid != 0)
				sample.cells[SAMPLE_PID] = packed_int(sequence->pid);
			if (sequence->tid != 0)
				sample.cells[SAMPLE_TID] = packed_int(sequence->tid);
			status = perfetto_samples_add(samples, sequence, &sample, number, error);
		}
	}
	return status;
}

/* ---- names ----------------------------------------------------------------------------------------------- */

/* protos/perfetto/trace/ps/process_tree.proto */
enum histree_status perfetto_samples_name(struct perfetto_samples *samples, struct wire_message message,
					  struct histree_error *error)
{
	enum { PROCESSES = 1, THREADS = 2, ID = 1, NAME = 2, THREAD_PROCESS = 3, COMMAND = 3 };
	struct wire_field field, inner;
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && wire_next(&message, &field)) {
		struct packed_cell cells[TRACK_FIELD_COUNT] = { [TRACK_NAME] = { .kind = PACKED_ABSENT } };
		const bool is_process = field.number == PROCESSES;
		struct wire_message inside = wire_inside(&field);
		if (!is_process && field.number != THREADS)
			continue;
		while (wire_next(&inside, &inner)) {
			const bool is_name = inner.number == (is_process ? COMMAND : NAME) && inner.bytes != NULL;
			if (inner.number == ID && inner.bytes == NULL)
				cells[is_process ? TRACK_PID : TRACK_TID] = id_cell(inner.value);
			else if (is_name && cells[TRACK_NAME].kind == PACKED_ABSENT && inner.size > 0)
				cells[TRACK_NAME] =
					packed_text((const char *)inner.bytes,
						    inner.size < PACKED_NAME_MAX ? inner.size : PACKED_NAME_MAX);
			else if (!is_process && inner.number == THREAD_PROCESS && inner.bytes == NULL)
				cells[TRACK_PID] = id_cell(inner.value);
		}
		const struct packed_event event = {
			.time = PACKED_NO_TIME,
			.cpu = -1,
			.class = samples->classes[is_process ? TRACK_PROCESS_NAME : TRACK_THREAD_NAME],
			.cells = cells,
		};
		if (cells[TRACK_NAME].kind != PACKED_ABSENT && cells[TRACK_PID].kind != PACKED_ABSENT)
			status = packed_source_add(samples->samples.packed, &event, error);
	}
	return status;
}
