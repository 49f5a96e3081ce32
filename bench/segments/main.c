// SPDX-License-Identifier: MIT
/*
 * segments - the measurements of figures 5.2 to 5.6 of the thesis: segments are inserted, then iterated over as
 * they lie, by start, by end and by duration.
 *
 *	segments [FOLDER [MOST [LEAST [STRUCTURE]]]]
 *
 * From LEAST segments, 10^5, up to MOST, 10^8, by tens; of all structures, or only of that one.  Files are written
 * in a folder of its own in FOLDER, the current one if it is not said, which is removed in the end, also if a
 * measurement fails or is interrupted.
 *
 * noisy	starts on a line, with uniform noise; one duration (thesis 5.4)
 * random	starts anywhere between 0 and 2^63 - 1; one duration (thesis 5.4)
 * by end	as an analysis makes them: by end, durations of five orders of magnitude
 *
 * Prints TSV.  Each structure has a process of its own, for its memory's sake; all times are processor times.
 * Insertion includes what it takes until the first query can be asked.  Each answer is checked: the order, and that
 * it has the segments that were inserted.
 */
#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash_index.h"
#include "segments/segment_peer.h"

enum { FIRST = 100, DURATION = 1000, SPACING = 10000, NOISE = 1000000 };

static const char *const order_names[PEER_ORDERS] = { "unsorted", "start", "end", "duration" };

static const struct segment_peer *const peers[] = {
	&segment_peer_disk,   &segment_peer_disk_by_start, &segment_peer_disk_by_duration, &segment_peer_array,
	&segment_peer_lazy,   &segment_peer_map,           &segment_peer_vector,           &segment_peer_multimap,
#ifdef HAVE_SQLITE
	&segment_peer_sqlite,
#endif
#ifdef HAVE_DUCKDB
	&segment_peer_duckdb,
#endif
};

/* ---- segments --------------------------------------------------------------------------------------------- */

enum distribution { NOISY, RANDOM, BY_END, DISTRIBUTIONS };

static const char *const distribution_names[DISTRIBUTIONS] = { "noisy", "random", "by end" };

static void draw(enum distribution distribution, uint64_t place, struct random *random, int64_t *start,
		 int64_t *end)
{
	int64_t on_line = (int64_t)place * SPACING;
	switch (distribution) {
	case NOISY:
		*start = on_line + (int64_t)random_below(random, NOISE);
		break;
	case RANDOM:
		*start = (int64_t)random_below(random, (uint64_t)INT64_MAX - DURATION);
		break;
	default:
		*end = on_line + (int64_t)random_below(random, SPACING);
		*start = *end - (int64_t)random_below(random, UINT64_C(100) << random_below(random, 17));
		return;
	}
	*end = *start + DURATION;
}

/* ---- one structure ---------------------------------------------------------------------------------------- */

struct run {
	const struct segment_peer *peer;
	enum distribution distribution;
	uint64_t count;
	uint64_t sum; /* of all segments, whatever their order */
	void *body;
};

static double processor_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint64_t sum_of(int64_t start, int64_t end)
{
	return hash_mix((uint64_t)start + hash_mix((uint64_t)end));
}

__attribute__((noreturn)) static void give_up(const struct run *run, const char *why)
{
	fprintf(stderr, "segments: %s, %" PRIu64 " segments: %s\n", run->peer->name, run->count, why);
	exit(1);
}

static void print(const struct run *run, const char *what, double value)
{
	printf("%s\t%s\t%" PRIu64 "\t%s\t%.4g\n", run->peer->name, distribution_names[run->distribution],
	       run->count, what, value);
	fflush(stdout);
}

