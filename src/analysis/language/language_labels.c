// SPDX-License-Identifier: MIT
/*
 * language_labels.c - what values of attributes mean, as histree/labels.h has it:
 *
 *	label CPUs/<star>/Status: 0 "idle" 0xcccccc, 1 to 9 "busy", others "odd"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/language/language_parser.h"
#include "base/error.h"

/* The bytes up to a colon that a blank or the end of the line follows. */
static const char *read_pattern(struct language_parser *parser)
{
	const char *text = parser->source->text;
	size_t at = language_token(parser)->at, end = at;
	if (language_token(parser)->kind == LANGUAGE_TEXT) {
		const char *pattern = language_token(parser)->text;
		language_next(parser);
		return pattern;
	}
	while (strchr(" \t\r\n#", text[end]) == NULL &&
	       (text[end] != ':' || (text[end + 1] != '\0' && strchr(" \t\r\n#", text[end + 1]) == NULL)))
		end++;
	if (end == at)
		return language_expected(parser, "a pattern of attributes, as in 'CPUs/*'");
	char *pattern = arena_copy(&parser->tree->arena, text + at, end - at);
	if (pattern == NULL)
		return language_fail(parser, at, "out of memory");
	language_go_on(parser, end);
	return pattern;
}

static bool read_whole(struct language_parser *parser, int64_t *number)
{
	bool is_less = language_take_sign(parser, "-");
	const struct language_token token = *language_token(parser);
	if (token.kind != LANGUAGE_NUMBER || token.value.type != HISTREE_LONG) {
		language_expected(parser, "an integer, a text in quotes, or 'others'");
		return false;
	}
	*number = is_less ? -token.value.int64 : token.value.int64;
	language_next(parser);
	return true;
}

/* Which values the label is for. */
static bool read_values(struct language_parser *parser, struct histree_label *label)
{
	const struct language_token token = *language_token(parser);
	if (language_take_word(parser, "others")) {
		label->kind = HISTREE_LABEL_OTHERS;
		return true;
	}
	if (token.kind == LANGUAGE_TEXT) {
		label->kind = HISTREE_LABEL_TEXT;
		label->text = token.text;
		language_next(parser);
		return true;
	}
	label->kind = HISTREE_LABEL_NUMBERS;
	if (!read_whole(parser, &label->first))
		return false;
	label->last = label->first;
	size_t at = language_token(parser)->at;
	if (!language_take_word(parser, "to"))
		return true;
	if (!read_whole(parser, &label->last))
		return false;
	if (label->last < label->first)
		language_fail(parser, at, "the range ends before it begins");
	return parser->status == HISTREE_OK;
}

static bool read_label(struct language_parser *parser, struct histree_label *label)
{
	*label = (struct histree_label){ .is_code = true, .has_no_colour = true };
	if (!read_values(parser, label))
		return false;
	const struct language_token name = *language_token(parser);
	if (name.kind != LANGUAGE_TEXT || name.size - 2 > HISTREE_LABEL_TEXT_MAX || name.text[0] == '\0') {
		language_expected(parser, "what the value means, in quotes");
		return false;
	}
	language_next(parser);
	label->style = (struct histree_style){ .key = name.text, .name = name.text, .height = 1 };
	const struct language_token colour = *language_token(parser);
	if (colour.kind != LANGUAGE_NUMBER)
		return true;
	if (colour.value.type != HISTREE_LONG || colour.value.int64 < 0 || colour.value.int64 > 0xffffff) {
		language_expected(parser, "a colour as 0xff8800");
		return false;
	}
	label->has_no_colour = false;
	label->style.light = label->style.dark = (uint32_t)colour.value.int64;
	language_next(parser);
	return true;
}

/* Numbers by value, then texts by their bytes, then the others, as histree/labels.h wants them. */
static int order(const void *first, const void *second)
{
	const struct histree_label *a = first, *b = second;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind == HISTREE_LABEL_TEXT)
		return strcmp(a->text, b->text);
	return a->first < b->first ? -1 : a->first > b->first;
}

static bool overlap(const struct histree_label *a, const struct histree_label *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == HISTREE_LABEL_TEXT)
		return strcmp(a->text, b->text) == 0;
	return a->kind == HISTREE_LABEL_OTHERS || b->first <= a->last;
}

void language_read_label(struct language_parser *parser)
{
	struct histree_label *labels = NULL;
	size_t count = 0, at = language_token(parser)->at;
	struct language_label *table = language_allocate(parser, sizeof(*table));
	const char *pattern = read_pattern(parser);
	language_need_sign(parser, ":", "after the pattern");
	if (table == NULL || pattern == NULL || parser->status != HISTREE_OK)
		return;
	if (strlen(pattern) > HISTREE_LABEL_TEXT_MAX || strstr(pattern, "..") != NULL) {
		language_fail(parser, at, "a pattern has at most %d bytes and no '..'", HISTREE_LABEL_TEXT_MAX);
		return;
	}
	labels = calloc(LANGUAGE_LABELS_MAX, sizeof(*labels));
	if (labels == NULL) {
		language_fail(parser, at, "out of memory");
		return;
	}
	do {
		if (count + parser->tree->label_count == LANGUAGE_LABELS_MAX) {
			language_fail(parser, at, "an analysis has at most %d labels", LANGUAGE_LABELS_MAX);
			break;
		}
		if (!read_label(parser, &labels[count]))
			break;
		count++;
	} while (language_take_sign(parser, ","));
	qsort(labels, count, sizeof(*labels), order);
	for (size_t i = 1; i < count; i++)
		if (overlap(&labels[i - 1], &labels[i]))
			language_fail(parser, at, "two labels, \"%.40s\" and \"%.40s\", are for one value",
				      labels[i - 1].style.name, labels[i].style.name);
	struct histree_label *kept = language_allocate(parser, (count + 1) * sizeof(*kept));
	if (kept != NULL) {
		memcpy(kept, labels, count * sizeof(*kept));
		*table = (struct language_label){ .at = at, .pattern = pattern, .labels = kept, .count = count };
		struct language_label **last = &parser->tree->labels;
		while (*last != NULL)
			last = &(*last)->next;
		*last = table;
		parser->tree->label_count += count;
	}
	free(labels);
}
