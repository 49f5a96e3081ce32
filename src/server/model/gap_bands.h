/* SPDX-License-Identifier: MIT */
/*
 * gap_bands.h - when events of a dataset are missing, as bands over its charts.
 *
 * Gaps that a chart cannot tell apart are one band, so there are no more bands than pixels, and than GAP_BANDS_MAX.
 */
#ifndef SERVER_MODEL_GAP_BANDS_H
#define SERVER_MODEL_GAP_BANDS_H

#include "histree/rows.h"
#include "server/catalogue/dataset.h"
#include "server/text/piece.h"

enum { GAP_BANDS_MAX = 4096 };

struct gap_band {
	histree_time from, to; /* both inclusive, inside the trace */
	int32_t cpu;           /* -1: several, or it is not known which */
	uint64_t gaps;
	uint64_t events;       /* that are lost, as far as they were counted */
	uint32_t host;         /* UINT32_MAX: several */
	const char *host_name; /* NULL: several, or there is but one */
};

typedef void gap_band_visit(void *context, const struct gap_band *band);

/* Visits the bands that meet [from, to], in `pixels` parts, in the order of time.  The dataset is ready. */
void gap_bands_each(const struct dataset *dataset, histree_time from, histree_time to, uint32_t pixels,
		    gap_band_visit *visit, void *context);

/* Adds "7 events lost on CPU 0". */
void gap_band_text(const struct gap_band *band, struct piece *text);

#endif
