// SPDX-License-Identifier: MIT
/*
 * lookup_rows.c - tops of stacks, first values, and changes in the order of time (histree/lookup.h), as rows of
 * intervals.
 */
#include "cli/lookup_rows.h"

#include <stdlib.h>

#include "base/cancel.h"
#include "histree/lookup.h"

/* ---- one attribute after the other ---------------------------------------------------------------------- */

/* The top of a stack is a state of another attribute, below the one that was asked for. */
static enum cli_exit put_top(const struct histree_attributes *attributes, const struct histree_interval *interval,
			     answer_taker *take, void *context)
{
	size_t size = histree_attributes_path(attributes, interval->quark, NULL, 0);
	char *path = malloc(size + 1);
	if (path == NULL)
		return report_no_memory();
	histree_attributes_path(attributes, interval->quark, path, size + 1);
	const struct listed_attribute top = { .path = path, .path_size = (uint32_t)size, .quark = interval->quark };
	take(context, &top, interval);
	free(path);
	return CLI_OK;
}

static enum cli_exit print_top(const struct lookup_question *question, const struct listed_attribute *attribute,
			       struct histree_query *query, answer_taker *take, void *context)
{
	const struct histree_attributes *attributes = histree_history_attributes(question->history);
	struct histree_interval interval;
	struct histree_error error = { 0 };
	histree_quark first;
	bool has_frames = histree_attributes_child(attributes, attribute->quark, "1", 1, &first) == HISTREE_OK;
	/* What is unknown would pass for a stack whose depth is. */
	if (!has_frames && question->attributes->count > 1)
		return CLI_OK;
	enum histree_status status =
		histree_lookup_stack_top(query, attribute->quark, question->from, &interval, &error);
	bool is_no_stack = status == HISTREE_ERR_TYPE || status == HISTREE_ERR_ARGUMENT;
	if (status == HISTREE_OK)
		return put_top(attributes, &interval, take, context);
	/* A pattern may match others too. */
	if (status == HISTREE_NOT_FOUND || (is_no_stack && question->attributes->count > 1))
		return CLI_OK;
	return is_no_stack ? report_exit(CLI_USAGE, "%s", error.message) : report_error(&error);
}

static enum cli_exit print_first_value(const struct lookup_question *question,
				       const struct listed_attribute *attribute, struct histree_query *query,
				       answer_taker *take, void *context)
{
	struct histree_interval interval;
	struct histree_error error = { 0 };
	enum histree_status status = histree_lookup_first_value(query, attribute->quark, question->from,
								question->to, &interval, &error);
	if (status == HISTREE_OK)
		take(context, attribute, &interval);
	return status == HISTREE_OK || status == HISTREE_NOT_FOUND ? CLI_OK : report_error(&error);
}

static enum cli_exit print_each(const struct lookup_question *question, answer_taker *take, void *context,
				bool *is_damaged)
{
	struct histree_query *query;
	struct histree_error error = { 0 };
	enum cli_exit code = CLI_OK;
	if (histree_query_create(question->history, &query, &error) != HISTREE_OK)
		return report_error(&error);
	for (size_t i = 0; i < question->attributes->count && code == CLI_OK; i++) {
		const struct listed_attribute *attribute = &question->attributes->attributes[i];
		if (cancel_check(&question->cancel, 0, &error) != HISTREE_OK) {
			code = report_error(&error);
			break;
		}
		code = question->lookup == LOOKUP_STACK_TOP
			       ? print_top(question, attribute, query, take, context)
			       : print_first_value(question, attribute, query, take, context);
		*is_damaged |= histree_query_stats(query).nodes_damaged > 0;
	}
	histree_query_free(query);
	return code;
}

/* ---- changes -------------------------------------------------------------------------------------------- */

static int compare_quarks(const void *one, const void *other)
{
	const struct listed_attribute *const *a = one, *const *b = other;
	return ((*a)->quark > (*b)->quark) - ((*a)->quark < (*b)->quark);
}

static const struct listed_attribute *find(const struct listed_attribute *const *by_quark, size_t count,
					   histree_quark quark)
{
	const struct listed_attribute wanted = { .quark = quark }, *key = &wanted;
	const struct listed_attribute *const *found =
		bsearch(&key, by_quark, count, sizeof(*by_quark), compare_quarks);
	return found != NULL ? *found : NULL;
}

/* `by_quark` has the attributes that are asked for, and `quarks` their quarks. */
static enum histree_status put_changes(const struct lookup_question *question,
				       const struct listed_attribute *const *by_quark, const histree_quark *quarks,
				       answer_taker *take, void *context, bool *is_damaged,
				       struct histree_error *error)
{
	size_t count = question->attributes->count;
	const struct histree_changes_region region = { .quarks = quarks,
						       .quark_count = count,
						       .from = question->from,
						       .to = question->to,
						       .backwards = question->backwards };
	struct histree_changes *changes = NULL;
	struct histree_change change;
	uint64_t left = question->count_max != 0 ? question->count_max : UINT64_MAX;
	enum histree_status status = histree_changes_create(question->history, &changes, error);
	if (status == HISTREE_OK)
		status = histree_changes_start(changes, &region, error);
	for (uint64_t step = 0; status == HISTREE_OK && left > 0; step++) {
		status = cancel_check(&question->cancel, step, error);
		if (status == HISTREE_OK)
			status = histree_changes_next(changes, &change, error);
		for (size_t i = 0; status == HISTREE_OK && i < change.count && left > 0; i++) {
			const struct histree_interval *state = &change.intervals[i];
			if (question->filter != NULL && !histree_state_filter_match(question->filter, state))
				continue;
			take(context, find(by_quark, count, state->quark), state);
			left--;
		}
	}
	*is_damaged = changes != NULL && histree_changes_are_damaged(changes);
	histree_changes_free(changes);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum cli_exit print_changes(const struct lookup_question *question, answer_taker *take, void *context,
				   bool *is_damaged)
{
	size_t count = question->attributes->count;
	struct histree_error error = { 0 };
	enum cli_exit code = CLI_OK;
	histree_quark *quarks = malloc((count + 1) * sizeof(*quarks));
	const struct listed_attribute **by_quark = malloc((count + 1) * sizeof(struct listed_attribute *));
	if (quarks == NULL || by_quark == NULL) {
		code = report_no_memory();
	} else {
		for (size_t i = 0; i < count; i++)
			by_quark[i] = &question->attributes->attributes[i];
		qsort((void *)by_quark, count, sizeof(struct listed_attribute *), compare_quarks);
		for (size_t i = 0; i < count; i++)
			quarks[i] = by_quark[i]->quark;
		if (count > 0 &&
		    put_changes(question, by_quark, quarks, take, context, is_damaged, &error) != HISTREE_OK)
			code = report_error(&error);
	}
	free((void *)by_quark);
	free(quarks);
	return code;
}

enum cli_exit lookup_report_nothing(enum lookup lookup)
{
	static const char *const sentences[] = {
		[LOOKUP_NONE] = "",
		[LOOKUP_STACK_TOP] = "no attribute that matches is a stack with something on it at that time",
		[LOOKUP_FIRST_VALUE] = "all attributes that match are null in that range",
		[LOOKUP_CHANGES] = "no attribute that matches changes in that range",
	};
	return report_exit(CLI_NOTHING, "%s", sentences[lookup]);
}

enum cli_exit lookup_rows(const struct lookup_question *question, answer_taker *take, void *context,
			  bool *is_damaged)
{
	*is_damaged = false;
	return question->lookup == LOOKUP_CHANGES ? print_changes(question, take, context, is_damaged)
						  : print_each(question, take, context, is_damaged);
}
