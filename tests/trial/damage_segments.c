// SPDX-License-Identifier: MIT
/*
 * damage_segments.c - a damaged store of segments: refused, or right but for what it says is lost.
 *
 * Segment by segment and in the same order an answer is what the sound store answers, without segments that lie
 * within a loss that was told before, which are no more than was told.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "damage.h"
#include "segment/segment_memory.h"
#include "truth.h"

enum { QUERIES = 6, WINDOW_SHARE = 50 };

struct segments_trial {
	struct damage *damage;
	struct histree_segment_store *store; /* the sound one */
	struct histree_cursor *iter;
	uint64_t partial, segments;
};

enum { LOSSES_MAX = 64 };

/* What one answer said that it lacks, and what it lacks. */
struct losses {
	struct histree_loss all[LOSSES_MAX];
	size_t count;
	uint64_t said, missing;
};

static enum histree_status open_store(struct damage *damage, const char *path, struct histree_segment_store **out,
				      struct histree_error *error)
{
	return segment_store_open(&damage->memory.io, path, NULL, out, error);
}

static void *learn(struct damage *damage)
{
	struct segments_trial *trial = calloc(1, sizeof(*trial));
	if (trial == NULL)
		give_up("out of memory");
	trial->damage = damage;
	if (open_store(damage, DAMAGE_SOUND_PATH, &trial->store, NULL) != HISTREE_OK) {
		free(trial);
		return NULL;
	}
	if (histree_segments_create(trial->store, &trial->iter, NULL) != HISTREE_OK)
		give_up("out of memory");
	return trial;
}

/* Any order, most windows small and some of them all. */
static struct histree_segment_query some_query(const struct segments_trial *trial)
{
	struct random *random = &trial->damage->random;
	const struct histree_segment_store_info *info = histree_segment_store_info(trial->store);
	uint64_t length = (uint64_t)info->end - (uint64_t)info->start + 1;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	bool has_fields = info->schema.field_count > 0;
	query.order = (enum histree_segment_order)random_below(random, has_fields ? HISTREE_SEGMENTS_BY_COMPARE
										  : HISTREE_SEGMENTS_BY_FIELD);
	query.descending = random_percent(random, 50);
	query.field = has_fields ? random_below(random, info->schema.field_count) : 0;
	query.limit = random_percent(random, 20) ? 1 + random_below(random, 100) : 0;
	if (!random_percent(random, 5)) {
		query.from = info->start + (histree_time)random_below(random, length);
		query.to = query.from + (histree_time)random_below(random, length / WINDOW_SHARE + 1);
	}
	return query;
}

static bool is_same(const struct segments_trial *trial, const struct histree_segment *found,
		    const struct histree_segment *expected)
{
	bool same = found->start == expected->start && found->end == expected->end;
	for (size_t i = 0; same && i < histree_segment_store_info(trial->store)->schema.field_count; i++)
		same = histree_value_equal(&found->content[i], &expected->content[i]);
	return same;
}

static void hear(struct losses *losses, const struct histree_loss *loss)
{
	if (losses->count == LOSSES_MAX)
		give_up("more than %d losses of one damaged bit", LOSSES_MAX);
	losses->all[losses->count++] = *loss;
	losses->said += loss->rows_max;
}

static bool may_miss(struct losses *losses, const struct histree_segment *segment)
{
	for (size_t i = 0; i < losses->count; i++)
		if (segment->start >= losses->all[i].from && segment->end <= losses->all[i].to)
			return ++losses->missing <= losses->said;
	return false;
}

/* Go on in the sound answer, over what may be missing, to `found`; NULL: to its end. */
static bool follow(struct segments_trial *trial, struct losses *losses, const struct histree_segment *found)
{
	struct histree_segment expected;
	while (histree_cursor_next(trial->iter, NULL) == HISTREE_OK) {
		expected = *histree_cursor_segment(trial->iter);
		if (found != NULL && is_same(trial, found, &expected))
			return true;
		if (!may_miss(losses, &expected))
			return false;
	}
	return found == NULL;
}

