/* SPDX-License-Identifier: MIT */
/*
 * attribute_rows.h - the flows of a trace of tracks, between rows of its history.
 */
#ifndef SERVER_MODEL_ATTRIBUTE_ROWS_H
#define SERVER_MODEL_ATTRIBUTE_ROWS_H

#include "server/catalogue/dataset.h"
#include "server/model/arrow_model.h"

struct track_arrows {
	struct histree_history *history; /* borrowed; NULL: the store has no flows that can be read */
	struct histree_segment_store *flows;
};

#endif
