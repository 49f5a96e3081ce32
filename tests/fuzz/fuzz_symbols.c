// SPDX-License-Identifier: MIT
/*
 * fuzz_symbols.c - bytes as a binary with debugging information, if they begin so: whatever it says, each address
 * has a chain of functions of bounded length.  Others are a table of symbols, of which each name that is found
 * begins at its address; and ranges of addresses, where the deepest is found.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "symbols/elf_names.h"
#include "symbols/name_table.h"

/* ---- a binary ----------------------------------------------------------------------------------------------- */

/* Code lies at low addresses in the corpus: those are asked for, and some that are far apart. */
static void try_addresses(struct elf_names *names)
{
	struct elf_frame frames[ELF_CHAIN_MAX];
	char line[ELF_LINE_SIZE];
	for (uint64_t i = 0; i < 700; i++) {
		const uint64_t address = i < 600 ? i * 3 : UINT64_C(1) << (i % 64);
		size_t count;
		REQUIRE(elf_names_chain(names, 0, address, frames, &count));
		REQUIRE(count <= ELF_CHAIN_MAX);
		for (size_t at = 0; at < count; at++) {
			elf_frame_line(&frames[at], line);
			REQUIRE(strlen(line) < ELF_LINE_SIZE);
			REQUIRE(frames[at].name == NULL || strlen(frames[at].name) < SIZE_MAX);
		}
		elf_names_line(names, 0, address, line);
	}
}

static void try_binary(const uint8_t *bytes, size_t size)
{
	char path[64];
	struct elf_names *names;
	const int file = memfd_create("binary", MFD_CLOEXEC);
	REQUIRE(file >= 0);
	REQUIRE(write(file, bytes, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	if (elf_names_open(path, NULL, 0, &names) == ELF_OPENED) {
		try_addresses(names);
		elf_names_close(names);
	}
	close(file);
}

/* ---- a table ------------------------------------------------------------------------------------------------ */

static void try_table(const uint8_t *bytes, size_t size)
{
	struct name_table table = { 0 };
	char *text =
		malloc(size > 0 ? size : 1); /* of that size, so that a sanitizer sees what is read behind it */
	REQUIRE(text != NULL);
	if (size > 0)
		memcpy(text, bytes, size);
	REQUIRE(name_table_read(&table, text, size));
	name_table_sort(&table);
	for (size_t i = 0; i < table.count; i++) {
		const struct named_range *range = name_table_find(&table, table.ranges[i].start);
		REQUIRE(range != NULL && range->start == table.ranges[i].start && *range->name != '\0');
	}
	name_table_release(&table);
	free(text);
}

/* ---- ranges ------------------------------------------------------------------------------------------------- */

enum { RANGES_MAX = 64 };

/* Three bytes a range: where it begins, how long and how deep it is. */
static void try_ranges(const uint8_t *bytes, size_t size)
{
	struct cover_range ranges[RANGES_MAX], copy[RANGES_MAX];
	struct range_cover cover = { .pieces = NULL };
	size_t count = 0;
	for (size_t at = 0; at + 3 <= size && count < RANGES_MAX; at += 3, count++)
		ranges[count] = (struct cover_range){ bytes[at], bytes[at] + (uint64_t)bytes[at + 1], bytes[at + 2],
						      (uint32_t)count };
	memcpy(copy, ranges, count * sizeof(*ranges));
	REQUIRE(range_cover_make(&cover, copy, count));
	for (uint64_t address = 0; address < 512; address++) {
		const uint32_t found = range_cover_find(&cover, address);
		REQUIRE(found == COVER_NONE ||
			(found < count && address - ranges[found].start < ranges[found].end - ranges[found].start));
		for (size_t i = 0; i < count; i++)
			if (address >= ranges[i].start && address < ranges[i].end)
				REQUIRE(found != COVER_NONE && ranges[i].depth <= ranges[found].depth);
	}
	range_cover_release(&cover);
}

FUZZ_TARGET(bytes, size)
{
	if (size > 4 && memcmp(bytes, "\177ELF", 4) == 0) {
		try_binary(bytes, size);
		return 0;
	}
	try_table(bytes, size);
	try_ranges(bytes, size);
	return 0;
}
