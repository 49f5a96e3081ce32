// SPDX-License-Identifier: MIT
/*
 * library.c - replacements for the files, of any layer, that need a library which was missing when histree was
 * built (without/meson.build).
 *
 * Each function reports that in a message, with the library, its Debian package and, if there is one, another way;
 * or it returns what is true without the library: nothing is found, nothing is packed, and names stay as they are.
 * Its arguments are ignored.
 */
#include <stdlib.h>

#include "analysis/xml/xml_definitions.h"
#include "base/error.h"
#include "base/zlib.h"
#include "base/zstd.h"
#include "draw/pictures.h"
#include "histree/export.h"
#include "symbols/demangle.h"
#include "symbols/elf_names.h"
#include "trace/formats.h"
#include "trace/perf/perf_source.h"
#include "trace/trace_cmd/dat_stream.h"
#include "trace/trace_source.h"
#include "trace/xml/xml_source.h"
#include "without/features.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#if !HAS_PERF || !HAS_XML

/* A format whose files are refused: `is` goes on "FILE ".  Nothing is asked of a source that was not scanned. */
#define WITHOUT_FORMAT(format, is, ...)                                                                          \
	static enum histree_status format##_facts(const char *path, struct trace_facts *out,                     \
						  struct histree_error *error)                                   \
	{                                                                                                        \
		return error_set(error, HISTREE_ERR_TRACE, "\"%s\" " is, path);                                  \
	}                                                                                                        \
	static enum histree_status format##_scan(struct trace_source *source, struct histree_error *error)       \
	{                                                                                                        \
		return format##_facts(source->path, NULL, error);                                                \
	}                                                                                                        \
	const struct trace_format_kind format = {                                                                \
		.size = sizeof(struct trace_source), .scan = format##_scan, .facts = format##_facts, __VA_ARGS__ \
	}

#endif

/* ---- cairo --------------------------------------------------------------------------------------------------- */

#if !HAS_DRAW

static enum histree_status refuse(struct histree_error *error)
{
	return error_set(
		error, HISTREE_NOT_FOUND,
		"this histree was built without cairo and cannot draw: install libcairo2-dev and build again");
}

enum histree_status histree_draw(struct histree_history *history, const struct histree_draw_options *options,
				 picture_write *write, void *context, struct histree_error *error)
{
	return refuse(error);
}

enum histree_status histree_draw_path(struct histree_history *history,
				      const struct histree_draw_path_options *options, picture_write *write,
				      void *context, struct histree_error *error)
{
	return refuse(error);
}

enum histree_status histree_draw_flame(const struct histree_flame *flame,
				       const struct histree_draw_flame_options *options, picture_write *write,
				       void *context, struct histree_error *error)
{
	return refuse(error);
}

enum histree_status histree_draw_states_compared(const struct histree_state_comparison *comparison,
						 const struct histree_draw_comparison_options *options,
						 picture_write *write, void *context, struct histree_error *error)
{
	return refuse(error);
}

enum histree_status histree_draw_segments_compared(const struct histree_segment_difference *difference,
						   const struct histree_segment_density *a,
						   const struct histree_segment_density *b,
						   const struct histree_draw_comparison_options *options,
						   picture_write *write, void *context, struct histree_error *error)
{
	return refuse(error);
}

bool histree_can_draw(void)
{
	return false;
}

#endif

/* ---- libtraceevent ------------------------------------------------------------------------------------------- */

#if !HAS_PERF

WITHOUT_FORMAT(
	perf_format,
	"is a recording of perf, and this histree was built without libtraceevent; build it with that (Debian: "
	"libtraceevent-dev), or convert the recording with 'perf data convert -i FILE --to-ctf FOLDER' and name "
	"that folder",
	.name = PERF_NAME, .begins = perf_begins, .inside = PERF_INSIDE);

WITHOUT_FORMAT(dat_format,
	       "is a recording of trace-cmd, and this histree was built without libtraceevent; build it with that "
	       "(Debian: libtraceevent-dev)",
	       .name = DAT_NAME, .begins = dat_begins);

#endif

/* ---- SQLite -------------------------------------------------------------------------------------------------- */

#if !HAS_SQL

