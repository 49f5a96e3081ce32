// SPDX-License-Identifier: MIT
#include "cli/state_where.h"

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

static void take_region(const struct histree_region *region, struct attribute_list *list, histree_time *from,
			histree_time *to)
{
	if (region->quarks != NULL)
		attribute_list_keep(list, region->quarks, region->quark_count);
	if (from != NULL) {
		*from = region->from;
		*to = region->to;
	}
}

enum cli_exit state_where_apply(const char *text, struct histree_history *history, struct attribute_list *list,
				histree_time *from, histree_time *to, struct histree_state_filter **filter)
{
	struct histree_error error = { 0 };
	struct histree_selection selection;
	struct histree_region region;
	enum histree_status status = histree_state_filter_create(history, text, filter, &error);
	if (status != HISTREE_OK)
		return report_exit(exit_of_status(status), "'--where': %s", error.message);
	histree_selection_begin(&selection, history);
	if (from != NULL) {
		selection.window.from = *from;
		selection.window.to = *to;
	}
	status = select_listed(&selection, list, &error);
	if (status == HISTREE_OK)
		status = histree_state_filter_select(*filter, &selection, &error);
	if (status == HISTREE_OK && histree_selection_region(&selection, &region))
		take_region(&region, list, from, to);
	else
		attribute_list_keep(list, NULL, 0);
	histree_selection_release(&selection);
	return status == HISTREE_OK ? CLI_OK : report_error(&error);
}
