// SPDX-License-Identifier: MIT
/*
 * line_editor_libedit.c - lines that can be edited, recalled and completed, by libedit (editline(3)).
 */
#include <errno.h>
#include <histedit.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/library.h"
#include "base/table.h"
#include "cli/output.h"

enum { LINES_KEPT = 1000, WIDTH = 80 };

/* The specification has relative paths be ignored. */
static const char *folder_in(const char *variable)
{
	const char *folder = getenv(variable);
	return folder != NULL && folder[0] == '/' ? folder : NULL;
}

static bool make_folders(char *path)
{
	for (char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
		*at = '\0';
		bool is_there = mkdir(path, 0700) == 0 || errno == EEXIST;
		*at = '/';
		if (!is_there)
			return false;
	}
	return true;
}

/*
 * Returns the path of the file in which typed lines are kept, to be freed: $XDG_STATE_HOME/histree/sql_history,
 * and without that ~/.local/state/histree/sql_history (XDG Base Directory Specification 0.8); NULL: the user has
 * no such folder.  `make` the folders that are missing, 0700.
 */
static char *line_history_path(bool make)
{
	const char *state = folder_in("XDG_STATE_HOME"), *home = folder_in("HOME");
	char *path = NULL;
	if (state == NULL && home == NULL)
		return NULL;
	if (asprintf(&path, "%s%s/histree/sql_history", state != NULL ? state : home,
		     state != NULL ? "" : "/.local/state") < 0)
		return NULL;
	if (make && !make_folders(path)) {
		free(path);
		return NULL;
	}
	return path;
}

struct word_list {
	char **words;
	size_t count, capacity;
};

#define EDIT_FUNCTIONS(F) \
	F(el_, deletestr) \
	F(el_, end)       \
	F(el_, get)       \
	F(el_, gets)      \
	F(el_, init)      \
	F(el_, insertstr) F(el_, line) F(el_, set) F(el_, source) F(, history_end) F(, history_init) F(, history)

static struct {
	EDIT_FUNCTIONS(LIBRARY_POINTER)
} lib_edit;

/* Where it is not there, lines are read as they come. */
static struct library libedit =
	LIBRARY("libedit.so.2", "editing of lines (Debian: libedit2)", EDIT_FUNCTIONS, lib_edit);

struct line_editor {
	struct line_plain plain; /* where nothing can be edited */
	EditLine *edit;          /* NULL: that is so */
	History *history;
	struct line_completion completion;
	const char *prompt;
	char *line;
	bool is_abandoned;
};

static struct line_editor *editor_of(EditLine *edit)
{
	struct line_editor *editor = NULL;
	lib_edit.get(edit, EL_CLIENTDATA, &editor);
	return editor;
}

static char *prompt_of(EditLine *edit)
{
	/* libedit has no const; it does not write here. */
	union {
		const char *constant;
		char *text;
	} prompt = { .constant = editor_of(edit)->prompt };
	return prompt.text;
}

/* Ctrl-C: what was typed is given up. */
static unsigned char abandon(EditLine *edit, int key)
{
	(void)key;
	editor_of(edit)->is_abandoned = true;
	fputs("^C", stderr);
	return CC_NEWLINE;
}

/* Ctrl-Z: the terminal belongs to the shell meanwhile. */
static unsigned char suspend(EditLine *edit, int key)
{
	(void)key;
	lib_edit.set(edit, EL_PREP_TERM, 0);
	raise(SIGTSTP);
	lib_edit.set(edit, EL_PREP_TERM, 1);
	return CC_REDISPLAY;
}

/* ---- completion ---------------------------------------------------------------------------------------- */

static void add_word(void *context, const char *word)
{
	struct word_list *list = context;
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->words[i], word) == 0)
			return;
	char *copy = strdup(word);
	if (copy != NULL && array_reserve(&list->words, &list->capacity, list->count + 1))
		list->words[list->count++] = copy;
	else
		free(copy);
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t common_prefix(const struct word_list *list)
{
	size_t size = strlen(list->words[0]);
	for (size_t i = 1; i < list->count; i++)
		for (size_t at = 0; at < size; at++)
			if (list->words[i][at] != list->words[0][at])
				size = at;
	return size;
}

static bool is_of_word(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
	       byte == '_';
}

/* Tab: what all words that begin so have in common, or a list of them. */
static unsigned char complete(EditLine *edit, int key)
{
	struct line_editor *editor = editor_of(edit);
	const LineInfo *line = lib_edit.line(edit);
	struct word_list list = { 0 };
	unsigned char result = CC_ERROR;

	/* A dot begins the word of a command at the beginning of a line, else it stands between two names. */
	size_t size = 0, room = (size_t)(line->cursor - line->buffer);
	while (size < room && is_of_word(line->cursor[-(ptrdiff_t)size - 1]))
		size++;
	if (size + 1 == room && line->buffer[0] == '.')
		size++;

	(void)key;
	if (editor->completion.words != NULL)
		editor->completion.words(editor->completion.context, line->cursor - size, size, add_word, &list);
	size_t common = list.count > 0 ? common_prefix(&list) : 0;
	if (list.count > 0 && common >= size) {
		/* Letters may be of the other case: the word replaces what was typed. */
		bool is_longer = common > size || memcmp(line->cursor - size, list.words[0], size) != 0;
		char *word = strndup(list.words[0], common);
		if (word != NULL && (is_longer || list.count == 1)) {
			lib_edit.deletestr(edit, (int)size);
			lib_edit.insertstr(edit, word);
			if (list.count == 1 && word[common - 1] != '(')
				lib_edit.insertstr(edit, " ");
			result = CC_REFRESH;
		} else if (word != NULL) {
			size_t width = 0, column = 0;
			qsort((void *)list.words, list.count, sizeof(*list.words), compare_words);
			for (size_t i = 0; i < list.count; i++)
				width = strlen(list.words[i]) > width ? strlen(list.words[i]) : width;
			fputc('\n', stderr);
			for (size_t i = 0; i < list.count; i++) {
				column += width + 2;
				bool ends = i + 1 == list.count || column + width > WIDTH;
				fprintf(stderr, "%-*s%s", ends ? 0 : (int)width + 2, list.words[i],
					ends ? "\n" : "");
				column = ends ? 0 : column;
			}

			result = CC_REDISPLAY;
		}
		free(word);
	}
	for (size_t i = 0; i < list.count; i++)
		free(list.words[i]);
	free((void *)list.words);
	return result;
}

