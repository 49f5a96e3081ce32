/* SPDX-License-Identifier: MIT */
/*
 * line_class.h - the classes of the events of a text, by their names and fields, as a recording of perf has them
 * (perf_class.h): "sched:sched_switch", with the fields of the event and those of the line.
 *
 * An event of a known shape has the fields of the shape that matches it (line_shape.h); any other has the fields
 * that its text shows: a text with other fields makes another class of the same name.  An event with a call chain
 * is also a sample (event.h).
 *
 * Fields of an event whose shape is not known come from its text alone:
 *
 * The text after "name=" is the value of a field: up to the next space if it is a number, else up to the next name.
 * The arguments of a system call are "name: value", hexadecimal, with commas between them.  A text without any
 * names is one field.
 */
#ifndef TRACE_LINES_LINE_CLASS_H
#define TRACE_LINES_LINE_CLASS_H

#include "base/arena.h"
#include "histree/status.h"
#include "text/text_table.h"
#include "trace/lines/line_head.h"
#include "trace/lines/line_samples.h"
#include "trace/text/event_text.h"

enum { LINE_PAIRS_MAX = 32 };

/* No kernel has more classes: a text can make us use some ten MB for them. */
enum { LINE_CLASSES_MAX = 16384, LINE_CELLS_MAX = LINE_PAIRS_MAX + 12 };

struct line_event;

struct line_classes {
	const struct event_trace *trace;
	uint32_t *class_count; /* of all traces of the input */
	struct intern names;
	struct line_event **events; /* by the number of their names */
	size_t event_count, event_capacity;
	size_t count;
	bool is_unfit; /* the line that was read last is of an event with shapes, and lacks what these have */
	struct arena memory;
};

/*
 * The class of the event that a line is, and its cells, which borrow from the line and from its chain of calls,
 * which may be none; cells has room for LINE_CELLS_MAX.  Returns HISTREE_NOT_FOUND if there are too many classes;
 * HISTREE_ERR_MEMORY.
 */
enum histree_status line_classes_read(struct line_classes *classes, const struct line_head *head,
				      const struct line_sample *sample, struct text_cell *cells, size_t *count,
				      const struct text_class **out, struct histree_error *error);
void line_classes_release(struct line_classes *classes);

#endif
