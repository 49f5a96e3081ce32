// SPDX-License-Identifier: MIT
/* What a user may choose from the table of analyses. */
#include "analysis/registry.h"
#include "histree/build.h"

bool histree_analysis(size_t index, struct histree_analysis_info *out)
{
	const struct registry_entry *entry = registry_at(index);
	if (entry == NULL)
		return false;
	*out = (struct histree_analysis_info){
		.name = registry_name(entry),
		.version = registry_version(entry),
		.summary = entry->analysis != NULL ? entry->analysis->summary : entry->segments->summary,
		.makes_segments = entry->segments != NULL,
		.by_default = entry->by_default,
	};
	return true;
}
