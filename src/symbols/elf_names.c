// SPDX-License-Identifier: MIT
/*
 * elf_names.c - the functions of a binary: symbols, the build id that identifies it, and inlined calls by address
 * from DWARF.
 *
 * Nested ranges become pieces without overlap, each with the deepest range that covers it, so that a look-up is one
 * binary search.
 *
 * Units of DWARF are read when an address in them is first looked up.
 */
#include "symbols/elf_names.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/library.h"
#include "base/search.h"
#include "base/table.h"
#include "symbols/name_table.h"

/* clang-format off */
#define DW_FUNCTIONS(F) \
	F(dwarf_, attr) F(dwarf_, attr_integrate) F(dwarf_, begin_elf) F(dwarf_, child) \
	F(dwarf_, dieoffset) F(dwarf_, end) F(dwarf_, filesrc) F(dwarf_, formstring) \
	F(dwarf_, formudata) F(dwarf_, get_units) F(dwarf_, getalt) F(dwarf_, getelf) \
	F(dwarf_, getsrc_die) F(dwarf_, getsrcfiles) F(dwarf_, lineno) F(dwarf_, linesrc) \
	F(dwarf_, offdie) F(dwarf_, ranges) F(dwarf_, siblingof) F(dwarf_, tag) F(dwarf_, whatform) \
	F(dwelf_, elf_gnu_build_id)

#define ELF_FUNCTIONS(F) \
	F(elf_, begin) F(elf_, end) F(elf_, getdata) F(elf_, getphdrnum) F(elf_, getshdrstrndx) \
	F(elf_, kind) F(elf_, nextscn) F(elf_, strptr) F(elf_, version) F(gelf_, getehdr) \
	F(gelf_, getphdr) F(gelf_, getshdr) F(gelf_, getsym)
/* clang-format on */

/* Both loaded by elf_names_can_read(). */
static struct {
	DW_FUNCTIONS(LIBRARY_POINTER)
} lib_dw;
static struct {
	ELF_FUNCTIONS(LIBRARY_POINTER)
} lib_elf;

static void inline_table_free(struct inline_table *table);

/* ---- range cover --------------------------------------------------------------------------------------------- */

/* A walk over all places where ranges begin or end. */
struct sweep {
	const struct cover_range *ranges; /* by start */
	uint64_t *ends;                   /* ascending */
	uint32_t *open;                   /* a heap of ranges; some of them, but not the first, may have ended */
	size_t open_count;
};

COMPARE(by_start, struct cover_range, BY(start))

static int by_number(const void *one, const void *other)
{
	const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
	return a != b ? (a < b ? -1 : 1) : 0;
}

static bool goes_first(const struct sweep *sweep, uint32_t one, uint32_t other)
{
	const struct cover_range *a = &sweep->ranges[one], *b = &sweep->ranges[other];
	const uint64_t a_size = a->end - a->start, b_size = b->end - b->start;
	if (a->depth != b->depth)
		return a->depth > b->depth;
	return a_size != b_size ? a_size < b_size : a->item < b->item;
}

static bool add_piece(struct range_cover *cover, uint64_t start, uint32_t item)
{
	const uint32_t before = cover->count > 0 ? cover->pieces[cover->count - 1].item : COVER_NONE;
	if (item == before)
		return true;
	if (!array_reserve(&cover->pieces, &cover->capacity, cover->count + 1))
		return false;
	cover->pieces[cover->count++] = (struct cover_piece){ start, item };
	return true;
}

bool range_cover_make(struct range_cover *cover, struct cover_range *ranges, size_t count)
{
	bool is_made = true;
	/* Leaves out ranges that have nothing; returns how many are left. */
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		if (ranges[i].start < ranges[i].end)
			ranges[kept++] = ranges[i];
	count = kept;
	if (count == 0)
		return true;
	struct sweep sweep = { .ranges = ranges,
			       .ends = malloc(count * sizeof(*sweep.ends)),
			       .open = malloc(count * sizeof(*sweep.open)) };
	if (sweep.ends == NULL || sweep.open == NULL) {
		is_made = false;
		goto out;
	}
	qsort(ranges, count, sizeof(*ranges), by_start);
	for (size_t i = 0; i < count; i++)
		sweep.ends[i] = ranges[i].end;
	qsort(sweep.ends, count, sizeof(*sweep.ends), by_number);
	for (size_t begun = 0, ended = 0; is_made && ended < count;) {
		const bool begins = begun < count && ranges[begun].start < sweep.ends[ended];
		const uint64_t here = begins ? ranges[begun].start : sweep.ends[ended];
		while (begun < count && ranges[begun].start == here) {
			HEAP_PUSH(sweep.open, sweep.open_count, (uint32_t)begun, a, b, goes_first(&sweep, *a, *b));
			begun++;
		}
		while (ended < count && sweep.ends[ended] == here)
			ended++;
		while (sweep.open_count > 0 && ranges[sweep.open[0]].end <= here)
			HEAP_POP(sweep.open, sweep.open_count, a, b, goes_first(&sweep, *a, *b));
		is_made = add_piece(cover, here, sweep.open_count > 0 ? ranges[sweep.open[0]].item : COVER_NONE);
	}
out:
	free(sweep.ends);
	free(sweep.open);
	return is_made;
}

