/* SPDX-License-Identifier: MIT */
/*
 * arrows.h - the answer to `arrows` of Control Flow: from the thread that left a CPU to the one that came next.
 */
#ifndef SERVER_ARROWS_H
#define SERVER_ARROWS_H

#include "server/kernel_view.h"
#include "server/output.h"

/*
 * Those that meet the range that is asked for, thinned to what can be seen: at most one a CPU that ends between two
 * of the times.  `entry_of` gives the entry of a thread, -1 if it has none; idle threads have no arrows.
 */
void arrows_reply(const struct output_call *output, const struct kernel_view *view,
		  int64_t (*entry_of)(const void *view, int32_t cpu, int32_t tid));

#endif
