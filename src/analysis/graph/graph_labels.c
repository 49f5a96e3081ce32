// SPDX-License-Identifier: MIT
/*
 * What works is full and strong, what waits thin and pale, as in the states of the kernel (kernel_labels.c), by the
 * same colours: for the same thing, the same one.
 */
#include "analysis/graph/graph_labels.h"

#include "histree/critical_path.h"

#define STATE(code, ...)                                                                   \
	{                                                                                  \
		.first = (code), .last = (code), .is_code = true, .style = { __VA_ARGS__ } \
	}

static const struct histree_label states[] = {
	STATE(HISTREE_GRAPH_UNKNOWN, "UNKNOWN", "unknown", 0x99a1ac, 0x79828f, 0.33),
	STATE(HISTREE_GRAPH_RUNNING, "RUNNING", "runs", 0x12936a, 0x35b98c, 1),
	STATE(HISTREE_GRAPH_PREEMPTED, "PREEMPTED", "waits for a CPU", 0xdd6b1f, 0xf08a3c, 0.6),
	STATE(HISTREE_GRAPH_BLOCKED, "BLOCKED", "blocked", 0xe6d193, 0x857441, 0.5),
	STATE(HISTREE_GRAPH_NETWORK, "NETWORK", "waits for a packet", 0xa8408c, 0xd879bb, 0.5),
	STATE(HISTREE_GRAPH_TIMER, "TIMER", "waits for a timer", 0xcfd5dc, 0x4d5561, 0.5),
	STATE(HISTREE_GRAPH_BLOCK_DEVICE, "BLOCK_DEVICE", "waits for a disk", 0x6bb3dc, 0x4c93bd, 0.5),
	STATE(HISTREE_GRAPH_INTERRUPTED, "INTERRUPTED", "interrupted", 0xc49a1a, 0xdfb93f, 0.8),
};

/* A bar for these would say nothing. */
static const struct histree_label tids[] = { { .is_hidden = true } };

static const char *const of_states[] = { "Threads/*", NULL };
static const char *const of_tids[] = { "Threads/*/Woken_by", "Threads/*/Received_from",
				       "Threads/*/Woken_leaving_by", NULL };

const struct histree_label_table graph_labels[GRAPH_LABEL_TABLES] = {
	{ .name = "edge",
	  .patterns = of_states,
	  .labels = states,
	  .label_count = sizeof(states) / sizeof(*states) },
	{ .name = "thread",
	  .meaning = HISTREE_MEANS_TID,
	  .patterns = of_tids,
	  .labels = tids,
	  .label_count = sizeof(tids) / sizeof(*tids),
	  .uses_palette = true },
};
