// SPDX-License-Identifier: MIT
/*
 * print_events.c - every event of a trace with every field, and every gap, a line each, as walk_recording.py prints
 * them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/trace.h"

static void print_text(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)text[i];
		bool is_plain = byte > ' ' && byte < 0x7f && byte != '\\';
		printf(is_plain ? "%c" : "\\%02x", byte);
	}
}

/* What is inside of a field: "{ a:1 b:[ 2 3 } }". */
static bool print_part(void *context, const struct event_part *part)
{
	(void)context;
	if (part->depth > 0 || part->kind == EVENT_END)
		putchar(' ');
	if (part->depth > 0 && part->kind != EVENT_END && part->name != NULL) {
		print_text(part->name, strlen(part->name));
		putchar(':');
	}
	switch (part->kind) {
	case EVENT_INT:
		printf("%" PRId64, part->integer);
		break;
	case EVENT_UNSIGNED:
		printf("%" PRIu64, (uint64_t)part->integer);
		break;
	case EVENT_REAL:
		printf("%.17g", part->real);
		break;
	case EVENT_TEXT:
		putchar('\'');
		print_text(part->bytes, part->size);
		break;
	case EVENT_BYTES:
		putchar('#');
		for (size_t i = 0; i < part->size; i++)
			printf("%02x", (unsigned char)part->bytes[i]);
		break;
	case EVENT_STRUCTURE:
	case EVENT_ARRAY:
		putchar(part->kind == EVENT_STRUCTURE ? '{' : '[');
		break;
	case EVENT_END:
		putchar('}');
		break;
	default:
		break;
	}
	return true;
}

static void print_event(const struct event *event)
{
	printf("%" PRId64 " %" PRId32 " %s", event->time, event->cpu, event->class->name);
	for (uint32_t field = 0; field < event->class->field_count; field++) {
		int64_t number;
		const char *text;
		size_t size;
		printf(" %s=", event->class->fields[field]);
		if (event_int_as_written(event, field, &number)) {
			printf("%" PRId64, number);
		} else if (event_string(event, field, &text, &size)) {
			putchar('\'');
			print_text(text, size);
		} else if (event->class->trace->visit != NULL) {
			event_visit(event, field, print_part, NULL);
		}
	}
	putchar('\n');
}

int main(int count, char **paths)
{
	struct trace *trace;
	struct event event;
	struct histree_error error = { 0 };
	enum histree_status status;
	if (trace_open((const char *const *)paths + 1, (size_t)count - 1, &trace, &error) != HISTREE_OK) {
		fprintf(stderr, "%s\n", error.message);
		return 3;
	}
	trace_want_gaps(trace);
	while ((status = trace_next(trace, &event, &error)) == HISTREE_OK) {
		if (event.gap == NULL)
			print_event(&event);
		else
			printf("%" PRId64 " %" PRId32 " gap %" PRId64 " %" PRIu64 "\n", event.time, event.cpu,
			       event.gap->end, event.gap->events);
	}
	struct trace_report report = trace_report(trace);
	for (size_t i = 0; i < report.warning_count; i++)
		fprintf(stderr, "%s\n", report.warnings[i]);
	trace_close(trace);
	return status == HISTREE_END ? 0 : 4;
}
