/* SPDX-License-Identifier: MIT */
/*
 * time_text.h - times as people write them.
 *
 * Nothing here depends on the locale or on TZ.
 */
#ifndef HISTREE_TIME_TEXT_H
#define HISTREE_TIME_TEXT_H

#include "value.h"

/*
 * Read a time of a history that goes from `start` to `end`:
 *
 *	1457113583000000000	nanoseconds since the epoch, may be negative
 *	+12.5ms			a length of time after `start`, in ns us ms s m h
 *	17:46:23.1		time of day (UTC), up to nine decimals, on the day of `start`; where that is before
 *				`start` and the next day's is not after `end`, on the next day
 *	2016-03-04 17:46:23.1	date and time of day; a T may replace the blank
 *
 * The time may lie outside the history.  Returns HISTREE_ERR_ARGUMENT if the text is something else, and *out is
 * then 0.
 */
HISTREE_API HISTREE_MUST_CHECK enum histree_status histree_time_parse(const char *text, histree_time start,
								      histree_time end, histree_time *out,
								      struct histree_error *error);

#endif
