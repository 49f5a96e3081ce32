// SPDX-License-Identifier: MIT
/*
 * frame_names.c - the functions at an address of a binary, looked up once for each.
 */
#include "analysis/samples/frame_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/error.h"

/* Limits: paths of Linux; longer build ids match no file. */
enum { PATH_SIZE_MAX = 4095, BUILD_ID_MAX = 64, NAME_TEXT_MAX = 1000 };

/* ---- frames ------------------------------------------------------------------------------------------------- */

/* Returns INTERN_NONE when memory is out. */
static uint32_t frame_of(struct frame_names *names, const char *name, const char *line, const char *binary)
{
	const uint32_t key[3] = {
		intern_add(&names->texts, name, strnlen(name, NAME_TEXT_MAX)),
		intern_add(&names->texts, line, strlen(line)),
		intern_add(&names->texts, binary, strlen(binary)),
	};
	if (key[0] == INTERN_NONE || key[1] == INTERN_NONE || key[2] == INTERN_NONE)
		return INTERN_NONE;
	return intern_add(&names->frames, key, sizeof(key));
}

uint32_t frame_names_named(struct frame_names *names, const struct event_frame *frame)
{
	const char *name = *frame->function != '\0' ? frame->function : "[unknown]";
	return frame_of(names, name, frame->line, frame->binary);
}

struct frame_text frame_names_text(const struct frame_names *names, uint32_t frame)
{
	size_t size;
	uint32_t key[3];
	memcpy(key, intern_get(&names->frames, frame, &size), sizeof(key));
	return (struct frame_text){ .name = intern_get(&names->texts, key[0], &size),
				    .line = intern_get(&names->texts, key[1], &size),
				    .binary = intern_get(&names->texts, key[2], &size) };
}

bool frame_names_is_unnamed(const struct frame_names *names, uint32_t frame)
{
	return frame_names_text(names, frame).name[0] == '[';
}

/* ---- binaries ----------------------------------------------------------------------------------------------- */

/* "[libc.so.6]" of a path; what is in brackets already stays so. */
static bool add_unnamed(struct frame_names *names, uint32_t binary, const char *path)
{
	char text[PATH_SIZE_MAX + 3];
	const char *slash = strrchr(path, '/');
	const char *last = slash != NULL && slash[1] != '\0' ? slash + 1 : path;
	snprintf(text, sizeof(text), *path == '[' ? "%s" : "[%s]", *path == '[' ? path : last);
	if (!array_reserve(&names->unnamed, &names->unnamed_capacity, (size_t)binary + 1))
		return false;
	names->unnamed[binary] = frame_of(names, text, "", path);
	return names->unnamed[binary] != INTERN_NONE;
}

uint32_t frame_names_binary(struct frame_names *names, const char *path, size_t path_size, const uint8_t *build_id,
			    size_t build_id_size)
{
	char key[PATH_SIZE_MAX + 1 + BUILD_ID_MAX];
	if (path_size > PATH_SIZE_MAX)
		return BINARY_UNKNOWN;
	if (build_id_size > BUILD_ID_MAX)
		build_id_size = 0;
	memcpy(key, path, path_size);
	key[path_size] = '\0';
	if (build_id_size > 0)
		memcpy(key + path_size + 1, build_id, build_id_size);
	uint32_t count = names->binaries.count;
	uint32_t binary = intern_add(&names->binaries, key, path_size + 1 + build_id_size);
	if (binary == count && !add_unnamed(names, binary, key))
		return INTERN_NONE;
	return binary;
}

enum histree_status frame_names_open(struct frame_names *names, const struct symbol_places *places,
				     struct table_space *space, struct histree_error *error)
{
	static const char *const own[BINARY_OWN_COUNT] = { "[unknown]", "[kernel]", "[hypervisor]", "[guest]" };
	names->has_binaries = places->count > 0 || (!places->no_binaries && elf_names_can_read());
	names->is_open = true;
	intern_use_space(&names->texts, space);
	intern_use_space(&names->frames, space);
	intern_use_space(&names->places, space);
	intern_use_space(&names->binaries, space);
	names->found_table.space = names->list_table.space = space;
	for (uint32_t i = 0; i < BINARY_OWN_COUNT; i++)
		if (frame_names_binary(names, own[i], strlen(own[i]), NULL, 0) != i)
			return error_memory(error, "names of functions");
	return symbol_source_open(&names->source, places, error);
}

/* ---- places ------------------------------------------------------------------------------------------------- */

/* What is found is added to the list. */
struct finding {
	struct frame_names *names;
	const char *binary;
	bool is_out_of_memory;
};

