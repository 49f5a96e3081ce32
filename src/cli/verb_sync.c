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

static const struct row_column columns[] = {
	{ .name = "host", .width = 16 },
	{ .name = "slope", .width = 20, .to_the_right = true },
	{ .name = "offset", .width = 22, .to_the_right = true },
	{ .name = "matches", .width = 8, .to_the_right = true },
	{ .name = "accurate", .width = 8, .to_the_right = true },
	{ .name = "quality", .width = 11 },
	{ .name = "error", .width = 12, .to_the_right = true },
	{ .name = "by" },
};

/* All digits of a double, so that who reads them has the same one. */
static void put_real(struct row_writer *rows, double number)
{
	char text[32];
	int size = snprintf(text, sizeof(text), "%.17g", number);
	row_bytes(rows, text, (size_t)size);
}

/* ---- sentences ------------------------------------------------------------------------------------------- */

static int print_hosts(const struct histree_sync *sync, const struct cli_question *question)
{
	size_t count, absent = 0;
	const struct histree_host_clock *hosts = histree_sync_hosts(sync, &count);
	struct row_writer rows;
	enum cli_exit code = rows_open(&rows, question, ROW_COLUMNS(columns), ROWS_PLAIN);
	if (code != CLI_OK)
		return code;
	for (size_t i = 0; i < count; i++) {
		const struct histree_host_clock *host = &hosts[i];
		const struct histree_clock *clock = &host->clock;
		row_text(&rows, host->host);
		if (rows.format == &row_format_json) {
			row_real(&rows, histree_clock_slope(clock));
			row_real(&rows, histree_clock_offset(clock));
		} else {
			put_real(&rows, histree_clock_slope(clock));
			put_real(&rows, histree_clock_offset(clock));
		}
		row_unsigned(&rows, clock->matches);
		row_unsigned(&rows, clock->accurate);
		row_text(&rows, histree_clock_quality_name(clock->quality));
		if (clock->error < 1e18)
			row_duration(&rows, (uint64_t)ceil(clock->error));
		else
			row_null(&rows);
		row_text_or_null(&rows, host->neighbour != i ? hosts[host->neighbour].host : NULL);
		row_end(&rows);
	}
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
