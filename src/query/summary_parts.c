// SPDX-License-Identifier: MIT
#include "query/summary_parts.h"

#include "segment/segment_union.h"

struct summary_parts summary_parts(const struct histree_segment_store *store,
				   const struct summaries_request *request)
{
	return (struct summary_parts){ .store = store, .request = request };
}

/* As it is, but for its value where the part has not that field. */
static enum histree_status take(void *context, const struct segment_summary *summary, struct histree_error *error)
{
	const struct summary_parts *parts = context;
	struct segment_summary own = *summary;
	if (parts->has_value)
		own.value = parts->value;
	return parts->request->take(parts->request->context, &own, error);
}

/* The field of a part that has the values of one of the union; together: the part has it not, or it is the host. */
static size_t field_of_part(const struct segment_union *body, const struct union_part *part, size_t field)
{
	if (field == SEGMENT_OVERVIEWS_TOGETHER || field + 1 == body->field_count ||
	    part->fields[field] == UNION_NO_FIELD)
		return SEGMENT_OVERVIEWS_TOGETHER;
	return part->fields[field];
}

static bool is_wanted(const struct segment_union *body, size_t part, const struct histree_segment_query *query)
{
	return query->host_filter == NULL || query->host_filter(query->host_context, body->parts[part].name);
}

bool summary_parts_next(struct summary_parts *parts)
{
	const struct segment_union *body = parts->store->body;
	const struct summaries_request *request = parts->request;
	while (parts->next < body->part_count) {
		size_t at = parts->next++;
		const struct union_part *part = &body->sources[at];
		if (!is_wanted(body, at, request->query))
			continue;
		bool is_host = request->field + 1 == body->field_count;
		parts->part = part->store;
		parts->of_part = *request;
		parts->of_part.field = field_of_part(body, part, request->field);
		parts->of_part.context = parts;
		parts->of_part.take = take;
		parts->has_value = parts->of_part.field == SEGMENT_OVERVIEWS_TOGETHER;
		parts->value = is_host ? part->host : histree_null();
		return true;
	}
	return false;
}
