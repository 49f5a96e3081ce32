// SPDX-License-Identifier: MIT
/*
 * sqlite_export.c - tables of an SQLite database.
 *
 * The database is a new file that no other process knows, so there is no journal and nothing is synced before the
 * end: a file that is cut off has another name and is thrown away.  All is one transaction, and indexes are made
 * when their table is full, which sorts once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/io.h"
#include "base/sqlite.h"
#include "export/export_cells.h"
#include "export/export_output.h"
#include "histree/export.h"

/* After this many of its steps SQLite asks whether to go on. */
enum { PROGRESS_STEPS = 100000 };

struct sqlite_file {
	sqlite3 *database;
	const struct histree_sqlite_options *options;
	struct histree_export_counts counts;
	struct histree_error *error;
};

/* A table while it is filled. */
struct sqlite_table {
	struct export_cells cells;
	size_t value, real, text; /* columns that are one here; SIZE_MAX: it has none of the three */
	sqlite3_stmt *insert;
};

static enum histree_status failed(struct sqlite_file *file, int code)
{
	if (code == SQLITE_NOMEM)
		return error_memory(file->error, "SQLite");
	if (code == SQLITE_INTERRUPT)
		return error_set(file->error, HISTREE_ERR_CANCELLED, "the file is no longer wanted");
	return error_set(file->error, HISTREE_ERR_IO, "SQLite: %s",
			 file->database != NULL ? sqlite3_errmsg(file->database) : sqlite3_errstr(code));
}

static enum histree_status execute(struct sqlite_file *file, const char *statement)
{
	int code = sqlite3_exec(file->database, statement, NULL, NULL, NULL);
	return code == SQLITE_OK ? HISTREE_OK : failed(file, code);
}

/* Executes a statement that sqlite3_mprintf() has made, and frees it. */
static enum histree_status execute_made(struct sqlite_file *file, char *statement)
{
	enum histree_status status =
		statement != NULL ? execute(file, statement) : error_memory(file->error, "SQLite");
	sqlite3_free(statement);
	return status;
}

/* ---- columns ---------------------------------------------------------------------------------------------- */

static size_t find_column(const struct export_cells *cells, const char *name)
{
	for (size_t i = 0; i < cells->count; i++)
		if (strcmp(cells->columns[i].name, name) == 0)
			return i;
	return SIZE_MAX;
}

static bool is_column(const struct sqlite_table *table, size_t i)
{
	return i != table->real && i != table->text;
}

static const char *type_of(const struct sqlite_table *table, size_t i)
{
	static const char *const types[] = {
		[EXPORT_BOOL] = "INTEGER", [EXPORT_SIGNED] = "INTEGER", [EXPORT_UNSIGNED] = "INTEGER",
		[EXPORT_REAL] = "REAL",    [EXPORT_WORD] = "TEXT",      [EXPORT_TEXT] = "TEXT",
	};
	return i == table->value ? "" : types[table->cells.columns[i].kind];
}

