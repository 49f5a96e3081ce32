// SPDX-License-Identifier: MIT
/*
 * charts_check.c - what a chart may say, of whoever declares it and of the bytes of a file.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "state/attribute_pattern.h"
#include "state/chart_section.h"

static bool is_text(const char *text)
{
	return text != NULL && strnlen(text, HISTREE_CHART_TEXT_MAX + 1) <= HISTREE_CHART_TEXT_MAX;
}

static bool is_name(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";
	return is_text(name) && *name != '\0' && strspn(name, allowed) == strlen(name);
}

static enum histree_status check_path(const char *path, const char *what, struct histree_error *error)
{
	struct path_component component;
	if (!is_text(path) || *path == '\0')
		return error_set(error, HISTREE_ERR_ARGUMENT, "%s has 1 to %d bytes", what, HISTREE_CHART_TEXT_MAX);
	enum histree_status status = pattern_check(path, error);
	for (const char *rest = path; status == HISTREE_OK && path_cut(&rest, &component);)
		if (pattern_is_up(&component))
			status = error_set(error, HISTREE_ERR_ARGUMENT, "'%s' has '..': name attributes downwards",
					   path);
	return status;
}

/* "." or the path of an attribute, which has no stars, below the row's or after a slash from the top. */
static enum histree_status check_reference(const char *reference, struct histree_error *error)
{
	struct path_component component;
	if (reference == NULL || strcmp(reference, ".") == 0)
		return HISTREE_OK;
	const char *path = reference + (*reference == '/' ? 1 : 0);
	enum histree_status status = check_path(path, "a reference to an attribute", error);
	for (const char *rest = path; status == HISTREE_OK && path_cut(&rest, &component);)
		if (pattern_has_star(&component))
			status = error_set(error, HISTREE_ERR_ARGUMENT,
					   "'%s' has a star: a reference is to one attribute", reference);
	return status;
}

static enum histree_status check_entry(const struct histree_chart_entry *entries, size_t index, unsigned *depths,
				       struct histree_error *error)
{
	const struct histree_chart_entry *entry = &entries[index];
	if (entry->parent != HISTREE_CHART_TOP && entry->parent >= index)
		return error_set(error, HISTREE_ERR_ARGUMENT, "entry %zu stands below one that comes later", index);
	depths[index] = entry->parent != HISTREE_CHART_TOP ? depths[entry->parent] + 1 : 0;
	if (depths[index] >= HISTREE_CHART_DEPTH_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "entries are within one another more than %d deep",
				 HISTREE_CHART_DEPTH_MAX);
	if (entry->measure > HISTREE_CHART_RATE || !isfinite(entry->factor))
		return error_set(error, HISTREE_ERR_ARGUMENT, "entry %zu has a measure or a factor that is none",
				 index);
	if (entry->label != NULL && (!is_text(entry->label) || *entry->label == '\0'))
		return error_set(error, HISTREE_ERR_ARGUMENT, "a label has 1 to %d bytes", HISTREE_CHART_TEXT_MAX);
	const char *const references[] = { entry->shown, entry->name, entry->id, entry->above };
	enum histree_status status = check_path(entry->path, "the path of an entry", error);
	for (size_t i = 0; i < sizeof(references) / sizeof(references[0]) && status == HISTREE_OK; i++)
		status = check_reference(references[i], error);
	return status;
}

static enum histree_status check_chart(const struct histree_chart *chart, struct histree_error *error)
{
	unsigned depths[HISTREE_CHART_ENTRIES_MAX];
	if (!is_name(chart->name))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "the name of a chart has letters, digits, '.', '_', ':' and '-', 1 to %d of them",
				 HISTREE_CHART_TEXT_MAX);
	enum histree_status status = HISTREE_OK;
	if (!is_text(chart->title) || *chart->title == '\0' || !is_text(chart->unit) ||
	    (chart->labels != NULL && !is_text(chart->labels)))
		status =
			error_set(error, HISTREE_ERR_ARGUMENT,
				  "a title, unit or labels of more than %d bytes, or none", HISTREE_CHART_TEXT_MAX);
	else if (chart->kind > HISTREE_CHART_STATES)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "its kind is none");
	else if (chart->entry_count == 0 || chart->entry_count > HISTREE_CHART_ENTRIES_MAX)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "%zu entries; a chart has 1 to %d",
				   chart->entry_count, HISTREE_CHART_ENTRIES_MAX);
	for (size_t i = 0; i < chart->entry_count && status == HISTREE_OK; i++)
		status = check_entry(chart->entries, i, depths, error);
	if (status != HISTREE_OK)
		error_prefix(error, "chart '%.100s'", chart->name);
	return status;
}

enum histree_status charts_check(const struct histree_chart *charts, size_t count, struct histree_error *error)
{
	if (count > HISTREE_CHARTS_MAX)
		return error_set(error, HISTREE_ERR_ARGUMENT, "%zu charts; the most is %d", count,
				 HISTREE_CHARTS_MAX);
	for (size_t i = 0; i < count; i++) {
		enum histree_status status = check_chart(&charts[i], error);
		if (status != HISTREE_OK)
			return status;
		for (size_t k = 0; k < i; k++)
			if (strcmp(charts[k].name, charts[i].name) == 0)
				return error_set(error, HISTREE_ERR_ARGUMENT, "two charts have the name '%s'",
						 charts[i].name);
	}
	return HISTREE_OK;
}

const char *histree_chart_measure_name(enum histree_chart_measure measure)
{
	static const char *const names[] = { "value", "difference", "rate" };
	return names[measure];
}
