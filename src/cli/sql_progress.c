// SPDX-License-Identifier: MIT
#include "cli/sql_progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

/* Short statements say nothing. */
static const int64_t first_ns = 1000000000, next_ns = 200000000;

static int64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void sql_progress_begin(struct sql_progress *progress)
{
	progress->rows_before = sql_connection_rows(progress->connection);
	progress->began_ns = now_ns();
	progress->shown_ns = progress->began_ns + first_ns - next_ns;
}

int sql_progress_show(void *context)
{
	struct sql_progress *progress = context;
	int64_t now = now_ns();
	if (!progress_goes_on(NULL))
		return 1;
	if (progress->style.style == PROGRESS_NONE || now - progress->shown_ns < next_ns)
		return 0;
	uint64_t rows = sql_connection_rows(progress->connection) - progress->rows_before;
	double seconds = (double)(now - progress->began_ns) / 1e9;
	progress->shown_ns = now;
	if (progress->style.style == PROGRESS_JSON) {
		fprintf(stderr, "{\"rows_read\":%" PRIu64 ",\"elapsed_ns\":%" PRId64 "}\n", rows,
			now - progress->began_ns);
		return 0;
	}
	fprintf(stderr, "\r\033[K%.1f million rows read, %.1f s", (double)rows / 1e6, seconds);
	progress->is_shown = true;
	return 0;
}

void sql_progress_clear(struct sql_progress *progress)
{
	if (progress->is_shown)
		fputs("\r\033[K", stderr);
	progress->is_shown = false;
}
