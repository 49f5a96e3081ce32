/* SPDX-License-Identifier: MIT */
/*
 * inline_table.h - which functions the compiler put into others, and where, by DWARF (libdw).
 *
 * The tree of a unit of compilation is walked when the first address in it is asked for.  What is damaged is not
 * there: a walk ends where offsets do not grow any more, and all that it keeps has bounds.
 */
#ifndef SYMBOLS_INLINE_TABLE_H
#define SYMBOLS_INLINE_TABLE_H

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/library.h"
#include "symbols/elf_frame.h"

#define DW_FUNCTIONS(F)                                                                                     \
	F(dwarf_, attr)                                                                                     \
	F(dwarf_, attr_integrate)                                                                           \
	F(dwarf_, begin_elf) F(dwarf_, child) F(dwarf_, dieoffset) F(dwarf_, end) F(dwarf_, filesrc)        \
		F(dwarf_, formstring) F(dwarf_, formudata) F(dwarf_, get_units) F(dwarf_, getalt)           \
			F(dwarf_, getelf) F(dwarf_, getsrc_die) F(dwarf_, getsrcfiles) F(dwarf_, lineno)    \
				F(dwarf_, linesrc) F(dwarf_, offdie) F(dwarf_, ranges) F(dwarf_, siblingof) \
					F(dwarf_, tag) F(dwarf_, whatform) F(dwelf_, elf_gnu_build_id)
#define ELF_FUNCTIONS(F)                                                                                           \
	F(elf_, begin)                                                                                             \
	F(elf_, end)                                                                                               \
	F(elf_, getdata) F(elf_, getphdrnum) F(elf_, getshdrstrndx) F(elf_, kind) F(elf_, nextscn) F(elf_, strptr) \
		F(elf_, version) F(gelf_, getehdr) F(gelf_, getphdr) F(gelf_, getshdr) F(gelf_, getsym)

/* Both loaded by elf_names_can_read(). */
extern struct lib_dw {
	DW_FUNCTIONS(LIBRARY_POINTER)
} lib_dw;
extern struct lib_elf {
	ELF_FUNCTIONS(LIBRARY_POINTER)
} lib_elf;

struct inline_table;

/*
 * Makes the table of all units of a file that libdw has opened, which is borrowed.  Returns NULL when memory is
 * out.
 */
struct inline_table *inline_table_create(Dwarf *dwarf);

/* The line of an address, without a name. */
struct elf_frame inline_table_line(const struct inline_table *table, uint64_t address);

/*
 * Finds the functions around an address, the outermost first, and where each of them calls the next, or is at the
 * address itself.  *count is 0 if no function is found.  Returns false when memory is out.
 */
bool inline_table_chain(struct inline_table *table, uint64_t address, struct elf_frame frames[ELF_CHAIN_MAX],
			size_t *count);

void inline_table_free(struct inline_table *table);

#endif
