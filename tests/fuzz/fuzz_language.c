// SPDX-License-Identifier: MIT
/*
 * fuzz_language.c - bytes as an analysis in our own language.  Reading it ends, soon; what is refused is said with
 * file, line and column, and the line with a caret.
 */
#include <string.h>

#include "analysis/language/language_tree.h"
#include "fuzz.h"

static enum histree_status read_tree(const struct language_source *source, struct histree_error *error)
{
	struct language_tree tree = { 0 };
	enum histree_status status = language_source_check(source, error);
	if (status == HISTREE_OK)
		status = language_parse(source, &tree, error);
	if (status == HISTREE_OK)
		status = language_check(source, &tree, error);
	language_tree_release(&tree);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct histree_error error = { 0 };
	char *text = malloc(size + 1);
	REQUIRE(text != NULL);
	memcpy(text, bytes, size);
	text[size] = '\0';
	struct language_source source = { .path = "x", .text = text, .size = size };
	enum histree_status status = read_tree(&source, &error);
	if (status != HISTREE_OK) {
		REQUIRE(status == HISTREE_ERR_ARGUMENT);
		REQUIRE(strncmp(error.message, "x:", 2) == 0);
		REQUIRE(size > LANGUAGE_BYTES_MAX || strchr(error.message, '\n') == NULL ||
			error.message[strlen(error.message) - 1] == '^');
	}
	free(text);
	return 0;
}
