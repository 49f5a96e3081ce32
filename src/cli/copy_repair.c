// SPDX-License-Identifier: MIT
/*
 * copy_repair.c - 'histree copy --repair': makes a sound store from a damaged one and prints what was lost.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/table.h"
#include "cli/progress.h"
#include "cli/verb.h"
#include "cli/verb_copy.h"
#include "histree/store.h"

/* A lost interval, or a lost node of a segment store, which is of no attribute. */
struct lost_row {
	const char *analysis, *path;
	histree_time start, end;
};

static void put_path(struct row_writer *rows, const void *row)
{
	const char *path = ((const struct lost_row *)row)->path;
	row_path(rows, path, strlen(path));
}

static const struct row_column columns[] = {
	ROW_LEFT("analysis", 8, CELL_TEXT, struct lost_row, analysis),
	{ .name = "path", .width = 40, .put = put_path },
	ROW_RIGHT("start", 19, CELL_NUMBER, struct lost_row, start),
	ROW_RIGHT("end", 19, CELL_NUMBER, struct lost_row, end),
};

struct repairing {
	struct row_writer rows;
	char *path; /* of an attribute */
	size_t path_capacity;
	char *host; /* of several, escaped as in a path, and a slash; else NULL */
	uint64_t lost, lost_nodes;
	bool no_memory;
	struct progress progress;
};

/* The paths of its attributes are those in a store of several hosts: they begin with its name. */
static void note_host(void *context, const char *host)
{
	struct repairing *repairing = context;
	free(repairing->host);
	repairing->host = malloc(2 * strlen(host) + 2);
	repairing->no_memory = repairing->no_memory || repairing->host == NULL;
	char *out = repairing->host;
	for (const char *at = host; out != NULL && *at != '\0'; at++) {
		if (*at == '/' || *at == '\\')
			*out++ = '\\';
		*out++ = *at;
	}
	if (out != NULL)
		memcpy(out, "/", 2);
}

static void print_lost(void *context, const char *analysis, const struct histree_attributes *attributes,
		       const struct histree_interval *interval)
{
	struct repairing *repairing = context;
	size_t above = repairing->host != NULL ? strlen(repairing->host) : 0;
	size_t size = above + histree_attributes_path(attributes, interval->quark, NULL, 0);
	repairing->lost++;
	if (!array_reserve(&repairing->path, &repairing->path_capacity, size + 1)) {
		repairing->no_memory = true;
		return;
	}
	if (above > 0)
		memcpy(repairing->path, repairing->host, above);
	histree_attributes_path(attributes, interval->quark, repairing->path + above, size - above + 1);
	row_put(&repairing->rows, &(struct lost_row){ analysis, repairing->path, interval->start, interval->end });
}

static void print_lost_segments(void *context, const char *analysis, const struct histree_loss *loss)
{
	struct repairing *repairing = context;
	repairing->lost_nodes++;
	row_put(&repairing->rows, &(struct lost_row){ analysis, "", loss->from, loss->to });
	report("%s%s: %" PRIu64 " segments at most, from %" PRId64 " to %" PRId64 ", are lost with node %u",
	       repairing->host != NULL ? repairing->host : "", analysis, loss->rows_max, loss->from, loss->to,
	       loss->node);
}

static void print_damage(void *context, const char *what)
{
	(void)context;
	report("%s", what);
}

static enum cli_exit repair(struct repairing *repairing, const struct histree_repair_options *wanted)
{
	struct histree_error error = { 0 };
	progress_catch_signals();
	enum histree_status status = histree_repair(wanted, &error);
	progress_end(&repairing->progress);
	if (status < 0)
		return progress_outcome(status, "cancelled; there is no new store", &error);
	if (repairing->no_memory)
		return report_no_memory();
	if (status == HISTREE_NOT_FOUND)
		report("'%s': its histories and segments are sound: nothing was made", wanted->path);
	else if (status == HISTREE_OK)
		report("'%s': nothing was lost; '%s' holds the same", wanted->path, wanted->out);
	else
		report("'%s' has what can be read of '%s'; %" PRIu64 " lost intervals are marked unknown",
		       wanted->out, wanted->path, repairing->lost);
	return status == HISTREE_PARTIAL ? CLI_NOTHING : CLI_OK;
}

int copy_repair_run(void *said, const struct cli_words *words)
{
	struct copy_options *chosen = said;
	const char *store = words->words[0];
	size_t length = strlen(store);
	while (length > 1 && store[length - 1] == '/')
		length--;
	char *out = NULL;
	if (asprintf(&out, "%.*s.repaired", (int)length, store) < 0)
		return report_no_memory();
	struct repairing repairing = { .progress = progress_begin(chosen->progress, false) };
	enum cli_exit code = rows_open(&repairing.rows, &chosen->question, ROW_COLUMNS(columns), ROWS_PLAIN);
	const struct histree_repair_options wanted = {
		.path = store,
		.out = chosen->output != NULL ? chosen->output : out,
		.force = chosen->force,
		.lost = print_lost,
		.lost_segments = print_lost_segments,
		.damage = print_damage,
		.host = note_host,
		.context = &repairing,
		.work = { progress_goes_on, &repairing.progress, progress_show_share },
	};
	if (code == CLI_OK)
		code = repair(&repairing, &wanted);
	free(repairing.path);
	free(repairing.host);
	free(out);
	return rows_close(&repairing.rows, code);
}
