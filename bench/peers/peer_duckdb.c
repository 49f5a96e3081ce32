// SPDX-License-Identifier: MIT
/*
 * peer_duckdb.c - DuckDB: one table in the order in which the intervals come, which is where it compresses best.
 *
 * Filled by its appender, asked in SQL with one thread; it reads columns and skips row groups by their least and
 * greatest values.  `number` holds what has a fixed size, `bytes` the rest.
 */
#include <duckdb.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "peers/peer.h"

enum { SQL_SIZE = 8192, PATH_SIZE = 4096 };

struct duckdb_peer {
	duckdb_database database;
	duckdb_connection connection;
	duckdb_prepared_statement single, full;
	const histree_time *times; /* that the table `asked_time` holds */
};

static enum histree_status failure(struct histree_error *error, const char *text)
{
	return error_set(error, HISTREE_ERR_IO, "duckdb: %s", text != NULL ? text : "it failed without a word");
}

static enum histree_status execute(struct duckdb_peer *peer, const char *sql, struct histree_error *error)
{
	duckdb_result result;
	enum histree_status status = HISTREE_OK;
	if (duckdb_query(peer->connection, sql, &result) != DuckDBSuccess)
		status = failure(error, duckdb_result_error(&result));
	duckdb_destroy_result(&result);
	return status;
}

/* ---- build ---------------------------------------------------------------------------------------------- */

static int64_t number_of(const struct histree_value *value)
{
	switch (value->type) {
	case HISTREE_INT:
		return value->int32;
	case HISTREE_BOOL:
		return value->boolean;
	case HISTREE_LONG:
	case HISTREE_DOUBLE:
		return value->int64; /* a double by its bits */
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		break;
	}
	return 0;
}

/* A batch of rows on its way into the table, column by column. */
struct batch {
	duckdb_data_chunk chunk;
	duckdb_vector bytes;
	uint32_t *quarks;
	int64_t *starts, *ends, *numbers;
	uint8_t *types;
	uint64_t *bytes_valid;
	idx_t count, capacity;
};

static void batch_begin(struct batch *batch)
{
	duckdb_data_chunk_reset(batch->chunk);
	batch->quarks = duckdb_vector_get_data(duckdb_data_chunk_get_vector(batch->chunk, 0));
	batch->starts = duckdb_vector_get_data(duckdb_data_chunk_get_vector(batch->chunk, 1));
	batch->ends = duckdb_vector_get_data(duckdb_data_chunk_get_vector(batch->chunk, 2));
	batch->types = duckdb_vector_get_data(duckdb_data_chunk_get_vector(batch->chunk, 3));
	batch->numbers = duckdb_vector_get_data(duckdb_data_chunk_get_vector(batch->chunk, 4));
	batch->bytes = duckdb_data_chunk_get_vector(batch->chunk, 5);
	duckdb_vector_ensure_validity_writable(batch->bytes);
	batch->bytes_valid = duckdb_vector_get_validity(batch->bytes);
	batch->count = 0;
	batch->capacity = duckdb_vector_size();
}

static void batch_create(struct batch *batch)
{
	static const duckdb_type types[6] = { DUCKDB_TYPE_UINTEGER, DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_BIGINT,
					      DUCKDB_TYPE_UTINYINT, DUCKDB_TYPE_BIGINT, DUCKDB_TYPE_BLOB };
	duckdb_logical_type columns[6];
	for (int i = 0; i < 6; i++)
		columns[i] = duckdb_create_logical_type(types[i]);
	batch->chunk = duckdb_create_data_chunk(columns, 6);
	for (int i = 0; i < 6; i++)
		duckdb_destroy_logical_type(&columns[i]);
	batch_begin(batch);
}

static void batch_add(struct batch *batch, const struct histree_interval *interval)
{
	const struct histree_value *value = &interval->value;
	idx_t row = batch->count++;
	batch->quarks[row] = interval->quark;
	batch->starts[row] = interval->start;
	batch->ends[row] = interval->end;
	batch->types[row] = (uint8_t)value->type;
	batch->numbers[row] = number_of(value);
	if (value->type == HISTREE_STRING || value->type == HISTREE_CUSTOM)
		duckdb_vector_assign_string_element_len(batch->bytes, row, value->bytes, value->size);
	else
		duckdb_validity_set_row_invalid(batch->bytes_valid, row);
}

static bool batch_append(struct batch *batch, duckdb_appender appender)
{
	duckdb_data_chunk_set_size(batch->chunk, batch->count);
	bool done = duckdb_append_data_chunk(appender, batch->chunk) == DuckDBSuccess;
	batch_begin(batch);
	return done;
}

