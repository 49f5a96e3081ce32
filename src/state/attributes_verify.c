// SPDX-License-Identifier: MIT
#include "state/attributes_verify.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t attributes_verify(const struct histree_attributes *attributes,
			   void (*report)(void *context, const char *fault), void *context)
{
	const struct attribute_source *source = attributes->source;
	struct attribute_range near = { 0 };
	uint64_t faults = 0;
	uint32_t walked = 0;
	char text[120];
	for (histree_quark quark = attributes_next(attributes, HISTREE_ROOT, HISTREE_ROOT, &near);
	     quark != HISTREE_ROOT; quark = attributes_next(attributes, HISTREE_ROOT, quark, &near)) {
		struct attribute_name name = source->name(attributes, quark, &near);
		histree_quark parent = source->parent(attributes, quark, &near);
		bool named = name.text == NULL || name.size > 0;
		if (name.text != NULL) /* as a search for it reads it */
			name = attribute_name(name.text, name.size);
		walked++;
		if (named && source->child(attributes, parent, &name, NULL) == quark)
			continue;
		snprintf(text, sizeof(text), "attribute %" PRIu32 ": %s", quark,
			 named ? "its name does not lead to it" : "it has no name");
		report(context, text);
		faults++;
	}
	if (walked < attributes->count) {
		snprintf(text, sizeof(text), "of %" PRIu32 " attributes only %" PRIu32 " are below one another",
			 attributes->count, walked);
		report(context, text);
		faults++;
	}
	return faults;
}