uint32_t range_cover_find(const struct range_cover *cover, uint64_t address)
{
	/* The first piece that begins above the address. */
	const size_t low = SEARCH(i, 0, cover->count, cover->pieces[i].start <= address);
	return low > 0 ? cover->pieces[low - 1].item : COVER_NONE;
}

void range_cover_release(struct range_cover *cover)
{
	free(cover->pieces);
	*cover = (struct range_cover){ .pieces = NULL };
}

/* ---- inline table -------------------------------------------------------------------------------------------- */

enum {
	UNITS_MAX = 1 << 20,
	RANGES_MAX = 4 << 20, /* of all units together, and of the functions of one */
	NODES_MAX = 2 << 20,  /* and pieces of covers, of all units that are kept */
};

/* What all walks pass: a walk that jumps over what it has been through passes it again. */
static const uint64_t WALKED_MAX = (uint64_t)16 << 30;

enum { TREES_MAX = 8 }; /* sections */

/* Linkers give functions that they left out these addresses. */
enum { LEFT_OUT_MAX = 1 };

#define NO_NODE UINT32_MAX
/* A function, or a call of one that was inlined. */
struct inline_node {
	Dwarf_Off die;
	uint32_t parent;               /* NO_NODE: it was not inlined */
	uint32_t call_file, call_line; /* in the parent; 0: not known */
	uint32_t depth;
};

struct inline_unit {
	Dwarf_Off die;
	bool is_walked;
	struct inline_node *nodes;
	size_t node_count, node_capacity;
	struct range_cover cover; /* by node */
};

struct inline_table {
	Dwarf *dwarf;
	struct inline_unit *units;
	size_t unit_count, unit_capacity;
	struct range_cover cover; /* by unit */
	size_t kept;              /* nodes and pieces */
	uint64_t walked;          /* bytes */
	/* Where trees lie, of this file and of one that it refers to. */
	const Elf_Data *trees[TREES_MAX];
	size_t tree_count;
};

/* Ranges that are being gathered. */
struct gathering {
	struct cover_range *ranges;
	size_t count, capacity;
};

/* ---- ranges ------------------------------------------------------------------------------------------------- */

/* Returns false when memory runs out; *has says whether there were any. */
static bool gather(struct gathering *gathering, Dwarf_Die *die, uint32_t depth, uint32_t item, bool *has)
{
	Dwarf_Addr base = 0, start, end;
	ptrdiff_t at = 0;
	*has = false;
	while (gathering->count < RANGES_MAX && (at = lib_dw.ranges(die, at, &base, &start, &end)) > 0) {
		if (start <= LEFT_OUT_MAX || start >= end)
			continue;
		if (!array_reserve(&gathering->ranges, &gathering->capacity, gathering->count + 1))
			return false;
		gathering->ranges[gathering->count++] =
			(struct cover_range){ .start = start, .end = end, .depth = depth, .item = item };
		*has = true;
	}
	return true;
}

