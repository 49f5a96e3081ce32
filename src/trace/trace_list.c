// SPDX-License-Identifier: MIT
/*
 * trace_list.c - which traces are at and below some paths, and of which host each is.
 *
 * A folder that is a trace is added; other folders are searched.  A file is recognised by its first bytes, also in
 * gzip.  Each format is one row of the list.
 *
 * Traces are grouped by the boot and the host that they state, or by names that the caller gives; traces that occur
 * twice, and traces that state no host, are reported.
 */
#include "trace/trace_list.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/json_text.h"
#include "base/search.h"
#include "base/table.h"
#include "base/trace_word.h"
#include "base/zlib.h"
#include "histree/status.h"
#include "trace/formats.h"
#include "trace/json/json_text.h"
#include "trace/trace_source.h"

/* ---- trace places -------------------------------------------------------------------------------------------- */

bool trace_places_add(struct trace_places *places, const char *given, const char *host)
{
	char *path = realpath(trace_word_path(given), NULL);
	if (path == NULL)
		return true;
	if (!array_reserve(&places->places, &places->capacity, places->count + 1)) {
		free(path);
		return false;
	}
	places->places[places->count++] = (struct trace_place){ path, given, host };
	return true;
}

COMPARE(compare, struct trace_place, BY_TEXT(path) BY_TEXT(host) BY_TEXT(given))

static const struct trace_place *trace_places_find(struct trace_places *places, bool of_two_hosts)
{
	if (places->count > 0)
		qsort(places->places, places->count, sizeof(*places->places), compare);
	for (size_t i = 1; i < places->count; i++) {
		const struct trace_place *place = &places->places[i];
		if (strcmp(place[-1].path, place->path) == 0 &&
		    (!of_two_hosts || strcmp(place[-1].host, place->host) != 0))
			return place;
	}
	return NULL;
}

const struct trace_place *trace_places_twice(struct trace_places *places)
{
	return trace_places_find(places, false);
}

const struct trace_place *trace_places_of_two_hosts(struct trace_places *places)
{
	return trace_places_find(places, true);
}

void trace_places_release(struct trace_places *places)
{
	for (size_t i = 0; i < places->count; i++)
		free(places->places[i].path);
	free(places->places);
	*places = (struct trace_places){ 0 };
}

/* ---- trace format -------------------------------------------------------------------------------------------- */

enum { FIRST_BYTES = 4096 };

#define KIND(name) &name##_format,
static const struct trace_format_kind *const kinds[] = { TRACE_FORMATS(KIND) };

enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };

/* Formats of which one file may have several: what the first leaves out is read as each of the others. */
static const struct trace_format_kind *const together[][3] = {
	{ &json_format, &line_in_json_format },
	{ &line_format, &json_in_page_format, &line_in_json_format },
};

static const char unpack_it[] = "unpack it and name what is in it";
static const char name_the_folder[] = "name the folder that it is in";
static const char write_its_zones[] =
	"write its zones with 'tracy-csvexport -u', and name them by text:time=ns_since_start,unit=ns:FILE";
static const char write_as_utf_8[] = "write it as UTF-8 with 'iconv -f UTF-16 -t UTF-8'";

