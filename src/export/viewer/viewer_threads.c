// SPDX-License-Identifier: MIT
#include "export/viewer/viewer_threads.h"

#include <inttypes.h>
#include <stdio.h>

enum histree_status viewer_threads_begin(struct viewer_threads *threads, struct viewer_file *file,
					 struct histree_history *history, struct histree_cancel cancel)
{
	*threads = (struct viewer_threads){ .file = file };
	if (history == NULL || file->status != HISTREE_OK)
		return file->status;
	file->status = histree_control_flow_create(history, cancel, &threads->flow, file->error);
	if (file->status == HISTREE_OK)
		threads->threads = histree_control_flow_threads(threads->flow, &threads->count);
	return file->status;
}

void viewer_threads_release(struct viewer_threads *threads)
{
	histree_control_flow_free(threads->flow);
}

static const struct histree_thread *find(const struct viewer_threads *threads, int64_t tid)
{
	if (threads->flow == NULL || tid <= 0 || tid > INT32_MAX)
		return NULL;
	uint32_t index = histree_control_flow_find(threads->flow, (int32_t)tid, -1);
	return index == HISTREE_NO_INDEX ? NULL : &threads->threads[index];
}

struct viewer_track *viewer_threads_process(struct viewer_threads *threads, int64_t pid)
{
	const struct viewer_track_key key = { .kind = VIEWER_PROCESS, .has_pid = true, .pid = pid };
	struct viewer_track *process = viewer_file_track(threads->file, &key);
	const struct histree_thread *first = process == NULL || process->name != NULL ? NULL : find(threads, pid);
	if (first != NULL)
		viewer_file_name(threads->file, process, viewer_text(first->name));
	return process;
}

static struct viewer_track *make(struct viewer_threads *threads, int64_t tid, bool has_pid, int64_t pid,
				 const char *name)
{
	const struct viewer_track *process = has_pid ? viewer_threads_process(threads, pid) : NULL;
	struct viewer_track *track = viewer_file_track(
		threads->file,
		&(struct viewer_track_key){
			.kind = VIEWER_THREAD, .parent = process, .has_pid = has_pid, .pid = pid, .tid = tid });
	if (track != NULL && name != NULL)
		viewer_file_name(threads->file, track, viewer_text(name));
	return track;
}

/* The idle thread of a CPU, and what ran before the first switch, are no threads of a process. */
static struct viewer_track *make_idle(struct viewer_threads *threads, const struct histree_thread *thread)
{
	char text[64];
	const struct viewer_track *group =
		viewer_file_track(threads->file, &(struct viewer_track_key){ .kind = VIEWER_GROUP,
									     .name = viewer_text("Idle threads") });
	if (thread->tid == 0)
		snprintf(text, sizeof(text), "idle thread of CPU %" PRId32, thread->cpu);
	else
		snprintf(text, sizeof(text), "threads that are not known (%" PRId32 ")", thread->tid);
	return viewer_file_track(
		threads->file,
		&(struct viewer_track_key){ .kind = VIEWER_LANE, .parent = group, .name = viewer_text(text) });
}

struct viewer_track *viewer_threads_track(struct viewer_threads *threads, const struct histree_thread *thread)
{
	if (thread->tid <= 0)
		return make_idle(threads, thread);
	return make(threads, thread->tid, true, thread->pid, thread->name);
}

struct viewer_track *viewer_threads_find(struct viewer_threads *threads, int64_t tid, bool has_pid, int64_t pid)
{
	const struct histree_thread *thread = find(threads, tid);
	if (thread != NULL && (!has_pid || pid == thread->pid))
		return viewer_threads_track(threads, thread);
	return make(threads, tid, has_pid, pid, NULL);
}

size_t viewer_threads_words(const struct viewer_threads *threads, int32_t tid, char *text, size_t capacity)
{
	const struct histree_thread *thread = find(threads, tid);
	int size = tid == 0 ? snprintf(text, capacity, "idle")
		   : thread != NULL && thread->name[0] != '\0'
			   ? snprintf(text, capacity, "%s %" PRId32, thread->name, tid)
			   : snprintf(text, capacity, "%" PRId32, tid);
	return (size_t)size < capacity ? (size_t)size : capacity - 1;
}