enum histree_status histree_export_sqlite(const struct histree_sqlite_table *tables, size_t count, const char *path,
					  const struct histree_sqlite_options *options, struct histree_error *error)
{
	for (size_t i = 0; i < count; i++)
		tables[i].stream->release(tables[i].stream);
	return error_set(error, HISTREE_ERR_IO,
			 "this histree was built without SQLite: install libsqlite3-dev and build again");
}

bool histree_export_has_sqlite(void)
{
	return false;
}

#endif

/* ---- libdw and libiberty ------------------------------------------------------------------------------------- */

#if !HAS_SYMBOLS

bool elf_names_can_read(void)
{
	return false;
}

enum elf_answer elf_names_open(const char *path, const uint8_t *build_id, size_t build_id_size,
			       struct elf_names **out)
{
	*out = NULL;
	return ELF_NOT_THERE;
}

bool elf_names_are_whole(const struct elf_names *names)
{
	return false;
}

const uint8_t *elf_names_build_id(const struct elf_names *names, size_t *size)
{
	*size = 0;
	return NULL;
}

void elf_names_lie_as(struct elf_names *names, const struct elf_names *binary)
{
}

const char *elf_names_find(const struct elf_names *names, uint64_t base, uint64_t address)
{
	return NULL;
}

bool elf_names_chain(struct elf_names *names, uint64_t base, uint64_t address,
		     struct elf_frame frames[ELF_CHAIN_MAX], size_t *count)
{
	*count = 0;
	return true;
}

void elf_frame_line(const struct elf_frame *frame, char *text)
{
	text[0] = '\0';
}

void elf_names_line(struct elf_names *names, uint64_t base, uint64_t address, char *text)
{
	text[0] = '\0';
}

void elf_names_close(struct elf_names *names)
{
}

const char *demangle(struct demangler *demangler, const char *name)
{
	return name;
}

void demangler_release(struct demangler *demangler)
{
}

#endif

/* ---- libexpat ------------------------------------------------------------------------------------------------ */

#if !HAS_XML

WITHOUT_FORMAT(xml_format,
	       "is a trace in XML, and this histree was built without libexpat; build it with that (Debian: "
	       "libexpat1-dev)",
	       .name = XML_NAME, .begins = xml_begins);

enum histree_status xml_definitions_read(const char *path, const char *bytes, size_t size,
					 struct definitions *definitions, struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_ARGUMENT,
			 "'%s': this histree was built without libexpat, and does not read XML: install "
			 "libexpat1-dev and build it again",
			 path);
}

#endif

/* ---- zlib ---------------------------------------------------------------------------------------------------- */

#if !HAS_ZLIB

bool zlib_unpack(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size)
{
	return false;
}

bool zlib_is_there(void)
{
	return false;
}

enum histree_status gunzip_create(struct gunzip **out, struct histree_error *error)
{
	*out = NULL;
	return error_set(error, HISTREE_ERR_TRACE,
			 "it is compressed by gzip, and this histree was built without zlib; unpack it with "
			 "gunzip(1), or build histree with zlib (Debian: zlib1g-dev)");
}

size_t gunzip_read(struct gunzip *gunzip, const uint8_t *bytes, size_t size, size_t *used, uint8_t *room,
		   size_t room_size)
{
	return SIZE_MAX;
}

bool gunzip_is_whole(const struct gunzip *gunzip)
{
	return true;
}

bool gunzip_is_over(const struct gunzip *gunzip)
{
	return false;
}

void gunzip_free(struct gunzip *gunzip)
{
}

#endif

/* ---- libzstd ------------------------------------------------------------------------------------------------- */

#if !HAS_ZSTD

const bool zstd_is_there = false;

struct zstd_packer *zstd_packer_create(int level)
{
	return NULL;
}

size_t zstd_pack_bound(size_t size)
{
	return size;
}

size_t zstd_pack(struct zstd_packer *packer, const void *bytes, size_t size, void *out, size_t room)
{
	return 0;
}

void zstd_packer_free(struct zstd_packer *packer)
{
}

bool zstd_unpack(const uint8_t *bytes, size_t size, uint8_t *room, size_t room_size)
{
	return false;
}

struct zstd_stream *zstd_stream_create(void)
{
	return NULL;
}

size_t zstd_stream_unpack(struct zstd_stream *stream, const uint8_t *bytes, size_t size, size_t *used,
			  uint8_t *room, size_t room_size)
{
	return SIZE_MAX;
}

void zstd_stream_free(struct zstd_stream *stream)
{
}

#endif
