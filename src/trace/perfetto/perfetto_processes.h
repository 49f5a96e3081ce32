/* SPDX-License-Identifier: MIT */
/*
 * perfetto_processes.h - names of processes and threads, as /proc had them
 * (protos/perfetto/trace/ps/process_tree.proto).
 */
#ifndef TRACE_PERFETTO_PERFETTO_PROCESSES_H
#define TRACE_PERFETTO_PERFETTO_PROCESSES_H

#include "trace/packed/packed_source.h"
#include "trace/perfetto/wire.h"

/* As events "perfetto:thread" of a kernel trace, with the kernel's words for the ids. */
enum histree_status perfetto_processes_of_kernel(struct packed_source *packed, struct wire_message tree,
						 histree_time time, struct histree_error *error);

#endif
