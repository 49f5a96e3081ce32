// SPDX-License-Identifier: MIT
#include "server/catalogue/served_traces.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FOLDERS_DEEP_MAX = 8, FOLDERS_SEEN_MAX = 10000, TRACES_MAX = 1000 };

struct search {
	served_traces_visit *visit;
	void *context;
	size_t name_at; /* in a path */
	unsigned folders, traces;
	bool saw_all;
};

static bool has_file(const char *folder, const char *name)
{
	char path[PATH_MAX];
	struct stat facts;
	int length = snprintf(path, sizeof(path), "%s/%s", folder, name);
	return length < (int)sizeof(path) && stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

/* Returns whether there is a trace or a store, which has nothing below it to look for. */
static bool take(struct search *search, const char *folder)
{
	bool is_store = has_file(folder, "manifest.json");
	if (!is_store && !has_file(folder, "metadata"))
		return false;
	search->traces++;
	search->visit(search->context, &(struct served_trace){ folder, folder + search->name_at, is_store });
	return true;
}

static int is_folder(const struct dirent *entry)
{
	return entry->d_type == DT_DIR && entry->d_name[0] != '.';
}

static void look_into(struct search *search, const char *folder, unsigned depth)
{
	struct dirent **entries;
	if (depth > FOLDERS_DEEP_MAX || search->folders == FOLDERS_SEEN_MAX || search->traces == TRACES_MAX) {
		search->saw_all = false;
		return;
	}
	search->folders++;
	if (take(search, folder))
		return;
	int count = scandir(folder, &entries, is_folder, alphasort);
	for (int i = 0; i < count; i++) {
		char path[PATH_MAX];
		if (snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) < (int)sizeof(path))
			look_into(search, path, depth + 1);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

bool served_traces_each(const struct allowed_paths *allowed, served_traces_visit *visit, void *context)
{
	struct search search = { .visit = visit, .context = context, .saw_all = true };
	for (size_t i = 0; i < allowed->count; i++) {
		search.name_at = (size_t)(path_name(allowed->paths[i]) - allowed->paths[i]);
		look_into(&search, allowed->paths[i], 0);
	}
	return search.saw_all;
}