#define MAGIC(text) (text), sizeof(text) - 1
/* What is not read.  CTF: its specification 1.8, sections 5.1 and 7.1. */
static const struct magic {
	const char *bytes;
	size_t size, offset;
	struct trace_format format;
} magics[] = {
	{ MAGIC("PERFFILE"),
	  0,
	  { .name = "a recording of perf before 2010", .advice = "record with a newer perf" } },
	{ MAGIC("\x1f\x8b"), 0, { .name = "compressed or an archive", .advice = unpack_it, .is_gzip = true } },
	{ MAGIC("\xfd\x37zXZ"), 0, { .name = "compressed by xz", .advice = unpack_it } },
	{ MAGIC("\x28\xb5\x2f\xfd"), 0, { .name = "compressed by zstd", .advice = unpack_it } },
	{ MAGIC("BZh"), 0, { .name = "compressed by bzip2", .advice = unpack_it } },
	{ MAGIC("PK\x03\x04"), 0, { .name = "a zip archive", .advice = unpack_it } },
	{ MAGIC("ustar"), 257, { .name = "a tar archive", .advice = unpack_it } },
	{ MAGIC("7z\xbc\xaf\x27\x1c"), 0, { .name = "a 7z archive", .advice = unpack_it } },
	{ MAGIC("\x7f"
		"ELF"),
	  0,
	  { .name = "a program or library (ELF)" } },
	{ MAGIC("!<arch>\n"), 0, { .name = "a library (an archive of ar)", .is_print = true } },
	{ MAGIC("\x89PNG"), 0, { .name = "a picture (PNG)" } },
	{ MAGIC("\xff\xd8\xff"), 0, { .name = "a picture (JPEG)" } },
	{ MAGIC("GIF8"), 0, { .name = "a picture (GIF)" } },
	{ MAGIC("%PDF"), 0, { .name = "a document (PDF)" } },
	{ MAGIC("SQLite format 3"), 0, { .name = "a database of SQLite" } },
	{ MAGIC("PAR1"), 0, { .name = "a table (Parquet)" } },
	{ MAGIC("ARROW1"), 0, { .name = "a table (Arrow)" } },
	{ MAGIC("\xd4\xc3\xb2\xa1"), 0, { .name = "a recording of packets (pcap)" } },
	{ MAGIC("\x0a\x0d\x0d\x0a"), 0, { .name = "a recording of packets (pcapng)" } },
	{ MAGIC("FLR\0"),
	  0,
	  { .name = "a recording of Java Flight Recorder", .advice = "write its stacks as folded lines" } },
	{ MAGIC("Nettrace"),
	  0,
	  { .name = "a recording of .NET",
	    .advice = "convert it with 'dotnet-trace convert --format speedscope', and name that" } },
	{ MAGIC("tracy\0"), 0, { .name = "a trace of Tracy", .advice = write_its_zones } },
	{ MAGIC("tlZ\x04"), 0, { .name = "a trace of Tracy", .advice = write_its_zones } },
	{ MAGIC("tZst"), 0, { .name = "a trace of Tracy", .advice = write_its_zones } },
	{ MAGIC("\x0d\xf0\xad\x0b\0\0\0\0"),
	  0,
	  { .name = "a trace of Spall", .advice = "write its spans as JSON with \"traceEvents\", and name that" } },
	{ MAGIC("go 1."),
	  0,
	  { .name = "an execution trace of Go",
	    .advice = "make a profile of it with 'go tool trace -pprof=sched', and name that" } },
	/* A stream of CTF, in either byte order; metadata in packets; as text, and those of CTF 2. */
	{ MAGIC("\xc1\x1f\xfc\xc1"), 0, { .name = "a file of a CTF trace", .advice = name_the_folder } },
	{ MAGIC("\xc1\xfc\x1f\xc1"), 0, { .name = "a file of a CTF trace", .advice = name_the_folder } },
	{ MAGIC("\x57\x1d\xd1\x75"), 0, { .name = "a file of a CTF trace", .advice = name_the_folder } },
	{ MAGIC("\x75\xd1\x1d\x57"), 0, { .name = "a file of a CTF trace", .advice = name_the_folder } },
	{ MAGIC("/* CTF 1.8"), 0, { .name = "a file of a CTF trace", .advice = name_the_folder } },
	{ MAGIC("\x1e"), 0, { .name = "a file of a CTF trace", .advice = name_the_folder } },
	/* A mark of the order of bytes. */
	{ MAGIC("\xff\xfe"), 0, { .name = "text in UTF-16", .advice = write_as_utf_8 } },
	{ MAGIC("\xfe\xff"), 0, { .name = "text in UTF-16", .advice = write_as_utf_8 } },
	{ MAGIC("\x89histre\n"),
	  0,
	  { .name = "a file of a store of histree", .advice = "ask that store with 'histree states STORE'" } },
};

static const char *skip_of(const char *at, const char *end, const char *bytes)
{
	while (at < end && *at != '\0' && strchr(bytes, *at) != NULL)
		at++;
	return at;
}

/* "            main     1.000000:", "\t 55d2 work+0x5 (/usr/bin/app)" */
static bool has_frame(const char *text, size_t size)
{
	const char *const end = text + size;
	const char *const frame = size > 0 && text[0] == '\t' ? text : memmem(text, size, "\n\t", 2);
	const char *const address = frame != NULL ? skip_of(frame, end, "\n\t ") : end;
	const char *const behind = skip_of(address, end, "0123456789abcdef");
	return behind - address > 3 && behind < end && *behind == ' ' &&
	       memmem(behind, (size_t)(end - behind), " (", 2) != NULL;
}

