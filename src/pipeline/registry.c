// SPDX-License-Identifier: MIT
#include "pipeline/registry.h"

#include <stdio.h>
#include <string.h>

#include "histree/build.h"

const struct registry_entry registry[] = {
	{ .analysis = &analysis_kernel, .by_default = true },
	{ .analysis = &analysis_kernel_2016 },
	{ .analysis = &analysis_ust_calls, .by_default = true },
	{ .analysis = NULL },
};

const struct analysis *registry_find(const char *name)
{
	for (const struct registry_entry *entry = registry; entry->analysis != NULL; entry++)
		if (strcmp(entry->analysis->name, name) == 0)
			return entry->analysis;
	return NULL;
}

void registry_names(char *text, size_t capacity)
{
	size_t length = 0;
	text[0] = '\0';
	for (const struct registry_entry *entry = registry; entry->analysis != NULL && length < capacity; entry++)
		length += (size_t)snprintf(text + length, capacity - length, "%s%s", length == 0 ? "" : ", ",
					   entry->analysis->name);
}

bool histree_analysis(size_t index, struct histree_analysis_info *out)
{
	if (index >= sizeof(registry) / sizeof(*registry) - 1)
		return false;
	const struct analysis *analysis = registry[index].analysis;
	*out = (struct histree_analysis_info){
		.name = analysis->name,
		.version = analysis->version,
		.summary = analysis->summary,
		.by_default = registry[index].by_default,
	};
	return true;
}
