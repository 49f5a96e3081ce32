// SPDX-License-Identifier: MIT
/*
 * sql_session.c - `histree sql`: runs SQL statements from a line, a file or a prompt, and prints their rows in
 * each format.
 *
 * At the prompt a statement may have several lines, and commands begin with a dot.  The progress of a long
 * statement is the number of rows read from the store: how many there will be is not known.
 */
#include "cli/sql_session.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "base/number_text.h"
#include "base/sqlite.h"
#include "cli/line_editor.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/row_writer.h"
#include "cli/target.h"
#include "sql/sql_extension.h"
#include "sql/sql_store.h"

struct sql_progress {
	struct progress style;
	const struct sql_connection *connection;
	uint64_t rows_before; /* that earlier statements read */
	int64_t began_ns, shown_ns;
	bool is_shown; /* a line is on the terminal */
};

/* ---- sql progress -------------------------------------------------------------------------------------------- */

/* Short statements say nothing. */
static const int64_t first_ns = 1000000000, next_ns = 200000000;

/* SQLite asks now and then (sqlite3_progress_handler); returns 0 to go on. */
static int sql_progress_show(void *context)
{
	struct sql_progress *progress = context;
	int64_t now = monotonic_ns();
	if (!progress_goes_on(NULL))
		return 1;
	if (progress->style.style == PROGRESS_NONE || now - progress->shown_ns < next_ns)
		return 0;
	uint64_t rows = sql_connection_rows(progress->connection) - progress->rows_before;
	double seconds = (double)(now - progress->began_ns) / 1e9;
	progress->shown_ns = now;
	if (progress->style.style == PROGRESS_JSON) {
		fprintf(stderr, "{\"rows_read\":%" PRIu64 ",\"elapsed_ns\":%" PRId64 "}\n", rows,
			now - progress->began_ns);
		return 0;
	}
	fprintf(stderr, "\r\033[K%.1f million rows read, %.1f s", (double)rows / 1e6, seconds);
	progress->is_shown = true;
	return 0;
}

/* Rows are printed, or the statement ends: the line goes. */
static void sql_progress_clear(struct sql_progress *progress)
{
	if (progress->is_shown)
		fputs("\r\033[K", stderr);
	progress->is_shown = false;
}

/* ---- sql session --------------------------------------------------------------------------------------------- */

enum { WIDTH_OF_TEXT = 24, WIDTH_OF_NUMBER = 19, WIDTH_OF_NAME = 8 };

/* Instructions of SQLite's machine: these take some milliseconds, after which progress may be shown. */
enum { OPERATIONS = 500000 };

/* Lists that lie in the processor's cache are sorted in less than half the time, and merged later. */
enum { SORTER_BYTES = 4 << 20 };

/* What SQLite takes besides: the tables' names, statements, blocks of a sorter that grows. */
enum { HEAP_BESIDES = 8 << 20 };

static volatile sig_atomic_t was_interrupted;

struct sql_session {
	sqlite3 *db;
	struct sql_connection *connection;
	const struct row_format *format;
	struct output *output;
	struct sql_progress progress;
	bool shows_time, is_done; /* at the prompt */
};

/* ---- one statement ------------------------------------------------------------------------------------ */

/* Paths have their own way of escaping, as they have in what the other verbs print. */
static void put_text(struct row_writer *rows, sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);
	size_t size = (size_t)sqlite3_column_bytes(statement, column);
	if (strcmp(rows->columns[column].name, "path") == 0)
		row_path(rows, text, size);
	else
		row_bytes(rows, text, size);
}

/* How wide a column is, its first value says, if there is one. */
static struct row_column column_of(sqlite3_stmt *statement, int column, bool has_row)
{
	const char *name = sqlite3_column_name(statement, column);
	int type = has_row ? sqlite3_column_type(statement, column) : SQLITE_NULL;
	unsigned width = type == SQLITE_TEXT ? WIDTH_OF_TEXT : WIDTH_OF_NUMBER;
	if (type == SQLITE_INTEGER && llabs(sqlite3_column_int64(statement, column)) < 10000000)
		width = WIDTH_OF_NAME;
	return (struct row_column){ .name = name == NULL ? "" : name,
				    .width = width,
				    .to_the_right = type != SQLITE_TEXT };
}

