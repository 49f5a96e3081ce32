// SPDX-License-Identifier: MIT
#include "mpi/answer_merge.h"

#include <stdlib.h>

#include "base/error.h"
#include "cli/interval_rows.h"
#include "cli/verb.h"

struct merging {
	struct answer_source *sources;
	size_t count;
	const struct question_words *chosen;
	const struct cli_words *words;
	struct interval_rows rows;
	const char *label; /* of the row that is printed */
	uint32_t pixel;    /* of the next cell: all of an attribute come one after the other, from one rank */
	bool is_lost;
};

/* ---- one source ----------------------------------------------------------------------------------------- */

static enum histree_status lost(const struct answer_source *source, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_IO, "rank %d does not answer", source->rank);
}

/* Finds the next section; its letter is 0 if the answer is at its end. */
static enum histree_status next_section(struct answer_source *source, uint8_t *letter, struct byte_reader *section,
					struct histree_error *error)
{
	*letter = 0;
	if (source->is_done)
		return HISTREE_OK;
	if (byte_reader_left(&source->sections) == 0) {
		if (!source->receive(source->context, &source->message))
			return lost(source, error);
		source->sections = byte_reader(source->message.bytes, source->message.size);
	}
	*letter = read_byte(&source->sections);
	uint32_t size = read_le32(&source->sections);
	const uint8_t *bytes = read_bytes(&source->sections, size);
	if (bytes == NULL)
		return error_set(error, HISTREE_ERR_FORMAT,
				 "the answer of rank %d is damaged: a section ends early", source->rank);
	*section = byte_reader(bytes, size);
	return HISTREE_OK;
}

static enum histree_status read_header(struct answer_source *source, struct histree_error *error)
{
	uint8_t letter = 0;
	struct byte_reader section = { 0 };
	source->sections = byte_reader("", 0);
	enum histree_status status = next_section(source, &letter, &section, error);
	if (status != HISTREE_OK)
		return status;
	message_clear(&source->header_bytes);
	message_bytes(&source->header_bytes, section.at, byte_reader_left(&section));
	if (source->header_bytes.no_memory)
		return error_memory(error, "an answer");
	if (letter != ANSWER_HEADER ||
	    !answer_header_read(&source->header, source->header_bytes.bytes, source->header_bytes.size))
		return error_set(error, HISTREE_ERR_FORMAT, "the answer of rank %d has no header", source->rank);
	return HISTREE_OK;
}

/* Goes to the next row, or to the end of the answer. */
static enum histree_status fill(struct answer_source *source, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	while (status == HISTREE_OK && !source->is_done && source->row >= source->chunk.row_count) {
		uint8_t letter = 0;
		struct byte_reader section = { 0 };
		status = next_section(source, &letter, &section, error);
		if (status != HISTREE_OK)
			break;
		if (letter == ANSWER_ROWS) {
			source->row = 0;
			status = chunk_read(&source->chunk, section.at, byte_reader_left(&section), error);
		} else if (letter == ANSWER_END && answer_end_read(&source->outcome, &source->why, section.at,
								   byte_reader_left(&section))) {
			source->is_done = true;
		} else {
			status = error_set(error, HISTREE_ERR_FORMAT,
					   "the answer of rank %d is damaged: it has an unknown section",
					   source->rank);
		}
	}
	return status;
}

void answer_source_release(struct answer_source *source)
{
	chunk_release(&source->chunk);
	message_release(&source->message);
	message_release(&source->header_bytes);
}

/* ---- headers -------------------------------------------------------------------------------------------- */

static int report_text(int status, const struct message_text *why)
{
	const char *line = why->bytes, *end = why->bytes + why->size;
	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t size = (size_t)((next != NULL ? next : end) - line);
		report("%.*s", (int)size, line);
		line += size + 1;
	}
	return status;
}

/*
 * A pattern matches if it does on one rank; else a folder on one of them is worth more than nothing on another.  A
 * rank that knows the host says less than one that advises to name a host.
 */
