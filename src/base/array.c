// SPDX-License-Identifier: MIT
#include "base/array.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool array_reserve_bytes(void *array, size_t *capacity, size_t needed, size_t element_size)
{
	if (needed <= *capacity)
		return true;
	size_t wanted = *capacity + *capacity / 2;
	if (wanted < needed)
		wanted = needed;
	if (wanted < 16)
		wanted = 16;
	if (wanted > SIZE_MAX / element_size)
		return false;
	assert(wanted >= needed);

	void *old;
	memcpy(&old, array, sizeof(old));
	void *grown = realloc(old, wanted * element_size);
	if (grown == NULL)
		return false;
	memcpy(array, &grown, sizeof(grown));
	*capacity = wanted;
	return true;
}

void *array_copy_bytes(const void *array, size_t count, size_t element_size)
{
	void *copy = count > 0 ? reallocarray(NULL, count, element_size) : NULL;
	if (copy != NULL)
		memcpy(copy, array, count * element_size);
	return copy;
}
