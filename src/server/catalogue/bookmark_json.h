/* SPDX-License-Identifier: MIT */
/*
 * bookmark_json.h - a bookmark as clients get it.
 */
#ifndef SERVER_CATALOGUE_BOOKMARK_JSON_H
#define SERVER_CATALOGUE_BOOKMARK_JSON_H

#include "server/catalogue/bookmark_list.h"
#include "server/text/json_writer.h"

/* Writes {uuid, name, start, end}; `context` is a struct json_writer. */
void bookmark_write_json(void *context, const struct bookmark *bookmark);

#endif
