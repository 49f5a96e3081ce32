// SPDX-License-Identifier: MIT
/*
 * viewer_paths.c - the track of an attribute by its path: stacks and counters of the analyses `tracks` and
 * `ust-calls` (histree-states(7)), and anything else.
 *
 *	Processes/<pid>/<tid>/CallStack/<n>             a span of the thread, by depth
 *	Processes/<pid>/Async/<name>/<lane>/CallStack/<n>   of a lane of the process
 *	Processes/<pid>/Counters/<name>[/<series>]      a counter of the process
 *	Threads/<tid>/...                               the same of no process
 *	anything/else                                   a lane of the group `anything`
 */
#include <stdlib.h>

#include "base/array.h"
#include "export/viewer/viewer_rows.h"
#include "histree/lookup.h"

enum { COMPONENTS_MAX = 12 };

struct component {
	histree_quark quark;
	struct viewer_text name;
};

struct path {
	struct component components[COMPONENTS_MAX]; /* the first is the top */
	size_t count;
	char *bytes;
	size_t used, capacity;
};

/* Returns false if there are too many components, or no memory. */
static bool read_path(const struct histree_attributes *attributes, histree_quark quark, struct path *path)
{
	size_t places[COMPONENTS_MAX];
	path->count = path->used = 0;
	for (histree_quark at = quark; at != HISTREE_ROOT; at = histree_attributes_parent(attributes, at)) {
		if (path->count == COMPONENTS_MAX)
			return false;
		size_t size = histree_attributes_name(attributes, at, NULL, 0);
		if (!array_reserve(&path->bytes, &path->capacity, path->used + size + 1))
			return false;
		histree_attributes_name(attributes, at, path->bytes + path->used, size + 1);
		places[path->count] = path->used;
		path->components[path->count++] = (struct component){ at, { NULL, size } };
		path->used += size + 1;
	}
	for (size_t i = 0; i < path->count; i++)
		path->components[i].name.bytes = path->bytes + places[i];
	for (size_t i = 0; i < path->count / 2; i++) {
		struct component swapped = path->components[i];
		path->components[i] = path->components[path->count - 1 - i];
		path->components[path->count - 1 - i] = swapped;
	}
	return true;
}

static bool is(const struct path *path, size_t at, const char *name)
{
	const struct viewer_text *text = &path->components[at].name;
	return at < path->count && text->size == strlen(name) && memcmp(text->bytes, name, text->size) == 0;
}

static bool is_number(const struct path *path, size_t at, int64_t *number)
{
	/* A name that holds a zero byte is no number. */
	return at < path->count && strlen(path->components[at].name.bytes) == path->components[at].name.size &&
	       number_parse_signed(path->components[at].name.bytes, number);
}

/* ---- owners ----------------------------------------------------------------------------------------------- */

/* A process or thread is called as its attribute said last, or else first. */
static void name_track(struct viewer_rows *rows, struct viewer_track *track, histree_quark quark)
{
	struct histree_interval interval;
	if (track == NULL || track->name != NULL || histree_attributes_is_folder(rows->attributes, quark))
		return;
	enum histree_status status =
		histree_query_single(rows->query, quark, rows->to, &interval, rows->file->error);
	if (status == HISTREE_OK && interval.value.type != HISTREE_STRING)
		status = histree_lookup_first_value(rows->query, quark, rows->from, rows->to, &interval,
						    rows->file->error);
	if (status == HISTREE_OK && interval.value.type == HISTREE_STRING)
		viewer_file_name(rows->file, track,
				 (struct viewer_text){ interval.value.bytes, interval.value.size });
	else if (status < 0 && rows->file->status == HISTREE_OK)
		rows->file->status = status;
}

/* Whether numbers below an attribute, and below these, come in another order than ascending. */
static bool is_disordered(const struct histree_attributes *attributes, histree_quark parent, unsigned levels)
{
	int64_t number, last = INT64_MIN;
	histree_quark child = histree_attributes_first_child(attributes, parent);
	for (; child != HISTREE_ROOT; child = histree_attributes_next_sibling(attributes, child)) {
		char name[32];
		size_t size = histree_attributes_name(attributes, child, name, sizeof(name));
		if (size >= sizeof(name) || strlen(name) != size || !number_parse_signed(name, &number))
			continue;
		if (number < last || (levels > 1 && is_disordered(attributes, child, levels - 1)))
			return true;
		last = number;
	}
	return false;
}

/* A trace may say in which order they are shown, and attributes were made in that. */
static void place_track(struct viewer_rows *rows, struct viewer_track *track, const struct path *path, size_t at)
{
	if (!rows->is_order_known) {
		rows->has_order = is_disordered(rows->attributes, path->components[0].quark, 2);
		rows->is_order_known = true;
	}
	if (track != NULL && rows->has_order)
		track->place = path->components[at].quark + 1;
}

