// SPDX-License-Identifier: MIT
#include "export/viewer/viewer_rows.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

bool viewer_is_of_kernel(const struct histree_history *history)
{
	const char *provider = histree_history_info(history)->provider;
	return strcmp(provider, "kernel") == 0 || strcmp(provider, "kernel-compact") == 0 ||
	       strcmp(provider, "kernel-tc") == 0 || strcmp(provider, "kernel-2016") == 0;
}

static bool is_wanted(const histree_quark *quarks, size_t count, histree_quark quark)
{
	size_t first = 0;
	if (quarks == NULL)
		return true;
	while (count > 0) {
		size_t half = count / 2;
		if (quarks[first + half] == quark)
			return true;
		if (quarks[first + half] < quark) {
			first += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return false;
}

static void add(struct viewer_rows *rows, const struct viewer_row *row)
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
		add(rows, &row);
	row.quark = thread->system_call;
	row.meaning = HISTREE_MEANS_ANYTHING;
	row.rank = RANK_SYSTEM_CALL;
	row.category = "system call";
	if (has_call)
		add(rows, &row);
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
	add(rows, &row);
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
	add(rows, &row);
}

static int compare_rows(const void *one, const void *other)
{
	const struct viewer_row *a = one, *b = other;
	if (a->quark != b->quark)
		return a->quark < b->quark ? -1 : 1;
	return (a->since > b->since) - (a->since < b->since);
}

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
				      struct histree_cancel cancel)
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
	bool is_of_kernel = viewer_is_of_kernel(history);
	if (viewer_threads_begin(&rows->threads, file, is_of_kernel ? history : NULL, cancel) != HISTREE_OK)
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
	histree_query_free(rows->query);
	free(rows->rows);
	free(rows->by_quark);
	free(rows->quarks);
}
