// SPDX-License-Identifier: MIT
#include <string.h>

#include "histree/view.h"
#include "query/thread_pieces.h"

static bool find(const struct histree_attributes *attributes, histree_quark thread, const char *name,
		 enum histree_part part, struct histree_place *out)
{
	*out = (struct histree_place){ .quark = HISTREE_ROOT, .part = part };
	return thread != HISTREE_ROOT &&
	       histree_attributes_child(attributes, thread, name, strlen(name), &out->quark) == HISTREE_OK;
}

bool histree_thread_place(const struct histree_attributes *attributes, histree_quark thread, const char *state,
			  struct histree_place *out)
{
	if (find(attributes, thread, state, HISTREE_WHOLE, out))
		return true;
	for (size_t i = 0; i < THREAD_PAIR_COUNT; i++) {
		if (strcmp(state, thread_pairs[i].first) == 0)
			return find(attributes, thread, thread_pairs[i].name, HISTREE_FIRST_PART, out);
		if (strcmp(state, thread_pairs[i].second) == 0)
			return find(attributes, thread, thread_pairs[i].name, HISTREE_SECOND_PART, out);
	}
	return false;
}