/* ---- the editor ---------------------------------------------------------------------------------------- */

struct line_editor *line_editor_create(struct line_completion completion)
{
	struct line_editor *editor = calloc(1, sizeof(*editor));
	const char *terminal = getenv("TERM");
	if (editor == NULL)
		return NULL;
	editor->completion = completion;
	bool can_edit = isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && terminal != NULL && terminal[0] != '\0' &&
			strcmp(terminal, "dumb") != 0;
	if (can_edit && library_load(&libedit, NULL) == HISTREE_OK)
		editor->edit = lib_edit.init("histree", stdin, stderr, stderr);
	if (editor->edit != NULL) {
		lib_edit.set(editor->edit, EL_CLIENTDATA, editor);
		lib_edit.set(editor->edit, EL_PROMPT, prompt_of);
		lib_edit.set(editor->edit, EL_EDITOR, "emacs");
		lib_edit.set(editor->edit, EL_SIGNAL, 0);

		HistEvent event;
		editor->history = lib_edit.history_init();
		if (editor->history != NULL) {
			lib_edit.history(editor->history, &event, H_SETSIZE, LINES_KEPT);
			lib_edit.history(editor->history, &event, H_SETUNIQUE, 1);
			char *path = line_history_path(false);
			if (path != NULL && access(path, R_OK) == 0)
				lib_edit.history(editor->history, &event, H_LOAD, path);
			free(path);
			lib_edit.set(editor->edit, EL_HIST, lib_edit.history, editor->history);
		}

		lib_edit.set(editor->edit, EL_ADDFN, "histree-complete", "complete a name", complete);
		lib_edit.set(editor->edit, EL_BIND, "^I", "histree-complete", NULL);
		/* While a line is edited, Ctrl-C is a key; while a statement runs, it is a signal. */
		lib_edit.set(editor->edit, EL_ADDFN, "histree-abandon", "give the line up", abandon);
		lib_edit.set(editor->edit, EL_SETTY, "-d", "-isig", NULL);
		lib_edit.set(editor->edit, EL_BIND, "^C", "histree-abandon", NULL);
		lib_edit.set(editor->edit, EL_ADDFN, "histree-suspend", "suspend the process", suspend);
		lib_edit.set(editor->edit, EL_BIND, "^Z", "histree-suspend", NULL);
		lib_edit.set(editor->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
		lib_edit.source(editor->edit, NULL); /* ~/.editrc: keys as the user wants them */
	}
	return editor;
}

enum line_kind line_editor_read(struct line_editor *editor, const char *prompt, const char **line)
{
	int size = 0;
	if (editor->edit == NULL)
		return line_plain_read(&editor->plain, prompt, line);
	editor->prompt = prompt;
	editor->is_abandoned = false;
	free(editor->line);
	/* el_gets() does it after the prompt, and a key that is pressed in between would be the terminal's. */
	lib_edit.set(editor->edit, EL_PREP_TERM, 1);
	errno = 0;
	const char *typed = lib_edit.gets(editor->edit, &size);
	bool is_interrupted = typed == NULL && errno == EINTR; /* by a signal that was no key */
	editor->line = typed == NULL ? NULL : strdup(typed);
	*line = editor->line;
	if (editor->is_abandoned || is_interrupted) {
		fputc('\n', stderr);
		return LINE_ABANDONED;
	}
	if (editor->line == NULL)
		return LINE_END;
	editor->line[strcspn(editor->line, "\n")] = '\0';
	HistEvent event;
	if (editor->history != NULL && editor->line[strspn(editor->line, " \t")] != '\0')
		lib_edit.history(editor->history, &event, H_ENTER, editor->line);
	return LINE_READ;
}

void line_editor_free(struct line_editor *editor)
{
	if (editor == NULL)
		return;
	if (editor->edit != NULL)
		lib_edit.end(editor->edit);
	if (editor->history != NULL) {
		/* Under another name until it is whole: the lines of earlier sessions must not get lost. */
		HistEvent event;
		char *path = line_history_path(true), *other = NULL;
		if (path != NULL && asprintf(&other, "%s.%ld", path, (long)getpid()) > 0) {
			if (lib_edit.history(editor->history, &event, H_SAVE, other) < 0 ||
			    rename(other, path) != 0)
				unlink(other);
			free(other);
		}
		free(path);

		lib_edit.history_end(editor->history);
	}
	free(editor->line);
	free(editor->plain.bytes);
	free(editor);
}
