// SPDX-License-Identifier: MIT
#include "state/label_tables.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "state/attribute_pattern.h"

/* ---- checks ----------------------------------------------------------------------------------------------- */

static bool is_text(const char *text, bool may_be_empty)
{
	size_t size = text != NULL ? strnlen(text, HISTREE_LABEL_TEXT_MAX + 1) : 0;
	return size <= HISTREE_LABEL_TEXT_MAX && (size > 0 || (may_be_empty && text != NULL));
}

static enum histree_status check_patterns(const char *const *patterns, struct histree_error *error)
{
	size_t count = 0;
	for (; patterns != NULL && patterns[count] != NULL && count <= LABEL_PATTERNS_MAX; count++) {
		const char *pattern = patterns[count];
		struct path_component component;
		if (!is_text(pattern, false))
			return error_set(error, HISTREE_ERR_ARGUMENT, "a pattern has 1 to %d bytes",
					 HISTREE_LABEL_TEXT_MAX);
		enum histree_status status = pattern_check(pattern, error);
		if (status != HISTREE_OK)
			return status;
		for (const char *rest = pattern; path_cut(&rest, &component);)
			if (pattern_is_up(&component))
				return error_set(error, HISTREE_ERR_ARGUMENT,
						 "the pattern '%s' has '..': name the attributes from the top",
						 pattern);
	}
	if (count == 0 || count > LABEL_PATTERNS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "%s; it has 1 to %d",
				 count == 0 ? "it has no pattern" : "it has too many patterns", LABEL_PATTERNS_MAX);
	return HISTREE_OK;
}

static enum histree_status check_style(const struct histree_style *style, struct histree_error *error)
{
	if (!is_text(style->key, false) || !is_text(style->name, false))
		return error_set(error, HISTREE_ERR_ARGUMENT, "a label needs a key and a name of 1 to %d bytes",
				 HISTREE_LABEL_TEXT_MAX);
	if (style->light > 0xffffff || style->dark > 0xffffff)
		return error_set(error, HISTREE_ERR_ARGUMENT, "label '%s': a colour is 0xRRGGBB", style->name);
	if (!(style->height >= 0 && style->height <= 1))
		return error_set(error, HISTREE_ERR_ARGUMENT, "label '%s': its height is %g; it is 0 to 1",
				 style->name, style->height);
	return HISTREE_OK;
}

static enum histree_status check_label(const struct histree_label *label, struct histree_error *error)
{
	if (label->kind == HISTREE_LABEL_NUMBERS && label->first > label->last)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a label is for %" PRId64 " to %" PRId64 ": no number is that", label->first,
				 label->last);
	if (label->kind == HISTREE_LABEL_TEXT && !is_text(label->text, true))
		return error_set(error, HISTREE_ERR_ARGUMENT, "a label is for a text of more than %d bytes",
				 HISTREE_LABEL_TEXT_MAX);
	return label->is_hidden ? HISTREE_OK : check_style(&label->style, error);
}

/* Two labels that follow one another in the order. */
static enum histree_status check_apart(const struct histree_label *before, const struct histree_label *label,
				       struct histree_error *error)
{
	if (before->kind < label->kind)
		return HISTREE_OK;
	if (before->kind > label->kind)
		return error_set(error, HISTREE_ERR_ARGUMENT, "its labels are not in order");
	switch (label->kind) {
	case HISTREE_LABEL_NUMBERS:
		if (before->last < label->first)
			return HISTREE_OK;
		return error_set(error, HISTREE_ERR_ARGUMENT, "two labels are for the value %" PRId64,
				 label->first);
	case HISTREE_LABEL_TEXT:
		if (strcmp(before->text, label->text) < 0)
			return HISTREE_OK;
		return error_set(error, HISTREE_ERR_ARGUMENT, "two labels are for the text '%s'", label->text);
	case HISTREE_LABEL_OTHERS:
		break;
	}
	return error_set(error, HISTREE_ERR_ARGUMENT, "two labels are for all other values");
}

enum histree_status label_table_check(const struct histree_label_table *table, struct histree_error *error)
{
	if (!is_text(table->name, true))
		return error_set(error, HISTREE_ERR_ARGUMENT, "a table of labels needs a name of at most %d bytes",
				 HISTREE_LABEL_TEXT_MAX);
	enum histree_status status = check_patterns(table->patterns, error);
	if (status == HISTREE_OK && table->label_count > LABELS_MAX)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "%zu labels; the most is %d", table->label_count,
				   LABELS_MAX);
	for (size_t i = 0; i < table->label_count && status == HISTREE_OK; i++) {
		status = check_label(&table->labels[i], error);
		if (status == HISTREE_OK && i > 0)
			status = check_apart(&table->labels[i - 1], &table->labels[i], error);
	}
	if (status != HISTREE_OK)
		error_prefix(error, "labels '%s'", table->name);
	return status;
}

/* ---- one key, one style ----------------------------------------------------------------------------------- */

static int by_key(const void *one, const void *other)
{
	const struct histree_label *const *a = one, *const *b = other;
	return strcmp((*a)->style.key, (*b)->style.key);
}

static bool is_same(const struct histree_label *one, const struct histree_label *other)
{
	const struct histree_style *a = &one->style, *b = &other->style;
	return strcmp(a->name, b->name) == 0 && one->has_no_colour == other->has_no_colour &&
	       (one->has_no_colour || (a->light == b->light && a->dark == b->dark)) && a->height == b->height;
}

