// SPDX-License-Identifier: MIT
/*
 * load_progress.c - how far a load is, and whether it is to go on.
 *
 * Rows are read, then made into a file, then overviews are.  Of four million changes of 2,000 attributes these take
 * the shares of the time below.  Whoever has no overviews is done before the last one.
 */
#include <sys/stat.h>

#include "base/cancel.h"
#include "base/error.h"
#include "pipeline/load_inside.h"

enum { ROWS_PER_LOOK = 4096 }; /* at whether the caller wants more */

/* The share of the work that is done when a phase begins. */
static const double begins[] = { [LOAD_READING] = 0, [LOAD_MAKING] = 0.6, [LOAD_OVERVIEWS] = 0.9, 1 };

static void add_bytes(const char *path, uint64_t *bytes, bool *are_known)
{
	struct stat facts;
	*are_known = *are_known && stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
	*bytes += *are_known ? (uint64_t)facts.st_size : 0;
}

uint64_t load_bytes_total(const struct histree_load_options *options)
{
	uint64_t bytes = 0;
	bool are_known = true;
	if (options->initial != NULL)
		add_bytes(options->initial, &bytes, &are_known);
	for (size_t i = 0; i < options->file_count; i++)
		add_bytes(options->files[i], &bytes, &are_known);
	return are_known ? bytes : 0;
}

/* `done` of the phase, 0 to 1; negative: not known. */
static void show(const struct load *load, double done)
{
	const struct histree_load_options *options = load->options;
	if (options->progress == NULL)
		return;
	struct histree_load_progress now = { .rows = load->result.rows, .bytes = load->result.bytes, .share = -1 };
	if (load->phase == LOAD_READING)
		now.bytes += load->text.input.at;
	if (done >= 0)
		now.share = begins[load->phase] + (begins[load->phase + 1] - begins[load->phase]) * done;
	options->progress(options->progress_context, &now);
}

static double reading_done(const struct load *load)
{
	if (load->bytes_total == 0)
		return -1;
	double done = (double)(load->result.bytes + load->text.input.at) / (double)load->bytes_total;
	return done < 1 ? done : 1; /* a file may grow meanwhile */
}

enum histree_status load_go_on(const struct load *load, uint64_t count)
{
	if (count % ROWS_PER_LOOK != 0)
		return HISTREE_OK;
	show(load, load->phase == LOAD_READING ? reading_done(load) : (double)count / (double)load->result.rows);
	return cancel_asked(&load->options->cancel) ? error_set(load->error, HISTREE_ERR_CANCELLED, "cancelled")
						    : HISTREE_OK;
}

bool load_goes_on(void *context, double share)
{
	const struct load *load = context;
	show(load, share);
	return !cancel_asked(&load->options->cancel);
}
