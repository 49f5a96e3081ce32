/* SPDX-License-Identifier: MIT */
/*
 * table_reply.h - the tables of the protocol: what is asked for, and the answer.  The cells are the output's.
 */
#ifndef SERVER_TSP_TABLE_REPLY_H
#define SERVER_TSP_TABLE_REPLY_H

#include "server/http/call.h"
#include "server/model/state_filter.h"

struct table_column {
	const char *name, *description;
	const char *type; /* of the protocol: STRING, NUMBER, TIMESTAMP, DURATION */
};

void table_reply_columns(struct reply *reply, const struct table_column *columns, unsigned count);

enum table_direction { TABLE_STAYS, TABLE_NEXT, TABLE_PREVIOUS };

struct table_request {
	unsigned columns[CELL_COLUMNS_MAX]; /* that are wanted, in this order */
	unsigned column_count;
	uint64_t index, count; /* of lines: the first, and how many at most */
	bool by_time;          /* the first one is that at or after `time` */
	histree_time time;
	struct cell_match match;
	bool has_match;
	enum table_direction direction; /* in which to search for the first line that matches */
};

/*
 * Reads what is asked of a table with so many columns; returns false if it has answered instead.  Release the
 * request in both cases.
 */
bool table_request_read(const struct call *call, unsigned column_count, struct table_request *out);
void table_request_release(struct table_request *request);

/* Writes the model from its beginning to its lines; the end of the answer ends it. */
void table_reply_begin(struct reply *reply, const struct table_request *request, uint64_t size, uint64_t first);
void table_reply_line(struct reply *reply, const struct table_request *request, uint64_t number, cell_text *text,
		      void *line);

#endif
