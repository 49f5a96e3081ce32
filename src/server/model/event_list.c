// SPDX-License-Identifier: MIT
/*
 * event_list.c - the events of a dataset as lists and counts of them.
 *
 * All requests share one reader, each for a bounded time.
 */
#include "server/model/event_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/number_text.h"
#include "histree/states.h"
#include "server/catalogue/dataset.h"
#include "server/text/json_writer.h"
#include "view/view.h"

enum { GAP_BANDS_MAX = 4096 };

/* ---- event list ---------------------------------------------------------------------------------------------- */

static bool event_list_applies(const struct dataset *dataset)
{
	return dataset->trace_events != NULL;
}

static void event_list_free(void *view)
{
	struct event_list *list = view;
	histree_cursor_free(list->reader);
	pthread_mutex_destroy(&list->lock);
	free(list);
}

static enum histree_status event_list_make(struct dataset *dataset, void **out, struct histree_error *error)
{
	*out = NULL;
	struct event_list *list = calloc(1, sizeof(*list));
	if (list == NULL)
		return error_memory(error, "a list of events");
	const struct histree_store_info *store = histree_store_info(dataset->store);
	pthread_mutex_init(&list->lock, NULL);
	list->events = dataset->trace_events;
	list->name = path_name(store->trace_count == 1 ? store->traces[0] : store->path);
	list->start = store->start;
	list->end = store->end;
	list->count = histree_events_count(dataset->trace_events);
	list->types = histree_events_types(dataset->trace_events, &list->type_count);
	list->hosts = histree_events_hosts(dataset->trace_events, &list->host_count);
	enum histree_status status = histree_event_reader_create(dataset->trace_events, &list->reader, error);
	if (status != HISTREE_OK) {
		event_list_free(list);
		return status;
	}
	if (!dataset->may_read_traces)
		histree_event_reader_keep_closed(
			list->reader, "the trace of this store is not below what histree serve was given: name its "
				      "folder too, or say --trust-stores");
	*out = list;
	return HISTREE_OK;
}

const struct view_kind event_list_kind = { event_list_applies, event_list_make, event_list_free };

/* ---- lines ----------------------------------------------------------------------------------------------- */

const char *event_line_cell(void *context, unsigned column)
{
	struct event_line *line = context;
	char *room = line->room;
	_Static_assert((int)EVENT_CELL_SIZE >= (int)TIME_TEXT_SIZE, "a time fits");
	room[0] = '\0';
	switch ((enum event_column)column) {
	case EVENT_CLOCK:
		time_format_clock(line->time, room);
		break;
	case EVENT_CPU:
		if (line->cpu >= 0)
			snprintf(room, EVENT_CELL_SIZE, "%" PRId32, line->cpu);
		break;
	case EVENT_TYPE:
		return line->type;
	case EVENT_CONTENTS:
		return line->contents;
	case EVENT_TIME:
		snprintf(room, EVENT_CELL_SIZE, "%" PRId64, line->time);
		break;
	case EVENT_HOST:
		return line->host != NULL ? line->host : room;
	case EVENT_COLUMNS:
		break;
	}
	return room;
}

static void enter_turn(void *context)
{
	struct event_lines *lines = context;
	pthread_mutex_lock(&lines->list->lock);
}

static void leave_turn(void *context)
{
	struct event_lines *lines = context;
	pthread_mutex_unlock(&lines->list->lock);
}

static enum histree_status seek_line(void *context, uint64_t number, struct histree_error *error)
{
	struct event_lines *lines = context;
	return histree_event_reader_seek(lines->list->reader, number, error);
}

static enum histree_status find_line(void *context, histree_time time, uint64_t *number,
				     struct histree_error *error)
{
	struct event_lines *lines = context;
	return histree_event_reader_find(lines->list->reader, time, number, error);
}

static enum histree_status next_line(void *context, struct histree_error *error)
{
	struct event_lines *lines = context;
	const struct event_list *list = lines->list;
	struct histree_event event;
	enum histree_status status = histree_cursor_next(list->reader, error);
	if (status == HISTREE_OK)
		event = *histree_cursor_event(list->reader);
	if (status != HISTREE_OK)
		return status;
	lines->line = (struct event_line){
		.number = event.number,
		.time = event.time,
		.cpu = event.cpu,
		.type = list->types[event.type],
		.host = event.host < list->host_count ? list->hosts[event.host].name : NULL,
		.contents = histree_event_reader_contents(list->reader),
	};
	return lines->line.contents != NULL ? HISTREE_OK : error_memory(error, "an event");
}

