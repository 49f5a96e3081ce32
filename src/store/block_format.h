/* SPDX-License-Identifier: MIT */
/*
 * block_format.h - the numbers of the format of a block file: versions, sizes and the ids of sections.
 */
#ifndef STORE_BLOCK_FORMAT_H
#define STORE_BLOCK_FORMAT_H

#include <stdint.h>

enum {
	BLOCK_FILE_VERSION = 2,       /* what this code writes; 1 had no section SUMS */
	BLOCK_FILE_OLDEST_READER = 1, /* the oldest reader that understands it */
	BLOCK_FILE_HEADER_SIZE = 4096,
	BLOCK_SIZE_MIN = 4 << 10,
	BLOCK_SIZE_MAX = 1 << 20,
	BLOCK_PART_SIZE_MIN =
		64,         /* of a block that is written shorter, so that a small file has no millions of them */
	BLOCK_SUM_SIZE = 4, /* every block begins with a checksum of its own, which this code does not compute */
};

/* Section ids are four letters. */
#define SECTION_ID(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define SECTION_EXTENTS SECTION_ID('E', 'X', 'T', 'S')    /* sizes of the blocks, where they differ: here */
#define SECTION_SUMS SECTION_ID('S', 'U', 'M', 'S')       /* checksums of the blocks: here */
#define SECTION_TREE SECTION_ID('T', 'R', 'E', 'E')       /* shape of the tree: tree/ */
#define SECTION_STATISTICS SECTION_ID('S', 'T', 'A', 'T') /* what the papers tabulate: tree/ */
#define SECTION_LIFETIMES SECTION_ID('L', 'I', 'F', 'E')  /* when attributes have states: tree/ */
#define SECTION_ATTRIBUTES SECTION_ID('A', 'T', 'T', 'R') /* attribute tree: state/ */
#define SECTION_FOLDERS SECTION_ID('F', 'O', 'L', 'D')    /* attributes without states: state/ */
#define SECTION_LABELS SECTION_ID('L', 'A', 'B', 'L')     /* what values mean: state/ */
#define SECTION_CHARTS SECTION_ID('C', 'H', 'R', 'T')     /* which charts there are: state/ */
#define SECTION_PROVIDER SECTION_ID('P', 'R', 'O', 'V')   /* name and version of the analysis: state/ */
#define SECTION_PARTIAL SECTION_ID('P', 'A', 'R', 'T')    /* checkpoints of a partial history: state/ */
#define SECTION_SEGMENTS SECTION_ID('S', 'E', 'G', 'M')   /* what the segments are: segment/ */
#define SECTION_RANKS SECTION_ID('R', 'A', 'N', 'K')      /* of a side table, whose it is: segment/ */

#endif
