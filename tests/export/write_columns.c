// SPDX-License-Identifier: MIT
/*
 * write_columns.c - random histories and segment stores as Arrow files and streams, and what they must hold as
 * lines of JSON, which plain queries say.
 *
 *	write_columns SEED FOLDER [HISTORY]
 *
 * For each kind of workload and of segments, or for a history that is there: FOLDER/NAME.arrow, NAME.arrows (a
 * stream), NAME.zstd.arrow, and NAME.jsonl, a line for each row: an array with a cell for each column.  Numbers
 * are strings of decimal digits, doubles their bits, texts themselves, null null.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_text.h"
#include "base/hash_index.h"
#include "base/zstd.h"
#include "histree/export.h"
#include "histree/attributes.h"
#include "histree/states.h"
#include "support/arrow_cells.h"
#include "support/foreign_stream.h"
#include "support/history_file.h"
#include "support/segments.h"

static struct histree_error error;

static void must(enum histree_status status, const char *what)
{
	if (status == HISTREE_OK)
		return;
	fprintf(stderr, "%s: %s\n", what, error.message);
	exit(1);
}

static FILE *open_file(const char *folder, const char *name, const char *ending)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s%s", folder, name, ending);
	FILE *file = fopen(path, "w");
	if (file == NULL) {
		perror(path);
		exit(1);
	}
	return file;
}

/* ---- cells -------------------------------------------------------------------------------------------- */

static void put_text(FILE *file, const char *bytes, size_t size)
{
	putc('"', file);
	while (size > 0) {
		struct json_piece piece = json_piece_next(bytes, size);
		fwrite(bytes, 1, piece.plain, file);
		fwrite(piece.escape, 1, piece.escape_size, file);
		bytes += piece.taken, size -= piece.taken;
	}
	putc('"', file);
}

static void put_digits(FILE *file, const unsigned char *bytes, size_t size)
{
	putc('"', file);
	for (size_t i = 0; i < size; i++)
		fprintf(file, "%02x", bytes[i]);
	putc('"', file);
}

static void put_bits(FILE *file, double real)
{
	uint64_t bits;
	memcpy(&bits, &real, sizeof(bits));
	fprintf(file, "\"%" PRIu64 "\"", bits);
}

static void put_number(FILE *file, int64_t number)
{
	fprintf(file, "\"%" PRId64 "\"", number);
}

/* A state lasts for both its ends, a segment from one to the other. */
static void put_times(FILE *file, histree_time start, histree_time end, unsigned more)
{
	uint64_t ns = (uint64_t)end - (uint64_t)start;
	ns += ns < UINT64_MAX ? more : 0;
	put_number(file, start);
	putc(',', file);
	put_number(file, end);
	putc(',', file);
	put_number(file, ns > INT64_MAX ? INT64_MAX : (int64_t)ns);
}

/* The columns value, real and text. */
static void put_value(FILE *file, const struct histree_value *value)
{
	static const char none[] = "null";
	switch (value->type) {
	case HISTREE_INT:
		put_number(file, value->int32);
		break;
	case HISTREE_LONG:
		put_number(file, value->int64);
		break;
	case HISTREE_BOOL:
		put_number(file, value->boolean);
		break;
	default:
		fputs(none, file);
	}
	putc(',', file);
	if (value->type == HISTREE_DOUBLE)
		put_bits(file, value->real);
	else
		fputs(none, file);
	putc(',', file);
	if (value->type == HISTREE_STRING)
		put_text(file, value->bytes, value->size);
	else if (value->type == HISTREE_CUSTOM)
		put_digits(file, value->bytes, value->size);
	else
		fputs(none, file);
}

static void put_state(FILE *file, const struct histree_history *history, const struct histree_interval *state)
{
	const char *label = histree_label_of(history, state->quark, &state->value);
	char path[256];
	size_t size =
		histree_attributes_path(histree_history_attributes(history), state->quark, path, sizeof(path));
	fprintf(file, "[\"%u\",", state->quark);
	put_text(file, path, size);
	putc(',', file);
	put_times(file, state->start, state->end, 1);
	fprintf(file, ",\"%s\",", histree_type_name(state->value.type));
	put_value(file, &state->value);
	putc(',', file);
	if (label != NULL)
		put_text(file, label, strlen(label));
	else
		fputs("null", file);
	fputs("]\n", file);
}

static void put_segment(FILE *file, const struct histree_segment_schema *schema,
			const struct histree_segment *segment)
{
	putc('[', file);
	put_times(file, segment->start, segment->end, 0);
	for (size_t i = 0; i < schema->field_count; i++) {
		const struct histree_value *value = &segment->content[i];
		putc(',', file);
		if (value->type == HISTREE_NULL)
			fputs("null", file);
		else if (value->type == HISTREE_STRING)
			put_text(file, value->bytes, value->size);
		else if (value->type == HISTREE_DOUBLE)
			put_bits(file, value->real);
		else
			put_number(file, value->type == HISTREE_INT    ? value->int32
					 : value->type == HISTREE_BOOL ? value->boolean
								       : value->int64);
	}
	fputs("]\n", file);
}

