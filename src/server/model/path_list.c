// SPDX-License-Identifier: MIT
/*
 * path_list.c - the critical path of a thread in a range, thinned to what a chart can show; sums are of all steps.
 */
#include "server/model/path_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"

/*
 * A path is walked for at most QUESTIONS_MAX questions of CANCEL_STEPS steps back and STEPS_MAX steps, which takes
 * about two seconds; COMPARED_MAX short steps at most are compared with the next one.
 */
enum { QUESTIONS_MAX = 256, STEPS_MAX = 1 << 20, KEPT_MAX = 1 << 16, COMPARED_MAX = 64 };

struct histree_history *path_list_history(const struct dataset *dataset)
{
	return dataset_history(dataset, "graph");
}

bool path_list_applies(const struct dataset *dataset)
{
	return path_list_history(dataset) != NULL;
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

static bool has_thread(struct histree_history *history, const char *tid)
{
	histree_quark threads, found;
	const struct histree_attributes *attributes = history != NULL ? histree_history_attributes(history) : NULL;
	return attributes != NULL &&
	       histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &threads) == HISTREE_OK &&
	       histree_attributes_child(attributes, threads, tid, strlen(tid), &found) == HISTREE_OK;
}

bool path_list_thread(const struct dataset *dataset, const char *text, struct path_place *out)
{
	size_t count;
	char *end;
	struct histree_history *history = path_list_history(dataset);
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	const char *slash = hosts != NULL ? strrchr(text, '/') : NULL;
	const char *number = slash != NULL ? slash + 1 : text;
	size_t size = slash != NULL ? (size_t)(slash - text) : 0;
	errno = 0;
	long tid = strtol(number, &end, 10);
	if (errno != 0 || end == number || *end != '\0' || tid < HISTREE_KERNEL_TID || tid > INT32_MAX)
		return false;
	*out = (struct path_place){ .tid = (int32_t)tid };
	if (hosts == NULL)
		return has_thread(history, number);
	for (size_t i = 0; i < count; i++) {
		bool is_said =
			slash == NULL || (strlen(hosts[i].name) == size && memcmp(hosts[i].name, text, size) == 0);
		out->host = i;
		if (is_said && has_thread(hosts[i].history, number))
			return true;
	}
	return false;
}

size_t path_list_place(const struct path_list *list, size_t host, int32_t tid, histree_time time)
{
	const histree_time life = histree_critical_path_life(list->path, host, tid, time);
	size_t number = (uintptr_t)id_map_find(&list->known, (uint64_t)host << 32 | (uint32_t)tid);
	while (number > 0 && list->places[number - 1].life != life)
		number = list->places[number - 1].next;
	return number > 0 ? number - 1 : list->place_count;
}

const char *path_list_host(const struct path_list *list, const struct path_place *place)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(list->history, &count);
	return hosts != NULL && place->host < count ? hosts[place->host].name : NULL;
}

void path_list_name(const struct path_list *list, const struct path_place *place, struct byte_buffer *name)
{
	char text[256];
	size_t size =
		histree_critical_path_name(list->path, place->host, place->tid, place->life, text, sizeof(text));
	if (place->tid == HISTREE_IDLE_TID)
		byte_buffer_put_chars(name, "(idle)");
	else if (place->tid == HISTREE_KERNEL_TID)
		byte_buffer_put_chars(name, "(kernel)");
	else
		byte_buffer_put(name, text, size < sizeof(text) ? size : sizeof(text) - 1);
}

/* ---- styles ------------------------------------------------------------------------------------------------- */

const struct histree_label_table *path_list_table(const struct histree_history *history)
{
	size_t count;
	const struct histree_label_table *tables = histree_labels(history, &count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(tables[i].name, "edge") == 0)
			return &tables[i];
	return NULL;
}

const struct histree_style *path_list_style(const struct histree_label_table *table, enum histree_graph_state state)
{
	const struct histree_value value = histree_int((int32_t)state);
	return table != NULL ? histree_style_of(table, &value) : NULL;
}

/* ---- steps -------------------------------------------------------------------------------------------------- */

/* How long a client has waited already, and for what. */
struct patience {
	struct histree_work work;
	unsigned questions;
};

static bool goes_on(void *context)
{
	struct patience *patience = context;
	bool is_wanted = patience->work.go_on == NULL || patience->work.go_on(patience->work.context);
	return is_wanted && ++patience->questions < QUESTIONS_MAX;
}

struct walk {
	struct path_list *list;
	const struct path_request *request;
	double ns_per_pixel;
};

