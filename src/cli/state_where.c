// SPDX-License-Identifier: MIT
/*
 * state_where.c - --where of questions about states: which attributes and times an expression leaves.
 */
#include "cli/state_where.h"

#include "cli/thread_lives.h"
#include "histree/attributes.h"

static enum histree_status select_listed(struct histree_selection *selection, const struct attribute_list *list,
					 struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	/* All of them are listed by no pattern, and need no list. */
	if (list->count == histree_attributes_count(histree_history_attributes(selection->history)))
		return HISTREE_OK;
	histree_selection_none(selection);
	for (size_t i = 0; i < list->count && status == HISTREE_OK; i++)
		status = histree_selection_add_quark(selection, list->attributes[i].quark, error);
	return status;
}

/* Opens the history of the kernel, which says of threads what this one does not; *kernel is to be closed. */
static enum cli_exit lend_threads(const struct state_where *where, struct histree_state_filter *filter,
				  struct histree_history **kernel)
{
	struct histree_error error = { 0 };
	struct histree_history *part;
	if (!histree_state_filter_lacks_threads(filter) ||
	    target_history(where->target, NULL, true, kernel, &error) != HISTREE_OK ||
	    !thread_lives_are_of(*kernel))
		return CLI_OK;
	const enum cli_exit code = host_part_of_question(where->target, *kernel, where->question, &part);
	if (code == CLI_OK)
		histree_state_filter_take_threads(filter, part);
	return code;
}

/* Leaves the attributes and the window in which the expression can hold. */
static enum cli_exit narrow(const struct state_where *where, struct histree_state_filter *filter,
			    struct attribute_list *list, struct histree_window *window)
{
	struct histree_error error = { 0 };
	struct histree_selection selection;
	struct histree_region region;
	histree_selection_begin(&selection, where->history);
	selection.window = *window;
	enum histree_status status = select_listed(&selection, list, &error);
	if (status == HISTREE_OK)
		status = histree_state_filter_select(filter, &selection, &error);
	if (status == HISTREE_OK && histree_selection_region(&selection, &region)) {
		if (region.quarks != NULL)
			attribute_list_keep(list, region.quarks, region.quark_count);
		window->from = region.from;
		window->to = region.to;
	} else {
		attribute_list_keep(list, NULL, 0);
	}
	histree_selection_release(&selection);
	if (status == HISTREE_ERR_ARGUMENT)
		return report_exit(CLI_USAGE, "'--where': %s", error.message);
	return status == HISTREE_OK ? CLI_OK : report_error(&error);
}

/* The filter is freed after a failure too. */
static enum cli_exit apply(const struct state_where *where, struct attribute_list *list,
			   struct histree_window *window, struct histree_state_filter **filter)
{
	struct histree_error error = { 0 };
	struct histree_history *kernel = NULL;
	const enum histree_status status =
		histree_state_filter_create(where->history, where->question->where, filter, &error);
	if (status != HISTREE_OK)
		return report_exit(exit_of_status(status), "'--where': %s", error.message);
	enum cli_exit code = lend_threads(where, *filter, &kernel);
	if (code == CLI_OK)
		code = narrow(where, *filter, list, window);
	histree_history_close(kernel);
	return code;
}

enum cli_exit state_where_states(const struct state_where *where, struct attribute_list *list, histree_time *from,
				 histree_time *to, struct histree_state_filter **filter)
{
	struct histree_window window = HISTREE_WINDOW_ALL;
	if (where->question->where == NULL)
		return CLI_OK;
	if (from != NULL)
		window = (struct histree_window){ .from = *from, .to = *to };
	const enum cli_exit code = apply(where, list, &window, filter);
	if (code == CLI_OK && from != NULL) {
		*from = window.from;
		*to = window.to;
	}
	return code;
}

enum cli_exit state_where_rows(const struct state_where *where, struct attribute_list *list, histree_time from,
			       histree_time to)
{
	struct histree_window window = { .from = from, .to = to };
	struct histree_state_filter *filter = NULL;
	if (where->question->where == NULL)
		return CLI_OK;
	enum cli_exit code = apply(where, list, &window, &filter);
	if (code == CLI_OK && !histree_state_filter_is_of_rows(filter))
		code = report_exit(CLI_USAGE,
				   "'--where' chooses rows here, which have a path, quark, thread, process, "
				   "name and host; 'histree states --where' asks for states");
	else if (code == CLI_OK && list->count == 0)
		code = report_none("rows", where->question->where);
	histree_state_filter_free(filter);
	return code;
}
