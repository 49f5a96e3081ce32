/* SPDX-License-Identifier: MIT */
/*
 * report.h - what the command prints on standard error, and its exit status.
 */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include <stddef.h>

#include "histree/status.h"

struct output;

/* The exit status.  Scripts rely on these numbers. */
enum cli_exit {
	CLI_OK = 0,
	CLI_NOTHING = 1,  /* nothing found, or verify found damage */
	CLI_USAGE = 2,    /* the command line is wrong */
	CLI_INPUT = 3,    /* input or output failed, or some of the input could not be read */
	CLI_INTERNAL = 4, /* no memory, or an error of our own */
};

/* What the command is called in messages and in its help, in place of "histree"; borrowed. */
void report_set_program(const char *name);
const char *report_program(void);

/*
 * From now on the calling thread's messages go into `text`, a line each, cut where it is full, instead of standard
 * error; NULL ends that.  The text is always terminated.
 */
void report_capture(char *text, size_t size);

/* Prints "histree: " and the message, one line. */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Reports that there are no such `things`, "segments"; and if an expression, or NULL, is a text by itself, that
 * this text was searched for.  Returns CLI_NOTHING.
 */
enum cli_exit report_none(const char *things, const char *where);

/* So for events, of which an expression may have meant the name: their type; `name` is that of a thread. */
enum cli_exit report_no_events(const char *where);

/* Prints a message and returns `code`: `return report_exit(CLI_USAGE, ...)`. */
enum cli_exit report_exit(enum cli_exit code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the message of an error of the library.  Returns the exit status that belongs to it. */
enum cli_exit report_error(const struct histree_error *error);

enum cli_exit report_no_memory(void);

/* Says that a history is damaged, which the rows of an answer show as unknown.  Returns CLI_INPUT. */
enum cli_exit report_damaged_history(void);

/* Returns the exit status that belongs to a status of the library. */
enum cli_exit exit_of_status(enum histree_status status);

/*
 * Flushes and frees the output, and reports on standard error if that failed.  Returns `status`, or CLI_INPUT then.
 */
int cli_end(struct output *output, int status);

#endif
