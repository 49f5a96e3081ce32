/* SPDX-License-Identifier: MIT */
/*
 * progress.h - shows on standard error how far a build is, as one line that is redrawn on a terminal or as one
 * JSON object a line; and stops a build on a signal.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

#include "histree/build.h"

/* The choices of --progress; NULL ends them. */
extern const char *const progress_names[];

enum progress_style { PROGRESS_NONE, PROGRESS_LINE, PROGRESS_JSON };

struct progress {
	enum progress_style style;
	int64_t shown_ns; /* when progress was last shown; -1: never */
	bool said_waits;  /* that a live trace waits, or nothing is to be said */
};

/* `when` is one of the choices; NULL is auto, which shows progress on a terminal only. */
struct progress progress_begin(const char *name);

/* The progress callback of a build: `context` is the struct progress. */
void progress_show(void *context, const struct histree_progress *now);

/* Returns false after SIGINT, SIGTERM or SIGHUP; it has no context. */
bool progress_goes_on(void *context);

/* Clears the line. */
void progress_end(struct progress *progress);

/* Lets SIGINT, SIGTERM and SIGHUP end a build in good order instead of at once. */
void progress_catch_signals(void);

/* Dies of the signal that came, as its sender expects.  Does nothing if none came. */
void progress_raise_signal(void);

#endif
