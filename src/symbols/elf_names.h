/* SPDX-License-Identifier: MIT */
/*
 * elf_names.h - names of functions by address: those of one binary, or of the file with its debugging information,
 * by libdw; or those of lines of text as nm prints them.
 *
 * The file is read, not mapped: that it is cut short while it is read is an error, not a signal.
 */
#ifndef SYMBOLS_ELF_NAMES_H
#define SYMBOLS_ELF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "symbols/elf_frame.h"

enum {
	NAME_TABLE_NAMES_MAX = 4 << 20,  /* of a table */
	NAME_TABLE_TEXT_MAX = 256 << 20, /* bytes of them */
	NAME_SIZE_MAX = 4096,            /* a longer one is left out */
};

struct named_range {
	uint64_t start, size; /* size 0: the address alone */
	const char *name;
	unsigned rank; /* of those of one address, that of the least is taken */
};

/* A zeroed one is empty. */
struct name_table {
	struct named_range *ranges;
	size_t count, capacity;
	struct arena names;
};

/* Adds a range, unless there are too many.  Returns false when memory is out. */
bool name_table_add(struct name_table *table, struct named_range range, size_t name_size);

/*
 * Adds the functions of lines "ADDRESS [TYPE] NAME", with addresses in hexadecimal; other lines are passed over.
 * Returns false when memory is out.
 */
bool name_table_read(struct name_table *table, const char *text, size_t size);

/* Puts the ranges in order, when all are there. */
void name_table_sort(struct name_table *table);

/* Returns the range that begins at an address, or else has it inside, or NULL. */
const struct named_range *name_table_find(const struct name_table *table, uint64_t address);

/* Returns the range that begins at an address, or the last one before it, or NULL. */
const struct named_range *name_table_near(const struct name_table *table, uint64_t address);
void name_table_release(struct name_table *table);

struct elf_names;

/* A base of no process: addresses are offsets in the file. */
#define ELF_BASE_OF_OFFSETS UINT64_MAX

enum elf_answer {
	ELF_OPENED,
	ELF_NOT_THERE,   /* no regular file that can be read */
	ELF_NOT_ELF,     /* or more than 4 GiB */
	ELF_OTHER_BUILD, /* it has another build id */
	ELF_NO_MEMORY,
};

/* Whether binaries can be read at all: this was built with libdw. */
bool elf_names_can_read(void);

/* Opens a file with this build id; of size 0: with any.  The caller closes *out. */
enum elf_answer elf_names_open(const char *path, const uint8_t *build_id, size_t build_id_size,
			       struct elf_names **out);

/* Whether it has all functions, not only those that others link with. */
bool elf_names_are_whole(const struct elf_names *names);

/* Returns its build id, borrowed, and its size; NULL if it has no build id. */
const uint8_t *elf_names_build_id(const struct elf_names *names, size_t *size);

/*
 * Offsets are those of another file, the binary itself: one with its debugging information need not have its parts
 * where that has them.
 */
void elf_names_lie_as(struct elf_names *names, const struct elf_names *binary);

/*
 * Returns the name of the function at an address of a process in which the file lies at `base`, borrowed from the
 * file, or NULL.
 */
const char *elf_names_find(const struct elf_names *names, uint64_t base, uint64_t address);

/*
 * Finds the functions at such an address, the outermost first; each but the first was inlined into the one
 * before. For a call, ask for the address before its return address.  *count is 0 if no function is found.
 * Returns false when memory is out.
 */
bool elf_names_chain(struct elf_names *names, uint64_t base, uint64_t address,
		     struct elf_frame frames[ELF_CHAIN_MAX], size_t *count);

/* Writes "app.c:31", in ELF_LINE_SIZE bytes; "app.c:?" or "" if the file does not say more. */
void elf_frame_line(const struct elf_frame *frame, char *text);

/* Writes the same for such an address; "" where the file does not say. */
void elf_names_line(struct elf_names *names, uint64_t base, uint64_t address, char *text);
void elf_names_close(struct elf_names *names);

#endif