/* Without an order, what lies below a damaged node may come in another one. */
static bool is_followed(const struct histree_segment_query *query, const struct losses *losses)
{
	return query->order != HISTREE_SEGMENTS_UNSORTED || losses->count == 0;
}

static void compare(struct segments_trial *trial, struct histree_cursor *damaged)
{
	const struct histree_segment_query query = some_query(trial);
	struct histree_segment_query whole = query;
	struct losses losses = { 0 };
	struct histree_segment found;
	struct histree_error error = { 0 };
	uint64_t given = 0;
	size_t heard = 0, lost_count;
	whole.limit = 0;
	if (histree_segments_start(trial->iter, &whole, NULL, &error) != HISTREE_OK)
		give_up("%s", error.message);
	trial->damage->asked++;
	enum histree_status status = histree_segments_start(damaged, &query, NULL, &error);
	while (status == HISTREE_OK) {
		status = histree_cursor_next(damaged, &error);
		const struct histree_loss *lost = histree_cursor_losses(damaged, &lost_count);
		for (; heard < lost_count; heard++)
			hear(&losses, &lost[heard]);
		if (status == HISTREE_OK) {
			found = *histree_cursor_segment(damaged);
			given++;
			if (is_followed(&query, &losses) && !follow(trial, &losses, &found)) {
				damage_wrong(trial->damage,
					     "order %d, before the segment from %" PRId64 " to %" PRId64,
					     query.order, found.start, found.end);
				return;
			}
		}
	}
	trial->segments += given;
	trial->partial += losses.count > 0;
	if (status != HISTREE_END)
		damage_wrong(trial->damage, "order %d ends with status %d: %s", query.order, status, error.message);
	else if ((query.limit == 0 || given < query.limit) && is_followed(&query, &losses) &&
		 !follow(trial, &losses, NULL))
		damage_wrong(trial->damage, "order %d lacks segments after %" PRIu64 " without saying so",
			     query.order, given);
}

static void check_facts(struct segments_trial *trial, const struct histree_segment_store *store)
{
	const struct histree_segment_store_info *said = histree_segment_store_info(store);
	const struct histree_segment_store_info *is = histree_segment_store_info(trial->store);
	if (said->segment_count != is->segment_count || said->start != is->start || said->end != is->end ||
	    said->duration_min != is->duration_min || said->duration_max != is->duration_max ||
	    said->schema.field_count != is->schema.field_count)
		damage_wrong(trial->damage, "it says of itself what it is not");
}

static void ignore_fault(void *context, const char *fault)
{
	(void)context, (void)fault;
}

static void ask(void *context, bool verify)
{
	struct segments_trial *trial = context;
	struct histree_segment_store *store;
	struct histree_cursor *iter;
	struct histree_error error = { 0 };
	enum histree_status status = open_store(trial->damage, DAMAGE_PATH, &store, &error);
	if (status != HISTREE_OK) {
		trial->damage->refused++;
		if (status != HISTREE_ERR_FORMAT && status != HISTREE_ERR_VERSION &&
		    status != HISTREE_ERR_INCOMPLETE)
			damage_wrong(trial->damage, "refused with status %d: %s", status, error.message);
		return;
	}
	trial->damage->opened++;
	check_facts(trial, store);
	if (histree_segments_create(store, &iter, &error) != HISTREE_OK)
		give_up("%s", error.message);
	for (int i = 0; i < QUERIES; i++)
		compare(trial, iter);
	histree_cursor_free(iter);
	if (verify) {
		trial->damage->verified++;
		trial->damage->found += histree_segment_store_verify(store, ignore_fault, NULL, NULL) != HISTREE_OK;
	}
	histree_segment_store_close(store);
}

static void report(const void *context)
{
	const struct segments_trial *trial = context;
	printf("%" PRIu64 " of them met damage; %" PRIu64 " segments compared", trial->partial, trial->segments);
}

static void forget(void *context)
{
	struct segments_trial *trial = context;
	histree_cursor_free(trial->iter);
	histree_segment_store_close(trial->store);
	free(trial);
}

const struct damage_subject damage_segments = { "segments", learn, ask, report, forget };
