/* SPDX-License-Identifier: MIT */
/*
 * why_tables.h - the tables of 'histree why': the time of a thread by cause and by thread, and its longest waits.
 */
#ifndef CLI_WHY_TABLES_H
#define CLI_WHY_TABLES_H

#include "cli/row_writer.h"
#include "cli/why_waits.h"
#include "histree/critical_path.h"

enum why_table { WHY_CAUSES, WHY_THREADS, WHY_WAITS };

/* By number; NULL ends them. */
extern const char *const why_table_names[];

enum { WHY_COLUMNS_MAX = 9 };

/* What they are made of. */
struct why_tables {
	struct histree_critical_path *path;       /* which knows the names of threads */
	const struct histree_history_host *hosts; /* NULL: one, */
	char *host;                               /* which is called so */
	struct why_waits waits;
	uint64_t row_max; /* of threads */
};

/* Returns how many columns a table has: those of hosts are left out where people look at one. */
size_t why_table_columns(const struct why_tables *tables, const struct row_format *format, enum why_table which,
			 struct row_column out[static WHY_COLUMNS_MAX]);
void why_table_put(const struct why_tables *tables, enum why_table which, struct row_writer *rows);

/* A time, and a share, in these tables and in what stands around them. */
void why_put_time(struct row_writer *rows, histree_time time);

static inline double why_percent(uint64_t ns, uint64_t all)
{
	return all > 0 ? 100 * (double)ns / (double)all : 0;
}

#endif
