// SPDX-License-Identifier: MIT
/*
 * program_views.c - the labels and charts of an analysis from a file, kept with all their texts.
 */
#include "analysis/program/program_views.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* NULL stands for none; or memory is out. */
static const char *keep_text(struct program_views *views, const char *text)
{
	return text != NULL ? arena_copy(&views->texts, text, strlen(text)) : NULL;
}

static bool keep_patterns(struct program_views *views, const char *const *patterns, const char *const **out)
{
	size_t count = 0;
	while (patterns[count] != NULL)
		count++;
	const char **copy =
		arena_allocate(&views->texts, (count + 1) * sizeof(const char *), _Alignof(const char *));
	for (size_t i = 0; copy != NULL && i <= count; i++) {
		copy[i] = keep_text(views, patterns[i]);
		if (copy[i] == NULL && patterns[i] != NULL)
			return false;
	}
	*out = copy;
	return copy != NULL;
}

static bool keep_table(struct program_views *views, const struct histree_label_table *table,
		       struct histree_label_table *out)
{
	struct histree_label *labels = arena_allocate(&views->texts, (table->label_count + 1) * sizeof(*labels),
						      _Alignof(struct histree_label));
	*out = *table;
	out->name = keep_text(views, table->name);
	if (labels == NULL || out->name == NULL || !keep_patterns(views, table->patterns, &out->patterns))
		return false;
	for (size_t i = 0; i < table->label_count; i++) {
		labels[i] = table->labels[i];
		labels[i].text = keep_text(views, labels[i].text);
		labels[i].style.key = keep_text(views, labels[i].style.key);
		labels[i].style.name = keep_text(views, labels[i].style.name);
	}
	out->labels = labels;
	return true;
}

/* Returns false if memory is out. */
static bool keep_all(struct program_views *views, const char **texts[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (*texts[i] != NULL && (*texts[i] = keep_text(views, *texts[i])) == NULL)
			return false;
	return true;
}

static bool keep_chart(struct program_views *views, const struct histree_chart *chart, struct histree_chart *out)
{
	struct histree_chart_entry *entries = arena_allocate(
		&views->texts, (chart->entry_count + 1) * sizeof(*entries), _Alignof(struct histree_chart_entry));
	*out = *chart;
	out->entries = entries;
	bool is_kept = entries != NULL &&
		       keep_all(views, (const char **[]){ &out->name, &out->title, &out->unit, &out->labels }, 4);
	for (size_t i = 0; i < chart->entry_count && is_kept; i++) {
		struct histree_chart_entry *to = &entries[i];
		*to = chart->entries[i];
		is_kept = keep_all(
			views,
			(const char **[]){ &to->path, &to->shown, &to->label, &to->name, &to->id, &to->above }, 6);
	}
	return is_kept;
}

static bool add_table(struct program_views *views, const struct histree_label_table *table)
{
	if (views->label_table_count == HISTREE_LABEL_TABLES_MAX)
		return true;
	return array_reserve(&views->labels, &views->label_table_capacity, views->label_table_count + 1) &&
	       keep_table(views, table, &views->labels[views->label_table_count++]);
}

static bool add_chart(struct program_views *views, const struct histree_chart *chart)
{
	for (size_t i = 0; i < views->chart_count; i++)
		if (strcmp(views->charts[i].name, chart->name) == 0)
			return true;
	if (views->chart_count == HISTREE_CHARTS_MAX)
		return true;
	return array_reserve(&views->charts, &views->chart_capacity, views->chart_count + 1) &&
	       keep_chart(views, chart, &views->charts[views->chart_count++]);
}

bool program_views_add(struct program_views *views, const struct histree_label_table *labels,
		       size_t label_table_count, const struct histree_chart *charts, size_t chart_count)
{
	bool is_kept = true;
	for (size_t i = 0; i < label_table_count && is_kept; i++)
		is_kept = add_table(views, &labels[i]);
	for (size_t i = 0; i < chart_count && is_kept; i++)
		is_kept = add_chart(views, &charts[i]);
	return is_kept;
}

void program_views_release(struct program_views *views)
{
	free(views->labels);
	free(views->charts);
	arena_release(&views->texts);
	*views = (struct program_views){ 0 };
}
