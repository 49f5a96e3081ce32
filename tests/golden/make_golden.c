// SPDX-License-Identifier: MIT
/*
 * make_golden FOLDER - write the golden files of this version of the format, one a variant and one of segments, and
 * the sums of their texts.
 *
 * Run it once for a new format version or a new variant, and commit what it makes.  Files of a version that was
 * released are kept for ever and never made again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden_history.h"
#include "golden_segments.h"
#include "tree/tree_shape.h"

static int complain(const char *path, const struct histree_error *error)
{
	fprintf(stderr, "%s: %s\n", path, error->message);
	return 1;
}

/* Writes the sums of what `out` got, whose text is `text`. */
static int write_sums(const char *folder, const char *name, FILE *out, char **text)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *sums = fclose(out) == 0 ? fopen(path, "w") : NULL;
	if (sums != NULL)
		golden_sum(*text, sums);
	free(*text);
	return sums == NULL || fclose(sums) != 0;
}

static int write_text(const char *folder, const char *history_path)
{
	char *text;
	size_t size;
	struct histree_error error;
	struct histree_history *history;
	if (histree_history_open(history_path, NULL, &history, &error) != HISTREE_OK)
		return complain(history_path, &error);
	FILE *out = open_memstream(&text, &size);
	if (out == NULL || golden_dump(history, out, &error) != HISTREE_OK)
		return complain(history_path, &error);
	histree_history_close(history);
	return write_sums(folder, "history.txt", out, &text);
}

static int write_segments(const char *folder)
{
	char path[4096], *text;
	size_t size;
	struct histree_error error;
	struct histree_segment_store *store;
	snprintf(path, sizeof(path), "%s/v2-segments.sht", folder);
	if (golden_segments_build(path, &error) != HISTREE_OK ||
	    golden_segments_make_table(path, &error) != HISTREE_OK ||
	    histree_segment_store_open(path, NULL, &store, &error) != HISTREE_OK)
		return complain(path, &error);
	FILE *out = open_memstream(&text, &size);
	if (out == NULL || golden_segments_dump(store, out, &error) != HISTREE_OK)
		return complain(path, &error);
	histree_segment_store_close(store);
	return write_sums(folder, "segments.txt", out, &text);
}

int main(int count, char **arguments)
{
	char path[4096];
	struct histree_error error;
	if (count != 2) {
		fprintf(stderr, "usage: make_golden FOLDER\n");
		return 2;
	}
	for (size_t i = 0; tree_variants[i] != NULL; i++) {
		snprintf(path, sizeof(path), "%s/v2-%s.sht", arguments[1], tree_variants[i]->name);
		if (golden_build(path, tree_variants[i]->name, &error) != HISTREE_OK)
			return complain(path, &error);
	}
	return write_text(arguments[1], path) || write_segments(arguments[1]);
}
