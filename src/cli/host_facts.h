/* SPDX-License-Identifier: MIT */
/*
 * host_facts.h - what a store of several hosts says of each: its traces, its events and its clock.
 */
#ifndef CLI_HOST_FACTS_H
#define CLI_HOST_FACTS_H

#include "histree/store.h"

/* Returns a line a host, LF between them, which the caller frees; NULL: out of memory. */
char *host_facts_lines(const struct histree_store_info *info);

/* Returns the same as an array of objects in JSON, in one line. */
char *host_facts_json(const struct histree_store_info *info);

/* Returns what is said of the clock of one host, to be freed likewise; `by` may be NULL. */
char *host_facts_clock(const struct histree_clock *clock, const char *by);

#endif
