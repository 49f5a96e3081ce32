// SPDX-License-Identifier: MIT
/*
 * fuzz_language.c - bytes as an analysis in our own language.  Reading and compiling it ends, soon; what is refused
 * is said with file, line and column, and the line with a caret; what is read twice is the same program.
 */
#include <string.h>

#include "analysis/language/language.h"
#include "analysis/language/language_tree.h"
#include "fuzz.h"

static enum histree_status read_text(const char *text, size_t size, struct definitions *definitions,
				     struct histree_error *error)
{
	*definitions = (struct definitions){ 0 };
	return language_read("x", text, size, definitions, error);
}

static uint32_t version_of(const struct definitions *definitions)
{
	size_t count;
	return registry_version(program_analysis_entries(definitions->analyses[0], &count));
}

FUZZ_TARGET(bytes, size)
{
	struct histree_error error = { 0 };
	struct definitions definitions, again;
	char *text = malloc(size + 1);
	REQUIRE(text != NULL);
	memcpy(text, bytes, size);
	text[size] = '\0';
	enum histree_status status = read_text(text, size, &definitions, &error);
	if (status == HISTREE_OK) {
		REQUIRE(definitions.count == 1);
		REQUIRE(read_text(text, size, &again, &error) == HISTREE_OK);
		REQUIRE(version_of(&definitions) == version_of(&again));
		definitions_release(&again);
	} else {
		REQUIRE(status == HISTREE_ERR_ARGUMENT);
		REQUIRE(strncmp(error.message, "x:", 2) == 0);
		REQUIRE(strchr(error.message, '\n') == NULL || error.message[strlen(error.message) - 1] == '^');
	}
	definitions_release(&definitions);
	free(text);
	return 0;
}