/* Print the rows of a statement, which stands at its first row or is done.  Returns what the last step returned. */
static int put_rows(struct sql_session *session, sqlite3_stmt *statement, int code)
{
	int count = sqlite3_column_count(statement);
	struct row_writer rows;
	struct row_column *columns = calloc((size_t)count, sizeof(*columns));
	if (count > ROW_COLUMNS_MAX)
		code = SQLITE_TOOBIG;
	else if (columns == NULL)
		code = SQLITE_NOMEM;
	if (count > ROW_COLUMNS_MAX || columns == NULL) {
		free(columns);
		return code;
	}
	for (int i = 0; i < count; i++)
		columns[i] = column_of(statement, i, code == SQLITE_ROW);
	row_writer_begin(&rows, session->format, session->output, columns, (size_t)count, ROWS_NAMED);
	for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
		sql_progress_clear(&session->progress);
		for (int i = 0; i < count; i++) {
			switch (sqlite3_column_type(statement, i)) {
			case SQLITE_INTEGER:
				row_number(&rows, sqlite3_column_int64(statement, i));
				break;
			case SQLITE_FLOAT:
				row_real(&rows, sqlite3_column_double(statement, i));
				break;
			case SQLITE_TEXT:
				put_text(&rows, statement, i);
				break;
			default: /* NULL, and bytes that only an analysis understands */
				row_null(&rows);
				break;
			}
		}
		row_end(&rows);
	}
	row_writer_finish(&rows);
	free(columns);
	return code;
}

static enum cli_exit report_sql(struct sql_session *session, int code)
{
	if (code == SQLITE_INTERRUPT)
		return report_exit(CLI_INPUT, "the statement was stopped");
	if (code == SQLITE_AUTH)
		return report_exit(
			CLI_USAGE,
			"with --read-only a statement may look at the store, and change or open nothing");
	if (code == SQLITE_NOMEM || code == SQLITE_TOOBIG)
		return report_exit(CLI_INPUT,
				   "the statement takes more memory than it has; --memory gives it more");
	return report_exit(CLI_INPUT, "%s", sqlite3_errmsg(session->db));
}

/* The analysis whose segments are a table that is not there; false: no analysis makes that. */
static bool find_analysis_of(const char *table, struct histree_analysis_info *analysis)
{
	for (size_t i = 0; histree_analysis(i, analysis); i++) {
		size_t at = 0;
		while (analysis->name[at] != '\0' &&
		       (analysis->name[at] == '-' ? '_' : analysis->name[at]) == table[at])
			at++;
		if (analysis->makes_segments && analysis->name[at] == '\0' && table[at] == '\0')
			return true;
	}
	return false;
}

/* A statement could not be understood. */
static enum cli_exit report_wrong(struct sql_session *session, int code)
{
	static const char no_table[] = "no such table: ";
	const char *message = sqlite3_errmsg(session->db);
	struct histree_analysis_info analysis;
	int at = sqlite3_error_offset(session->db);
	if (code == SQLITE_NOMEM)
		return report_no_memory();
	if (code == SQLITE_AUTH)
		return report_sql(session, code);
	if (strcmp(message, "no query solution") == 0)
		return report_exit(CLI_USAGE,
				   "a table function lacks an argument, or has it from a table that needs the "
				   "function first; histree-sql(1) lists them");
	if (strncmp(message, no_table, strlen(no_table)) == 0 &&
	    find_analysis_of(message + strlen(no_table), &analysis))
		return report_exit(CLI_USAGE, "%s; 'histree add STORE %s' makes it", message, analysis.name);
	if (at >= 0)
		return report_exit(CLI_USAGE, "%s, at byte %d of the statement", message, at + 1);
	return report_exit(CLI_USAGE, "%s", message);
}

/* Run all statements of a text. */
static enum cli_exit run_text(struct sql_session *session, const char *text)
{
	while (*text != '\0') {
		sqlite3_stmt *statement = NULL;
		int code = sqlite3_prepare_v2(session->db, text, -1, &statement, &text);
		if (code != SQLITE_OK)
			return report_wrong(session, code);
		if (statement != NULL) {
			/* A statement begins. */
			session->progress.rows_before = sql_connection_rows(session->progress.connection);
			session->progress.began_ns = monotonic_ns();
			session->progress.shown_ns = session->progress.began_ns + first_ns - next_ns;

			code = sqlite3_step(statement);
			if (sqlite3_column_count(statement) > 0 && (code == SQLITE_ROW || code == SQLITE_DONE))
				code = put_rows(session, statement, code);
		}
		sql_progress_clear(&session->progress);
		enum cli_exit status =
			code == SQLITE_OK || code == SQLITE_DONE ? CLI_OK : report_sql(session, code);
		sqlite3_finalize(statement);
		if (status != CLI_OK)
			return status;
	}

