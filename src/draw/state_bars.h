/* SPDX-License-Identifier: MIT */
/*
 * state_bars.h - the states of rows as bars, with what there is to say written into them.
 *
 * The bar of a pixel has the colour and the height of its dominant state.  Where there were others, a line along
 * the bottom has the colour of the one after it; where the dominant state shows nothing, the bar itself has it,
 * paler.
 */
#ifndef DRAW_STATE_BARS_H
#define DRAW_STATE_BARS_H

#include "draw/chart.h"

/* All borrowed. */
struct state_bars {
	struct histree_history *history;
	const struct row_list *list;
	const struct chart *chart;
	struct canvas *canvas;
	struct legend *legend; /* gets what was used */
	struct histree_cancel cancel;
};

enum histree_status state_bars_draw(const struct state_bars *bars, struct histree_error *error);

#endif
