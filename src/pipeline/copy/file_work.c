// SPDX-License-Identifier: MIT
#include "pipeline/copy/file_work.h"

#include <stddef.h>
#include <sys/stat.h>

#include "base/cancel.h"

/* One that is not there has none: whoever works on it says so. */
static uint64_t bytes_of(const char *path)
{
	struct stat facts;
	return stat(path, &facts) == 0 && facts.st_size > 0 ? (uint64_t)facts.st_size : 0;
}

void file_work_plan(struct file_work *work, const char *path)
{
	work->bytes_total += bytes_of(path);
}

void file_work_begin(struct file_work *work, const char *path)
{
	work->bytes_done += work->bytes_here;
	work->bytes_here = bytes_of(path);
}

bool file_work_goes_on(const struct file_work *work, double share)
{
	if (work->progress != NULL && work->bytes_total > 0) {
		double bytes = (double)work->bytes_done + (double)work->bytes_here * share;
		double whole = (double)work->bytes_total;
		work->progress(work->context, bytes < whole ? bytes / whole : 1);
	}
	return !cancel_asked(&work->cancel);
}
