// SPDX-License-Identifier: MIT
#include "mpi/answer_stream.h"

#include <stdlib.h>

#include "cli/interval_rows.h"
#include "cli/verb.h"
#include "histree/labels.h"

enum { SEND_BYTES = 256 * 1024, WHY_SIZE = 2048 };

/* ---- the question ----------------------------------------------------------------------------------------- */

void question_write(struct message *out, const char *analysis, histree_time start, histree_time end, int argc,
		    char **argv)
{
	message_string(out, analysis);
	message_signed(out, start);
	message_signed(out, end);
	message_number(out, (uint64_t)argc);
	for (int i = 0; i < argc; i++)
		message_string(out, argv[i]);
}

struct question_read {
	char *analysis;
	struct time_span span;
	int argc;
	char **argv; /* "query", and the words */
	struct question_words chosen;
	struct cli_words words;
};

static void question_free(struct question_read *question)
{
	for (int i = 0; i < question->argc; i++)
		free(question->argv[i]);
	free((void *)question->argv);
	free(question->analysis);
}

static bool question_take(struct question_read *question, struct byte_reader *reader)
{
	struct message_text analysis = read_text(reader);
	*question = (struct question_read){ .analysis = message_text_copy(analysis), .span.what = "history" };
	question->span.start = read_signed(reader);
	question->span.end = read_signed(reader);
	uint64_t count = read_varint(reader);
	if (reader->failed || count > byte_reader_left(reader) || question->analysis == NULL)
		return false;
	question->argv = calloc((size_t)count + 2, sizeof(*question->argv));
	if (question->argv == NULL || (question->argv[question->argc++] = strdup("query")) == NULL)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct message_text word = read_text(reader);
		char *copy = message_text_copy(word);
		if (reader->failed || copy == NULL) {
			free(copy);
			return false;
		}
		question->argv[question->argc++] = copy;
	}
	FILE *nowhere = fopen("/dev/null", "w");
	enum cli_parsed parsed = nowhere == NULL ? CLI_WRONG
						 : cli_parse(&question_verb, question->argc, question->argv,
							     &question->chosen, &question->words, nowhere);
	if (nowhere != NULL)
		fclose(nowhere);
	return parsed == CLI_PARSED && question->words.count >= 1;
}

/* ---- sections --------------------------------------------------------------------------------------------- */

struct answering {
	answer_send *send;
	void *context;
	struct histree_cancel cancel;
	bool failed; /* nobody takes it, or there is no memory */
	struct message out;
	struct chunk_writer chunk;
	const struct shard_analysis *analysis;
	bool wants_labels, has_attribute;
	histree_quark quark; /* of the last row */
	const struct histree_label_table *table;
};

static size_t begin_section(struct message *out, enum answer_section section)
{
	message_byte(out, (uint8_t)section);
	return message_room(out, sizeof(uint32_t));
}

static void end_section(struct message *out, size_t at)
{
	if (!out->no_memory && at != SIZE_MAX)
		put_le32(out->bytes + at, (uint32_t)(out->size - at - sizeof(uint32_t)));
}

static void send_out(struct answering *answering)
{
	if (!answering->failed)
		answering->failed =
			answering->out.no_memory || !answering->send(answering->context, &answering->out);
	message_clear(&answering->out);
}

static void flush_chunk(struct answering *answering)
{
	if (answering->chunk.row_count > 0) {
		size_t at = begin_section(&answering->out, ANSWER_ROWS);
		chunk_write(&answering->chunk, &answering->out);
		end_section(&answering->out, at);
	}
	answering->has_attribute = false;
	if (answering->out.size > SEND_BYTES)
		send_out(answering);
}

static const char *label_of(struct answering *answering, const struct histree_value *value)
{
	return answering->wants_labels ? histree_label_words(answering->table, value) : NULL;
}