/* What tools print of traces and is not read, by its first line. */
static struct trace_format format_of_print(const char *text, size_t size)
{
	const char *line_end = memchr(text, '\n', size);
	const size_t length = line_end != NULL ? (size_t)(line_end - text) : size;
	/* "[10:21:33.123456789] (+?.?????????) host sched_switch: ..." */
	if (length > 2 && text[0] == '[' && text[1] >= '0' && text[1] <= '9' &&
	    memmem(text, length, "] (+", 4) != NULL)
		return (struct trace_format){ .name = "what babeltrace prints",
					      .advice = "name the folder of the trace" };
		/* Those of pprof have lines of an address and a function, as samples have. */
#define PPROF                                                                                                     \
	{                                                                                                         \
		.name = "what pprof prints",                                                                      \
		.advice = "name the profile that it was made of, or what 'pprof -proto' writes", .is_print = true \
	}
#define HISTOGRAM                                                                                        \
	{                                                                                                \
		.name = "a histogram", .advice = "record what it counts, as with 'perf record -e EVENT'" \
	}
	static const struct {
		const char *begin, *part; /* the first byte, or any of the two; and of the first lines */
		struct trace_format format;
	} heads[] = {
		{ "File: ", "\nType: ", PPROF },
		{ "Type: ", "\nShowing nodes ", PPROF },
		{ "Showing nodes accounting for ", "", PPROF },
		{ "digraph ", "", PPROF },
		{ "# ",
		  "# Overhead ",
		  { .name = "what perf report prints",
		    .advice = "name its perf.data, or print the samples with 'perf script'" } },
		{ "",
		  " wait time  sch delay ",
		  { .name = "what perf sched timehist prints",
		    .advice = "name the perf.data that 'perf sched record' wrote" } },
		{ "",
		  "|   Runtime ms  |",
		  { .name = "what perf sched latency prints",
		    .advice = "name the perf.data that 'perf sched record' wrote" } },
		{ "# ",
		  "# DURATION ",
		  { .name = "what uftrace prints", .advice = "name the folder that 'uftrace record' made" } },
		{ "", " : count     distribution", HISTOGRAM }, /* of bcc */
		{ "", " |@@@", HISTOGRAM },                     /* of bpftrace */
		{ "BeginHeader",
		  "EndHeader",
		  { .name = "what xperf prints",
		    .advice = "write a table of its events with a column 'time', one line each, and name that" } },
		{ "v8-version,", "", { .name = "a log of V8", .advice = "record with 'node --cpu-prof'" } },
		{ "{",
		  "\"start_call_stack\"",
		  { .name = "a profile of pyinstrument", .advice = "write it with 'pyinstrument -r speedscope'" } },
	};
	enum { HEAD_SIZE = 2048 };
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (size >= strlen(heads[i].begin) && memcmp(text, heads[i].begin, strlen(heads[i].begin)) == 0 &&
		    memmem(text, size < HEAD_SIZE ? size : HEAD_SIZE, heads[i].part, strlen(heads[i].part)) != NULL)
			return heads[i].format;
#undef PPROF
#undef HISTOGRAM
	if (has_frame(text, size))
		return (struct trace_format){
			.name = "what perf script prints of samples without their threads or times",
			.advice = "print it with 'perf script -F comm,tid,time,event,ip,sym,dso'"
		};
	/* "     0.059 ( 0.012 ms): ls/77 brk() = 0x55d2" */
	if (length > 0 && text[0] == ' ' && memmem(text, length, " (", 2) != NULL &&
	    (memmem(text, length, " ms): ", 6) != NULL || memmem(text, length, "         ): ", 12) != NULL))
		return (struct trace_format){ .name = "what perf trace prints",
					      .advice = "record with 'perf trace record' and name its perf.data, "
							"or with 'strace -f -ttt -T'",
					      .is_print = true };
	return (struct trace_format){ 0 };
}

/* A trace in JSON behind what servers and scripts put in front of it: ")]}'", "var trace = ". */
static struct trace_format format_behind(const char *text, size_t size)
{
	static const char guard[] = ")]}'";
	static const char *const words[] = { "var ", "let ", "const ", "window." };
	const char *end = text + size, *at = NULL;
	if (size > strlen(guard) && memcmp(text, guard, strlen(guard)) == 0)
		return json_look(text + strlen(guard), size - strlen(guard)) != LOOK_TRACE
			       ? (struct trace_format){ 0 }
			       : (struct trace_format){ .name = "a trace in JSON behind the four bytes \")]}'\"",
							.advice = "leave them out" };
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && at == NULL; i++)
		if (size > strlen(words[i]) && memcmp(text, words[i], strlen(words[i])) == 0)
			at = memchr(text, '=', size);
	if (at == NULL || json_look(at + 1, (size_t)(end - at) - 1) != LOOK_TRACE)
		return (struct trace_format){ 0 };
	return (struct trace_format){ .name = "a script that has a trace in JSON behind its equals sign",
				      .advice = "keep what stands from there up to the semicolon" };
}

struct trace_format trace_format_of_bytes(const void *bytes, size_t size)
{
	const char *text = bytes;
	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++) {
		const struct magic *magic = &magics[i];
		if (magic->offset + magic->size <= size &&
		    memcmp(text + magic->offset, magic->bytes, magic->size) == 0)
			return magic->format;
	}
	for (size_t i = KIND_COUNT; i-- > 0;)
		if (kinds[i]->begins != NULL && kinds[i]->begins(bytes, size))
			return (struct trace_format){ .name = kinds[i]->name, .kind = kinds[i] };
	const struct trace_format print = format_of_print(text, size);
	if (print.name != NULL)
		return print;
	const struct trace_format behind = format_behind(text, size);
	if (behind.name != NULL)
		return behind;
	if (json_look(bytes, size) == LOOK_OTHER)
		return (struct trace_format){ .name = "JSON, but no trace with \"traceEvents\"",
					      .advice = "name the time of its rows, as in text:time=ts:FILE" };
	return (struct trace_format){ 0 };
}

