/* SPDX-License-Identifier: MIT */
/*
 * sample_vocabulary.h - samples of where threads were, whose frames have names already: what profilers other than
 * perf write, and perf where it writes text, in the words that analyses understand.
 *
 * A trace says so by `has_samples`.  Its samples are events with the field SAMPLE_STACK, and those of the others
 * that the format knows; the class is called as what was counted, "cycles:u", or "samples".  Who has no time
 * counts samples, one a ns, in the order of the file.
 *
 * SAMPLE_STACK is one of two things:
 *   a number      of a stack of `trace->stacks`, where a format has stacks in tables, or the reader keeps them once
 *   a text        the frames, innermost first, a line each: the function, and behind a tab its binary, and behind
 *                 another one the line of the source; what is not known is empty, or not there
 * The number means something to this reading of the trace only.
 */
#ifndef EVENT_SAMPLE_VOCABULARY_H
#define EVENT_SAMPLE_VOCABULARY_H

#include <stdint.h>

enum sample_field {
	SAMPLE_STACK,
	SAMPLE_WEIGHT,  /* int: what was counted since the sample before; absent: a sample counts one */
	SAMPLE_PID,     /* int */
	SAMPLE_TID,     /* int; absent: not known */
	SAMPLE_PROCESS, /* text: what the process is called */
	SAMPLE_THREAD,  /* text: so is the thread */
	SAMPLE_FIELD_COUNT,
};

extern const char *const sample_field_names[SAMPLE_FIELD_COUNT];

#define EVENT_NO_STACK UINT32_MAX

/* A stack: a frame, and the stack of its caller. */
struct event_stack {
	uint32_t parent; /* EVENT_NO_STACK: it is the outermost.  Any number: files may lie. */
	uint32_t frame;
};

/* Texts are terminated, and "" where they are not known. */
struct event_frame {
	const char *function, *binary, *line;
};

/* Whole before the first event of the trace. */
struct event_stacks {
	const struct event_frame *frames;
	uint32_t frame_count;
	const struct event_stack *stacks;
	uint32_t stack_count;
};

#endif
