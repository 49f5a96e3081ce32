// SPDX-License-Identifier: MIT
/*
 * control_flow - what a Control Flow View asks of a history, in three ways (thesis 4.8.2, table 4.3).
 *
 *	control_flow STORE [--analysis kernel-2016] [--pixels 800] [--threads 50] [--runs 10]
 *
 * PsTree	PPID and Exec_name of every thread over the whole history
 * Zoom		the Status of the visible threads, in each view of a sequence: the whole history, ten times half of
 *		it around the middle, then from the start to the end in 10 views of that last length
 *
 * full		a full query a pixel, from which the states that are wanted are picked
 * single	a single query for each state: at the next pixel that the one before does not reach, and for the
 *		PsTree at the next ns, for it shows every state
 * 2D		one query a view
 *
 * The thesis gives neither the pixels nor the threads of its view.  Its full queries of table 4.3 take 765 times
 * what one takes in table 5.1, which is where the 800 come from; the threads are spread evenly over all there are.
 * Every strategy must find the same states.  Prints TSV: mean and standard deviation of the processor time of
 * the runs, which end early once they have taken ten seconds.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/table.h"
#include "cli/bench.h"
#include "histree/store.h"

enum { ZOOMS = 10, SCROLLS = 10, VIEWS = 1 + ZOOMS + SCROLLS };

struct quarks {
	histree_quark *quarks;
	size_t count, capacity;
};

struct view {
	histree_time from, to;
};

struct control_flow {
	struct histree_history *history;
	struct histree_cursor *query;
	const struct histree_history_info *info;
	struct quarks names;  /* PPID and Exec_name, ascending */
	struct quarks status; /* of the visible threads */
	size_t pixels;
	struct view views[VIEWS];
	histree_time *times;     /* of the pixels of a view */
	histree_time *last_seen; /* by quark: the start of the state that was found last */
	uint64_t nodes;
};

/* ---- what is asked for ---------------------------------------------------------------------------------- */

static bool found(void *context, histree_quark quark)
{
	struct quarks *quarks = context;
	if (!array_reserve(&quarks->quarks, &quarks->capacity, quarks->count + 1))
		return false;
	quarks->quarks[quarks->count++] = quark;
	return true;
}

static int ascending(const void *one, const void *other)
{
	histree_quark a = *(const histree_quark *)one, b = *(const histree_quark *)other;
	return (a > b) - (a < b);
}

static enum histree_status match(const struct control_flow *flow, const char *pattern, struct quarks *quarks,
				 struct histree_error *error)
{
	enum histree_status status = histree_attributes_match(histree_history_attributes(flow->history),
							      HISTREE_ROOT, pattern, found, quarks, error);
	if (status == HISTREE_OK)
		qsort(quarks->quarks, quarks->count, sizeof(*quarks->quarks), ascending);
	return status;
}

static void keep_some(struct quarks *quarks, size_t count)
{
	if (quarks->count <= count)
		return;
	for (size_t i = 0; i < count; i++)
		quarks->quarks[i] = quarks->quarks[i * quarks->count / count];
	quarks->count = count;
}

static void choose_views(struct control_flow *flow)
{
	histree_time start = flow->info->start, length = flow->info->end - start;
	histree_time middle = start + length / 2;
	size_t i = 0;
	for (; i <= ZOOMS; i++) {
		histree_time half = (length / 2) >> i;
		flow->views[i] = (struct view){ middle - half, middle + half };
	}
	length -= flow->views[ZOOMS].to - flow->views[ZOOMS].from;
	for (size_t step = 0; step < SCROLLS; step++, i++) {
		histree_time from = start + length * (histree_time)step / (SCROLLS - 1);
		flow->views[i] = (struct view){ from, from + flow->views[ZOOMS].to - flow->views[ZOOMS].from };
	}
}

/* One time a pixel, each once; returns how many. */
static size_t choose_times(const struct control_flow *flow, const struct view *view)
{
	size_t count = 0;
	for (size_t i = 0; i < flow->pixels; i++) {
		histree_time time = view->from + (histree_time)((double)(view->to - view->from) * (double)i /
								(double)(flow->pixels - 1));
		if (count == 0 || time > flow->times[count - 1])
			flow->times[count++] = time;
	}
	return count;
}

/* ---- the three ways ------------------------------------------------------------------------------------- */

