/* SPDX-License-Identifier: MIT */
/*
 * elf_frame.h - what the debugging information of a binary says of an address: a function, or one of a chain.
 */
#ifndef SYMBOLS_ELF_FRAME_H
#define SYMBOLS_ELF_FRAME_H

enum { ELF_LINE_SIZE = 224, ELF_CHAIN_MAX = 256 };

/* A function at an address, or one that it was inlined into, and where in it that is. */
struct elf_frame {
	const char *name; /* NULL: not known; as its path, it is borrowed from the file */
	const char *path; /* NULL: not known */
	int line;         /* 0: not known */
};

#endif
