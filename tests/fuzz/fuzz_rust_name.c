// SPDX-License-Identifier: MIT
/*
 * fuzz_rust_name.c - bytes as a name of Rust: reading it ends, and a shorter room gives the same text or none.
 */
#include <string.h>

#include "fuzz.h"
#include "symbols/demangle.h"

enum { ROOM = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *name = malloc(size + 1); /* of that size, so that a sanitizer sees what is read behind it */
	char *text = malloc(ROOM);
	REQUIRE(name != NULL && text != NULL);
	if (size > 0)
		memcpy(name, bytes, size);
	name[size] = '\0';
	if (rust_name_read(name, text, ROOM)) {
		const size_t length = strnlen(text, ROOM);
		char *exact = malloc(length + 1);
		REQUIRE(length < ROOM && exact != NULL);
		REQUIRE(rust_name_read(name, exact, length + 1) && strcmp(exact, text) == 0);
		REQUIRE(length == 0 || !rust_name_read(name, exact, length));
		free(exact);
	}
	free(name);
	free(text);
	return 0;
}
