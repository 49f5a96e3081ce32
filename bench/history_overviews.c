// SPDX-License-Identifier: MIT
/*
 * history_overviews - what numbers and rows over ranges of a history cost without overviews and with them.
 *
 *	history_overviews HISTORY			a history that there is; its overviews are made again
 *	history_overviews HISTORY ATTRIBUTES STATES	makes it first: counters that change in turn, 20 us apart
 *	history_overviews HISTORY ATTRIBUTES STATES doubles
 *
 * Overviews are made whether they pay or not, of 15 % of the bytes at most.  Prints TSV: of the history and its
 * overviews bytes and the processor time of making them, s; then of each answer, over ranges of several lengths,
 * its processor time without overviews and with them, us: numbers of one attribute, the mean of many ranges and of
 * the attributes with most states; rows of 32 of them, 1,228 pixels wide.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "histree/histree.h"
#include "overview/overview_writer.h"

enum { SPACING = 20000, ROWS = 32, PIXELS = 1228, BUSIEST = 32 };

struct asked {
	struct histree_history *history;
	struct histree_cursor *query;
	struct histree_cursor *rows;
};

static double now_us(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void check(enum histree_status status, const struct histree_error *error)
{
	if (status == HISTREE_OK)
		return;
	fprintf(stderr, "history_overviews: %s\n", error->message);
	exit(1);
}

/* ---- a history ------------------------------------------------------------------------------------------- */

static void make_counters(const char *path, uint64_t attributes, uint64_t states, bool doubles)
{
	const struct histree_history_options options = { .path = path, .provider = "bench" };
	struct histree_state_system *system;
	struct histree_error error;
	struct random random = { 1 };
	histree_quark *quarks = calloc(attributes, sizeof(*quarks));
	int64_t *values = calloc(attributes, sizeof(*values));
	if (quarks == NULL || values == NULL)
		exit(1);
	unlink(path);
	double before = now_us();
	check(histree_state_create(&options, &system, &error), &error);
	for (uint64_t i = 0; i < attributes; i++) {
		char name[32];
		snprintf(name, sizeof(name), "counter_%" PRIu64, i);
		check(histree_state_attribute(system, HISTREE_ROOT, name, &quarks[i], &error), &error);
	}
	histree_time now = 0;
	for (uint64_t i = 0; i < attributes * states; i++) {
		uint64_t at = i % attributes;
		now += 1 + (histree_time)random_below(&random, 2 * SPACING / attributes + 1);
		values[at] += (int64_t)random_below(&random, 4096) - 1800;
		struct histree_value value =
			doubles ? histree_double((double)values[at] / 10) : histree_long(values[at]);
		check(histree_state_modify(system, now, quarks[at], value, &error), &error);
	}
	check(histree_state_close(system, now, &error), &error);
	histree_state_free(system);
	printf("building\t%.2f s\n", (now_us() - before) / 1e6);
	free(quarks);
	free(values);
}

/* ---- answers --------------------------------------------------------------------------------------------- */

static void open_asked(struct asked *asked, const char *path, bool no_overviews)
{
	const struct histree_open_options options = { .no_overviews = no_overviews };
	struct histree_error error;
	check(histree_history_open(path, &options, &asked->history, &error), &error);
	check(histree_query_create(asked->history, &asked->query, &error), &error);
	check(histree_rows_create(asked->history, &asked->rows, &error), &error);
}

static void close_asked(struct asked *asked)
{
	histree_cursor_free(asked->rows);
	histree_cursor_free(asked->query);
	histree_history_close(asked->history);
}

/* Each of the attributes in turn, over ranges of that part of the whole. */
static double time_numbers(struct asked *asked, const histree_quark *quarks, size_t count, uint64_t part)
{
	const struct histree_history_info *info = histree_history_info(asked->history);
	uint64_t whole = (uint64_t)info->end - (uint64_t)info->start, length = whole / part;
	struct random random = { part };
	struct histree_error error;
	struct histree_numbers numbers;
	double before = now_us();
	unsigned asks = 0;
	/* Once, so that the nodes are in memory as for a viewer that asks again. */
	for (unsigned round = 0; round < 5000 && (round < 2 * count || now_us() - before < 3e5); round++) {
		if (round == count)
			before = now_us(), asks = 0;
		uint64_t from = whole == length ? 0 : random_below(&random, whole - length);
		check(histree_lookup_numbers(
			      asked->query, quarks[round % count], (histree_time)((uint64_t)info->start + from),
			      (histree_time)((uint64_t)info->start + from + length), &numbers, &error),
		      &error);
		asks++;
	}
	return (now_us() - before) / asks;
}