/* Returns how many of the first bytes of what is packed by gzip went to `first`, 0 if none can be had. */
static size_t unpack_first(const uint8_t *bytes, size_t size, uint8_t first[FIRST_BYTES])
{
	struct gunzip *gunzip;
	size_t count = 0, at = 0, got = 0, used = 1;
	if (gunzip_create(&gunzip, NULL) != HISTREE_OK)
		return 0;
	/* The first member may be short. */
	for (; got != SIZE_MAX && used + got > 0 && at < size && count < FIRST_BYTES; at += used) {
		got = gunzip_read(gunzip, bytes + at, size - at, &used, first + count, FIRST_BYTES - count);
		count += got != SIZE_MAX ? got : 0;
	}
	gunzip_free(gunzip);
	return count;
}

/* Write which formats are read, "CTF, ...; perf.data; ...". */
static void trace_format_list(char *text, size_t size)
{
	size_t length = 0, last = KIND_COUNT - 1;
	while (kinds[last]->reads == NULL)
		last--;
	text[0] = '\0';
	for (size_t i = 0; i <= last && length < size; i++)
		if (kinds[i]->reads != NULL)
			length += (size_t)snprintf(text + length, size - length, "%s%s",
						   length == 0 ? ""
						   : i == last ? "; and "
							       : "; ",
						   kinds[i]->reads);
}

/* Returns whether bytes of an unknown format are text, for people. */
static bool is_text(const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)bytes[i] < ' ' && strchr("\t\n\r\f\033", bytes[i]) == NULL)
			return false;
	return memchr(bytes, '\0', size) == NULL;
}

/* Returns how many bytes there are, at most FIRST_BYTES, or a negative number if none can be read. */
static ssize_t read_first(const char *path, char bytes[FIRST_BYTES])
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is not waited for */
	ssize_t size = file < 0 ? -1 : read(file, bytes, FIRST_BYTES);
	if (file >= 0)
		close(file);
	return size;
}

/* A page that is read has a text of ftrace (trace/lines/); one of trace-viewer may have packed JSON. */
static bool is_page(const char *bytes, size_t size)
{
	while (size > 0 && strchr(" \t\r\n", *bytes) != NULL)
		bytes++, size--;
	return (size >= 9 && strncasecmp(bytes, "<!doctype", 9) == 0) ||
	       (size >= 5 && strncasecmp(bytes, "<html", 5) == 0);
}

/* Describes a file of unknown format, as the end of a sentence about it: "is empty". */
static const char *trace_format_describe(const char *path)
{
	char bytes[FIRST_BYTES];
	const ssize_t size = read_first(path, bytes);
	return size < 0    ? "cannot be read"
	       : size == 0 ? "is empty"
	       : is_page(bytes, (size_t)size)
		       ? "is a page without a text of ftrace; save the trace that it shows as JSON, and name that"
	       : is_text(bytes, (size_t)size)
		       ? "is text, but no line is an event, and the first one names no columns"
		       : "has bytes of no format that is known";
}

/* What is inside of a file that is packed by gzip and no trace, "a tar archive"; no name: it is not packed so. */
static struct trace_format trace_format_packed(const char *path)
{
	char bytes[FIRST_BYTES];
	uint8_t first[FIRST_BYTES];
	const ssize_t size = read_first(path, bytes);
	if (size <= 0 || !trace_format_of_bytes(bytes, (size_t)size).is_gzip)
		return (struct trace_format){ 0 };
	const size_t count = unpack_first((const uint8_t *)bytes, (size_t)size, first);
	struct trace_format inside = count > 0 ? trace_format_of_bytes(first, count) : (struct trace_format){ 0 };
	if (inside.name == NULL)
		inside.name = count == 0                            ? "nothing that can be unpacked"
			      : is_text((const char *)first, count) ? "text without events"
								    : "bytes of no format that is known";
	if (inside.advice == NULL)
		inside.advice = unpack_it;
	return inside;
}

struct trace_format trace_format_of_path(const char *path)
{
	char bytes[FIRST_BYTES];
	uint8_t first[FIRST_BYTES];
	const ssize_t size = read_first(path, bytes);
	const struct trace_format format =
		size > 0 ? trace_format_of_bytes(bytes, (size_t)size) : (struct trace_format){ 0 };
	const size_t count = format.is_gzip ? unpack_first((const uint8_t *)bytes, (size_t)size, first) : 0;
	const struct trace_format inside =
		count > 0 ? trace_format_of_bytes(first, count) : (struct trace_format){ 0 };
	return inside.kind != NULL && inside.kind->may_be_packed ? inside : format;
}

/* ---- trace list ---------------------------------------------------------------------------------------------- */

/* Deeper than anyone keeps traces, and an end for folders that are mounted into themselves. */
enum { DEPTH_MAX = 32, FORMATS_SIZE = 400 };

static enum histree_status find_below(struct trace_list *list, const char *path, unsigned depth,
				      struct histree_error *error);