static int check_pattern(const struct answer_pattern *patterns, size_t count)
{
	const struct answer_pattern *told = NULL;
	bool told_folder = false;
	for (size_t i = 0; i < count; i++) {
		if (patterns[i].status == CLI_OK)
			return CLI_OK;
		bool is_folder = patterns[i].why.size > 0 &&
				 memmem(patterns[i].why.bytes, patterns[i].why.size, "is a folder", 11) != NULL;
		bool is_less = told != NULL && patterns[i].why.size < told->why.size;
		if (patterns[i].why.size > 0 && (told == NULL || is_folder || (is_less && !told_folder))) {
			told = &patterns[i];
			told_folder = is_folder;
		}
	}
	return told != NULL ? report_text(CLI_NOTHING, &told->why) : CLI_NOTHING;
}

/* A rank on which all patterns match says nothing of them. */
static int check_patterns(struct merging *merging)
{
	size_t pattern_count = merging->words->count - 1;
	int status = CLI_OK;
	struct answer_pattern *patterns = calloc(merging->count + 1, sizeof(*patterns));
	if (patterns == NULL)
		return report_no_memory();
	for (size_t k = 0; k < pattern_count; k++) {
		for (size_t i = 0; i < merging->count; i++) {
			struct answer_header *header = &merging->sources[i].header;
			patterns[i] = (struct answer_pattern){ .status = CLI_OK };
			if (header->pattern_count == pattern_count && !answer_pattern_read(header, &patterns[i]))
				patterns[i].status = CLI_NOTHING;
		}
		if (check_pattern(patterns, merging->count) != CLI_OK)
			status = CLI_NOTHING;
	}
	free(patterns);
	return status;
}

/* Whether a stack is one can only be said of the only attribute; of several, the others are left out. */
static bool is_of_one(const struct merging *merging)
{
	uint64_t attributes = 0;
	for (size_t i = 0; i < merging->count; i++)
		attributes += merging->sources[i].header.attributes;
	return attributes <= 1;
}

/* The status of a question that cannot be asked, for which the first rank has the reason. */
static int check_headers(struct merging *merging)
{
	for (size_t i = 0; i < merging->count; i++) {
		const struct answer_header *header = &merging->sources[i].header;
		if (header->status > CLI_NOTHING)
			return report_text(header->status, &header->why);
	}
	return check_patterns(merging);
}

