/* SPDX-License-Identifier: MIT */
/*
 * routes.h - the endpoints: the Trace Server Protocol below /tsp/api, the page's own below /api/v1, and the page.
 */
#ifndef SERVER_ROUTES_H
#define SERVER_ROUTES_H

#include "server/http/router.h"

extern const struct route routes[];

#endif
