// SPDX-License-Identifier: MIT
/*
 * fuzz_symbols.c - bytes as a table of symbols: each name that is found begins at its address.
 */
#include <string.h>

#include "fuzz.h"
#include "symbols/name_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct name_table table = { 0 };
	char *text =
		malloc(size > 0 ? size : 1); /* of that size, so that a sanitizer sees what is read behind it */
	REQUIRE(text != NULL);
	if (size > 0)
		memcpy(text, bytes, size);
	REQUIRE(name_table_read(&table, text, size));
	name_table_sort(&table);
	for (size_t i = 0; i < table.count; i++) {
		const struct named_range *range = name_table_find(&table, table.ranges[i].start);
		REQUIRE(range != NULL && range->start == table.ranges[i].start && *range->name != '\0');
	}
	name_table_release(&table);
	free(text);
	return 0;
}
