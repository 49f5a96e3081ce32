// SPDX-License-Identifier: MIT
/*
 * sql_prompt.c - the prompt of 'histree sql': statements over several lines, and commands that begin with a dot.
 */
#include "cli/sql_prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/time_text.h"
#include "cli/line_editor.h"
#include "cli/report.h"

struct session {
	const struct sql_prompt *prompt;
	bool shows_time;
	bool is_done;
};

/* ---- commands ------------------------------------------------------------------------------------------ */

/* The pattern is there twice. */
static void run_format(const struct session *session, const char *format, const char *pattern)
{
	const char *wanted = pattern[0] == '\0' ? "*" : pattern;
	char *text = sqlite3_mprintf(format, wanted, wanted);
	if (text != NULL)
		session->prompt->run(session->prompt->context, text);
	sqlite3_free(text);
}

static void list_tables(struct session *session, const char *pattern)
{
	run_format(session,
		   "SELECT CASE schema WHEN 'temp' THEN name ELSE schema || '.' || name END AS name "
		   "FROM pragma_table_list WHERE name NOT LIKE 'sqlite\\_%%' ESCAPE '\\' AND "
		   "(schema || '.' || name GLOB %Q OR name GLOB %Q) ORDER BY schema <> 'temp', 1",
		   pattern);
}

/* Hidden columns are what a table function is given. */
static void show_schema(struct session *session, const char *pattern)
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

static void set_timer(struct session *session, const char *argument)
{
	session->shows_time = strcmp(argument, "on") == 0;
	if (!session->shows_time && strcmp(argument, "off") != 0)
		report(".timer is on or off");
}

static void set_mode(struct session *session, const char *argument)
{
	if (!session->prompt->set_format(session->prompt->context, argument))
		report("'%s' is no format: there are text, tsv, csv and json", argument);
}

static void quit(struct session *session, const char *argument)
{
	(void)argument;
	session->is_done = true;
}

static void help(struct session *session, const char *argument);

static const struct {
	const char *name, *arguments, *help;
	void (*run)(struct session *session, const char *argument);
} commands[] = {
	{ ".help", "", "this list", help },
	{ ".mode", "FORMAT", "print rows as text, tsv, csv or json", set_mode },
	{ ".quit", "", "end; so does Ctrl-D", quit },
	{ ".schema", "[PATTERN]", "columns of tables, and what table functions are given", show_schema },
	{ ".tables", "[PATTERN]", "tables and table functions", list_tables },
	{ ".timer", "on|off", "say how long each statement took", set_timer },
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(*commands) };

static void help(struct session *session, const char *argument)
{
	(void)session;
	(void)argument;
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(stderr, "%-8s %-10s %s\n", commands[i].name, commands[i].arguments, commands[i].help);
	fputs("Statements end with a semicolon.  Ctrl-C gives up a line, or stops a statement.\n", stderr);
}

static void run_command(struct session *session, const char *line)
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
	const struct session *session = context;
	char *text = sqlite3_mprintf("%.*s", (int)size, start);
	if (text == NULL)
		return;
	for (size_t i = 0; text[0] == '.' && i < COMMAND_COUNT; i++)
		if (strncmp(commands[i].name, text, size) == 0)
			add(list, commands[i].name);
	if (text[0] != '.' && size > 0) {
		add_rows(session->prompt->db, text, add, list);
		add_keywords(text, size, add, list);
	}
	sqlite3_free(text);
}

/* ---- statements ---------------------------------------------------------------------------------------- */

static void run_statement(struct session *session, const char *text)
{
	struct timespec began, ended;
	char took[TIME_TEXT_SIZE];
	clock_gettime(CLOCK_MONOTONIC, &began);
	session->prompt->run(session->prompt->context, text);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	if (!session->shows_time)
		return;
	int64_t ns = (int64_t)(ended.tv_sec - began.tv_sec) * 1000000000 + (ended.tv_nsec - began.tv_nsec);
	time_format_duration((uint64_t)ns, took);
	fprintf(stderr, "took %s\n", took);
}

/* Add a line to the statement that is being typed, and run it if that ends it. */
static char *take_line(struct session *session, char *text, const char *line)
{
	char *longer = sqlite3_mprintf("%s%s\n", text == NULL ? "" : text, line);
	sqlite3_free(text);
	if (longer == NULL || !sqlite3_complete(longer))
		return longer;
	run_statement(session, longer);
	sqlite3_free(longer);
	return NULL;
}

void sql_prompt_run(const struct sql_prompt *prompt)
{
	struct session session = { .prompt = prompt };
	struct line_editor *editor =
		line_editor_create((struct line_completion){ .words = add_words, .context = &session });
	char *text = NULL;
	if (editor == NULL) {
		report_no_memory();
		return;
	}
	fprintf(stderr,
		"Statements end with a semicolon; .tables lists what can be asked, .help what else there is.\n");
	while (!session.is_done) {
		const char *line;
		enum line_kind kind = line_editor_read(editor, text == NULL ? "histree> " : "    ...> ", &line);
		if (kind == LINE_END)
			break;
		if (kind == LINE_ABANDONED) {
			sqlite3_free(text);
			text = NULL;
		} else if (text == NULL && line[0] == '.') {
			run_command(&session, line);
		} else if (text != NULL || line[strspn(line, " \t")] != '\0') {
			text = take_line(&session, text, line);
		}
	}
	if (!session.is_done)
		fputc('\n', stderr);
	sqlite3_free(text);
	line_editor_free(editor);
}