static enum histree_status trace_list_add(struct trace_list *list, const char *path,
					  const struct trace_format_kind *kind, struct histree_error *error)
{
	char *copy = strdup(path);
	if (copy == NULL || !array_reserve(&list->entries, &list->capacity, list->count + 1)) {
		free(copy);
		return error_memory(error, "the list of traces");
	}
	list->entries[list->count++] = (struct trace_entry){ .path = copy, .kind = kind };
	return HISTREE_OK;
}

static enum histree_status find_in_entry(struct trace_list *list, const char *path, const struct dirent *entry,
					 unsigned depth, struct histree_error *error)
{
	struct stat facts;
	char *inner;
	if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
		return HISTREE_OK;
	if (asprintf(&inner, "%s/%s", path, entry->d_name) < 0)
		return error_memory(error, "a path");
	enum histree_status status = HISTREE_OK;
	if (lstat(inner, &facts) == 0 && S_ISDIR(facts.st_mode))
		status = find_below(list, inner, depth + 1, error);
	free(inner);
	return status;
}

/* What was named is no folder, or cannot be listed. */
static enum histree_status refuse_file(const char *path, struct histree_error *error)
{
	int cause = errno;
	struct stat facts;
	char formats[FORMATS_SIZE];
	if (cause == ENOTDIR && stat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
		return error_set(error, HISTREE_ERR_TRACE,
				 "\"%s\" is no regular file, and a trace is read more than once: write it into a "
				 "file and name that",
				 path);
	const struct trace_format format =
		cause == ENOTDIR ? trace_format_of_path(path) : (struct trace_format){ 0 };
	const struct trace_format packed =
		cause == ENOTDIR ? trace_format_packed(path) : (struct trace_format){ 0 };
	if (packed.name != NULL)
		return error_set(error, HISTREE_ERR_TRACE, "\"%s\" is gzip of %s; %s", path, packed.name,
				 packed.advice);
	if (format.advice != NULL)
		return error_set(error, HISTREE_ERR_TRACE, "\"%s\" is %s; %s", path, format.name, format.advice);
	trace_format_list(formats, sizeof(formats));
	if (format.name != NULL)
		return error_set(error, HISTREE_ERR_TRACE, "\"%s\" is %s, and no trace; histree reads %s", path,
				 format.name, formats);
	if (cause == ENOTDIR)
		return error_set(error, HISTREE_ERR_TRACE, "\"%s\" %s; histree reads %s", path,
				 trace_format_describe(path), formats);
	return error_set(error, HISTREE_ERR_TRACE, "cannot open \"%s\": %s", path, strerror(cause));
}

/* Returns the kind of a folder that is a trace, or NULL. */
static const struct trace_format_kind *kind_of_folder(const char *path)
{
	for (size_t i = 0; i < KIND_COUNT; i++)
		if (kinds[i]->is_folder != NULL && kinds[i]->is_folder(path))
			return kinds[i];
	return NULL;
}

static enum histree_status find_below(struct trace_list *list, const char *path, unsigned depth,
				      struct histree_error *error)
{
	const struct trace_format_kind *kind = kind_of_folder(path);
	if (kind != NULL)
		return trace_list_add(list, path, kind, error);
	if (depth == DEPTH_MAX)
		return HISTREE_OK;

	struct dirent **entries = NULL;
	int count = scandir(path, &entries, NULL, alphasort);
	if (count < 0)
		return depth > 0 ? HISTREE_OK : refuse_file(path, error);
	enum histree_status status = HISTREE_OK;
	for (int index = 0; index < count; index++) {
		if (status == HISTREE_OK)
			status = find_in_entry(list, path, entries[index], depth, error);
		free(entries[index]);
	}
	free(entries);
	return status;
}

/* Returns the kind of a file that is a trace by itself, which may be named with a map; NULL: it is no trace. */
static const struct trace_format_kind *kind_of_file(const char *word)
{
	struct stat facts;
	const struct trace_format format = trace_format_of_path(word);
	const struct trace_format_kind *kind = format.kind;
	if (kind != NULL || format.is_print || stat(trace_word_path(word), &facts) != 0 || !S_ISREG(facts.st_mode))
		return kind;
	for (size_t i = 0; i < KIND_COUNT; i++)
		if (kinds[i]->is_file != NULL && kinds[i]->is_file(word))
			return kinds[i];
	return NULL;
}

/* Add the file inside of a folder that is a recording by that; also of none, so that *list is as it was. */
static enum histree_status find_inside(struct trace_list *list, const char *folder, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < KIND_COUNT && status == HISTREE_OK; i++) {
		char *path;
		if (kinds[i]->inside == NULL)
			continue;
		if (asprintf(&path, "%s/%s", folder, kinds[i]->inside) < 0)
			return error_memory(error, "a path");
		if (trace_format_of_path(path).kind == kinds[i])
			status = trace_list_add(list, path, kinds[i], error);
		free(path);
	}
	return status;
}

