// SPDX-License-Identifier: MIT
#include "tree/variant.h"

#include <string.h>

const struct tree_variant *const tree_variants[] = {
	&variant_sht, &variant_osht, &variant_esht, &variant_rsht, &variant_vrsht, &variant_cluster, NULL,
};

const struct tree_variant *tree_variant_by_name(const char *name)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++)
		if (strcmp(tree_variants[i]->name, name) == 0)
			return tree_variants[i];
	return NULL;
}

const struct tree_variant *tree_variant_by_id(uint32_t id)
{
	for (size_t i = 0; tree_variants[i] != NULL; i++)
		if (tree_variants[i]->id == id)
			return tree_variants[i];
	return id == variant_segments.id ? &variant_segments : NULL;
}
