// SPDX-License-Identifier: MIT
#include "server/tsp/state_tags.h"

#include <string.h>

enum { EXPRESSIONS_MAX = 32 };

static bool bad(const struct call *call, const char *message)
{
	reply_error(call->reply, HTTP_BAD_REQUEST, "filter_query_parameters: %s", message);
	return false;
}

/* Append the texts of a list; false: it is none, or too long. */
static bool list_texts(const json_t *list, const char **texts, size_t *count)
{
	if (list != NULL && !json_is_array(list))
		return false;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *text = json_string_value(json_array_get(list, i));
		if (text == NULL || *count == EXPRESSIONS_MAX)
			return false;
		if (strspn(text, " \t") < strlen(text))
			texts[(*count)++] = text;
	}
	return true;
}

bool state_tags_read(const struct call *call, const struct state_kind *kind, histree_time start, histree_time end,
		     struct state_tags *out)
{
	const json_t *given = json_object_get(call->parameters, "filter_query_parameters");
	const json_t *map = json_object_get(given, "filter_expressions_map");
	const char *strategy = json_string_value(json_object_get(given, "strategy"));
	const char *texts[EXPRESSIONS_MAX];
	size_t search_count = 0, count;
	struct histree_error error = { 0 };
	*out = (struct state_tags){ 0 };
	if (strategy != NULL && strcmp(strategy, "SAMPLED") != 0 && strcmp(strategy, "DEEP") != 0)
		return bad(call, "the strategy is SAMPLED or DEEP");
	if (!list_texts(json_object_get(map, "1"), texts, &search_count))
		return bad(call, "the expressions of key 1 are no list of texts, or too many");
	count = search_count;
	if (!list_texts(json_object_get(map, "4"), texts, &count))
		return bad(call, "the expressions of key 4 are no list of texts, or too many");
	bool is_deep = strategy != NULL && strcmp(strategy, "DEEP") == 0 && count > 0;
	enum histree_status status = HISTREE_OK;
	if (search_count > 0)
		status = state_filter_create(texts, search_count, kind, start, end, &out->search, &error);
	if (status == HISTREE_OK && count > search_count)
		status = state_filter_create(texts + search_count, count - search_count, kind, start, end,
					     &out->filter, &error);
	if (status == HISTREE_OK && is_deep)
		status = state_filter_create(texts, count, kind, start, end, &out->both, &error);
	if (status == HISTREE_OK)
		return true;
	state_tags_release(out);
	reply_failure(call->reply, &error);
	return false;
}

void state_tags_release(struct state_tags *tags)
{
	state_filter_free(tags->search);
	state_filter_free(tags->filter);
	state_filter_free(tags->both);
	*tags = (struct state_tags){ 0 };
}

unsigned state_tags_of(const struct state_tags *tags, const struct state_owner *owner,
		       const struct histree_interval *state)
{
	unsigned bits = 0;
	if (tags->search != NULL && !state_filter_match(tags->search, owner, state))
		bits |= STATE_DIMMED;
	if (tags->filter != NULL && !state_filter_match(tags->filter, owner, state))
		bits |= STATE_EXCLUDED;
	return bits;
}