bool trace_is_at(const char *path)
{
	struct stat facts;
	struct trace_list inside = { 0 };
	if (stat(path, &facts) != 0)
		return false;
	if (!S_ISDIR(facts.st_mode))
		return S_ISREG(facts.st_mode) && kind_of_file(path) != NULL;
	bool is = kind_of_folder(path) != NULL ||
		  (find_inside(&inside, path, NULL) == HISTREE_OK && inside.count > 0);
	trace_list_release(&inside);
	return is;
}

/* Returns HISTREE_ERR_TRACE if a folder would be a trace, but that its metadata are compressed. */
static enum histree_status check_packed(const char *path, struct histree_error *error)
{
	static const char *const endings[] = { "gz", "zst", "xz", "bz2" };
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		char *name;
		if (asprintf(&name, "%s/metadata.%s", path, endings[i]) < 0)
			return error_memory(error, "a path");
		bool is_there = access(name, F_OK) == 0;
		free(name);
		if (is_there)
			return error_set(
				error, HISTREE_ERR_TRACE,
				"\"%s\" is a trace whose files are compressed: unpack 'metadata.%s' and the "
				"others, and name the folder again",
				path, endings[i]);
	}
	return HISTREE_OK;
}

/* A file in a format, with what else of the format is in it. */
static enum histree_status add_kind(struct trace_list *list, const char *path, const struct trace_format_kind *kind,
				    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (; kind != NULL && status == HISTREE_OK; kind = kind->beside)
		status = trace_list_add(list, path, kind, error);
	return status;
}

static enum histree_status add_file(struct trace_list *list, const char *path, const struct trace_format_kind *kind,
				    struct histree_error *error)
{
	enum histree_status status = add_kind(list, path, kind, error);
	for (size_t i = 0; i < sizeof(together) / sizeof(together[0]); i++)
		for (size_t k = 1; k < 3 && together[i][0] == kind && status == HISTREE_OK; k++)
			status = add_kind(list, path, together[i][k], error);
	return status;
}

enum histree_status trace_list_find(struct trace_list *list, const char *path, struct histree_error *error)
{
	size_t before = list->count;
	enum histree_status status = add_file(list, path, kind_of_file(path), error);
	if (list->count > before || status != HISTREE_OK)
		return status;
	size_t size = strlen(path);
	if (trace_word_path(path) != path)
		return trace_list_add(list, path, &event_text_format, error);
	while (size > 1 && path[size - 1] == '/')
		size--;
	char *trimmed = strndup(path, size);
	if (trimmed == NULL)
		return error_memory(error, "a path");
	status = find_below(list, trimmed, 0, error);
	if (status == HISTREE_OK && list->count == before)
		status = find_inside(list, trimmed, error);
	free(trimmed);
	if (status == HISTREE_OK && list->count == before)
		status = check_packed(path, error);
	char formats[FORMATS_SIZE];
	trace_format_list(formats, sizeof(formats));
	if (status == HISTREE_OK && list->count == before)
		status = error_set(error, HISTREE_ERR_TRACE, "\"%s\" holds no trace; histree reads %s", path,
				   formats);
	return status;
}

void trace_list_release(struct trace_list *list)
{
	for (size_t index = 0; index < list->count; index++)
		free(list->entries[index].path);
	free(list->entries);
	*list = (struct trace_list){ 0 };
}

/* ---- trace group --------------------------------------------------------------------------------------------- */

static bool are_of_one_host(const struct trace_facts *a, const struct trace_facts *b)
{
	if (a->boot[0] != '\0' && b->boot[0] != '\0')
		return strcmp(a->boot, b->boot) == 0;
	return a->hostname[0] != '\0' && strcmp(a->hostname, b->hostname) == 0;
}

static bool has_path(const struct trace_group *group, const char *path)
{
	return group->path_count > 0 && strcmp(group->paths[group->path_count - 1], path) == 0;
}

/* What two formats read a part of is of one host, although it may not say which; one that is named has its own. */
static struct trace_group *trace_hosts_find(const struct trace_groups *groups, const struct trace_facts *facts,
					    const char *path)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct trace_group *group = &groups->groups[i];
		if (are_of_one_host(&group->facts, facts) || (!group->is_named && has_path(group, path)))
			return &groups->groups[i];
	}
	return NULL;
}

static bool is_taken(const struct trace_groups *groups, const char *name)
{
	for (size_t i = 0; i < groups->count; i++)
		if (strcmp(groups->groups[i].name, name) == 0)
			return true;
	return false;
}

enum { NUMBER_SIZE = 16 };

/* Two starts of a machine have one name: the second one is "NAME (2)". */
static void choose_name(const struct trace_groups *groups, const char *path, struct trace_group *out)
{
	const char *last = strrchr(path, '/');
	const char *base = out->facts.hostname[0] != '\0'    ? out->facts.hostname
			   : last != NULL && last[1] != '\0' ? last + 1
							     : path;
	int size = (int)strnlen(base, sizeof(out->name) - NUMBER_SIZE);
	snprintf(out->name, sizeof(out->name), "%.*s", size, base);
	if (!utf8_is_valid(out->name, strlen(out->name)))
		for (char *at = out->name; *at != '\0'; at++)
			*at = (unsigned char)*at < 0x80 ? *at : '?';
	for (unsigned number = 2; is_taken(groups, out->name); number++)
		snprintf(out->name + strnlen(out->name, (size_t)size), NUMBER_SIZE, " (%u)", number);
}

