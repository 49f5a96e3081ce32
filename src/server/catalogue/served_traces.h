/* SPDX-License-Identifier: MIT */
/*
 * served_traces.h - the traces and stores below the folders that a server was started with, for users that look
 * for one to open.
 */
#ifndef SERVER_CATALOGUE_SERVED_TRACES_H
#define SERVER_CATALOGUE_SERVED_TRACES_H

#include "server/catalogue/allowed_paths.h"

struct served_trace {
	const char *path;
	const char *name; /* the path from the folder above the one that is served */
	bool is_store;
};

typedef void served_traces_visit(void *context, const struct served_trace *trace);

/*
 * Visits them folder by folder, by name, as they are on the disk now.  Links are not followed.  Looks a few folders
 * deep and at a bounded number of them, and returns false if there are more.
 */
bool served_traces_each(const struct allowed_paths *allowed, served_traces_visit *visit, void *context);

#endif
