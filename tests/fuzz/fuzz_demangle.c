// SPDX-License-Identifier: MIT
/*
 * fuzz_demangle.c - bytes as a name of C++ or Rust: reading it ends, and its text is the same the second time.
 */
#include <string.h>

#include "fuzz.h"
#include "symbols/demangle.h"

FUZZ_TARGET(bytes, size)
{
	struct demangler demangler = { .text = NULL };
	char *name = malloc(size + 1); /* of that size, so that a sanitizer sees what is read behind it */
	REQUIRE(name != NULL);
	if (size > 0)
		memcpy(name, bytes, size);
	name[size] = '\0';
	const char *text = demangle(&demangler, name);
	if (text != name) {
		char *before = strdup(text);
		REQUIRE(before != NULL && strlen(before) < DEMANGLED_SIZE_MAX);
		REQUIRE(strcmp(demangle(&demangler, name), before) == 0);
		free(before);
	}
	demangler_release(&demangler);
	free(name);
	return 0;
}