/* ---- files -------------------------------------------------------------------------------------------- */

typedef struct ArrowArrayStream open_stream(void *subject, const struct histree_arrow_options *options);

/* In batches of sizes of their own, so that dictionaries grow where they want to. */
static void write_forms(const char *folder, const char *name, open_stream *open, void *subject,
			struct random *random, bool has_files)
{
	static const struct {
		const char *ending;
		bool is_stream, is_compressed;
	} forms[] = {
		{ ".arrow", false, false },
		{ ".arrows", true, false },
		{ ".zstd.arrow", false, true },
		{ ".zstd.arrows", true, true },
	};
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		const struct histree_ipc_options options = { .is_stream = forms[i].is_stream,
							     .is_compressed = forms[i].is_compressed };
		const struct histree_arrow_options columns = {
			.batch_rows = random_percent(random, 30) ? 0 : 1 + random_index(random, 700)
		};
		if ((options.is_compressed && !zstd_is_there) || (!options.is_stream && !has_files))
			continue;
		char path[512];
		snprintf(path, sizeof(path), "%s/%s%s", folder, name, forms[i].ending);
		struct ArrowArrayStream stream = open(subject, &columns);
		must(histree_export_arrow(&stream, path, &options, &error), path);
	}
}

static struct ArrowArrayStream open_states(void *history, const struct histree_arrow_options *options)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_region all = { .from = info->start, .to = info->end };
	struct ArrowArrayStream stream;
	must(histree_query_arrow(history, &all, options, &stream, &error), "states");
	return stream;
}

static void write_states(const char *folder, const char *name, struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_region all = { .from = info->start, .to = info->end };
	struct histree_cursor *query;
	struct histree_interval state;
	FILE *file = open_file(folder, name, ".jsonl");
	must(histree_query_create(history, &query, &error), "query");
	must(histree_query_start(query, &all, &error), "query");
	while (histree_cursor_next(query, &error) == HISTREE_OK) {
		state = *histree_cursor_interval(query);
		put_state(file, history, &state);
	}
	histree_cursor_free(query);
	fclose(file);
}

static struct ArrowArrayStream open_segments(void *store, const struct histree_arrow_options *options)
{
	struct ArrowArrayStream stream;
	must(histree_segments_arrow(store, NULL, options, &stream, &error), "segments");
	return stream;
}

static void write_segments(const char *folder, const char *name, struct histree_segment_store *store)
{
	const struct histree_segment_query all = HISTREE_SEGMENTS_ALL;
	struct histree_cursor *iter;
	struct histree_segment segment;
	FILE *file = open_file(folder, name, ".jsonl");
	must(histree_segments_create(store, &iter, &error), "segments");
	must(histree_segments_start(iter, &all, NULL, &error), "segments");
	while (histree_cursor_next(iter, &error) == HISTREE_OK) {
		segment = *histree_cursor_segment(iter);
		put_segment(file, &histree_segment_store_info(store)->schema, &segment);
	}
	histree_cursor_free(iter);
	fclose(file);
}

/* A history that is there. */
static void write_given(const char *folder, const char *path)
{
	struct random random = { 1 };
	struct histree_history *history;
	must(histree_history_open(path, NULL, &history, &error), path);
	write_states(folder, "given", history);
	write_forms(folder, "given", open_states, history, &random, true);
	histree_history_close(history);
}

/* ---- streams of others ----------------------------------------------------------------------------------- */

static void put_foreign_cell(FILE *file, const char *format, const struct ArrowArray *column, int64_t row)
{
	const void *values = column->buffers[1];
	int64_t at = column->offset + row;
	size_t size;
	const char *text;
	switch (arrow_is_null(column, row) ? 'n' : column->dictionary != NULL ? 'd' : format[0]) {
	case 'n':
		fputs("null", file);
		break;
	case 'd':
		at = format[0] == 'c' ? ((const int8_t *)values)[at] : ((const uint16_t *)values)[at];
		text = arrow_utf8(column->dictionary, at, &size);
		put_text(file, text, size);
		break;
	case 'u':
		text = arrow_utf8(column, row, &size);
		put_text(file, text, size);
		break;
	case 'b':
		put_number(file, arrow_bit(values, at));
		break;
	case 'c':
		put_number(file, ((const int8_t *)values)[at]);
		break;
	case 'C':
		put_number(file, ((const uint8_t *)values)[at]);
		break;
	case 's':
		put_number(file, ((const int16_t *)values)[at]);
		break;
	case 'S':
		put_number(file, ((const uint16_t *)values)[at]);
		break;
	case 'i':
		put_number(file, ((const int32_t *)values)[at]);
		break;
	case 'I':
	case 'f': /* as its bits */
		put_number(file, ((const uint32_t *)values)[at]);
		break;
	case 'L':
	case 'g':
		fprintf(file, "\"%" PRIu64 "\"", ((const uint64_t *)values)[at]);
		break;
	default: /* l and times */
		put_number(file, ((const int64_t *)values)[at]);
	}
}