static double peak_mebibytes(void)
{
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

/* What drawing the segments itself takes; their sum. */
static double draw_all(struct run *run)
{
	struct random random = { run->count };
	double before = processor_seconds();
	run->sum = 0;
	for (uint64_t i = 0; i < run->count; i++) {
		int64_t start, end;
		draw(run->distribution, i, &random, &start, &end);
		run->sum += sum_of(start, end);
	}
	return processor_seconds() - before;
}

static void insert_all(struct run *run, const char *path)
{
	double drawing = draw_all(run), base = peak_mebibytes();
	struct random random = { run->count };
	uint64_t bytes;
	double before = processor_seconds();
	if (!run->peer->create(path, &run->body))
		give_up(run, "cannot be made");
	for (uint64_t i = 0; i < run->count; i++) {
		int64_t start, end;
		draw(run->distribution, i, &random, &start, &end);
		if (!run->peer->add(run->body, start, end))
			give_up(run, "an addition failed");
	}
	if (!run->peer->finish(run->body, &bytes))
		give_up(run, "cannot be finished");
	double seconds = processor_seconds() - before - drawing;
	print(run, "insertion, M/s", (double)run->count / seconds / 1e6);
	if (bytes > 0)
		print(run, "bytes a segment", (double)bytes / (double)run->count);
	print(run, "writing, MiB", peak_mebibytes() - base);
}

static uint64_t key_of(enum segment_peer_order order, int64_t start, int64_t end)
{
	uint64_t time = (uint64_t)(order == PEER_BY_END ? end : start) ^ UINT64_C(1) << 63;
	return order == PEER_BY_DURATION ? (uint64_t)end - (uint64_t)start : time;
}

static void iterate(struct run *run, enum segment_peer_order order)
{
	char what[64];
	uint64_t sum = 0, seen = 0, last = 0;
	int64_t start, end;
	double before = processor_seconds(), first = 0;
	if (!run->peer->begin(run->body, order))
		give_up(run, "cannot iterate");
	while (run->peer->next(run->body, &start, &end)) {
		uint64_t key = key_of(order, start, end);
		if (order != PEER_UNSORTED && key < last)
			give_up(run, "not in order");
		last = key;
		sum += sum_of(start, end);
		if (++seen == FIRST)
			first = processor_seconds() - before;
	}
	double seconds = processor_seconds() - before;
	if (seen != run->count || sum != run->sum)
		give_up(run, "other segments than those inserted");
	snprintf(what, sizeof(what), "%s, M/s", order_names[order]);
	print(run, what, (double)seen / seconds / 1e6);
	snprintf(what, sizeof(what), "%s, first 100, ms", order_names[order]);
	print(run, what, first * 1e3);
}

/* In a process of its own. */
static void measure(struct run run, const char *folder)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/segments", folder);
	insert_all(&run, path);
	for (enum segment_peer_order order = PEER_UNSORTED; order < PEER_ORDERS; order++)
		iterate(&run, order);
	print(&run, "in all, MiB", peak_mebibytes());
	run.peer->free(run.body);
}

static int remove_entry(const char *path, const struct stat *stat, int kind, struct FTW *place)
{
	(void)stat;
	(void)kind;
	(void)place;
	return remove(path);
}

/* Whatever a structure has left there. */
static void remove_folder(const char *folder)
{
	if (nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0)
		fprintf(stderr, "segments: cannot remove '%s': %s\n", folder, strerror(errno));
}

/* Returns 0 if it was measured.  What interrupts the measuring process leaves this one to clean up after it. */
static int measure_apart(struct run run, const char *parent)
{
	char folder[4000];
	int state = 0;
	if (snprintf(folder, sizeof(folder), "%s/segments.XXXXXX", parent) >= (int)sizeof(folder) ||
	    mkdtemp(folder) == NULL) {
		fprintf(stderr, "segments: cannot write in '%s': %s\n", parent, strerror(errno));
		return 1;
	}
	pid_t child = fork();
	if (child == 0) {
		signal(SIGINT, SIG_DFL);
		measure(run, folder);
		exit(0);
	}
	bool done = child > 0 && waitpid(child, &state, 0) == child && state == 0;
	remove_folder(folder);
	if (child > 0 && WIFSIGNALED(state) && WTERMSIG(state) == SIGINT)
		exit(1);
	return done ? 0 : 1;
}

int main(int argument_count, char **arguments)
{
	const char *folder = argument_count > 1 ? arguments[1] : ".";
	uint64_t most = argument_count > 2 ? strtoull(arguments[2], NULL, 10) : 100000000;
	uint64_t least = argument_count > 3 ? strtoull(arguments[3], NULL, 10) : 100000;
	const char *only = argument_count > 4 ? arguments[4] : NULL;
	int failed = 0;
	if (access(folder, W_OK | X_OK) != 0) {
		fprintf(stderr, "segments: cannot write in '%s': %s\n", folder, strerror(errno));
		return 1;
	}
	signal(SIGINT, SIG_IGN);
	puts("structure\tdistribution\tsegments\twhat\tvalue");
	fflush(stdout);
	for (uint64_t count = least; count > 0 && count <= most; count *= 10)
		for (enum distribution distribution = NOISY; distribution < DISTRIBUTIONS; distribution++)
			for (size_t i = 0; i < sizeof(peers) / sizeof(peers[0]); i++) {
				uint64_t count_max =
					distribution == RANDOM ? peers[i]->random_count_max : peers[i]->count_max;
				struct run run = { .peer = peers[i], .distribution = distribution, .count = count };
				if (count <= count_max && (only == NULL || strcmp(only, peers[i]->name) == 0))
					failed |= measure_apart(run, folder);
			}
	return failed;
}
