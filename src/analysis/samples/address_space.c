// SPDX-License-Identifier: MIT
#include "analysis/samples/address_space.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Returns the place of the first image that ends at an address or later. */
static size_t place_of(const struct address_space *space, uint64_t address)
{
	size_t low = 0, high = space->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (space->images[middle].last < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct space_image *address_space_find(const struct address_space *space, uint64_t address)
{
	size_t place = place_of(space, address);
	return place < space->count && space->images[place].begin <= address ? &space->images[place] : NULL;
}

/* What of an image lies above an address. */
static struct space_image above(struct space_image image, uint64_t address)
{
	image.offset += address + 1 - image.begin;
	image.begin = address + 1;
	return image;
}

bool address_space_add(struct address_space *space, const struct space_image *image)
{
	struct space_image pieces[3];
	size_t count = 0, first = place_of(space, image->begin), behind = first;
	if (image->last < image->begin || space->count > SPACE_IMAGES_MAX)
		return true;
	while (behind < space->count && space->images[behind].begin <= image->last)
		behind++;
	if (behind > first && space->images[first].begin < image->begin) {
		pieces[count] = space->images[first];
		pieces[count++].last = image->begin - 1;
	}
	pieces[count++] = *image;
	if (behind > first && space->images[behind - 1].last > image->last)
		pieces[count++] = above(space->images[behind - 1], image->last);
	if (!array_reserve(&space->images, &space->capacity, space->count + count))
		return false;
	memmove(&space->images[first + count], &space->images[behind],
		(space->count - behind) * sizeof(*space->images));
	memcpy(&space->images[first], pieces, count * sizeof(*pieces));
	space->count = space->count - (behind - first) + count;
	return true;
}

bool address_space_copy(struct address_space *space, const struct address_space *from)
{
	if (!array_reserve(&space->images, &space->capacity, from->count))
		return false;
	if (from->count > 0)
		memcpy(space->images, from->images, from->count * sizeof(*from->images));
	space->count = from->count;
	return true;
}

void address_space_release(struct address_space *space)
{
	free(space->images);
	*space = (struct address_space){ 0 };
}
