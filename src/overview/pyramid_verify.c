// SPDX-License-Identifier: MIT
/*
 * pyramid_verify.c - checks a pyramid against its history: the pyramid is fed again, with the same cells, and
 * compared level by level.
 *
 * For each of its attributes, 128-bit fingerprints of all states that it should have are added up, and those of the
 * states that it has are subtracted: the result must be zero.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "histree/history.h"
#include "histree/states.h"
#include "overview/overview_feed.h"
#include "overview/overview_replay.h"
#include "overview/pyramid_maker.h"
#include "query/thread_names.h"
#include "query/thread_pieces.h"
#include "state/history.h"
#include "state/history_union.h"
#include "state/pyramid.h"
#include "store/overview_faults.h"

enum { TABLES_MAX = 32 << 20 };

/* A sum of two hashes of each state. */
struct print {
	uint64_t one, other;
};

static void add_print(struct print *print, const struct histree_interval *state, uint64_t sign)
{
	const struct histree_value *value = &state->value;
	const bool has_bytes = value->type == HISTREE_CUSTOM || value->type == HISTREE_STRING;
	const uint64_t first = hash_mix((uint64_t)state->start), after = hash_mix((uint64_t)state->end + 1);
	uint64_t content = hash_mix((uint64_t)value->type);
	if (value->type == HISTREE_NULL)
		return; /* what is left over; where there is too much of it, something else is missing */
	if (has_bytes)
		content += hash_bytes(value->bytes, value->size);
	else if (value->type == HISTREE_INT)
		content += hash_mix((uint32_t)value->int32);
	if (!has_bytes || value->size <= 1) {
		/* Cells that are alike may be one state or several, whose prints add up to that of all of them. */
		print->one += sign * (hash_mix(content) * (after - first));
		print->other += sign * (hash_mix(~content) * (after - first));
	} else {
		print->one += sign * hash_mix(content ^ (first + 3 * after));
		print->other += sign * hash_mix(content + 5 * first + 7 * after);
	}
}

static enum histree_status add_ready(void *context, const struct ready_states *ready, struct histree_error *error)
{
	struct print *prints = context;
	(void)error;
	for (size_t i = 0; i < ready->count; i++) {
		const struct histree_interval state = ready_states_get(ready, i);
		add_print(&prints[state.quark], &state, 1);
	}
	return HISTREE_OK;
}

/*
 * `quarks`: of those alone; NULL: of all.  A print belongs to the place of an attribute among them, or to its
 * number.  The states of a history count with the sign 1, those of a pyramid with -1.
 */
static enum histree_status add_all(struct print *prints, struct histree_history *history,
				   const histree_quark *quarks, size_t count, uint64_t sign,
				   struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_region all = {
		.from = info->start, .to = info->end, .quarks = quarks, .quark_count = count
	};
	struct histree_interval state;
	struct histree_cursor *query;
	enum histree_status status = histree_query_create(history, &query, error);
	if (status != HISTREE_OK)
		return status;
	status = histree_query_start(query, &all, error);
	while (status == HISTREE_OK && (status = histree_cursor_next(query, error)) == HISTREE_OK) {
		state = *histree_cursor_interval(query);
		const size_t at = quarks != NULL ? SEARCH(i, 0, count, quarks[i] < state.quark) : state.quark;
		add_print(&prints[at], &state, sign);
	}
	/* What is lost of a pyramid is missing in its print; of a history nothing may be. */
	const bool is_lost = sign == 1 && histree_cursor_loss(query).nodes > 0;
	histree_cursor_free(query);
	if (status != HISTREE_END)
		return status;
	return is_lost ? error_set(error, HISTREE_ERR_FORMAT, "'%s' is damaged", history_path(history))
		       : HISTREE_OK;
}