static void begin_attribute(struct answering *answering, const struct listed_attribute *attribute)
{
	const struct shard_analysis *analysis = answering->analysis;
	if (answering->has_attribute && answering->quark == attribute->quark)
		return;
	if (chunk_is_full(&answering->chunk))
		flush_chunk(answering);
	answering->failed |= !chunk_add_attribute(&answering->chunk, shard_set_host_of(analysis, attribute->quark),
						  attribute->path, attribute->path_size);
	answering->has_attribute = true;
	answering->quark = attribute->quark;
	answering->table = histree_labels_of(analysis->history, attribute->quark);
}

static void take(void *context, const struct listed_attribute *attribute, const struct histree_interval *interval)
{
	struct answering *answering = context;
	if (answering->failed)
		return;
	begin_attribute(answering, attribute);
	answering->failed |= !chunk_add_row(&answering->chunk, interval, label_of(answering, &interval->value));
	if (chunk_is_full(&answering->chunk))
		flush_chunk(answering);
}

static void take_cell(void *context, const struct listed_attribute *attribute, const struct pixel_cell *cell)
{
	struct answering *answering = context;
	const struct histree_interval interval = { .start = cell->start, .end = cell->end, .value = cell->value };
	bool has_labels = answering->wants_labels;
	if (answering->failed)
		return;
	begin_attribute(answering, attribute);
	answering->failed |= !chunk_add_row(&answering->chunk, &interval, has_labels ? cell->label : NULL);
	if (cell->has_other && !answering->failed)
		answering->failed |=
			!chunk_add_other(&answering->chunk, &cell->other, has_labels ? cell->other_label : NULL);
	if (chunk_is_full(&answering->chunk))
		flush_chunk(answering);
}

/* ---- the answer ------------------------------------------------------------------------------------------- */

/* What each pattern matches by itself, if one of them matches nothing. */
static void write_patterns(const struct question_read *question, struct histree_history *history, int status,
			   struct message *out)
{
	bool is_told = status == CLI_NOTHING || history == NULL;
	size_t count = is_told ? question->words.count - 1 : 0;
	message_number(out, count);
	for (size_t i = 0; i < count; i++) {
		char why[WHY_SIZE] = "";
		struct attribute_list list = { 0 };
		enum cli_exit code = CLI_NOTHING;
		if (history != NULL) {
			report_capture(why, sizeof(why));
			code = attribute_list_match(&list, history, question->words.words + 1 + i, 1,
						    ATTRIBUTES_WITH_STATES);
			report_capture(NULL, 0);
		}
		attribute_list_release(&list);
		message_number(out, code);
		message_string(out, why);
	}
}

static void write_header(struct answering *answering, const struct question_read *question,
			 struct histree_history *history, const struct attribute_list *list, int status,
			 const char *why)
{
	struct message *out = &answering->out;
	size_t at = begin_section(out, ANSWER_HEADER);
	message_number(out, (uint64_t)status);
	message_string(out, why);
	message_number(out, list != NULL ? list->count : 0);
	message_number(out, list != NULL ? attribute_list_width(list, INTERVAL_PATH_WIDTH_MAX) : 0);
	if (question != NULL)
		write_patterns(question, history, status, out);
	else
		message_number(out, 0);
	end_section(out, at);
}

static void write_end(struct answering *answering, const struct query_outcome *outcome, const char *why)
{
	struct message *out = &answering->out;
	flush_chunk(answering);
	size_t at = begin_section(out, ANSWER_END);
	message_number(out, (uint64_t)outcome->status);
	message_string(out, why);
	message_number(out, outcome->is_damaged);
	message_number(out, outcome->attributes);
	message_number(out, outcome->rows);
	message_signed(out, outcome->stats.ns);
	message_number(out, outcome->stats.query.nodes_visited);
	message_number(out, outcome->stats.query.nodes_loaded);
	message_number(out, outcome->stats.query.intervals);
	message_number(out, outcome->stats.query.nodes_damaged);
	end_section(out, at);
	send_out(answering);
}

static bool wants_labels(const struct query_options *chosen)
{
	const struct row_format *format = row_format_find(chosen->format);
	return format->for_people || format == &row_format_json;
}

