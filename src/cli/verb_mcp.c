// SPDX-License-Identifier: MIT
/*
 * verb_mcp.c - 'histree mcp': the questions of the command as tools for assistants, over the Model Context
 * Protocol (revision 2025-06-18: base protocol, lifecycle, tools): standard input and output have a message of
 * JSON-RPC a line.
 *
 * A tool is a verb.  What it can be given is read from the verb's table of options, and a call is this program run
 * with these options, whose output is the answer: so a tool says what the command says, and a new option of a verb
 * is one of the tool.  A call that fails, takes too long or says too much ends by itself, and nothing else with it.
 *
 * A path must be below the folders that were named on the command line, after all links in it.  No tool writes,
 * but `open`, which makes the store of a trace beside it, and those that are given a pair of events, whose segments
 * the store keeps.
 */
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/io.h"
#include "base/monotonic.h"
#include "cli/target.h"
#include "cli/verb.h"
#include "histree/store.h"

extern char **environ;

struct mcp_options {
	uint64_t bytes, seconds;
};

enum { BYTES_DEFAULT = 64 << 10, SECONDS_DEFAULT = 60, ROWS_DEFAULT = 100, WORDS_MAX = 256, PICTURE_TIMES = 16 };

static const struct cli_option options[] = {
	CLI_OPTION_NUMBER(
		"bytes", CLI_SIZE, "BYTES", struct mcp_options, bytes, 1024, 1 << 30,
		"let an answer have at most this many bytes, and a picture 16 times as many; default: 64K"),
	CLI_OPTION_NUMBER("seconds", CLI_NUMBER, "N", struct mcp_options, seconds, 1, 86400,
			  "let an answer take at most this many seconds; default: 60"),
	{ 0 },
};

static const struct mcp_options defaults = { .bytes = BYTES_DEFAULT, .seconds = SECONDS_DEFAULT };

/* ---- tools --------------------------------------------------------------------------------------------------- */

struct tool {
	const char *name;
	const struct cli_verb *verb; /* NULL: none, as in 'histree TRACE', or `list`, which runs nothing */
	const char *about;
	const char *paths[2]; /* names of the words that are paths, which come first; the first is needed */
	const char *words;    /* name of those behind them; NULL: there are none */
	const char *about_words;
	const char *first;  /* an option that is always given; NULL: none */
	bool needs_words;   /* one at least */
	bool is_of_trace;   /* it reads the trace of the store as well */
	bool gives_picture; /* into a file */
	bool writes;        /* a store, or into one */
};

/* What it begins with, on all rows. */
#define TOOL(of, runs, says) .name = of, .verb = runs, .about = says, .paths = { "store" }

