// SPDX-License-Identifier: MIT
/*
 * viewer_rows.c - the tracks of threads and attributes of a history, and the names of spans for values.
 *
 * Threads are on tracks of their processes.  For an attribute that does not belong to a thread or CPU of a kernel,
 * the path says where it belongs: stacks and counters of the analyses `tracks` and `ust-calls` (histree-states(7)),
 * and anything else.
 *
 * 	Processes/<pid>/<tid>/CallStack/<n>             a span of the thread, by depth
 * 	Processes/<pid>/Async/<name>/<lane>/CallStack/<n>   of a lane of the process
 * 	Processes/<pid>/Counters/<name>[/<series>]      a counter of the process
 * 	Threads/<tid>/...                               the same of no process
 * 	anything/else                                   a lane of the group `anything`
 */
#include "export/viewer/viewer_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/states.h"

/* ---- threads ----------------------------------------------------------------------------------------------- */

enum histree_status viewer_threads_begin(struct viewer_threads *threads, struct viewer_file *file,
					 struct histree_history *history, struct histree_work work)
{
	*threads = (struct viewer_threads){ .file = file };
	if (history == NULL || file->status != HISTREE_OK)
		return file->status;
	file->status = histree_control_flow_create(history, work, &threads->flow, file->error);
	if (file->status == HISTREE_OK)
		threads->threads = histree_control_flow_threads(threads->flow, &threads->count);
	return file->status;
}

void viewer_threads_release(struct viewer_threads *threads)
{
	histree_control_flow_free(threads->flow);
}

static const struct histree_thread *find_thread(const struct viewer_threads *threads, int64_t tid,
						histree_time time)
{
	if (threads->flow == NULL || tid <= 0 || tid > INT32_MAX)
		return NULL;
	uint32_t index = histree_control_flow_find_at(threads->flow, (int32_t)tid, -1, time);
	return index == HISTREE_NO_INDEX ? NULL : &threads->threads[index];
}

/* How many threads of a process of this number had a thread's number before it did. */
static uint32_t count_earlier(const struct viewer_threads *threads, const struct histree_thread *thread,
			      int32_t pid)
{
	uint32_t count = 0;
	while (thread != NULL && thread->life > 0) {
		thread = find_thread(threads, thread->tid, thread->from - 1);
		count += thread != NULL && thread->pid == pid;
	}
	return count;
}

struct viewer_track *viewer_threads_process(struct viewer_threads *threads, int64_t pid, histree_time time)
{
	const struct histree_thread *leader = find_thread(threads, pid, time);
	const struct viewer_track_key key = {
		.kind = VIEWER_PROCESS,
		.has_pid = true,
		.pid = pid,
		.again = leader != NULL ? count_earlier(threads, leader, leader->tid) : 0,
	};
	struct viewer_track *process = viewer_file_track(threads->file, &key);
	if (process != NULL && process->name == NULL && leader != NULL)
		viewer_file_name(threads->file, process, viewer_text(leader->name));
	return process;
}

static struct viewer_track *make_thread(struct viewer_threads *threads, int64_t tid, uint32_t again, bool has_pid,
					int64_t pid, histree_time time, const char *name)
{
	const struct viewer_track *process = has_pid ? viewer_threads_process(threads, pid, time) : NULL;
	struct viewer_track *track = viewer_file_track(threads->file, &(struct viewer_track_key){
									      .kind = VIEWER_THREAD,
									      .parent = process,
									      .has_pid = has_pid,
									      .pid = pid,
									      .tid = tid,
									      .again = again,
								      });
	if (track != NULL && name != NULL)
		viewer_file_name(threads->file, track, viewer_text(name));
	return track;
}

/*
 * Threads of no known process are lanes of a group, with their numbers in their names, as Perfetto drops a thread
 * without a process.
 */
static struct viewer_track *make_lane(struct viewer_threads *threads, const char *group, const char *name)
{
	const struct viewer_track *parent = viewer_file_track(
		threads->file, &(struct viewer_track_key){ .kind = VIEWER_GROUP, .name = viewer_text(group) });
	return viewer_file_track(
		threads->file,
		&(struct viewer_track_key){ .kind = VIEWER_LANE, .parent = parent, .name = viewer_text(name) });
}

