/* SPDX-License-Identifier: MIT */
/*
 * web.h - the page: files that are compiled into the program, or those of --web-root.
 */
#ifndef SERVER_WEB_WEB_H
#define SERVER_WEB_WEB_H

#include "server/http/http.h"

struct web_file {
	const char *name; /* "index.html"; NULL ends the table */
	const unsigned char *bytes;
	size_t size;
};

/* Made while building, of src/server/web/. */
extern const struct web_file web_files[];

endpoint_function web_file;

#endif
