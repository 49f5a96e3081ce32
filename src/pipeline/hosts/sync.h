/* SPDX-License-Identifier: MIT */
/*
 * sync.h - compare the clocks of hosts whose traces were found before.
 */
#ifndef PIPELINE_HOSTS_SYNC_H
#define PIPELINE_HOSTS_SYNC_H

#include "histree/sync.h"
#include "trace/trace_group.h"

/* As histree_sync_traces() does, in the order of the groups. */
enum histree_status sync_groups(const struct trace_groups *groups, const struct histree_sync_options *options,
				struct histree_sync **out, struct histree_error *error);

#endif
