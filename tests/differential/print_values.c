// SPDX-License-Identifier: MIT
/*
 * print_values - print each event of a trace with all that is in its fields, one line an event:
 *
 *	TIME CPU NAME FIELD=VALUE ...
 *
 * A value is a number, a real as C's %a, a text in quotes, #BYTES in hexadecimal, {NAME=VALUE ...}, [VALUE ...],
 * or - for what is not there.  Other bytes than printable ASCII, quotes and backslashes are \xHH.
 *
 * What is found by other ways is compared on the way: numbers and texts of fields by themselves, and values by
 * their paths.  Exit 1: one of them differs, or the trace cannot be read.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

enum { PATH_SIZE = 4096, FINDS_MAX = 20 };

struct printer {
	const struct event *event;
	uint32_t field;
	char path[PATH_SIZE];
	size_t sizes[256]; /* of the path, by depth */
	unsigned finds;
	bool is_first; /* behind a bracket */
};

static void print_bytes(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char byte = (unsigned char)bytes[i];
		if (byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\')
			putchar(byte);
		else
			printf("\\x%02x", byte);
	}
}

static void print_value(const struct event_part *part)
{
	switch (part->kind) {
	case EVENT_INT:
		printf("%" PRId64, part->integer);
		break;
	case EVENT_UNSIGNED:
		printf("%" PRIu64, (uint64_t)part->integer);
		break;
	case EVENT_REAL:
		if (isnan(part->real))
			printf("nan");
		else
			printf("%a", part->real);
		break;
	case EVENT_TEXT:
		putchar('"');
		print_bytes(part->bytes, part->size);
		putchar('"');
		break;
	case EVENT_BYTES:
		putchar('#');
		for (size_t i = 0; i < part->size; i++)
			printf("%02x", (unsigned char)part->bytes[i]);
		break;
	case EVENT_STRUCTURE:
		putchar('{');
		break;
	case EVENT_ARRAY:
		putchar('[');
		break;
	case EVENT_NOTHING:
		putchar('-');
		break;
	case EVENT_END:
		break;
	}
}

static void fail(const struct printer *printer, const char *what)
{
	printf("\n%s at %" PRId64 ": %s: %s\n", printer->event->class->name, printer->event->time, printer->path,
	       what);
	fflush(stdout);
	fprintf(stderr, "print_values: %s: %s\n", printer->path, what);
	exit(1);
}

static bool is_equal(const struct event_part *one, const struct event_part *other)
{
	if (one->kind != other->kind)
		return false;
	if (one->kind == EVENT_TEXT || one->kind == EVENT_BYTES)
		return one->size == other->size && memcmp(one->bytes, other->bytes, one->size) == 0;
	return one->kind == EVENT_REAL ? memcmp(&one->real, &other->real, sizeof(one->real)) == 0
				       : one->integer == other->integer;
}

/* The whole of a field by itself. */
static void compare_field(const struct printer *printer, const struct event_part *part)
{
	int64_t number;
	const char *text;
	size_t size;
	uint32_t field = printer->field;
	bool is_number = part->kind == EVENT_INT || part->kind == EVENT_UNSIGNED;
	bool has_number = event_int(printer->event, field, &number);
	bool has_text = !has_number && event_string(printer->event, field, &text, &size);
	if (has_number && (!is_number || number != part->integer))
		fail(printer, "another number by itself");
	if (has_text && (part->kind != EVENT_TEXT || size != part->size || memcmp(text, part->bytes, size) != 0))
		fail(printer, "another text by itself");
}

static bool is_value(const struct event_part *part)
{
	return part->kind != EVENT_NOTHING && part->kind < EVENT_STRUCTURE;
}

static void extend_path(struct printer *printer, const struct event_part *part)
{
	if (part->depth >= sizeof(printer->sizes) / sizeof(printer->sizes[0]))
		fail(printer, "too deep");
	size_t used = part->depth == 0 ? 0 : printer->sizes[part->depth - 1], left = PATH_SIZE - used;
	int size = part->name == NULL
			   ? snprintf(printer->path + used, left, "[%" PRIu64 "]", part->index)
			   : snprintf(printer->path + used, left, "%s%s", part->depth > 0 ? "." : "", part->name);
	printer->sizes[part->depth] = used + (size_t)size < PATH_SIZE ? used + (size_t)size : PATH_SIZE - 1;
}

