// SPDX-License-Identifier: MIT
#include "store/section_pages.h"

#include <string.h>

#include "base/error.h"

static bool are_zero(const uint8_t *bytes, size_t size)
{
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0;
}

bool section_pages_add(struct section_pages *pages, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		size_t room = SECTION_PAGE_SIZE - pages->filled, taken = size < room ? size : room;
		pages->has_bytes = pages->has_bytes || !are_zero(bytes, taken);
		pages->filled += (uint32_t)taken;
		bytes += taken;
		size -= taken;
		if (pages->filled < SECTION_PAGE_SIZE)
			break;
		pages->empty += !pages->has_bytes;
		pages->full += pages->has_bytes;
		pages->filled = 0;
		pages->has_bytes = false;
	}
	return pages->empty <= pages->full + SECTION_EMPTY_PAGES_MIN;
}

enum histree_status section_pages_refuse(struct histree_error *error)
{
	return error_set(error, HISTREE_ERR_FORMAT, "is mostly zeros, which none of that size is");
}
