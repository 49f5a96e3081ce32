// SPDX-License-Identifier: MIT
/*
 * report.c - what the command prints on standard error, and its exit status.  Every failure is one sentence.
 */
#include "cli/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "histree/filter.h"

static const char *program = "histree";

static _Thread_local char *captured;
static _Thread_local size_t captured_size;

void report_set_program(const char *name)
{
	program = name;
}

const char *report_program(void)
{
	return program;
}

void report_capture(char *text, size_t size)
{
	captured = text;
	captured_size = size;
	if (text != NULL)
		*text = '\0';
}

/* Standard error has no buffer, so a line is one call of the stream: lines of several processes do not mix. */
static void report_arguments(const char *format, va_list arguments)
{
	char message[1024], shown[CONTROL_ESCAPE_SIZE * sizeof(message)];
	vsnprintf(message, sizeof(message), format, arguments);
	if (captured != NULL) {
		size_t used = strlen(captured);
		snprintf(captured + used, captured_size - used, "%s%s", used > 0 ? "\n" : "", message);
		return;
	}
	control_text_copy(message, shown, sizeof(shown));
	fprintf(stderr, "%s: %s\n", program, shown);
}

void report(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	report_arguments(format, arguments);
	va_end(arguments);
}

enum cli_exit report_exit(enum cli_exit code, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	report_arguments(format, arguments);
	va_end(arguments);
	return code;
}

/* Returns where the last two lines of a message begin, if they show a line of a file and a caret; else NULL. */
static char *shown_line(char *message)
{
	size_t size = strlen(message);
	char *caret = strrchr(message, '\n');
	if (caret == NULL || message[size - 1] != '^' || strspn(caret + 1, " ") + 2 != strlen(caret))
		return NULL;
	*caret = '\0';
	char *line = strrchr(message, '\n');
	*caret = '\n';
	return line != NULL && strncmp(line + 1, "  ", 2) == 0 ? line : NULL;
}

/* As report(), but the line and its caret stay lines. */
static bool report_with_line(const char *message)
{
	char copy[sizeof(((struct histree_error *)NULL)->message)];
	char sentence[CONTROL_ESCAPE_SIZE * sizeof(copy)], shown[sizeof(sentence)];
	snprintf(copy, sizeof(copy), "%s", message);
	char *line = captured == NULL ? shown_line(copy) : NULL;
	if (line == NULL)
		return false;
	char *caret = strrchr(copy, '\n');
	*line = *caret = '\0';
	control_text_copy(copy, sentence, sizeof(sentence));
	control_text_copy(line + 1, shown, sizeof(shown));
	fprintf(stderr, "%s: %s\n%s\n%s\n", program, sentence, shown, caret + 1);
	return true;
}

enum cli_exit report_error(const struct histree_error *error)
{
	if (!report_with_line(error->message))
		report("%s", error->message);
	return exit_of_status(error->status);
}

enum cli_exit report_no_memory(void)
{
	return report_exit(CLI_INTERNAL, "out of memory");
}

enum cli_exit report_none(const char *things, const char *where)
{
	char word[64];
	if (where == NULL || !histree_filter_lone_text(where, word, sizeof(word)))
		return report_exit(CLI_NOTHING, "there are no such %s", things);
	return report_exit(CLI_NOTHING,
			   "there are no such %s: '%s', which stands alone in the expression, is looked for as a "
			   "text in all of their fields; 'FIELD == %s' compares one field",
			   things, word, word);
}

static void find_name(void *context, const char *name)
{
	bool *is_named = context;
	*is_named = *is_named || strcasecmp(name, "name") == 0 || strcasecmp(name, "event") == 0;
}

enum cli_exit report_no_events(const char *where)
{
	bool is_named = false;
	if (where == NULL || histree_filter_names(where, find_name, &is_named, NULL) != HISTREE_OK || !is_named)
		return report_none("events", where);
	return report_exit(CLI_NOTHING, "there are no such events; the name of an event is its 'type', as in "
					"'type == sched_switch'");
}

enum cli_exit report_damaged_history(void)
{
	return report_exit(CLI_INPUT,
			   "the history is damaged, and what is lost is shown as unknown; 'histree verify' says "
			   "what that is, and 'histree copy --repair' makes a sound history of the rest");
}

enum cli_exit exit_of_status(enum histree_status status)
{
	switch (status) {
	case HISTREE_OK:
	case HISTREE_END:
		return CLI_OK;
	case HISTREE_NOT_FOUND:
		return CLI_NOTHING;
	case HISTREE_ERR_ARGUMENT:
	case HISTREE_ERR_QUARK:
	case HISTREE_ERR_TIME_RANGE:
		return CLI_USAGE;
	case HISTREE_PARTIAL:
	case HISTREE_ERR_IO:
	case HISTREE_ERR_FORMAT:
	case HISTREE_ERR_VERSION:
	case HISTREE_ERR_INCOMPLETE:
	case HISTREE_ERR_EXISTS:
	case HISTREE_ERR_TRACE:
	case HISTREE_ERR_CANCELLED:
		return CLI_INPUT;
	case HISTREE_ERR_MEMORY:
	case HISTREE_ERR_TIME_BACKWARDS:
	case HISTREE_ERR_TYPE:
	case HISTREE_ERR_TOO_LARGE:
	case HISTREE_ERR_CLOSED:
	case HISTREE_ERR_INTERNAL:
		break;
	}
	return CLI_INTERNAL;
}

int cli_end(struct output *output, int status)
{
	int failure = output_free(output);
	if (failure != 0)
		return report_exit(CLI_INPUT, "cannot write to standard output: %s", strerror(failure));
	return status;
}
