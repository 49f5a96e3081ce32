// SPDX-License-Identifier: MIT
/*
 * uftrace_names.c - the names of functions that uftrace wrote down, by process and library.
 */
#include "trace/uftrace/uftrace_names.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/id_map.h"
#include "base/search.h"
#include "histree/value.h"
#include "trace/lines/line_scan.h"
#include "trace/lines/line_text.h"

/* ---- uftrace symbols ----------------------------------------------------------------------------------------- */

/* "# path name: /usr/bin/true", "# build-id: 3276edfc": what a file says of its module. */
static bool is_of(struct line_scan scan, const char *module, const char *build_id)
{
	const char *expected = NULL;
	if (line_scan_word(&scan, "# path name: "))
		expected = module;
	else if (line_scan_word(&scan, "# build-id: "))
		expected = build_id;
	size_t size = (size_t)(scan.end - scan.at);
	return expected == NULL || *expected == '\0' || size == 0 ||
	       (strlen(expected) == size && memcmp(expected, scan.at, size) == 0);
}

/* Names that only say that the symbols before them end. */
static bool is_end(char type, const struct line_scan *name)
{
	static const char *const ends[] = { "__sym_end", "__dynsym_end", "__func_end" };
	size_t size = (size_t)(name->end - name->at);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (strlen(ends[i]) == size && memcmp(ends[i], name->at, size) == 0)
			return true;
	return type == '?';
}

static enum histree_status add(struct uftrace_symbols *symbols, struct line_scan scan, struct histree_error *error)
{
	static const char types[] = "?TtwPKDdvu";
	struct uftrace_symbol symbol = { 0 };
	if (!line_scan_hexadecimal(&scan, &symbol.address) || !line_scan_byte(&scan, ' '))
		return HISTREE_OK;
	if (scan.at < scan.end && *scan.at >= '0' && *scan.at <= '9' &&
	    (!line_scan_hexadecimal(&scan, &symbol.size) || !line_scan_byte(&scan, ' ')))
		return HISTREE_OK;
	char type = scan.at < scan.end ? *scan.at++ : '\0';
	if (type == '\0' || strchr(types, type) == NULL || !line_scan_byte(&scan, ' '))
		return HISTREE_OK;
	char *tab = memchr(scan.at, '\t', (size_t)(scan.end - scan.at)); /* the module of the kernel is behind it */
	scan.end = tab != NULL ? tab : scan.end;
	if (!array_reserve(&symbols->symbols, &symbols->capacity, symbols->count + 1))
		return error_memory(error, "the names of functions");
	if (!is_end(type, &scan)) {
		symbol.name = arena_copy(&symbols->names, scan.at, (size_t)(scan.end - scan.at));
		if (symbol.name == NULL)
			return error_memory(error, "the names of functions");
	}
	symbols->symbols[symbols->count++] = symbol;
	return HISTREE_OK;
}

/* Of several names of an address the one that comes first in the file is it: those after it are for this sort. */
static int compare(const void *a, const void *b)
{
	const struct uftrace_symbol *first = a, *second = b;
	if (first->address != second->address)
		return first->address < second->address ? -1 : 1;
	return (first->name == NULL) - (second->name == NULL);
}

