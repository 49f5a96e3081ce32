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
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/elf_frame.h"

struct inline_table;

/* Of all units of a file that were opened by libdw, which is borrowed.  Returns NULL when memory is out. */
struct inline_table *inline_table_create(Dwarf *dwarf);

/* The line of an address, without a name. */
struct elf_frame inline_table_line(const struct inline_table *table, uint64_t address);

/*
 * Finds the functions around an address, the outermost first, and where each of them is left for the next, or is at
 * the address itself.  *count is 0 if there is none.  Returns false when memory is out.
 */
bool inline_table_chain(struct inline_table *table, uint64_t address, struct elf_frame frames[ELF_CHAIN_MAX],
			size_t *count);

void inline_table_free(struct inline_table *table);

#endif
