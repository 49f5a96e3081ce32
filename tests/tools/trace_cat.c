// SPDX-License-Identifier: MIT
/*
 * trace_cat - print each event of a trace as the trace layer sees it, for comparison with babeltrace2.
 *
 *	trace_cat [-q] TRACE...		-q: read everything, print only the report
 *
 * Gaps are printed as they come among the events: where they begin and end, and how many events are known to be
 * lost.  A live trace is read until its session ends.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trace/trace.h"

static void print_gap(const struct event_gap *gap)
{
	printf("%" PRId64 " %" PRId32 " (gap to %" PRId64 ", %" PRIu64 " events)\n", gap->begin, gap->cpu, gap->end,
	       gap->events);
}

static void print_event(const struct event *event)
{
	if (event->gap != NULL) {
		print_gap(event->gap);
		return;
	}
	printf("%" PRId64 " %" PRId32 " %s", event->time, event->cpu, event->class->name);
	for (uint32_t field = 0; field < event->class->field_count; field++) {
		int64_t number;
		const char *text;
		size_t size;
		if (event_int_as_written(event, field, &number))
			printf(" %s=%" PRId64, event->class->fields[field], number);
		else if (event_string(event, field, &text, &size))
			printf(" %s=\"%.*s\"", event->class->fields[field], (int)size, text);
	}
	putchar('\n');
}

static void print_report(const struct trace *trace)
{
	struct trace_report report = trace_report(trace);
	for (size_t index = 0; index < trace_count(trace); index++) {
		const struct event_trace *facts = trace_at(trace, index);
		fprintf(stderr, "trace %" PRIu32 " %s: domain %s, tracer %s %d.%d, host %s, machine %s\n",
			facts->id, facts->path, facts->domain, facts->tracer_name, facts->tracer_major,
			facts->tracer_minor, facts->hostname, facts->machine);
	}
	fprintf(stderr,
		"events %" PRIu64 ", clock steps back %" PRIu64 ", lost events %" PRIu64 ", lost packets %" PRIu64
		", damaged streams %" PRIu64 ", bytes %" PRIu64 " of %" PRIu64 "\n",
		report.events, report.clock_steps_back, report.discarded_events, report.discarded_packets,
		report.damaged_streams, report.bytes_done, report.bytes_total);
	for (size_t index = 0; index < report.warning_count; index++)
		fprintf(stderr, "warning: %s\n", report.warnings[index]);
}

int main(int argument_count, char **arguments)
{
	int first = argument_count > 1 && strcmp(arguments[1], "-q") == 0 ? 2 : 1;
	const char *paths[64];
	size_t path_count = 0;
	for (int index = first; index < argument_count && path_count < 64; index++)
		paths[path_count++] = arguments[index];

	struct trace *trace;
	struct histree_error error = { 0 };
	enum histree_status status = trace_open(paths, path_count, &trace, &error);
	if (status == HISTREE_OK) {
		struct event event;
		trace_want_gaps(trace);
		while ((status = trace_next(trace, &event, &error)) == HISTREE_OK || status == HISTREE_NOT_FOUND)
			if (status == HISTREE_NOT_FOUND)
				usleep(10000);
			else if (first == 1)
				print_event(&event);
		print_report(trace);
		trace_close(trace);
	}
	if (status == HISTREE_END)
		return 0;
	fprintf(stderr, "trace_cat: %s\n", error.message);
	return 3;
}
