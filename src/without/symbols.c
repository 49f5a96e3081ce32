// SPDX-License-Identifier: MIT
/*
 * symbols.c - of a build without libdw and libiberty: no binary can be read, and names stay as they are.
 */
#include "symbols/demangle.h"
#include "symbols/elf_names.h"
#include "without/without.h"

bool elf_names_can_read(void)
{
	return false;
}

enum elf_answer elf_names_open(const char *path, const uint8_t *build_id, size_t build_id_size,
			       struct elf_names **out)
{
	*out = NULL;
	return ELF_NOT_THERE;
}

bool elf_names_are_whole(const struct elf_names *names)
{
	return false;
}

const uint8_t *elf_names_build_id(const struct elf_names *names, size_t *size)
{
	*size = 0;
	return NULL;
}

void elf_names_lie_as(struct elf_names *names, const struct elf_names *binary)
{
}

const char *elf_names_find(const struct elf_names *names, uint64_t base, uint64_t address)
{
	return NULL;
}

bool elf_names_chain(struct elf_names *names, uint64_t base, uint64_t address,
		     struct elf_frame frames[ELF_CHAIN_MAX], size_t *count)
{
	*count = 0;
	return true;
}

void elf_frame_line(const struct elf_frame *frame, char *text)
{
	text[0] = '\0';
}

void elf_names_line(struct elf_names *names, uint64_t base, uint64_t address, char *text)
{
	text[0] = '\0';
}

void elf_names_close(struct elf_names *names)
{
}

const char *demangle(struct demangler *demangler, const char *name)
{
	return name;
}

void demangler_release(struct demangler *demangler)
{
}
