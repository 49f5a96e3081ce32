// SPDX-License-Identifier: MIT
#include "state/chart_section.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/real_bytes.h"
#include "state/told_bytes.h"

void chart_list_release(struct chart_list *list)
{
	arena_release(&list->memory);
	*list = (struct chart_list){ 0 };
}

/* ---- writing ---------------------------------------------------------------------------------------------- */

static void put_entry(struct told_writer *out, const struct histree_chart_entry *entry)
{
	const char *const texts[] = { entry->shown, entry->label, entry->name, entry->id, entry->above };
	bool has_factor = entry->factor != 0 && entry->factor != 1;
	unsigned flags = (has_factor ? CHART_HAS_FACTOR : 0) | (entry->shows_text ? CHART_SHOWS_TEXT : 0);
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		flags |= texts[i] != NULL ? 1U << i : 0;
	told_put_number(out, entry->parent != HISTREE_CHART_TOP ? (uint64_t)entry->parent + 1 : 0);
	told_put_number(out, flags);
	told_put_number(out, entry->measure);
	told_put_text(out, entry->path);
	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i] != NULL)
			told_put_text(out, texts[i]);
	uint8_t factor[sizeof(entry->factor)];
	put_le_double(factor, entry->factor);
	if (has_factor)
		told_put_bytes(out, factor, sizeof(factor));
}

static void put_chart(struct told_writer *out, const struct histree_chart *chart)
{
	told_put_text(out, chart->name);
	told_put_text(out, chart->title);
	told_put_text(out, chart->unit);
	told_put_number(out, chart->kind);
	told_put_number(out, chart->labels != NULL);
	if (chart->labels != NULL)
		told_put_text(out, chart->labels);
	told_put_number(out, chart->entry_count);
	for (size_t i = 0; i < chart->entry_count; i++)
		put_entry(out, &chart->entries[i]);
}

enum histree_status chart_section_encode(const struct histree_chart *charts, size_t count, uint8_t **out,
					 size_t *size, struct histree_error *error)
{
	struct told_writer section = { 0 };
	enum histree_status status = HISTREE_OK;
	told_put_number(&section, CHART_SECTION_VERSION);
	told_put_number(&section, count);
	for (size_t i = 0; i < count && section.size <= CHART_SECTION_SIZE_MAX; i++)
		put_chart(&section, &charts[i]);
	if (section.failed)
		status = error_memory(error, "charts");
	else if (section.size > CHART_SECTION_SIZE_MAX)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "the charts have more than %d bytes",
				   CHART_SECTION_SIZE_MAX);
	if (status != HISTREE_OK) {
		free(section.bytes);
		section = (struct told_writer){ 0 };
	}
	*out = section.bytes;
	*size = section.size;
	return status;
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

/* A number that is at most `max`. */
static uint64_t take_number(struct told_reader *reading, uint64_t max)
{
	uint64_t number = read_varint(&reading->reader);
	reading->reader.failed = reading->reader.failed || number > max;
	return reading->reader.failed ? 0 : number;
}

static double take_factor(struct told_reader *reading)
{
	double factor;
	uint64_t bits = read_le64(&reading->reader);
	memcpy(&factor, &bits, sizeof(factor));
	/* What is not written is not read. */
	reading->reader.failed = reading->reader.failed || factor == 0 || factor == 1;
	return factor;
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
	if ((flags & CHART_HAS_FACTOR) != 0)
		entry->factor = take_factor(reading);
	entry->shows_text = (flags & CHART_SHOWS_TEXT) != 0;
}

static void take_chart(struct told_reader *reading, struct histree_chart *chart)
{
	enum { ENTRY_SIZE_MIN = 4 };
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
}

static enum histree_status take_charts(struct told_reader *reading, struct chart_list *out,
				       struct histree_error *error)
{
	enum { CHART_SIZE_MIN = 6 };
	size_t count = told_take_count(reading, CHART_SIZE_MIN, HISTREE_CHARTS_MAX);
	out->charts = told_take_room(reading, count, sizeof(*out->charts));
	for (; out->count < count && told_is_sound(reading); out->count++)
		take_chart(reading, &out->charts[out->count]);
	if (reading->no_memory)
		return error_memory(error, "charts");
	if (!told_is_sound(reading) || byte_reader_left(&reading->reader) != 0)
		return error_set(error, HISTREE_ERR_FORMAT, "its bytes are no charts");
	return charts_check(out->charts, out->count, error);
}

enum histree_status chart_section_decode(const uint8_t *bytes, size_t size, struct chart_list *out,
					 struct histree_error *error)
{
	*out = (struct chart_list){ 0 };
	struct told_reader reading = { .reader = byte_reader(bytes, size), .memory = &out->memory };
	if (size > CHART_SECTION_SIZE_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "%zu bytes; the most is %d", size,
				 CHART_SECTION_SIZE_MAX);
	uint64_t version = read_varint(&reading.reader);
	if (told_is_sound(&reading) && version != CHART_SECTION_VERSION)
		return error_set(error, HISTREE_NOT_FOUND,
				 "it is of version %" PRIu64 ", and this histree knows %d", version,
				 CHART_SECTION_VERSION);
	enum histree_status status = take_charts(&reading, out, error);
	if (status == HISTREE_ERR_ARGUMENT) {
		status = HISTREE_ERR_FORMAT;
		if (error != NULL)
			error->status = status;
	}
	if (status != HISTREE_OK)
		chart_list_release(out);
	return status;
}
