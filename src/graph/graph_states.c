// SPDX-License-Identifier: MIT
#include "histree/critical_path.h"

const char *histree_graph_state_name(enum histree_graph_state state)
{
	static const char *const names[HISTREE_GRAPH_STATE_COUNT] = {
		[HISTREE_GRAPH_UNKNOWN] = "UNKNOWN",           [HISTREE_GRAPH_RUNNING] = "RUNNING",
		[HISTREE_GRAPH_PREEMPTED] = "PREEMPTED",       [HISTREE_GRAPH_BLOCKED] = "BLOCKED",
		[HISTREE_GRAPH_NETWORK] = "NETWORK",           [HISTREE_GRAPH_TIMER] = "TIMER",
		[HISTREE_GRAPH_BLOCK_DEVICE] = "BLOCK_DEVICE", [HISTREE_GRAPH_INTERRUPTED] = "INTERRUPTED",
		[HISTREE_GRAPH_DEFAULT] = "DEFAULT",
	};
	return (unsigned)state < HISTREE_GRAPH_STATE_COUNT ? names[state] : names[HISTREE_GRAPH_UNKNOWN];
}
