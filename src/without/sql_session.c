// SPDX-License-Identifier: MIT
#include "cli/sql_session.h"
#include "without/without.h"

enum cli_exit sql_session_run(const struct sql_request *request, struct output *output)
{
	return report_exit(CLI_USAGE, "this histree was built without SQLite; build it with that (Debian: "
				      "libsqlite3-dev), or print rows with 'histree dump --format csv'");
}