static enum histree_status create_table(struct sqlite_file *file, struct sqlite_table *table,
					const struct histree_sqlite_table *wanted)
{
	sqlite3_str *create = sqlite3_str_new(file->database), *insert = sqlite3_str_new(file->database);
	sqlite3_str_appendf(create, "CREATE TABLE \"%w\" (", wanted->name);
	sqlite3_str_appendf(insert, "INSERT INTO \"%w\" VALUES (", wanted->name);
	for (size_t i = 0; i < table->cells.count; i++) {
		const char *name = table->cells.columns[i].name;
		bool is_key = wanted->primary_key != NULL && strcmp(name, wanted->primary_key) == 0;
		if (!is_column(table, i))
			continue;
		sqlite3_str_appendf(create, "%s\"%w\" %s%s", i > 0 ? ", " : "", name, type_of(table, i),
				    is_key ? " PRIMARY KEY" : "");
		sqlite3_str_appendall(insert, i > 0 ? ", ?" : "?");
	}
	sqlite3_str_appendall(create, ")");
	sqlite3_str_appendall(insert, ")");
	char *creating = sqlite3_str_finish(create), *inserting = sqlite3_str_finish(insert);
	enum histree_status status = execute_made(file, creating);
	if (status == HISTREE_OK) {
		int code = inserting == NULL
				   ? SQLITE_NOMEM
				   : sqlite3_prepare_v2(file->database, inserting, -1, &table->insert, NULL);
		status = code == SQLITE_OK ? HISTREE_OK : failed(file, code);
	}
	sqlite3_free(inserting);
	return status;
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

static int bind_text(sqlite3_stmt *insert, int at, const char *text, size_t size)
{
	return sqlite3_bind_text64(insert, at, text, size, SQLITE_STATIC, SQLITE_UTF8);
}

static int bind(sqlite3_stmt *insert, int at, const struct export_column *column, int64_t row)
{
	const char *text;
	size_t size;
	if (export_cell_is_null(column, row))
		return sqlite3_bind_null(insert, at);
	switch (column->kind) {
	case EXPORT_BOOL:
		return sqlite3_bind_int(insert, at, export_cell_bool(column, row));
	case EXPORT_SIGNED:
		return sqlite3_bind_int64(insert, at, export_cell_signed(column, row));
	case EXPORT_UNSIGNED:
		return sqlite3_bind_int64(insert, at, (int64_t)export_cell_unsigned(column, row));
	case EXPORT_REAL:
		return sqlite3_bind_double(insert, at, export_cell_real(column, row));
	case EXPORT_WORD:
		text = export_word(column, export_cell_word(column, row), &size);
		return bind_text(insert, at, text, size);
	case EXPORT_TEXT:
		text = export_cell_text(column, row, &size);
		return bind_text(insert, at, text, size);
	}
	return SQLITE_MISUSE;
}

/* The one of the three columns of a value that is not null. */
static const struct export_column *value_of(const struct sqlite_table *table, int64_t row)
{
	const struct export_column *columns = table->cells.columns;
	if (!export_cell_is_null(&columns[table->real], row))
		return &columns[table->real];
	return export_cell_is_null(&columns[table->text], row) ? &columns[table->value] : &columns[table->text];
}

static int insert_row(const struct sqlite_table *table, int64_t row)
{
	int at = 1, code = SQLITE_OK;
	for (size_t i = 0; i < table->cells.count && code == SQLITE_OK; i++) {
		if (!is_column(table, i))
			continue;
		const struct export_column *column =
			i == table->value ? value_of(table, row) : &table->cells.columns[i];
		code = bind(table->insert, at++, column, row);
	}
	if (code == SQLITE_OK)
		code = sqlite3_step(table->insert);
	int reset = sqlite3_reset(table->insert);
	return code == SQLITE_DONE ? reset : code;
}

static enum histree_status fill(struct sqlite_file *file, struct sqlite_table *table,
				struct ArrowArrayStream *stream)
{
	struct ArrowArray batch;
	enum histree_status status;
	while ((status = export_stream_next(stream, &file->options->work, &batch, file->error)) == HISTREE_OK) {
		int code = SQLITE_OK;
		status = export_cells_take(&table->cells, &batch, file->error);
		for (int64_t row = 0; status == HISTREE_OK && row < batch.length && code == SQLITE_OK; row++)
			code = insert_row(table, row);
		file->counts.rows += (uint64_t)batch.length;
		file->counts.row_groups++;
		sqlite3_clear_bindings(table->insert);
		batch.release(&batch);
		if (status != HISTREE_OK || code != SQLITE_OK)
			return status != HISTREE_OK ? status : failed(file, code);
		export_tell(&file->options->work, &file->counts);
	}
	const struct histree_loss loss = histree_arrow_loss(stream);
	loss_add(&file->counts.loss, &loss);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- tables ----------------------------------------------------------------------------------------------- */

static enum histree_status make_indexes(struct sqlite_file *file, const struct histree_sqlite_table *wanted)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; wanted->indexes != NULL && wanted->indexes[i] != NULL && status == HISTREE_OK; i++)
		status = execute_made(file, sqlite3_mprintf("CREATE INDEX \"%w_%d\" ON \"%w\" (%s)", wanted->name,
							    (int)i + 1, wanted->name, wanted->indexes[i]));
	return status;
}

static enum histree_status write_table(struct sqlite_file *file, const struct histree_sqlite_table *wanted)
{
	struct sqlite_table table = { 0 };
	struct ArrowSchema schema;
	enum histree_status status = export_stream_schema(wanted->stream, &schema, file->error);
	if (status != HISTREE_OK)
		return status;
	status = export_cells_create(&table.cells, &schema, file->error);
	schema.release(&schema);
	if (status == HISTREE_OK) {
		/* A cell of SQLite has its own type, so three columns by type become one. */
		table.value = find_column(&table.cells, "value");
		table.real = find_column(&table.cells, "real");
		table.text = find_column(&table.cells, "text");
		if (table.value == SIZE_MAX || table.real == SIZE_MAX || table.text == SIZE_MAX)
			table.value = table.real = table.text = SIZE_MAX;

		status = create_table(file, &table, wanted);
	}
	if (status == HISTREE_OK)
		status = fill(file, &table, wanted->stream);
	sqlite3_finalize(table.insert);
	export_cells_release(&table.cells);
	return status == HISTREE_OK ? make_indexes(file, wanted) : status;
}

