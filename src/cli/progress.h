/* SPDX-License-Identifier: MIT */
/*
 * progress.h - how far a build is, on standard error: one line redrawn on a terminal, or one JSON object a line;
 * and the way to stop it.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

#include "histree/build.h"

/* The choices of --progress, NULL at the end. */
extern const char *const progress_names[];

enum progress_style { PROGRESS_NONE, PROGRESS_LINE, PROGRESS_JSON };

struct progress {
	enum progress_style style;
	int64_t shown_ns; /* when it was last said; -1: never */
};

/* auto (or NULL): on a terminal. */
struct progress progress_begin(const char *name);

/* The progress callback of a build: `context` is the struct progress. */
void progress_show(void *context, const struct histree_progress *now);

/* Returns false after SIGINT, SIGTERM or SIGHUP; it has no context. */
bool progress_goes_on(void *context);

/* Clear the line. */
void progress_end(struct progress *progress);

/* Let SIGINT, SIGTERM and SIGHUP end a build in good order instead of at once. */
void progress_catch_signals(void);

/* Die of the signal that came, as whoever sent it expects; nothing if none came. */
void progress_raise_signal(void);

#endif
