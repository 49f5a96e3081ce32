// SPDX-License-Identifier: MIT
/*
 * elf_names.c - reads the functions of a binary with libdw: symbols, the build id that says whether it is the
 * right file, and lines and inlined calls where there is debugging information.
 */
#include "symbols/elf_names.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/inline_table.h"

static const off_t FILE_SIZE_MAX = (off_t)4 << 30;
enum { SYMBOL_SECTIONS_MAX = 8, SEGMENTS_MAX = 16 };

struct elf_names {
	int file;
	Elf *elf;
	Dwarf *dwarf;                 /* NULL: it has no debugging information */
	struct inline_table *inlined; /* NULL: not asked for yet */
	bool is_relocated, is_whole;
	uint64_t first; /* address of the first segment in the file */
	struct elf_segment {
		uint64_t offset, size, address; /* in the file; by itself */
	} segments[SEGMENTS_MAX];               /* those with code */
	size_t segment_count;
	struct name_table table;
};

struct lib_dw lib_dw;
struct lib_elf lib_elf;

static struct library dw =
	LIBRARY("libdw.so.1", "lines of functions need libdw (Debian: libdw1)", DW_FUNCTIONS, lib_dw);
static struct library elf =
	LIBRARY("libelf.so.1", "names of functions need libelf (Debian: libelf1)", ELF_FUNCTIONS, lib_elf);

bool elf_names_can_read(void)
{
	return library_load(&elf, NULL) == HISTREE_OK && library_load(&dw, NULL) == HISTREE_OK &&
	       lib_elf.version(EV_CURRENT) != EV_NONE;
}

/* ---- symbols ------------------------------------------------------------------------------------------------ */

static bool add_symbol(struct elf_names *names, const GElf_Sym *symbol, const char *name)
{
	const unsigned type = GELF_ST_TYPE(symbol->st_info), binding = GELF_ST_BIND(symbol->st_info);
	const bool is_code = type == STT_FUNC || type == STT_GNU_IFUNC;
	if (!is_code || symbol->st_shndx == SHN_UNDEF || name == NULL)
		return true;
	const struct named_range range = {
		.start = symbol->st_value,
		.size = symbol->st_size,
		.name = name,
		.rank = binding == STB_GLOBAL ? 0
			: binding == STB_WEAK ? 1
					      : 2,
	};
	return name_table_add(&names->table, range, strnlen(name, NAME_SIZE_MAX + 1));
}

static bool add_section(struct elf_names *names, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = lib_elf.getdata(section, NULL);
	const size_t count = data != NULL && header->sh_entsize > 0 ? data->d_size / header->sh_entsize : 0;
	GElf_Sym symbol;
	for (size_t i = 0; i < count && i < NAME_TABLE_NAMES_MAX; i++)
		if (lib_elf.getsym(data, (int)i, &symbol) != NULL &&
		    !add_symbol(names, &symbol, lib_elf.strptr(names->elf, header->sh_link, symbol.st_name)))
			return false;
	return true;
}

