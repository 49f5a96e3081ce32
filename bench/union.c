// SPDX-License-Identifier: MIT
/*
 * union - what queries of a history of several hosts cost, beside the same states in one file.
 *
 *	union FOLDER [HOSTS [STATES [THREADS]]]	64 hosts of 100,000 states each, if not said; makes files in FOLDER
 *	union FOLDER HOSTS STATES shard|union COUNT	so many single queries of one shard, alone or in the union,
 *						for callgrind; the files are there
 *
 * A host has 100 attributes whose states, 1 ms long on average, follow one another.  Prints TSV: of each question
 * the time of one answer through the shard alone (where one has all of it), through the union, and of the one file,
 * us, and the ratios to that of the union.  All are asked once before, so that nodes are in memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "histree/histree.h"

enum { ATTRIBUTES = 100, STATE_NS = 1000000, PIXELS = 1228, HOSTS_MAX = 1024, PATH_SIZE = 4096 };

static void check(enum histree_status status, const struct histree_error *error)
{
	if (status >= HISTREE_OK)
		return;
	fprintf(stderr, "union: %s\n", error->message);
	exit(1);
}

static double now_us(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* ---- the files -------------------------------------------------------------------------------------------- */

static void name_attributes(struct histree_state_system *system, uint32_t host, histree_quark *quarks)
{
	struct histree_error error;
	histree_quark folder;
	char name[64];
	snprintf(name, sizeof(name), "host-%" PRIu32, host);
	check(histree_state_attribute(system, HISTREE_ROOT, name, &folder, &error), &error);
	check(histree_state_folder(system, folder, &error), &error);
	for (uint32_t i = 0; i < ATTRIBUTES; i++) {
		snprintf(name, sizeof(name), "%" PRIu32, i);
		check(histree_state_attribute(system, folder, name, &quarks[i], &error), &error);
	}
}

/* Of the hosts `first` to `end`, which change in turn; the states of each are the same whoever is beside it. */
static void make_file(const char *path, uint32_t first, uint32_t end, uint64_t states)
{
	const struct histree_history_options options = { .path = path, .provider = "bench" };
	struct histree_state_system *system;
	struct histree_error error;
	uint32_t hosts = end - first;
	histree_quark *quarks = calloc((size_t)hosts * ATTRIBUTES, sizeof(*quarks));
	struct random *random = calloc(hosts, sizeof(*random));
	if (quarks == NULL || random == NULL || access(path, F_OK) == 0) {
		free(quarks);
		free(random);
		return;
	}
	check(histree_state_create(&options, &system, &error), &error);
	for (uint32_t i = 0; i < hosts; i++) {
		random[i].state = first + i + 1;
		name_attributes(system, first + i, quarks + (size_t)i * ATTRIBUTES);
	}
	for (uint64_t step = 0; step < states; step++)
		for (uint32_t i = 0; i < hosts; i++) {
			histree_quark quark = quarks[(size_t)i * ATTRIBUTES + random_below(&random[i], ATTRIBUTES)];
			int32_t value = (int32_t)random_below(&random[i], 6);
			check(histree_state_modify(system, (histree_time)(step * (STATE_NS / ATTRIBUTES)), quark,
						   histree_int(value), &error),
			      &error);
		}
	check(histree_state_close(system, (histree_time)(states * (STATE_NS / ATTRIBUTES)), &error), &error);
	histree_state_free(system);
	free(quarks);
	free(random);
}

struct measured {
	uint32_t hosts;
	uint64_t states;
	struct histree_history *shard, *joined, *one; /* the first is of the host in the middle */
};

