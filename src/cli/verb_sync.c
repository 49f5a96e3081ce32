// SPDX-License-Identifier: MIT
/*
 * verb_sync.c - 'histree sync': the clocks of the hosts of some traces.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/progress.h"
#include "cli/verb.h"
#include "histree/store.h"

struct sync_options {
	struct cli_question question;
	const char *reference, *progress;
};

static const struct cli_option options[] = {
	CLI_OPTION_TEXT("reference", "HOST", struct sync_options, reference,
			"convert all times to the clock of this host; default: the first host"),
	CLI_OPTION_PROGRESS(struct sync_options),
	{ 0 },
};

/* ---- rows ------------------------------------------------------------------------------------------------ */

/* All digits of a double, so that who reads them has the same one. */
static void put_real(struct row_writer *rows, double number)
{
	char text[32];
	if (rows->format == &row_format_json) {
		row_real(rows, number);
		return;
	}
	int size = snprintf(text, sizeof(text), "%.17g", number);
	row_bytes(rows, text, (size_t)size);
}

static void put_slope(struct row_writer *rows, const void *clock)
{
	put_real(rows, histree_clock_slope(clock));
}

static void put_offset(struct row_writer *rows, const void *clock)
{
	put_real(rows, histree_clock_offset(clock));
}

static void put_quality(struct row_writer *rows, const void *clock)
{
	row_text(rows, histree_clock_quality_name(((const struct histree_clock *)clock)->quality));
}

static void put_error(struct row_writer *rows, const void *clock)
{
	const double error = ((const struct histree_clock *)clock)->error;
	if (error < 1e18)
		row_duration(rows, (uint64_t)ceil(error));
	else
		row_null(rows);
}

/* The context is all hosts. */
static void put_neighbour(struct row_writer *rows, const void *host)
{
	const struct histree_host_clock *hosts = rows->context, *one = host, *by = &hosts[one->neighbour];
	row_text_or_null(rows, by != one ? by->host : NULL);
}

static const struct row_column columns[] = {
	ROW_LEFT("host", 16, CELL_TEXT, struct histree_host_clock, host),
	ROW_RIGHT_PUT("slope", 20, put_slope, struct histree_host_clock, clock),
	ROW_RIGHT_PUT("offset", 22, put_offset, struct histree_host_clock, clock),
	ROW_RIGHT("matches", 8, CELL_UNSIGNED, struct histree_host_clock, clock.matches),
	ROW_RIGHT("accurate", 8, CELL_UNSIGNED, struct histree_host_clock, clock.accurate),
	ROW_LEFT_PUT("quality", 11, put_quality, struct histree_host_clock, clock),
	ROW_RIGHT_PUT("error", 12, put_error, struct histree_host_clock, clock),
	{ .name = "by", .put = put_neighbour },
};

/* ---- sentences ------------------------------------------------------------------------------------------- */

static int print_hosts(const struct histree_sync *sync, const struct cli_question *question)
{
	size_t count, absent = 0;
	const struct histree_host_clock *hosts = histree_sync_hosts(sync, &count);
	struct row_writer rows;
	enum cli_exit code = rows_open(&rows, question, ROW_COLUMNS(columns), ROWS_PLAIN);
	if (code != CLI_OK)
		return code;
	rows.context = hosts;
	for (size_t i = 0; i < count; i++)
		row_put(&rows, &hosts[i]);
	for (size_t i = 0; i < count; i++) {
		if (hosts[i].clock.quality != HISTREE_CLOCK_ABSENT)
			continue;

		if (hosts[i].contradiction != 0)
			report("the packets of host '%s' contradict each other from %" PRId64
			       " on, by its clock, as they do when a clock was set; its times are not corrected by "
			       "them",
			       hosts[i].host, hosts[i].contradiction);
		else if (hosts[i].packets == 0)
			report("the trace of host '%s' has no packets: record inet_sock_local_out and "
			       "inet_sock_local_in, "
			       "or "
			       "net_dev_queue and netif_receive_skb; its times are not corrected",
			       hosts[i].host);
		else
			report("none of the packets of host '%s' was seen by %s; its times are not corrected",
			       hosts[i].host, count == 2 ? "the other one" : "another one whose clock is known");

		absent++;
	}
	if (count == 1)
		report("all traces are of one host, '%s'", hosts[0].host);
	return rows_close(&rows, absent > 0 ? CLI_NOTHING : CLI_OK);
}

static int sync_run(void *said, const struct cli_words *words)
{
	struct sync_options *chosen = said;
	struct histree_error error = { 0 };
	struct histree_sync *sync = NULL;
	int status;
	progress_catch_signals();
	struct progress progress = progress_begin(chosen->progress, false);
	const struct histree_sync_options asked = { .reference = chosen->reference,
						    .work = { progress_goes_on, &progress, progress_show_share } };
	enum histree_status found =
		histree_sync_traces((const char *const *)words->words, words->count, &asked, &sync, &error);
	progress_end(&progress);
	progress_raise_signal();
	if (found == HISTREE_NOT_FOUND)
		return report_exit(CLI_USAGE, "'--reference': %s", error.message);
	if (found != HISTREE_OK)
		return report_error(&error);
	status = print_hosts(sync, &chosen->question);
	histree_sync_free(sync);
	return status;
}

const struct cli_verb verb_sync = {
	.name = "sync",
	.summary = "compare the clocks of several hosts by the packets between them",
	.arguments = { "TRACE...", 1, CLI_WORDS_ANY },
	.complete = CLI_COMPLETE_PATH,
	.asks = ASKS(LIMIT) | ASKS(COLUMNS) | ASKS(FORMAT),
	CLI_OPTIONS(options, struct sync_options),
	.run = sync_run,
};
