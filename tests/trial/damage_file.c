// SPDX-License-Identifier: MIT
/*
 * damage_file.c - a history file with one wrong bit, or cut short: refused, or right but for what is unknown.
 *
 *	damage_file FILE FLIPS TRUNCATIONS [SEED]
 *
 * Each damaged copy is opened as it is, and to be salvaged.  If it opens, it is asked: a full query at a random
 *time, a number of single queries, some attributes over a range.  Each answer covers what was asked exactly once;
 *what it does not call unknown is what the sound file says; and nothing is unknown unless a node was found to be
 *damaged or something else was lost that the salvage needs.  Now and then all of it is verified: damage of what was
 *used must be found.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state/history.h"
#include "support/memory_io.h"
#include "support/random.h"
#include "truth.h"

enum { SINGLES = 40, SOME = 12, VERIFY_EVERY = 8 };

struct trial {
	struct random random;
	struct truth truth;
	uint8_t *sound; /* the file */
	size_t size;
	struct memory_io memory;
	uint64_t asked, refused, opened, salvaged, with_damage, unknown, known, verified, found, wrong;
	char what[80]; /* was done to the file */
};

__attribute__((format(printf, 2, 3))) static void wrong(struct trial *trial, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fprintf(stderr, "WRONG, %s: ", trial->what);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	trial->wrong++;
}

static void check_interval(struct trial *trial, const struct histree_interval *found, bool may_be_unknown)
{
	if (found->value.type == HISTREE_UNKNOWN) {
		trial->unknown++;
		if (!may_be_unknown)
			wrong(trial, "attribute %u is unknown", found->quark);
		return;
	}
	const struct histree_interval *expected = truth_find(&trial->truth, found);
	trial->known++;
	if (expected == NULL || expected->end != found->end ||
	    !histree_value_equal(&expected->value, &found->value))
		wrong(trial, "attribute %u from %" PRId64 " to %" PRId64, found->quark, found->start, found->end);
}

/* Each moment of each attribute once: what is counted is the sum of lengths, cut to the region. */
static void ask(struct trial *trial, struct histree_query *query, const struct histree_region *region,
		size_t key_count, bool lost_more)
{
	struct histree_interval interval;
	struct histree_error error = { 0 };
	uint64_t covered = 0, unknown_before = trial->unknown;
	enum histree_status status = histree_query_start(query, region, &error);
	while (status == HISTREE_OK && (status = histree_query_next(query, &interval, &error)) == HISTREE_OK) {
		histree_time from = interval.start > region->from ? interval.start : region->from;
		histree_time to = interval.end < region->to ? interval.end : region->to;
		covered += (uint64_t)to - (uint64_t)from + 1;
		check_interval(trial, &interval, true);
	}
	trial->asked++;
	if (status != HISTREE_END)
		wrong(trial, "%s", error.message);
	else if (covered != key_count * ((uint64_t)region->to - (uint64_t)region->from + 1))
		wrong(trial, "an answer covers %" PRIu64 " ns of %zu attributes", covered, key_count);
	if (trial->unknown > unknown_before && histree_query_stats(query).nodes_damaged == 0 && !lost_more)
		wrong(trial, "something is unknown, but no node is damaged");
}

static histree_time some_time(struct trial *trial)
{
	const struct truth *truth = &trial->truth;
	return truth->start + (histree_time)random_below(&trial->random, (uint64_t)(truth->end - truth->start) + 1);
}

static void ask_all_kinds(struct trial *trial, struct histree_history *history, bool lost_more)
{
	const struct truth *truth = &trial->truth;
	struct histree_query *query;
	if (histree_query_create(history, &query, NULL) != HISTREE_OK)
		give_up("out of memory");
	histree_time time = some_time(trial);
	ask(trial, query, &(struct histree_region){ .from = time, .to = time }, truth->key_count, lost_more);
	for (int i = 0; i < SINGLES; i++) {
		histree_quark quark = (histree_quark)random_below(&trial->random, truth->key_count);
		time = some_time(trial);
		ask(trial, query,
		    &(struct histree_region){ .quarks = &quark, .quark_count = 1, .from = time, .to = time }, 1,
		    lost_more);
	}
	histree_quark some[SOME];
	size_t count = 0;
	for (histree_quark quark = (histree_quark)random_below(&trial->random, truth->key_count / SOME + 1);
	     count < SOME && quark < truth->key_count; quark += truth->key_count / SOME + 1)
		some[count++] = quark;
	ask(trial, query,
	    &(struct histree_region){
		    .quarks = some, .quark_count = count, .from = truth->start, .to = some_time(trial) },
	    count, lost_more);
	trial->with_damage += histree_query_stats(query).nodes_damaged > 0;
	histree_query_free(query);
}

static void ignore_fault(void *context, const char *fault)
{
	(void)context, (void)fault;
}

