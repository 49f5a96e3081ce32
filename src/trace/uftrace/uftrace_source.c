// SPDX-License-Identifier: MIT
/*
 * uftrace_source.c - a recording of uftrace as a source: a folder with "info" and a stream for each task.
 *
 * A task's entries and exits are read record by record (libmcount/record.c of uftrace).
 */
#include "trace/formats.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/value.h"
#include "symbols/demangle.h"
#include "trace/lines/line_text.h"
#include "trace/trace_bytes.h"
#include "trace/trace_source.h"

struct uftrace_symbol {
	uint64_t address, size; /* 0: up to the next one, or nothing if it is the last */
	const char *name;       /* NULL: none is here */
	bool is_for_people;     /* the name is demangled */
};

/* A zeroed one is empty. */
struct uftrace_symbols {
	struct uftrace_symbol *symbols; /* by address */
	size_t count, capacity;
	struct arena names;
};

/* A program or a library. */
struct uftrace_module {
	const char *path, *build_id; /* the latter "" where unknown */
	bool is_read;
	struct uftrace_symbols symbols;
};

/* Where one lies. */
struct uftrace_map {
	uint64_t begin, end;
	uint64_t since; /* the time from which it does */
	struct uftrace_module *module;
};

/* A program that a process ran, from a time on. */
struct uftrace_session {
	const char *id, *program; /* the latter a path */
	const char *name;         /* of the process */
	uint64_t begin;
	int32_t pid;
	struct uftrace_map *maps;
	size_t map_count, map_capacity;
};

struct uftrace_task {
	int32_t tid, pid;
	int32_t parent; /* 0: it was not forked */
};

struct uftrace_names {
	const struct io *io;
	const char *folder;
	struct uftrace_session **sessions; /* by their times */
	size_t session_count, session_capacity;
	struct id_map tasks; /* by tid */
	struct uftrace_module **modules;
	size_t module_count, module_capacity;
	struct arena memory;
	struct demangler demangler;
};

enum uftrace_type { UFTRACE_ENTRY, UFTRACE_EXIT, UFTRACE_LOST, UFTRACE_EVENT };

/* Fields of both classes. */
enum uftrace_field {
	UFTRACE_ADDRESS,
	UFTRACE_NAME,
	UFTRACE_DEPTH,
	UFTRACE_TID,
	UFTRACE_PID,
	UFTRACE_PROCESS,
	UFTRACE_FIELD_COUNT,
};

struct uftrace_record {
	uint64_t time;
	enum uftrace_type type;
	bool has_more, is_one;
	uint16_t depth;
	uint64_t address;
};

struct uftrace_stream {
	struct trace_stream base;
	struct uftrace_names *names; /* borrowed, as the classes are: of entries, and of exits */
	const struct event_class *classes[2];
	bool is_of_switches;             /* of a CPU, by perf; then the task is that of the upcoming event */
	const struct uftrace_task *task; /* NULL: no text speaks of it */
	int32_t tid;
	bool is_big;

	char *path; /* freed with the stream */
	struct trace_window window;
	size_t window_size;
	uint64_t size, at, upcoming_at; /* of the file; of the record that comes next; of the upcoming one */
	uint64_t last_time;             /* of the file's last record; INT64_MAX: not known */
	uint64_t time;                  /* of the record before */
	uint64_t lost;                  /* since the last event */
	bool has_lost, is_damaged;

	const struct uftrace_session *session;
	uint64_t session_until;
	struct uftrace_record record; /* the upcoming event */
	const char *name;             /* of its function; NULL: not known */
};

/* ---- uftrace stream ------------------------------------------------------------------------------------------ */

enum { UFTRACE_RECORD_SIZE = 16 };

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

static enum histree_status symbols_add(struct uftrace_symbols *symbols, struct line_scan scan,
				       struct histree_error *error)
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
		status = is_comment ? HISTREE_OK : symbols_add(symbols, scan, error);
		if (status != HISTREE_OK)
			return status;
	}
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

/*
 * Read a symbol file if it belongs to the module with this path and build id, where "" matches any; `*is_other`
 * tells that it belongs to another one.  A missing file has no symbols.  Returns HISTREE_ERR_MEMORY.
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

/* A name of some bytes may stand for many: then it stays as it is, as it does when memory runs out. */
static const char *name_for_people(struct uftrace_symbols *symbols, struct uftrace_symbol *symbol,
				   struct demangler *demangler)
{
	enum { SIZE_MAX_FOR_PEOPLE = 1024 };
	if (symbol->name == NULL || symbol->is_for_people)
		return symbol->name;
	const char *name = demangle(demangler, symbol->name);
	if (name != symbol->name && strlen(name) <= SIZE_MAX_FOR_PEOPLE)
		name = arena_copy(&symbols->names, name, strlen(name));
	else
		name = symbol->name;
	symbol->name = name != NULL ? name : symbol->name;
	symbol->is_for_people = true;
	return symbol->name;
}