static enum histree_status write_notes(struct sqlite_file *file)
{
	const struct histree_sqlite_options *options = file->options;
	enum histree_status status = HISTREE_OK;
	if (options->note_count > 0)
		status = execute(file, "CREATE TABLE info (key TEXT PRIMARY KEY, value TEXT)");
	for (size_t i = 0; i < options->note_count && status == HISTREE_OK; i++)
		status = execute_made(file, sqlite3_mprintf("INSERT INTO info VALUES (%Q, %Q)",
							    options->notes[i].key, options->notes[i].value));
	for (size_t i = 0; options->views != NULL && options->views[i] != NULL && status == HISTREE_OK; i++)
		status = execute_made(file, sqlite3_mprintf("CREATE VIEW %s", options->views[i]));
	return status;
}

/* ---- the file --------------------------------------------------------------------------------------------- */

static int asked_to_stop(void *context)
{
	return cancel_asked(context);
}

static enum histree_status write_all(struct sqlite_file *file, const struct histree_sqlite_table *tables,
				     size_t count)
{
	struct histree_work work = file->options->work;
	if (work.go_on != NULL)
		sqlite3_progress_handler(file->database, PROGRESS_STEPS, asked_to_stop, &work);
	enum histree_status status = execute(file, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
						   "PRAGMA locking_mode = EXCLUSIVE; BEGIN");
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = write_table(file, &tables[i]);
	if (status == HISTREE_OK)
		status = write_notes(file);
	if (status == HISTREE_OK)
		status = execute(file, "COMMIT; ANALYZE");
	sqlite3_progress_handler(file->database, 0, NULL, NULL);
	return status;
}

/* Bring the file to disk, and give it its name. */
static enum histree_status take_name(struct sqlite_file *file, const char *part, const char *path)
{
	off_t size = 0;
	int descriptor = open(part, O_RDONLY | O_CLOEXEC);
	bool is_whole = descriptor >= 0 && fsync(descriptor) == 0 && (size = lseek(descriptor, 0, SEEK_END)) >= 0;
	int reason = errno;
	if (descriptor >= 0)
		close(descriptor);
	if (!is_whole || rename(part, path) != 0)
		return error_set(file->error, HISTREE_ERR_IO, "'%s': %s", path,
				 strerror(is_whole ? errno : reason));
	file->counts.bytes = (uint64_t)size;
	return io_sync_folder_of(&io_posix, path, file->error);
}

enum histree_status histree_export_sqlite(const struct histree_sqlite_table *tables, size_t count, const char *path,
					  const struct histree_sqlite_options *options, struct histree_error *error)
{
	static const struct histree_sqlite_options defaults;
	struct sqlite_file file = { .options = options != NULL ? options : &defaults,
				    .counts = { .files = 1 },
				    .error = error };
	bool is_stream;
	char *part = NULL, *whole = io_destination(path, &is_stream);
	enum histree_status status = sqlite_load(error);
	if (status == HISTREE_OK && (whole == NULL || asprintf(&part, "%s.part", whole) < 0)) {
		part = NULL;
		status = error_memory(error, "a path");
	}
	if (status == HISTREE_OK && is_stream)
		status = error_set(file.error, HISTREE_ERR_ARGUMENT, "'%s' is no file: a database has to be one",
				   path);
	/* What is left of an export that was cut off is no database to add to. */
	if (status == HISTREE_OK && unlink(part) != 0 && errno != ENOENT)
		status = error_set(error, HISTREE_ERR_IO, "cannot make '%s': %s", part, strerror(errno));
	if (status == HISTREE_OK) {
		int code = sqlite3_open_v2(part, &file.database,
					   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
		status = code == SQLITE_OK ? write_all(&file, tables, count) : failed(&file, code);
		if (status == HISTREE_ERR_IO)
			error_prefix(error, "'%s'", path);
		if (sqlite3_close(file.database) != SQLITE_OK && status == HISTREE_OK)
			status = error_set(error, HISTREE_ERR_INTERNAL, "SQLite keeps a database open");
		if (status == HISTREE_OK)
			status = take_name(&file, part, whole);
		if (status != HISTREE_OK)
			unlink(part);
	}
	free(part);
	free(whole);
	for (size_t i = 0; i < count; i++)
		tables[i].stream->release(tables[i].stream);
	if (file.options->counts != NULL)
		*file.options->counts = file.counts;
	return status;
}

bool histree_export_has_sqlite(void)
{
	return true;
}
