// SPDX-License-Identifier: MIT
/*
 * events.c - what events cost: decoding alone, and any event of a store by number or by time.
 *
 *	events decode TRACE...			events, seconds of processor time, MiB at most
 *	events seek STORE [COUNT [SEED]]	microseconds: median, 95 of 100, greatest
 *
 * The second one has a line for places by number and one for those by time, warm; tabs separate the numbers.
 * Decoding opens the trace, merges its streams and reads each event up to its last byte, as `babeltrace2 -o dummy`
 * does; nobody asks for a field.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/hash_index.h"
#include "histree/events.h"
#include "trace/trace.h"

enum { WARM_SEEKS = 20 };

static int failed(const struct histree_error *error)
{
	fprintf(stderr, "events: %s\n", error->message);
	return 1;
}

static int decode(const char *const *paths, size_t count)
{
	struct trace *trace;
	struct histree_error error = { 0 };
	struct rusage used;
	struct event event;
	uint64_t events = 0;
	enum histree_status status = trace_open(paths, count, &trace, &error);
	while (status == HISTREE_OK && (status = trace_next(trace, &event, &error)) == HISTREE_OK)
		events++;
	if (status != HISTREE_END)
		return failed(&error);
	trace_close(trace);
	getrusage(RUSAGE_SELF, &used);
	double seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
			 (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
	printf("%" PRIu64 "\t%.4f\t%.1f\n", events, seconds, (double)used.ru_maxrss / 1024);
	return 0;
}

/* Processor time: others may be on the machine. */
static double now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int compare_times(const void *a, const void *b)
{
	const double *first = a, *second = b;
	return (*first > *second) - (*first < *second);
}

static void print_times(const char *what, double *times, size_t count)
{
	qsort(times, count, sizeof(*times), compare_times);
	printf("%s\t%.1f\t%.1f\t%.1f\n", what, times[count / 2], times[count * 95 / 100], times[count - 1]);
}

/* One event, as a user would ask for it: by its number, or the first at or after a time. */
static enum histree_status ask(struct histree_cursor *reader, bool by_time, uint64_t number, histree_time time,
			       struct histree_event *event, struct histree_error *error)
{
	enum histree_status status = by_time ? histree_event_reader_find(reader, time, &number, error) : HISTREE_OK;
	if (status == HISTREE_OK)
		status = histree_event_reader_seek(reader, number, error);
	if (status == HISTREE_OK)
		status = histree_cursor_next(reader, error);
	if (status == HISTREE_OK)
		*event = *histree_cursor_event(reader);
	return status;
}

static enum histree_status seek_all(struct histree_cursor *reader, uint64_t events, size_t count, uint64_t seed,
				    double *times, struct histree_error *error)
{
	struct random random = { .state = seed };
	struct histree_event first, last, event;
	enum histree_status status = ask(reader, false, 0, 0, &first, error);
	if (status == HISTREE_OK)
		status = ask(reader, false, events - 1, 0, &last, error);
	for (int by_time = 0; by_time < 2 && status == HISTREE_OK; by_time++) {
		for (size_t i = 0; i < count + WARM_SEEKS && status == HISTREE_OK; i++) {
			uint64_t number = random_below(&random, events);
			histree_time time = first.time +
					    (histree_time)random_below(&random, (uint64_t)(last.time - first.time));
			double begin = now_us();
			status = ask(reader, by_time != 0, number, time, &event, error);
			if (i >= WARM_SEEKS)
				times[i - WARM_SEEKS] = now_us() - begin;
		}
		if (status == HISTREE_OK)
			print_times(by_time ? "by time" : "by number", times, count);
	}
	return status;
}

static int seek(const char *path, size_t count, uint64_t seed)
{
	struct histree_error error = { 0 };
	struct histree_store *store = NULL;
	struct histree_events *events = NULL;
	struct histree_cursor *reader = NULL;
	double *times = calloc(count + 1, sizeof(*times));
	enum histree_status status = histree_store_open(path, &store, &error);
	if (status == HISTREE_OK)
		status = histree_events_open(store, &events, &error);
	if (status == HISTREE_OK)
		status = histree_event_reader_create(events, &reader, &error);
	if (status == HISTREE_OK && times != NULL)
		status = seek_all(reader, histree_events_count(events), count, seed, times, &error);
	histree_cursor_free(reader);
	histree_events_close(events);
	histree_store_close(store);
	free(times);
	return status == HISTREE_OK ? 0 : failed(&error);
}

int main(int argument_count, char **arguments)
{
	if (argument_count >= 3 && strcmp(arguments[1], "decode") == 0)
		return decode((const char *const *)&arguments[2], (size_t)argument_count - 2);
	if (argument_count >= 3 && strcmp(arguments[1], "seek") == 0)
		return seek(arguments[2], argument_count > 3 ? strtoull(arguments[3], NULL, 10) : 1000,
			    argument_count > 4 ? strtoull(arguments[4], NULL, 10) : 1);
	fprintf(stderr, "usage: events decode TRACE... | events seek STORE [COUNT [SEED]]\n");
	return 2;
}
