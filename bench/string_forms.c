// SPDX-License-Identifier: MIT
/*
 * string_forms - the intervals of a store once more, with their strings in one of several forms and with or
 * without the nulls at both ends of an attribute (thesis 5.2 and 5.3, tables 5.1 and 5.2).
 *
 *	string_forms STORE FILE VARIANT R_DEPTH keep|leave-out FORM [QUERIES]
 *
 * FORM	in-place	as the tree keeps strings: each time in rows, once for each leaf in columns
 *	history		once for each history: a value is the number of its text in a table, which is in memory
 *	reference	as the thesis did it: where a text is first it is in place, after that a value says where
 *			that is, and whoever wants the text asks there, unless a cache of 1024 texts has it
 *
 * A query with its values has read the text of each; without, only found them.  Prints one line of TSV: bytes of
 * the file and of what is beside it, nodes, depth, ns of processor time of the build, then of one query: single
 * with and without values, full with and without, and all states of one attribute; and the
 * sum of the texts that were read, which is the same for all forms.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/table.h"
#include "base/hash_index.h"
#include "histree/attributes.h"
#include "histree/states.h"
#include "histree/history.h"
#include "histree/store.h"

enum { FULL_SHARE = 20, CACHE_TEXTS = 1024, SEED = 5 };

enum form { IN_PLACE, IN_HISTORY, BY_REFERENCE };

/* Where a text is for the first time. */
struct first_place {
	histree_quark quark;
	histree_time time;
};

struct experiment {
	struct histree_interval *intervals; /* by start; their bytes are in `texts` */
	size_t count, capacity;
	struct intern texts;
	struct first_place *places; /* by text */
	size_t places_capacity;
	enum form form;
	struct histree_history *history; /* that is asked */
	struct histree_cursor *query, *follow;
	struct {
		uint32_t text;
		char *bytes;
		size_t size;
	} cache[CACHE_TEXTS]; /* by the last digits of the text */
	uint64_t checksum;
};

static void must(enum histree_status status, const struct histree_error *error)
{
	if (status == HISTREE_OK)
		return;
	fprintf(stderr, "string_forms: %s\n", error->message);
	exit(1);
}

static void must_have(bool memory)
{
	if (!memory) {
		fprintf(stderr, "string_forms: no memory\n");
		exit(1);
	}
}

static uint64_t cpu_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

static int by_start(const void *one, const void *other)
{
	const struct histree_interval *a = one, *b = other;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->quark > b->quark) - (a->quark < b->quark);
}

static void read_all(struct experiment *experiment, struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_region all = { .from = info->start, .to = info->end };
	struct histree_cursor *query;
	struct histree_interval interval;
	struct histree_error error;
	must(histree_query_create(history, &query, &error), &error);
	must(histree_query_start(query, &all, &error), &error);
	while (histree_cursor_next(query, &error) == HISTREE_OK) {
		interval = *histree_cursor_interval(query);
		if (interval.value.type == HISTREE_STRING) {
			uint32_t text = intern_add(&experiment->texts, interval.value.bytes, interval.value.size);
			must_have(text != INTERN_NONE);
			size_t size;
			interval.value.bytes = intern_get(&experiment->texts, text, &size);
		}
		must_have(array_reserve(&experiment->intervals, &experiment->capacity, experiment->count + 1));
		experiment->intervals[experiment->count++] = interval;
	}
	histree_cursor_free(query);
	qsort(experiment->intervals, experiment->count, sizeof(interval), by_start);
}

/* ---- building ----------------------------------------------------------------------------------------------- */

/* The value that stands for a string: a text is found by its bytes, as a build finds it. */
static struct histree_value stand_in(struct experiment *experiment, const struct histree_interval *interval,
				     struct intern *seen, char room[static 16])
{
	if (interval->value.type != HISTREE_STRING || experiment->form == IN_PLACE)
		return interval->value;
	uint32_t before = seen->count, text = intern_add(seen, interval->value.bytes, interval->value.size);
	must_have(text != INTERN_NONE);
	if (experiment->form == IN_HISTORY)
		return histree_int((int32_t)text);
	if (text == before) {
		must_have(array_reserve(&experiment->places, &experiment->places_capacity, (size_t)text + 1));
		experiment->places[text] = (struct first_place){ interval->quark, interval->start };
		return interval->value;
	}
	/* A zero, which no text begins with, and the number of the place. */
	room[0] = '\0';
	memcpy(room + 1, &text, sizeof(text));
	return histree_string_n(room, 1 + sizeof(text));
}