static enum histree_status read_lines(struct uftrace_symbols *symbols, struct line_text *text, const char *module,
				      const char *build_id, bool *is_other, struct histree_error *error)
{
	char *line;
	size_t size;
	enum histree_status status;
	while ((status = line_text_next(text, &line, &size, error)) == HISTREE_OK) {
		const struct line_scan scan = { line, line + size };
		bool is_comment = size > 0 && *line == '#';
		if (is_comment && !is_of(scan, module, build_id)) {
			*is_other = true;
			return HISTREE_OK;
		}
		status = is_comment ? HISTREE_OK : add(symbols, scan, error);
		if (status != HISTREE_OK)
			return status;
	}
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

/*
 * Read a file if it is of the module with this path and build id, "" being any; `*is_other` says that it is of
 * another one.  A file that is not there has no symbols.  Returns HISTREE_ERR_MEMORY.
 */
static enum histree_status uftrace_symbols_read(struct uftrace_symbols *symbols, const struct line_place *place,
						const char *module, const char *build_id, bool *is_other,
						struct histree_error *error)
{
	struct line_text text;
	*is_other = false;
	enum histree_status status = line_text_open(&text, place, error);
	if (status != HISTREE_OK)
		return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
	status = read_lines(symbols, &text, module, build_id, is_other, error);
	line_text_close(&text);
	if (symbols->count > 0)
		qsort(symbols->symbols, symbols->count, sizeof(*symbols->symbols), compare);
	return status;
}

/* Returns the name of the function that an address of the module is in, NULL if it is in none. */
static const char *uftrace_symbols_find(const struct uftrace_symbols *symbols, uint64_t address)
{
	/* The first one behind the address. */
	const size_t low = SEARCH(i, 0, symbols->count, symbols->symbols[i].address <= address);
	if (low == 0)
		return NULL;
	const struct uftrace_symbol *symbol = &symbols->symbols[low - 1];
	while (symbol > symbols->symbols && symbol[-1].address == symbol->address)
		symbol--;
	bool is_within = symbol->size > 0 ? address - symbol->address < symbol->size : low < symbols->count;
	return is_within ? symbol->name : NULL;
}

static void uftrace_symbols_release(struct uftrace_symbols *symbols)
{
	free(symbols->symbols);
	arena_release(&symbols->names);
	*symbols = (struct uftrace_symbols){ 0 };
}

/* ---- uftrace names ------------------------------------------------------------------------------------------- */

enum { SESSIONS_MAX = 65536, MAPS_MAX = 4096, MODULES_MAX = 65536, FORKS_MAX = 1024 };

static enum histree_status no_memory(struct histree_error *error)
{
	return error_memory(error, "the programs of a trace");
}

const struct uftrace_task *uftrace_names_task(const struct uftrace_names *names, int32_t tid)
{
	return id_map_find(&names->tasks, (uint32_t)tid);
}

const struct uftrace_session *uftrace_names_session(const struct uftrace_names *names,
						    const struct uftrace_task *task, uint64_t time, uint64_t *until)
{
	size_t next = 0;
	while (next < names->session_count && names->sessions[next]->begin <= time)
		next++;
	*until = next < names->session_count ? names->sessions[next]->begin : UINT64_MAX;
	for (unsigned forks = 0; task != NULL && forks < FORKS_MAX; forks++) {
		for (size_t i = next; i > 0; i--)
			if (names->sessions[i - 1]->pid == task->pid)
				return names->sessions[i - 1];
		task = task->parent == 0 ? NULL : uftrace_names_task(names, task->parent);
	}
	return NULL;
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

/* What stands behind "key=" in a line: up to the next space, or in quotes. */
static struct line_scan value_of(const struct line_scan *line, const char *key)
{
	for (struct line_scan scan = *line; scan.at < scan.end; scan.at++) {
		bool is_begin = scan.at == line->at || scan.at[-1] == ' ';
		if (!is_begin || !line_scan_word(&scan, key))
			continue;
		char end = line_scan_byte(&scan, '"') ? '"' : ' ';
		char *found = memchr(scan.at, end, (size_t)(scan.end - scan.at));
		return (struct line_scan){ scan.at, found != NULL ? found : scan.end };
	}
	return (struct line_scan){ line->end, line->end };
}

/* Seconds, a dot, and nine digits. */
static bool read_time(const struct line_scan *line, uint64_t *out)
{
	struct line_scan scan = value_of(line, "timestamp=");
	uint64_t seconds, ns;
	return line_scan_number(&scan, &seconds) && line_scan_byte(&scan, '.') && line_scan_number(&scan, &ns) &&
	       !__builtin_mul_overflow(seconds, UINT64_C(1000000000), out) &&
	       !__builtin_add_overflow(*out, ns, out);
}

static bool read_id(const struct line_scan *line, const char *key, int32_t *out)
{
	struct line_scan scan = value_of(line, key);
	uint64_t number;
	bool is = line_scan_number(&scan, &number) && number > 0 && number <= INT32_MAX;
	*out = is ? (int32_t)number : 0;
	return is;
}

static const char *copy(struct uftrace_names *names, struct line_scan text)
{
	return arena_copy(&names->memory, text.at, (size_t)(text.end - text.at));
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash == NULL ? path : slash + 1;
}

/* ---- modules and maps ------------------------------------------------------------------------------------ */

/* Returns NULL when memory is out. */
static struct uftrace_module *module_of(struct uftrace_names *names, const char *path, const char *build_id)
{
	for (size_t i = 0; i < names->module_count; i++)
		if (strcmp(names->modules[i]->path, path) == 0 &&
		    strcmp(names->modules[i]->build_id, build_id) == 0)
			return names->modules[i];
	struct uftrace_module *module =
		arena_allocate(&names->memory, sizeof(*module), alignof(struct uftrace_module));
	if (module == NULL || !array_reserve(&names->modules, &names->module_capacity, names->module_count + 1))
		return NULL;
	*module = (struct uftrace_module){ .path = path, .build_id = build_id };
	names->modules[names->module_count++] = module;
	return module;
}

static enum histree_status add_map(struct uftrace_names *names, struct uftrace_session *session,
				   struct uftrace_map map, const char *path, const char *build_id,
				   struct histree_error *error)
{
	if (session->map_count >= MAPS_MAX || names->module_count >= MODULES_MAX)
		return HISTREE_OK;
	if (path == NULL || build_id == NULL ||
	    !array_reserve(&session->maps, &session->map_capacity, session->map_count + 1))
		return no_memory(error);
	map.module = module_of(names, path, build_id);
	session->maps[session->map_count++] = map;
	return map.module == NULL ? no_memory(error) : HISTREE_OK;
}

/* "555a425ba000-555a425bf000 r-xp 00000000 00:00 0    /usr/bin/x build-id:3276edfc" */
static enum histree_status read_map(struct uftrace_names *names, struct uftrace_session *session,
				    struct line_scan line, struct histree_error *error)
{
	struct uftrace_map map = { 0 };
	if (!line_scan_hexadecimal(&line, &map.begin) || !line_scan_byte(&line, '-') ||
	    !line_scan_hexadecimal(&line, &map.end))
		return HISTREE_OK;
	char *slash = memchr(line.at, '/', (size_t)(line.end - line.at));
	if (slash == NULL)
		return HISTREE_OK;
	static const char mark[] = " build-id:";
	char *build_id = memmem(slash, (size_t)(line.end - slash), mark, strlen(mark));
	struct line_scan path = { slash, build_id != NULL ? build_id : line.end };
	struct line_scan id = { build_id != NULL ? build_id + strlen(mark) : line.end, line.end };
	return add_map(names, session, map, copy(names, path), copy(names, id), error);
}

/* ---- texts ----------------------------------------------------------------------------------------------- */

typedef enum histree_status (*take_line)(struct uftrace_names *names, struct uftrace_session *session,
					 struct line_scan line, struct histree_error *error);

/* Hand each line of a file over; a file that cannot be read has no lines. */
static enum histree_status read_text(struct uftrace_names *names, const char *file, struct uftrace_session *session,
				     take_line take, struct histree_error *error)
{
	char *path, *line;
	size_t size;
	struct line_text text;
	if (asprintf(&path, "%s/%s", names->folder, file) < 0)
		return no_memory(error);
	const struct line_place place = { .io = names->io, .path = path };
	enum histree_status status = line_text_open(&text, &place, error);
	if (status == HISTREE_OK) {
		while ((status = line_text_next(&text, &line, &size, error)) == HISTREE_OK) {
			status = take(names, session, (struct line_scan){ line, line + size }, error);
			if (status != HISTREE_OK)
				break;
		}
		line_text_close(&text);
	}
	free(path);
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

static enum histree_status add_session(struct uftrace_names *names, const struct line_scan *line, uint64_t time,
				       struct histree_error *error)
{
	char file[64];
	int32_t pid;
	struct line_scan id = value_of(line, "sid="), program = value_of(line, "exename=");
	if ((!read_id(line, "pid=", &pid) && !read_id(line, "tid=", &pid)) || id.at == id.end ||
	    names->session_count >= SESSIONS_MAX)
		return HISTREE_OK;
	struct uftrace_session *session =
		arena_allocate(&names->memory, sizeof(*session), alignof(struct uftrace_session));
	if (session == NULL || !array_reserve(&names->sessions, &names->session_capacity, names->session_count + 1))
		return no_memory(error);
	*session = (struct uftrace_session){
		.id = copy(names, id), .program = copy(names, program), .begin = time, .pid = pid
	};
	if (session->id == NULL || session->program == NULL)
		return no_memory(error);
	session->name = last_part(session->program);
	names->sessions[names->session_count++] = session;
	/* The id is the name of a file in the folder, and nothing else. */
	if (strchr(session->id, '/') != NULL)
		return HISTREE_OK;
	snprintf(file, sizeof(file), "sid-%.40s.map", session->id);
	return read_text(names, file, session, read_map, error);
}

/* A process runs on after it was forked, and a thread after its start: its first line says whose a task is. */
static enum histree_status add_task(struct uftrace_names *names, struct uftrace_task task,
				    struct histree_error *error)
{
	if (uftrace_names_task(names, task.tid) != NULL)
		return HISTREE_OK;
	struct uftrace_task *own = arena_allocate(&names->memory, sizeof(*own), alignof(struct uftrace_task));
	if (own == NULL || !id_map_add(&names->tasks, (uint32_t)task.tid, own))
		return no_memory(error);
	*own = task;
	return HISTREE_OK;
}

static enum histree_status add_library(struct uftrace_names *names, const struct line_scan *line, uint64_t time,
				       struct histree_error *error)
{
	struct line_scan id = value_of(line, "sid="), base = value_of(line, "base=");
	struct uftrace_map map = { .end = UINT64_MAX, .since = time };
	if (!line_scan_hexadecimal(&base, &map.begin))
		return HISTREE_OK;
	for (size_t i = names->session_count; i > 0; i--) {
		struct uftrace_session *session = names->sessions[i - 1];
		if (strlen(session->id) != (size_t)(id.end - id.at) ||
		    memcmp(session->id, id.at, (size_t)(id.end - id.at)) != 0)
			continue;
		return add_map(names, session, map, copy(names, value_of(line, "libname=")), "", error);
	}
	return HISTREE_OK;
}

static enum histree_status take_task(struct uftrace_names *names, struct uftrace_session *session,
				     struct line_scan line, struct histree_error *error)
{
	uint64_t time;
	struct uftrace_task task = { 0 };
	struct line_scan word = line;
	(void)session;
	if (!read_time(&line, &time))
		return HISTREE_OK;
	if (line_scan_word(&word, "SESS "))
		return add_session(names, &line, time, error);
	if (line_scan_word(&word, "DLOP "))
		return add_library(names, &line, time, error);
	if (line_scan_word(&word, "FORK ") && read_id(&line, "pid=", &task.tid) &&
	    read_id(&line, "ppid=", &task.parent)) {
		task.pid = task.tid;
		return add_task(names, task, error);
	}
	if (line_scan_word(&word, "TASK ") && read_id(&line, "tid=", &task.tid) &&
	    read_id(&line, "pid=", &task.pid))
		return add_task(names, task, error);
	return HISTREE_OK;
}

static int compare_sessions(const void *a, const void *b)
{
	const struct uftrace_session *first = *(struct uftrace_session *const *)a;
	const struct uftrace_session *second = *(struct uftrace_session *const *)b;
	return first->begin < second->begin ? -1 : first->begin > second->begin;
}

enum histree_status uftrace_names_read(struct uftrace_names *names, const struct io *io, const char *folder,
				       struct histree_error *error)
{
	names->io = io;
	names->folder = folder;
	enum histree_status status = read_text(names, "task.txt", NULL, take_task, error);
	if (names->session_count > 0)
		qsort((void *)names->sessions, names->session_count, sizeof(struct uftrace_session *),
		      compare_sessions);
	return status;
}

/* ---- functions ------------------------------------------------------------------------------------------- */

/*
 * Modules of one name have files of their own: the second is called after the build id, or after the sum of the
 * bytes of its path.
 */
static enum histree_status read_symbols(struct uftrace_names *names, struct uftrace_module *module,
					struct histree_error *error)
{
	char *path, *other, mark[8];
	unsigned sum = 0;
	bool is_other;
	const char *name = last_part(module->path);
	module->is_read = true;
	for (const char *byte = module->path; *byte != '\0'; byte++)
		sum += (unsigned char)*byte;
	if (*module->build_id != '\0')
		snprintf(mark, sizeof(mark), "%.4s", module->build_id);
	else
		snprintf(mark, sizeof(mark), "%04x", sum & 0xffff);
	if (asprintf(&path, "%s/%s.sym", names->folder, name) < 0)
		return no_memory(error);
	if (asprintf(&other, "%s/%s-%s.sym", names->folder, name, mark) < 0) {
		free(path);
		return no_memory(error);
	}
	struct line_place place = { .io = names->io, .path = path };
	enum histree_status status =
		uftrace_symbols_read(&module->symbols, &place, module->path, module->build_id, &is_other, error);
	if (status == HISTREE_OK && is_other) {
		uftrace_symbols_release(&module->symbols);
		place.path = other;
		status = uftrace_symbols_read(&module->symbols, &place, module->path, module->build_id, &is_other,
					      error);
	}
	free(path);
	free(other);
	return status;
}

/* A library that was loaded later comes before one that was there. */
enum histree_status uftrace_names_find(struct uftrace_names *names, const struct uftrace_session *session,
				       uint64_t time, uint64_t address, const char **out,
				       struct histree_error *error)
{
	*out = NULL;
	for (size_t i = session == NULL ? 0 : session->map_count; i > 0 && *out == NULL; i--) {
		const struct uftrace_map *map = &session->maps[i - 1];
		if (address < map->begin || address >= map->end || time < map->since)
			continue;
		if (!map->module->is_read) {
			enum histree_status status = read_symbols(names, map->module, error);
			if (status != HISTREE_OK)
				return status;
		}
		*out = uftrace_symbols_find(&map->module->symbols, address - map->begin);
	}
	return HISTREE_OK;
}

void uftrace_names_release(struct uftrace_names *names)
{
	for (size_t i = 0; i < names->session_count; i++)
		free(names->sessions[i]->maps);
	for (size_t i = 0; i < names->module_count; i++)
		uftrace_symbols_release(&names->modules[i]->symbols);
	free((void *)names->sessions);
	free((void *)names->modules);
	id_map_release(&names->tasks);
	arena_release(&names->memory);
}