struct line_table event_list_table(struct event_list *list, struct event_lines *lines)
{
	static const struct line_kind kind = {
		.enter = enter_turn,
		.leave = leave_turn,
		.seek = seek_line,
		.next = next_line,
		.find = find_line,
		.cell = event_line_cell,
		.turn = 32768,
		.seconds = 10,
		.one_line = "event",
	};
	lines->list = list;
	return (struct line_table){ &kind, lines, list->count, list->host_count > 0 ? EVENT_COLUMNS : EVENT_HOST };
}

/* ---- counts ---------------------------------------------------------------------------------------------- */

enum histree_status event_list_count_types(struct event_list *list, histree_time from, histree_time to,
					   uint64_t *counts, struct histree_error *error)
{
	pthread_mutex_lock(&list->lock);
	enum histree_status status = histree_event_reader_count_types(list->reader, from, to, counts, error);
	pthread_mutex_unlock(&list->lock);
	return status;
}

enum histree_status event_list_density(struct event_list *list, histree_time from, histree_time to, uint32_t pixels,
				       struct histree_work work, double *counts, bool *are_exact,
				       struct histree_error *error)
{
	pthread_mutex_lock(&list->lock);
	enum histree_status status =
		cancel_asked(&work)
			? error_set(error, HISTREE_ERR_CANCELLED, "the answer is no longer wanted")
			: histree_event_reader_density(list->reader, from, to, pixels, counts, are_exact, error);
	pthread_mutex_unlock(&list->lock);
	return status;
}

static int compare_counts(const void *a, const void *b, void *context)
{
	const uint64_t *counts = context;
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;
	if (counts[one] != counts[other])
		return counts[one] > counts[other] ? -1 : 1;
	return (one > other) - (one < other);
}

void event_list_order_types(const struct event_list *list, const uint64_t *counts, uint32_t *order)
{
	for (size_t i = 0; i < list->type_count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, list->type_count, sizeof(*order), compare_counts, (void *)(uintptr_t)counts);
}

/* ---- gap bands ----------------------------------------------------------------------------------------------- */

static histree_time clamp(histree_time time, const struct histree_store_info *info)
{
	return time < info->start ? info->start : time > info->end ? info->end : time;
}

static void visit_band(const struct dataset *dataset, struct gap_band *band, gap_band_visit *visit, void *context)
{
	size_t count;
	const struct histree_event_host *hosts = histree_events_hosts(dataset->trace_events, &count);
	band->host_name = band->host < count ? hosts[band->host].name : NULL;
	visit(context, band);
}

void gap_bands_each(const struct dataset *dataset, histree_time from, histree_time to, uint32_t pixels,
		    gap_band_visit *visit, void *context)
{
	size_t count = 0;
	const struct histree_gap *gaps =
		dataset->trace_events != NULL ? histree_events_gaps(dataset->trace_events, &count) : NULL;
	const struct histree_store_info *info = histree_store_info(dataset->store);
	uint64_t step = ((uint64_t)to - (uint64_t)from) / (pixels < GAP_BANDS_MAX ? pixels : GAP_BANDS_MAX);
	struct gap_band band = { .gaps = 0 };
	for (size_t i = 0; i < count; i++) {
		struct histree_gap gap = gaps[i];
		gap.from = clamp(gap.from, info);
		gap.to = clamp(gap.to, info);
		if (gap.to < from || gap.from > to)
			continue;
		/* Whether less than `step` ns lie between the two. */
		if (band.gaps > 0 && (gap.from <= band.to || (uint64_t)gap.from - (uint64_t)band.to < step)) {
			band.to = gap.to > band.to ? gap.to : band.to;
			band.cpu = gap.cpu == band.cpu && gap.host == band.host ? band.cpu : -1;
			band.host = gap.host == band.host ? band.host : UINT32_MAX;
			band.events += gap.events;
			band.gaps++;
			continue;
		}
		if (band.gaps > 0)
			visit_band(dataset, &band, visit, context);
		band = (struct gap_band){ gap.from, gap.to, gap.cpu, 1, gap.events, gap.host, NULL };
	}
	if (band.gaps > 0)
		visit_band(dataset, &band, visit, context);
}

void gap_band_text(const struct gap_band *band, struct byte_buffer *text)
{
	if (band->events > 0)
		byte_buffer_format(text, "%" PRIu64 " event%s lost", band->events, band->events == 1 ? "" : "s");
	else
		byte_buffer_put_chars(text, "events lost");
	if (band->gaps > 1)
		byte_buffer_format(text, " in %" PRIu64 " gaps", band->gaps);
	if (band->cpu >= 0)
		byte_buffer_format(text, " on CPU %" PRId32, band->cpu);
	if (band->host_name != NULL)
		byte_buffer_format(text, " of %s", band->host_name);
}