static uint64_t build(struct experiment *experiment, struct histree_history *like,
		      const struct histree_history_options *options, struct intern *seen)
{
	const struct histree_attributes *attributes = histree_history_attributes(like);
	struct histree_state_system *system;
	struct histree_error error;
	uint64_t begun = cpu_ns();
	must(histree_state_create(options, &system, &error), &error);
	for (histree_quark quark = 0; quark < histree_attributes_count(attributes); quark++) {
		char name[1024];
		histree_quark made;
		size_t size = histree_attributes_name(attributes, quark, name, sizeof(name));
		must(histree_state_child(system, histree_attributes_parent(attributes, quark), name, size, &made,
					 &error),
		     &error);
	}
	for (size_t i = 0; i < experiment->count; i++) {
		const struct histree_interval *interval = &experiment->intervals[i];
		char room[16];
		struct histree_value value = stand_in(experiment, interval, seen, room);
		must(histree_state_modify(system, interval->start, interval->quark, value, &error), &error);
	}
	must(histree_state_close(system, histree_history_info(like)->end, &error), &error);
	histree_state_free(system);
	return cpu_ns() - begun;
}

/* ---- asking ------------------------------------------------------------------------------------------------- */

static void look_at(struct experiment *experiment, const char *bytes, size_t size)
{
	uint64_t sum = size;
	for (size_t i = 0; i < size; i++)
		sum = sum * 31 + (unsigned char)bytes[i];
	experiment->checksum += sum; /* answers come in any order */
}

/* Ask where a text is first, unless the cache has it. */
static void follow(struct experiment *experiment, uint32_t text)
{
	size_t slot = text % CACHE_TEXTS;
	if (experiment->cache[slot].bytes == NULL || experiment->cache[slot].text != text) {
		struct histree_interval first;
		struct histree_error error;
		const struct first_place *place = &experiment->places[text];
		must(histree_query_single(experiment->follow, place->quark, place->time, &first, &error), &error);
		free(experiment->cache[slot].bytes);
		experiment->cache[slot].bytes = malloc(first.value.size + 1);
		must_have(experiment->cache[slot].bytes != NULL);
		memcpy(experiment->cache[slot].bytes, first.value.bytes, first.value.size);
		experiment->cache[slot].size = first.value.size;
		experiment->cache[slot].text = text;
	}
	look_at(experiment, experiment->cache[slot].bytes, experiment->cache[slot].size);
}

static void evaluate(struct experiment *experiment, const struct intern *table, const bool *has_texts,
		     const struct histree_interval *interval)
{
	const struct histree_value *value = &interval->value;
	if (value->type == HISTREE_STRING && value->size == 1 + sizeof(uint32_t) &&
	    *(const char *)value->bytes == '\0') {
		uint32_t text;
		memcpy(&text, (const char *)value->bytes + 1, sizeof(text));
		follow(experiment, text);
	} else if (value->type == HISTREE_STRING) {
		look_at(experiment, value->bytes, value->size);
	} else if (experiment->form == IN_HISTORY && value->type == HISTREE_INT && has_texts[interval->quark]) {
		size_t size;
		const char *bytes = intern_get(table, (uint32_t)value->int32, &size);
		look_at(experiment, bytes, size);
	}
}

struct question {
	histree_quark quark;
	histree_time time;
};

enum shape { SINGLE, FULL, ATTRIBUTE };

/* Returns the ns that one of `count` queries takes on average. */
static double ask(struct experiment *experiment, const struct question *questions, size_t count, enum shape shape,
		  bool with_values, const struct intern *table, const bool *has_texts)
{
	const struct histree_history_info *info = histree_history_info(experiment->history);
	struct histree_error error;
	uint64_t begun = cpu_ns();
	for (size_t i = 0; i < count; i++) {
		const struct question *question = &questions[i];
		const struct histree_region region = {
			.from = shape == ATTRIBUTE ? info->start : question->time,
			.to = shape == ATTRIBUTE ? info->end : question->time,
			.quarks = shape == FULL ? NULL : &question->quark,
			.quark_count = shape == FULL ? 0 : 1,
		};
		struct histree_interval interval;
		must(histree_query_start(experiment->query, &region, &error), &error);
		while (histree_cursor_next(experiment->query, &error) == HISTREE_OK) {
			interval = *histree_cursor_interval(experiment->query);
			if (with_values)
				evaluate(experiment, table, has_texts, &interval);
		}
	}
	return (double)(cpu_ns() - begun) / (double)count;
}

/* ------------------------------------------------------------------------------------------------------------- */

static struct question *choose_questions(const struct histree_history_info *info, size_t count)
{
	struct random random = { SEED };
	struct question *questions = calloc(count, sizeof(*questions));
	must_have(questions != NULL);
	for (size_t i = 0; i < count; i++)
		questions[i] = (struct question){
			.quark = (histree_quark)random_below(&random, info->attribute_count),
			.time = info->start +
				(histree_time)random_below(&random, (uint64_t)(info->end - info->start)),
		};
	return questions;
}

