// SPDX-License-Identifier: MIT
/*
 * progress.c - the progress of long work on standard error: a line that is redrawn on a terminal, or JSON
 * objects; and the signals that end the work.
 */
#include "cli/progress.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/json_text.h"
#include "base/monotonic.h"
#include "base/number_text.h"
#include "cli/output.h"
#include "cli/report.h"

/* Progress is shown ten times a second at most. */
enum { SHOW_EVERY_NS = 100000000, WAITS_NS = 1000000000 };

const char *const progress_names[] = { "auto", "json", "none", NULL };

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static volatile sig_atomic_t signal_caught;

static struct histree_work asker_of_verb;

struct progress progress_begin(const char *when, bool quiet)
{
	const char *name = when == NULL && quiet ? "none" : when;
	enum progress_style style = PROGRESS_NONE;
	if (name == NULL || strcmp(name, "auto") == 0)
		style = isatty(STDERR_FILENO) ? PROGRESS_LINE : PROGRESS_NONE;
	else if (strcmp(name, "json") == 0)
		style = PROGRESS_JSON;
	bool is_quiet = name != NULL && strcmp(name, "auto") != 0;
	return (struct progress){
		.style = style, .began_ns = monotonic_ns(), .shown_ns = -1, .said_waits = is_quiet
	};
}

/* Returns the share that is done, 0 to 1, or a negative number if the whole is not known. */
static double share_of(const struct histree_progress *now)
{
	return now->bytes_total > 0 ? (double)now->bytes / (double)now->bytes_total : -1;
}

static double rate_of(const struct histree_progress *now)
{
	return now->elapsed_ns > 0 ? (double)now->rows * 1e9 / (double)now->elapsed_ns : 0;
}

/* Returns the time left if all takes as long as the share that is done; negative if that is not known. */
static double left_ns_of(int64_t elapsed_ns, double share)
{
	return share > 0 ? (double)elapsed_ns * (1 - share) / share : -1;
}

/* Begins the line anew with the share, if it is known, and what is behind it. */
static void begin_line(double share, const char *behind)
{
	fputs("\r\033[K", stderr);
	if (share >= 0)
		fprintf(stderr, "%3.0f %%%s", 100 * share, behind);
}

static void end_line(int64_t elapsed_ns, double share)
{
	double left_ns = left_ns_of(elapsed_ns, share);
	if (left_ns >= 0)
		fprintf(stderr, ", %.1f s left", left_ns / 1e9);
}

/* The last members of an object. */
static void put_share(int64_t elapsed_ns, double share)
{
	double left_ns = left_ns_of(elapsed_ns, share);
	if (share >= 0)
		fprintf(stderr, ",\"share\":%.4f", share);
	if (left_ns >= 0)
		fprintf(stderr, ",\"left_ns\":%.0f", left_ns);
}

static void show_line(const struct histree_progress *now)
{
	if (now->host_count > 0 && now->host == NULL) {
		/* Shows how far the clocks of several hosts are found; nothing is built yet. */
		fprintf(stderr, "\r\033[Kclocks of %zu hosts %.0f %%", now->host_count, 100 * now->clocks_share);
		return;
	}
	if (now->overviews_share > 0) {
		/* Shows the progress of overviews; the trace has been read. */
		fprintf(stderr, "\r\033[K%" PRIu64 " events read, overviews %.0f %%", now->rows,
			100 * now->overviews_share);

		return;
	}
	begin_line(share_of(now), ", ");
	fprintf(stderr, "%" PRIu64 " events, %.0f events/s", now->rows, rate_of(now));
	end_line(now->elapsed_ns, share_of(now));
	if (now->host_count > 0) {
		char name[128];
		control_text_copy(now->host, name, sizeof(name));
		fprintf(stderr, "; %zu of %zu hosts, %s", now->hosts_done, now->host_count, name);
	}
}

