// SPDX-License-Identifier: MIT
#include "cli/tree_option.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const tree_option_variants[] = { "cluster", "sht", "osht", "esht", "rsht", "vrsht", NULL };
const char *const tree_option_preferences[] = {
	[HISTREE_PREFER_BALANCE] = "balance",
	[HISTREE_PREFER_SINGLE] = "single",
	[HISTREE_PREFER_FULL] = "full",
	[HISTREE_PREFER_SPACE] = "space",
	NULL,
};

/* NULL and unknown names give the default. */
static enum histree_preference preference_of(const char *name)
{
	for (int i = HISTREE_PREFER_BALANCE; name != NULL && tree_option_preferences[i] != NULL; i++)
		if (strcmp(tree_option_preferences[i], name) == 0)
			return (enum histree_preference)i;
	return HISTREE_PREFER_BALANCE;
}

const char *const tree_option_nulls[] = { "keep", "leave-out", NULL };

static enum histree_nulls nulls_of(const char *chosen)
{
	if (chosen == NULL)
		return HISTREE_NULLS_OF_VARIANT;
	return strcmp(chosen, "keep") == 0 ? HISTREE_NULLS_KEPT : HISTREE_NULLS_LEFT_OUT;
}

enum cli_exit tree_option_read(const struct tree_options *chosen, uint64_t threads,
			       struct histree_tree_options *out)
{
	if ((chosen->node_size & (chosen->node_size - 1)) != 0)
		return report_exit(CLI_USAGE, "'--node-size': %" PRIu64 " is not a power of two",
				   chosen->node_size);
	*out = (struct histree_tree_options){
		.variant = chosen->variant,
		.r_depth = (uint32_t)chosen->r_depth,
		.r_nodes = (uint32_t)chosen->r_nodes,
		.prefer = preference_of(chosen->prefer),
		.node_size = (uint32_t)chosen->node_size,
		.fan_out = (uint32_t)chosen->fan_out,
		.memory_max = chosen->memory,
		.threads = (uint32_t)threads,
		.nulls = nulls_of(chosen->nulls),
	};
	return CLI_OK;
}

size_t tree_option_of_process(uint64_t ceiling)
{
	enum { BESIDES_MAX = 64 << 20 };
	const uint64_t left = ceiling > BESIDES_MAX ? ceiling - BESIDES_MAX : 0, quarter = ceiling / 4;
	return left > quarter ? left : quarter;
}

static uint32_t number_of(const char *word)
{
	unsigned long number = strtoul(word, NULL, 10);
	return number <= UINT32_MAX ? (uint32_t)number : 0;
}

enum cli_exit tree_option_recall(const char *recipe, struct histree_tree_options *tree, bool *no_overviews)
{
	char *words = strdup(recipe != NULL ? recipe : ""), *rest = words;
	if (words == NULL)
		return report_no_memory();
	for (char *word; (word = strsep(&rest, " ")) != NULL;) {
		if (strcmp(word, "--no-overviews") == 0)
			*no_overviews = true;
		else if (strcmp(word, "--prefer") == 0 && rest != NULL)
			tree->prefer = preference_of(strsep(&rest, " "));
		else if (strcmp(word, "--nulls") == 0 && rest != NULL)
			tree->nulls = nulls_of(strsep(&rest, " "));
		else if (strcmp(word, "--r-nodes") == 0 && rest != NULL)
			tree->r_nodes = number_of(strsep(&rest, " "));
		else if (strcmp(word, "--r-depth") == 0 && rest != NULL)
			tree->r_depth = number_of(strsep(&rest, " "));
	}
	free(words);
	return CLI_OK;
}
