// SPDX-License-Identifier: MIT
/*
 * symbol_source.c - the sources of names of functions: tables first, then binaries and files with debugging
 * information; those with another build id are not used.
 */
#include "symbols/symbol_source.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/table.h"

/* Limits of a table of text; longer build ids match no file. */
enum { TABLE_SIZE_MAX = 256 << 20, TABLE_READ_SIZE = 1 << 20, BUILD_ID_MAX = 64 };

struct symbol_file {
	struct elf_names *names; /* NULL: no names, for this reason */
	enum symbol_answer why;
};

/* ---- tables ------------------------------------------------------------------------------------------------- */

/* Files of the kernel, such as /proc/kallsyms, do not say how long they are. */
static enum histree_status read_text(const char *path, char **text, size_t *size, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	size_t capacity = 0, got;
	FILE *file = fopen(path, "rbe");
	if (file == NULL)
		return error_set(error, HISTREE_ERR_IO, "'%s': cannot be read: %s", path, strerror(errno));
	do {
		if (!array_reserve(text, &capacity, *size + TABLE_READ_SIZE)) {
			status = error_memory(error, "a table of symbols");
			goto out;
		}
		got = fread(*text + *size, 1, TABLE_READ_SIZE, file);
		*size += got;
	} while (got > 0 && *size <= TABLE_SIZE_MAX);
	if (ferror(file))
		status = error_set(error, HISTREE_ERR_IO, "'%s': cannot be read: %s", path, strerror(errno));
out:
	fclose(file);
	return status;
}

static enum histree_status add_place(struct symbol_source *source, const char **folders, const char *path,
				     struct histree_error *error)
{
	struct stat status;
	if (stat(path, &status) != 0)
		return error_set(error, HISTREE_ERR_IO, "symbols: '%s': %s", path, strerror(errno));
	if (S_ISDIR(status.st_mode)) {
		folders[source->folder_count++] = path;
		return HISTREE_OK;
	}
	if (!S_ISREG(status.st_mode) || status.st_size > TABLE_SIZE_MAX)
		return error_set(error, HISTREE_ERR_FORMAT,
				 "symbols: '%s' is neither a folder nor a file of at most 256 MiB", path);
	char *text = NULL;
	size_t size = 0;
	enum histree_status outcome = read_text(path, &text, &size, error);
	if (outcome == HISTREE_OK && !name_table_read(&source->table, text, size))
		outcome = error_memory(error, "a table of symbols");
	else if (outcome == HISTREE_OK && source->table.count == 0)
		outcome = error_set(
			error, HISTREE_ERR_FORMAT,
			"'%s' is neither a folder nor a table of symbols, lines such as '401136 T main' as nm "
			"prints them",
			path);
	free(text);
	return outcome;
}

/* ---- a table beside a trace --------------------------------------------------------------------------------- */

static bool is_called_as_table(const char *name)
{
	static const char *const endings[] = { ".txt", ".map", ".nm" };
	const char *dot = strrchr(name, '.');
	for (size_t i = 0; dot != NULL && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (strcmp(dot, endings[i]) == 0)
			return true;
	return false;
}

/* By its first lines, however long it is. */
static bool is_table(const char *path)
{
	enum { LOOK_SIZE = 64 << 10 };
	struct stat status;
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > TABLE_SIZE_MAX)
		return false;
	FILE *file = fopen(path, "rbe");
	char *text = file != NULL ? malloc(LOOK_SIZE) : NULL;
	const bool is_of_nm = text != NULL && name_table_is_of_nm(text, fread(text, 1, LOOK_SIZE, file));
	free(text);
	if (file != NULL)
		fclose(file);
	return is_of_nm;
}

/* Counts the tables of a folder; the first of all is kept in *out. */
static unsigned count_tables(const char *folder, char **out)
{
	unsigned count = 0;
	DIR *entries = opendir(folder);
	for (const struct dirent *entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
		char *path = NULL;
		if (!is_called_as_table(entry->d_name) || asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
			continue;
		const bool is_one = is_table(path);
		count += is_one;
		if (is_one && *out == NULL)
			*out = path;
		else
			free(path);
	}
	if (entries != NULL)
		closedir(entries);
	return count;
}

char *symbol_table_beside(const char *trace)
{
	char *table = NULL, *above = NULL, *whole = realpath(trace, NULL);
	struct stat status;
	if (whole == NULL || stat(whole, &status) != 0 || !S_ISDIR(status.st_mode)) {
		free(whole);
		return NULL;
	}
	above = strdup(whole);
	unsigned count = count_tables(whole, &table);
	if (above != NULL && count == 0) {
		*strrchr(above, '/') = '\0';
		count = count_tables(*above != '\0' ? above : "/", &table);
	}
	free(above);
	free(whole);
	if (count == 1)
		return table;
	free(table);
	return NULL;
}

/* ---- the source --------------------------------------------------------------------------------------------- */

enum histree_status symbol_source_open(struct symbol_source *source, const struct symbol_places *places,
				       struct histree_error *error)
{
	*source = (struct symbol_source){ .no_binaries = places->no_binaries };
	const char **folders = calloc(places->count + 1, sizeof(*folders));
	if (folders == NULL)
		return error_memory(error, "the places of symbols");
	source->folders = folders;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < places->count && status == HISTREE_OK; i++)
		status = add_place(source, folders, places->paths[i], error);
	name_table_sort(&source->table);
	return status;
}

