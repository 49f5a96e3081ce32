// SPDX-License-Identifier: MIT
/*
 * charts.c - which attributes belong into one chart: the rules for charts, whether callers declare them or a file
 * has them, their section, and the search through it.
 */
#include "state/charts.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "histree/attributes.h"
#include "state/attribute_match.h"
#include "store/block_file.h"

enum chart_texts {
	CHART_HAS_SHOWN = 1,
	CHART_HAS_LABEL = 2,
	CHART_HAS_NAME = 4,
	CHART_HAS_ID = 8,
	CHART_HAS_ABOVE = 16,
	CHART_HAS_FACTOR = 32,
	CHART_SHOWS_TEXT = 64,
	CHART_FLAGS = 127, /* all of them */
};

/* ---- chart section ------------------------------------------------------------------------------------------- */

/* ---- writing ---------------------------------------------------------------------------------------------- */

static void put_entry(struct byte_buffer *out, const struct histree_chart_entry *entry)
{
	const char *const texts[] = { entry->shown, entry->label, entry->name, entry->id, entry->above };
	bool has_factor = entry->factor != 0 && entry->factor != 1;
	unsigned flags = (has_factor ? CHART_HAS_FACTOR : 0) | (entry->shows_text ? CHART_SHOWS_TEXT : 0);
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		flags |= texts[i] != NULL ? 1U << i : 0;
	byte_buffer_put_number(out, entry->parent != HISTREE_CHART_TOP ? (uint64_t)entry->parent + 1 : 0);
	byte_buffer_put_number(out, flags);
	byte_buffer_put_number(out, entry->measure);
	byte_buffer_put_string(out, entry->path);
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i] != NULL)
			byte_buffer_put_string(out, texts[i]);
	uint8_t factor[sizeof(entry->factor)];
	put_le_double(factor, entry->factor);
	if (has_factor)
		byte_buffer_put(out, factor, sizeof(factor));
}

static void put_chart(struct byte_buffer *out, const void *charts, size_t index)
{
	const struct histree_chart *chart = (const struct histree_chart *)charts + index;
	byte_buffer_put_string(out, chart->name);
	byte_buffer_put_string(out, chart->title);
	byte_buffer_put_string(out, chart->unit);
	byte_buffer_put_number(out, chart->kind);
	byte_buffer_put_number(out, chart->labels != NULL);
	if (chart->labels != NULL)
		byte_buffer_put_string(out, chart->labels);
	byte_buffer_put_number(out, chart->entry_count);
	for (size_t i = 0; i < chart->entry_count; i++)
		put_entry(out, &chart->entries[i]);
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

/* A number that is at most `max`. */
static uint64_t take_number(struct told_reader *reading, uint64_t max)
{
	uint64_t number = read_varint(&reading->reader);
	reading->reader.failed = reading->reader.failed || number > max;
	return reading->reader.failed ? 0 : number;
}

static void take_entry(struct told_reader *reading, struct histree_chart_entry *entry)
{
	*entry = (struct histree_chart_entry){ .path = "" };
	const char **const texts[] = { &entry->shown, &entry->label, &entry->name, &entry->id, &entry->above };
	uint64_t parent = take_number(reading, HISTREE_CHART_ENTRIES_MAX);
	uint64_t flags = take_number(reading, CHART_FLAGS);
	entry->parent = parent > 0 ? (uint32_t)(parent - 1) : HISTREE_CHART_TOP;
	entry->measure = (enum histree_chart_measure)take_number(reading, HISTREE_CHART_RATE);
	entry->path = told_take_text(reading, HISTREE_CHART_TEXT_MAX);
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if ((flags & 1U << i) != 0)
			*texts[i] = told_take_text(reading, HISTREE_CHART_TEXT_MAX);
	if ((flags & CHART_HAS_FACTOR) != 0) {
		double factor;
		uint64_t bits = read_le64(&reading->reader);
		memcpy(&factor, &bits, sizeof(factor));
		/* What is not written is not read. */
		reading->reader.failed = reading->reader.failed || factor == 0 || factor == 1;
		entry->factor = factor;
	}
	entry->shows_text = (flags & CHART_SHOWS_TEXT) != 0;
}

static enum histree_status take_chart(struct told_reader *reading, struct told_list *list,
				      struct histree_error *error)
{
	enum { ENTRY_SIZE_MIN = 4 };
	struct histree_chart *chart = &list->charts[list->count];
	(void)error;
	*chart = (struct histree_chart){ .name = told_take_text(reading, HISTREE_CHART_TEXT_MAX) };
	chart->title = told_take_text(reading, HISTREE_CHART_TEXT_MAX);
	chart->unit = told_take_text(reading, HISTREE_CHART_TEXT_MAX);
	chart->kind = (enum histree_chart_kind)take_number(reading, HISTREE_CHART_STATES);
	if (take_number(reading, 1) == 1)
		chart->labels = told_take_text(reading, HISTREE_CHART_TEXT_MAX);
	size_t count = told_take_count(reading, ENTRY_SIZE_MIN, HISTREE_CHART_ENTRIES_MAX);
	struct histree_chart_entry *entries = told_take_room(reading, count, sizeof(*entries));
	chart->entries = entries;
	for (size_t i = 0; i < count && told_is_sound(reading); i++)
		take_entry(reading, &entries[i]);
	chart->entry_count = told_is_sound(reading) ? count : 0;
	return HISTREE_OK;
}

/* ---- charts check -------------------------------------------------------------------------------------------- */

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
		return error_set(error, HISTREE_ERR_ARGUMENT, "entry %zu has no valid measure or factor", index);
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
		status = error_set(error, HISTREE_ERR_ARGUMENT, "its kind is unknown");
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

/* ---- told ---------------------------------------------------------------------------------------------------- */

static enum histree_status check_list(const struct told_list *list, struct histree_error *error)
{
	return charts_check(list->charts, list->count, error);
}

/* Of one name the first. */
static bool unite_charts(struct history_told *made, const struct history_told *const *hosts, size_t count)
{
	struct histree_chart *charts = made->of_file.charts;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < hosts[i]->count; k++) {
			size_t known = 0;
			while (known < made->count && strcmp(charts[known].name, hosts[i]->charts[k].name) != 0)
				known++;
			if (known == made->count)
				charts[made->count++] = hosts[i]->charts[k];
		}
	return true;
}

const struct told_kind told_charts = {
	.what = "charts",
	.tag = "CHRT",
	.section = TOLD_CHARTS,
	.id = SECTION_CHARTS,
	.version = 1,
	.size_max = 64 << 10,
	.count_max = HISTREE_CHARTS_MAX,
	.item_size = sizeof(struct histree_chart),
	.item_bytes_min = 6,
	.put = put_chart,
	.take = take_chart,
	.check = check_list,
	.unite = unite_charts,
};
