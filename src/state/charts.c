// SPDX-License-Identifier: MIT
/*
 * charts.c - which attributes belong into one picture: the rules for charts, for those of callers and for the
 * bytes of a file alike, their section, and the search through it.
 */
#include "state/charts.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/bytes.h"
#include "histree/attributes.h"
#include "state/attribute_match.h"
#include "state/history_sections.h"
#include "store/block_file.h"

enum { CHART_SECTION_VERSION = 1, CHART_SECTION_SIZE_MAX = 64 << 10 };

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
		return error_set(error, HISTREE_ERR_ARGUMENT, "entry %zu has no valid measure or factor",
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

/* ---- charts slot --------------------------------------------------------------------------------------------- */

struct charts_slot *charts_slot_create(void)
{
	return calloc(1, sizeof(struct charts_slot));
}

static void free_charts(struct history_charts *charts)
{
	if (charts == NULL)
		return;
	chart_list_release(&charts->of_file);
	free(charts);
}

void charts_slot_free(struct charts_slot *slot)
{
	if (slot == NULL)
		return;
	free_charts(atomic_load(&slot->charts));
	free(slot->bytes);
	free(slot);
}

/* ---- the section ------------------------------------------------------------------------------------------ */

/* Returns HISTREE_NOT_FOUND if there is no section, or one of another version. */
static enum histree_status read_section(const struct block_file *file, struct chart_list *out, uint8_t **bytes,
					size_t *size, struct histree_error *error)
{
	*out = (struct chart_list){ 0 };
	*bytes = NULL;
	*size = 0;
	uint64_t there = block_file_section_size(file, SECTION_CHARTS);
	if (there == 0)
		return HISTREE_NOT_FOUND;
	if (there > CHART_SECTION_SIZE_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "%llu bytes; the most is %d", (unsigned long long)there,
				 CHART_SECTION_SIZE_MAX);
	enum histree_status status = block_file_section(file, SECTION_CHARTS, bytes, size, error);
	return status == HISTREE_OK ? chart_section_decode(*bytes, *size, out, error) : status;
}

enum histree_status charts_read_raw(const struct block_file *file, uint8_t **bytes, size_t *size,
				    struct histree_error *error)
{
	struct chart_list charts;
	enum histree_status status = read_section(file, &charts, bytes, size, error);
	chart_list_release(&charts);
	if (status == HISTREE_OK)
		return HISTREE_OK;
	free(*bytes);
	*bytes = NULL;
	*size = 0;
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

enum histree_status charts_verify(const struct block_file *file, void (*report)(void *context, const char *fault),
				  void *context, struct histree_error *error)
{
	struct chart_list charts;
	struct histree_error damage = { 0 };
	uint8_t *bytes;
	size_t size;
	char fault[sizeof(damage.message) + 64];
	enum histree_status status = read_section(file, &charts, &bytes, &size, &damage);
	chart_list_release(&charts);
	if (status == HISTREE_ERR_MEMORY)
		status = error_set(error, status, "%s", damage.message);
	else if (status == HISTREE_ERR_FORMAT && bytes != NULL) { /* else its checksum was told of */
		snprintf(fault, sizeof(fault), "section CHRT: its checksum is right, but %s", damage.message);
		report(context, fault);
	}
	free(bytes);
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

/* ---- of a history ----------------------------------------------------------------------------------------- */

static enum histree_status read_charts(const struct charts_slot *slot, const struct block_file *file,
				       struct chart_list *out)
{
	uint8_t *bytes;
	size_t size;
	*out = (struct chart_list){ 0 };
	if (file == NULL && (slot->bytes == NULL || slot->size > CHART_SECTION_SIZE_MAX))
		return HISTREE_NOT_FOUND;
	if (file == NULL)
		return chart_section_decode(slot->bytes, slot->size, out, NULL);
	enum histree_status status = read_section(file, out, &bytes, &size, NULL);
	free(bytes);
	return status;
}

static struct history_charts *make_charts(const struct charts_slot *slot, const struct block_file *file,
					  const char *provider, known_charts *known)
{
	struct history_charts *made = calloc(1, sizeof(*made));
	if (made == NULL)
		return NULL;
	enum histree_status status = read_charts(slot, file, &made->of_file);
	if (status == HISTREE_ERR_MEMORY) {
		free(made);
		return NULL;
	}
	if (status == HISTREE_OK) {
		made->charts = made->of_file.charts;
		made->count = made->of_file.count;
	} else {
		made->charts = known(provider, &made->count);
	}
	return made;
}

/* Returns what is published in the end. */
static const struct history_charts *publish(struct charts_slot *slot, struct history_charts *made)
{
	struct history_charts *charts = NULL;
	if (made == NULL || atomic_compare_exchange_strong(&slot->charts, &charts, made))
		return made;
	free_charts(made);
	return charts;
}

const struct history_charts *charts_slot_get(struct charts_slot *slot, const struct block_file *file,
					     const char *provider, known_charts *known)
{
	struct history_charts *charts = atomic_load_explicit(&slot->charts, memory_order_acquire);
	return charts != NULL ? charts : publish(slot, make_charts(slot, file, provider, known));
}

const struct history_charts *charts_slot_unite(struct charts_slot *slot, const struct history_charts *const *hosts,
					       size_t count)
{
	struct history_charts *charts = atomic_load_explicit(&slot->charts, memory_order_acquire);
	if (charts != NULL)
		return charts;
	size_t room = 1;
	for (size_t i = 0; i < count; i++)
		room += hosts[i]->count;
	struct history_charts *made = calloc(1, sizeof(*made));
	struct histree_chart *list = made != NULL ? arena_allocate(&made->of_file.memory, room * sizeof(*list),
								   _Alignof(struct histree_chart))
						  : NULL;
	if (list == NULL) {
		free(made);
		return NULL;
	}
	made->charts = made->of_file.charts = list;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < hosts[i]->count; k++) {
			size_t known = 0;
			while (known < made->count && strcmp(list[known].name, hosts[i]->charts[k].name) != 0)
				known++;
			if (known == made->count)
				list[made->count++] = hosts[i]->charts[k];
		}
	return publish(slot, made);
}