static double time_rows(struct asked *asked, const histree_quark *quarks, size_t count, uint64_t part)
{
	const struct histree_history_info *info = histree_history_info(asked->history);
	uint64_t whole = (uint64_t)info->end - (uint64_t)info->start, length = whole / part;
	struct histree_error error;
	double before = 0;
	unsigned asks = 0;
	for (unsigned round = 0; round < 200 && (round < 3 || now_us() - before < 3e5); round++) {
		if (round <= 1)
			before = now_us(), asks = 0;
		histree_time from = info->start + (histree_time)((whole - length) / 3);
		const struct histree_rows_request request = { .quarks = quarks,
							      .quark_count = count,
							      .from = from,
							      .to = from + (histree_time)length,
							      .pixels = PIXELS };
		check(histree_rows_start(asked->rows, &request, &error), &error);
		enum histree_status status;
		while ((status = histree_cursor_next(asked->rows, &error)) == HISTREE_OK)
			;
		check(status == HISTREE_END ? HISTREE_OK : status, &error);
		asks++;
	}
	return (now_us() - before) / asks;
}

/* ---------------------------------------------------------------------------------------------------------- */

static size_t choose_busiest(struct histree_cursor *query, histree_quark *out, uint64_t *states)
{
	const struct histree_history_info *info = histree_history_info(histree_query_history(query));
	const struct histree_region all = { .from = info->start, .to = info->end };
	uint64_t *counts = calloc((size_t)info->attribute_count + 1, sizeof(*counts));
	struct histree_error error;
	size_t count = 0;
	if (counts == NULL)
		exit(EXIT_FAILURE);
	check(histree_query_start(query, &all, &error), &error);
	while (histree_cursor_next(query, &error) == HISTREE_OK)
		counts[histree_cursor_interval(query)->quark]++;
	for (; count < BUSIEST && count < info->attribute_count; count++) {
		histree_quark most = 0;
		for (histree_quark quark = 0; quark < info->attribute_count; quark++)
			if (counts[quark] > counts[most])
				most = quark;
		*states = counts[most];
		counts[most] = 0;
		out[count] = most;
	}
	free(counts);
	return count;
}

static void compare(const char *path)
{
	static const uint64_t parts[] = { 1, 3, 30, 300, 3000 };
	struct asked with, without;
	histree_quark quarks[BUSIEST];
	uint64_t states = 0;
	open_asked(&with, path, false);
	open_asked(&without, path, true);
	size_t count = choose_busiest(without.query, quarks, &states);
	const struct histree_history_info *info = histree_history_info(with.history);
	printf("history\t%" PRIu64 " states\t%" PRIu64 " bytes\n", info->interval_count, info->file_bytes);
	printf("%u overviews\t%" PRIu64 " bytes\t%.1f %%\n", info->overview_count, info->overview_bytes,
	       100 * (double)info->overview_bytes / (double)info->file_bytes);
	printf("of %zu attributes of %" PRIu64 " states or more\tpart\twithout\twith\tus\n", count, states);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		printf("numbers\t1/%" PRIu64 "\t%.1f\t%.1f\n", parts[i],
		       time_numbers(&without, quarks, count, parts[i]),
		       time_numbers(&with, quarks, count, parts[i]));
	for (size_t i = 0; i < 3; i++)
		printf("rows\t1/%" PRIu64 "\t%.0f\t%.0f\n", parts[i], time_rows(&without, quarks, count, parts[i]),
		       time_rows(&with, quarks, count, parts[i]));
	close_asked(&with);
	close_asked(&without);
}

int main(int argc, char **argv)
{
	struct histree_error error;
	const struct overview_options options = { .history_states_min = 1, .number_states_min = 1024 };
	if (argc != 2 && argc != 4 && argc != 5) {
		fprintf(stderr, "usage: history_overviews HISTORY [ATTRIBUTES STATES [doubles]]\n");
		return 2;
	}
	if (argc > 2)
		make_counters(argv[1], strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), argc == 5);
	double before = now_us();
	check(overviews_write(&io_posix, argv[1], &options, &error), &error);
	printf("making overviews\t%.3f s\n", (now_us() - before) / 1e6);
	compare(argv[1]);
	return 0;
}
