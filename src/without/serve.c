// SPDX-License-Identifier: MIT
/*
 * serve.c - the server of a build without libmicrohttpd: it refuses to start, and says what to install.
 */
#include "server/server.h"
#include "without/without.h"

enum histree_status server_start(const struct server_options *options, struct server **out,
				 struct histree_error *error)
{
	*out = NULL;
	return error_set(
		error, HISTREE_NOT_FOUND,
		"this histree was built without libmicrohttpd and cannot serve: install libmicrohttpd-dev and "
		"zlib1g-dev, and build again");
}

uint16_t server_port(const struct server *server)
{
	return 0;
}

const char *server_warning(const struct server *server)
{
	return NULL;
}

void server_stop(struct server *server)
{
}
