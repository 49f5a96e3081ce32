// SPDX-License-Identifier: MIT
/*
 * print_chains.c - for each address of standard input what functions of a file are there, as `addr2line -a -i -f`
 * prints them: the innermost first, with the file and the line that it is at.  The names are those of the file.
 *
 * usage: print_chains FILE <ADDRESSES
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbols/elf_names.h"

static void print(const struct elf_frame *frame)
{
	printf("%s\n%s:", frame->name != NULL ? frame->name : "??", frame->path != NULL ? frame->path : "??");
	if (frame->line != 0)
		printf("%d\n", frame->line);
	else
		printf("?\n");
}

int main(int count, char **words)
{
	struct elf_names *names;
	struct elf_frame frames[ELF_CHAIN_MAX];
	char text[64];
	if (count != 2 || elf_names_open(words[1], NULL, 0, &names) != ELF_OPENED) {
		fprintf(stderr, "usage: print_chains FILE <ADDRESSES\n");
		return 1;
	}
	while (fgets(text, sizeof(text), stdin) != NULL) {
		const uint64_t address = strtoull(text, NULL, 16);
		size_t depth;
		if (!elf_names_chain(names, 0, address, frames, &depth))
			return 1;
		printf("0x%016" PRIx64 "\n", address);
		if (depth == 0)
			print(&(struct elf_frame){ .name = NULL });
		while (depth > 0)
			print(&frames[--depth]);
	}
	elf_names_close(names);
	return 0;
}
