// SPDX-License-Identifier: MIT
#include "state/label_section.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "state/told_bytes.h"

enum { TABLE_USES_PALETTE = 1, COLOUR_SIZE = 3 };

/* ---- writing ---------------------------------------------------------------------------------------------- */

static void put_colour(struct told_writer *out, uint32_t colour)
{
	const uint8_t bytes[COLOUR_SIZE] = { (uint8_t)(colour >> 16), (uint8_t)(colour >> 8), (uint8_t)colour };
	told_put_bytes(out, bytes, sizeof(bytes));
}

static void put_label(struct told_writer *out, const struct histree_label *label)
{
	bool is_range = label->kind == HISTREE_LABEL_NUMBERS && label->first != label->last;
	uint8_t flags = (uint8_t)(label->kind | (is_range ? LABEL_IS_RANGE : 0) |
				  (label->is_code ? LABEL_IS_CODE : 0) | (label->is_hidden ? LABEL_IS_HIDDEN : 0) |
				  (label->has_no_colour ? LABEL_HAS_NO_COLOUR : 0));
	told_put_bytes(out, &flags, 1);
	if (label->kind == HISTREE_LABEL_NUMBERS)
		told_put_number(out, zigzag(label->first));
	if (is_range)
		told_put_number(out, (uint64_t)label->last - (uint64_t)label->first);
	if (label->kind == HISTREE_LABEL_TEXT)
		told_put_text(out, label->text);
	if (label->is_hidden)
		return;
	uint8_t height = (uint8_t)lround(label->style.height * LABEL_HUNDREDTHS);
	told_put_text(out, label->style.key);
	told_put_text(out, label->style.name);
	told_put_bytes(out, &height, 1);
	if (label->has_no_colour)
		return;
	put_colour(out, label->style.light);
	put_colour(out, label->style.dark);
}

static void put_table(struct told_writer *out, const struct histree_label_table *table)
{
	size_t patterns = 0;
	while (table->patterns[patterns] != NULL)
		patterns++;
	told_put_text(out, table->name);
	told_put_number(out, table->meaning);
	told_put_number(out, table->uses_palette ? TABLE_USES_PALETTE : 0);
	told_put_number(out, patterns);
	for (size_t i = 0; i < patterns; i++)
		told_put_text(out, table->patterns[i]);
	told_put_number(out, table->label_count);
	for (size_t i = 0; i < table->label_count; i++)
		put_label(out, &table->labels[i]);
}

enum histree_status label_section_encode(const struct label_tables *tables, uint8_t **out, size_t *size,
					 struct histree_error *error)
{
	struct told_writer section = { 0 };
	enum histree_status status = HISTREE_OK;
	told_put_number(&section, LABEL_SECTION_VERSION);
	told_put_number(&section, tables->count);
	for (size_t i = 0; i < tables->count && section.size <= LABEL_SECTION_SIZE_MAX; i++)
		put_table(&section, &tables->tables[i]);
	if (section.failed)
		status = error_memory(error, "labels");
	else if (section.size > LABEL_SECTION_SIZE_MAX)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "the labels have more than %d bytes",
				   LABEL_SECTION_SIZE_MAX);
	if (status != HISTREE_OK) {
		free(section.bytes);
		section = (struct told_writer){ 0 };
	}
	*out = section.bytes;
	*size = section.size;
	return status;
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

static uint32_t take_colour(struct told_reader *reading)
{
	const uint8_t *bytes = read_bytes(&reading->reader, COLOUR_SIZE);
	return bytes != NULL ? (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2] : 0;
}

static void take_numbers(struct told_reader *reading, struct histree_label *label, bool is_range)
{
	label->first = label->last = unzigzag(read_varint(&reading->reader));
	if (!is_range)
		return;
	uint64_t more = read_varint(&reading->reader);
	bool fits = more > 0 && more <= (uint64_t)INT64_MAX - (uint64_t)label->first;
	if (fits)
		label->last = (int64_t)((uint64_t)label->first + more);
	reading->reader.failed = reading->reader.failed || !fits;
}