const char *symbol_source_in_tables(struct symbol_source *source, uint64_t address)
{
	const struct named_range *range = name_table_find(&source->table, address);
	return range != NULL ? demangle(&source->demangler, range->name) : NULL;
}

const char *symbol_source_near_in_tables(struct symbol_source *source, uint64_t address)
{
	const struct named_range *range = name_table_near(&source->table, address);
	/* A kernel has the upper half. */
	return range != NULL && range->start >> 63 == address >> 63 ? demangle(&source->demangler, range->name)
								    : NULL;
}

/* ---- binaries ----------------------------------------------------------------------------------------------- */

/* Where a binary, or its debugging information, may be: in a folder, which is "" for this machine. */
enum candidate { AS_IT_WAS, DEBUG_IN_USR, DEBUG, BY_NAME, CANDIDATE_COUNT };

/*
 * Write FOLDER/PATH of a path from the root of another machine, whose steps up are taken by themselves: a loader
 * says /opt/tool/bin/../lib/libtool.so, and above the root is nothing, so that no trace leads out of the folder.
 * Returns its length, or -1.
 */
static int write_within(char *path, size_t size, const char *folder, const char *of)
{
	const size_t folder_size = strlen(folder);
	size_t used = folder_size;
	if (*of != '/' || used >= size)
		return -1;
	memcpy(path, folder, used);
	while (*(of += strspn(of, "/")) != '\0') {
		const size_t part = strcspn(of, "/");
		if (part == 2 && memcmp(of, "..", 2) == 0) {
			while (used > folder_size && path[--used] != '/')
				;
		} else if (part != 1 || *of != '.') {
			if (part + 1 >= size - used)
				return -1;
			path[used++] = '/';
			memcpy(path + used, of, part);
			used += part;
		}
		of += part;
	}
	path[used] = '\0';
	return (int)used;
}

/* Returns false if there is no such candidate. */
static bool write_candidate(char *path, size_t size, const char *folder, enum candidate candidate,
			    const struct symbol_module *module)
{
	char id[2 * BUILD_ID_MAX + 1] = "";
	const bool needs_id = candidate == DEBUG || candidate == DEBUG_IN_USR;
	const char *slash = strrchr(module->path, '/');
	if (needs_id && (module->build_id_size < 2 || module->build_id_size > BUILD_ID_MAX))
		return false;
	for (size_t i = 0; needs_id && i < module->build_id_size; i++)
		snprintf(id + 2 * i, 3, "%02x", module->build_id[i]);
	int length = -1;
	switch (candidate) {
	case AS_IT_WAS:
		length = *folder != '\0'          ? write_within(path, size, folder, module->path)
			 : module->path[0] == '/' ? snprintf(path, size, "%s", module->path)
						  : -1;
		break;
	case DEBUG_IN_USR:
		length = snprintf(path, size, "%s/usr/lib/debug/.build-id/%.2s/%s.debug", folder, id, id + 2);
		break;
	case DEBUG:
		length = *folder != '\0' ? snprintf(path, size, "%s/.build-id/%.2s/%s.debug", folder, id, id + 2)
					 : -1;
		break;
	case BY_NAME:
		length = *folder != '\0' && slash != NULL ? write_within(path, size, folder, slash) : -1;
		break;
	case CANDIDATE_COUNT:
		break;
	}
	return length > 0 && (size_t)length < size;
}

/* Takes a candidate if it says more than what is there. */
static void try_candidate(struct symbol_file *file, const char *path, const struct symbol_module *module)
{
	struct elf_names *names;
	enum elf_answer answer = elf_names_open(path, module->build_id, module->build_id_size, &names);
	if (answer == ELF_NO_MEMORY)
		file->why = SYMBOL_NO_MEMORY;
	else if (answer == ELF_OTHER_BUILD && file->why == SYMBOL_NO_FILE)
		file->why = SYMBOL_OTHER_BUILD;
	if (answer != ELF_OPENED)
		return;
	if (file->names == NULL || elf_names_are_whole(names)) {
		if (file->names != NULL)
			elf_names_lie_as(names, file->names);
		elf_names_close(file->names);
		file->names = names;
	} else {
		elf_names_close(names);
	}
}

