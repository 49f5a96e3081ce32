// SPDX-License-Identifier: MIT
/*
 * sql.c - databases of a build without SQLite: none is written, and the message says what to install.
 */
#include "histree/export.h"
#include "without/without.h"

enum histree_status histree_export_sqlite(const struct histree_sqlite_table *tables, size_t count, const char *path,
					  const struct histree_sqlite_options *options, struct histree_error *error)
{
	for (size_t i = 0; i < count; i++)
		tables[i].stream->release(tables[i].stream);
	return error_set(error, HISTREE_ERR_IO,
			 "this histree was built without SQLite: install libsqlite3-dev and build again");
}

bool histree_export_has_sqlite(void)
{
	return false;
}
