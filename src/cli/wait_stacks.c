// SPDX-License-Identifier: MIT
#include "cli/wait_stacks.h"

#include <stdlib.h>

#include "cli/host_part.h"
#include "cli/path_thread.h"
#include "cli/progress.h"

static enum cli_exit add(struct histree_flame *flame, const struct histree_flame_waits_request *request)
{
	struct histree_error error = { 0 };
	progress_catch_signals();
	enum histree_status status = histree_flame_add_waits(flame, request, &error);
	if (status == HISTREE_ERR_CANCELLED)
		progress_raise_signal();
	return status == HISTREE_OK ? CLI_OK : report_error(&error);
}

static enum cli_exit ask(struct histree_flame *flame, struct histree_flame_waits_request *request,
			 const struct wait_question *question)
{
	const struct time_span span = time_span_of_history(histree_history_info(request->graph));
	enum cli_exit code = time_option_range_of(&question->range, &span, &request->from, &request->to);
	if (code != CLI_OK || question->thread_count == 0)
		return code != CLI_OK ? code : add(flame, request);
	struct histree_flame_thread *threads = calloc(question->thread_count, sizeof(*threads));
	if (threads == NULL)
		return report_no_memory();
	for (size_t i = 0; i < question->thread_count && code == CLI_OK; i++)
		code = path_thread_read(question->threads[i], request->graph, &threads[i].host, &threads[i].tid);
	request->threads = threads;
	request->thread_count = question->thread_count;
	if (code == CLI_OK)
		code = add(flame, request);
	free(threads);
	return code;
}

enum cli_exit wait_stacks_add(struct histree_flame *flame, struct target *target, const char *path,
			      const struct wait_question *question, bool *lacks_hosts)
{
	struct histree_flame_waits_request request = { .depth = question->depth,
						       .by_thread = question->by_thread,
						       .cancel = { .go_on = progress_goes_on } };
	struct histree_error error = { 0 };
	enum cli_exit code = target_open_history(
		target, path, question->analysis != NULL ? question->analysis : "graph", &request.graph);
	if (code != CLI_OK)
		return code;
	/* Without one, stacks have no system calls. */
	if (target->store == NULL || target_history(target, "kernel", true, &request.kernel, &error) != HISTREE_OK)
		request.kernel = NULL;
	code = ask(flame, &request, question);
	*lacks_hosts = code == CLI_OK && host_part_missing(request.graph) != CLI_OK;
	histree_history_close(request.kernel);
	histree_history_close(request.graph);
	return code;
}