static bool put(struct frame_names *names, uint32_t frame)
{
	if (frame == INTERN_NONE || names->list_count >= UINT32_MAX ||
	    !table_reserve(&names->list_table, &names->list, &names->list_capacity, names->list_count + 1))
		return false;
	names->list[names->list_count++] = frame;
	return true;
}

static void add_frame(void *context, const char *name, const char *line, bool is_inlined)
{
	struct finding *finding = context;
	(void)is_inlined;
	if (!finding->is_out_of_memory &&
	    !put(finding->names, frame_of(finding->names, name, line, finding->binary)))
		finding->is_out_of_memory = true;
}

/* Memory without a file has a path, too. */
static bool is_file(const char *path)
{
	return path[0] == '/' && path[1] != '/' && strncmp(path, "/memfd:", 7) != 0 &&
	       strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/SYSV", 5) != 0;
}

static bool find_in_file(struct frame_names *names, uint32_t binary, uint64_t offset)
{
	size_t size;
	const char *key = intern_get(&names->binaries, binary, &size);
	const size_t path_size = strlen(key);
	struct finding finding = { .names = names, .binary = key };
	const struct symbol_module module = { .path = key,
					      .base = ELF_BASE_OF_OFFSETS,
					      .build_id = (const uint8_t *)key + path_size + 1,
					      .build_id_size = size - path_size - 1 };
	if (!names->has_binaries || !is_file(key))
		return true;
	enum symbol_answer answer = symbol_source_chain(&names->source, &module, offset, add_frame, &finding);
	if ((answer == SYMBOL_NO_FILE || answer == SYMBOL_OTHER_BUILD) && names->missing_path == NULL) {
		names->missing_path = key;
		names->is_other_build = answer == SYMBOL_OTHER_BUILD;
	}
	names->named += answer == SYMBOL_FOUND;
	names->not_named += answer != SYMBOL_FOUND;
	return answer != SYMBOL_NO_MEMORY && !finding.is_out_of_memory;
}

static bool find_in_kernel(struct frame_names *names, uint64_t address)
{
	const char *name = symbol_source_near_in_tables(&names->source, address);
	return name == NULL || put(names, frame_of(names, name, "", "[kernel]"));
}

static bool find_place(struct frame_names *names, uint32_t binary, uint64_t offset, struct frame_place *place)
{
	place->first = (uint32_t)names->list_count;
	bool is_done = binary >= BINARY_OWN_COUNT ? find_in_file(names, binary, offset)
		       : binary == BINARY_KERNEL  ? find_in_kernel(names, offset)
						  : true;
	if (is_done && names->list_count == place->first)
		is_done = put(names, names->unnamed[binary]);
	place->count = (uint32_t)names->list_count - place->first;
	return is_done;
}

bool frame_names_find(struct frame_names *names, uint32_t binary, uint64_t offset, const uint32_t **frames,
		      size_t *count)
{
	struct {
		uint64_t offset;
		uint64_t binary;
	} key = { .offset = offset, .binary = binary };
	const bool has_one =
		binary < BINARY_OWN_COUNT && (binary != BINARY_KERNEL || names->source.table.count == 0);
	*frames = &names->unnamed[binary];
	*count = 1;
	if (has_one)
		return true;
	uint32_t known = names->places.count, number = intern_add(&names->places, &key, sizeof(key));
	if (number == INTERN_NONE)
		return false;
	if (number == known &&
	    (!table_reserve(&names->found_table, &names->found, &names->found_capacity, (size_t)number + 1) ||
	     !find_place(names, binary, offset, &names->found[number])))
		return false;
	*frames = names->list + names->found[number].first;
	*count = names->found[number].count;
	return true;
}

void frame_names_missing(const struct frame_names *names, char *text, size_t size)
{
	*text = '\0';
	if (names->missing_path != NULL)
		snprintf(text, size,
			 "%" PRIu64 " of %" PRIu64
			 " addresses have the name of their binary only: here is %s '%.200s'; say where it is with "
			 "'--symbols FOLDER', a root with the binaries of the machine that was traced, or their "
			 "files "
			 "of debugging information",
			 names->not_named, names->named + names->not_named,
			 names->is_other_build ? "another build of" : "no", names->missing_path);
}

void frame_names_release(struct frame_names *names)
{
	if (names->is_open)
		symbol_source_release(&names->source);
	intern_release(&names->texts);
	intern_release(&names->frames);
	intern_release(&names->binaries);
	intern_release(&names->places);
	free(names->unnamed);
	table_release(&names->found_table, names->found);
	table_release(&names->list_table, names->list);
	*names = (struct frame_names){ 0 };
}