static bool add_path(struct trace_group *group, const char *path)
{
	char **paths = realloc(group->paths, (group->path_count + 1) * sizeof(*paths));
	if (paths == NULL)
		return false;
	group->paths = paths;
	if (has_path(group, path))
		return true;
	paths[group->path_count] = strdup(path);
	return paths[group->path_count++] != NULL;
}

/* One that is not counted yet.  Returns NULL if memory runs out. */
static struct trace_group *new_group(struct trace_groups *groups, const struct trace_facts *facts)
{
	struct trace_group *group = realloc(groups->groups, (groups->count + 1) * sizeof(*group));
	if (group == NULL)
		return NULL;
	groups->groups = group;
	group += groups->count;
	*group = (struct trace_group){ .facts = *facts };
	return group;
}

static enum histree_status read_facts(const struct trace_entry *entry, struct trace_facts *out,
				      struct histree_error *error)
{
	*out = (struct trace_facts){ 0 };
	return entry->kind->facts != NULL ? entry->kind->facts(entry->path, out, error) : HISTREE_OK;
}

static enum histree_status add_trace(struct trace_groups *groups, const struct trace_entry *entry,
				     struct histree_error *error)
{
	struct trace_facts facts;
	enum histree_status status = read_facts(entry, &facts, error);
	if (status != HISTREE_OK)
		return status;
	struct trace_group *group = trace_hosts_find(groups, &facts, entry->path);
	if (group == NULL) {
		group = new_group(groups, &facts);
		if (group == NULL)
			return error_memory(error, "the hosts of traces");
		choose_name(groups, entry->path, group);
		groups->count++;
	}
	return add_path(group, entry->path) ? HISTREE_OK : error_memory(error, "the hosts of traces");
}

static struct trace_group *find_named(const struct trace_groups *groups, const char *name)
{
	for (size_t i = 0; i < groups->count; i++)
		if (strcmp(groups->groups[i].name, name) == 0)
			return &groups->groups[i];
	return NULL;
}

/* What the first trace of a named host says is what other traces are compared with; its name is the given one. */
static enum histree_status add_named(struct trace_groups *groups, const char *name, const struct trace_entry *entry,
				     struct histree_error *error)
{
	struct trace_group *group = find_named(groups, name);
	if (group == NULL) {
		struct trace_facts facts;
		enum histree_status status = read_facts(entry, &facts, error);
		if (status != HISTREE_OK)
			return status;
		snprintf(facts.hostname, sizeof(facts.hostname), "%.*s", TRACE_FACT_SIZE - 1, name);
		group = new_group(groups, &facts);
		if (group == NULL)
			return error_memory(error, "the hosts of traces");
		snprintf(group->name, sizeof(group->name), "%s", name);
		group->is_named = true;
		groups->count++;
	}
	return add_path(group, entry->path) ? HISTREE_OK : error_memory(error, "the hosts of traces");
}

enum histree_status trace_groups_add(struct trace_groups *groups, const char *name, const char *path,
				     struct histree_error *error)
{
	struct trace_list list = { 0 };
	if (name[0] == '\0' || strlen(name) >= TRACE_FACT_SIZE || !utf8_is_valid(name, strlen(name)))
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "'%.128s' can be no name of a host: it takes 1 to %d bytes of UTF-8", name,
				 TRACE_FACT_SIZE - 1);
	enum histree_status status = trace_list_find(&list, path, error);
	for (size_t i = 0; i < list.count && status == HISTREE_OK; i++)
		status = add_named(groups, name, &list.entries[i], error);
	trace_list_release(&list);
	return status;
}

enum histree_status trace_groups_find(struct trace_groups *groups, const char *const *paths, size_t path_count,
				      struct histree_error *error)
{
	struct trace_list list = { 0 };
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < path_count && status == HISTREE_OK; i++)
		status = trace_list_find(&list, paths[i], error);
	for (size_t i = 0; i < list.count && status == HISTREE_OK; i++)
		status = add_trace(groups, &list.entries[i], error);
	trace_list_release(&list);
	return status;
}

void trace_groups_release(struct trace_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		for (size_t path = 0; path < groups->groups[i].path_count; path++)
			free(groups->groups[i].paths[path]);
		free(groups->groups[i].paths);
	}
	free(groups->groups);
	*groups = (struct trace_groups){ 0 };
}

/* ---- trace hosts --------------------------------------------------------------------------------------------- */

static bool differ(const char *a, const char *b)
{
	return a[0] != '\0' && b[0] != '\0' && strcmp(a, b) != 0;
}