static void report_wrong(const struct print *prints, const struct pyramid *pyramid, struct overview_faults *faults)
{
	for (uint32_t level = 0; level < pyramid->level_count; level++)
		for (size_t i = 0; i < pyramid->levels[level].count; i++) {
			const struct pyramid_entry *entry = &pyramid->levels[level].entries[i];
			const struct print *print = &prints[entry->own];
			char fault[128];
			snprintf(fault, sizeof(fault),
				 "attribute %" PRIu32 "/%" PRIu32 " does not say what the states of the history do",
				 level + 1, entry->quark);
			if (print->one != 0 || print->other != 0)
				overview_faults_report(faults, fault);
		}
}

/* Make it again, and add up what is ready. */
static enum histree_status make_again(struct print *prints, struct histree_history *history, enum pyramid_id id,
				      struct overview_faults *faults, struct histree_error *error)
{
	static const struct overview_progress silent = { 0 };
	static const struct overview_options options = { 0 };
	const struct histree_history_info *of = histree_history_info(history);
	const struct pyramid_source source = { .path = history_path(history),
					       .history = history,
					       .options = &options };
	const struct feed_again again = { .id = id,
					  .source = &source,
					  .there = history_pyramid(history, id),
					  .give = add_ready,
					  .context = prints };
	struct table_space tables = { 0 };
	const struct overview_feed_plan plan = { .provider = of->provider,
						 .start = of->start,
						 .options = &options,
						 .tables = &tables,
						 .is_complete = true,
						 .of_attributes = &tables,
						 .again = &again };
	struct overview_feed *feed = NULL;
	enum histree_status status = table_space_init(&tables, history_path(history), TABLES_MAX)
					     ? overview_feed_create(&plan, &feed, error)
					     : error_memory(error, "an overview");
	if (status == HISTREE_OK)
		status = overview_replay(feed, history, &tables, &silent, error);
	struct pyramid_maker *maker = overview_feed_maker(feed, id);
	if (status == HISTREE_OK && maker != NULL)
		status = pyramid_maker_finish(maker, error);
	if (status == HISTREE_OK && (maker == NULL || !maker->is_wanted))
		overview_faults_report(faults, "it is of what no such overview says");
	overview_feed_free(feed);
	table_space_release(&tables);
	return status;
}

static void ignore_fault(void *context, const char *fault)
{
	(void)context, (void)fault;
}

/* Does nothing if there is no pyramid. */
static enum histree_status verify_pyramid(struct histree_history *history, enum pyramid_id id,
					  void (*report)(void *context, const char *fault), void *context,
					  struct histree_error *error)
{
	const struct pyramid *pyramid = history_pyramid(history, id);
	struct histree_history *file = pyramid->levels[0].history;
	if (pyramid->level_count == 0)
		return HISTREE_OK;
	struct overview_faults faults = { .report = report != NULL ? report : ignore_fault,
					  .context = context,
					  .path = history_path(file) };
	struct print *prints = calloc((size_t)histree_history_info(file)->attribute_count + 1, sizeof(*prints));
	enum histree_status status = prints != NULL ? make_again(prints, history, id, &faults, error)
						    : error_memory(error, "what an overview is compared with");
	if (status == HISTREE_OK)
		status = add_all(prints, file, NULL, 0, UINT64_MAX /* -1 */, error);
	if (status == HISTREE_OK)
		report_wrong(prints, pyramid, &faults);
	free(prints);
	return status == HISTREE_OK ? overview_faults_sum(&faults, history_path(history), error) : status;
}

/* ---- names of threads --------------------------------------------------------------------------------------- */

static enum histree_status compare_names(const struct thread_names *names, struct histree_history *history,
					 struct histree_history *file, struct overview_faults *faults,
					 struct histree_error *error)
{
	struct print *prints = calloc(names->count + 1, sizeof(*prints));
	histree_quark *own = malloc((names->count + 1) * sizeof(*own));
	enum histree_status status = prints != NULL && own != NULL
					     ? add_all(prints, history, names->quarks, names->count, 1, error)
					     : error_memory(error, "what an overview is compared with");
	for (size_t i = 0; i < names->count && status == HISTREE_OK; i++)
		own[i] = (histree_quark)i + 1;
	if (status == HISTREE_OK)
		status = add_all(prints, file, own, names->count, UINT64_MAX /* -1 */, error);
	for (size_t i = 0; i < names->count && status == HISTREE_OK; i++) {
		char fault[128];
		snprintf(fault, sizeof(fault), "attribute 1/%" PRIu32 " does not say what the history does",
			 names->quarks[i]);
		if (prints[i].one != 0 || prints[i].other != 0)
			overview_faults_report(faults, fault);
	}
	free(prints);
	free(own);
	return status;
}