/* Returns the name of the function that an address of the module is in, NULL if it is in none. */
static const char *uftrace_symbols_find(struct uftrace_symbols *symbols, uint64_t address,
					struct demangler *demangler)
{
	/* The first one behind the address. */
	const size_t low = SEARCH(i, 0, symbols->count, symbols->symbols[i].address <= address);
	if (low == 0)
		return NULL;
	struct uftrace_symbol *symbol = &symbols->symbols[low - 1];
	while (symbol > symbols->symbols && symbol[-1].address == symbol->address)
		symbol--;
	bool is_within = symbol->size > 0 ? address - symbol->address < symbol->size : low < symbols->count;
	return is_within ? name_for_people(symbols, symbol, demangler) : NULL;
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

/* Returns the task of a tid, or NULL. */
static const struct uftrace_task *uftrace_names_task(const struct uftrace_names *names, int32_t tid)
{
	return id_map_find(&names->tasks, (uint32_t)tid);
}

/* Returns what a task ran at a time, and before *until, NULL if that is not known. */
static const struct uftrace_session *uftrace_names_session(const struct uftrace_names *names,
							   const struct uftrace_task *task, uint64_t time,
							   uint64_t *until)
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

/* Returns NULL when memory runs out. */
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
	if (line_scan_word(&word, "SESS ")) {
		char file[64];
		int32_t pid;
		struct line_scan id = value_of(&line, "sid="), program = value_of(&line, "exename=");
		if ((!read_id(&line, "pid=", &pid) && !read_id(&line, "tid=", &pid)) || id.at == id.end ||
		    names->session_count >= SESSIONS_MAX)
			return HISTREE_OK;
		struct uftrace_session *made =
			arena_allocate(&names->memory, sizeof(*made), alignof(struct uftrace_session));
		if (made == NULL ||
		    !array_reserve(&names->sessions, &names->session_capacity, names->session_count + 1))
			return no_memory(error);
		*made = (struct uftrace_session){
			.id = copy(names, id), .program = copy(names, program), .begin = time, .pid = pid
		};
		if (made->id == NULL || made->program == NULL)
			return no_memory(error);
		made->name = last_part(made->program);
		names->sessions[names->session_count++] = made;
		/* The id is the name of a file in the folder, and nothing else. */
		if (strchr(made->id, '/') != NULL)
			return HISTREE_OK;
		snprintf(file, sizeof(file), "sid-%.40s.map", made->id);
		return read_text(names, file, made, read_map, error);
	}
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

/* ---- uftrace stream ------------------------------------------------------------------------------------------ */

/* Arguments have no more bytes than libmcount has room for, 1 KiB; a little more is looked through. */
enum { MAGIC = 5, ADDRESS_BITS = 48, ARGUMENTS_MAX = 3072 };

/* ---- records --------------------------------------------------------------------------------------------- */

static uint64_t read_u64(const uint8_t *bytes, bool is_big)
{
	uint64_t number;
	memcpy(&number, bytes, sizeof(number));
	bool is_ours = is_big == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return is_ours ? number : __builtin_bswap64(number);
}

static uint64_t cut(uint64_t word, unsigned from, unsigned bits, bool is_big)
{
	unsigned shift = is_big ? 64 - from - bits : from;
	return word >> shift & ((UINT64_C(1) << bits) - 1);
}

static struct uftrace_record decode(const uint8_t *bytes, bool is_big)
{
	uint64_t word = read_u64(bytes + 8, is_big);
	return (struct uftrace_record){
		.time = read_u64(bytes, is_big),
		.type = (enum uftrace_type)cut(word, 0, 2, is_big),
		.has_more = cut(word, 2, 1, is_big),
		.is_one = cut(word, 3, 3, is_big) == MAGIC,
		.depth = (uint16_t)cut(word, 6, 10, is_big),
		.address = cut(word, 16, ADDRESS_BITS, is_big),
	};
}

/* Have `size` bytes of the file at an offset; NULL if there are fewer, or they cannot be read. */
static const uint8_t *look(struct uftrace_stream *stream, uint64_t at, size_t size, enum histree_status *status,
			   struct histree_error *error)
{
	struct trace_window *window = &stream->window;
	*status = HISTREE_OK;
	if (at > stream->size || size > stream->size - at)
		return NULL;
	bool is_there = at >= window->offset && at - window->offset <= window->count &&
			size <= window->count - (size_t)(at - window->offset);
	if (!is_there)
		*status = trace_window_move(window, at, size > stream->window_size ? size : stream->window_size,
					    error);
	if (*status != HISTREE_OK || at - window->offset + size > window->count)
		return NULL;
	return window->bytes + (at - window->offset);
}

/* ---- what follows a record ------------------------------------------------------------------------------- */

static bool is_plausible(const struct uftrace_stream *stream, const struct uftrace_record *record)
{
	return record->is_one && record->type != UFTRACE_LOST && record->time >= stream->time &&
	       record->time <= stream->last_time;
}

/* What follows an event has its size in front. */
static enum histree_status pass_value(struct uftrace_stream *stream, struct histree_error *error)
{
	enum histree_status status;
	const uint8_t *bytes = look(stream, stream->at, 2, &status, error);
	if (bytes == NULL)
		return status == HISTREE_OK ? HISTREE_END : status;
	uint64_t size = stream->is_big ? (uint64_t)bytes[0] << 8 | bytes[1] : (uint64_t)bytes[1] << 8 | bytes[0];
	stream->at += (2 + size + 7) / 8 * 8;
	return HISTREE_OK;
}

static enum histree_status pass_arguments(struct uftrace_stream *stream, struct histree_error *error)
{
	enum histree_status status;
	for (uint64_t skipped = 0; skipped <= ARGUMENTS_MAX; skipped += 8) {
		uint64_t at = stream->at + skipped;
		const uint8_t *bytes = look(stream, at, UFTRACE_RECORD_SIZE, &status, error);
		if (status != HISTREE_OK)
			return status;
		if (bytes == NULL)
			break;
		const struct uftrace_record first = decode(bytes, stream->is_big);
		bool is_lost = first.is_one && first.type == UFTRACE_LOST && first.time == 0 && first.depth == 0;
		if (!is_lost && !is_plausible(stream, &first))
			continue;
		bytes = look(stream, at + UFTRACE_RECORD_SIZE, UFTRACE_RECORD_SIZE, &status, error);
		if (status != HISTREE_OK)
			return status;
		const struct uftrace_record second = bytes == NULL ? first : decode(bytes, stream->is_big);
		if ((first.has_more && !is_lost) || is_plausible(stream, &second)) {
			stream->at = at;
			return HISTREE_OK;
		}
	}
	/* The arguments of the last record end the file. */
	if (stream->size - stream->at <= ARGUMENTS_MAX) {
		stream->at = stream->size;
		return HISTREE_OK;
	}
	return HISTREE_END;
}

static enum histree_status pass_more(struct uftrace_stream *stream, const struct uftrace_record *record,
				     struct histree_error *error)
{
	if (!record->has_more)
		return HISTREE_OK;
	return record->type == UFTRACE_EVENT ? pass_value(stream, error) : pass_arguments(stream, error);
}

/* ---- the file -------------------------------------------------------------------------------------------- */

/* A record that may be the last one is of a time within half a year of the first. */
static bool may_be_last(const struct uftrace_record *record, uint64_t first_time)
{
	enum { HALF_A_YEAR_BITS = 54 };
	return record->is_one && (record->type == UFTRACE_ENTRY || record->type == UFTRACE_EXIT) &&
	       record->time >= first_time && (record->time - first_time) >> HALF_A_YEAR_BITS == 0;
}

/*
 * Open the file at a record; what is above `path` is set, and `path`.  Returns HISTREE_ERR_IO,
 * HISTREE_ERR_MEMORY.
 */
static enum histree_status uftrace_stream_open(struct uftrace_stream *stream, const struct io *io, bool stays_open,
					       uint64_t at, struct histree_error *error)
{
	trace_window_init(&stream->window, io, stream->path, stays_open);
	stream->at = at;
	stream->time = 0;
	stream->session = NULL;
	stream->session_until = 0;
	stream->has_lost = stream->is_damaged = false;
	enum histree_status status = trace_window_size(&stream->window, &stream->size, error);
	if (status != HISTREE_OK)
		return status;
	/* No record is later than the last one of the file, which only arguments can follow. */
	stream->last_time = INT64_MAX;
	const uint8_t *bytes = look(stream, 0, UFTRACE_RECORD_SIZE, &status, error);
	if (bytes == NULL)
		return status;
	if (stream->is_of_switches)
		return HISTREE_OK;
	uint64_t first_time = decode(bytes, stream->is_big).time, end = stream->size / 8 * 8;
	uint64_t tail = end < ARGUMENTS_MAX + UFTRACE_RECORD_SIZE ? end : ARGUMENTS_MAX + UFTRACE_RECORD_SIZE;
	for (uint64_t back = UFTRACE_RECORD_SIZE; back <= tail; back += 8) {
		bytes = look(stream, end - tail, (size_t)tail, &status, error);
		if (bytes == NULL)
			return status;
		const struct uftrace_record record = decode(bytes + (tail - back), stream->is_big);
		if (!may_be_last(&record, first_time))
			continue;
		stream->last_time = record.time;
		break;
	}
	return HISTREE_OK;
}

/* Close the file; it can be opened again. */
static void uftrace_stream_close(struct uftrace_stream *stream)
{
	trace_window_release(&stream->window);
}

/* ---- events ---------------------------------------------------------------------------------------------- */

/* What comes behind damage is not read: where a record begins is not known there. */
static void break_off(struct uftrace_stream *stream, const char *what)
{
	struct trace_notes *notes = stream->base.notes;
	stream->is_damaged = true;
	notes->report.damaged_streams++;
	trace_notes_warn(notes, "%s: %s at byte %" PRIu64 "; the calls before that are read", stream->base.name,
			 what, stream->at);
	const struct trace_span rest = { .begin = INT64_MIN, .end = INT64_MAX };
	trace_stream_lose(&stream->base, rest, 0);
}

static enum histree_status name_function(struct uftrace_stream *stream, struct histree_error *error)
{
	const struct uftrace_record *record = &stream->record;
	if (record->time >= stream->session_until || stream->session == NULL)
		stream->session =
			uftrace_names_session(stream->names, stream->task, record->time, &stream->session_until);
	if (stream->is_of_switches) /* it has its name already */
		return HISTREE_OK;
	/* A library that was loaded later comes before one that was there. */
	const char **out = &stream->name;
	*out = NULL;
	for (size_t i = stream->session == NULL ? 0 : stream->session->map_count; i > 0 && *out == NULL; i--) {
		const struct uftrace_map *map = &stream->session->maps[i - 1];
		if (record->address < map->begin || record->address >= map->end || record->time < map->since)
			continue;
		if (!map->module->is_read) {
			enum histree_status status = read_symbols(stream->names, map->module, error);
			if (status != HISTREE_OK)
				return status;
		}
		*out = uftrace_symbols_find(&map->module->symbols, record->address - map->begin,
					    &stream->names->demangler);
	}
	return HISTREE_OK;
}

static enum histree_status uftrace_put_event(struct uftrace_stream *stream, struct histree_error *error)
{
	const struct uftrace_record *record = &stream->record;
	enum histree_status status = name_function(stream, error);
	if (status != HISTREE_OK)
		return status;
	const struct event event = {
		.time = (histree_time)record->time,
		.cpu = -1,
		.class = stream->classes[record->type == UFTRACE_EXIT],
		.handle = stream,
	};
	trace_stream_put(&stream->base, &event);
	return HISTREE_OK;
}

/* Records were lost before this one; the gap comes first, and then this record again. */
static bool put_loss(struct uftrace_stream *stream, const struct uftrace_record *record)
{
	const struct trace_span span = { .begin = INT64_MIN, .end = (histree_time)record->time };
	if (!stream->has_lost)
		return false;
	stream->has_lost = false;
	stream->base.notes->report.discarded_events += stream->lost;
	trace_stream_note_loss(
		&stream->base, "record", &stream->lost,
		(struct trace_span){ stream->base.has_events ? stream->base.last : INT64_MIN, span.end });
	trace_stream_lose(&stream->base, span, stream->lost);
	return trace_stream_put_gap(&stream->base);
}

/*
 * Read a record that is an event, or the end of a gap.  HISTREE_END: there is no further one, or it is not known.
 * The record that a gap ends with is read again.
 */
static enum histree_status read_record(struct uftrace_stream *stream, bool *is_gap, struct histree_error *error)
{
	enum histree_status status;
	*is_gap = false;
	for (;;) {
		uint64_t at = stream->at;
		const uint8_t *bytes = look(stream, at, UFTRACE_RECORD_SIZE, &status, error);
		if (bytes == NULL)
			return status == HISTREE_OK ? HISTREE_END : status;
		const struct uftrace_record record = decode(bytes, stream->is_big);
		bool is_lost = record.type == UFTRACE_LOST;
		if (!record.is_one || (!is_lost && record.time > INT64_MAX)) {
			break_off(stream, "no record");
			return HISTREE_END;
		}
		if (!is_lost && put_loss(stream, &record)) {
			*is_gap = true;
			return HISTREE_OK;
		}
		stream->at += UFTRACE_RECORD_SIZE;
		stream->time = is_lost ? stream->time : record.time;
		stream->lost = is_lost ? record.address + (stream->has_lost ? stream->lost : 0) : stream->lost;
		stream->has_lost = stream->has_lost || is_lost;
		status = pass_more(stream, &record, error);
		if (status < 0)
			return status;
		stream->upcoming_at = at;
		stream->record = record;
		if (status == HISTREE_END)
			break_off(stream, "no record behind the arguments of one");
		if (record.type == UFTRACE_ENTRY || record.type == UFTRACE_EXIT)
			return HISTREE_OK;
		if (status == HISTREE_END)
			return status;
	}
}

/* A record of perf in the file of a CPU (utils/perf.c of uftrace). */
struct cpu_record {
	const uint8_t *bytes; /* NULL: there is none */
	uint64_t at, type, misc, size;
};

static enum histree_status take_cpu_record(struct uftrace_stream *stream, struct cpu_record *out,
					   struct histree_error *error)
{
	enum { HEAD_SIZE = 8 };
	enum histree_status status;
	*out = (struct cpu_record){ .at = stream->at };
	const uint8_t *bytes = look(stream, out->at, HEAD_SIZE, &status, error);
	if (bytes != NULL) {
		const uint64_t head = read_u64(bytes, stream->is_big);
		out->type = cut(head, 0, 32, stream->is_big);
		out->misc = cut(head, 32, 16, stream->is_big);
		out->size = cut(head, 48, 16, stream->is_big);
		if (out->size >= HEAD_SIZE)
			out->bytes = look(stream, out->at, (size_t)out->size, &status, error);
	}
	if (status == HISTREE_OK && out->bytes == NULL && out->at < stream->size)
		break_off(stream, "no record");
	stream->at += out->bytes != NULL ? out->size : 0;
	return status;
}

static void note_lost_records(struct uftrace_stream *stream, const struct cpu_record *record)
{
	enum { COUNT_AT = 16 };
	const uint64_t count = read_u64(record->bytes + COUNT_AT, stream->is_big);
	stream->base.notes->report.discarded_events += count;
	trace_stream_note_loss(&stream->base, "record", &count,
			       (struct trace_span){ (histree_time)stream->time, INT64_MIN });
}

/*
 * A switch of one task, as the entry of a function that it is in until it comes back: so uftrace has it.  Returns
 * false if it says no task or no time.
 */
static bool take_switch(struct uftrace_stream *stream, const struct cpu_record *record)
{
	enum { TASK_AT = 8, TIME_AT = 16, IS_OUT = 1 << 13, PREEMPT = 1 << 14 };
	/* What uftrace calls them; no function has an address of that many bits. */
	static const char asleep[] = "linux:schedule", preempted[] = "linux:schedule (pre-empted)";
	const uint64_t nowhere = UINT64_C(1) << ADDRESS_BITS;
	const uint64_t task = read_u64(record->bytes + TASK_AT, stream->is_big);
	const uint64_t time = read_u64(record->bytes + TIME_AT, stream->is_big);
	const int32_t tid = (int32_t)cut(task, 32, 32, stream->is_big);
	if (tid <= 0 || time > INT64_MAX)
		return false;
	stream->session = tid == stream->tid ? stream->session : NULL;
	stream->tid = tid;
	stream->task = uftrace_names_task(stream->names, tid);
	stream->time = time;
	stream->upcoming_at = record->at;
	stream->name = (record->misc & PREEMPT) != 0 ? preempted : asleep;
	stream->record = (struct uftrace_record){
		.time = time,
		.type = (record->misc & IS_OUT) != 0 ? UFTRACE_ENTRY : UFTRACE_EXIT,
		.address = nowhere,
	};
	return true;
}

/* Go on to the next switch in the file of a CPU.  HISTREE_END: there is none. */
static enum histree_status read_switch(struct uftrace_stream *stream, struct histree_error *error)
{
	enum { LOST = 2, SWITCH = 14, SIZE_LEAST = 24 };
	struct cpu_record record;
	for (;;) {
		enum histree_status status = take_cpu_record(stream, &record, error);
		if (status != HISTREE_OK || record.bytes == NULL)
			return status == HISTREE_OK ? HISTREE_END : status;
		if (record.type == LOST && record.size >= SIZE_LEAST)
			note_lost_records(stream, &record);
		if (record.type == SWITCH && record.size >= SIZE_LEAST && take_switch(stream, &record))
			return HISTREE_OK;
	}
}

static enum histree_status uftrace_stream_next(struct trace_stream *base, struct histree_error *error)
{
	struct uftrace_stream *stream = (struct uftrace_stream *)base;
	struct histree_error why;
	bool is_gap = false;
	stream->base.has_upcoming = false;
	enum histree_status status = HISTREE_END;
	if (!stream->is_damaged)
		status = stream->is_of_switches ? read_switch(stream, &why) : read_record(stream, &is_gap, &why);
	if (status == HISTREE_ERR_MEMORY)
		return error_set(error, status, "%s", why.message);
	if (status == HISTREE_OK)
		return is_gap ? HISTREE_OK : uftrace_put_event(stream, error);
	if (status < 0)
		break_off(stream, why.message);
	if (trace_stream_put_gap(&stream->base))
		return HISTREE_OK;
	trace_stream_end(&stream->base);
	return HISTREE_END;
}

/* ---- fields ---------------------------------------------------------------------------------------------- */

/* The two functions of struct event_trace. */
static bool uftrace_event_int(const struct event *event, uint32_t field, int64_t *out)
{
	const struct uftrace_stream *stream = event->handle;
	switch (field) {
	case UFTRACE_ADDRESS:
		*out = (int64_t)stream->record.address;
		return true;
	case UFTRACE_DEPTH:
		*out = stream->record.depth;
		return !stream->is_of_switches;
	case UFTRACE_TID:
		*out = stream->tid;
		return true;
	case UFTRACE_PID:
		*out = stream->task == NULL ? 0 : stream->task->pid;
		return stream->task != NULL;
	default:
		return false;
	}
}

static bool uftrace_event_string(const struct event *event, uint32_t field, const char **text, size_t *size)
{
	const struct uftrace_stream *stream = event->handle;
	*text = NULL;
	if (field == UFTRACE_NAME)
		*text = stream->name;
	else if (field == UFTRACE_PROCESS && stream->session != NULL)
		*text = stream->session->name;
	*size = *text == NULL ? 0 : strlen(*text);
	return *text != NULL;
}

/* ---- uftrace source ------------------------------------------------------------------------------------------ */

/* What "info" begins with: utils/data-file.c of uftrace. */
enum { HEADER_SIZE = 40, VERSION_MIN = 3, VERSION_MAX = 4, ORDER_BIG = 2, FILES_MAX = 1 << 20 };

static const char magic[8] = "Ftrace!";

struct uftrace_source {
	struct trace_source base;
	bool is_big;
	bool has_kernel; /* files about the kernel */
	struct uftrace_names names;
	struct event_class classes[4]; /* of entries and exits, and of tasks that leave their CPUs and come back */
	struct uftrace_stream **all;   /* by the names of their files */
	size_t count, capacity;
};

/* ---- what the folder says of itself ---------------------------------------------------------------------- */

/* Returns HISTREE_NOT_FOUND if it is no such folder. */
static enum histree_status read_header(const struct io *io, const char *folder, uint8_t out[HEADER_SIZE],
				       struct histree_error *error)
{
	char *path;
	struct trace_window window;
	if (asprintf(&path, "%s/info", folder) < 0)
		return error_memory(error, "a path");
	trace_window_init(&window, io, path, false);
	enum histree_status status = trace_window_move(&window, 0, HEADER_SIZE, error);
	bool is = status == HISTREE_OK && window.count == HEADER_SIZE &&
		  memcmp(window.bytes, magic, sizeof(magic)) == 0;
	if (is)
		memcpy(out, window.bytes, HEADER_SIZE);
	trace_window_release(&window);
	free(path);
	return status == HISTREE_ERR_MEMORY || is ? status : HISTREE_NOT_FOUND;
}

static bool is_folder(const char *path)
{
	uint8_t header[HEADER_SIZE];
	return read_header(&io_posix, path, header, NULL) == HISTREE_OK;
}

static enum histree_status check_header(struct uftrace_source *source, struct histree_error *error)
{
	uint8_t header[HEADER_SIZE] = { 0 };
	enum histree_status status = read_header(source->base.io, source->base.path, header, error);
	if (status == HISTREE_NOT_FOUND)
		return error_set(error, HISTREE_ERR_TRACE, "\"%s\" has no file \"info\" of uftrace",
				 source->base.path);
	if (status != HISTREE_OK)
		return status;
	source->is_big = header[14] == ORDER_BIG;
	uint8_t version = header[source->is_big ? 11 : 8];
	if (version < VERSION_MIN || version > VERSION_MAX)
		return error_set(
			error, HISTREE_ERR_TRACE,
			"\"%s\" is a recording of uftrace in version %u of its format; histree reads %d to %d",
			source->base.path, version, VERSION_MIN, VERSION_MAX);
	return HISTREE_OK;
}

static void copy_fact(struct line_scan scan, char out[TRACE_FACT_SIZE])
{
	size_t size = (size_t)(scan.end - scan.at);
	size = size < TRACE_FACT_SIZE ? size : TRACE_FACT_SIZE - 1;
	memcpy(out, scan.at, size);
	out[size] = '\0';
}

/* Behind the header are lines, such as "osinfo:hostname=vm". */
static enum histree_status read_info(const struct io *io, const char *folder, struct trace_facts *out,
				     struct histree_error *error)
{
	char *path, *line;
	size_t size;
	struct line_text text;
	if (asprintf(&path, "%s/info", folder) < 0)
		return error_memory(error, "a path");
	const struct line_place place = { .io = io, .path = path };
	enum histree_status status = line_text_open(&text, &place, error);
	if (status == HISTREE_OK) {
		line_text_seek(&text, HEADER_SIZE);
		while ((status = line_text_next(&text, &line, &size, error)) == HISTREE_OK) {
			struct line_scan scan = { line, line + size };
			if (line_scan_word(&scan, "osinfo:hostname="))
				copy_fact(scan, out->hostname);
			else if (line_scan_word(&scan, "osinfo:kernel="))
				copy_fact(scan, out->kernel);
			else if (line_scan_word(&scan, "uftrace_version:"))
				copy_fact(scan, out->tracer);
		}
		line_text_close(&text);
	}
	free(path);
	return status == HISTREE_ERR_MEMORY ? status : HISTREE_OK;
}

/* ---- files ----------------------------------------------------------------------------------------------- */

/* "28248.dat" is of a task, "kernel-cpu0.dat" is not. */
static bool is_task_file(const char *name, int32_t *tid)
{
	union {
		const char *given;
		char *at;
	} text = { .given = name };
	struct line_scan scan = { text.at, text.at + strlen(name) };
	uint64_t number;
	bool is = line_scan_number(&scan, &number) && number <= INT32_MAX && line_scan_word(&scan, ".dat") &&
		  scan.at == scan.end;
	*tid = is ? (int32_t)number : 0;
	return is;
}

/* "perf-cpu0.dat" is of switches on a CPU. */
static bool is_cpu_file(const char *name)
{
	static const char prefix[] = "perf-cpu", suffix[] = ".dat";
	const size_t size = strlen(name);
	return size > strlen(prefix) + strlen(suffix) && memcmp(name, prefix, strlen(prefix)) == 0 &&
	       strcmp(name + size - strlen(suffix), suffix) == 0;
}

static enum histree_status add_file(struct uftrace_source *source, const char *name, int32_t tid,
				    bool is_of_switches, struct histree_error *error)
{
	struct trace_window window;
	uint64_t size = 0;
	struct uftrace_stream *stream = calloc(1, sizeof(*stream));
	if (stream == NULL || !array_reserve(&source->all, &source->capacity, source->count + 1) ||
	    asprintf(&stream->path, "%s/%s", source->base.path, name) < 0) {
		free(stream);
		return error_memory(error, "the tasks of a trace");
	}
	source->all[source->count++] = stream;
	stream->tid = tid;
	stream->is_of_switches = is_of_switches;
	trace_window_init(&window, source->base.io, stream->path, false);
	enum histree_status status = trace_window_size(&window, &size, error);
	trace_window_release(&window);
	source->base.bytes += size;
	return status;
}

static enum histree_status find_files(struct uftrace_source *source, struct histree_error *error)
{
	struct dirent **entries = NULL;
	int32_t tid;
	int count = scandir(source->base.path, &entries, NULL, alphasort);
	enum histree_status status = HISTREE_OK;
	if (count < 0)
		return error_set(error, HISTREE_ERR_TRACE, "cannot list \"%s\": %s", source->base.path,
				 strerror(errno));
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		source->has_kernel = source->has_kernel || strncmp(name, "kernel-cpu", 10) == 0;
		const bool is_of_switches = is_cpu_file(name);
		if (status == HISTREE_OK && source->count < FILES_MAX &&
		    (is_of_switches || is_task_file(name, &tid)))
			status = add_file(source, name, is_of_switches ? 0 : tid, is_of_switches, error);
		free(entries[i]);
	}
	free(entries);
	return status;
}