/* What is beside the file: the table of texts, or of places, by the bytes that it would have in one. */
static uint64_t bytes_beside(const struct experiment *experiment, const struct intern *seen)
{
	uint64_t bytes = 0;
	size_t size;
	for (uint32_t text = 0; text < seen->count && experiment->form == IN_HISTORY; text++) {
		intern_get(seen, text, &size);
		bytes += size + sizeof(uint16_t);
	}
	return bytes + (experiment->form == BY_REFERENCE ? seen->count * UINT64_C(12) : 0);
}

static bool *attributes_with_texts(const struct experiment *experiment, uint32_t attribute_count)
{
	bool *has_texts = calloc((size_t)attribute_count + 1, sizeof(*has_texts));
	must_have(has_texts != NULL);
	for (size_t i = 0; i < experiment->count; i++)
		has_texts[experiment->intervals[i].quark] |= experiment->intervals[i].value.type == HISTREE_STRING;
	return has_texts;
}

int main(int argc, char **argv)
{
	static const char *const forms[] = { "in-place", "history", "reference" };
	struct experiment experiment = { .form = IN_PLACE };
	struct histree_error error;
	struct histree_store *store;
	struct histree_history *like;
	struct intern seen = { 0 };
	size_t queries = argc > 7 ? strtoull(argv[7], NULL, 10) : 2000;
	while (argc > 6 && experiment.form <= BY_REFERENCE && strcmp(argv[6], forms[experiment.form]) != 0)
		experiment.form++;
	if (argc < 7 || experiment.form > BY_REFERENCE || queries < FULL_SHARE) {
		fprintf(stderr, "usage: string_forms STORE FILE VARIANT R_DEPTH keep|leave-out FORM [QUERIES]\n"
				"FORM is in-place, history or reference; QUERIES at least 20\n");
		return 2;
	}
	must(histree_store_open(argv[1], &store, &error), &error);
	must(histree_store_history(store, NULL, false, NULL, &like, &error), &error);
	read_all(&experiment, like);
	const struct histree_history_info *info = histree_history_info(like);
	const struct histree_history_options options = {
		.path = argv[2],
		.provider = info->provider,
		.provider_version = info->provider_version,
		.start = info->start,
		.tree = { .variant = argv[3],
			  .r_depth = (uint32_t)strtoul(argv[4], NULL, 10),
			  .nulls = strcmp(argv[5], "keep") == 0 ? HISTREE_NULLS_KEPT : HISTREE_NULLS_LEFT_OUT },
	};
	uint64_t build_ns = build(&experiment, like, &options, &seen);
	must(histree_history_open(argv[2], NULL, &experiment.history, &error), &error);
	must(histree_query_create(experiment.history, &experiment.query, &error), &error);
	must(histree_query_create(experiment.history, &experiment.follow, &error), &error);
	struct question *questions = choose_questions(info, queries);
	bool *has_texts = attributes_with_texts(&experiment, info->attribute_count);
	size_t fulls = queries / FULL_SHARE;
	/* Nodes come into the cache. */
	ask(&experiment, questions, queries, SINGLE, true, &seen, has_texts);
	ask(&experiment, questions, fulls, FULL, true, &seen, has_texts);
	const struct histree_history_info *made = histree_history_info(experiment.history);
	printf("%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu64, made->file_bytes,
	       bytes_beside(&experiment, &seen), made->node_count, made->depth, build_ns);
	printf("\t%.0f", ask(&experiment, questions, queries, SINGLE, true, &seen, has_texts));
	printf("\t%.0f", ask(&experiment, questions, queries, SINGLE, false, &seen, has_texts));
	printf("\t%.0f", ask(&experiment, questions, fulls, FULL, true, &seen, has_texts));
	printf("\t%.0f", ask(&experiment, questions, fulls, FULL, false, &seen, has_texts));
	printf("\t%.0f", ask(&experiment, questions, queries, ATTRIBUTE, true, &seen, has_texts));
	printf("\t%" PRIu64 "\n", experiment.checksum);
	histree_cursor_free(experiment.query);
	histree_cursor_free(experiment.follow);
	histree_history_close(experiment.history);
	histree_history_close(like);
	histree_store_close(store);
	unlink(argv[2]);
	for (size_t i = 0; i < CACHE_TEXTS; i++)
		free(experiment.cache[i].bytes);
	free(questions);
	free(has_texts);
	free(experiment.intervals);
	free(experiment.places);
	intern_release(&seen);
	intern_release(&experiment.texts);
	return 0;
}
