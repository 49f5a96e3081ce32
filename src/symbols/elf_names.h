/* SPDX-License-Identifier: MIT */
/*
 * elf_names.h - the functions of a binary: symbols, the build id that says whether it is the right one, and
 * inlined calls by address from DWARF.
 *
 * Of nested ranges, an address belongs to the deepest.
 *
 * Ranges may overlap, as in a damaged file: an address belongs to the deepest; of equally deep ones to the
 * shortest, and of these to the one with the least item.
 *
 * The file is read, not mapped: that it is cut short while it is read is an error, not a signal.
 */
#ifndef SYMBOLS_ELF_NAMES_H
#define SYMBOLS_ELF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/name_table.h"

#define COVER_NONE UINT32_MAX

struct cover_range {
	uint64_t start, end; /* without its end; one that does not end above its start has nothing */
	uint32_t depth, item;
};

/* From an address on, up to that of the next piece; the last piece belongs to no range. */
struct cover_piece {
	uint64_t start;
	uint32_t item; /* COVER_NONE: no range */
};

/* A zeroed one has nothing. */
struct range_cover {
	struct cover_piece *pieces;
	size_t count, capacity;
};

/* Makes an empty cover of ranges, which it reorders.  Returns false when memory runs out; release it then too. */
bool range_cover_make(struct range_cover *cover, struct cover_range *ranges, size_t count);

/* Returns the item that an address belongs to, or COVER_NONE. */
uint32_t range_cover_find(const struct range_cover *cover, uint64_t address);
void range_cover_release(struct range_cover *cover);

enum { ELF_LINE_SIZE = 224, ELF_CHAIN_MAX = 256 };

/* A function at an address, or one that it was inlined into, and where in it that is. */
struct elf_frame {
	const char *name; /* NULL: not known; as its path, it is borrowed from the file */
	const char *path; /* NULL: not known */
	int line;         /* 0: not known */
};

struct inline_table;
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
 * Offsets are those in another file, the binary itself: sections of a separate debug file may be at other places.
 */
void elf_names_lie_as(struct elf_names *names, const struct elf_names *binary);

/*
 * Returns the name of the function at an address of a process in which the file lies at `base`, borrowed from the
 * file, or NULL.
 */
const char *elf_names_find(const struct elf_names *names, uint64_t base, uint64_t address);

/*
 * Finds the functions at such an address, the outermost first; each but the first was inlined into the one before.
 * For a call, ask for the address before its return address.  *count is 0 if no function is found. Returns false
 * when memory runs out.
 */
bool elf_names_chain(struct elf_names *names, uint64_t base, uint64_t address,
		     struct elf_frame frames[ELF_CHAIN_MAX], size_t *count);

/* Writes "app.c:31", in ELF_LINE_SIZE bytes; "app.c:?" or "" if the file does not say more. */
void elf_frame_line(const struct elf_frame *frame, char *text);

/* Writes the same for such an address; "" where the file does not say. */
void elf_names_line(struct elf_names *names, uint64_t base, uint64_t address, char *text);
void elf_names_close(struct elf_names *names);

#endif