struct viewer_track *viewer_threads_track(struct viewer_threads *threads, const struct histree_thread *thread)
{
	if (thread->tid <= 0) {
		/* The idle thread of a CPU, and what ran before the first switch, are no threads of a process. */
		char text[64];
		if (thread->tid == 0)
			snprintf(text, sizeof(text), "idle thread of CPU %" PRId32, thread->cpu);
		else
			snprintf(text, sizeof(text), "threads that are not known (%" PRId32 ")", thread->tid);
		return make_lane(threads, "Idle threads", text);
	}
	if (!thread->has_process) {
		char text[96], life[24] = "";
		if (thread->life > 0)
			snprintf(life, sizeof(life), ", life %" PRId32, thread->life);
		snprintf(text, sizeof(text), "%s%s%" PRId32 "%s", thread->name, thread->name[0] != '\0' ? " " : "",
			 thread->tid, life);
		return make_lane(threads, "Threads whose process is not known", text);
	}
	const histree_time time = thread->first <= thread->last ? thread->first : thread->from;
	return make_thread(threads, thread->tid, count_earlier(threads, thread, thread->pid), true, thread->pid,
			   time, thread->name);
}

struct viewer_track *viewer_threads_find(struct viewer_threads *threads, int64_t tid, bool has_pid, int64_t pid,
					 histree_time time)
{
	const struct histree_thread *thread = find_thread(threads, tid, time);
	if (thread != NULL && (!has_pid || pid == thread->pid))
		return viewer_threads_track(threads, thread);
	return make_thread(threads, tid, 0, has_pid, pid, time, NULL);
}

size_t viewer_threads_words(const struct viewer_threads *threads, int32_t tid, histree_time time, char *text,
			    size_t capacity)
{
	const struct histree_thread *thread = find_thread(threads, tid, time);
	int size = tid == 0 ? snprintf(text, capacity, "idle")
		   : thread != NULL && thread->name[0] != '\0'
			   ? snprintf(text, capacity, "%s %" PRId32, thread->name, tid)
			   : snprintf(text, capacity, "%" PRId32, tid);
	return (size_t)size < capacity ? (size_t)size : capacity - 1;
}

/* ---- words ------------------------------------------------------------------------------------------------- */