/* Tools know a style by its key. */
static enum histree_status check_keys(const struct histree_label_table *table, struct histree_error *error)
{
	const struct histree_label **sorted = malloc((table->label_count + 1) * sizeof(*sorted));
	size_t count = 0;
	enum histree_status status = HISTREE_OK;
	if (sorted == NULL)
		return error_memory(error, "labels");
	for (size_t i = 0; i < table->label_count; i++)
		if (!table->labels[i].is_hidden)
			sorted[count++] = &table->labels[i];
	if (count > 1)
		qsort(sorted, count, sizeof(const struct histree_label *), by_key);
	for (size_t i = 1; i < count && status == HISTREE_OK; i++)
		if (by_key(&sorted[i - 1], &sorted[i]) == 0 && !is_same(sorted[i - 1], sorted[i]))
			status = error_set(error, HISTREE_ERR_ARGUMENT,
					   "labels '%s': two that are not alike have the key '%s'", table->name,
					   sorted[i]->style.key);
	free(sorted);
	return status;
}

/* ---- copies ----------------------------------------------------------------------------------------------- */

static int by_value(const void *one, const void *other)
{
	const struct histree_label *a = one, *b = other;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->kind == HISTREE_LABEL_TEXT)
		return strcmp(a->text, b->text);
	return (a->first > b->first) - (a->first < b->first);
}

/* A text that is too long, or none, is refused by the check that follows. */
static const char *copy_text(struct label_tables *out, const char *text)
{
	return arena_copy(&out->memory, text != NULL ? text : "",
			  text != NULL ? strnlen(text, HISTREE_LABEL_TEXT_MAX + 1) : 0);
}

static bool copy_label(struct label_tables *out, struct histree_label *label)
{
	bool is_for_text = label->kind == HISTREE_LABEL_TEXT;
	label->text = is_for_text ? copy_text(out, label->text) : NULL;
	if (label->kind != HISTREE_LABEL_NUMBERS)
		label->first = label->last = 0;
	if (label->is_hidden) {
		label->is_code = label->has_no_colour = false;
		label->style = (struct histree_style){ .key = "", .name = "" };
		return !is_for_text || label->text != NULL;
	}
	label->style.key = copy_text(out, label->style.key);
	label->style.name = copy_text(out, label->style.name);
	return label->style.key != NULL && label->style.name != NULL && (!is_for_text || label->text != NULL);
}

static bool copy_labels(struct label_tables *out, struct histree_label_table *table)
{
	struct histree_label *labels = arena_allocate(&out->memory, (table->label_count + 1) * sizeof(*labels),
						      _Alignof(struct histree_label));
	bool copied = labels != NULL;
	for (size_t i = 0; i < table->label_count && copied; i++) {
		labels[i] = table->labels[i];
		copied = copy_label(out, &labels[i]);
	}
	if (!copied)
		return false;
	if (table->label_count > 1)
		qsort(labels, table->label_count, sizeof(*labels), by_value);
	table->labels = labels;
	return true;
}

static bool copy_patterns(struct label_tables *out, struct histree_label_table *table)
{
	size_t count = 0;
	while (table->patterns != NULL && table->patterns[count] != NULL && count <= LABEL_PATTERNS_MAX)
		count++;
	const char **patterns =
		arena_allocate(&out->memory, (count + 1) * sizeof(*patterns), _Alignof(const char *));
	if (patterns == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		if ((patterns[i] = copy_text(out, table->patterns[i])) == NULL)
			return false;
	patterns[count] = NULL;
	table->patterns = patterns;
	return true;
}

static enum histree_status copy_table(struct label_tables *out, const struct histree_label_table *from,
				      struct histree_error *error)
{
	struct histree_label_table *table = &out->tables[out->count];
	*table = *from;
	if (table->label_count > LABELS_MAX)
		return label_table_check(table, error);
	table->name = copy_text(out, from->name);
	if (table->name == NULL || !copy_patterns(out, table) || !copy_labels(out, table))
		return error_memory(error, "labels");
	enum histree_status status = label_table_check(table, error);
	if (status == HISTREE_OK)
		status = check_keys(table, error);
	out->count += status == HISTREE_OK;
	return status;
}

enum histree_status label_tables_copy(const struct histree_label_table *tables, size_t count,
				      struct label_tables *out, struct histree_error *error)
{
	*out = (struct label_tables){ 0 };
	if (count > HISTREE_LABEL_TABLES_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "%zu tables of labels; the most is %d", count,
				 HISTREE_LABEL_TABLES_MAX);
	out->tables = arena_allocate(&out->memory, (count + 1) * sizeof(*out->tables),
				     _Alignof(struct histree_label_table));
	enum histree_status status = out->tables != NULL ? HISTREE_OK : error_memory(error, "labels");
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = copy_table(out, &tables[i], error);
	if (status != HISTREE_OK)
		label_tables_release(out);
	return status;
}

void label_table_colour(struct histree_label *labels, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct histree_label *label = &labels[i];
		if (!label->has_no_colour)
			continue;
		const struct histree_value value = label->kind == HISTREE_LABEL_TEXT ? histree_string(label->text)
										     : histree_long(label->first);
		const struct histree_style *style = histree_style_of(NULL, &value);
		label->style.light = style->light;
		label->style.dark = style->dark;
	}
}

void label_tables_release(struct label_tables *tables)
{
	arena_release(&tables->memory);
	*tables = (struct label_tables){ 0 };
}