static enum histree_status ask_region(struct control_flow *flow, const struct histree_region *region,
				      struct bench_answer *answer, struct histree_error *error)
{
	struct histree_interval interval;
	enum histree_status status = histree_query_start(flow->query, region, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(flow->query, error)) == HISTREE_OK) {
		interval = *histree_cursor_interval(flow->query);
		bench_answer_add(answer, &interval);
	}
	flow->nodes += histree_cursor_statistics(flow->query).nodes_visited;
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status ask_2d(struct control_flow *flow, const struct quarks *wanted, size_t time_count,
				  struct bench_answer *answer, struct histree_error *error)
{
	const struct histree_region region = {
		.quarks = wanted->quarks,
		.quark_count = wanted->count,
		.times = flow->times,
		.time_count = time_count,
	};
	return ask_region(flow, &region, answer, error);
}

/* Every state, or, where there are times, those at one of them. */
static enum histree_status ask_single(struct control_flow *flow, const struct quarks *wanted, size_t time_count,
				      struct bench_answer *answer, struct histree_error *error)
{
	for (size_t i = 0; i < wanted->count; i++) {
		histree_time t = time_count > 0 ? flow->times[0] : flow->info->start;
		for (size_t next = 0;;) {
			struct histree_interval interval;
			enum histree_status status =
				histree_query_single(flow->query, wanted->quarks[i], t, &interval, error);
			if (status != HISTREE_OK)
				return status;
			flow->nodes += histree_cursor_statistics(flow->query).nodes_visited;
			bench_answer_add(answer, &interval);
			while (next < time_count && flow->times[next] <= interval.end)
				next++;
			if (time_count > 0 ? next == time_count : interval.end >= flow->info->end)
				break;
			t = time_count > 0 ? flow->times[next] : interval.end + 1;
		}
	}
	return HISTREE_OK;
}

static enum histree_status ask_full(struct control_flow *flow, const struct quarks *wanted, size_t time_count,
				    struct bench_answer *answer, struct histree_error *error)
{
	for (uint32_t quark = 0; quark < flow->info->attribute_count; quark++)
		flow->last_seen[quark] = INT64_MAX; /* not wanted */
	for (size_t i = 0; i < wanted->count; i++)
		flow->last_seen[wanted->quarks[i]] = INT64_MIN;
	for (size_t i = 0; i < time_count; i++) {
		const struct histree_region now = { .from = flow->times[i], .to = flow->times[i] };
		struct histree_interval interval;
		enum histree_status status = histree_query_start(flow->query, &now, error);
		while (status == HISTREE_OK) {
			status = histree_cursor_next(flow->query, error);
			if (status == HISTREE_OK)
				interval = *histree_cursor_interval(flow->query);
			if (status != HISTREE_OK || flow->last_seen[interval.quark] >= interval.start)
				continue;
			flow->last_seen[interval.quark] = interval.start;
			bench_answer_add(answer, &interval);
		}
		flow->nodes += histree_cursor_statistics(flow->query).nodes_visited;
		if (status != HISTREE_END)
			return status;
	}
	return HISTREE_OK;
}

typedef enum histree_status asker(struct control_flow *flow, const struct quarks *wanted, size_t time_count,
				  struct bench_answer *answer, struct histree_error *error);

/* ---- the two sequences ------------------------------------------------------------------------------------ */

/* Every state, but for the full queries, which see what there is at a pixel. */
static enum histree_status ask_process_tree(struct control_flow *flow, asker *ask, struct bench_answer *answer,
					    struct histree_error *error)
{
	if (ask == ask_full) {
		const struct view all = { flow->info->start, flow->info->end };
		return ask_full(flow, &flow->names, choose_times(flow, &all), answer, error);
	}
	if (ask == ask_single)
		return ask_single(flow, &flow->names, 0, answer, error);
	const struct histree_region all = {
		.quarks = flow->names.quarks,
		.quark_count = flow->names.count,
		.from = flow->info->start,
		.to = flow->info->end,
	};
	return ask_region(flow, &all, answer, error);
}

static enum histree_status ask_zooms(struct control_flow *flow, asker *ask, struct bench_answer *answer,
				     struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < VIEWS && status == HISTREE_OK; i++)
		status = ask(flow, &flow->status, choose_times(flow, &flow->views[i]), answer, error);
	return status;
}

typedef enum histree_status sequence(struct control_flow *flow, asker *ask, struct bench_answer *answer,
				     struct histree_error *error);

/* ---- measuring -------------------------------------------------------------------------------------------- */

static enum histree_status measure(struct control_flow *flow, const char *name, sequence *run, const char *way,
				   asker *ask, int runs, struct bench_answer *answer, struct histree_error *error)
{
	double sum = 0, squares = 0;
	int done = 0;
	for (; done < runs && sum * 1e6 < (double)BENCH_SHAPE_NS; done++) {
		*answer = (struct bench_answer){ 0 };
		flow->nodes = 0;
		int64_t begun = bench_processor_time();
		enum histree_status status = run(flow, ask, answer, error);
		if (status != HISTREE_OK)
			return status;
		double ms = (double)(bench_processor_time() - begun) / 1e6;
		sum += ms;
		squares += ms * ms;
	}
	double mean = sum / done, variance = done > 1 ? (squares - sum * mean) / (done - 1) : 0;
	printf("%s\t%s\t%s\t%d\t%.3f\t%.3f\t%" PRIu64 "\t%" PRIu64 "\n", flow->info->variant, name, way, done, mean,
	       sqrt(variance > 0 ? variance : 0), answer->intervals, flow->nodes);
	fflush(stdout);
	return HISTREE_OK;
}

