// SPDX-License-Identifier: MIT
#include "cli/segment_target.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/time_option.h"

enum cli_exit segment_target_open(struct target *target, const char *path, const char *analysis, const char *from,
				  const char *to, struct histree_segment_store **out,
				  struct histree_segment_query *query)
{
	*out = NULL;
	*query = HISTREE_SEGMENTS_ALL;
	struct histree_error error = { 0 };
	enum histree_status status = target_open(target, path, &error);
	if (status == HISTREE_OK)
		status = target_segments(target, analysis, false, out, &error);
	if (status != HISTREE_OK)
		return report_error(&error);
	if (from == NULL && to == NULL)
		return CLI_OK;
	const struct histree_segment_store_info *segments = histree_segment_store_info(*out);
	struct histree_history_info span = { .start = segments->start, .end = segments->end };
	if (target->store != NULL) {
		span.start = histree_store_info(target->store)->start;
		span.end = histree_store_info(target->store)->end;
	}
	return time_option_range(from, to, &span, &query->from, &query->to);
}

enum cli_exit segment_target_field(const struct histree_segment_store *store, const char *option, const char *name,
				   size_t *field)
{
	if (histree_segment_store_field(store, name, field) == HISTREE_OK)
		return CLI_OK;
	const struct histree_segment_schema *schema = &histree_segment_store_info(store)->schema;
	char names[256] = "";
	size_t length = 0;
	for (size_t i = 0; i < schema->field_count && length < sizeof(names); i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s", i == 0 ? "" : ", ",
					   schema->fields[i].name);
	return report_exit(CLI_USAGE, "'--%s': these segments have no field '%s'; they have %s", option, name,
			   names);
}

enum cli_exit segment_target_report_loss(const struct histree_segment_loss *loss)
{
	return report_exit(CLI_INPUT,
			   "incomplete: %" PRIu64 " segments at most, from %" PRId64 " to %" PRId64
			   ", were in node %u, which is damaged; see 'histree verify' and 'histree repair'",
			   loss->count_max, loss->from, loss->to, loss->node);
}
