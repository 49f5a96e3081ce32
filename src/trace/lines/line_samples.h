/* SPDX-License-Identifier: MIT */
/*
 * line_samples.h - samples with their call chains, as "perf script" prints them, mapped to the words of event.h:
 *
 * 	app  2120/2121 [003] 10.000100:  250000 cpu-clock:ppp:		the head; what it has, -F says
 * 	          401000 inner+0x10 (/usr/bin/app)			a frame a line, innermost first
 * 	  app.c:12							where that is, with -F +srcline
 * 	          402000 outer (inlined)
 *
 * up to an empty line; without -g the only frame ends the line of the head, or is all of it. ftrace writes "<stack
 * trace>" after an event, and then a line " => inner" for each frame.  Sources: tools/perf/builtin-script.c,
 * tools/perf/util/evsel_fprintf.c and kernel/trace/trace_output.c of Linux.
 */
#ifndef TRACE_LINES_LINE_SAMPLES_H
#define TRACE_LINES_LINE_SAMPLES_H

#include "trace/lines/line_head.h"

/* Of one sample; more frames of it are left out. */
enum { LINE_CHAIN_MAX = 1 << 20 };

/* What comes with the head of an event.  A zeroed one is empty, and can be used again and again. */
struct line_sample {
	char *chain; /* its frames, as SAMPLE_STACK has them */
	size_t chain_size, chain_capacity;
	uint64_t left_out; /* lines, of all samples */
	int32_t pid;       /* LINE_NO_THREAD: not known */
	const char *name;  /* of the thread, in the line */
	size_t name_size;  /* 0: not known */
};

/* Forget the frames. */
void line_sample_begin(struct line_sample *sample);

/* Take a line of a chain.  Returns whether it is one; *is_kept is false if memory runs out. */
bool line_sample_take(struct line_sample *sample, const char *line, size_t size, bool *is_kept);

/* Take the frame that ends the line of a head, if it does.  False: memory runs out. */
bool line_sample_take_only(struct line_sample *sample, const struct line_head *head);

/*
 * Take the head of a sample without a chain, among others that have one: it is not known where the thread was.
 * Returns false if memory runs out.
 */
bool line_sample_take_none(struct line_sample *sample, const char *line, const struct line_head *head);

/* Find out from the line of a head what its thread is called, and the process. */
void line_sample_whose(struct line_sample *sample, const char *line, size_t size, const struct line_head *head);

/*
 * Read the head of a sample that lacks the time or the thread, and begins in the first column unless its frame
 * ends the line: "java 2120/2121 [003] 250000 cycles: ", "7.000100: cycles: ", or, as LINE_SAMPLE, a head that
 * lacks the event, "java 2120", or all but the name, or that, too: an empty line. Returns whether it has an event,
 * a thread or a time.  A line that is not a head is LINE_OTHER or LINE_COMMENT.
 */
bool line_sample_head(char *line, size_t size, struct line_head *out);

/* Whether a line is a frame in the very columns of perf: of a chain, or, without -g, alone. */
bool line_sample_is_frame(const char *line, size_t size);
bool line_sample_is_alone(const char *line, size_t size);

/* Or, however it is indented, one that no word of another text begins, such as "CAF". */
bool line_sample_is_likely(const char *line, size_t size);

/* Whether an event is counted, such as "cycles:u", and no tracepoint. */
bool line_sample_is_counted(const char *name, size_t size);

void line_sample_release(struct line_sample *sample);

#endif
