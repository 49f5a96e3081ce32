// SPDX-License-Identifier: MIT
#include "server/model/gap_bands.h"

#include <inttypes.h>

static histree_time clamp(histree_time time, const struct histree_store_info *info)
{
	return time < info->start ? info->start : time > info->end ? info->end : time;
}

/* Returns whether less than `step` ns lie between the two. */
static bool touches(const struct gap_band *band, const struct histree_gap *gap, uint64_t step)
{
	return gap->from <= band->to || (uint64_t)gap->from - (uint64_t)band->to < step;
}

static void widen(struct gap_band *band, const struct histree_gap *gap)
{
	band->to = gap->to > band->to ? gap->to : band->to;
	band->cpu = gap->cpu == band->cpu && gap->host == band->host ? band->cpu : -1;
	band->host = gap->host == band->host ? band->host : UINT32_MAX;
	band->events += gap->events;
	band->gaps++;
}

static void visit_band(const struct dataset *dataset, struct gap_band *band, gap_band_visit *visit, void *context)
{
	size_t count;
	const struct histree_event_host *hosts = histree_events_hosts(dataset->trace_events, &count);
	band->host_name = band->host < count ? hosts[band->host].name : NULL;
	visit(context, band);
}

void gap_bands_each(const struct dataset *dataset, histree_time from, histree_time to, uint32_t pixels,
		    gap_band_visit *visit, void *context)
{
	size_t count = 0;
	const struct histree_gap *gaps =
		dataset->trace_events != NULL ? histree_events_gaps(dataset->trace_events, &count) : NULL;
	const struct histree_store_info *info = histree_store_info(dataset->store);
	uint64_t step = ((uint64_t)to - (uint64_t)from) / (pixels < GAP_BANDS_MAX ? pixels : GAP_BANDS_MAX);
	struct gap_band band = { .gaps = 0 };
	for (size_t i = 0; i < count; i++) {
		struct histree_gap gap = gaps[i];
		gap.from = clamp(gap.from, info);
		gap.to = clamp(gap.to, info);
		if (gap.to < from || gap.from > to)
			continue;
		if (band.gaps > 0 && touches(&band, &gap, step)) {
			widen(&band, &gap);
			continue;
		}
		if (band.gaps > 0)
			visit_band(dataset, &band, visit, context);
		band = (struct gap_band){ gap.from, gap.to, gap.cpu, 1, gap.events, gap.host, NULL };
	}
	if (band.gaps > 0)
		visit_band(dataset, &band, visit, context);
}

void gap_band_text(const struct gap_band *band, struct piece *text)
{
	if (band->events > 0)
		piece_format(text, "%" PRIu64 " event%s lost", band->events, band->events == 1 ? "" : "s");
	else
		piece_put_text(text, "events lost");
	if (band->gaps > 1)
		piece_format(text, " in %" PRIu64 " gaps", band->gaps);
	if (band->cpu >= 0)
		piece_format(text, " on CPU %" PRId32, band->cpu);
	if (band->host_name != NULL)
		piece_format(text, " of %s", band->host_name);
}
