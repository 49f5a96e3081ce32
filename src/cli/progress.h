/* SPDX-License-Identifier: MIT */
/*
 * progress.h - shows the progress of long work on standard error, as one line that is redrawn on a terminal or as
 * one JSON object a line; and stops the work on a signal.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

#include "cli/report.h"
#include "histree/build.h"
#include "histree/status.h"

/* The choices of --progress; NULL ends them. */
extern const char *const progress_names[];

enum progress_style { PROGRESS_NONE, PROGRESS_LINE, PROGRESS_JSON };

struct progress {
	enum progress_style style;
	int64_t began_ns; /* of the monotonic clock */
	int64_t shown_ns; /* when progress was last shown, after it began; -1: never */
	bool said_waits;  /* that a live trace waits, or nothing is to be said */
};

/* The row of the option in the table of a verb. */
#define CLI_OPTION_PROGRESS(type)                                                                               \
	{                                                                                                       \
		.name = "progress", .argument = "WHEN", .kind = CLI_CHOICE, .member = offsetof(type, progress), \
		.choices = progress_names,                                                                      \
		.help = "show progress: auto (on a terminal), json (one object a line) or none; default: auto", \
	}

/*
 * `when` is one of the choices; NULL is auto, which shows progress on a terminal only, or none if the verb is to be
 * quiet.
 */
struct progress progress_begin(const char *when, bool quiet);

/* The progress callback of a build: `context` is the struct progress. */
void progress_show(void *context, const struct histree_progress *now);

/* The progress callback of a load: `context` is the struct progress. */
void progress_show_load(void *context, const struct histree_progress *now);

/* The progress callback for callers that know only their share: `context` is the struct progress. */
void progress_show_share(void *context, const struct histree_progress *now);

/* Returns false after SIGINT, SIGTERM or SIGHUP, or once the asker has gone, whatever the context. */
bool progress_goes_on(void *context);

/* Sets what else progress_goes_on() asks, for a verb that runs on behalf of another.  Zeroed: nothing. */
void progress_set_asker(struct histree_work asker);

/* Clears the line. */
void progress_end(struct progress *progress);

/* Lets SIGINT, SIGTERM and SIGHUP end a build in good order instead of at once. */
void progress_catch_signals(void);

/*
 * Returns CLI_OK after a call that asked progress_goes_on() was done, or what to exit with, which is reported:
 * that it was cancelled, in these words, unless they are NULL, and the signal ends the process; or what failed.
 */
enum cli_exit progress_outcome(enum histree_status status, const char *cancelled,
			       const struct histree_error *error);

/* Dies of the signal that came, as its sender expects.  Does nothing if none came. */
void progress_raise_signal(void);

#endif
