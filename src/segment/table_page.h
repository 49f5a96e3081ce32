/* SPDX-License-Identifier: MIT */
/*
 * table_page.h - a page of a side table: locations of segments (segment_tree/segment_location.h), in an order.
 *
 *	OFFSET	SIZE
 *	0	4	CRC-32C of the bytes from 4 to the end of the locations
 *	4	4	number of the page: its own address
 *	8	4	number of locations
 *	12	1	width of a node's number
 *	13	1	width of a location in its node
 *	14	2	zero
 *	16	4	smallest number of a node
 *	20	4	zero
 *	24		bits: the numbers of the nodes above the smallest, then the locations in them
 *
 * All pages but the last are full, so that the page of a rank is known.
 */
#ifndef SEGMENT_TABLE_PAGE_H
#define SEGMENT_TABLE_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TABLE_PAGE_LOCATIONS = 1024,
	TABLE_PAGE_SIZE = 8 << 10, /* room for as many of the widest */
};

/* Returns the bytes used; those after them are zero. */
uint32_t table_page_put(uint8_t page[TABLE_PAGE_SIZE], uint32_t number, const uint64_t *locations, uint32_t count);

/* Get the locations of page `number`, which has `count` of them.  Returns false if it is damaged. */
bool table_page_get(const uint8_t page[TABLE_PAGE_SIZE], uint32_t number, uint32_t count, uint64_t *locations);

#endif