static unsigned width_of(const struct merging *merging)
{
	unsigned width = 0;
	for (size_t i = 0; i < merging->count; i++)
		if (merging->sources[i].header.width > width)
			width = merging->sources[i].header.width;
	return width;
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

static const struct chunk_row *row_of(const struct answer_source *source)
{
	return source->is_done ? NULL : &source->chunk.rows[source->row];
}

static int compare_paths(const struct message_text *a, const struct message_text *b)
{
	int order = memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
	return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

/* Whether the row of one source comes before that of another one. */
static bool is_before(const struct merging *merging, const struct answer_source *one,
		      const struct answer_source *other)
{
	const struct chunk_row *a = row_of(one), *b = row_of(other);
	const struct chunk_attribute *a_of = &one->chunk.attributes[a->attribute];
	const struct chunk_attribute *b_of = &other->chunk.attributes[b->attribute];
	if (!merging->chosen->query.changes)
		return compare_paths(&a_of->path, &b_of->path) < 0;
	if (a->start != b->start)
		return (a->start < b->start) != merging->chosen->query.reverse;
	return a_of->host < b_of->host;
}

static struct answer_source *first_source(const struct merging *merging)
{
	struct answer_source *first = NULL;
	for (size_t i = 0; i < merging->count; i++) {
		struct answer_source *source = &merging->sources[i];
		if (!source->is_done && (first == NULL || is_before(merging, source, first)))
			first = source;
	}
	return first;
}

static const char *words_of_row(void *context, const struct histree_value *value)
{
	(void)value;
	return ((const struct merging *)context)->label;
}

static void print_cell(struct merging *merging, const struct listed_attribute *attribute,
		       const struct chunk_row *row)
{
	const struct pixel_cell cell = { .pixel = merging->pixel++,
					 .start = row->start,
					 .end = row->end,
					 .value = row->value,
					 .label = row->label,
					 .has_other = row->has_other,
					 .other = row->other,
					 .other_label = row->other_label };
	if (merging->pixel == merging->chosen->query.pixels)
		merging->pixel = 0;
	interval_rows_take_cell(&merging->rows, attribute, &cell);
}

static void print_row(struct merging *merging, const struct answer_source *source)
{
	const struct chunk_row *row = row_of(source);
	const struct message_text *path = &source->chunk.attributes[row->attribute].path;
	const struct listed_attribute attribute = { .path = path->bytes, .path_size = (uint32_t)path->size };
	const struct histree_interval interval = { .start = row->start, .end = row->end, .value = row->value };
	merging->label = row->label;
	if (merging->chosen->query.pixels == 0)
		interval_rows_take(&merging->rows, &attribute, &interval);
	else
		print_cell(merging, &attribute, row);
}

/* Prints `left` rows; all answers are taken to their ends all the same, so that the ranks are free again. */
static enum histree_status print_rows(struct merging *merging, uint64_t left, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < merging->count && status == HISTREE_OK; i++)
		status = fill(&merging->sources[i], error);
	while (status == HISTREE_OK) {
		struct answer_source *source = first_source(merging);
		if (source == NULL)
			break;
		if (left > 0) {
			print_row(merging, source);
			left--;
		}
		source->row++;
		status = fill(source, error);
	}
	return status;
}

static int add_outcomes(const struct merging *merging, struct query_outcome *all)
{
	int status = CLI_OK;
	for (size_t i = 0; i < merging->count; i++) {
		const struct answer_source *source = &merging->sources[i];
		const struct query_outcome *one = &source->outcome;
		bool is_left_out = merging->chosen->query.stack_top && one->status == CLI_USAGE;
		if (one->status > CLI_NOTHING && (!is_left_out || is_of_one(merging)) && status == CLI_OK)
			status = report_text(one->status, &source->why);
		else if (one->is_damaged && one->status <= CLI_NOTHING)
			report_text(CLI_OK, &source->why); /* which hosts are missing */
		all->is_damaged |= one->is_damaged;
		all->attributes += one->attributes;
		all->rows += one->rows;
		all->stats.ns = one->stats.ns > all->stats.ns ? one->stats.ns : all->stats.ns;
		all->stats.query.nodes_visited += one->stats.query.nodes_visited;
		all->stats.query.nodes_loaded += one->stats.query.nodes_loaded;
		all->stats.query.intervals += one->stats.query.intervals;
		all->stats.query.nodes_damaged += one->stats.query.nodes_damaged;
	}
	return status;
}

static int print(struct merging *merging, int status, int file)
{
	const struct query_options *chosen = &merging->chosen->query;
	bool is_silent = status > CLI_NOTHING;
	struct output *output = output_create(file);
	struct histree_error error = { 0 };
	struct query_outcome outcome = { 0 };
	if (output == NULL)
		return report_no_memory();
	if (!is_silent) {
		interval_rows_begin_wide(&merging->rows, row_format_find(chosen->format), output, NULL,
					 width_of(merging), chosen->pixels != 0 ? INTERVAL_CELLS : INTERVAL_LABELS);
		merging->rows.words = words_of_row;
		merging->rows.words_context = merging;
	}
	uint64_t left = is_silent ? 0 : chosen->top != 0 ? chosen->top : UINT64_MAX;
	if (print_rows(merging, left, &error) != HISTREE_OK) {
		merging->is_lost = true;
		status = report_error(&error);
	} else if (!is_silent) {
		int failed = add_outcomes(merging, &outcome);
		outcome.status = failed != CLI_OK ? failed : status;
		status = query_outcome_report(&outcome, chosen);
	}
	if (!is_silent)
		interval_rows_finish(&merging->rows);
	return cli_end(output, status);
}

int answer_merge(struct answer_source *sources, size_t count, const struct question_words *chosen,
		 const struct cli_words *words, int file, bool *is_lost)
{
	struct merging merging = { .sources = sources, .count = count, .chosen = chosen, .words = words };
	struct histree_error error = { 0 };
	int status = CLI_OK;
	for (size_t i = 0; i < count && status == CLI_OK; i++) {
		if (read_header(&sources[i], &error) != HISTREE_OK) {
			*is_lost = true;
			return report_error(&error);
		}
	}
	status = print(&merging, check_headers(&merging), file);
	*is_lost = merging.is_lost;
	return status;
}