	/* What was wrong with the answers is said once; they are printed even so. */
	char *warnings = sql_connection_take_warnings(session->connection);
	if (warnings == NULL)
		return CLI_OK;
	for (char *rest = warnings, *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n"))
		report("%s", line);
	sqlite3_free(warnings);
	return CLI_INPUT;
}

/* ---- where statements come from ----------------------------------------------------------------------- */

static enum cli_exit run_file(struct sql_session *session, const char *path)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	char *text = NULL;
	size_t capacity = 0;
	if (file == NULL)
		return report_exit(CLI_INPUT, "cannot open \"%s\": %s", path, strerror(errno));
	errno = 0;
	ssize_t size = getdelim(&text, &capacity, '\0', file);
	enum cli_exit status = size < 0 && ferror(file) != 0
				       ? report_exit(CLI_INPUT, "cannot read \"%s\": %s", path, strerror(errno))
			       : size < 0 ? CLI_OK
					  : run_text(session, text);
	free(text);
	if (file != stdin)
		fclose(file);
	return status;
}

/* ---- typed ones ---------------------------------------------------------------------------------------- */

/* The handler of SIGINT has no other way to know it. */
static sqlite3 *volatile interruptible;

static void interrupt(int signal)
{
	(void)signal;
	if (interruptible != NULL)
		sqlite3_interrupt(interruptible);
	was_interrupted = 1;
}

/* A long call of the library asks it. */
static bool goes_on(void *context)
{
	(void)context;
	return was_interrupted == 0;
}

/* One that is wrong ends nothing. */
static void run_typed(struct sql_session *session, const char *statements)
{
	was_interrupted = 0;
	run_text(session, statements);
	output_flush(session->output);
}

/* Returns false if there is no such format. */
static bool set_format(struct sql_session *session, const char *name)
{
	for (size_t i = 0; row_format_names[i] != NULL; i++)
		if (strcmp(row_format_names[i], name) == 0) {
			session->format = row_format_find(name);
			return true;
		}
	return false;
}

/* ---- commands ------------------------------------------------------------------------------------------ */

/* The pattern is there twice. */
static void run_format(struct sql_session *session, const char *format, const char *pattern)
{
	const char *wanted = pattern[0] == '\0' ? "*" : pattern;
	char *text = sqlite3_mprintf(format, wanted, wanted);
	if (text != NULL)
		run_typed(session, text);
	sqlite3_free(text);
}

static void list_tables(struct sql_session *session, const char *pattern)
{
	run_format(session,
		   "SELECT CASE schema WHEN 'temp' THEN name ELSE schema || '.' || name END AS name "
		   "FROM pragma_table_list WHERE name NOT LIKE 'sqlite\\_%%' ESCAPE '\\' AND "
		   "(schema || '.' || name GLOB %Q OR name GLOB %Q) ORDER BY schema <> 'temp', 1",
		   pattern);
}

/* Hidden columns are what a table function is given. */
static void show_schema(struct sql_session *session, const char *pattern)
{
	run_format(
		session,
		"SELECT CASE t.schema WHEN 'temp' THEN '' ELSE t.schema || '.' END || t.name || "
		"coalesce((SELECT '(' || group_concat(name, ', ') || ')' FROM "
		"(SELECT name FROM pragma_table_xinfo(t.name, t.schema) WHERE hidden = 1 AND name <> 'twin')), '') "
		"AS name, (SELECT group_concat(name || rtrim(' ' || type), ', ') FROM "
		"pragma_table_xinfo(t.name, t.schema) WHERE hidden <> 1) AS columns FROM pragma_table_list AS t "
		"WHERE t.name NOT LIKE 'sqlite\\_%%' ESCAPE '\\' AND (t.schema || '.' || t.name GLOB %Q OR "
		"t.name GLOB %Q) ORDER BY t.schema <> 'temp', 1",
		pattern[0] == '\0' ? "*" : pattern);
}

static void set_timer(struct sql_session *session, const char *argument)
{
	session->shows_time = strcmp(argument, "on") == 0;
	if (!session->shows_time && strcmp(argument, "off") != 0)
		report(".timer is on or off");
}

static void set_mode(struct sql_session *session, const char *argument)
{
	if (!set_format(session, argument))
		report("'%s' is not a format; the formats are text, tsv, csv and json", argument);
}

static void quit(struct sql_session *session, const char *argument)
{
	(void)argument;
	session->is_done = true;
}

