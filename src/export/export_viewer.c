// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "export/viewer/viewer_walk.h"

/* Progress is asked for and shown once in so many steps. */
enum { STEPS_EVERY = 4096 };

bool viewer_walk_goes_on(struct viewer_walk *walk, histree_time time)
{
	const struct histree_viewer_request *request = walk->request;
	const struct histree_export_progress *progress = &request->progress;
	if (walk->file->output->has_failed)
		viewer_walk_fail(walk, error_set(walk->file->error, HISTREE_ERR_IO,
						 "not all of the export could be written"));
	if (walk->file->status != HISTREE_OK || ++walk->since_shown < STEPS_EVERY)
		return walk->file->status == HISTREE_OK;
	walk->since_shown = 0;
	if (progress->cancel.go_on != NULL && !progress->cancel.go_on(progress->cancel.context))
		viewer_walk_fail(walk, error_set(walk->file->error, HISTREE_ERR_CANCELLED, "cancelled"));
	double length = (double)request->to - (double)request->from + 1;
	double share = ((double)time - (double)request->from) / length;
	if (progress->show != NULL)
		progress->show(progress->context, share < 0 ? 0 : share > 1 ? 1 : share);
	return walk->file->status == HISTREE_OK;
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

enum histree_status histree_export_viewer(const struct histree_viewer_request *request, histree_export_write *write,
					  void *context, struct histree_export_report *report,
					  struct histree_error *error)
{
	static const struct viewer_format *const formats[] = {
		[HISTREE_VIEWER_CHROME] = &viewer_chrome, [HISTREE_VIEWER_PERFETTO] = &viewer_perfetto
	};
	struct histree_export_report unused, *told = report != NULL ? report : &unused;
	struct histree_error own; /* the walk may look at what was said */
	struct viewer_file file;
	struct viewer_walk walk = { .request = request, .file = &file, .report = told };
	*told = (struct histree_export_report){ 0 };
	enum histree_status status = check(request, error);
	if (status != HISTREE_OK)
		return status;
	const struct viewer_head head = { .title = title_of(request), .origin = request->origin };
	if (viewer_file_begin(&file, formats[request->format], write, context, &head,
			      error != NULL ? error : &own) == HISTREE_OK) {
		if (request->history != NULL)
			viewer_walk_states(&walk);
		else if (request->segments != NULL)
			viewer_walk_segments(&walk);
		else
			viewer_walk_events(&walk);
	}
	status = viewer_file_end(&file);
	told->rows = file.rows;
	return status;
}
