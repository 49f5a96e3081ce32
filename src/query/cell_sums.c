// SPDX-License-Identifier: MIT
#include "query/cell_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

enum histree_status cell_sums_begin(struct cell_sums *sums, size_t cell_count, struct histree_error *error)
{
	if (!array_reserve(&sums->cells, &sums->cells_capacity, cell_count) ||
	    !array_reserve(&sums->first, &sums->first_capacity, cell_count))
		return error_memory(error, "the cells of rows");
	memset(sums->cells, 0xff, cell_count * sizeof(*sums->cells)); /* HISTREE_NO_VALUE, all of them */
	memset(sums->first, 0, cell_count * sizeof(*sums->first));
	sums->cell_count = cell_count;
	sums->share_count = 0;
	return HISTREE_OK;
}

enum histree_status cell_sums_add(struct cell_sums *sums, size_t cell, uint32_t value, uint64_t weight,
				  struct histree_error *error)
{
	for (uint32_t at = sums->first[cell]; at != 0; at = sums->shares[at - 1].next) {
		struct cell_share *share = &sums->shares[at - 1];
		if (share->value == value) { /* all of time is one ns more than can be said */
			share->weight = weight > UINT64_MAX - share->weight ? UINT64_MAX : share->weight + weight;
			return HISTREE_OK;
		}
	}
	if (sums->share_count >= UINT32_MAX - 1 ||
	    !array_reserve(&sums->shares, &sums->shares_capacity, sums->share_count + 1))
		return error_memory(error, "the states that share a pixel");
	sums->shares[sums->share_count++] =
		(struct cell_share){ .weight = weight, .value = value, .next = sums->first[cell] };
	sums->first[cell] = (uint32_t)sums->share_count;
	return HISTREE_OK;
}

static bool is_greater(const struct cell_share *one, const struct cell_share *other,
		       const struct value_table *values)
{
	if (other == NULL || one->weight != other->weight)
		return other == NULL || one->weight > other->weight;
	return value_table_compare(values, one->value, other->value) < 0;
}

struct histree_cell cell_sums_get(const struct cell_sums *sums, size_t cell, const struct value_table *values)
{
	struct histree_cell decided = sums->cells[cell];
	if (decided.value != HISTREE_NO_VALUE)
		return decided;
	const struct cell_share *max = NULL, *second = NULL;
	for (uint32_t at = sums->first[cell]; at != 0; at = sums->shares[at - 1].next) {
		const struct cell_share *share = &sums->shares[at - 1];
		if (is_greater(share, max, values)) {
			second = max;
			max = share;
		} else if (is_greater(share, second, values)) {
			second = share;
		}
	}
	return (struct histree_cell){
		.value = max != NULL ? max->value : HISTREE_NO_VALUE,
		.other = second != NULL ? second->value : HISTREE_NO_VALUE,
	};
}

void cell_sums_release(struct cell_sums *sums)
{
	free(sums->cells);
	free(sums->first);
	free(sums->shares);
	*sums = (struct cell_sums){ 0 };
}