static void describe(struct uftrace_source *source)
{
	static const char *const fields[UFTRACE_FIELD_COUNT] = {
		[UFTRACE_ADDRESS] = "addr", [UFTRACE_NAME] = "name", [UFTRACE_DEPTH] = "depth",
		[UFTRACE_TID] = "vtid",     [UFTRACE_PID] = "vpid",  [UFTRACE_PROCESS] = "procname",
	};
	static const char *const names[4] = { "uftrace:func_entry", "uftrace:func_exit", "uftrace:sched_out",
					      "uftrace:sched_in" };
	struct trace_source *base = &source->base;
	trace_source_describe(base, "ust", "uftrace");
	base->trace.get_int = uftrace_event_int;
	base->trace.get_string = uftrace_event_string;
	for (size_t i = 0; i < 4; i++)
		source->classes[i] = (struct event_class){
			.trace = &base->trace,
			.id = (*base->class_count)++,
			.name = names[i],
			.field_count = UFTRACE_FIELD_COUNT,
			.fields = fields,
			.payload_count = UFTRACE_DEPTH + 1,
		};
}

static enum histree_status scan(struct trace_source *base, struct histree_error *error)
{
	struct uftrace_source *source = (struct uftrace_source *)base;
	enum histree_status status = check_header(source, error);
	if (status == HISTREE_OK)
		status = read_info(base->io, base->path, &base->facts, error);
	if (status == HISTREE_OK) {
		/*
		 * Read the texts of a folder; `names` is zeroed. What is missing is not known. Returns
		 * HISTREE_ERR_MEMORY.
		 */
		source->names.io = base->io;
		source->names.folder = base->path;
		status = read_text(&source->names, "task.txt", NULL, take_task, error);
		if (source->names.session_count > 0)
			qsort((void *)source->names.sessions, source->names.session_count,
			      sizeof(struct uftrace_session *), compare_sessions);
	}
	if (status == HISTREE_OK)
		status = find_files(source, error);
	if (status != HISTREE_OK)
		return status == HISTREE_ERR_IO ? error_set(error, HISTREE_ERR_TRACE, "%s", error->message)
						: status;
	base->file_count = source->count;
	describe(source);
	return HISTREE_OK;
}