static enum histree_status fill(struct duckdb_peer *peer, const struct interval_source *source,
				struct histree_error *error)
{
	duckdb_appender appender;
	struct batch batch;
	bool done = duckdb_appender_create(peer->connection, NULL, "state", &appender) == DuckDBSuccess;
	struct interval_cursor cursor;
	interval_cursor_begin(&cursor, source);
	struct histree_interval interval;
	batch_create(&batch);
	while (done && interval_cursor_next(&cursor, &interval)) {
		batch_add(&batch, &interval);
		if (batch.count == batch.capacity || cursor.index == source->interval_count)
			done = batch_append(&batch, appender);
	}
	done = done && duckdb_appender_close(appender) == DuckDBSuccess;
	enum histree_status status = done ? HISTREE_OK : failure(error, duckdb_appender_error(appender));
	duckdb_destroy_data_chunk(&batch.chunk);
	duckdb_appender_destroy(&appender);
	return status == HISTREE_OK ? execute(peer, "CHECKPOINT", error) : status;
}

static enum histree_status prepare(struct duckdb_peer *peer, const char *sql, duckdb_prepared_statement *statement,
				   struct histree_error *error)
{
	if (duckdb_prepare(peer->connection, sql, statement) == DuckDBSuccess)
		return HISTREE_OK;
	return failure(error, duckdb_prepare_error(*statement));
}

static enum histree_status open_database(struct duckdb_peer *peer, const struct peer_setup *setup,
					 struct histree_error *error)
{
	char path[PATH_SIZE];
	int length = snprintf(path, sizeof(path), "%s/states.duckdb", setup->folder);
	if (length < 0 || (size_t)length >= sizeof(path))
		return failure(error, "the name of the folder is too long");
	duckdb_config config;
	char *text = NULL;
	bool done = duckdb_create_config(&config) == DuckDBSuccess &&
		    duckdb_set_config(config, "threads", "1") == DuckDBSuccess &&
		    duckdb_open_ext(path, &peer->database, config, &text) == DuckDBSuccess &&
		    duckdb_connect(peer->database, &peer->connection) == DuckDBSuccess;
	enum histree_status status = done ? HISTREE_OK : failure(error, text);
	duckdb_destroy_config(&config);
	duckdb_free(text);
	return status;
}

/* ---- queries -------------------------------------------------------------------------------------------- */

#define COLUMNS "quark, start, \"end\", type, number, bytes"

static struct histree_value value_of(enum histree_type type, int64_t number, duckdb_string_t *bytes)
{
	struct histree_value value = { .type = type };
	if (type == HISTREE_STRING || type == HISTREE_CUSTOM) {
		value.bytes = duckdb_string_t_data(bytes);
		value.size = duckdb_string_t_length(*bytes);
	} else if (type == HISTREE_INT) {
		value.int32 = (int32_t)number;
	} else if (type == HISTREE_BOOL) {
		value.boolean = number != 0;
	} else {
		value.int64 = number;
	}
	return value;
}

static void take_chunk(duckdb_data_chunk chunk, struct bench_answer *answer)
{
	void *columns[6];
	for (idx_t i = 0; i < 6; i++)
		columns[i] = duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, i));
	const uint32_t *quarks = columns[0];
	const int64_t *starts = columns[1], *ends = columns[2], *numbers = columns[4];
	const uint8_t *types = columns[3];
	duckdb_string_t *bytes = columns[5];
	for (idx_t row = 0; row < duckdb_data_chunk_get_size(chunk); row++) {
		const struct histree_interval interval = {
			.start = starts[row],
			.end = ends[row],
			.quark = quarks[row],
			.value = value_of((enum histree_type)types[row], numbers[row], &bytes[row]),
		};
		bench_answer_add(answer, &interval);
	}
}

/* Every row of a result, which is destroyed. */
static enum histree_status take_result(duckdb_state state, duckdb_result *result, struct bench_answer *answer,
				       struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	duckdb_data_chunk chunk;
	if (state != DuckDBSuccess)
		status = failure(error, duckdb_result_error(result));
	while (status == HISTREE_OK && (chunk = duckdb_fetch_chunk(*result)) != NULL) {
		take_chunk(chunk, answer);
		duckdb_destroy_data_chunk(&chunk);
	}
	duckdb_destroy_result(result);
	return status;
}

static enum histree_status ask_prepared(duckdb_prepared_statement statement, const struct histree_region *question,
					struct bench_answer *answer, struct histree_error *error)
{
	duckdb_result result;
	duckdb_bind_int64(statement, 1, question->from);
	if (question->quarks != NULL)
		duckdb_bind_uint32(statement, 2, question->quarks[0]);
	duckdb_state state = duckdb_execute_prepared(statement, &result);
	return take_result(state, &result, answer, error);
}

