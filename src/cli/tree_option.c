// SPDX-License-Identifier: MIT
#include "cli/tree_option.h"

#include <inttypes.h>
#include <string.h>

const char *const tree_option_variants[] = { "cluster", "sht", "osht", "esht", "rsht", "vrsht", NULL };
const char *const tree_option_preferences[] = {
	[HISTREE_PREFER_BALANCE] = "balance",
	[HISTREE_PREFER_SINGLE] = "single",
	[HISTREE_PREFER_FULL] = "full",
	[HISTREE_PREFER_SPACE] = "space",
	NULL,
};

/* NULL: the default. */
static enum histree_preference preference_of(const char *name)
{
	int preference = HISTREE_PREFER_BALANCE;
	while (name != NULL && strcmp(tree_option_preferences[preference], name) != 0)
		preference++;
	return (enum histree_preference)preference;
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
