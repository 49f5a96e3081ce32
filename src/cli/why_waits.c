// SPDX-License-Identifier: MIT
#include "cli/why_waits.h"

#include <stdlib.h>
#include <string.h>

bool why_waits_init(struct why_waits *waits, size_t host, int32_t tid, size_t wait_max)
{
	*waits = (struct why_waits){ .host = host, .tid = tid, .wait_max = wait_max };
	waits->waits = calloc(wait_max + 1, sizeof(*waits->waits));
	return waits->waits != NULL;
}

void why_waits_release(struct why_waits *waits)
{
	path_totals_release(&waits->totals);
	path_totals_release(&waits->wait_totals);
	free(waits->waits);
	*waits = (struct why_waits){ 0 };
}

enum why_cause why_cause_of(enum histree_graph_state state)
{
	switch (state) {
	case HISTREE_GRAPH_RUNNING:
		return WHY_RAN;
	case HISTREE_GRAPH_PREEMPTED:
		return WHY_NO_CPU;
	case HISTREE_GRAPH_NETWORK:
		return WHY_NETWORK;
	case HISTREE_GRAPH_BLOCK_DEVICE:
		return WHY_DISK;
	case HISTREE_GRAPH_TIMER:
		return WHY_TIMER;
	case HISTREE_GRAPH_INTERRUPTED:
		return WHY_INTERRUPT;
	case HISTREE_GRAPH_BLOCKED:
		return WHY_BLOCKED;
	case HISTREE_GRAPH_UNKNOWN:
	case HISTREE_GRAPH_DEFAULT:
		break;
	}
	return WHY_UNKNOWN;
}

static uint64_t length(const struct why_wait *wait)
{
	return (uint64_t)wait->end - (uint64_t)wait->start;
}

/* Of the longest, sorted by length and then by time. */
static void keep_wait(struct why_waits *waits)
{
	size_t at = waits->wait_count;
	while (at > 0 && length(&waits->waits[at - 1]) < length(&waits->wait))
		at--;
	if (at == waits->wait_max)
		return;
	waits->wait_count += waits->wait_count < waits->wait_max;
	memmove(&waits->waits[at + 1], &waits->waits[at], (waits->wait_count - at - 1) * sizeof(*waits->waits));
	waits->waits[at] = waits->wait;
}

static void end_wait(struct why_waits *waits)
{
	if (!waits->is_waiting)
		return;
	waits->is_waiting = false;
	path_totals_sort(&waits->wait_totals);
	if (waits->wait_totals.count == 0)
		return;
	waits->all_waits++;
	waits->wait.mostly = waits->wait_totals.all[0];
	keep_wait(waits);
}

static bool go_on_waiting(struct why_waits *waits, const struct histree_path_step *step,
			  const struct path_total *total)
{
	if (!waits->is_waiting) {
		waits->is_waiting = true;
		waits->wait = (struct why_wait){ .start = step->start };
		path_totals_clear(&waits->wait_totals);
	}
	waits->wait.end = step->end;
	if (step->is_arrow && step->to_tid == waits->tid && step->to_host == waits->host) {
		waits->wait.is_woken = true;
		waits->wait.waker = step->tid;
		waits->wait.waker_host = step->host;
	}
	return total->ns == 0 || path_totals_add(&waits->wait_totals, total);
}

/* The time of an arrow is that of a packet under way, and that of who waits for it. */
bool why_waits_add(struct why_waits *waits, const struct histree_path_step *step)
{
	const struct path_total total = { .host = step->is_arrow ? step->to_host : step->host,
					  .tid = step->is_arrow ? step->to_tid : step->tid,
					  .state = step->state,
					  .ns = (uint64_t)step->end - (uint64_t)step->start,
					  .steps = 1 };
	bool is_itself = total.tid == waits->tid && total.host == waits->host;
	struct why_sum *sum = &waits->causes[why_cause_of(step->state)];
	*(is_itself ? &sum->itself_ns : &sum->others_ns) += total.ns;
	sum->steps += total.ns > 0;
	waits->ns += total.ns;
	waits->start = waits->is_begun ? waits->start : step->start;
	waits->end = step->end;
	waits->is_begun = true;
	if (total.ns > 0 && !path_totals_add(&waits->totals, &total))
		return false;
	if (!step->is_arrow && is_itself && step->state == HISTREE_GRAPH_RUNNING) {
		end_wait(waits);
		return true;
	}
	return go_on_waiting(waits, step, &total);
}

void why_waits_end(struct why_waits *waits)
{
	end_wait(waits);
	path_totals_sort(&waits->totals);
}
