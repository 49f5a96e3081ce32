// SPDX-License-Identifier: MIT
/*
 * shards - what queries of a history of several hosts cost, beside the same states in one file.
 *
 *	shards FOLDER [HOSTS [STATES [CACHE_MIB [THREADS]]]]	64 hosts of 1,000,000 states each, the default cache
 *	shards FOLDER HOSTS STATES CACHE_MIB QUESTION WHO COUNT	one question so often, for callgrind
 *
 * Makes the files in FOLDER if they are not there.  WHO is `shard` (its history alone), `inside` (the same host,
 * in the history of all), `one` (all hosts, in one file) or `all` (all hosts, in the history of all).
 *
 * Prints TSV: of each question and each of these the processor time of an answer in us, the median of the rounds
 * and the least and the greatest, with the nodes that it visited and those that it read from the file; then how
 * often that of `shard` is that of `inside`, and that of `one` that of `all`.  The four take turns within a round,
 * and each has asked the same questions once before.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shards/questions.h"

enum who { SHARD, INSIDE, ONE, ALL, WHO_COUNT };
enum { ROUNDS = 7 };

static const char *const who_names[] = { [SHARD] = "shard", [INSIDE] = "inside", [ONE] = "one", [ALL] = "all" };

struct result {
	double us[ROUNDS];
	double visited, loaded; /* an answer, in the last round */
};

static double processor_us(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

/* Both are of the host in the middle, where there is a choice. */
static void open_who(struct asked *asked, enum who who, const char *folder, uint32_t hosts, size_t cache_bytes,
		     unsigned threads)
{
	enum { EACH = ATTRIBUTES + 1 };
	char path[PATH_SIZE];
	if (who == SHARD)
		shard_files_shard(folder, hosts / 2, path);
	else if (who == ONE)
		shard_files_one(folder, path);
	else
		shard_files_store(folder, path);
	asked_open(asked, path, cache_bytes, threads);
	if (who == SHARD)
		asked_place(asked, 0, ATTRIBUTES, 1);
	else if (who == INSIDE)
		asked_place(asked, hosts / 2 * EACH + 1, EACH, 1);
	else
		asked_place(asked, 1, EACH, hosts);
}

static void ask(struct asked *asked, const struct question *question, struct result *result, int round)
{
	asked->random.state = 7;
	asked->found = asked->visited = asked->loaded = 0;
	double before = processor_us();
	for (unsigned i = 0; i < question->times; i++)
		question->ask(asked);
	if (round < 0)
		return;
	result->us[round] = (processor_us() - before) / question->times;
	result->visited = (double)asked->visited / question->times;
	result->loaded = (double)asked->loaded / question->times;
}

static int compare(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;
	return (one > other) - (one < other);
}

static void print(const struct question *question, struct result *results)
{
	for (size_t who = 0; who < WHO_COUNT; who++) {
		struct result *result = &results[who];
		qsort(result->us, ROUNDS, sizeof(*result->us), compare);
		if (question->is_of_all && who < ONE)
			continue;
		printf("%s\t%s\t%.3f\t%.3f\t%.3f", question->name, who_names[who], result->us[ROUNDS / 2],
		       result->us[0], result->us[ROUNDS - 1]);
		if (question->has_counts)
			printf("\t%.2f\t%.2f", result->visited, result->loaded);
		printf("\n");
	}
	if (!question->is_of_all)
		printf("%s\tinside : shard\t%.2f\n", question->name,
		       results[INSIDE].us[ROUNDS / 2] / results[SHARD].us[ROUNDS / 2]);
	printf("%s\tall : one\t%.2f\n", question->name, results[ALL].us[ROUNDS / 2] / results[ONE].us[ROUNDS / 2]);
	fflush(stdout);
}

/* A cache each, which another question has filled. */
static void measure(const char *folder, uint32_t hosts, size_t cache_bytes, unsigned threads)
{
	struct asked asked[WHO_COUNT];
	for (size_t who = 0; who < WHO_COUNT; who++)
		open_who(&asked[who], (enum who)who, folder, hosts, cache_bytes, threads);
	printf("question\twho\tmedian us\tleast\tgreatest\tnodes visited\tread\n");
	for (size_t i = 0; i < question_count; i++) {
		struct result results[WHO_COUNT] = { 0 };
		for (int round = -1; round < ROUNDS; round++)
			for (size_t who = 0; who < WHO_COUNT; who++)
				if (!questions[i].is_of_all || who >= ONE)
					ask(&asked[who], &questions[i], &results[who], round);
		print(&questions[i], results);
	}
	for (size_t who = 0; who < WHO_COUNT; who++)
		asked_close(&asked[who]);
}

static bool ask_one(const char *folder, uint32_t hosts, size_t cache_bytes, char **words)
{
	struct asked asked;
	size_t who = 0, question = 0;
	while (who < WHO_COUNT && strcmp(who_names[who], words[1]) != 0)
		who++;
	while (question < question_count && strcmp(questions[question].name, words[0]) != 0)
		question++;
	if (who == WHO_COUNT || question == question_count)
		return false;
	open_who(&asked, (enum who)who, folder, hosts, cache_bytes, 1);
	asked.random.state = 7;
	for (unsigned long i = strtoul(words[2], NULL, 10); i > 0; i--)
		questions[question].ask(&asked);
	printf("%" PRIu64 " found, %" PRIu64 " nodes visited, %" PRIu64 " read\n", asked.found, asked.visited,
	       asked.loaded);
	asked_close(&asked);
	return true;
}

int main(int argc, char **argv)
{
	uint32_t hosts = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 64;
	uint64_t states = argc > 3 ? strtoull(argv[3], NULL, 10) : 1000000;
	size_t cache_bytes = argc > 4 ? (size_t)strtoull(argv[4], NULL, 10) << 20 : 0;
	bool is_one = argc == 8;
	if (argc < 2 || (argc > 6 && !is_one) || hosts < 1 || hosts > HOSTS_MAX || states < 1000) {
		fprintf(stderr,
			"usage: shards FOLDER [HOSTS [STATES [CACHE_MIB [THREADS | QUESTION WHO COUNT]]]]\n");
		return 2;
	}
	shard_files_make(argv[1], hosts, states);
	if (is_one && !ask_one(argv[1], hosts, cache_bytes, argv + 5)) {
		fprintf(stderr, "shards: there is no such question, or nobody of that name\n");
		return 2;
	}
	if (!is_one)
		measure(argv[1], hosts, cache_bytes, argc > 5 ? (unsigned)strtoul(argv[5], NULL, 10) : 1);
	return 0;
}