static void open_all(struct measured *measured, const char *folder)
{
	static struct histree_history_part parts[HOSTS_MAX];
	static char names[HOSTS_MAX][32];
	struct histree_error error;
	char path[PATH_SIZE];
	for (uint32_t i = 0; i < measured->hosts; i++) {
		snprintf(path, sizeof(path), "%s/%" PRIu32 ".sht", folder, i);
		make_file(path, i, i + 1, measured->states);
	}
	snprintf(path, sizeof(path), "%s/all.sht", folder);
	make_file(path, 0, measured->hosts, measured->states);
	check(histree_history_open(path, NULL, &measured->one, &error), &error);
	double before = now_us();
	for (uint32_t i = 0; i < measured->hosts; i++) {
		snprintf(path, sizeof(path), "%s/%" PRIu32 ".sht", folder, i);
		snprintf(names[i], sizeof(names[i]), "host-%" PRIu32, i);
		parts[i].name = names[i];
		check(histree_history_open(path, NULL, &parts[i].history, &error), &error);
	}
	double opened = now_us();
	check(histree_history_unite(parts, measured->hosts, &measured->joined, &error), &error);
	double united = now_us();
	printf("opening %" PRIu32 " shards\t%.0f us\nuniting them\t%.0f us\n", measured->hosts, opened - before,
	       united - opened);
	snprintf(path, sizeof(path), "%s/%" PRIu32 ".sht", folder, measured->hosts / 2);
	check(histree_history_open(path, NULL, &measured->shard, &error), &error);
}

/* ---- questions -------------------------------------------------------------------------------------------- */

/* A history, and where in it the attributes of hosts are. */
struct asked {
	struct histree_history *history;
	struct histree_query *query;
	struct histree_rows *rows;
	histree_quark first, each; /* attribute i of host h is first + h * each + i */
	uint32_t hosts;
	struct random random;
	histree_time end;
	uint64_t found;
};

typedef void question(struct asked *asked);

static histree_quark some_quark(struct asked *asked)
{
	return asked->first + (histree_quark)random_below(&asked->random, asked->hosts) * asked->each +
	       (histree_quark)random_below(&asked->random, ATTRIBUTES);
}

static histree_time some_time(struct asked *asked, histree_time before_end)
{
	return (histree_time)random_below(&asked->random, (uint64_t)(asked->end - before_end));
}

static void read_all(struct asked *asked, const struct histree_region *region)
{
	struct histree_interval batch[256];
	struct histree_error error;
	size_t count;
	check(histree_query_start(asked->query, region, &error), &error);
	enum histree_status status;
	while ((status = histree_query_read(asked->query, batch, 256, &count, &error)) == HISTREE_OK)
		asked->found += count;
	check(status, &error);
}

static void ask_single(struct asked *asked)
{
	struct histree_interval interval;
	struct histree_error error;
	histree_quark quark = some_quark(asked);
	check(histree_query_single(asked->query, quark, some_time(asked, 0), &interval, &error), &error);
	asked->found++;
}

static void ask_full(struct asked *asked)
{
	histree_time t = some_time(asked, 0);
	read_all(asked, &(struct histree_region){ .from = t, .to = t });
}

static void ask_range(struct asked *asked)
{
	histree_quark quark = some_quark(asked);
	histree_time length = asked->end / 10, t = some_time(asked, length);
	read_all(asked,
		 &(struct histree_region){ .quarks = &quark, .quark_count = 1, .from = t, .to = t + length });
}

enum { CHOSEN = 8 };

/* Of each host, or of the only one, so that lists are as long. */
static size_t choose(struct asked *asked, histree_quark *quarks, size_t hosts)
{
	size_t count = 0;
	for (size_t i = 0; i < hosts; i++)
		for (size_t k = 0; k < CHOSEN; k++)
			quarks[count++] =
				asked->first + (histree_quark)(i * asked->each + k * (ATTRIBUTES / CHOSEN));
	return count;
}

static void ask_2d(struct asked *asked)
{
	static histree_quark quarks[HOSTS_MAX * CHOSEN];
	histree_time length = asked->end / 100, t = some_time(asked, length);
	size_t count = choose(asked, quarks, asked->hosts);
	read_all(asked,
		 &(struct histree_region){ .quarks = quarks, .quark_count = count, .from = t, .to = t + length });
}

static void ask_rows(struct asked *asked)
{
	static histree_quark quarks[HOSTS_MAX * CHOSEN];
	size_t count = choose(asked, quarks, asked->hosts < 4 ? asked->hosts : 4);
	const struct histree_rows_request request = {
		.quarks = quarks, .quark_count = count, .from = 0, .to = asked->end, .pixels = PIXELS
	};
	struct histree_row row;
	struct histree_error error;
	enum histree_status status;
	check(histree_rows_start(asked->rows, &request, &error), &error);
	while ((status = histree_rows_next(asked->rows, &row, &error)) == HISTREE_OK)
		asked->found++;
	check(status, &error);
}