/* All ways; false if they do not agree.  The full queries of the PsTree see less, so nothing is said of them. */
static enum histree_status measure_all(struct control_flow *flow, int runs, bool *agree,
				       struct histree_error *error)
{
	static const struct {
		const char *name;
		sequence *run;
	} sequences[] = { { "PsTree", ask_process_tree }, { "Zoom", ask_zooms } };
	static const struct {
		const char *name;
		asker *ask;
	} ways[] = { { "full", ask_full }, { "single", ask_single }, { "2D", ask_2d } };
	*agree = true;
	printf("variant\tsequence\tstrategy\truns\tmean_ms\tsd_ms\tintervals\tnodes_visited\n");
	for (int i = 0; i < 2; i++) {
		struct bench_answer answers[3];
		for (int way = 0; way < 3; way++) {
			enum histree_status status =
				measure(flow, sequences[i].name, sequences[i].run, ways[way].name, ways[way].ask,
					runs, &answers[way], error);
			if (status != HISTREE_OK)
				return status;
		}
		*agree = *agree && answers[1].sum == answers[2].sum &&
			 (sequences[i].run == ask_process_tree || answers[0].sum == answers[2].sum);
	}
	return HISTREE_OK;
}

/* ------------------------------------------------------------------------------------------------------------ */

static enum histree_status prepare(struct control_flow *flow, size_t threads, struct histree_error *error)
{
	flow->info = histree_history_info(flow->history);
	flow->times = malloc(flow->pixels * sizeof(*flow->times));
	flow->last_seen = malloc(flow->info->attribute_count * sizeof(*flow->last_seen));
	if (flow->times == NULL || flow->last_seen == NULL)
		return HISTREE_ERR_MEMORY;
	choose_views(flow);
	enum histree_status status = histree_query_create(flow->history, &flow->query, error);
	if (status == HISTREE_OK)
		status = match(flow, "Threads/*/PPID", &flow->names, error);
	if (status == HISTREE_OK)
		status = match(flow, "Threads/*/Exec_name", &flow->names, error);
	if (status == HISTREE_OK)
		status = match(flow, "Threads/*/Status", &flow->status, error);
	keep_some(&flow->status, threads);
	return status;
}

static void control_flow_release(struct control_flow *flow)
{
	free(flow->names.quarks);
	free(flow->status.quarks);
	free(flow->times);
	free(flow->last_seen);
	histree_cursor_free(flow->query);
	histree_history_close(flow->history);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "analysis", required_argument, NULL, 'a' },
		{ "pixels", required_argument, NULL, 'p' },
		{ "threads", required_argument, NULL, 't' },
		{ "runs", required_argument, NULL, 'r' },
		{ 0 },
	};
	struct control_flow flow = { .pixels = 800 };
	const char *analysis = "kernel-2016";
	size_t threads = 50;
	int runs = 10, code = 3;
	for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (option == 'a')
			analysis = optarg;
		else if (option == 'p')
			flow.pixels = strtoul(optarg, NULL, 10);
		else if (option == 't')
			threads = strtoul(optarg, NULL, 10);
		else if (option == 'r')
			runs = atoi(optarg);
		else
			argc = 0;
	}
	if (optind + 1 != argc || flow.pixels < 2 || threads < 1 || runs < 1) {
		fprintf(stderr,
			"usage: control_flow [OPTION]... STORE, as the head of bench/control_flow.c says\n");
		return 2;
	}
	struct histree_error error = { 0 };
	struct histree_store *store = NULL;
	bool agree = false;
	enum histree_status status = histree_store_open(argv[optind], &store, &error);
	if (status == HISTREE_OK)
		status = histree_store_history(store, analysis, true, NULL, &flow.history, &error);
	if (status == HISTREE_OK)
		status = prepare(&flow, threads, &error);
	if (status == HISTREE_OK)
		status = measure_all(&flow, runs, &agree, &error);
	if (status != HISTREE_OK)
		fprintf(stderr, "control_flow: %s\n", error.message);
	else if (!agree)
		fprintf(stderr, "control_flow: the strategies found different states\n");
	else
		code = 0;
	control_flow_release(&flow);
	histree_store_close(store);
	return code;
}
