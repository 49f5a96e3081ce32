/* SPDX-License-Identifier: MIT */
/*
 * control_flow.h - the tree of the threads that had a status at some time of a range.
 */
#ifndef VIEW_CONTROL_FLOW_H
#define VIEW_CONTROL_FLOW_H

#include "view/view.h"

/*
 * As histree_control_flow_create(), of the threads that had a status in the range, and of all if it is not narrow;
 * the parent of one may be missing.  What is said of a thread is what the whole history says.
 */
enum histree_status control_flow_create_during(struct histree_history *history, histree_time from, histree_time to,
					       struct histree_work work, struct histree_control_flow **out,
					       struct histree_error *error);

#endif