static bool is_one_of(const char *name, const char *const names[4])
{
	for (size_t i = 0; name != NULL && i < 4; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Takes the trees of a file.  Returns false if its texts do not end: libdw 0.188 would read on. */
static bool find_sections(struct inline_table *table, Dwarf *dwarf)
{
	static const char *const trees[] = { ".debug_info", ".zdebug_info", ".debug_types", ".zdebug_types" };
	static const char *const texts[] = { ".debug_str", ".zdebug_str", ".debug_line_str", ".zdebug_line_str" };
	Elf *elf = dwarf != NULL ? lib_dw.getelf(dwarf) : NULL;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;
	if (elf == NULL || lib_elf.getshdrstrndx(elf, &names) != 0)
		return true;
	while ((section = lib_elf.nextscn(elf, section)) != NULL) {
		if (lib_elf.getshdr(section, &header) == NULL || header.sh_type == SHT_NOBITS)
			continue;
		const char *name = lib_elf.strptr(elf, names, header.sh_name);
		const bool is_tree = is_one_of(name, trees);
		if (!is_tree && !is_one_of(name, texts))
			continue;
		const Elf_Data *data = lib_elf.getdata(section, NULL);
		if (data == NULL || data->d_buf == NULL || data->d_size == 0)
			continue;
		if (!is_tree && ((const char *)data->d_buf)[data->d_size - 1] != '\0')
			return false;
		if (is_tree && table->tree_count < TREES_MAX)
			table->trees[table->tree_count++] = data;
	}
	return true;
}

/* Whether a text that stands in a tree itself ends there. */
static bool has_end(const struct inline_table *table, const char *text)
{
	for (size_t i = 0; i < table->tree_count; i++) {
		const Elf_Data *data = table->trees[i];
		const char *bytes = data->d_buf;
		if (text >= bytes && text < bytes + data->d_size)
			return memchr(text, '\0', data->d_size - (size_t)(text - bytes)) != NULL;
	}
	return false;
}

static bool add_unit(struct inline_table *table, struct gathering *gathering, Dwarf_Die *die)
{
	bool has;
	if (!gather(gathering, die, 0, (uint32_t)table->unit_count, &has))
		return false;
	if (!has)
		return true;
	if (!array_reserve(&table->units, &table->unit_capacity, table->unit_count + 1))
		return false;
	table->units[table->unit_count++] = (struct inline_unit){ .die = lib_dw.dieoffset(die) };
	return true;
}

/*
 * Makes the table of all units of a file that libdw has opened, which is borrowed.  Returns NULL when memory runs
 * out.
 */
static struct inline_table *inline_table_create(Dwarf *dwarf)
{
	struct gathering gathering = { .ranges = NULL };
	struct inline_table *table = calloc(1, sizeof(*table));
	if (table == NULL)
		return NULL;
	table->dwarf = dwarf;
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	bool is_made = true;
	if (!find_sections(table, dwarf) || !find_sections(table, lib_dw.getalt(dwarf)))
		return table; /* as if there were no units */
	while (is_made && table->unit_count < UNITS_MAX &&
	       lib_dw.get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
		is_made = add_unit(table, &gathering, &die);
	is_made = is_made && range_cover_make(&table->cover, gathering.ranges, gathering.count);
	free(gathering.ranges);
	if (is_made)
		return table;
	inline_table_free(table);
	return NULL;
}

/* ---- the tree of a unit ------------------------------------------------------------------------------------- */

struct walk {
	struct inline_table *table;
	struct inline_unit *unit;
	struct gathering gathering;
	Dwarf_Off last; /* where the walk is */
	size_t depth;
	struct level {
		Dwarf_Die die;
		uint32_t around; /* the function that it is in */
	} levels[ELF_CHAIN_MAX];
};

static uint32_t number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	return lib_dw.attr(die, name, &attribute) != NULL && lib_dw.formudata(&attribute, &number) == 0 &&
			       number <= INT32_MAX
		       ? (uint32_t)number
		       : 0;
}

/* Takes what the walk is at; *inside is the function that its parts are in.  Returns false when memory runs out. */
static bool walk_take(struct walk *walk, struct level *level, uint32_t *inside)
{
	struct inline_unit *unit = walk->unit;
	const int tag = lib_dw.tag(&level->die);
	const bool is_inlined = tag == DW_TAG_inlined_subroutine;
	const uint32_t number = (uint32_t)unit->node_count;
	*inside = level->around;
	if (!is_inlined && tag != DW_TAG_subprogram)
		return true;
	const uint32_t parent = is_inlined ? level->around : NO_NODE;
	const uint32_t depth = parent != NO_NODE ? unit->nodes[parent].depth + 1 : 0;
	bool has;
	if (!gather(&walk->gathering, &level->die, depth, number, &has))
		return false;
	/* One without a place may have parts with places if it was inlined; else it is only described. */
	if (!has && parent == NO_NODE) {
		*inside = NO_NODE;
		return true;
	}
	if (!array_reserve(&unit->nodes, &unit->node_capacity, unit->node_count + 1))
		return false;
	unit->nodes[unit->node_count++] = (struct inline_node){
		.die = lib_dw.dieoffset(&level->die),
		.parent = parent,
		.call_file = is_inlined ? number_of(&level->die, DW_AT_call_file) : 0,
		.call_line = is_inlined ? number_of(&level->die, DW_AT_call_line) : 0,
		.depth = depth,
	};
	*inside = number;
	return true;
}

static bool may_have_functions(Dwarf_Die *die)
{
	switch (lib_dw.tag(die)) {
	case DW_TAG_array_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
		return false;
	default:
		return true;
	}
}

/* Whether the walk may go on there: each place is behind the one before. */
static bool moves_on(struct walk *walk, Dwarf_Die *next)
{
	const Dwarf_Off at = lib_dw.dieoffset(next);
	if (at <= walk->last || at == (Dwarf_Off)-1 || walk->table->walked > WALKED_MAX)
		return false;
	walk->last = at;
	return true;
}

/* Go to the first child of the current entry, or to what follows it; false at the end of the tree. */
static bool step(struct walk *walk, uint32_t inside)
{
	struct level *level = &walk->levels[walk->depth - 1];
	Dwarf_Die next;
	if (walk->depth < ELF_CHAIN_MAX && may_have_functions(&level->die)) {
		const int found = lib_dw.child(&level->die, &next);
		if (found < 0)
			return false;
		if (found == 0) {
			walk->levels[walk->depth++] = (struct level){ .die = next, .around = inside };
			return moves_on(walk, &next);
		}
	}
	while (walk->depth > 1) { /* the unit itself has nothing beside it */
		level = &walk->levels[walk->depth - 1];
		const int found = lib_dw.siblingof(&level->die, &next);
		if (found < 0)
			return false;
		if (found == 0) {
			const Dwarf_Off from = lib_dw.dieoffset(&level->die);
			level->die = next;
			walk->table->walked += lib_dw.dieoffset(&next) - from;
			return moves_on(walk, &next);
		}
		walk->depth--;
	}
	return false;
}

static bool walk_unit(struct inline_table *table, struct inline_unit *unit)
{
	struct walk walk = { .table = table, .unit = unit, .depth = 1 };
	uint32_t inside = NO_NODE;
	bool is_done = true;
	walk.levels[0].around = NO_NODE;
	if (lib_dw.offdie(table->dwarf, unit->die, &walk.levels[0].die) == NULL)
		return true;
	walk.last = unit->die;
	do
		is_done = walk_take(&walk, &walk.levels[walk.depth - 1], &inside);
	while (is_done && unit->node_count < NODES_MAX && step(&walk, inside));
	is_done = is_done && range_cover_make(&unit->cover, walk.gathering.ranges, walk.gathering.count);
	free(walk.gathering.ranges);
	return is_done;
}

static void forget(struct inline_unit *unit)
{
	free(unit->nodes);
	range_cover_release(&unit->cover);
	*unit = (struct inline_unit){ .die = unit->die };
}

/* Returns the unit at an address, walked; NULL: there is no unit, or memory runs out. */
static struct inline_unit *unit_at(struct inline_table *table, uint64_t address, bool *has_memory)
{
	const uint32_t number = range_cover_find(&table->cover, address);
	*has_memory = true;
	if (number == COVER_NONE)
		return NULL;
	struct inline_unit *unit = &table->units[number];
	if (unit->is_walked)
		return unit;
	for (size_t i = 0; table->kept > NODES_MAX && i < table->unit_count; i++)
		forget(&table->units[i]);
	table->kept = table->kept > NODES_MAX ? 0 : table->kept;
	*has_memory = walk_unit(table, unit);
	if (!*has_memory) {
		forget(unit);
		return NULL;
	}
	unit->is_walked = true;
	table->kept += unit->node_count + unit->cover.count;
	return unit;
}

/* ---- questions ---------------------------------------------------------------------------------------------- */

static struct elf_frame line_in(Dwarf_Die *unit, uint64_t address)
{
	struct elf_frame frame = { .name = NULL };
	Dwarf_Line *line = lib_dw.getsrc_die(unit, address);
	const char *path = line != NULL ? lib_dw.linesrc(line, NULL, NULL) : NULL;
	if (path != NULL && lib_dw.lineno(line, &frame.line) == 0)
		frame.path = path;
	return frame;
}

/*
 * Prefers the name for the linker, if there is one: the name for people is made from it, with the types of
 * parameters.
 */
static const char *name_of(const struct inline_table *table, const struct inline_node *node)
{
	static const unsigned kinds[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name };
	Dwarf_Attribute attribute;
	Dwarf_Die die;
	if (lib_dw.offdie(table->dwarf, node->die, &die) == NULL)
		return NULL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (lib_dw.attr_integrate(&die, kinds[i], &attribute) != NULL) {
			const char *text = lib_dw.formstring(&attribute);
			const bool is_in_tree = lib_dw.whatform(&attribute) == DW_FORM_string;
			return text != NULL && is_in_tree && !has_end(table, text) ? NULL : text;
		}
	return NULL;
}

/*
 * Finds the functions around an address, the outermost first, and for each the place where it calls the next, or
 * the address itself. *count is 0 if no function is found.  Returns false if memory runs out.
 */
static bool inline_table_chain(struct inline_table *table, uint64_t address, struct elf_frame frames[ELF_CHAIN_MAX],
			       size_t *count)
{
	bool has_memory;
	Dwarf_Die die;
	Dwarf_Files *files = NULL;
	size_t file_count = 0;
	*count = 0;
	const struct inline_unit *unit = unit_at(table, address, &has_memory);
	if (unit == NULL || lib_dw.offdie(table->dwarf, unit->die, &die) == NULL)
		return has_memory;
	const uint32_t found = range_cover_find(&unit->cover, address);
	if (found == COVER_NONE || lib_dw.getsrcfiles(&die, &files, &file_count) != 0)
		file_count = 0;
	/* A parent is a node before its own, so that this ends, and no chain is longer than a walk is deep. */
	for (uint32_t at = found; at != NO_NODE; at = unit->nodes[at].parent)
		++*count;
	struct elf_frame *frame = frames + *count;
	for (uint32_t at = found, inner = NO_NODE; at != NO_NODE; inner = at, at = unit->nodes[at].parent) {
		*--frame = inner == NO_NODE ? line_in(&die, address) : (struct elf_frame){ .name = NULL };
		frame->name = name_of(table, &unit->nodes[at]);
		if (inner == NO_NODE)
			continue;
		const struct inline_node *call = &unit->nodes[inner];
		if (call->call_file < file_count)
			frame->path = lib_dw.filesrc(files, call->call_file, NULL, NULL);
		frame->line = (int)call->call_line;
	}
	return true;
}

static void inline_table_free(struct inline_table *table)
{
	if (table == NULL)
		return;
	for (size_t i = 0; i < table->unit_count; i++)
		forget(&table->units[i]);
	free(table->units);
	range_cover_release(&table->cover);
	free(table);
}

/* ---- elf names ----------------------------------------------------------------------------------------------- */

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
	/* The table of all symbols, or else of the dynamic symbols. */
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
			Elf_Data *data = lib_elf.getdata(section, NULL);
			const size_t count =
				data != NULL && header.sh_entsize > 0 ? data->d_size / header.sh_entsize : 0;
			GElf_Sym symbol;
			for (size_t i = 0; i < count && i < NAME_TABLE_NAMES_MAX; i++)
				if (lib_elf.getsym(data, (int)i, &symbol) != NULL &&
				    !add_symbol(names, &symbol,
						lib_elf.strptr(names->elf, header.sh_link, symbol.st_name)))
					return ELF_NO_MEMORY;
		}
	}
	name_table_sort(&names->table);
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

/* Returns false where the file says nothing of lines, or when memory runs out. */
static bool has_inlined(struct elf_names *names)
{
	if (names->inlined == NULL && names->dwarf != NULL)
		names->inlined = inline_table_create(names->dwarf);
	return names->inlined != NULL;
}

static struct elf_frame find_line(struct elf_names *names, uint64_t at)
{
	if (!has_inlined(names))
		return (struct elf_frame){ .name = NULL };
	/* The line of an address, without a name. */
	const struct inline_table *table = names->inlined;
	Dwarf_Die unit;
	const uint32_t number = range_cover_find(&table->cover, at);
	if (number == COVER_NONE || lib_dw.offdie(table->dwarf, table->units[number].die, &unit) == NULL)
		return (struct elf_frame){ .name = NULL };
	return line_in(&unit, at);
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