/* All that threads are called and whose they are, and of some what they did. */
static bool has_the_attributes(const struct thread_names *names, const struct thread_fact_quark *quarks,
			       size_t count)
{
	size_t at = 0;
	for (size_t i = 0; i < count; i++) {
		const bool is_there = at < names->count && names->quarks[at] == quarks[i].quark;
		if (!is_there && !quarks[i].is_status)
			return false;
		at += is_there;
	}
	return at == names->count;
}

static enum histree_status verify_names(struct histree_history *history,
					void (*report)(void *context, const char *fault), void *context,
					struct histree_error *error)
{
	const struct pyramid *pyramid = history_pyramid(history, PYRAMID_NAMES);
	struct histree_history *file = pyramid->levels[0].history;
	struct thread_names names;
	struct thread_fact_quark *quarks = NULL;
	size_t count = 0;
	if (pyramid->level_count == 0)
		return HISTREE_OK;
	struct overview_faults faults = { .report = report != NULL ? report : ignore_fault,
					  .context = context,
					  .path = history_path(file) };
	enum histree_status status = thread_names_open(&names, history, error);
	if (status == HISTREE_OK)
		status = thread_fact_quarks(histree_history_attributes(history), &quarks, &count, error);
	if (status == HISTREE_OK && (names.cursor == NULL || !has_the_attributes(&names, quarks, count)))
		overview_faults_report(&faults, "it has other attributes than the names and statuses of threads");
	else if (status == HISTREE_OK)
		status = compare_names(&names, history, file, &faults, error);
	thread_names_release(&names);
	free(quarks);
	return status == HISTREE_OK ? overview_faults_sum(&faults, history_path(history), error) : status;
}

/* ------------------------------------------------------------------------------------------------------------ */

static enum histree_status verify_numbers(struct histree_history *history,
					  void (*report)(void *context, const char *fault), void *context,
					  struct histree_error *error)
{
	return verify_pyramid(history, PYRAMID_NUMBERS, report, context, error);
}

/* The cube too, which is of time in states as well, and names, which are of the threads in it. */
static enum histree_status verify_sums(struct histree_history *history,
				       void (*report)(void *context, const char *fault), void *context,
				       struct histree_error *error)
{
	enum histree_status status = verify_pyramid(history, PYRAMID_SUMS, report, context, error);
	if (status != HISTREE_OK && status != HISTREE_ERR_FORMAT)
		return status;
	enum histree_status of_others =
		verify_pyramid(history, PYRAMID_CUBE, report, context, status == HISTREE_OK ? error : NULL);
	status = of_others != HISTREE_OK ? of_others : status;
	if (status != HISTREE_OK && status != HISTREE_ERR_FORMAT)
		return status;
	of_others = verify_names(history, report, context, status == HISTREE_OK ? error : NULL);
	return of_others != HISTREE_OK ? of_others : status;
}

enum histree_status histree_numbers_verify(struct histree_history *history,
					   void (*report)(void *context, const char *fault), void *context,
					   struct histree_error *error)
{
	const struct history_union *hosts = history_union_of(history);
	return hosts != NULL ? history_union_check(hosts, verify_numbers, report, context, error)
			     : verify_numbers(history, report, context, error);
}

enum histree_status histree_sums_verify(struct histree_history *history,
					void (*report)(void *context, const char *fault), void *context,
					struct histree_error *error)
{
	const struct history_union *hosts = history_union_of(history);
	return hosts != NULL ? history_union_check(hosts, verify_sums, report, context, error)
			     : verify_sums(history, report, context, error);
}
