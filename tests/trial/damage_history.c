// SPDX-License-Identifier: MIT
/*
 * damage_history.c - a damaged history: refused, or right but for what is unknown.
 *
 * It is opened as it is, and to be salvaged.  If it opens, it is asked: a full query at a random time, a number of
 * single queries, some attributes over a range.  Each answer covers what was asked exactly once; what it does not
 * call unknown is what the sound file says; and nothing is unknown unless a node was found to be damaged or
 * something else was lost that the salvage needs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "damage.h"
#include "state/history.h"
#include "truth.h"

enum { SINGLES = 40, SOME = 12 };

struct history_trial {
	struct damage *damage;
	struct truth truth;
	uint64_t salvaged, with_damage, unknown, known;
};

static void check_interval(struct history_trial *trial, const struct histree_interval *found, bool may_be_unknown)
{
	if (found->value.type == HISTREE_UNKNOWN) {
		trial->unknown++;
		if (!may_be_unknown)
			damage_wrong(trial->damage, "attribute %u is unknown", found->quark);
		return;
	}
	const struct histree_interval *expected = truth_find(&trial->truth, found);
	trial->known++;
	if (expected == NULL || expected->end != found->end ||
	    !histree_value_equal(&expected->value, &found->value))
		damage_wrong(trial->damage, "attribute %u from %" PRId64 " to %" PRId64, found->quark, found->start,
			     found->end);
}

/* Each moment of each attribute once: what is counted is the sum of lengths, cut to the region. */
static void ask_region(struct history_trial *trial, struct histree_cursor *query,
		       const struct histree_region *region, size_t key_count, bool lost_more)
{
	struct histree_interval interval;
	struct histree_error error = { 0 };
	uint64_t covered = 0, unknown_before = trial->unknown;
	enum histree_status status = histree_query_start(query, region, &error);
	while (status == HISTREE_OK && (status = histree_cursor_next(query, &error)) == HISTREE_OK) {
		interval = *histree_cursor_interval(query);
		histree_time from = interval.start > region->from ? interval.start : region->from;
		histree_time to = interval.end < region->to ? interval.end : region->to;
		covered += (uint64_t)to - (uint64_t)from + 1;
		check_interval(trial, &interval, true);
	}
	trial->damage->asked++;
	if (status != HISTREE_END)
		damage_wrong(trial->damage, "%s", error.message);
	else if (covered != key_count * ((uint64_t)region->to - (uint64_t)region->from + 1))
		damage_wrong(trial->damage, "an answer covers %" PRIu64 " ns of %zu attributes", covered,
			     key_count);
	if (trial->unknown > unknown_before && histree_cursor_loss(query).nodes == 0 && !lost_more)
		damage_wrong(trial->damage, "something is unknown, but no node is damaged");
}

static histree_time some_time(struct history_trial *trial)
{
	const struct truth *truth = &trial->truth;
	return truth->start +
	       (histree_time)random_below(&trial->damage->random, (uint64_t)(truth->end - truth->start) + 1);
}

static void ask_all_kinds(struct history_trial *trial, struct histree_history *history, bool lost_more)
{
	const struct truth *truth = &trial->truth;
	struct histree_cursor *query;
	if (histree_query_create(history, &query, NULL) != HISTREE_OK)
		give_up("out of memory");
	histree_time time = some_time(trial);
	ask_region(trial, query, &(struct histree_region){ .from = time, .to = time }, truth->key_count, lost_more);
	for (int i = 0; i < SINGLES; i++) {
		histree_quark quark = (histree_quark)random_below(&trial->damage->random, truth->key_count);
		time = some_time(trial);
		ask_region(trial, query,
			   &(struct histree_region){ .quarks = &quark, .quark_count = 1, .from = time, .to = time },
			   1, lost_more);
	}
	histree_quark some[SOME];
	size_t count = 0;
	for (histree_quark quark = (histree_quark)random_below(&trial->damage->random, truth->key_count / SOME + 1);
	     count < SOME && quark < truth->key_count; quark += truth->key_count / SOME + 1)
		some[count++] = quark;
	ask_region(trial, query,
		   &(struct histree_region){
			   .quarks = some, .quark_count = count, .from = truth->start, .to = some_time(trial) },
		   count, lost_more);
	trial->with_damage += histree_cursor_loss(query).nodes > 0;
	histree_cursor_free(query);
}

static void ignore_fault(void *context, const char *fault)
{
	(void)context, (void)fault;
}

static enum histree_status open_history(struct history_trial *trial, bool salvage, struct histree_history **out,
					struct histree_error *error)
{
	struct block_file *file;
	*out = NULL;
	enum histree_status status = block_file_open(&trial->damage->memory.io, DAMAGE_PATH, &file, error);
	if (status != HISTREE_OK)
		return status;
	return history_open_file(file, &(struct histree_open_options){ .salvage = salvage }, out, error);
}

static void check_facts(struct history_trial *trial, const struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	if (info->start != trial->truth.start || info->end != trial->truth.end ||
	    info->attribute_count != trial->truth.key_count)
		damage_wrong(trial->damage, "it says of itself what it is not");
}

static void check_names(struct history_trial *trial, const struct histree_history *history)
{
	for (int i = 0; i < SOME; i++) {
		histree_quark quark = (histree_quark)random_below(&trial->damage->random, trial->truth.key_count);
		char *path = truth_path(histree_history_attributes(history), quark);
		if (strcmp(path, trial->truth.paths[quark]) != 0)
			damage_wrong(trial->damage, "attribute %u is called '%s'", quark, path);
		free(path);
	}
}

static void ask(void *context, bool verify)
{
	struct history_trial *trial = context;
	struct histree_history *history;
	struct histree_error error = { 0 };
	enum histree_status status = open_history(trial, false, &history, &error);
	if (status == HISTREE_OK) {
		trial->damage->opened++;
		check_facts(trial, history);
		check_names(trial, history);
		ask_all_kinds(trial, history, false);
		if (verify) {
			trial->damage->verified++;
			trial->damage->found +=
				histree_history_verify(history, ignore_fault, NULL, NULL) != HISTREE_OK;
		}
		histree_history_close(history);
		return;
	}
	trial->damage->refused++;
	if (status != HISTREE_ERR_FORMAT && status != HISTREE_ERR_VERSION && status != HISTREE_ERR_INCOMPLETE)
		damage_wrong(trial->damage, "refused with status %d: %s", status, error.message);
	if (open_history(trial, true, &history, &error) == HISTREE_OK) {
		trial->salvaged++;
		check_facts(trial, history);
		ask_all_kinds(trial, history, true);
		histree_history_close(history);
	}
}

static void *learn(struct damage *damage)
{
	struct history_trial *trial = calloc(1, sizeof(*trial));
	struct histree_history *history;
	if (trial == NULL)
		give_up("out of memory");
	trial->damage = damage;
	if (open_history(trial, false, &history, NULL) != HISTREE_OK) {
		free(trial);
		return NULL;
	}
	truth_learn(&trial->truth, history);
	histree_history_close(history);
	return trial;
}

static void report(const void *context)
{
	const struct history_trial *trial = context;
	printf("%" PRIu64 " of the refused salvaged; %" PRIu64 " questions met damaged nodes; %" PRIu64
	       " intervals known, %" PRIu64 " unknown",
	       trial->salvaged, trial->with_damage, trial->known, trial->unknown);
}

static void forget(void *context)
{
	struct history_trial *trial = context;
	truth_release(&trial->truth);
	free(trial);
}

const struct damage_subject damage_history = { "history", learn, ask, report, forget };