static const struct tool tools[] = {
	{ .name = "list",
	  .about = "Name what is in a folder: traces, stores of traces and folders.  Without a path, in the "
		   "folders of the "
		   "server." },
	{ .name = "open",
	  .about = "Open a trace (LTTng, perf, ftrace, Perfetto, Chrome JSON, uftrace and others) or a store of "
		   "one, and "
		   "say what ran, what waited and what was slow.  The store of a trace is made beside it, once; "
		   "the other "
		   "tools ask it.  Call this first.",
	  .paths = { "path" },
	  .writes = true },
	{ TOOL("info", &verb_info,
	       "Say what is in a store: histories, segments, events, range of time, hosts, and what was lost.") },
	{ TOOL("report", &verb_report,
	       "One page about a store or a span of it: what ran, what waited, what was slow.") },
	{ TOOL("top", &verb_top,
	       "For how long threads, or what else they are grouped by, ran, waited for a CPU and were blocked.") },
	{ TOOL("why", &verb_why,
	       "Why a thread took so long: what it waited for, by cause and by thread, down the chain of who woke "
	       "whom."),
	  .words = "thread", .about_words = "one thread: its number, its name, or PROCESS:THREAD",
	  .needs_words = true },
	{ TOOL("states", &verb_states,
	       "States of attributes over time: who did what when.  'at' asks for one moment."),
	  .words = "patterns", .about_words = "paths of attributes, such as Threads/42 or CPUs/*/Current_thread" },
	{ TOOL("segments", &verb_segments,
	       "Segments, such as system calls, interrupts or spans, with start, end and fields; with 'by' added "
	       "up: "
	       "count, shortest, mean, longest, sum."),
	  .words = "words", .about_words = "with 'join', an analysis and then paths of attributes",
	  .writes = true },
	{ TOOL("events", &verb_events, "Events of the trace."), .is_of_trace = true },
	{ TOOL("flame", &verb_flame, "Call stacks or waits added up, as a tree."), .words = "patterns",
	  .about_words = "attributes or threads" },
	{ .name = "compare",
	  .verb = &verb_compare,
	  .about = "What differs between two stores, or two windows or hosts of one, and which differences are "
		   "noise.",
	  .paths = { "store", "other" },
	  .writes = true },
	{ TOOL("sql", &verb_sql,
	       "Query a store in SQL (SQLite).  Tables: states, threads, events, attributes, analyses, info, gaps, "
	       "one for "
	       "each analysis that makes segments, such as system_calls, and Perfetto's thread_state, slice, "
	       "counter, "
	       "process, thread.  Times are ns."),
	  .words = "statement", .about_words = "one SELECT", .first = "--read-only", .needs_words = true,
	  .is_of_trace = true },
	{ TOOL("draw", &verb_draw, "A picture of states or numbers over time."), .words = "patterns",
	  .about_words = "paths of attributes, or threads", .gives_picture = true },
};

enum { TOOL_COUNT = sizeof(tools) / sizeof(*tools) };

/* Not what names a file, or is of no use without a person. */
static bool is_offered(const struct tool *tool, const struct cli_option *option)
{
	static const char *const others[] = { "progress", "force", "quiet" };
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strcmp(option->name, others[i]) == 0)
			return false;
	return option->help != NULL && option->complete != CLI_COMPLETE_PATH && option->kind != CLI_PLACE &&
	       (tool->first == NULL || strcmp(option->name, tool->first + 2) != 0);
}

static json_t *described(const char *type, const char *about)
{
	return json_pack("{s:s, s:s}", "type", type, "description", about);
}

static json_t *schema_of_option(const struct cli_option *option)
{
	char help[CLI_HELP_SIZE];
	cli_option_help(option, help);
	json_t *schema = described(option->kind == CLI_FLAG     ? "boolean"
				   : option->kind == CLI_NUMBER ? "integer"
				   : option->kind == CLI_TEXTS  ? "array"
								: "string",
				   help);
	if (option->kind == CLI_TEXTS)
		json_object_set_new(schema, "items", json_pack("{s:s}", "type", "string"));
	if (option->kind == CLI_NUMBER)
		json_object_set_new(schema, "minimum", json_integer((json_int_t)option->min));
	if (option->kind == CLI_CHOICE && option->choices != NULL) {
		json_t *choices = json_array();
		for (const char *const *choice = option->choices; *choice != NULL; choice++)
			json_array_append_new(choices, json_string(*choice));
		json_object_set_new(schema, "enum", choices);
	}
	return schema;
}

static size_t options_of(const struct tool *tool, struct cli_option out[CLI_OPTIONS_MAX + 1])
{
	if (tool->verb != NULL)
		return cli_options_of(tool->verb, out);
	out[0] = (struct cli_option){ 0 };
	return 0;
}

static json_t *schema_of(const struct tool *tool)
{
	struct cli_option all[CLI_OPTIONS_MAX + 1];
	json_t *properties = json_object(), *required = json_array();
	if (tool->paths[0] == NULL)
		json_object_set_new(properties, "path", described("string", "a folder below those of the server"));
	else
		json_array_append_new(required, json_string(tool->paths[0]));
	for (size_t i = 0; i < 2 && tool->paths[i] != NULL; i++)
		json_object_set_new(properties, tool->paths[i],
				    described("string", "a path below the folders of the server"));
	if (tool->words != NULL) {
		json_object_set_new(properties, tool->words,
				    json_pack("{s:s, s:s, s:{s:s}}", "type", "array", "description",
					      tool->about_words, "items", "type", "string"));
		if (tool->needs_words)
			json_array_append_new(required, json_string(tool->words));
	}
	for (size_t i = 0, count = options_of(tool, all); i < count; i++)
		if (is_offered(tool, &all[i])) {
			assert(json_object_get(properties, all[i].name) == NULL);
			json_object_set_new(properties, all[i].name, schema_of_option(&all[i]));
		}
	return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required", required,
			 "additionalProperties", 0);
}