static void take_label(struct told_reader *reading, struct histree_label *label)
{
	uint8_t flags = told_take_byte(reading, LABEL_FLAGS);
	*label = (struct histree_label){
		.kind = (enum histree_label_kind)(flags & LABEL_KIND_BITS),
		.is_code = (flags & LABEL_IS_CODE) != 0,
		.is_hidden = (flags & LABEL_IS_HIDDEN) != 0,
		.has_no_colour = (flags & LABEL_HAS_NO_COLOUR) != 0,
		.style = { .key = "", .name = "" },
	};
	bool is_range = (flags & LABEL_IS_RANGE) != 0;
	bool is_odd = (flags & LABEL_KIND_BITS) > HISTREE_LABEL_OTHERS ||
		      (is_range && label->kind != HISTREE_LABEL_NUMBERS) ||
		      (label->is_hidden && (label->is_code || label->has_no_colour));
	reading->reader.failed = reading->reader.failed || is_odd;
	if (label->kind == HISTREE_LABEL_NUMBERS)
		take_numbers(reading, label, is_range);
	if (label->kind == HISTREE_LABEL_TEXT)
		label->text = told_take_text(reading, HISTREE_LABEL_TEXT_MAX);
	if (label->is_hidden)
		return;
	label->style.key = told_take_text(reading, HISTREE_LABEL_TEXT_MAX);
	label->style.name = told_take_text(reading, HISTREE_LABEL_TEXT_MAX);
	label->style.height = (double)told_take_byte(reading, LABEL_HUNDREDTHS) / LABEL_HUNDREDTHS;
	if (label->has_no_colour)
		return;
	label->style.light = take_colour(reading);
	label->style.dark = take_colour(reading);
}

static void take_labels(struct told_reader *reading, struct histree_label_table *table)
{
	size_t count = told_take_count(reading, 1, LABELS_MAX);
	struct histree_label *labels = told_take_room(reading, count, sizeof(*labels));
	table->labels = labels;
	for (size_t i = 0; i < count && told_is_sound(reading); i++)
		take_label(reading, &labels[i]);
	table->label_count = told_is_sound(reading) ? count : 0;
	if (told_is_sound(reading))
		label_table_colour(labels, count);
}

static void take_table(struct told_reader *reading, struct histree_label_table *table)
{
	*table = (struct histree_label_table){ .name = told_take_text(reading, HISTREE_LABEL_TEXT_MAX) };
	uint64_t meaning = read_varint(&reading->reader), flags = read_varint(&reading->reader);
	/* What is known of later versions only is labels like others. */
	table->meaning = meaning < HISTREE_MEANING_COUNT ? (enum histree_meaning)meaning : HISTREE_MEANS_ANYTHING;
	table->uses_palette = (flags & TABLE_USES_PALETTE) != 0;
	size_t count = told_take_count(reading, 1, LABEL_PATTERNS_MAX);
	const char **patterns = told_take_room(reading, count, sizeof(*patterns));
	table->patterns = patterns;
	for (size_t i = 0; i < count && told_is_sound(reading); i++)
		patterns[i] = told_take_text(reading, HISTREE_LABEL_TEXT_MAX);
	if (!told_is_sound(reading))
		return;
	patterns[count] = NULL;
	take_labels(reading, table);
}

static enum histree_status take_tables(struct told_reader *reading, struct label_tables *out,
				       struct histree_error *error)
{
	size_t count = told_take_count(reading, 1, HISTREE_LABEL_TABLES_MAX);
	out->tables = told_take_room(reading, count, sizeof(*out->tables));
	for (; out->count < count && told_is_sound(reading); out->count++) {
		take_table(reading, &out->tables[out->count]);
		if (told_is_sound(reading) && label_table_check(&out->tables[out->count], error) != HISTREE_OK)
			return HISTREE_ERR_FORMAT;
	}
	if (reading->no_memory)
		return error_memory(error, "labels");
	if (told_is_sound(reading) && byte_reader_left(&reading->reader) == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "its bytes are no labels");
}

enum histree_status label_section_decode(const uint8_t *bytes, size_t size, struct label_tables *out,
					 struct histree_error *error)
{
	struct told_reader reading = { .reader = byte_reader(bytes, size), .memory = &out->memory };
	*out = (struct label_tables){ 0 };
	if (size > LABEL_SECTION_SIZE_MAX)
		return error_set(error, HISTREE_ERR_FORMAT, "%zu bytes; the most is %d", size,
				 LABEL_SECTION_SIZE_MAX);
	uint64_t version = read_varint(&reading.reader);
	if (told_is_sound(&reading) && version != LABEL_SECTION_VERSION)
		return error_set(error, HISTREE_NOT_FOUND,
				 "it is of version %" PRIu64 ", and this histree knows %d", version,
				 LABEL_SECTION_VERSION);
	enum histree_status status = take_tables(&reading, out, error);
	if (status != HISTREE_OK)
		label_tables_release(out);
	if (status == HISTREE_ERR_FORMAT && error != NULL)
		error->status = HISTREE_ERR_FORMAT;
	return status;
}
