/* SPDX-License-Identifier: MIT */
/*
 * service.h - what all endpoints share: the traces, the bookmarks and where the page comes from.
 */
#ifndef SERVER_CATALOGUE_SERVICE_H
#define SERVER_CATALOGUE_SERVICE_H

#include "server/catalogue/bookmarks.h"
#include "server/catalogue/catalogue.h"

struct service {
	struct catalogue *catalogue;
	struct bookmarks *bookmarks;
	const char *web_root; /* NULL: the page is served from the program */
};

#endif
