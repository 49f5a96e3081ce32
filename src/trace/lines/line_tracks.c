// SPDX-License-Identifier: MIT
/*
 * line_tracks.c - the spans, counters and instants in a text, as a trace of tracks beside that of the kernel.
 */
#include "trace/lines/line_tracks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/trace_word.h"
#include "trace/lines/line_graph.h"
#include "trace/lines/line_head.h"
#include "trace/lines/line_preface.h"
#include "trace/lines/line_strace.h"
#include "trace/packed/packed_markers.h"

struct line_tracks {
	struct packed_source packed;
	const char *path; /* of the file */
	bool is_in_json;
	struct line_preface preface;
	struct line_text text; /* while the events are read */
};

/* ---- markers --------------------------------------------------------------------------------------------- */

/* Returns whether a line may be a marker: most are not, and are not read. */
static bool may_be_marker(const char *line, size_t size)
{
	static const char end[] = ": E";
	const size_t end_size = strlen(end);
	return memchr(line, '|', size) != NULL ||
	       (size > end_size && memcmp(line + size - end_size, end, end_size) == 0);
}

static bool is_marker(const struct line_head *head)
{
	static const char *const names[] = { "tracing_mark_write", "print", "ftrace:print", "0" };
	bool is = false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is |= head->name_size == strlen(names[i]) && memcmp(head->name, names[i], head->name_size) == 0;
	return (is && packed_marker_is(head->text, head->text_size)) || line_graph_is_event(head);
}

static bool read_marker(char *line, size_t size, unsigned columns, struct line_head *head)
{
	if (!may_be_marker(line, size))
		return false;
	line_head_read(line, size, columns, head);
	return head->kind == LINE_EVENT && head->has_time && is_marker(head);
}

/* "  name-1042 ...", of a thread whose name is not lost: "<...>". */
static size_t name_of_thread(const char *line, const struct line_head *head, const char **name)
{
	enum { COMM_MAX = 15 };
	char number[16];
	int size = snprintf(number, sizeof(number), "-%" PRId32, head->pid);
	while (*line == ' ')
		line++;
	const char *end = memmem(line, (size_t)(head->name - line), number, (size_t)size);
	*name = line;
	return end == NULL || end == line || end - line > COMM_MAX || *line == '<' ? 0 : (size_t)(end - line);
}

static enum histree_status read_markers(struct line_tracks *tracks, struct packed_markers *markers,
					struct line_graph *graph, struct histree_error *error)
{
	struct line_head head;
	char *line;
	size_t size;
	enum histree_status status;
	while ((status = line_text_next(&tracks->text, &line, &size, error)) == HISTREE_OK) {
		if (!read_marker(line, size, tracks->text.columns, &head)) {
			if (tracks->text.lines % 1024 == 0)
				status = packed_source_look(&tracks->packed, error);
		} else {
			struct marker_thread thread = { .number = head.pid };
			thread.name_size = name_of_thread(line, &head, &thread.name);
			status = line_graph_is_event(&head) ? line_graph_take(graph, &head, &thread)
							    : packed_markers_take(markers, head.time, &thread,
										  head.text, head.text_size, error);
		}
		if (status != HISTREE_OK)
			return status;
	}
	return status;
}

/* Whether the text has a marker.  A bar behind a letter is in no other line, so nearly none has to be read. */
static enum histree_status look_for_markers(const struct line_place *place, bool *out, struct histree_error *error)
{
	struct line_text text;
	struct line_head head;
	char *line;
	size_t size;
	*out = false;
	enum histree_status status = line_text_open(&text, place, error);
	while (status == HISTREE_OK && !*out) {
		status = line_text_next_with(&text, '|', &line, &size, error);
		*out = status == HISTREE_OK && read_marker(line, size, text.columns, &head);
	}
	line_text_close(&text);
	/* Damage is reported where the other events are read. */
	return status == HISTREE_END || status == HISTREE_ERR_TRACE ? HISTREE_OK : status;
}

/* ---- reading --------------------------------------------------------------------------------------------- */