static void help(struct sql_session *session, const char *argument);

static const struct {
	const char *name, *arguments, *help;
	void (*run)(struct sql_session *session, const char *argument);
} commands[] = {
	{ ".help", "", "this list", help },
	{ ".mode", "FORMAT", "print rows as text, tsv, csv or json", set_mode },
	{ ".quit", "", "end; so does Ctrl-D", quit },
	{ ".schema", "[PATTERN]", "columns of tables, and what table functions are given", show_schema },
	{ ".tables", "[PATTERN]", "tables and table functions", list_tables },
	{ ".timer", "on|off", "say how long each statement took", set_timer },
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(*commands) };

static void help(struct sql_session *session, const char *argument)
{
	(void)session;
	(void)argument;
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(stderr, "%-8s %-10s %s\n", commands[i].name, commands[i].arguments, commands[i].help);
	fputs("Statements end with a semicolon.  Ctrl-C gives up a line, or stops a statement.\n", stderr);
}

static void run_command(struct sql_session *session, const char *line)
{
	size_t size = strcspn(line, " \t"), found = COMMAND_COUNT;
	const char *argument = line + size + strspn(line + size, " \t");
	char *word = sqlite3_mprintf("%.*s", (int)strcspn(argument, " \t;"), argument);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (strlen(commands[i].name) == size && memcmp(commands[i].name, line, size) == 0)
			found = i;
	if (found < COMMAND_COUNT && word != NULL)
		commands[found].run(session, word);
	else
		report("there is no command '%.*s'; .help lists them", (int)size, line);
	sqlite3_free(word);
}

/* ---- completion ---------------------------------------------------------------------------------------- */