/* Containers have names of their own, and the CPUs of the machine that they are on. */
static bool are_of_one_boot(const struct trace_facts *a, const struct trace_facts *b)
{
	return a->boot[0] != '\0' && strcmp(a->boot, b->boot) == 0;
}

static bool overlap(const struct trace_host *a, const struct trace_host *b)
{
	return a->begin <= b->end && b->begin <= a->end;
}

static enum histree_status refuse(const struct trace_host *a, const struct trace_host *b, const char *first,
				  const char *second, struct histree_error *error)
{
	return error_set(
		error, HISTREE_ERR_ARGUMENT,
		"trace \"%.64s\" is of %s and \"%.64s\" of %s: their CPUs and threads would be taken for the "
		"same; 'histree build' makes a store of several hosts, with '--host NAME=TRACE' where traces do "
		"not say whose "
		"they are",
		a->path, first, b->path, second);
}

/* Two starts of one machine are never at the same time. */
static enum histree_status check_pair(const struct trace_host *a, const struct trace_host *b,
				      struct histree_error *error)
{
	char first[TRACE_FACT_SIZE + 8], second[TRACE_FACT_SIZE + 8];
	if (are_of_one_boot(a->facts, b->facts))
		return HISTREE_OK;
	if (differ(a->facts->hostname, b->facts->hostname)) {
		snprintf(first, sizeof(first), "host '%s'", a->facts->hostname);
		snprintf(second, sizeof(second), "host '%s'", b->facts->hostname);
		return refuse(a, b, first, second, error);
	}
	if (!differ(a->facts->boot, b->facts->boot) || !overlap(a, b))
		return HISTREE_OK;
	return refuse(a, b, "one host", "another of the same name, which ran at the same time", error);
}

/* Each trace is compared with the first ones that say something of each kind: those before agree with them. */
enum histree_status trace_hosts_check(const struct trace_host *traces, size_t count, struct histree_error *error)
{
	const struct trace_host *first[2] = { NULL };
	for (size_t i = 0; i < count; i++) {
		const struct trace_facts *facts = traces[i].facts;
		const char *says[] = { facts->boot, facts->hostname };
		for (size_t kind = 0; kind < 2; kind++) {
			enum histree_status status =
				first[kind] != NULL ? check_pair(first[kind], &traces[i], error) : HISTREE_OK;
			if (status != HISTREE_OK)
				return status;
			if (first[kind] == NULL && says[kind][0] != '\0')
				first[kind] = &traces[i];
		}
	}
	return HISTREE_OK;
}

/* What does not say which recording it is may be another part of the same one. */
static bool are_doubled(const struct trace_host *a, const struct trace_host *b)
{
	return a->is_of_kernel && b->is_of_kernel && !a->is_left_out && !b->is_left_out &&
	       are_of_one_boot(a->facts, b->facts) && differ(a->facts->uuid, b->facts->uuid) &&
	       a->begin <= a->end && b->begin <= b->end && overlap(a, b);
}

bool trace_hosts_find_doubled(const struct trace_host *traces, size_t count, size_t *first, size_t *second)
{
	for (; *first < count; ++*first)
		for (*second = *first + 1; *second < count; ++*second)
			if (are_doubled(&traces[*first], &traces[*second]))
				return true;
	return false;
}

static bool is_unnamed(const struct trace_host *trace)
{
	return trace->has_kernel && !trace->is_left_out && trace->facts->boot[0] == '\0' &&
	       trace->facts->hostname[0] == '\0';
}

bool trace_hosts_find_unnamed(const struct trace_host *traces, size_t count, size_t *first, size_t *second)
{
	for (; *first < count; ++*first)
		for (*second = *first + 1; *second < count; ++*second) {
			const struct trace_host *a = &traces[*first], *b = &traces[*second];
			bool have_times = a->begin <= a->end && b->begin <= b->end;
			/* The elements of one page are of one machine. */
			const bool are_apart = strcmp(a->path, b->path) != 0;
			if (are_apart && is_unnamed(a) && is_unnamed(b) && (!have_times || overlap(a, b)))
				return true;
		}
	return false;
}

enum histree_status trace_hosts_check_paths(const char *const *paths, size_t count, struct histree_error *error)
{
	struct trace_list list = { 0 };
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++)
		status = trace_list_find(&list, paths[i], error);
	struct trace_facts *facts = calloc(list.count + 1, sizeof(*facts));
	struct trace_host *hosts = calloc(list.count + 1, sizeof(*hosts));
	if (facts == NULL || hosts == NULL)
		status = error_memory(error, "the hosts of traces");
	for (size_t i = 0; i < list.count && status == HISTREE_OK; i++) {
		const struct trace_entry *entry = &list.entries[i];
		status = read_facts(entry, &facts[i], error);
		hosts[i] = (struct trace_host){ .path = entry->path, .facts = &facts[i], .begin = 1, .end = 0 };
	}
	if (status == HISTREE_OK)
		status = trace_hosts_check(hosts, list.count, error);
	free(hosts);
	free(facts);
	trace_list_release(&list);
	return status;
}