static void write_foreign(const char *folder, const char *name, const struct foreign_options *options)
{
	struct ArrowArrayStream stream = foreign_stream(options);
	struct ArrowSchema schema;
	struct ArrowArray batch;
	FILE *file = open_file(folder, name, ".jsonl");
	if (stream.get_schema(&stream, &schema) != 0)
		exit(1);
	while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) {
		for (int64_t row = 0; row < batch.length; row++)
			for (int64_t i = 0; i < batch.n_children; i++) {
				putc(i == 0 ? '[' : ',', file);
				put_foreign_cell(file, schema.children[i]->format, batch.children[i],
						 batch.offset + row);
				if (i + 1 == batch.n_children)
					fputs("]\n", file);
			}
		batch.release(&batch);
	}
	schema.release(&schema);
	stream.release(&stream);
	fclose(file);
}

static struct ArrowArrayStream open_foreign(void *options, const struct histree_arrow_options *columns)
{
	(void)columns;
	return foreign_stream(options);
}

static void make_foreign(const char *folder, uint64_t seed)
{
	struct random random = { seed };
	struct foreign_options options = { .seed = seed, .batches = 12 };
	write_foreign(folder, "foreign", &options);
	write_forms(folder, "foreign", open_foreign, &options, &random, true);
	options.replaces = true;
	write_foreign(folder, "replacing", &options);
	write_forms(folder, "replacing", open_foreign, &options, &random, false);
}

/* ---- what is in them ---------------------------------------------------------------------------------- */

/* Texts that are more than letters: empty, in several scripts, with quotes and zeros, and some no UTF-8. */
static void change_texts(struct workload *workload, struct random *random)
{
	static const struct {
		const char *bytes;
		size_t size;
	} parts[] = {
		{ "\xc3\xa9t\xc3\xa9", 5 },
		{ "\xe6\x97\xa5\xe6\x9c\xac", 6 },
		{ "\xf0\x9f\x90\xa7", 4 },
		{ "\"\\\n", 3 },
		{ "a\0b", 3 },
		{ "\xff\xfe", 2 },
		{ "\xe2\x82", 2 },
		/* cut short */ { "\xed\xa0\x80", 3 }, /* half of a pair */
		{ "plain", 5 },
	};
	enum { PARTS = sizeof(parts) / sizeof(parts[0]), TEXT_MAX = 4 * 6 };
	for (size_t i = 0; i < workload->count; i++) {
		struct histree_value *value = &workload->changes[i].value;
		if (value->type != HISTREE_STRING || random_percent(random, 30))
			continue;
		char text[TEXT_MAX];
		size_t size = 0;
		for (uint64_t left = random_below(random, 4); left > 0; left--) {
			size_t part = random_index(random, PARTS);
			memcpy(text + size, parts[part].bytes, parts[part].size);
			size += parts[part].size;
		}
		const char *copy = arena_copy(&workload->bytes, text, size);
		if (copy != NULL)
			*value = histree_string_n(copy, size);
	}
}

static void make_history(const char *folder, const struct workload_kind *kind, uint64_t seed, const char *name)
{
	struct random random = { seed };
	struct workload workload;
	struct histree_history *history;
	char path[512];
	snprintf(path, sizeof(path), "%s/%s.sht", folder, name);
	histree_quark *quarks = calloc((size_t)kind->key_count + 1, sizeof(*quarks));
	const struct histree_tree_options options = { 0 };
	if (quarks == NULL || !workload_make(&workload, kind, seed))
		exit(1);
	change_texts(&workload, &random);
	must(history_file_build(path, &options, &workload, quarks, &error), name);
	must(histree_history_open(path, NULL, &history, &error), name);
	write_states(folder, name, history);
	write_forms(folder, name, open_states, history, &random, true);
	histree_history_close(history);
	workload_release(&workload);
	free(quarks);
	unlink(path);
}

static void make_segments(const char *folder, const struct segment_kind *kind, uint64_t seed, const char *name)
{
	struct random random = { seed };
	struct segments segments;
	if (!segments_make(&segments, kind, seed))
		exit(1);
	struct histree_segment_store *store = segments_store(&segments);
	if (store == NULL)
		exit(1);
	write_segments(folder, name, store);
	write_forms(folder, name, open_segments, store, &random, true);
	histree_segment_store_close(store);
	segments_release(&segments);
}

int main(int argc, char **argv)
{
	if (argc != 3 && argc != 4) {
		fputs("usage: write_columns SEED FOLDER [HISTORY]\n", stderr);
		return 2;
	}
	if (argc == 4) {
		write_given(argv[2], argv[3]);
		return 0;
	}
	uint64_t seed = strtoull(argv[1], NULL, 10);
	char name[64];
	for (size_t i = 0; workload_kinds[i].name != NULL; i++) {
		snprintf(name, sizeof(name), "states-%02zu", i);
		make_history(argv[2], &workload_kinds[i], seed + i, name);
	}
	for (size_t i = 0; segment_kinds[i].name != NULL; i++) {
		snprintf(name, sizeof(name), "segments-%02zu", i);
		make_segments(argv[2], &segment_kinds[i], seed + i, name);
	}
	make_foreign(argv[2], seed);
	return 0;
}
