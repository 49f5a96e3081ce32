// SPDX-License-Identifier: MIT
#include "cli/sample_flame.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "cli/segment_target.h"
#include "cli/stack_history.h"

static const char samples[] = "samples", stacks[] = "sample-stacks";

bool sample_flame_is_meant(const char *path, const char *analysis)
{
	struct target target = { 0 };
	struct histree_error error = { 0 };
	if (analysis != NULL)
		return strcmp(analysis, samples) == 0;
	/* What is wrong with the store is said when it is opened to be read. */
	const bool is_open = target_open(&target, path, &error) == HISTREE_OK;
	const bool is_meant = !is_open || (target.store != NULL && target_find_segments(&target, samples) != NULL &&
					   !stack_history_is_there(&target));
	target_close(&target);
	return is_meant;
}

/* ---- which threads ------------------------------------------------------------------------------------------ */

/* Appends the condition that a thread is this one: 42, or HOST/42.  NULL: it failed, which is reported. */
static char *with_thread(char *before, const char *thread)
{
	const char *slash = strrchr(thread, '/'), *number = slash != NULL ? slash + 1 : thread;
	char *both = NULL;
	const size_t digits = strspn(number, "0123456789");
	if (digits == 0 || digits > 10 || number[digits] != '\0' || strpbrk(thread, "\"\\") != NULL) {
		report_exit(CLI_USAGE, "'%s' is no thread: of samples, say its number, as 42 or HOST/42", thread);
	} else {
		char *host = NULL;
		if (slash != NULL && asprintf(&host, "host == \"%.*s\" && ", (int)(slash - thread), thread) < 0)
			host = NULL;
		if ((slash == NULL || host != NULL) &&
		    asprintf(&both, "%s%s(%stid == %s)", before != NULL ? before : "", before != NULL ? " || " : "",
			     host != NULL ? host : "", number) < 0)
			both = NULL;
		if (both == NULL)
			report_no_memory();
		free(host);
	}
	free(before);
	return both;
}

/* The condition that samples pass; *out is NULL if all do. */
static enum cli_exit write_where(const struct sample_question *question, char **out)
{
	char *threads = NULL;
	*out = NULL;
	for (size_t i = 0; i < question->thread_count; i++) {
		threads = with_thread(threads, question->threads[i]);
		if (threads == NULL)
			return CLI_USAGE;
	}
	if (threads == NULL || question->where == NULL) {
		*out = threads;
		return CLI_OK;
	}
	if (asprintf(out, "(%s) && (%s)", question->where, threads) < 0)
		*out = NULL;
	free(threads);
	return *out != NULL ? CLI_OK : report_no_memory();
}

/* ---- what is added ------------------------------------------------------------------------------------------ */

static void say_event(const struct histree_flame *flame, const struct sample_question *question)
{
	uint32_t count;
	const char *event = histree_flame_event(flame, question->side, &count);
	if (event != NULL && count > 1 && question->event == NULL)
		report("these are the samples of %s, of %" PRIu32 " events; '--event' chooses another", event,
		       count);
}

static enum cli_exit add(struct histree_flame *flame, const struct segment_target *target,
			 const struct sample_question *question)
{
	struct histree_error error = { 0 };
	struct histree_flame_samples_request request = { .samples = target->store,
							 .query = target->query,
							 .event = question->event,
							 .counts = question->counts,
							 .group = question->group,
							 .side = question->side };
	if (target_segments(&target->target, stacks, true, &request.stacks, &error) != HISTREE_OK)
		return report_exit(
			CLI_INPUT,
			"'%s' has samples without their stacks; 'histree build -a samples,sample-stacks' "
			"keeps both",
			target->target.path);
	progress_catch_signals();
	enum histree_status status = histree_flame_add_samples(flame, &request, &error);
	if (status == HISTREE_ERR_CANCELLED)
		progress_raise_signal();
	histree_segment_store_close(request.stacks);
	if (status != HISTREE_OK)
		return report_error(&error);
	say_event(flame, question);
	return CLI_OK;
}

enum cli_exit sample_flame_add(struct histree_flame *flame, const char *path,
			       const struct sample_question *question)
{
	struct segment_target target;
	char *const words[] = { (char *)(uintptr_t)path, (char *)(uintptr_t)samples };
	char *where;
	enum cli_exit code = write_where(question, &where);
	if (code != CLI_OK)
		return code;
	const struct segment_options options = { .from = question->range.from,
						 .to = question->range.to,
						 .from_name = question->range.from_name,
						 .to_name = question->range.to_name,
						 .where = where != NULL ? where : question->where,
						 .host = question->host,
						 .host_name = question->host_option };
	code = segment_target_open(&target, &(struct cli_words){ .words = words, .count = 2 }, &options);
	if (code == CLI_OK)
		code = add(flame, &target, question);
	segment_target_close(&target);
	free(where);
	return code;
}

enum cli_exit sample_flame_damaged(void)
{
	return report_exit(CLI_INPUT,
			   "incomplete: samples, or stacks of some, are damaged or of a host that is missing; "
			   "see 'histree verify' and 'histree repair'");
}
