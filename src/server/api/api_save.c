// SPDX-License-Identifier: MIT
/*
 * api_save.c - a span of a trace as a file of Perfetto, as `histree export` writes it, and as a store of its own,
 * as `histree copy` makes it.
 *
 * A file is written whole before the first byte of it is sent, so that one which fails is an error and no file; it
 * has no name, and is gone with the answer.  A store is made in the folder where the server makes stores.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "histree/export.h"
#include "histree/store.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/catalogue/catalogue.h"

/* Finds the dataset, and the span as times of its store. */
static bool read_span(struct call *call, histree_time *from, histree_time *to)
{
	int64_t first, last;
	if (!page_dataset(call))
		return false;
	const struct histree_store_info *info = histree_store_info(call->dataset->store);
	const int64_t all = info->end - info->start;
	if (!page_number(call, "from", 0, all, 0, &first) || !page_number(call, "to", first, all, all, &last))
		return false;
	*from = info->start + first;
	*to = info->start + last;
	return true;
}

/* ---- a file of Perfetto ------------------------------------------------------------------------------------ */

struct saved_file {
	int descriptor;
};

static void saved_file_release(void *state)
{
	const struct saved_file *file = state;
	if (file->descriptor >= 0)
		close(file->descriptor);
}

static enum histree_status saved_file_next(void *state, struct json_writer *json, struct histree_error *error)
{
	const struct saved_file *file = state;
	uint8_t *room = byte_buffer_room(json->out, PIECE_SIZE);
	if (room == NULL)
		return error_memory(error, "a piece of a file");
	const ssize_t size = read(file->descriptor, room, PIECE_SIZE);
	if (size < 0)
		return error_set(error, HISTREE_ERR_IO, "cannot read what was written: %s", strerror(errno));
	json->out->size += (size_t)size;
	return size > 0 ? HISTREE_OK : HISTREE_END;
}

/* What arrows are made of; a file can do without. */
static struct histree_segment_store *open_arrows(const struct dataset *dataset, const char *analysis)
{
	struct histree_segment_store *store;
	const bool is_there =
		histree_store_segments(dataset->store, analysis, false, NULL, &store, NULL) == HISTREE_OK;
	return is_there ? store : NULL;
}

static enum histree_status write_perfetto(struct call *call, int descriptor, histree_time from, histree_time to)
{
	struct histree_history *history = call->dataset->histories[0];
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_segment_store *wakeups = open_arrows(call->dataset, "wakeups"),
				     *flows = open_arrows(call->dataset, "track-flows");
	const struct histree_viewer_request request = {
		.format = HISTREE_VIEWER_PERFETTO,
		.from = from > info->start ? from : info->start,
		.to = to < info->end ? to : info->end,
		.origin = info->start,
		.history = history,
		.wakeups = wakeups,
		.flows = flows,
		.descriptor = descriptor,
		.work = reply_cancel(call->reply),
	};
	const enum histree_status status =
		request.from <= request.to
			? histree_export_viewer(&request, NULL, &call->reply->error)
			: error_set(&call->reply->error, HISTREE_NOT_FOUND, "there are no states in this span");
	histree_segment_store_close(wakeups);
	histree_segment_store_close(flows);
	return status;
}

void api_perfetto(struct call *call)
{
	histree_time from, to;
	if (!read_span(call, &from, &to))
		return;
	if (call->dataset->history_count == 0) {
		reply_error(call->reply, HTTP_NOT_FOUND, "This store has no states: Perfetto is shown states");
		return;
	}
	struct saved_file *file = reply_memory(call->reply, 1, sizeof(*file));
	if (file == NULL)
		return;
	const char *folder = call->service->catalogue->stores;
	file->descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (file->descriptor < 0) {
		reply_error(call->reply, HTTP_SERVER_ERROR, "Cannot write a file in '%s', the folder of stores: %s",
			    folder, strerror(errno));
		return;
	}
	if (!reply_ok(call->reply, write_perfetto(call, file->descriptor, from, to)) ||
	    lseek(file->descriptor, 0, SEEK_SET) != 0) {
		saved_file_release(file);
		return;
	}
	call->reply->content_type = "application/octet-stream";
	reply_steps(call->reply, &(struct reply_steps){ saved_file_next, saved_file_release, file });
}

/* ---- a store ----------------------------------------------------------------------------------------------- */

/* Beside the other stores: its name says what it is of, in ns after the start. */
static bool name_store(const struct call *call, histree_time from, histree_time to, char path[PATH_MAX])
{
	const struct histree_store_info *info = histree_store_info(call->dataset->store);
	const char *name = path_name(info->path), *end = strstr(name, ".histree");
	const int size = end != NULL ? (int)(end - name) : (int)strlen(name);
	return snprintf(path, PATH_MAX, "%s/%.*s-%lld-%lld.histree", call->service->catalogue->stores, size, name,
			(long long)(from - info->start), (long long)(to - info->start)) < PATH_MAX;
}

void api_cut_store(struct call *call)
{
	histree_time from, to;
	char path[PATH_MAX];
	if (!read_span(call, &from, &to))
		return;
	if (!name_store(call, from, to, path)) {
		reply_error(call->reply, HTTP_SERVER_ERROR, "The path of the new store is too long");
		return;
	}
	const struct histree_convert_options options = { .path = histree_store_info(call->dataset->store)->path,
							 .out = path,
							 .is_part = true,
							 .from = from,
							 .to = to,
							 .work = reply_cancel(call->reply) };
	const enum histree_status status = histree_convert(&options, &call->reply->error);
	if (status == HISTREE_ERR_EXISTS) {
		reply_error(call->reply, HTTP_CONFLICT, "The span was saved before: '%s' exists, and is kept",
			    path);
		return;
	}
	if (!reply_ok(call->reply, status))
		return;
	json_begin_object(call->json);
	json_text_member(call->json, "path", path);
	json_end(call->json);
}