static enum histree_status open_history(struct trial *trial, bool salvage, struct histree_history **out,
					struct histree_error *error)
{
	struct block_file *file;
	*out = NULL;
	enum histree_status status = block_file_open(&trial->memory.io, "f", &file, error);
	if (status != HISTREE_OK)
		return status;
	return history_open_file(file, &(struct histree_open_options){ .salvage = salvage }, out, error);
}

static void check_facts(struct trial *trial, const struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	if (info->start != trial->truth.start || info->end != trial->truth.end ||
	    info->attribute_count != trial->truth.key_count)
		wrong(trial, "it says of itself what it is not");
}

static void check_names(struct trial *trial, const struct histree_history *history)
{
	for (int i = 0; i < SOME; i++) {
		histree_quark quark = (histree_quark)random_below(&trial->random, trial->truth.key_count);
		char *path = truth_path(histree_history_attributes(history), quark);
		if (strcmp(path, trial->truth.paths[quark]) != 0)
			wrong(trial, "attribute %u is called '%s'", quark, path);
		free(path);
	}
}

static void try_file(struct trial *trial, bool verify)
{
	struct histree_history *history;
	struct histree_error error = { 0 };
	enum histree_status status = open_history(trial, false, &history, &error);
	if (status == HISTREE_OK) {
		trial->opened++;
		check_facts(trial, history);
		check_names(trial, history);
		ask_all_kinds(trial, history, false);
		if (verify) {
			trial->verified++;
			trial->found += histree_history_verify(history, ignore_fault, NULL, NULL) != HISTREE_OK;
		}
		histree_history_close(history);
		return;
	}
	trial->refused++;
	if (status != HISTREE_ERR_FORMAT && status != HISTREE_ERR_VERSION && status != HISTREE_ERR_INCOMPLETE)
		wrong(trial, "refused with status %d: %s", status, error.message);
	if (open_history(trial, true, &history, &error) == HISTREE_OK) {
		trial->salvaged++;
		check_facts(trial, history);
		ask_all_kinds(trial, history, true);
		histree_history_close(history);
	}
}

static void load(struct trial *trial, const char *path)
{
	struct histree_history *history;
	struct histree_error error;
	FILE *file = fopen(path, "rb");
	if (file == NULL || fseek(file, 0, SEEK_END) != 0)
		give_up("cannot read '%s'", path);
	trial->size = (size_t)ftell(file);
	trial->sound = malloc(trial->size + 1);
	rewind(file);
	if (trial->sound == NULL || fread(trial->sound, 1, trial->size, file) != trial->size)
		give_up("cannot read '%s'", path);
	fclose(file);
	memory_io_init(&trial->memory);
	if (!memory_io_put(&trial->memory, "f", trial->sound, trial->size))
		give_up("out of memory");
	if (open_history(trial, false, &history, &error) != HISTREE_OK)
		give_up("%s", error.message);
	truth_learn(&trial->truth, history);
	histree_history_close(history);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		give_up("usage: damage_file FILE FLIPS TRUNCATIONS [SEED]");
	uint64_t flips = strtoull(argv[2], NULL, 10), cuts = strtoull(argv[3], NULL, 10);
	uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
	static struct trial trial;
	trial.random.state = seed;
	load(&trial, argv[1]);
	struct memory_file *file = memory_io_find(&trial.memory, "f");
	for (uint64_t i = 0; i < flips && trial.wrong == 0; i++) {
		size_t at = (size_t)random_below(&trial.random, trial.size);
		unsigned bit = (unsigned)random_below(&trial.random, 8);
		snprintf(trial.what, sizeof(trial.what), "seed %" PRIu64 ", bit %u of byte %zu", seed, bit, at);
		file->bytes[at] ^= (uint8_t)(1U << bit);
		try_file(&trial, i % VERIFY_EVERY == 0);
		file->bytes[at] ^= (uint8_t)(1U << bit);
	}
	for (uint64_t i = 0; i < cuts && trial.wrong == 0; i++) {
		file->size = (size_t)random_below(&trial.random, trial.size);
		snprintf(trial.what, sizeof(trial.what), "seed %" PRIu64 ", cut to %zu bytes", seed, file->size);
		try_file(&trial, false);
	}
	printf("seed %" PRIu64 ": %" PRIu64 " bits flipped, %" PRIu64 " files cut short: %" PRIu64
	       " opened, %" PRIu64 " refused, %" PRIu64 " of them salvaged; %" PRIu64
	       " questions met damaged nodes; %" PRIu64 " questions asked, %" PRIu64 " intervals known, %" PRIu64
	       " unknown; damage found by %" PRIu64 " of %" PRIu64 " verifications; %" PRIu64 " wrong\n",
	       seed, flips, cuts, trial.opened, trial.refused, trial.salvaged, trial.with_damage, trial.asked,
	       trial.known, trial.unknown, trial.found, trial.verified, trial.wrong);
	truth_release(&trial.truth);
	memory_io_release(&trial.memory);
	free(trial.sound);
	return trial.wrong > 0;
}