static void answer_of_history(struct answering *answering, const struct question_read *read,
			      struct histree_history *history)
{
	struct query_question question;
	struct query_outcome outcome = { 0 };
	char why[WHY_SIZE], later[WHY_SIZE];
	report_capture(why, sizeof(why));
	int status = query_question_make(&question, &read->chosen.query, history, &read->span,
					 read->words.words + 1, read->words.count - 1);
	report_capture(NULL, 0);
	write_header(answering, read, history, &question.list, status, why);
	answering->wants_labels = wants_labels(&read->chosen.query);
	report_capture(later, sizeof(later));
	if (status == CLI_OK || status == CLI_NOTHING)
		query_question_ask(&question, CLI_OK,
				   &(struct query_taker){ take, take_cell, answering, answering->cancel },
				   &outcome);
	report_capture(NULL, 0);
	write_end(answering, &outcome, later);
	query_question_release(&question);
}

static const struct query_outcome nothing;

void question_answer(struct shard_set *set, struct byte_reader *reader, answer_send *send, void *context,
		     struct histree_cancel cancel)
{
	struct answering answering = { .send = send, .context = context, .cancel = cancel };
	struct question_read question;
	struct histree_history *history = NULL;
	struct histree_error error = { 0 };
	if (!question_take(&question, reader)) {
		write_header(&answering, NULL, NULL, NULL, CLI_INTERNAL, "a rank cannot read the question");
		write_end(&answering, &nothing, "");
	} else if (shard_set_history(set, question.analysis, question.span.start, question.span.end,
				     &answering.analysis, &history, &error) != HISTREE_OK) {
		write_header(&answering, NULL, NULL, NULL, exit_of_status(error.status), error.message);
		write_end(&answering, &nothing, "");
	} else if (history == NULL) { /* there are more ranks than hosts */
		write_header(&answering, &question, NULL, NULL, CLI_OK, "");
		write_end(&answering, &nothing, "");
	} else {
		answer_of_history(&answering, &question, history);
	}
	question_free(&question);
	chunk_writer_release(&answering.chunk);
	message_release(&answering.out);
}

/* ---- who reads it ----------------------------------------------------------------------------------------- */

bool answer_header_read(struct answer_header *header, const void *bytes, size_t size)
{
	struct byte_reader reader = byte_reader(bytes, size);
	uint64_t status = read_varint(&reader);
	header->why = read_text(&reader);
	header->attributes = read_varint(&reader);
	uint64_t width = read_varint(&reader);
	header->pattern_count = read_varint(&reader);
	header->patterns = reader;
	header->status = (int)status;
	header->width = (uint32_t)width;
	return !reader.failed && status <= CLI_INTERNAL && width <= INTERVAL_PATH_WIDTH_MAX &&
	       header->pattern_count <= byte_reader_left(&reader);
}

bool answer_pattern_read(struct answer_header *header, struct answer_pattern *pattern)
{
	uint64_t status = read_varint(&header->patterns);
	pattern->status = (int)status;
	pattern->why = read_text(&header->patterns);
	return !header->patterns.failed && status <= CLI_INTERNAL;
}

bool answer_end_read(struct query_outcome *outcome, struct message_text *why, const void *bytes, size_t size)
{
	struct byte_reader reader = byte_reader(bytes, size);
	uint64_t status = read_varint(&reader);
	*why = read_text(&reader);
	outcome->status = (int)status;
	outcome->is_damaged = read_varint(&reader) != 0;
	outcome->attributes = read_varint(&reader);
	outcome->rows = read_varint(&reader);
	outcome->stats.ns = read_signed(&reader);
	outcome->stats.query.nodes_visited = read_varint(&reader);
	outcome->stats.query.nodes_loaded = read_varint(&reader);
	outcome->stats.query.intervals = read_varint(&reader);
	outcome->stats.query.nodes_damaged = read_varint(&reader);
	return !reader.failed && status <= CLI_INTERNAL;
}
