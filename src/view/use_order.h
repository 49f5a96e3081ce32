/* SPDX-License-Identifier: MIT */
/*
 * use_order.h - in which order the rows of a use of time (histree/time_use.h) are; for qsort().
 */
#ifndef VIEW_USE_ORDER_H
#define VIEW_USE_ORDER_H

/* By hosts, then by what they are of. */
int use_order_by_keys(const void *one, const void *other);

/* Who ran longest is first; then who waited longest, was blocked longest, and so on. */
int use_order_by_time(const void *one, const void *other);

#endif
