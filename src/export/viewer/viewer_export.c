// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "export/viewer/viewer_walk.h"

/* Progress is asked for and shown once in so many steps. */
enum { STEPS_EVERY = 4096 };

bool viewer_walk_goes_on(struct viewer_walk *walk, histree_time time)
{
	const struct histree_viewer_request *request = walk->request;
	struct viewer_file *file = walk->file;
	if (file->output->status != HISTREE_OK)
		viewer_walk_fail(walk, file->output->status);
	if (file->status != HISTREE_OK || ++walk->since_shown < STEPS_EVERY)
		return file->status == HISTREE_OK;
	walk->since_shown = 0;
	if (request->cancel.go_on != NULL && !request->cancel.go_on(request->cancel.context))
		viewer_walk_fail(walk, error_set(file->error, HISTREE_ERR_CANCELLED, "cancelled"));
	double length = (double)request->to - (double)request->from + 1;
	double share = ((double)time - (double)request->from) / length;
	if (walk->share_of > 0)
		share = walk->share_from + share * walk->share_of;
	if (request->progress != NULL)
		request->progress(request->progress_context, share < 0 ? 0 : share > 1 ? 1 : share);
	return file->status == HISTREE_OK;
}

static enum histree_status check(const struct histree_viewer_request *request, struct histree_error *error)
{
	int contents = (request->history != NULL) + (request->segments != NULL) + (request->events != NULL);
	if (contents != 1)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a viewer is shown a history, segments or events: one of them");
	if (request->from > request->to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a range from %lld to %lld", (long long)request->from,
				 (long long)request->to);
	if (request->history == NULL)
		return HISTREE_OK;
	const struct histree_history_info *info = histree_history_info(request->history);
	if (request->from < info->start || request->to > info->end)
		return error_set(error, HISTREE_ERR_TIME_RANGE,
				 "an export from %lld to %lld; the history goes from %lld to %lld",
				 (long long)request->from, (long long)request->to, (long long)info->start,
				 (long long)info->end);
	return HISTREE_OK;
}

static const char *title_of(const struct histree_viewer_request *request)
{
	if (request->title != NULL)
		return request->title;
	if (request->history != NULL)
		return histree_history_info(request->history)->provider;
	return request->segments != NULL ? histree_segment_store_info(request->segments)->schema.provider
					 : "events";
}

static enum histree_status write_file(const struct histree_viewer_request *request, struct export_output *output,
				      struct histree_export_counts *counts, struct histree_error *error)
{
	static const struct viewer_format *const formats[] = {
		[HISTREE_VIEWER_CHROME] = &viewer_chrome, [HISTREE_VIEWER_PERFETTO] = &viewer_perfetto
	};
	const struct viewer_head head = { .title = title_of(request), .origin = request->origin };
	struct viewer_file file;
	struct viewer_walk walk = { .request = request, .file = &file, .counts = counts };
	if (viewer_file_begin(&file, formats[request->format], output, &head, error) == HISTREE_OK) {
		if (viewer_host_count(request) > 0)
			viewer_walk_hosts(&walk);
		else if (request->history != NULL)
			viewer_walk_states(&walk);
		else if (request->segments != NULL)
			viewer_walk_segments(&walk);
		else
			viewer_walk_events(&walk);
	}
	enum histree_status status = viewer_file_end(&file);
	counts->rows = file.rows;
	counts->bytes = output->size;
	counts->files = 1;
	return status;
}

enum histree_status viewer_export(const struct histree_viewer_request *request, const struct io *io,
				  const char *path, struct histree_error *error)
{
	struct histree_error own; /* a walk may look at what was said */
	struct histree_export_counts counts = { 0 };
	struct export_output output;
	error = error != NULL ? error : &own;
	enum histree_status status = check(request, error);
	if (status != HISTREE_OK)
		return status;
	if (path == NULL)
		export_output_use(&output, request->descriptor);
	else if ((status = export_output_open(&output, io, path, error)) != HISTREE_OK)
		return status;
	status = write_file(request, &output, &counts, error);
	if (request->counts != NULL)
		*request->counts = counts;
	return export_output_finish(&output, status, error);
}

enum histree_status histree_export_viewer(const struct histree_viewer_request *request, const char *path,
					  struct histree_error *error)
{
	return viewer_export(request, &io_posix, path, error);
}
