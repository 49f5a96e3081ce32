// SPDX-License-Identifier: MIT
#include "query/segment_losses.h"

void segment_losses_add(struct segment_losses *losses, const struct histree_segment_loss *loss)
{
	struct histree_segment_loss *all = &losses->all;
	if (!losses->any)
		*all = *loss;
	else if (__builtin_add_overflow(all->count_max, loss->count_max, &all->count_max))
		all->count_max = UINT64_MAX;
	losses->any = true;
	all->from = loss->from < all->from ? loss->from : all->from;
	all->to = loss->to > all->to ? loss->to : all->to;
}

enum histree_status segment_losses_next(struct segment_losses *losses, struct histree_segment_iter *iter,
					struct histree_segment *out, struct histree_error *error)
{
	enum histree_status status;
	while ((status = histree_segment_iter_next(iter, out, error)) == HISTREE_PARTIAL) {
		const struct histree_segment_loss loss = histree_segment_iter_loss(iter);
		segment_losses_add(losses, &loss);
	}
	return status;
}