static struct viewer_track *thread_of(struct viewer_rows *rows, const struct path *path, size_t at,
				      struct viewer_track *process, int64_t tid)
{
	histree_quark quark = path->components[at].quark, name;
	struct viewer_track *thread =
		viewer_file_track(rows->file, &(struct viewer_track_key){ .kind = VIEWER_THREAD,
									  .parent = process,
									  .has_pid = process != NULL,
									  .pid = process != NULL ? process->pid : 0,
									  .tid = tid });
	if (histree_attributes_child(rows->attributes, quark, "Name", strlen("Name"), &name) == HISTREE_OK)
		quark = name;
	name_track(rows, thread, quark);
	return thread;
}

/* Returns whose the attribute is, NULL if of nobody; *used is how many components say so. */
static struct viewer_track *owner_of(struct viewer_rows *rows, const struct path *path, size_t *used)
{
	struct viewer_track *owner = NULL;
	int64_t number;
	*used = 0;
	if (is(path, 0, "Processes") && is_number(path, 1, &number)) {
		owner = viewer_file_track(
			rows->file,
			&(struct viewer_track_key){ .kind = VIEWER_PROCESS, .has_pid = true, .pid = number });
		name_track(rows, owner, path->components[1].quark);
		place_track(rows, owner, path, 1);
		*used = 2;
		if (owner != NULL && is_number(path, 2, &number)) {
			owner = thread_of(rows, path, 2, owner, number);
			place_track(rows, owner, path, 2);
			*used = 3;
		}
	} else if (is(path, 0, "Threads") && is_number(path, 1, &number)) {
		owner = thread_of(rows, path, 1, NULL, number);
		*used = 2;
	}
	if (*used + 2 < path->count && is(path, *used, "Async")) {
		owner = viewer_file_track(rows->file,
					  &(struct viewer_track_key){ .kind = VIEWER_LANE,
								      .parent = owner,
								      .name = path->components[*used + 1].name,
								      .series = path->components[*used + 2].name });
		*used += 3;
	}
	return owner;
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

/* The rest of the path, below a group that is called as its first component. */
static void put_in_group(struct viewer_rows *rows, const struct path *path, struct viewer_row *row)
{
	char small[512], *text = small;
	size_t size = histree_attributes_path(rows->attributes, row->quark, small, sizeof(small));
	if (size >= sizeof(small)) {
		text = malloc(size + 1);
		if (text == NULL) {
			viewer_file_lacks_memory(rows->file);
			return;
		}
		histree_attributes_path(rows->attributes, row->quark, text, size + 1);
	}
	/* Of a path of one component there is no rest; a first component may have a slash, with a backslash. */
	const char *rest = text;
	while (path->count > 1 && *rest != '/')
		rest += *rest == '\\' ? 2 : 1;
	rest += path->count > 1;
	struct viewer_text group_name = path->count > 1
						? path->components[0].name
						: viewer_text(histree_history_info(rows->history)->provider);
	const struct viewer_track *group = viewer_file_track(
		rows->file, &(struct viewer_track_key){ .kind = VIEWER_GROUP, .name = group_name });
	row->track = viewer_file_track(
		rows->file, &(struct viewer_track_key){ .kind = VIEWER_LANE,
							.parent = group,
							.name = { rest, size - (size_t)(rest - text) } });
	row->category = "state";
	row->counts = true;
	if (text != small)
		free(text);
}

static void put_counter(struct viewer_rows *rows, const struct path *path, size_t at,
			const struct viewer_track *owner, struct viewer_row *row)
{
	const struct viewer_text series =
		at + 1 < path->count ? path->components[at + 1].name : (struct viewer_text){ 0 };
	row->counter = viewer_file_track(rows->file, &(struct viewer_track_key){ .kind = VIEWER_COUNTER,
										 .parent = owner,
										 .name = path->components[at].name,
										 .series = series });
	row->category = "counter";
	row->counts = true;
}

void viewer_rows_by_path(struct viewer_rows *rows, histree_quark quark, bool any, struct viewer_row *row)
{
	struct path path = { 0 };
	int64_t depth;
	size_t used;
	if (!read_path(rows->attributes, quark, &path)) {
		bool is_deep = path.count == COMPONENTS_MAX;
		path.count = 1;
		if (is_deep)
			put_in_group(rows, &path, row);
		else
			viewer_file_lacks_memory(rows->file);
		free(path.bytes);
		return;
	}
	struct viewer_track *owner = owner_of(rows, &path, &used);
	size_t rest = path.count - used;
	if (rest == 2 && is(&path, used, "CallStack") && is_number(&path, used + 1, &depth) && depth > 0) {
		row->track =
			owner != NULL
				? owner
				: viewer_file_track(rows->file,
						    &(struct viewer_track_key){ .kind = VIEWER_LANE,
										.name = viewer_text("CallStack") });
		row->rank = depth < UINT16_MAX ? (uint16_t)depth : UINT16_MAX;
		row->category = "span";
	} else if ((rest == 2 || rest == 3) && is(&path, used, "Counters")) {
		put_counter(rows, &path, used + 1, owner, row);
	} else if (any || owner == NULL ||
		   !(rest == 0 || is(&path, used, "CallStack") || is(&path, used, "Name"))) {
		/* What the track of its owner says already has no row, unless somebody asks for it. */
		if (any || owner != NULL || !is(&path, used, "CallStack"))
			put_in_group(rows, &path, row);
	}
	free(path.bytes);
}