static struct asked begin(struct histree_history *history, histree_quark first, histree_quark each, uint32_t hosts,
			  unsigned threads)
{
	struct asked asked = { .history = history, .first = first, .each = each, .hosts = hosts };
	struct histree_error error;
	asked.end = histree_history_info(history)->end;
	check(histree_query_create(history, &asked.query, &error), &error);
	check(histree_query_set_threads(asked.query, threads, &error), &error);
	check(histree_rows_create(history, &asked.rows, &error), &error);
	return asked;
}

static void finish(struct asked *asked)
{
	histree_rows_free(asked->rows);
	histree_query_free(asked->query);
}

/* The best of some rounds, in each of which the questions are the same. */
static double measure(struct asked *asked, question *ask, unsigned times)
{
	enum { ROUNDS = 5 };
	double best = 1e300;
	for (unsigned round = 0; round <= ROUNDS; round++) { /* the first one fills the cache */
		asked->random.state = 7;
		double before = now_us();
		for (unsigned i = 0; i < times; i++)
			ask(asked);
		double took = (now_us() - before) / times;
		best = round > 0 && took < best ? took : best;
	}
	return best;
}

static void compare(const struct measured *measured, unsigned threads)
{
	static const struct {
		const char *name;
		question *ask;
		unsigned times;
	} questions[] = {
		{ "single", ask_single, 200000 }, { "full", ask_full, 200 },
		{ "range", ask_range, 1000 },     { "2D", ask_2d, 20 },
		{ "rows", ask_rows, 5 },
	};
	histree_quark each = ATTRIBUTES + 1, first = 1;
	printf("question\tshard, us\tthe same in the union, us\tratio\tall hosts: one file, us\tunion, "
	       "us\tratio\n");
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
		struct asked shard = begin(measured->shard, first, each, 1, threads);
		struct asked inside = begin(measured->joined, first, each, 1, threads);
		struct asked one = begin(measured->one, first, each, measured->hosts, threads);
		struct asked all = begin(measured->joined, first + 1, each + 1, measured->hosts, threads);
		inside.first = measured->hosts / 2 * (each + 1) + 1 + first;
		/* A full query has all hosts, whoever is asked. */
		double of_shard = measure(&shard, questions[i].ask, questions[i].times);
		double of_inside =
			questions[i].ask == ask_full ? 0 : measure(&inside, questions[i].ask, questions[i].times);
		double of_one = measure(&one, questions[i].ask, questions[i].times);
		double of_all = measure(&all, questions[i].ask, questions[i].times);
		printf("%s\t%.3f\t%.3f\t%.2f\t%.3f\t%.3f\t%.2f\n", questions[i].name, of_shard, of_inside,
		       of_inside / of_shard, of_one, of_all, of_all / of_one);
		finish(&shard);
		finish(&inside);
		finish(&one);
		finish(&all);
	}
}

static void only_single(const struct measured *measured, bool in_union, unsigned count)
{
	struct asked asked = begin(in_union ? measured->joined : measured->shard, 1, ATTRIBUTES + 1, 1, 1);
	if (in_union)
		asked.first = measured->hosts / 2 * (ATTRIBUTES + 2) + 2;
	for (unsigned i = 0; i < count; i++)
		ask_single(&asked);
	finish(&asked);
}

int main(int argc, char **argv)
{
	if (argc < 2 || argc > 6) {
		fprintf(stderr, "usage: union FOLDER [HOSTS [STATES [THREADS | shard COUNT | union COUNT]]]\n");
		return 2;
	}
	struct measured measured = { .hosts = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 64,
				     .states = argc > 3 ? strtoull(argv[3], NULL, 10) : 100000 };
	if (measured.hosts < 1 || measured.hosts > HOSTS_MAX || measured.states < 1000) {
		fprintf(stderr, "union: 1 to %d hosts, of 1000 states or more\n", HOSTS_MAX);
		return 2;
	}
	open_all(&measured, argv[1]);
	if (argc == 6)
		only_single(&measured, strcmp(argv[4], "union") == 0, (unsigned)strtoul(argv[5], NULL, 10));
	else
		compare(&measured, argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 1);
	histree_history_close(measured.shard);
	histree_history_close(measured.joined);
	histree_history_close(measured.one);
	return 0;
}