static bool is_whole(const struct symbol_file *file)
{
	return file->why == SYMBOL_NO_MEMORY || (file->names != NULL && elf_names_are_whole(file->names));
}

/* Where the trace does not say which build it was, the binary that is there does, and names its other files so. */
static void learn_build_id(const struct symbol_file *file, struct symbol_module *module, uint8_t room[BUILD_ID_MAX])
{
	size_t size;
	if (module->build_id_size > 0 || file->names == NULL)
		return;
	const uint8_t *own = elf_names_build_id(file->names, &size);
	if (own == NULL || size > BUILD_ID_MAX)
		return;
	memcpy(room, own, size); /* that file may make way for a better one */
	module->build_id = room;
	module->build_id_size = size;
}

static struct symbol_file open_module(const struct symbol_source *source, const struct symbol_module *of)
{
	struct symbol_module module = *of;
	uint8_t build_id[BUILD_ID_MAX];
	struct symbol_file file = { .why = SYMBOL_NO_FILE };
	char path[4096];
	for (size_t i = 0; i <= source->folder_count && !is_whole(&file); i++) {
		const bool is_here = i == source->folder_count;
		if (is_here && (source->no_binaries || source->folder_count > 0))
			break; /* folders stand for another machine */
		for (enum candidate each = 0; each < CANDIDATE_COUNT && !is_whole(&file); each++)
			if (write_candidate(path, sizeof(path), is_here ? "" : source->folders[i], each, &module)) {
				try_candidate(&file, path, &module);
				learn_build_id(&file, &module, build_id);
			}
	}
	return file;
}

/* Returns NULL when memory runs out. */
static struct symbol_file *file_of(struct symbol_source *source, const struct symbol_module *module)
{
	char key[4096 + 1 + BUILD_ID_MAX];
	size_t path_size = strnlen(module->path, 4096), id_size = module->build_id_size;
	memcpy(key, module->path, path_size);
	key[path_size] = '\0';
	id_size = id_size > BUILD_ID_MAX ? BUILD_ID_MAX : id_size;
	if (id_size > 0)
		memcpy(key + path_size + 1, module->build_id, id_size);
	if (!array_reserve(&source->files, &source->file_capacity, source->file_count + 1))
		return NULL;
	const uint32_t number = intern_add(&source->keys, key, path_size + 1 + id_size);
	if (number == INTERN_NONE)
		return NULL;
	if (number == source->file_count)
		source->files[source->file_count++] = open_module(source, module);
	return &source->files[number];
}

enum symbol_answer symbol_source_find(struct symbol_source *source, const struct symbol_module *module,
				      uint64_t address, const char **name, char *line)
{
	*name = NULL;
	line[0] = '\0';
	const struct symbol_file *file = file_of(source, module);
	if (file == NULL)
		return SYMBOL_NO_MEMORY;
	if (file->names == NULL)
		return file->why;
	*name = elf_names_find(file->names, module->base, address);
	if (*name == NULL)
		return SYMBOL_NONE;
	*name = demangle(&source->demangler, *name);
	elf_names_line(file->names, module->base, address, line);
	return SYMBOL_FOUND;
}

enum symbol_answer symbol_source_chain(struct symbol_source *source, const struct symbol_module *module,
				       uint64_t address, symbol_visitor *visit, void *context)
{
	struct elf_frame frames[ELF_CHAIN_MAX];
	size_t count;
	char line[ELF_LINE_SIZE];
	const struct symbol_file *file = file_of(source, module);
	if (file == NULL)
		return SYMBOL_NO_MEMORY;
	if (file->names == NULL)
		return file->why;
	if (!elf_names_chain(file->names, module->base, address, frames, &count))
		return SYMBOL_NO_MEMORY;
	for (size_t i = 0; i < count; i++) {
		elf_frame_line(&frames[i], line);
		visit(context, frames[i].name != NULL ? demangle(&source->demangler, frames[i].name) : "?", line,
		      i > 0);
	}
	return count > 0 ? SYMBOL_FOUND : SYMBOL_NONE;
}

void symbol_source_release(struct symbol_source *source)
{
	for (size_t i = 0; i < source->file_count; i++)
		elf_names_close(source->files[i].names);
	free(source->files);
	free((void *)(uintptr_t)source->folders);
	intern_release(&source->keys);
	name_table_release(&source->table);
	demangler_release(&source->demangler);
	*source = (struct symbol_source){ 0 };
}
