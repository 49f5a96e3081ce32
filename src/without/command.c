// SPDX-License-Identifier: MIT
/*
 * command.c - replacements for libraries that the command needs: it refuses what it cannot do, and says what to
 * install.
 */
#include "base/error.h"
#include "cli/sql_session.h"
#include "server/api/api.h"
#include "server/server.h"
#include "without/features.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- libmicrohttpd ------------------------------------------------------------------------------------------- */

#if !HAS_SERVE

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

#endif

/* ---- SQLite -------------------------------------------------------------------------------------------------- */

#if !HAS_SQL

enum cli_exit sql_session_run(const struct sql_request *request, struct output *output)
{
	return report_exit(CLI_USAGE, "this histree was built without SQLite; build it with that (Debian: "
				      "libsqlite3-dev), or print rows with 'histree states --format csv'");
}

#if HAS_SERVE
void api_sql(struct call *call)
{
	reply_error(call->reply, HTTP_NOT_FOUND, "This histree was built without SQLite, and knows no SQL");
}
#endif

#endif
