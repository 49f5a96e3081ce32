// SPDX-License-Identifier: MIT
#include "clock/clock_tree.h"

#include "clock/clock_transform.h"

static bool is_better(const struct histree_clock *a, const struct histree_clock *b)
{
	return a->quality != b->quality ? a->quality > b->quality : a->error < b->error;
}

/* Returns the best link from a host that has a clock to one without, or NULL. */
static const struct clock_link *find_next(const struct clock_link *links, size_t link_count,
					  const struct histree_clock *clocks, struct histree_clock *best)
{
	const struct clock_link *found = NULL;
	for (size_t i = 0; i < link_count; i++) {
		const struct clock_link *link = &links[i];
		bool x_is_known = clocks[link->x].quality != HISTREE_CLOCK_ABSENT;
		bool y_is_known = clocks[link->y].quality != HISTREE_CLOCK_ABSENT;
		if (x_is_known == y_is_known)
			continue;
		struct histree_clock clock = clock_pair_fit(&link->pair);
		if (clock.quality == HISTREE_CLOCK_ABSENT || (found != NULL && !is_better(&clock, best)))
			continue;
		found = link;
		*best = clock;
	}
	return found;
}

void clock_tree_find(const struct clock_link *links, size_t link_count, uint32_t reference, size_t host_count,
		     struct histree_clock *clocks, size_t *neighbours)
{
	const struct clock_link *link;
	struct histree_clock clock;
	for (size_t host = 0; host < host_count; host++) {
		clocks[host] = (struct histree_clock){ .error = HISTREE_CLOCK_UNBOUNDED };
		neighbours[host] = host;
	}
	clocks[reference] = (struct histree_clock){ .quality = HISTREE_CLOCK_REFERENCE };
	while ((link = find_next(links, link_count, clocks, &clock)) != NULL) {
		bool is_of_y = clocks[link->y].quality == HISTREE_CLOCK_ABSENT;
		uint32_t host = is_of_y ? link->y : link->x, neighbour = is_of_y ? link->x : link->y;
		if (!is_of_y)
			clock = clock_invert(&clock);
		clocks[host] = clock_compose(&clock, &clocks[neighbour]);
		neighbours[host] = neighbour;
	}
}
