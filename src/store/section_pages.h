/* SPDX-License-Identifier: MIT */
/*
 * section_pages.h - a section may be no longer than its bytes are worth.
 *
 * A file may be long without having bytes: a hole takes no room on a disk and reads as zeros.  So the size of a
 * section alone is no reason to read it, or to take memory for it.  Its size is counted in pages: it may have as
 * many pages of zeros as other pages, and some more.  The sender of a section that costs n bytes of memory has
 * then sent a third of them.  The file system is not asked about holes, as those that compress do not know.
 *
 * The writer counts likewise, so that it writes nothing that is not read.  No section that histree writes comes
 * near the limit, unless names have thousands of zeros.
 */
#ifndef STORE_SECTION_PAGES_H
#define STORE_SECTION_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histree/status.h"

enum {
	SECTION_PAGE_SIZE = 4096,
	SECTION_EMPTY_PAGES_MIN = 2048, /* that any section may have */
};

/* A zeroed one is at the beginning of a section. */
struct section_pages {
	uint32_t filled; /* bytes of the page that is not whole yet */
	bool has_bytes;  /* one of them is not zero */
	uint64_t empty, full;
};

/* Go on with the bytes that follow.  Returns false if there are too many zeros by now. */
bool section_pages_add(struct section_pages *pages, const uint8_t *bytes, size_t size);

/* Returns the bytes of what came, without its empty pages. */
static inline uint64_t section_pages_worth(const struct section_pages *pages)
{
	return pages->full * SECTION_PAGE_SIZE + pages->filled;
}

/* Returns HISTREE_ERR_FORMAT, with the sentence for a section that has too many. */
enum histree_status section_pages_refuse(struct histree_error *error);

#endif
