// SPDX-License-Identifier: MIT
/*
 * oracle_states - run an analysis over a real trace and compare every interval with an expected history.
 *
 *	oracle_states ANALYSIS TRACE EXPECTED DIFFERENCES
 *
 * TRACE and EXPECTED are relative to $HISTREE_SHARED.  EXPECTED is a gzipped TSV file, made by Trace Compass:
 * path, start, end, type, value, sorted by path as bytes, then by start.  Exit: 0 if so many lines differ, 1 if
 * not, 77 if there is nothing to compare with.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state/state_system.h"
#include "support/analysis_feed.h"
#include "support/data.h"
#include "support/recorded_history.h"
#include "trace/trace.h"

enum { EXIT_SKIPPED = 77, DIFFERENCES_SHOWN = 10, LINE_SIZE_MAX = 8192 };

static const struct analysis *const analyses[] = { &analysis_kernel, &analysis_kernel_tc, &analysis_kernel_2016,
						   &analysis_ust_calls };

static const struct analysis *find_analysis(const char *name)
{
	for (size_t i = 0; i < sizeof(analyses) / sizeof(analyses[0]); i++)
		if (strcmp(analyses[i]->name, name) == 0)
			return analyses[i];
	return NULL;
}

static void must(enum histree_status status, const struct histree_error *error, const char *what)
{
	if (status == HISTREE_OK)
		return;
	fprintf(stderr, "%s: %s\n", what, error->message);
	exit(1);
}

/* ---- run ---------------------------------------------------------------------------------------------- */

static void run(const struct analysis *analysis, struct trace *trace, struct recorded_history *history)
{
	struct histree_error error = { 0 };
	struct histree_state_system *system = NULL;
	struct analysis_inputs inputs = { 0 };
	void *instance = NULL;
	struct event event;
	histree_time end = 0;
	uint64_t count = 0;
	enum histree_status status;
	while ((status = trace_next(trace, &event, &error)) == HISTREE_OK) {
		if (system == NULL) {
			struct interval_sink sink = recorded_history_sink(history);
			must(state_system_create(event.time, &sink, &system, &error), &error, "state system");
			must(feed_create(&inputs, analysis, system, &instance, &error), &error, "analysis");
		}
		must(feed_event(&inputs, analysis, instance, &event, &error), &error, "event");
		end = event.time > end ? event.time : end;
		count++;
	}
	if (status != HISTREE_END || system == NULL) {
		fprintf(stderr, "trace: %s\n", status == HISTREE_END ? "no events" : error.message);
		exit(1);
	}
	must(histree_state_close(system, end, &error), &error, "close");
	printf("%" PRIu64 " events, %" PRIu64 " refused, %" PRIu32 " attributes, %zu intervals\n", count,
	       analysis->refused(instance), history->attribute_count, history->count);
	if (analysis->refused(instance) != 0)
		exit(1);
	analysis->free(instance);
	analysis_inputs_release(&inputs);
	histree_state_free(system);
}

/* ---- order by path ------------------------------------------------------------------------------------ */

static int by_path(const void *a, const void *b, void *context)
{
	const struct recorded_history *history = context;
	return strcmp(history->paths[*(const histree_quark *)a], history->paths[*(const histree_quark *)b]);
}

/* A counting sort by the rank of the path: the order of time within an attribute stays. */
static const struct recorded_interval **sorted_intervals(struct recorded_history *history)
{
	size_t attributes = history->attribute_count;
	histree_quark *order = calloc(attributes + 1, sizeof(*order));
	size_t *next = calloc(attributes + 1, sizeof(*next));
	const struct recorded_interval **sorted =
		calloc(history->count + 1, sizeof(const struct recorded_interval *));
	if (order == NULL || next == NULL || sorted == NULL)
		abort();
	for (size_t i = 0; i < history->count; i++)
		next[history->intervals[i].quark]++;
	for (histree_quark quark = 0; quark < attributes; quark++)
		order[quark] = quark;
	qsort_r(order, attributes, sizeof(*order), by_path, history);
	size_t before = 0;
	for (size_t rank = 0; rank < attributes; rank++) {
		size_t count = next[order[rank]];
		next[order[rank]] = before;
		before += count;
	}
	for (size_t i = 0; i < history->count; i++)
		sorted[next[history->intervals[i].quark]++] = &history->intervals[i];
	free(order);
	free(next);
	return sorted;
}

/* ---- compare ------------------------------------------------------------------------------------------ */

static FILE *open_expected(const char *path)
{
	char command[PATH_MAX + 32];
	snprintf(command, sizeof(command), "gzip -dc '%s'", path);
	return popen(command, "r");
}

static const char *interval_line(const struct recorded_history *history, const struct recorded_interval *interval,
				 char line[static LINE_SIZE_MAX])
{
	snprintf(line, LINE_SIZE_MAX, "%s\t%" PRId64 "\t%" PRId64 "\t%s\t%s\n", history->paths[interval->quark],
		 interval->start, interval->end, histree_type_name(interval->type), interval->value);
	return line;
}

/*
 * Both are in the same order, so that the smaller line of two that differ is the one that the other side
 * lacks; but intervals of one attribute with other bounds pair up as they come.
 */
static uint64_t compare(struct recorded_history *history, FILE *expected)
{
	const struct recorded_interval **sorted = sorted_intervals(history);
	char ours[LINE_SIZE_MAX], theirs[LINE_SIZE_MAX];
	uint64_t differences = 0;
	size_t i = 0;
	bool more = fgets(theirs, sizeof(theirs), expected) != NULL;
	while (more || i < history->count) {
		bool have = i < history->count;
		if (have)
			interval_line(history, sorted[i], ours);
		int order = !more ? -1 : !have ? 1 : strcmp(ours, theirs);
		if (order != 0 && differences++ < DIFFERENCES_SHOWN)
			printf("%s %s",
			       order < 0 ? "only here:     " : "only expected: ", order < 0 ? ours : theirs);
		if (order <= 0)
			i++;
		if (order >= 0)
			more = fgets(theirs, sizeof(theirs), expected) != NULL;
	}
	free(sorted);
	return differences;
}

int main(int argc, char **argv)
{
	if (argc != 5) {
		fprintf(stderr, "usage: %s ANALYSIS TRACE EXPECTED DIFFERENCES\n", argv[0]);
		return 2;
	}
	char trace_path[DATA_PATH_SIZE], expected_path[DATA_PATH_SIZE];
	if (!shared_path(trace_path, argv[2]) || !shared_path(expected_path, argv[3])) {
		fprintf(stderr, "'%s' or '%s' is not there\n", trace_path, expected_path);
		return EXIT_SKIPPED;
	}

	const struct analysis *analysis = find_analysis(argv[1]);
	struct recorded_history history = { 0 };
	struct histree_error error = { 0 };
	struct trace *trace;
	must(trace_open((const char *const[]){ trace_path }, 1, &trace, &error), &error, trace_path);
	if (analysis == NULL || !analysis->applies(trace_at(trace, 0))) {
		fprintf(stderr, "no analysis '%s' for this trace\n", argv[1]);
		return 1;
	}
	run(analysis, trace, &history);
	trace_close(trace);

	FILE *expected = open_expected(expected_path);
	if (expected == NULL)
		return 1;
	uint64_t differences = compare(&history, expected);
	if (pclose(expected) != 0) {
		fprintf(stderr, "'%s' could not be read to its end\n", expected_path);
		differences++;
	}
	printf("%" PRIu64 " differences\n", differences);
	recorded_history_release(&history);
	return differences == strtoull(argv[4], NULL, 10) ? 0 : 1;
}