static uint64_t pixel_of(const struct walk *walk, histree_time time)
{
	double at = (double)((uint64_t)time - (uint64_t)walk->request->from) / walk->ns_per_pixel;
	return at > 0 ? (uint64_t)at : 0;
}

/* Returns whether the same is there already in the pixel, or too much to see any more. */
static bool is_too_short(const struct walk *walk, const struct histree_path_step *step)
{
	const struct path_list *list = walk->list;
	const uint64_t pixel = pixel_of(walk, step->start);
	if (pixel_of(walk, step->end) != pixel)
		return false;
	size_t compared = 0;
	while (compared < list->step_count && compared < COMPARED_MAX) {
		const struct histree_path_step *other = &list->steps[list->step_count - ++compared];
		if (pixel_of(walk, other->end) != pixel)
			return false;
		if (step->is_arrow == other->is_arrow && step->tid == other->tid && step->to_tid == other->to_tid &&
		    step->host == other->host && step->to_host == other->to_host && step->state == other->state)
			return true;
	}
	return compared == COMPARED_MAX;
}

static bool note_place(struct path_list *list, size_t host, int32_t tid, histree_time time)
{
	const uint64_t id = (uint64_t)host << 32 | (uint32_t)tid;
	const size_t first = (uintptr_t)id_map_find(&list->known, id);
	if (path_list_place(list, host, tid, time) < list->place_count)
		return true;
	if (!array_reserve(&list->places, &list->place_capacity, list->place_count + 1) ||
	    (first == 0 && !id_map_add(&list->known, id, (void *)(uintptr_t)(list->place_count + 1))))
		return false;
	list->places[list->place_count++] = (struct path_place){
		.host = host,
		.tid = tid,
		.life = histree_critical_path_life(list->path, host, tid, time),
		.next = first == 0 ? 0 : list->places[first - 1].next,
	};
	if (first > 0)
		list->places[first - 1].next = list->place_count;
	return true;
}

static bool path_list_take(struct walk *walk, const struct histree_path_step *step)
{
	struct path_list *list = walk->list;
	const struct path_place *own = &walk->request->thread;
	const uint64_t ns = (uint64_t)step->end - (uint64_t)step->start;
	bool is_own = step->to_tid == own->tid && step->to_host == own->host;
	*(is_own ? &list->own_ns[step->state] : &list->others_ns[step->state]) += ns;
	if (is_too_short(walk, step))
		return true;
	if (list->step_count == KEPT_MAX) {
		list->is_all = false;
		return true;
	}
	if (!array_reserve(&list->steps, &list->step_capacity, list->step_count + 1) ||
	    !note_place(list, step->host, step->tid, step->start) ||
	    !note_place(list, step->to_host, step->to_tid, step->end))
		return false;
	list->steps[list->step_count++] = *step;
	return true;
}

enum histree_status path_list_make(struct path_list *list, const struct dataset *dataset,
				   const struct path_request *request, struct histree_error *error)
{
	*list = (struct path_list){ .history = path_list_history(dataset), .is_all = true };
	struct patience patience = { .work = request->work };
	uint64_t span = (uint64_t)request->to - (uint64_t)request->from + 1;
	struct walk walk = { list, request, (double)span / (request->pixels > 0 ? request->pixels : 1) };
	const struct histree_path_request own = { .rules = HISTREE_PATH_RULES_OWN,
						  .host = request->thread.host,
						  .tid = request->thread.tid,
						  .from = request->from,
						  .to = request->to < INT64_MAX ? request->to + 1 : request->to,
						  .work = { .go_on = goes_on, .context = &patience } };
	enum histree_status status = histree_critical_path_create(list->history, &list->path, error);
	if (status == HISTREE_OK)
		status = histree_critical_path_start(list->path, &own, error);
	for (size_t steps = 0; status == HISTREE_OK && list->is_all; steps++) {
		status = histree_cursor_next(list->path, error);
		if (status == HISTREE_OK && !path_list_take(&walk, histree_cursor_path_step(list->path)))
			return error_memory(error, "a critical path");
		list->is_all = list->is_all && steps < STEPS_MAX;
	}
	if (status == HISTREE_ERR_CANCELLED && patience.questions >= QUESTIONS_MAX) {
		list->is_all = false;
		return HISTREE_OK;
	}
	return status > 0 ? HISTREE_OK : status;
}

void path_list_release(struct path_list *list)
{
	histree_cursor_free(list->path);
	free(list->steps);
	free(list->places);
	id_map_release(&list->known);
	*list = (struct path_list){ 0 };
}