static json_t *list_tools(void)
{
	json_t *list = json_array();
	for (size_t i = 0; i < TOOL_COUNT; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:{s:b, s:b}}", "name", tools[i].name,
						      "description", tools[i].about, "inputSchema",
						      schema_of(&tools[i]), "annotations", "readOnlyHint",
						      !tools[i].writes, "openWorldHint", 0));
	return json_pack("{s:o}", "tools", list);
}

/* ---- paths --------------------------------------------------------------------------------------------------- */

struct mcp {
	const struct mcp_options *chosen;
	char **folders; /* real paths */
	size_t folder_count;
};

/* What a call runs, and what is wrong with it. */
struct tool_call {
	const struct mcp *mcp;
	const struct tool *tool;
	char *words[WORDS_MAX + 1]; /* to be freed; the last is NULL */
	size_t word_count;
	char folder[PATH_MAX];    /* in which it runs; empty: this one */
	char picture[PATH_MAX];   /* what it draws into; empty: nothing */
	char wrong[PATH_MAX * 2]; /* empty: nothing */
};

__attribute__((format(printf, 2, 3))) static bool refuse(struct tool_call *call, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(call->wrong, sizeof(call->wrong), format, arguments);
	va_end(arguments);
	return false;
}

static bool add_word(struct tool_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool add_word(struct tool_call *call, const char *format, ...)
{
	va_list arguments;
	char *word = NULL;
	if (call->word_count == WORDS_MAX)
		return refuse(call, "too many arguments: there may be %d", WORDS_MAX);
	va_start(arguments, format);
	const int size = vasprintf(&word, format, arguments);
	va_end(arguments);
	if (size < 0)
		return refuse(call, "out of memory");
	call->words[call->word_count++] = word;
	return true;
}

static bool is_below(const struct mcp *mcp, const char *path)
{
	for (size_t i = 0; i < mcp->folder_count; i++) {
		const size_t size = strlen(mcp->folders[i]);
		if (strncmp(path, mcp->folders[i], size) == 0 &&
		    (path[size] == '\0' || path[size] == '/' || mcp->folders[i][size - 1] == '/'))
			return true;
	}
	return false;
}

/* Gets the real path of what is named, from the first folder that has it; false if there is none below any. */
static bool find_path(const struct mcp *mcp, const char *name, char real[PATH_MAX])
{
	char path[PATH_MAX];
	for (size_t i = 0; i < mcp->folder_count; i++) {
		const int size = name[0] == '/' ? snprintf(path, sizeof(path), "%s", name)
						: snprintf(path, sizeof(path), "%s/%s", mcp->folders[i], name);
		if (size < PATH_MAX && realpath(path, real) != NULL && is_below(mcp, real))
			return true;
	}
	return false;
}

/* Whether all traces of a store are below the folders: what it names was chosen by who made it. */
static bool may_read_traces(struct tool_call *call, const char *path)
{
	struct histree_store *store;
	char real[PATH_MAX];
	if (histree_store_open(path, &store, NULL) < 0)
		return true; /* the verb says what is wrong */
	const struct histree_store_info *info = histree_store_info(store);
	for (size_t i = 0; i < info->trace_count && call->wrong[0] == '\0'; i++)
		if (realpath(info->traces[i], real) == NULL || !is_below(call->mcp, real))
			refuse(call,
			       "this reads the trace of the store, '%s', which is not below the folders of the "
			       "server: "
			       "name its folder, too, where 'histree mcp' is started",
			       info->traces[i]);
	histree_store_close(store);
	return call->wrong[0] == '\0';
}

static bool is_store(const char *path)
{
	char manifest[PATH_MAX];
	return snprintf(manifest, sizeof(manifest), "%s/manifest.json", path) < PATH_MAX &&
	       access(manifest, F_OK) == 0;
}

static bool add_path(struct tool_call *call, const char *name)
{
	char real[PATH_MAX];
	if (!find_path(call->mcp, name, real))
		return refuse(call, "there is no '%s' below the folders of the server", name);
	if (call->tool->verb == NULL) { /* the store of a trace is made where the program runs */
		char *end = strrchr(strcpy(call->folder, real), '/');
		end[end == call->folder] = '\0';
		if (!is_below(call->mcp, call->folder) && !is_store(real))
			return refuse(call,
				      "a store is made beside its trace, and '%s' is not below the folders of the "
				      "server: name that folder, too, where 'histree mcp' is started",
				      call->folder);
	}
	return add_word(call, "%s", real);
}

/* ---- arguments ----------------------------------------------------------------------------------------------- */

/* Adds an option as a word, with its argument in the same one: what an argument is like does not matter. */
static bool add_option(struct tool_call *call, const struct cli_option *option, const json_t *value)
{
	switch (option->kind) {
	case CLI_FLAG:
		if (!json_is_boolean(value))
			return refuse(call, "'%s' is true or false", option->name);
		return json_is_false(value) || add_word(call, "--%s", option->name);
	case CLI_TEXTS:
		if (!json_is_array(value))
			return refuse(call, "'%s' is a list of texts", option->name);
		for (size_t i = 0; i < json_array_size(value); i++) {
			const char *text = json_string_value(json_array_get(value, i));
			if (text == NULL)
				return refuse(call, "'%s' is a list of texts", option->name);
			if (!add_word(call, "--%s=%s", option->name, text))
				return false;
		}
		return true;
	case CLI_TEXT:
	case CLI_PLACE:
	case CLI_CHOICE:
	case CLI_NUMBER:
	case CLI_SIZE:
	case CLI_DURATION:
		break;
	}
	if (json_is_integer(value))
		return add_word(call, "--%s=%" JSON_INTEGER_FORMAT, option->name, json_integer_value(value));
	if (!json_is_string(value))
		return refuse(call, "'%s' is a %s", option->name, option->kind == CLI_NUMBER ? "number" : "text");
	return add_word(call, "--%s=%s", option->name, json_string_value(value));
}

/* Whether the question has rows that can be limited: the verb, or the form of it that is asked for. */
static bool takes_limit(const struct tool *tool, const json_t *given)
{
	const struct cli_form *form = tool->verb != NULL ? tool->verb->forms : NULL;
	if (tool->verb == NULL || form == NULL)
		return tool->verb != NULL && (tool->verb->asks & ASKS(LIMIT)) != 0;
	while (form->option != NULL && (json_object_get(given, form->option) == NULL ||
					json_is_false(json_object_get(given, form->option))))
		form++;
	return (form->asks & ASKS(LIMIT)) != 0;
}

static bool add_options(struct tool_call *call, json_t *given)
{
	struct cli_option all[CLI_OPTIONS_MAX + 1];
	if (takes_limit(call->tool, given) && json_object_get(given, "limit") == NULL &&
	    !add_word(call, "--limit=%d", ROWS_DEFAULT))
		return false;
	for (size_t i = 0, count = options_of(call->tool, all); i < count; i++) {
		const json_t *value = json_object_get(given, all[i].name);
		if (!is_offered(call->tool, &all[i]))
			continue;
		if (value != NULL && !add_option(call, &all[i], value))
			return false;
		json_object_del(given, all[i].name);
	}
	return true;
}

static bool add_paths(struct tool_call *call, json_t *given)
{
	for (size_t i = 0; i < 2 && call->tool->paths[i] != NULL; i++) {
		const char *name = call->tool->paths[i], *path = json_string_value(json_object_get(given, name));
		if (path == NULL && (i == 0 || json_object_get(given, name) != NULL))
			return refuse(call, "'%s' must be a path below the folders of the server", name);
		if (path != NULL && !add_path(call, path))
			return false;
		json_object_del(given, name);
	}
	return true;
}

/* One text may stand for a list of one. */
static bool add_words(struct tool_call *call, json_t *given)
{
	const char *name = call->tool->words;
	json_t *list = name != NULL ? json_object_get(given, name) : NULL;
	const size_t count = json_is_string(list) ? 1 : json_array_size(list);
	if (list == NULL)
		return name == NULL || !call->tool->needs_words || refuse(call, "'%s' is missing", name);
	for (size_t i = 0; i < count; i++) {
		const json_t *word = json_is_string(list) ? list : json_array_get(list, i);
		if (!json_is_string(word))
			return refuse(call, "'%s' is a list of texts", name);
		if (!add_word(call, "%s", json_string_value(word)))
			return false;
	}
	json_object_del(given, name);
	return true;
}

/* Segments of a pair of events are made from the trace, and any word may be one. */
static bool reads_traces(const struct tool_call *call)
{
	bool reads = call->tool->is_of_trace;
	for (size_t i = 0; i < call->word_count; i++)
		reads = reads || target_is_pair(call->words[i]);
	return reads;
}

/* The whole command line; `given` is used up. */
static bool read_call(struct tool_call *call, json_t *given)
{
	const struct tool *tool = call->tool;
	if (!add_word(call, "histree") || (tool->verb != NULL && !add_word(call, "%s", tool->verb->name)) ||
	    (tool->first != NULL && !add_word(call, "%s", tool->first)) || !add_options(call, given))
		return false;
	if (tool->gives_picture) {
		const char *folder = io_temporary_folder();
		const int length =
			snprintf(call->picture, sizeof(call->picture), "%s/histree-mcp.XXXXXX.png", folder);
		errno = ENAMETOOLONG;
		const int file = length < (int)sizeof(call->picture) ? mkostemps(call->picture, 4, O_CLOEXEC) : -1;
		if (file < 0) {
			call->picture[0] = '\0';
			return refuse(call, "no picture can be made in '%s', the folder of TMPDIR: %s", folder,
				      strerror(errno));
		}
		close(file);
		if (!add_word(call, "--force") || !add_word(call, "--output=%s", call->picture))
			return false;
	}
	if (tool->verb != NULL && !add_word(call, "--"))
		return false;
	size_t path = call->word_count;
	if (!add_paths(call, given))
		return false;
	const size_t paths_end = call->word_count;
	if (!add_words(call, given))
		return false;
	if (json_object_size(given) > 0)
		return refuse(call, "'%s' takes no '%s'", tool->name,
			      json_object_iter_key(json_object_iter(given)));
	for (const bool reads = reads_traces(call); reads && path < paths_end; path++)
		if (!may_read_traces(call, call->words[path]))
			return false;
	return true;
}

/* ---- running ------------------------------------------------------------------------------------------------- */

/* Starts this program with the words of the call.  Returns the end of a pipe that has all it says, or -1. */
static int start_call(const struct tool_call *call, pid_t *child)
{
	int ends[2];
	posix_spawn_file_actions_t actions;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	if (call->folder[0] != '\0')
		posix_spawn_file_actions_addchdir_np(&actions, call->folder);
	errno = posix_spawn(child, "/proc/self/exe", &actions, NULL, call->words, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (errno == 0)
		return ends[0];
	close(ends[0]);
	return -1;
}

/* Reads until the other end is closed.  Returns false if that takes too long or is too much. */
static bool read_answer(struct tool_call *call, int from, struct byte_buffer *answer)
{
	const int64_t until = monotonic_ms() + (int64_t)call->mcp->chosen->seconds * 1000;
	const size_t most = call->mcp->chosen->bytes * (call->tool->gives_picture ? PICTURE_TIMES : 1);
	for (;;) {
		const int64_t left = until - monotonic_ms();
		struct pollfd ready = { .fd = from, .events = POLLIN };
		if (left <= 0 || poll(&ready, 1, left < INT_MAX ? (int)left : INT_MAX) == 0)
			return refuse(
				call, "no answer within %" PRIu64 " seconds: %s", call->mcp->chosen->seconds,
				call->tool->verb != NULL
					? "ask for a shorter time (from, to)"
					: "build the store first, or start 'histree mcp' with more --seconds");
		uint8_t *room = byte_buffer_room(answer, 4096);
		if (room == NULL)
			return refuse(call, "out of memory");
		const ssize_t got = read(from, room, 4096);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return true;
		answer->size += (size_t)got;
		if (answer->size > most)
			return refuse(call, "the answer has more than %zu bytes: ask for %s", most,
				      call->tool->gives_picture
					      ? "a smaller picture (size), or start 'histree mcp' with more --bytes"
					      : "fewer rows (limit), a shorter time (from, to) or fewer columns");
	}
}

/* Lets a call put away what it has begun, such as a store, and ends it if that takes long. */
static void end_call(pid_t child, int from)
{
	enum { MOST_MS = 5000 };
	char rest[4096];
	struct pollfd ready = { .fd = from, .events = POLLIN };
	int64_t left;
	const int64_t until = monotonic_ms() + MOST_MS;
	kill(child, SIGTERM);
	while ((left = until - monotonic_ms()) > 0 && poll(&ready, 1, (int)left) > 0 &&
	       read(from, rest, sizeof(rest)) > 0)
		;
	kill(child, SIGKILL);
}

/* Returns the status with which the program ended; -1: it did not answer, and call->wrong says why. */
static int run_call(struct tool_call *call, struct byte_buffer *answer)
{
	pid_t child;
	int ended = 0;
	const int from = start_call(call, &child);
	if (from < 0) {
		refuse(call, "'%s' could not be run: %s", call->tool->name, strerror(errno));
		return -1;
	}
	const bool is_whole = read_answer(call, from, answer);
	if (!is_whole)
		end_call(child, from);
	close(from);
	while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
		;
	if (is_whole && !WIFEXITED(ended))
		refuse(call, "'%s' ended by signal %d", call->tool->name, WTERMSIG(ended));
	return call->wrong[0] == '\0' ? WEXITSTATUS(ended) : -1;
}

/* ---- listing ------------------------------------------------------------------------------------------------- */

/* A line for each entry, in the order of names; that of a folder ends in a slash.  Hidden ones are left out. */
static bool list_folder(struct tool_call *call, const char *folder, struct byte_buffer *answer)
{
	struct dirent **entries;
	const int count = scandir(folder, &entries, NULL, alphasort);
	if (count < 0)
		return refuse(call, "cannot read '%s': %s", folder, strerror(errno));
	for (int i = 0; i < count; i++) {
		char path[PATH_MAX];
		const char *name = entries[i]->d_name;
		if (name[0] != '.' && snprintf(path, sizeof(path), "%s/%s", folder, name) < PATH_MAX)
			byte_buffer_format(answer, "%s%s\n", path,
					   is_store(path)                 ? " (store)"
					   : entries[i]->d_type == DT_DIR ? "/"
									  : "");
		free(entries[i]);
	}
	free((void *)entries);
	return answer->size <= call->mcp->chosen->bytes ||
	       refuse(call, "there are too many names: list a folder further down");
}

static bool list_what(struct tool_call *call, const json_t *given, struct byte_buffer *answer)
{
	char real[PATH_MAX];
	const char *path = json_string_value(json_object_get(given, "path"));
	if (path != NULL)
		return find_path(call->mcp, path, real)
			       ? list_folder(call, real, answer)
			       : refuse(call, "there is no '%s' below the folders of the server", path);
	for (size_t i = 0; i < call->mcp->folder_count; i++)
		if (!list_folder(call, call->mcp->folders[i], answer))
			return false;
	return true;
}

/* ---- answers ------------------------------------------------------------------------------------------------- */

/* What was drawn; NULL if nothing was, or it has too many bytes. */
static json_t *picture_content(struct tool_call *call)
{
	struct byte_buffer bytes = { 0 };
	json_t *content = NULL;
	const int file = open(call->picture, O_RDONLY | O_CLOEXEC);
	char *text = file >= 0 && read_answer(call, file, &bytes) ? base64_of(bytes.bytes, bytes.size) : NULL;
	if (text != NULL && bytes.size > 0)
		content = json_pack("{s:s, s:s, s:s}", "type", "image", "data", text, "mimeType", "image/png");
	if (file >= 0)
		close(file);
	free(text);
	byte_buffer_release(&bytes);
	return content;
}

/* What is no UTF-8, such as a name in a trace, becomes '?', since a text of JSON has none. */
static json_t *text_content(const char *text, size_t size)
{
	json_t *string = json_stringn(text, size);
	char *copy = string == NULL ? strndup(text, size) : NULL;
	for (size_t i = 0; copy != NULL && copy[i] != '\0'; i++)
		if ((unsigned char)copy[i] >= 0x80)
			copy[i] = '?';
	if (copy != NULL)
		string = json_string(copy);
	free(copy);
	return json_pack("{s:s, s:o}", "type", "text", "text", string);
}

/* The result of a tool: its words, or picture.  That nothing was found, and verify found damage, is an answer. */
static json_t *call_tool(const struct mcp *mcp, const struct tool *tool, json_t *arguments)
{
	struct tool_call *call = calloc(1, sizeof(*call));
	struct byte_buffer answer = { 0 };
	json_t *given = arguments != NULL ? json_copy(arguments) : json_object(), *content = NULL;
	if (call == NULL || given == NULL) {
		free(call);
		return NULL;
	}
	*call = (struct tool_call){ .mcp = mcp, .tool = tool };
	const int status = tool->paths[0] == NULL   ? list_what(call, given, &answer) ? CLI_OK : -1
			   : read_call(call, given) ? run_call(call, &answer)
						    : -1;
	if (status == CLI_OK && call->picture[0] != '\0')
		content = picture_content(call);
	if (content == NULL && call->wrong[0] != '\0')
		content = text_content(call->wrong, strlen(call->wrong));
	else if (content == NULL)
		content = text_content((const char *)answer.bytes, answer.size);
	if (call->picture[0] != '\0')
		unlink(call->picture);
	for (size_t i = 0; i < call->word_count; i++)
		free(call->words[i]);
	const bool is_error = call->wrong[0] != '\0' || status > CLI_NOTHING;
	free(call);
	json_decref(given);
	byte_buffer_release(&answer);
	return json_pack("{s:[o], s:b}", "content", content, "isError", is_error);
}

/* ---- messages ------------------------------------------------------------------------------------------------ */

enum { NO_JSON = -32700, NO_REQUEST = -32600, NO_METHOD = -32601, NO_PARAMETERS = -32602, NO_MEMORY = -32603 };

/* Takes the reference to `id`; one that is not known is null. */
static json_t *error_reply(json_t *id, int code, const char *message)
{
	return json_pack("{s:s, s:o, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", id != NULL ? id : json_null(), "error",
			 "code", code, "message", message);
}

/* The revision of the protocol that the client speaks, if it is one of ours. */
static json_t *initialize(const json_t *parameters)
{
	static const char *const revisions[] = { "2025-06-18", "2025-03-26", "2024-11-05" };
	const char *wanted = json_string_value(json_object_get(parameters, "protocolVersion")),
		   *spoken = revisions[0];
	for (size_t i = 0; wanted != NULL && i < sizeof(revisions) / sizeof(*revisions); i++)
		if (strcmp(wanted, revisions[i]) == 0)
			spoken = revisions[i];
	return json_pack("{s:s, s:{s:{}}, s:{s:s, s:s}, s:s}", "protocolVersion", spoken, "capabilities", "tools",
			 "serverInfo", "name", "histree", "version", histree_version(), "instructions",
			 "Ask traces of systems: open a trace first, then ask its store. Times are as 'report' "
			 "shows them: clock "
			 "times, '+12.5ms' since the start, or ns.");
}

static const struct tool *tool_named(const char *name)
{
	for (size_t i = 0; name != NULL && i < TOOL_COUNT; i++)
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
	return NULL;
}

/* Returns NULL if there is no reply, because the message is a notification. */
static json_t *reply_to(const struct mcp *mcp, const json_t *message)
{
	const char *method = json_string_value(json_object_get(message, "method"));
	const json_t *parameters = json_object_get(message, "params");
	json_t *id = json_object_get(message, "id"), *result = NULL;
	if (method == NULL)
		return error_reply(json_incref(id), NO_REQUEST, "a request has a method");
	if (id == NULL)
		return NULL;
	if (strcmp(method, "initialize") == 0) {
		result = initialize(parameters);
	} else if (strcmp(method, "ping") == 0) {
		result = json_object();
	} else if (strcmp(method, "tools/list") == 0) {
		result = list_tools();
	} else if (strcmp(method, "tools/call") == 0) {
		const struct tool *tool = tool_named(json_string_value(json_object_get(parameters, "name")));
		json_t *arguments = json_object_get(parameters, "arguments");
		if (tool == NULL || (arguments != NULL && !json_is_object(arguments)))
			return error_reply(json_incref(id), NO_PARAMETERS,
					   tool == NULL ? "there is no such tool" : "arguments are an object");
		result = call_tool(mcp, tool, arguments);
	} else {
		return error_reply(json_incref(id), NO_METHOD, "there is no such method");
	}
	if (result == NULL)
		return error_reply(json_incref(id), NO_MEMORY, "out of memory");
	return json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result);
}

/* Returns whether the client is still there. */
static bool answer_line(const struct mcp *mcp, const char *line, size_t size)
{
	json_error_t error;
	json_t *message = json_loadb(line, size, 0, &error);
	json_t *reply = message == NULL ? error_reply(NULL, NO_JSON, error.text) : reply_to(mcp, message);
	char *text = reply != NULL ? json_dumps(reply, JSON_COMPACT) : NULL;
	if (text != NULL)
		puts(text);
	free(text);
	json_decref(reply);
	json_decref(message);
	return fflush(stdout) == 0;
}

/* ---- the verb ------------------------------------------------------------------------------------------------ */

static enum cli_exit find_folders(struct mcp *mcp, const struct cli_words *words)
{
	for (; mcp->folder_count < words->count; mcp->folder_count++) {
		const char *word = words->words[mcp->folder_count];
		mcp->folders[mcp->folder_count] = realpath(word, NULL);
		if (mcp->folders[mcp->folder_count] == NULL)
			return report_exit(CLI_INPUT, "cannot open \"%s\": %s", word, strerror(errno));
	}
	return CLI_OK;
}

static int mcp_run(void *said, const struct cli_words *words)
{
	struct mcp mcp = { .chosen = said, .folders = calloc(words->count, sizeof(*mcp.folders)) };
	if (mcp.folders == NULL)
		return report_no_memory();
	enum cli_exit status = find_folders(&mcp, words);
	char *line = NULL;
	size_t room = 0;
	ssize_t size;
	if (status == CLI_OK && isatty(STDIN_FILENO) == 1)
		report("this speaks the Model Context Protocol with a program, which starts it; Ctrl-D ends it");
	while (status == CLI_OK && (size = getline(&line, &room, stdin)) > 0)
		if (strspn(line, " \t\r\n") < (size_t)size && !answer_line(&mcp, line, (size_t)size))
			status = report_exit(CLI_INPUT, "cannot write to standard output: %s", strerror(errno));
	free(line);
	for (size_t i = 0; i < mcp.folder_count; i++)
		free(mcp.folders[i]);
	free((void *)mcp.folders);
	return status;
}

const struct cli_verb verb_mcp = {
	.name = "mcp",
	.summary = "answer assistants, over the Model Context Protocol",
	.arguments = { "FOLDER...", 1, CLI_WORDS_ANY },
	.complete = CLI_COMPLETE_PATH,
	CLI_OPTIONS(options, struct mcp_options),
	.defaults = &defaults,
	.run = mcp_run,
};