struct viewer_text viewer_value_text(const struct histree_value *value, char room[VIEWER_WORDS_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *bytes;
	size_t size = 0;
	switch (value->type) {
	case HISTREE_NULL:
		return viewer_text("null");
	case HISTREE_UNKNOWN:
		return viewer_text("unknown");
	case HISTREE_INT:
		size = number_format_signed(value->int32, room);
		break;
	case HISTREE_LONG:
		size = value->size == HISTREE_UNSIGNED ? number_format_unsigned((uint64_t)value->int64, room)
						       : number_format_signed(value->int64, room);
		break;
	case HISTREE_DOUBLE:
		size = number_format_real(value->real, room);
		break;
	case HISTREE_BOOL:
		return viewer_text(value->boolean ? "true" : "false");
	case HISTREE_STRING:
		return (struct viewer_text){ value->bytes, value->size };
	case HISTREE_CUSTOM:
		bytes = value->bytes;
		for (size_t i = 0; i < value->size && size + 2 <= VIEWER_WORDS_SIZE; i++) {
			room[size++] = digits[bytes[i] >> 4];
			room[size++] = digits[bytes[i] & 15];
		}
		break;
	}
	return (struct viewer_text){ room, size };
}

struct viewer_text viewer_words(const struct viewer_rows *rows, const struct viewer_row *row,
				const struct histree_value *value, histree_time time, char room[VIEWER_WORDS_SIZE],
				bool *says_value)
{
	const char *words = histree_label_words(row->labels, value);
	*says_value = words == NULL;
	if (words != NULL)
		return viewer_text(words);
	if (row->meaning == HISTREE_MEANS_TID && value->type == HISTREE_INT) {
		*says_value = false;
		return (struct viewer_text){ room, viewer_threads_words(&rows->threads, value->int32, time, room,
									VIEWER_WORDS_SIZE) };
	}
	if (row->meaning == HISTREE_MEANS_IRQ && value->type == HISTREE_INT) {
		*says_value = false;
		return (struct viewer_text){ row->track->name, row->track->name_size };
	}
	return viewer_value_text(value, room);
}

/* ---- rows by their paths ----------------------------------------------------------------------------------- */

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

static bool is_called(const struct path *path, size_t at, const char *name)
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

/* Returns the owner of an attribute, or NULL; *used is how many components name it. */
static struct viewer_track *owner_of(struct viewer_rows *rows, const struct path *path, size_t *used)
{
	struct viewer_track *owner = NULL;
	int64_t number;
	*used = 0;
	if (is_called(path, 0, "Processes") && is_number(path, 1, &number)) {
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
	} else if (is_called(path, 0, "Threads") && is_number(path, 1, &number)) {
		owner = thread_of(rows, path, 1, NULL, number);
		*used = 2;
	}
	if (*used + 2 < path->count && is_called(path, *used, "Async")) {
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
	/* A path of one component has no rest; a first component may have a slash, with a backslash. */
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

/*
 * Finds the row of an attribute that is of no model by its path.  With `any`, each has one; else attributes that
 * are shown with others, such as names, have no row, and row->track stays NULL.
 */
static void viewer_rows_by_path(struct viewer_rows *rows, histree_quark quark, bool any, struct viewer_row *row)
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
	if (rest == 2 && is_called(&path, used, "CallStack") && is_number(&path, used + 1, &depth) && depth > 0) {
		row->track =
			owner != NULL
				? owner
				: viewer_file_track(rows->file,
						    &(struct viewer_track_key){ .kind = VIEWER_LANE,
										.name = viewer_text("CallStack") });
		row->rank = depth < UINT16_MAX ? (uint16_t)depth : UINT16_MAX;
		row->category = "span";
	} else if ((rest == 2 || rest == 3) && is_called(&path, used, "Counters")) {
		put_counter(rows, &path, used + 1, owner, row);
	} else if (any || owner == NULL ||
		   !(rest == 0 || is_called(&path, used, "CallStack") || is_called(&path, used, "Name"))) {
		/* What the track of its owner already shows has no row, unless it is asked for. */
		if (any || owner != NULL || !is_called(&path, used, "CallStack"))
			put_in_group(rows, &path, row);
	}
	free(path.bytes);
}

/* ---- rows -------------------------------------------------------------------------------------------------- */

static bool is_wanted(const histree_quark *quarks, size_t count, histree_quark quark)
{
	return quarks == NULL || bsearch(&quark, quarks, count, sizeof(*quarks), compare_u32) != NULL;
}

static void add_row(struct viewer_rows *rows, const struct viewer_row *row)
{
	if (rows->file->status != HISTREE_OK || (row->track == NULL && row->counter == NULL))
		return;
	if (!array_reserve(&rows->rows, &rows->capacity, rows->count + 1)) {
		viewer_file_lacks_memory(rows->file);
		return;
	}
	rows->rows[rows->count] = *row;
	rows->rows[rows->count++].labels = histree_labels_of(rows->history, row->quark);
	rows->by_quark[row->quark] = (uint32_t)rows->count;
}

/* ---- of a kernel ------------------------------------------------------------------------------------------ */

/* System calls are around the statuses that a thread has in them. */
enum { RANK_SYSTEM_CALL, RANK_STATUS };

static void add_thread(struct viewer_rows *rows, const struct histree_thread *thread, const histree_quark *quarks,
		       size_t quark_count)
{
	bool has_status = is_wanted(quarks, quark_count, thread->status);
	bool has_call = thread->system_call != HISTREE_ROOT && is_wanted(quarks, quark_count, thread->system_call);
	if (!has_status && !has_call)
		return;
	struct viewer_row row = { .quark = thread->status,
				  .since = thread->from,
				  .meaning = HISTREE_MEANS_THREAD_STATUS,
				  .rank = RANK_STATUS,
				  .category = "status",
				  .track = viewer_threads_track(&rows->threads, thread) };
	if (has_status)
		add_row(rows, &row);
	row.quark = thread->system_call;
	row.meaning = HISTREE_MEANS_ANYTHING;
	row.rank = RANK_SYSTEM_CALL;
	row.category = "system call";
	if (has_call)
		add_row(rows, &row);
}

static void add_resource(struct viewer_rows *rows, const struct histree_resource *resource)
{
	static const char *const categories[] = {
		[HISTREE_RESOURCE_CPU] = "status",        [HISTREE_RESOURCE_CURRENT_THREAD] = "thread",
		[HISTREE_RESOURCE_FREQUENCY] = "counter", [HISTREE_RESOURCE_IRQ] = "interrupt",
		[HISTREE_RESOURCE_SOFT_IRQ] = "softirq",
	};
	const char *name = resource->cpu >= 0 ? "CPUs" : "Interrupts";
	struct viewer_row row = { .quark = resource->quark,
				  .meaning = histree_resource_meaning(resource->kind),
				  .category = categories[resource->kind] };
	bool counts = resource->kind == HISTREE_RESOURCE_FREQUENCY;
	const struct viewer_track *group = viewer_file_track(
		rows->file, &(struct viewer_track_key){ .kind = VIEWER_GROUP, .name = viewer_text(name) });
	struct viewer_track *track = viewer_file_track(
		rows->file, &(struct viewer_track_key){ .kind = counts ? VIEWER_COUNTER : VIEWER_LANE,
							.parent = group,
							.name = viewer_text(resource->name) });
	if (counts && track != NULL)
		track->unit = "Hz";
	row.counts = counts;
	*(counts ? &row.counter : &row.track) = track;
	add_row(rows, &row);
}

static void add_kernel(struct viewer_rows *rows, const histree_quark *quarks, size_t quark_count)
{
	struct histree_resources *resources;
	uint32_t count;
	enum histree_status status = histree_resources_create(rows->history, &resources, rows->file->error);
	if (status != HISTREE_OK) {
		rows->file->status = status;
		return;
	}
	const struct histree_resource *list = histree_resources_list(resources, &count);
	for (uint32_t i = 0; i < count; i++)
		if (is_wanted(quarks, quark_count, list[i].quark))
			add_resource(rows, &list[i]);
	histree_resources_free(resources);
	for (uint32_t i = 0; i < rows->threads.count; i++)
		add_thread(rows, &rows->threads.threads[i], quarks, quark_count);
}

/* ---- of anything ------------------------------------------------------------------------------------------ */

static void add_by_path(struct viewer_rows *rows, histree_quark quark, bool any)
{
	struct viewer_row row = { .quark = quark, .meaning = histree_meaning_of(rows->history, quark) };
	if (viewer_rows_of(rows, quark) != NULL || histree_attributes_is_folder(rows->attributes, quark))
		return;
	viewer_rows_by_path(rows, quark, any, &row);
	add_row(rows, &row);
}

COMPARE(compare_rows, struct viewer_row, BY(quark) BY(since))

static void sort_rows(struct viewer_rows *rows)
{
	rows->quarks = malloc((rows->count + 1) * sizeof(*rows->quarks));
	if (rows->quarks == NULL) {
		viewer_file_lacks_memory(rows->file);
		return;
	}
	if (rows->count > 0)
		qsort(rows->rows, rows->count, sizeof(*rows->rows), compare_rows);
	for (size_t i = 0; i < rows->count; i++) {
		if (i > 0 && rows->rows[i].quark == rows->rows[i - 1].quark)
			continue;
		rows->quarks[rows->quark_count++] = rows->rows[i].quark;
		rows->by_quark[rows->rows[i].quark] = (uint32_t)i + 1;
	}
}

enum histree_status viewer_rows_begin(struct viewer_rows *rows, struct viewer_file *file,
				      struct histree_history *history, const histree_quark *quarks,
				      size_t quark_count, histree_time from, histree_time to,
				      struct histree_work work)
{
	*rows = (struct viewer_rows){ .file = file,
				      .history = history,
				      .attributes = histree_history_attributes(history),
				      .from = from,
				      .to = to };
	uint32_t attributes = histree_attributes_count(rows->attributes);
	rows->by_quark = calloc((size_t)attributes + 1, sizeof(*rows->by_quark));
	if (rows->by_quark == NULL)
		return viewer_file_lacks_memory(file);
	file->status = histree_query_create(history, &rows->query, file->error);
	bool is_of_kernel = histree_thread_analysis_is(histree_history_info(history)->provider);
	if (viewer_threads_begin(&rows->threads, file, is_of_kernel ? history : NULL, work) != HISTREE_OK)
		return file->status;
	if (is_of_kernel)
		add_kernel(rows, quarks, quark_count);
	for (size_t i = 0; quarks != NULL && i < quark_count && file->status == HISTREE_OK; i++)
		add_by_path(rows, quarks[i], true);
	bool has_views = rows->count > 0;
	for (histree_quark i = 0; quarks == NULL && !has_views && i < attributes && file->status == HISTREE_OK; i++)
		add_by_path(rows, i, false);
	if (file->status == HISTREE_OK)
		sort_rows(rows);
	return file->status;
}

void viewer_rows_release(struct viewer_rows *rows)
{
	viewer_threads_release(&rows->threads);
	histree_cursor_free(rows->query);
	free(rows->rows);
	free(rows->by_quark);
	free(rows->quarks);
}
