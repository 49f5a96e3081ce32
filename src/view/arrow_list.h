/* SPDX-License-Identifier: MIT */
/*
 * arrow_list.h - arrows while they are gathered, one kind after the other, and what gathers them.
 */
#ifndef VIEW_ARROW_LIST_H
#define VIEW_ARROW_LIST_H

#include "histree/arrows.h"

/* Switches, forks, wake-ups or flows that are looked at at most. */
enum { ARROW_READS_MAX = 65536 };

/* A zeroed one is empty. */
struct arrow_list {
	struct histree_arrow *arrows;
	size_t count, capacity;
	bool lacks_some;
};

enum histree_status arrow_list_add(struct arrow_list *list, const struct histree_arrow *arrow,
				   struct histree_error *error);

/* The pixels in which arrows of `groups` CPUs or stacks may end, one each. */
uint32_t arrow_pixels(const struct histree_arrows_request *request, size_t groups);

/* The query finds all arrows that meet the range, or more. */
enum histree_status arrows_gather_cpus(const struct histree_arrows_request *request, struct arrow_list *switches,
				       struct arrow_list *migrations, struct histree_error *error);
enum histree_status arrows_gather_forks(const struct histree_arrows_request *request, struct arrow_list *forks,
					struct histree_error *error);
enum histree_status arrows_gather_wakeups(const struct histree_arrows_request *request, struct arrow_list *wakeups,
					  struct histree_error *error);

/* Of packets that came in the range. */
enum histree_status arrows_gather_packets(const struct histree_arrows_request *request, struct arrow_list *packets,
					  struct histree_error *error);

/* From stack to stack, until arrows_find_rows() finds the rows of the arrows shown. */
enum histree_status arrows_gather_flows(const struct histree_arrows_request *request, struct arrow_list *flows,
					struct histree_error *error);
enum histree_status arrows_find_rows(const struct histree_arrows_request *request, struct arrow_list *list,
				     struct histree_error *error);

#endif