static void add_rows(sqlite3 *db, const char *start, void (*add)(void *list, const char *word), void *list)
{
	static const char text[] =
		"WITH t AS (SELECT schema, name FROM pragma_table_list WHERE name NOT LIKE 'sqlite\\_%' ESCAPE "
		"'\\') "
		"SELECT name FROM (SELECT name FROM t UNION SELECT schema FROM t UNION "
		"SELECT c.name FROM t, pragma_table_xinfo(t.name, t.schema) AS c WHERE c.hidden = 0 UNION "
		"SELECT name || '(' FROM pragma_function_list WHERE length(?1) > 1) "
		"WHERE substr(name, 1, length(?1)) = ?1 COLLATE NOCASE";
	sqlite3_stmt *statement = NULL;
	if (sqlite3_prepare_v2(db, text, -1, &statement, NULL) == SQLITE_OK)
		sqlite3_bind_text(statement, 1, start, -1, SQLITE_TRANSIENT);
	while (statement != NULL && sqlite3_step(statement) == SQLITE_ROW)
		add(list, (const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
}

static void add_keywords(const char *start, size_t size, void (*add)(void *list, const char *word), void *list)
{
	for (int i = 0; size > 1 && i < sqlite3_keyword_count(); i++) {
		const char *name;
		int length;
		char word[32];
		if (sqlite3_keyword_name(i, &name, &length) != SQLITE_OK || (size_t)length < size ||
		    (size_t)length >= sizeof(word) || sqlite3_strnicmp(name, start, (int)size) != 0)
			continue;
		memcpy(word, name, (size_t)length);
		word[length] = '\0';
		add(list, word);
	}
}

static void add_words(void *context, const char *start, size_t size, void (*add)(void *list, const char *word),
		      void *list)
{
	const struct sql_session *session = context;
	char *text = sqlite3_mprintf("%.*s", (int)size, start);
	if (text == NULL)
		return;
	for (size_t i = 0; text[0] == '.' && i < COMMAND_COUNT; i++)
		if (strncmp(commands[i].name, text, size) == 0)
			add(list, commands[i].name);
	if (text[0] != '.' && size > 0) {
		add_rows(session->db, text, add, list);
		add_keywords(text, size, add, list);
	}
	sqlite3_free(text);
}

/* ---- statements ---------------------------------------------------------------------------------------- */

/* Adds a line to the statement that is being typed, and runs it if that ends it.  Returns what there is of it. */
static char *add_line(struct sql_session *session, char *text, const char *line)
{
	char took[TIME_TEXT_SIZE], *longer = sqlite3_mprintf("%s%s\n", text == NULL ? "" : text, line);
	sqlite3_free(text);
	if (longer == NULL || !sqlite3_complete(longer))
		return longer;
	const int64_t began = monotonic_ns();
	run_typed(session, longer);
	time_format_duration((uint64_t)(monotonic_ns() - began), took);
	if (session->shows_time)
		fprintf(stderr, "took %s\n", took);
	sqlite3_free(longer);
	return NULL;
}

/* Ask until the end of the input, or .quit. */
static void sql_prompt_run(struct sql_session *session)
{
	struct line_editor *editor =
		line_editor_create((struct line_completion){ .words = add_words, .context = session });
	char *text = NULL;
	if (editor == NULL) {
		report_no_memory();
		return;
	}
	fprintf(stderr,
		"Statements end with a semicolon; .tables lists what can be asked, .help what else there is.\n");
	while (!session->is_done) {
		const char *line;
		enum line_kind kind = line_editor_read(editor, text == NULL ? "histree> " : "    ...> ", &line);
		if (kind == LINE_END)
			break;
		if (kind == LINE_ABANDONED) {
			sqlite3_free(text);
			text = NULL;
		} else if (text == NULL && line[0] == '.') {
			run_command(session, line);
		} else if (text != NULL || line[strspn(line, " \t")] != '\0') {
			text = add_line(session, text, line);
		}
	}
	if (!session->is_done)
		fputc('\n', stderr);
	sqlite3_free(text);
	line_editor_free(editor);
}

/* ---- the verb ----------------------------------------------------------------------------------------- */

static enum cli_exit open_session(struct sql_session *session, const char *store, uint64_t memory,
				  bool is_read_only)
{
	char *message = NULL, pragma[64];
	/* An empty name is a temporary file: a table that a statement makes need not fit into memory. */
	int code = sqlite3_open("", &session->db);
	if (code == SQLITE_OK)
		code = sql_extension_add(session->db, &session->connection);
	if (code != SQLITE_OK)
		return report_sql(session, code);
	session->progress.connection = session->connection;
	sql_connection_set_opener(session->connection, target_open_store, NULL);
	sql_connection_set_cancel(session->connection, (struct histree_work){ .go_on = progress_goes_on });
	sqlite3_progress_handler(session->db, OPERATIONS, sql_progress_show, &session->progress);
	/* An eighth of a cache comes to it for paths: half of the memory in all. */
	sql_connection_set_cache(session->connection, (size_t)(memory / 9 * 4));
	/*
	 * A sorter takes as much as the cache of the database, and then goes to a file; a statement may have a few.
	 * What cannot go there, such as a text that grows without end, ends the statement at the limit.
	 */
	sqlite3_hard_heap_limit64((sqlite3_int64)(memory / 2 + HEAP_BESIDES));
	uint64_t sorter = memory / 4 < SORTER_BYTES ? memory / 4 : SORTER_BYTES;
	sqlite3_snprintf(sizeof(pragma), pragma, "PRAGMA cache_size = -%lld", (long long)(sorter / 1024));
	code = sqlite3_exec(session->db, pragma, NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = sql_attach(session->db, session->connection, store, NULL, NULL, &message);
	enum cli_exit status = CLI_OK;
	if (code != SQLITE_OK)
		status = message == NULL ? report_sql(session, code) : report_exit(CLI_INPUT, "%s", message);
	sqlite3_free(message);
	if (is_read_only)
		sql_extension_only_look(session->db, true);
	return status;
}

enum cli_exit sql_session_run(const struct sql_request *request, struct output *output)
{
	struct sql_session session = { .format = row_format_find(request->format),
				       .output = output,
				       .progress = { .style = progress_begin(request->progress, false) } };
	struct histree_error error;
	if (sqlite_load(&error) != HISTREE_OK)
		return report_exit(CLI_INPUT, "%s", error.message);
	enum cli_exit status = open_session(&session, request->store, request->memory, request->is_read_only);
	if (status == CLI_OK) {
		if (request->statement != NULL) {
			status = run_text(&session, request->statement);
		} else if (request->file != NULL) {
			status = run_file(&session, request->file);
		} else if (!isatty(STDIN_FILENO)) {
			status = run_file(&session, "-");
		} else {
			/* SA_RESTART is not set, so that a line that is being typed can be given up. */
			const struct sigaction action = { .sa_handler = interrupt };
			interruptible = session.db;
			sql_connection_set_cancel(session.connection, (struct histree_work){ .go_on = goes_on });
			sigaction(SIGINT, &action, NULL);
			sql_prompt_run(&session);
			interruptible = NULL;
		}
	}
	sqlite3_close(session.db);
	return status;
}
