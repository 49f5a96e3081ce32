// SPDX-License-Identifier: MIT
#include "cli/stack_history.h"

#include <stdlib.h>
#include <string.h>

#include "cli/attribute_list.h"
#include "cli/progress.h"

/* ---- which history ------------------------------------------------------------------------------------------ */

static bool stop(void *context, histree_quark quark)
{
	(void)context;
	(void)quark;
	return false;
}

static bool has_stacks(const struct histree_history *history)
{
	struct histree_error error;
	return histree_attributes_match(histree_history_attributes(history), HISTREE_ROOT, "**/CallStack/1", stop,
					NULL, &error) == HISTREE_OK;
}

/* Returns the analysis at a place in the order in which histories are tried; NULL at the end. */
static const char *analysis_at(const struct histree_store_info *info, size_t place)
{
	static const char *const first[] = { "ust-calls", "tracks" };
	enum { FIRST = sizeof(first) / sizeof(*first) };
	if (place < FIRST)
		return first[place];
	return place - FIRST < info->history_count ? info->histories[place - FIRST].analysis : NULL;
}

/* Returns NULL if there is none. */
static struct histree_history *find_history(const struct target *target)
{
	struct histree_history *history;
	const struct histree_store_info *info = histree_store_info(target->store);
	struct histree_error error = { 0 };
	const char *analysis;
	for (size_t place = 0; (analysis = analysis_at(info, place)) != NULL; place++) {
		if (target_history(target, analysis, true, &history, &error) != HISTREE_OK)
			continue;
		if (has_stacks(history))
			return history;
		histree_history_close(history);
	}
	return NULL;
}

bool stack_history_is_there(const struct target *target)
{
	struct histree_history *history = find_history(target);
	histree_history_close(history);
	return history != NULL;
}

static enum cli_exit open_history(const struct target *target, struct histree_history **out)
{
	*out = find_history(target);
	if (*out != NULL)
		return CLI_OK;
	return report_exit(
		CLI_INPUT,
		"'%s' has no call stacks; 'histree build -a ust-calls' makes them of lttng-ust-cyg-profile "
		"and uftrace, '-a samples,sample-stacks' of perf record -g, '-a tracks' of spans, and files that "
		"define analyses of other events",
		target->path);
}

enum cli_exit stack_history_open(struct target *target, const char *path, const char *analysis,
				 struct histree_history **out)
{
	*out = NULL;
	if (analysis != NULL)
		return target_open_history(target, path, analysis, out);
	struct histree_error error = { 0 };
	enum histree_status status = target_open(target, path, &error);
	if (status == HISTREE_OK && target->store == NULL)
		status = target_history(target, NULL, true, out, &error);
	if (status != HISTREE_OK)
		return report_error(&error);
	enum cli_exit code = *out == NULL ? open_history(target, out) : CLI_OK;
	if (code == CLI_OK)
		target_warn_of_version(target, histree_history_info(*out)->provider,
				       histree_history_info(*out)->provider_version);
	return code;
}

/* ---- what is added ------------------------------------------------------------------------------------------ */

static enum cli_exit add(struct histree_flame *flame, const struct histree_flame_request *request)
{
	struct histree_error error = { 0 };
	progress_catch_signals();
	enum histree_status status = histree_flame_add_history(flame, request, &error);
	if (status == HISTREE_ERR_CANCELLED)
		progress_raise_signal();
	return status == HISTREE_OK ? CLI_OK : report_error(&error);
}

enum cli_exit stack_history_add(struct histree_flame *flame, const struct stack_question *question)
{
	struct histree_flame_request request = { .history = question->history,
						 .side = question->side,
						 .by_thread = question->by_thread,
						 .cancel = { .go_on = progress_goes_on } };
	const struct time_span span = time_span_of_history(
		histree_history_info(question->whole != NULL ? question->whole : question->history));
	struct attribute_list list = { 0 };
	enum cli_exit code = time_option_range_of(&question->range, &span, &request.from, &request.to);
	if (code != CLI_OK)
		return code;
	if (question->pattern_count == 0)
		return add(flame, &request);
	code = attribute_list_match(&list, question->history, question->patterns, question->pattern_count,
				    ALL_ATTRIBUTES);
	histree_quark *quarks = malloc((list.count + 1) * sizeof(*quarks));
	for (size_t i = 0; i < list.count && quarks != NULL; i++)
		quarks[i] = list.attributes[i].quark;
	request.quarks = quarks;
	request.quark_count = list.count;
	if (code == CLI_OK)
		code = quarks != NULL ? add(flame, &request) : report_no_memory();
	free(quarks);
	attribute_list_release(&list);
	return code;
}
