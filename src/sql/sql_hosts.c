// SPDX-License-Identifier: MIT
#include "sql/sql_hosts.h"

#include <string.h>

char *sql_hosts_declare(const struct histree_history *history, char *declaration)
{
	if (declaration == NULL || !sql_has_hosts(history))
		return declaration;
	const char *key = strstr(declaration, ", PRIMARY KEY"), *end = strrchr(declaration, ')');
	const char *at = key != NULL ? key : end;
	char *longer = sqlite3_mprintf("%.*s, host TEXT%s", (int)(at - declaration), declaration, at);
	sqlite3_free(declaration);
	return longer;
}

void sql_hosts_result(sqlite3_context *context, const struct histree_history *history, histree_quark quark)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	if (hosts != NULL)
		sqlite3_result_text(context, hosts[histree_history_host_of(history, quark)].name, -1,
				    SQLITE_TRANSIENT);
}
