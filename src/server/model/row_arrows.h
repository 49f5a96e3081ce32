/* SPDX-License-Identifier: MIT */
/*
 * row_arrows.h - the flows of a trace of tracks, between rows of its history.
 */
#ifndef SERVER_MODEL_ROW_ARROWS_H
#define SERVER_MODEL_ROW_ARROWS_H

#include "server/catalogue/dataset.h"
#include "server/model/arrow_model.h"

struct track_arrows {
	struct histree_history *history; /* borrowed; NULL: the store has no flows that can be read */
	struct histree_segment_store *flows;
};

/* Returns whether the store says that it has flows. */
bool track_arrows_apply(const struct dataset *dataset);

void track_arrows_open(struct track_arrows *arrows, struct dataset *dataset);
void track_arrows_close(struct track_arrows *arrows);

#endif