static bool print_part(void *context, const struct event_part *part)
{
	struct printer *printer = context;
	if (part->kind == EVENT_END) {
		printer->is_first = false;
		return true;
	}
	extend_path(printer, part);
	return true;
}

/* Brackets close by what was opened at a depth. */
struct output {
	struct printer printer;
	char closing[256];
};

static bool output_part(void *context, const struct event_part *part)
{
	struct output *output = context;
	struct printer *printer = &output->printer;
	print_part(printer, part);
	if (part->kind == EVENT_END) {
		putchar(output->closing[part->depth]);
		return true;
	}
	if (!printer->is_first)
		putchar(' ');
	if (part->name != NULL)
		printf("%s=", part->name);
	print_value(part);
	printer->is_first = part->kind == EVENT_STRUCTURE || part->kind == EVENT_ARRAY;
	output->closing[part->depth] = part->kind == EVENT_STRUCTURE ? '}' : ']';
	if (part->depth == 0)
		compare_field(printer, part);
	return true;
}

/* Paths of values that are wanted: found again, each is the same. */
struct finder {
	struct printer printer;
	char *paths[FINDS_MAX];
	struct event_part parts[FINDS_MAX];
	char *texts[FINDS_MAX];
};

static bool note_part(void *context, const struct event_part *part)
{
	struct finder *finder = context;
	struct printer *printer = &finder->printer;
	print_part(printer, part);
	if (!is_value(part))
		return true;
	unsigned at = printer->finds++;
	finder->paths[at] = strdup(printer->path);
	finder->parts[at] = *part;
	finder->texts[at] = NULL;
	if (part->kind == EVENT_TEXT || part->kind == EVENT_BYTES) {
		finder->texts[at] = malloc(part->size + 1);
		if (finder->texts[at] != NULL && part->size > 0)
			memcpy(finder->texts[at], part->bytes, part->size);
		finder->parts[at].bytes = finder->texts[at];
	}
	return printer->finds < FINDS_MAX;
}

static void find_again(const struct event *event, uint32_t field)
{
	struct finder finder = { .printer = { .event = event } };
	struct event_part found;
	event_visit(event, field, note_part, &finder);
	for (unsigned i = 0; i < finder.printer.finds; i++) {
		if (finder.paths[i] == NULL)
			continue;
		strcpy(finder.printer.path, finder.paths[i]);
		if (!event_find(event, finder.paths[i], &found) || !is_equal(&found, &finder.parts[i]))
			fail(&finder.printer, "not found again by its path");
		free(finder.paths[i]);
		free(finder.texts[i]);
	}
}

static void print_event(const struct event *event)
{
	const struct event_class *class = event->class;
	printf("%" PRId64 " %" PRId32 " %s", event->time, event->cpu, class->name);
	for (uint32_t field = 0; field < class->field_count; field++) {
		struct output output = { .printer = { .event = event, .field = field } };
		if (!event_visit(event, field, output_part, &output))
			fail(&output.printer, "the visit broke off");
		if (event_class_field(class, class->fields[field]) == field)
			find_again(event, field);
	}
	putchar('\n');
}

int main(int argument_count, char **arguments)
{
	struct trace *trace;
	struct histree_error error = { 0 };
	if (argument_count < 2) {
		fprintf(stderr, "usage: print_values TRACE...\n");
		return 2;
	}
	enum histree_status status =
		trace_open((const char *const *)&arguments[1], (size_t)argument_count - 1, &trace, &error);
	if (status == HISTREE_OK) {
		struct event event;
		while ((status = trace_next(trace, &event, &error)) == HISTREE_OK)
			print_event(&event);
		struct trace_report report = trace_report(trace);
		for (size_t i = 0; i < report.warning_count; i++)
			fprintf(stderr, "warning: %s\n", report.warnings[i]);
		trace_close(trace);
	}
	if (status == HISTREE_END)
		return 0;
	fprintf(stderr, "print_values: %s\n", error.message);
	return 1;
}