/* ---- streams --------------------------------------------------------------------------------------------- */

/* A packet is the byte of a record; before a gap, of the record behind it. */
static void position(const struct trace_stream *base, struct trace_position *out)
{
	const struct uftrace_stream *stream = (const struct uftrace_stream *)base;
	*out = (struct trace_position){ .packet = base->upcoming.gap != NULL ? stream->at : stream->upcoming_at };
}

static const struct trace_stream_kind stream_kind = { .next = uftrace_stream_next, .position = position };

static enum histree_status open_streams(struct trace_source *base, const struct trace_opening *opening,
					struct histree_error *error)
{
	struct uftrace_source *source = (struct uftrace_source *)base;
	if (source->has_kernel && opening->positions == NULL)
		trace_notes_warn(base->notes, "%s: functions of the kernel are not read", base->path);
	for (size_t i = 0; i < source->count; i++) {
		struct uftrace_stream *stream = source->all[i];
		const struct trace_position *at = opening->positions;
		uint64_t begin = at == NULL ? 0 : at[i].packet; /* TRACE_FILE_DONE is behind its end */
		enum histree_status status =
			trace_source_add(base, &stream->base, &stream_kind, i, stream->path, error);
		if (status != HISTREE_OK)
			return status;
		stream->names = &source->names;
		const size_t first = stream->is_of_switches ? 2 : 0;
		stream->classes[0] = &source->classes[first];
		stream->classes[1] = &source->classes[first + 1];
		stream->task = uftrace_names_task(&source->names, stream->tid);
		stream->is_big = source->is_big;
		stream->window_size = opening->window_size;
		status = uftrace_stream_open(stream, base->io, opening->files_stay_open, begin, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

static void leave_streams(struct trace_source *base)
{
	struct uftrace_source *source = (struct uftrace_source *)base;
	for (size_t i = 0; i < source->count; i++)
		uftrace_stream_close(source->all[i]);
}

/* ---- what is known of it --------------------------------------------------------------------------------- */

static bool has_position(const struct trace_source *base, size_t file, const struct trace_position *at)
{
	(void)file;
	return at->packet % 8 == 0 && at->packet < base->bytes;
}

static uint64_t bytes_done(const struct trace_source *base)
{
	const struct uftrace_source *source = (const struct uftrace_source *)base;
	uint64_t done = 0;
	for (size_t i = 0; i < source->count; i++)
		done += source->all[i]->at < source->all[i]->size ? source->all[i]->at : source->all[i]->size;
	return done;
}

static enum histree_status read_facts(const char *path, struct trace_facts *out, struct histree_error *error)
{
	*out = (struct trace_facts){ 0 };
	return read_info(&io_posix, path, out, error);
}

static void release(struct trace_source *base)
{
	struct uftrace_source *source = (struct uftrace_source *)base;
	for (size_t i = 0; i < source->count; i++) {
		uftrace_stream_close(source->all[i]);
		free(source->all[i]->path);
		free(source->all[i]);
	}
	for (size_t i = 0; i < source->names.session_count; i++)
		free(source->names.sessions[i]->maps);
	for (size_t i = 0; i < source->names.module_count; i++)
		uftrace_symbols_release(&source->names.modules[i]->symbols);
	free((void *)source->names.sessions);
	free((void *)source->names.modules);
	id_map_release(&source->names.tasks);
	arena_release(&source->names.memory);
	demangler_release(&source->names.demangler);
	free((void *)source->all);
}

const struct trace_format_kind uftrace_format = {
	.size = sizeof(struct uftrace_source),
	.reads = "uftrace",
	.is_folder = is_folder,
	.scan = scan,
	.open = open_streams,
	.leave = leave_streams,
	.has_position = has_position,
	.bytes_done = bytes_done,
	.facts = read_facts,
	.release = release,
};