/* Appends "IN (3,7,...)"; the list of a benchmark is short.  Without one, any will do. */
static void print_quarks(char sql[SQL_SIZE], const struct histree_region *question)
{
	size_t used = strlen(sql);
	if (question->quarks == NULL) {
		snprintf(sql + used, SQL_SIZE - used, " true");
		return;
	}
	for (size_t i = 0; i < question->quark_count && used < SQL_SIZE; i++)
		used += (size_t)snprintf(sql + used, SQL_SIZE - used, "%s%u", i == 0 ? " quark IN (" : ",",
					 question->quarks[i]);
	if (used < SQL_SIZE)
		snprintf(sql + used, SQL_SIZE - used, ")");
}

/* All questions of a run share their times: they are put into a table once. */
static enum histree_status set_times(struct duckdb_peer *peer, const struct histree_region *question,
				     struct histree_error *error)
{
	if (peer->times == question->times)
		return HISTREE_OK;
	enum histree_status status = execute(peer, "CREATE OR REPLACE TEMP TABLE asked_time (t BIGINT)", error);
	if (status != HISTREE_OK)
		return status;
	duckdb_appender appender;
	bool done = duckdb_appender_create(peer->connection, NULL, "asked_time", &appender) == DuckDBSuccess;
	for (size_t i = 0; i < question->time_count && done; i++)
		done = duckdb_append_int64(appender, question->times[i]) == DuckDBSuccess &&
		       duckdb_appender_end_row(appender) == DuckDBSuccess;
	done = done && duckdb_appender_close(appender) == DuckDBSuccess;
	status = done ? HISTREE_OK : failure(error, duckdb_appender_error(appender));
	duckdb_appender_destroy(&appender);
	peer->times = status == HISTREE_OK ? question->times : NULL;
	return status;
}

static enum histree_status ask_text(struct duckdb_peer *peer, const struct histree_region *question,
				    struct bench_answer *answer, struct histree_error *error)
{
	char sql[SQL_SIZE];
	if (question->times == NULL) {
		snprintf(sql, sizeof(sql),
			 "SELECT " COLUMNS " FROM state WHERE start <= %" PRId64 " AND \"end\" >= %" PRId64 " AND",
			 question->to, question->from);
	} else {
		enum histree_status status = set_times(peer, question, error);
		if (status != HISTREE_OK)
			return status;
		snprintf(sql, sizeof(sql),
			 "SELECT " COLUMNS " FROM state SEMI JOIN asked_time ON t >= start AND t <= \"end\" WHERE");
	}
	print_quarks(sql, question);
	duckdb_result result;
	duckdb_state state = duckdb_query(peer->connection, sql, &result);
	return take_result(state, &result, answer, error);
}

static enum histree_status duckdb_peer_ask(void *self, enum bench_shape shape,
					   const struct histree_region *question, struct bench_answer *answer,
					   struct histree_error *error)
{
	struct duckdb_peer *peer = self;
	if (shape == BENCH_SINGLE)
		return ask_prepared(peer->single, question, answer, error);
	if (shape == BENCH_FULL)
		return ask_prepared(peer->full, question, answer, error);
	return ask_text(peer, question, answer, error);
}

/* ------------------------------------------------------------------------------------------------------------ */

static void duckdb_peer_free(void *self)
{
	struct duckdb_peer *peer = self;
	if (peer == NULL)
		return;
	duckdb_destroy_prepare(&peer->single);
	duckdb_destroy_prepare(&peer->full);
	duckdb_disconnect(&peer->connection);
	duckdb_close(&peer->database);
	free(peer);
}

static enum histree_status duckdb_peer_build(const struct peer_setup *setup, void **out,
					     struct histree_error *error)
{
	struct duckdb_peer *peer = calloc(1, sizeof(*peer));
	*out = NULL;
	if (peer == NULL)
		return error_memory(error, "duckdb");
	enum histree_status status = open_database(peer, setup, error);
	if (status == HISTREE_OK)
		status = execute(peer,
				 "CREATE TABLE state (quark UINTEGER, start BIGINT, \"end\" BIGINT, type UTINYINT, "
				 "number BIGINT, bytes BLOB)",
				 error);
	if (status == HISTREE_OK)
		status = fill(peer, setup->source, error);
	if (status == HISTREE_OK)
		status = prepare(peer,
				 "SELECT " COLUMNS " FROM state WHERE start <= $1 AND \"end\" >= $1 AND quark = $2",
				 &peer->single, error);
	if (status == HISTREE_OK)
		status = prepare(peer, "SELECT " COLUMNS " FROM state WHERE start <= $1 AND \"end\" >= $1",
				 &peer->full, error);
	if (status != HISTREE_OK) {
		duckdb_peer_free(peer);
		return status;
	}
	*out = peer;
	return HISTREE_OK;
}

const struct peer peer_duckdb = {
	.name = "DuckDB",
	.build = duckdb_peer_build,
	.ask = duckdb_peer_ask,
	.free = duckdb_peer_free,
};
