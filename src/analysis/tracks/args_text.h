/* SPDX-License-Identifier: MIT */
/*
 * args_text.h - a field of an event with all that is inside, as text: JSON, cut where it is too long.
 */
#ifndef ANALYSIS_TRACKS_ARGS_TEXT_H
#define ANALYSIS_TRACKS_ARGS_TEXT_H

#include "event/event.h"

/*
 * Write at most `capacity` bytes, of which the last are "..." if there would be more.  Returns how many; 0: the
 * event lacks it.
 */
size_t args_text(const struct event *event, uint32_t field, char *text, size_t capacity);

/*
 * Write the members of two objects that args_text() has written as one object, of at most `capacity` bytes; those
 * of the second win.  Where one of them is no object, or is cut, the first is written, or if it is empty the
 * second.
 */
size_t args_text_join(const char *first, size_t first_size, const char *second, size_t second_size, char *text,
		      size_t capacity);

#endif