static enum histree_status read_kind(struct line_tracks *tracks, const struct line_place *place,
				     struct histree_error *error)
{
	struct packed_markers markers = { 0 };
	if (tracks->preface.is_graph)
		return line_graph_read(&tracks->packed, &tracks->text, error);
	if (tracks->preface.is_strace)
		return line_strace_read(&tracks->packed, place, &tracks->text, error);
	struct line_graph *graph = NULL;
	enum histree_status status =
		packed_markers_begin(&markers, &tracks->packed, error) ? HISTREE_OK : error->status;
	if (status == HISTREE_OK)
		status = line_graph_create(&graph, &tracks->packed, error);
	if (status == HISTREE_OK)
		status = read_markers(tracks, &markers, graph, error);
	line_graph_free(graph);
	if (markers.others > 0)
		trace_notes_warn(tracks->packed.base.notes,
				 "%s: markers of programs that are not whole are left out: %" PRIu64, tracks->path,
				 markers.others);
	packed_markers_release(&markers);
	return status;
}

static enum histree_status read_events(struct packed_source *packed, struct histree_error *error)
{
	struct line_tracks *tracks = (struct line_tracks *)packed;
	const struct line_place place = { packed->base.io, tracks->path, packed->cancel, tracks->is_in_json,
					  tracks->preface.columns };
	enum histree_status status = line_text_open(&tracks->text, &place, error);
	if (status == HISTREE_OK)
		status = read_kind(tracks, &place, error);
	line_text_close(&tracks->text);
	if (status == HISTREE_ERR_TRACE)
		status = packed_source_lose_rest(packed, error);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static uint64_t bytes_read(const struct packed_source *packed)
{
	uint64_t at = ((const struct line_tracks *)packed)->text.input.at;
	return at < packed->base.bytes ? at : packed->base.bytes;
}

static const struct packed_reader reader = { .read = read_events, .bytes_read = bytes_read };

/* ---- the trace ------------------------------------------------------------------------------------------- */

static struct trace_source *create_of(bool is_in_json)
{
	struct trace_source *base = packed_source_create(sizeof(struct line_tracks), &reader);
	struct line_tracks *tracks = (struct line_tracks *)base;
	if (tracks == NULL)
		return NULL;
	tracks->is_in_json = is_in_json;
	tracks->text.input.file = -1;
	return base;
}

static struct trace_source *create(void)
{
	return create_of(false);
}

static struct trace_source *create_in_json(void)
{
	return create_of(true);
}

static enum histree_status look(struct line_tracks *tracks, const struct line_place *place,
				struct histree_error *error)
{
	bool has_markers = false;
	enum histree_status status = line_preface_read(place, &tracks->preface, error);
	if (status != HISTREE_OK)
		return status;
	if (tracks->preface.is_graph)
		return line_graph_check(place, error);
	if (tracks->preface.is_strace)
		return line_strace_check(place, error);
	if (tracks->preface.has_no_times || !tracks->preface.is_trace)
		return HISTREE_END;
	status = look_for_markers(place, &has_markers, error);
	return status == HISTREE_OK && !has_markers ? HISTREE_END : status;
}

static enum histree_status scan(struct trace_source *base, const char *path, struct histree_error *error)
{
	struct line_tracks *tracks = (struct line_tracks *)base;
	base->path = strdup(path);
	if (base->path == NULL)
		return error_memory(error, "a path");
	tracks->path = trace_word_path(base->path);
	const struct line_place place = { base->io, tracks->path, NULL, tracks->is_in_json, 0 };
	enum histree_status status = look(tracks, &place, error);
	if (status != HISTREE_OK)
		return status == HISTREE_ERR_IO ? error_set(error, HISTREE_ERR_TRACE, "%s", error->message)
						: status;
	base->facts = tracks->preface.facts;
	packed_source_describe(&tracks->packed, TRACK_DOMAIN, tracks->preface.is_strace ? "strace" : "ftrace");
	base->trace.machine = tracks->preface.machine;
	return HISTREE_OK;
}

static enum histree_status read_facts(const char *path, struct trace_facts *out, struct histree_error *error)
{
	struct line_preface preface;
	const struct line_place place = { .io = &io_posix, .path = trace_word_path(path) };
	enum histree_status status = line_preface_read(&place, &preface, error);
	*out = preface.facts;
	return status;
}

static void free_source(struct trace_source *base)
{
	struct line_tracks *tracks = (struct line_tracks *)base;
	if (tracks->text.bytes != NULL)
		line_text_close(&tracks->text);
	packed_source_release(&tracks->packed);
	free(tracks);
}

const struct trace_format_kind line_tracks_format = {
	.create = create, .scan = scan, .facts = read_facts, PACKED_SOURCE_KIND, .free = free_source
};

/* What a trace in JSON says of itself its other part does. */
const struct trace_format_kind line_tracks_in_json_format = { .create = create_in_json,
							      .scan = scan,
							      .facts = packed_source_no_facts,
							      PACKED_SOURCE_KIND,
							      .free = free_source };
