// SPDX-License-Identifier: MIT
/* What a user may choose from: the table of analyses, and those that files define. */
#include "analysis/definition/definition_files.h"
#include "analysis/registry.h"
#include "histree/build.h"

static struct histree_analysis_info info_of(const struct registry_entry *entry)
{
	return (struct histree_analysis_info){
		.name = registry_name(entry),
		.version = registry_version(entry),
		.summary = entry->analysis != NULL ? entry->analysis->summary : entry->segments->summary,
		.makes_segments = entry->segments != NULL,
		.by_default = entry->by_default,
	};
}

bool histree_analysis(size_t index, struct histree_analysis_info *out)
{
	const struct registry_entry *entry = registry_at(index);
	if (entry == NULL)
		return false;
	*out = info_of(entry);
	return true;
}

enum histree_status histree_analyses_defined(const char *const *paths, size_t count,
					     void (*tell)(void *context,
							  const struct histree_analysis_info *analysis),
					     void *context, struct histree_error *error)
{
	struct definitions definitions = { 0 };
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = definition_files_read(&definitions, paths[i], error);
	for (size_t i = 0; i < definitions.count && status == HISTREE_OK; i++) {
		size_t entries;
		const struct registry_entry *entry = program_analysis_entries(definitions.analyses[i], &entries);
		struct histree_analysis_info info = info_of(entry); /* of two, states come first */
		tell(context, &info);
	}
	definitions_release(&definitions);
	return status;
}