/* The table of all symbols, or else that of those that others link with. */
static bool add_symbols(struct elf_names *names)
{
	static const GElf_Word types[] = { SHT_SYMTAB, SHT_DYNSYM };
	for (size_t type = 0; type < sizeof(types) / sizeof(*types) && names->table.count == 0; type++) {
		Elf_Scn *section = NULL;
		GElf_Shdr header;
		names->is_whole = types[type] == SHT_SYMTAB;
		for (int sections = 0; (section = lib_elf.nextscn(names->elf, section)) != NULL;) {
			if (lib_elf.getshdr(section, &header) == NULL || header.sh_type != types[type])
				continue;
			if (sections++ == SYMBOL_SECTIONS_MAX)
				break;
			if (!add_section(names, section, &header))
				return false;
		}
	}
	name_table_sort(&names->table);
	return true;
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

const uint8_t *elf_names_build_id(const struct elf_names *names, size_t *size)
{
	const void *own = NULL;
	ssize_t own_size = lib_dw.elf_gnu_build_id(names->elf, &own);
	*size = own_size > 0 ? (size_t)own_size : 0;
	return own_size > 0 ? own : NULL;
}

static bool has_build_id(const struct elf_names *names, const uint8_t *build_id, size_t size)
{
	size_t own_size;
	const uint8_t *own = elf_names_build_id(names, &own_size);
	return own != NULL && own_size == size && memcmp(own, build_id, size) == 0;
}

/* Finds the addresses that the file has by itself, before it is mapped elsewhere, and its code. */
static void find_segments(struct elf_names *names)
{
	GElf_Ehdr header;
	GElf_Phdr segment;
	size_t count = 0;
	bool has_first = false;
	names->is_relocated = lib_elf.getehdr(names->elf, &header) != NULL && header.e_type == ET_DYN;
	if (lib_elf.getphdrnum(names->elf, &count) != 0)
		return;
	for (size_t i = 0; i < count && i < 4096; i++) {
		if (lib_elf.getphdr(names->elf, (int)i, &segment) == NULL || segment.p_type != PT_LOAD)
			continue;
		if (!has_first)
			names->first = segment.p_vaddr - segment.p_offset;
		has_first = true;
		if ((segment.p_flags & PF_X) != 0 && names->segment_count < SEGMENTS_MAX)
			names->segments[names->segment_count++] = (struct elf_segment){
				.offset = segment.p_offset, .size = segment.p_filesz, .address = segment.p_vaddr
			};
	}
}

static enum elf_answer read_file(struct elf_names *names, const char *path, const uint8_t *build_id,
				 size_t build_id_size)
{
	struct stat status;
	/* To open a device or a pipe may do something already: it is looked at first. */
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return ELF_NOT_THERE;
	names->file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (names->file < 0 || fstat(names->file, &status) != 0 || !S_ISREG(status.st_mode))
		return ELF_NOT_THERE;
	if (!elf_names_can_read() || status.st_size > FILE_SIZE_MAX)
		return ELF_NOT_ELF;
	names->elf = lib_elf.begin(names->file, ELF_C_READ, NULL);
	if (names->elf == NULL || lib_elf.kind(names->elf) != ELF_K_ELF)
		return ELF_NOT_ELF;
	if (build_id_size > 0 && !has_build_id(names, build_id, build_id_size))
		return ELF_OTHER_BUILD;
	find_segments(names);
	if (!add_symbols(names))
		return ELF_NO_MEMORY;
	names->dwarf = lib_dw.begin_elf(names->elf, DWARF_C_READ, NULL);
	return ELF_OPENED;
}

enum elf_answer elf_names_open(const char *path, const uint8_t *build_id, size_t build_id_size,
			       struct elf_names **out)
{
	*out = NULL;
	struct elf_names *names = calloc(1, sizeof(*names));
	if (names == NULL)
		return ELF_NO_MEMORY;
	enum elf_answer answer = read_file(names, path, build_id, build_id_size);
	if (answer == ELF_OPENED)
		*out = names;
	else
		elf_names_close(names);
	return answer;
}

bool elf_names_are_whole(const struct elf_names *names)
{
	return names->is_whole;
}

void elf_names_lie_as(struct elf_names *names, const struct elf_names *binary)
{
	memcpy(names->segments, binary->segments, sizeof(names->segments));
	names->segment_count = binary->segment_count;
}

static uint64_t in_file(const struct elf_names *names, uint64_t base, uint64_t address)
{
	for (size_t i = 0; base == ELF_BASE_OF_OFFSETS && i < names->segment_count; i++)
		if (address - names->segments[i].offset < names->segments[i].size)
			return address - names->segments[i].offset + names->segments[i].address;
	if (base == ELF_BASE_OF_OFFSETS)
		return address + names->first;
	return names->is_relocated ? address - base + names->first : address;
}

const char *elf_names_find(const struct elf_names *names, uint64_t base, uint64_t address)
{
	const struct named_range *range = name_table_find(&names->table, in_file(names, base, address));
	return range != NULL ? range->name : NULL;
}

/* Returns false where the file says nothing of lines, or when memory is out. */
static bool has_inlined(struct elf_names *names)
{
	if (names->inlined == NULL && names->dwarf != NULL)
		names->inlined = inline_table_create(names->dwarf);
	return names->inlined != NULL;
}

static struct elf_frame find_line(struct elf_names *names, uint64_t at)
{
	return has_inlined(names) ? inline_table_line(names->inlined, at) : (struct elf_frame){ .name = NULL };
}

bool elf_names_chain(struct elf_names *names, uint64_t base, uint64_t address,
		     struct elf_frame frames[ELF_CHAIN_MAX], size_t *count)
{
	const uint64_t at = in_file(names, base, address);
	const char *name = elf_names_find(names, base, address);
	*count = 0;
	if (names->dwarf != NULL && !has_inlined(names))
		return false;
	if (names->inlined != NULL && !inline_table_chain(names->inlined, at, frames, count))
		return false;
	if (*count == 0)
		frames[0] = find_line(names, at);
	if (name != NULL) {
		frames[0].name = name;
		*count += *count == 0;
	}
	return true;
}

void elf_frame_line(const struct elf_frame *frame, char *text)
{
	const char *slash = frame->path != NULL ? strrchr(frame->path, '/') : NULL;
	const char *name = slash != NULL ? slash + 1 : frame->path;
	text[0] = '\0';
	if (name != NULL && frame->line > 0)
		snprintf(text, ELF_LINE_SIZE, "%.200s:%d", name, frame->line);
	else if (name != NULL)
		snprintf(text, ELF_LINE_SIZE, "%.200s:?", name);
}

void elf_names_line(struct elf_names *names, uint64_t base, uint64_t address, char *text)
{
	const struct elf_frame frame = find_line(names, in_file(names, base, address));
	elf_frame_line(&frame, text);
}

void elf_names_close(struct elf_names *names)
{
	if (names == NULL)
		return;
	inline_table_free(names->inlined);
	if (names->dwarf != NULL)
		lib_dw.end(names->dwarf);
	if (names->elf != NULL)
		lib_elf.end(names->elf);
	if (names->file >= 0)
		close(names->file);
	name_table_release(&names->table);
	free(names);
}
