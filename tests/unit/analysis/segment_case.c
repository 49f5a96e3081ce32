// SPDX-License-Identifier: MIT
#include "case_kind.h"
#include "segment_run.h"

struct segments {
	struct segment_run run;
	struct histree_cursor *iter; /* NULL: nothing was expected yet */
	uint64_t without_start, without_end;
};

static void *begin(const struct registry_entry *entry, const char *tracer, int major, int minor)
{
	struct segments *segments = calloc(1, sizeof(*segments));
	assert_non_null(segments);
	segment_run_begin(&segments->run, entry->segments, tracer, major, minor);
	return segments;
}

static void follow_event(void *run, histree_time time, int32_t cpu, const char *name, const char *fields)
{
	struct segments *segments = run;
	assert_null(segments->iter);
	segment_run_event(&segments->run, time, cpu, name, fields);
}

static void follow_gap(void *run, histree_time begin, histree_time end, int32_t cpu)
{
	struct segments *segments = run;
	assert_null(segments->iter);
	segment_run_gap(&segments->run, begin, end, cpu);
}

static bool next_segment(struct segments *segments, char text[static SEGMENT_RUN_TEXT_SIZE])
{
	if (segments->iter == NULL)
		segments->iter = segment_run_iterate(&segments->run);
	return segment_run_next(&segments->run, segments->iter, text);
}

static void expect_segment(struct segments *segments, const char *expected)
{
	char text[SEGMENT_RUN_TEXT_SIZE];
	if (!next_segment(segments, text))
		fail_msg("there is no segment '%s', nor any other after those above", expected);
	if (strcmp(text, expected) != 0)
		fail_msg("the next segment is '%s', not '%s'", text, expected);
}

static bool follow_line(void *run, const char *line)
{
	struct segments *segments = run;
	if (strncmp(line, "= ", 2) == 0) {
		expect_segment(segments, line + 2);
		return true;
	}
	return sscanf(line, "alone %" SCNu64 " %" SCNu64, &segments->without_start, &segments->without_end) == 2;
}

static void end(void *run)
{
	struct segments *segments = run;
	char text[SEGMENT_RUN_TEXT_SIZE];
	if (next_segment(segments, text))
		fail_msg("there is also the segment '%s'", text);
	segment_run_expect_alone(&segments->run, segments->without_start, segments->without_end);
	histree_cursor_free(segments->iter);
	segment_run_release(&segments->run);
	free(segments);
}

const struct case_kind segment_case = {
	.begin = begin,
	.event = follow_event,
	.gap = follow_gap,
	.line = follow_line,
	.end = end,
};
