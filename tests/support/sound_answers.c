// SPDX-License-Identifier: MIT
#include "support/sound_answers.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "histree/states.h"

/* One question. */
struct question {
	struct sound_answers *answers;
	const struct reference *reference;
	const struct histree_region *region;
	uint64_t *covered; /* by quark: time of the range, or listed times, that intervals cover */
	uint64_t known, unknown;
};

__attribute__((format(printf, 2, 3))) static const char *wrong(struct sound_answers *answers, const char *format,
							       ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(answers->fault, sizeof(answers->fault), format, arguments);
	va_end(arguments);
	return answers->fault;
}

/* How much of what is asked for an interval has. */
static uint64_t measure(const struct histree_region *region, histree_time start, histree_time end)
{
	uint64_t count = 0;
	if (region->times == NULL) {
		start = start < region->from ? region->from : start;
		end = end > region->to ? region->to : end;
		return start <= end ? (uint64_t)end - (uint64_t)start + 1 : 0;
	}
	for (size_t i = 0; i < region->time_count; i++)
		count += region->times[i] >= start && region->times[i] <= end;
	return count;
}

static const char *check_interval(struct question *question, const struct histree_interval *found)
{
	const struct reference *reference = question->reference;
	uint64_t measured = measure(question->region, found->start, found->end);
	if (found->quark >= reference->key_count || measured == 0)
		return wrong(question->answers, "attribute %u from %lld to %lld was not asked for", found->quark,
			     (long long)found->start, (long long)found->end);
	question->covered[found->quark] += measured;
	if (found->value.type == HISTREE_UNKNOWN) {
		question->unknown++;
		return NULL;
	}
	question->known++;
	const struct histree_interval *truth = reference_at(reference, found->quark, found->start);
	if (question->answers->any_truth ||
	    (truth != NULL && truth->start == found->start && truth->end == found->end &&
	     histree_value_equal(&truth->value, &found->value)))
		return NULL;
	return wrong(question->answers, "attribute %u from %lld to %lld is not true", found->quark,
		     (long long)found->start, (long long)found->end);
}

static const char *check_cover(struct question *question)
{
	const struct histree_region *region = question->region;
	uint64_t wanted = measure(region, question->reference->start, question->reference->end);
	size_t count = region->quarks != NULL ? region->quark_count : question->reference->key_count;
	for (size_t i = 0; i < count; i++) {
		histree_quark quark = region->quarks != NULL ? region->quarks[i] : (histree_quark)i;
		if (question->covered[quark] != wanted)
			return wrong(question->answers,
				     "attribute %u from %lld to %lld (%zu times): %llu of %llu covered", quark,
				     (long long)region->from, (long long)region->to, region->time_count,
				     (unsigned long long)question->covered[quark], (unsigned long long)wanted);
	}
	return NULL;
}

static const char *ask(struct question *question, struct histree_cursor *query)
{
	struct sound_answers *answers = question->answers;
	struct histree_interval found;
	struct histree_error error;
	const char *fault = NULL;
	enum histree_status status = histree_query_start(query, question->region, &error);
	while (fault == NULL && status == HISTREE_OK &&
	       (status = histree_cursor_next(query, &error)) == HISTREE_OK) {
		found = *histree_cursor_interval(query);
		fault = check_interval(question, &found);
		if (question->known + question->unknown > answers->intervals_max)
			fault = wrong(answers, "an answer without end");
	}
	if (fault == NULL && status == HISTREE_END)
		fault = check_cover(question);
	else if (fault == NULL && status == HISTREE_ERR_FORMAT)
		answers->refused++;
	else if (fault == NULL)
		fault = wrong(answers, "status %d: %s", (int)status, error.message);
	answers->asked++;
	answers->known += question->known;
	answers->unknown += question->unknown;
	return fault;
}

const char *sound_answers_ask(struct sound_answers *answers, struct histree_history *history,
			      const struct reference *reference, struct random *random, unsigned questions)
{
	struct histree_cursor *query;
	const char *fault = NULL;
	if (histree_query_create(history, &query, NULL) != HISTREE_OK)
		return wrong(answers, "out of memory");
	for (unsigned i = 0; i < questions && fault == NULL; i++) {
		struct region_room room;
		struct histree_region region = reference_region(reference, random, &room);
		if (i == 0) /* once, everything */
			region = (struct histree_region){ .from = reference->start, .to = reference->end };
		struct question question = {
			.answers = answers,
			.reference = reference,
			.region = &region,
			.covered = calloc((size_t)reference->key_count + 1, sizeof(uint64_t)),
		};
		fault = question.covered != NULL ? ask(&question, query) : wrong(answers, "out of memory");
		free(question.covered);
	}
	histree_cursor_free(query);
	return fault;
}
