/* SPDX-License-Identifier: MIT */
/*
 * address_space.h - which binary lies at an address of a process: parts of files, one never above another.
 */
#ifndef ANALYSIS_SAMPLES_ADDRESS_SPACE_H
#define ANALYSIS_SAMPLES_ADDRESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Linux's vm.max_map_count is 65530 by default. */
enum { SPACE_IMAGES_MAX = 1 << 16 };

struct space_image {
	uint64_t begin, last; /* both inclusive */
	uint64_t offset;      /* in the file, of what lies at `begin` */
	uint32_t binary;      /* its number */
};

/* A zeroed one is empty. */
struct address_space {
	struct space_image *images; /* by address */
	size_t count, capacity;
};

/* Put an image where it lies: what was there is gone, but for what reaches beyond it.  False: memory is out. */
bool address_space_add(struct address_space *space, const struct space_image *image);

/* Returns NULL if nothing is there. */
const struct space_image *address_space_find(const struct address_space *space, uint64_t address);

/* Become what another one is, as a process does that was forked off.  False: memory is out. */
bool address_space_copy(struct address_space *space, const struct address_space *from);

void address_space_release(struct address_space *space);

#endif
