// SPDX-License-Identifier: MIT
/*
 * views - what a view of a kernel trace costs: its models, and a screen of rows.
 *
 *	views HISTORY [--threads 50] [--pixels 1500] [--runs 10]
 *
 * HISTORY is the file kernel.sht of a store.  Cold: the file is dropped from the page cache and opened anew before
 * each run; warm: the same again.  Prints TSV: least and mean wall time of the runs in ms, and the least processor
 * time, which says more where others are busy too.
 */
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "histree/histree.h"
#include "view/view.h"

struct views {
	const char *path;
	uint32_t threads, pixels;
	struct histree_history *history;
	struct histree_control_flow *flow;
	uint64_t found; /* so that nothing is left out by the compiler, and for people */
};

typedef enum histree_status measured(struct views *views, struct histree_error *error);

static double now_ms(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static enum histree_status make_control_flow(struct views *views, struct histree_error *error)
{
	uint32_t count = 0;
	histree_control_flow_free(views->flow);
	enum histree_status status =
		histree_control_flow_create(views->history, (struct histree_work){ 0 }, &views->flow, error);
	if (status == HISTREE_OK)
		histree_control_flow_threads(views->flow, &count);
	views->found = count;
	return status;
}

/* The screen in the middle of the tree, or spread over all of it. */
static enum histree_status make_screen(struct views *views, bool spread, enum histree_rows_shape shape,
				       struct histree_error *error)
{
	uint32_t all;
	const struct histree_thread *list = histree_control_flow_threads(views->flow, &all);
	uint32_t count = views->threads < all ? views->threads : all;
	const struct histree_history_info *info = histree_history_info(views->history);
	histree_quark *quarks = malloc((count + 1) * sizeof(*quarks));
	struct histree_cursor *rows = NULL;
	enum histree_status status =
		quarks == NULL ? HISTREE_ERR_MEMORY : histree_rows_create(views->history, &rows, error);
	for (uint32_t i = 0; i < count && status == HISTREE_OK; i++)
		quarks[i] = list[spread ? (uint64_t)i * all / count : (all - count) / 2 + i].status;
	const struct histree_rows_request request = { .quarks = quarks,
						      .quark_count = count,
						      .from = info->start,
						      .to = info->end,
						      .pixels = views->pixels,
						      .shape = shape };
	if (status == HISTREE_OK)
		status = histree_rows_start(rows, &request, error);
	struct histree_row row;
	views->found = 0;
	while (status == HISTREE_OK && (status = histree_cursor_next(rows, error)) == HISTREE_OK) {
		row = *histree_cursor_row(rows);
		views->found += shape == HISTREE_ROWS_STATES ? row.state_count : views->pixels;
	}
	histree_cursor_free(rows);
	free(quarks);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status make_window(struct views *views, struct histree_error *error)
{
	return make_screen(views, false, HISTREE_ROWS_CELLS, error);
}

static enum histree_status make_spread(struct views *views, struct histree_error *error)
{
	return make_screen(views, true, HISTREE_ROWS_CELLS, error);
}

static enum histree_status make_states(struct views *views, struct histree_error *error)
{
	return make_screen(views, true, HISTREE_ROWS_STATES, error);
}

static enum histree_status make_usage(struct views *views, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(views->history);
	struct histree_cpu_usage *usage;
	size_t count = 0;
	enum histree_status status =
		histree_cpu_usage_create(views->history,
					 &(struct histree_cpu_usage_request){
						 .from = info->start, .to = info->end, .pixels = views->pixels },
					 &usage, error);
	if (status == HISTREE_OK)
		histree_cpu_usage_times(usage, &count);
	views->found = count;
	histree_cpu_usage_free(usage);
	return status;
}

static enum histree_status make_density(struct views *views, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(views->history);
	uint64_t *counts = malloc(views->pixels * sizeof(*counts));
	enum histree_status status =
		counts == NULL ? HISTREE_ERR_MEMORY
			       : histree_density(views->history, info->start, info->end, views->pixels,
						 (struct histree_work){ 0 }, counts, error);
	views->found = 0;
	for (uint32_t i = 0; i < views->pixels && status == HISTREE_OK; i++)
		views->found += counts[i];
	free(counts);
	return status;
}

static enum histree_status open_again(struct views *views, struct histree_error *error)
{
	histree_control_flow_free(views->flow);
	histree_history_close(views->history);
	views->flow = NULL;
	views->history = NULL;
	int file = open(views->path, O_RDONLY | O_CLOEXEC);
	if (file >= 0) {
		fsync(file); /* only what is on disk can be dropped */
		posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
		close(file);
	}
	return histree_history_open(views->path, NULL, &views->history, error);
}

static enum histree_status measure(struct views *views, const char *name, measured *make, bool cold, int runs,
				   struct histree_error *error)
{
	double least = 0, sum = 0, least_cpu = 0;
	for (int run = 0; run < runs; run++) {
		enum histree_status status = HISTREE_OK;
		if (cold && make != make_control_flow) { /* the tree of threads is at hand, the states are not */
			struct histree_control_flow *flow = views->flow;
			views->flow = NULL;
			status = open_again(views, error);
			views->flow = flow;
		} else if (cold) {
			status = open_again(views, error);
		}
		double begun = now_ms(CLOCK_MONOTONIC), begun_cpu = now_ms(CLOCK_PROCESS_CPUTIME_ID);
		if (status == HISTREE_OK)
			status = make(views, error);
		if (status != HISTREE_OK)
			return status;
		double ms = now_ms(CLOCK_MONOTONIC) - begun;
		double cpu_ms = now_ms(CLOCK_PROCESS_CPUTIME_ID) - begun_cpu;
		least = run == 0 || ms < least ? ms : least;
		least_cpu = run == 0 || cpu_ms < least_cpu ? cpu_ms : least_cpu;
		sum += ms;
	}
	printf("%s\t%s\t%d\t%.3f\t%.3f\t%.3f\t%llu\n", name, cold ? "cold" : "warm", runs, least, sum / runs,
	       least_cpu, (unsigned long long)views->found);
	return HISTREE_OK;
}

static enum histree_status measure_all(struct views *views, int runs, struct histree_error *error)
{
	static const struct {
		const char *name;
		measured *make;
	} rows[] = {
		{ "tree of threads", make_control_flow },
		{ "rows, a window", make_window },
		{ "rows, spread", make_spread },
		{ "states, spread", make_states },
		{ "CPU usage", make_usage },
		{ "density", make_density },
	};
	printf("what\tcache\truns\tleast_ms\tmean_ms\tcpu_ms\tfound\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int cold = 1; cold >= 0; cold--) {
			enum histree_status status = measure(views, rows[i].name, rows[i].make, cold, runs, error);
			if (status != HISTREE_OK)
				return status;
		}
	}
	return HISTREE_OK;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "threads", required_argument, NULL, 't' },
		{ "pixels", required_argument, NULL, 'p' },
		{ "runs", required_argument, NULL, 'r' },
		{ 0 },
	};
	struct views views = { .threads = 50, .pixels = 1500 };
	int runs = 10;
	for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (option == 't')
			views.threads = (uint32_t)strtoul(optarg, NULL, 10);
		else if (option == 'p')
			views.pixels = (uint32_t)strtoul(optarg, NULL, 10);
		else if (option == 'r')
			runs = atoi(optarg);
		else
			argc = 0;
	}
	if (optind + 1 != argc || runs < 1 || views.pixels < 1) {
		fprintf(stderr, "usage: views [OPTION]... HISTORY, as the head of bench/views.c says\n");
		return 2;
	}
	views.path = argv[optind];
	struct histree_error error = { 0 };
	enum histree_status status = measure_all(&views, runs, &error);
	if (status != HISTREE_OK)
		fprintf(stderr, "views: %s\n", error.message);
	histree_control_flow_free(views.flow);
	histree_history_close(views.history);
	return status == HISTREE_OK ? 0 : 3;
}