static void show_json(const struct histree_progress *now)
{
	fprintf(stderr,
		"{\"events\":%" PRIu64 ",\"bytes_done\":%" PRIu64 ",\"bytes_total\":%" PRIu64
		",\"elapsed_ns\":%" PRId64 ",\"events_per_second\":%.0f",
		now->rows, now->bytes, now->bytes_total, now->elapsed_ns, rate_of(now));
	put_share(now->elapsed_ns, share_of(now));
	if (now->overviews_share > 0)
		fprintf(stderr, ",\"overviews_share\":%.4f", now->overviews_share);
	if (now->host_count > 0)
		fprintf(stderr, ",\"hosts\":%zu,\"hosts_done\":%zu", now->host_count, now->hosts_done);
	if (now->host_count > 0 && now->host != NULL) {
		const char *name = now->host;
		fputs(",\"host\":\"", stderr);
		for (size_t size = strlen(name); size > 0;) {
			struct json_piece piece = json_piece_next(name, size);
			fprintf(stderr, "%.*s%.*s", (int)piece.plain, name, (int)piece.escape_size, piece.escape);
			name += piece.taken;
			size -= piece.taken;
		}
		fputc('"', stderr);
	}
	if (now->host_count > 0 && now->host == NULL)
		fprintf(stderr, ",\"clocks_share\":%.4f", now->clocks_share);
	fputs("}\n", stderr);
}

/* Returns whether it is time to show something again, and notes that it is shown. */
static bool is_due(struct progress *progress, int64_t elapsed_ns)
{
	if (progress->style == PROGRESS_NONE ||
	    (progress->shown_ns >= 0 && elapsed_ns - progress->shown_ns < SHOW_EVERY_NS))
		return false;
	progress->shown_ns = elapsed_ns;
	return true;
}

void progress_show(void *context, const struct histree_progress *now)
{
	struct progress *progress = context;

	/* Once, and only if it lasts: a session that runs hands over its first events after a moment. */
	if (!progress->said_waits && now->waits && now->elapsed_ns >= WAITS_NS) {
		progress->said_waits = true;
		progress_end(progress);
		report("waits for the first event: the session has not been started ('lttng start'), or nothing "
		       "that it records has happened yet");
	}

	if (is_due(progress, now->elapsed_ns)) {
		if (progress->style == PROGRESS_LINE)
			show_line(now);
		else
			show_json(now);
	}
}

void progress_show_share(void *context, const struct histree_progress *now)
{
	const double share = now->share;
	struct progress *progress = context;
	int64_t elapsed_ns = monotonic_ns() - progress->began_ns;
	if (!is_due(progress, elapsed_ns))
		return;
	if (progress->style == PROGRESS_LINE) {
		begin_line(share, "");
		end_line(elapsed_ns, share);
		return;
	}
	fprintf(stderr, "{\"elapsed_ns\":%" PRId64, elapsed_ns);
	put_share(elapsed_ns, share);
	fputs("}\n", stderr);
}

void progress_show_load(void *context, const struct histree_progress *now)
{
	struct progress *progress = context;
	int64_t elapsed_ns = monotonic_ns() - progress->began_ns;
	if (!is_due(progress, elapsed_ns))
		return;
	if (progress->style == PROGRESS_LINE) {
		begin_line(now->share, ", ");
		fprintf(stderr, "%" PRIu64 " rows", now->rows);
		end_line(elapsed_ns, now->share);
		return;
	}
	fprintf(stderr, "{\"rows\":%" PRIu64 ",\"bytes_done\":%" PRIu64 ",\"elapsed_ns\":%" PRId64, now->rows,
		now->bytes, elapsed_ns);
	put_share(elapsed_ns, now->share);
	fputs("}\n", stderr);
}

bool progress_goes_on(void *context)
{
	(void)context;
	return signal_caught == 0 && !cancel_asked(&asker_of_verb);
}

void progress_set_asker(struct histree_work asker)
{
	asker_of_verb = asker;
}

void progress_end(struct progress *progress)
{
	if (progress->style == PROGRESS_LINE && progress->shown_ns >= 0)
		fputs("\r\033[K", stderr);
}

static void catch_signal(int number)
{
	signal_caught = number;
}

void progress_catch_signals(void)
{
	/* The second signal ends the command at once: someone is in a hurry. */
	struct sigaction action = { .sa_handler = catch_signal, .sa_flags = (int)SA_RESETHAND };
	struct sigaction before;
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		/* What the parent ignores stays ignored, as under nohup(1). */
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

void progress_raise_signal(void)
{
	if (signal_caught == 0)
		return;
	signal(signal_caught, SIG_DFL);
	raise(signal_caught);
}

enum cli_exit progress_outcome(enum histree_status status, const char *cancelled, const struct histree_error *error)
{
	if (status == HISTREE_ERR_CANCELLED) {
		if (cancelled != NULL)
			report("%s", cancelled);
		progress_raise_signal();
		if (cancelled != NULL)
			return CLI_INPUT;
	}
	return status == HISTREE_OK ? CLI_OK : report_error(error);
}
