// SPDX-License-Identifier: MIT
/*
 * inline_table.c - the inlined calls of a binary by address, from DWARF.  Units are read when an address in them
 * is asked for.
 */
#include "symbols/inline_table.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "symbols/range_cover.h"

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

/* Returns false when memory is out; *has says whether there were any. */
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

struct inline_table *inline_table_create(Dwarf *dwarf)
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

/* Takes what the walk is at; *inside is the function that its parts are in.  Returns false when memory is out. */
static bool take(struct walk *walk, struct level *level, uint32_t *inside)
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

/* To the first part of what the walk is at, or to what follows; false at the end of the tree. */
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
		is_done = take(&walk, &walk.levels[walk.depth - 1], &inside);
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

/* Returns the unit at an address, walked; NULL: there is no unit, or memory is out. */
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

struct elf_frame inline_table_line(const struct inline_table *table, uint64_t address)
{
	Dwarf_Die unit;
	const uint32_t number = range_cover_find(&table->cover, address);
	if (number == COVER_NONE || lib_dw.offdie(table->dwarf, table->units[number].die, &unit) == NULL)
		return (struct elf_frame){ .name = NULL };
	return line_in(&unit, address);
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

bool inline_table_chain(struct inline_table *table, uint64_t address, struct elf_frame frames[ELF_CHAIN_MAX],
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

void inline_table_free(struct inline_table *table)
{
	if (table == NULL)
		return;
	for (size_t i = 0; i < table->unit_count; i++)
		forget(&table->units[i]);
	free(table->units);
	range_cover_release(&table->cover);
	free(table);
}
