// SPDX-License-Identifier: MIT
/*
 * row_group.c - makes the rows of one group: from an overview if a pixel contains enough of its cells, else from
 * the states or, for rows with too many states, from samples (histree/states.h).
 */
#include "query/row_group.h"

#include <assert.h>
#include <stdlib.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/states.h"
#include "query/value_table.h"
#include "state/history.h"
#include "state/pyramid.h"

/* Returns whether an interval is not shorter than any pixel. */
static inline bool pixel_scale_resolves(const struct pixel_scale *scale, const struct histree_interval *interval)
{
	return (uint64_t)interval->end - (uint64_t)interval->start >= scale->quotient;
}

/* ---- pixel scale --------------------------------------------------------------------------------------------- */

struct pixel_scale pixel_scale(histree_time from, histree_time to, uint32_t pixels)
{
	assert(from <= to && pixels > 0);
	/* The number of ns is one more than this, and may be 2^64. */
	uint64_t length = (uint64_t)to - (uint64_t)from;
	return (struct pixel_scale){
		.from = from,
		.to = to,
		.pixels = pixels,
		.quotient = length / pixels,
		.remainder = length % pixels + 1,
		.per_ns = pixels / ((double)length + 1),
	};
}

histree_time pixel_first(const struct pixel_scale *scale, uint32_t pixel)
{
	uint64_t after = scale->quotient * pixel + scale->remainder * pixel / scale->pixels;
	return (histree_time)((uint64_t)scale->from + after);
}

histree_time pixel_last(const struct pixel_scale *scale, uint32_t pixel)
{
	histree_time first = pixel_first(scale, pixel);
	assert(pixel < scale->pixels);
	if (pixel == scale->pixels - 1)
		return scale->to;
	histree_time next = pixel_first(scale, pixel + 1);
	return next > first ? next - 1 : first;
}

static uint32_t near_pixel(const struct pixel_scale *scale, double pixel)
{
	if (pixel <= 0)
		return 0;
	return pixel < scale->pixels ? (uint32_t)pixel : scale->pixels - 1;
}

uint32_t pixel_to(const struct pixel_scale *scale, histree_time t)
{
	assert(t >= scale->from && t <= scale->to);
	double ns = (double)((uint64_t)t - (uint64_t)scale->from);
	uint32_t pixel = near_pixel(scale, (ns + 1) * scale->per_ns);
	while (pixel > 0 && pixel_first(scale, pixel) > t)
		pixel--;
	while (pixel + 1 < scale->pixels && pixel_first(scale, pixel + 1) <= t)
		pixel++;
	assert(pixel < scale->pixels);
	return pixel;
}

uint32_t pixel_from(const struct pixel_scale *scale, histree_time t)
{
	if (scale->quotient > 0) /* each pixel has times of its own */
		return pixel_to(scale, t);
	double ns = (double)((uint64_t)t - (uint64_t)scale->from);
	uint32_t pixel = near_pixel(scale, ns * scale->per_ns);
	while (pixel > 0 && pixel_first(scale, pixel - 1) >= t)
		pixel--;
	while (pixel + 1 < scale->pixels && pixel_first(scale, pixel) < t)
		pixel++;
	return pixel;
}

histree_time histree_pixel_start(histree_time from, histree_time to, uint32_t pixels, uint32_t pixel)
{
	struct pixel_scale scale = pixel_scale(from, to, pixels > 0 ? pixels : 1);
	return pixel_first(&scale, pixel);
}

/* ---- row group ----------------------------------------------------------------------------------------------- */

/* What reading needs at hand. */
struct reading {
	struct row_group *group;
	const struct histree_rows_request *request;
	struct row_sources *sources;
	struct value_table *values;
	size_t asked; /* whose the interval before was: intervals of one attribute often follow one another */
};

/* ---- which rows ------------------------------------------------------------------------------------------- */

enum histree_status row_group_choose(struct row_group *group, const histree_quark *quarks, size_t count,
				     struct histree_error *error)
{
	group->quark_count = 0;
	if (!array_reserve(&group->quarks, &group->quarks_capacity, count) ||
	    !array_reserve(&group->readings, &group->readings_capacity, count) ||
	    !array_reserve(&group->asked, &group->asked_capacity, count) ||
	    !array_reserve(&group->asked_rows, &group->asked_rows_capacity, count))
		return error_memory(error, "rows");
	for (size_t i = 0; i < count; i++)
		group->quarks[i] = quarks[i];
	qsort(group->quarks, count, sizeof(*group->quarks), compare_u32);
	for (size_t i = 0; i < count; i++)
		if (group->quark_count == 0 || group->quarks[group->quark_count - 1] != group->quarks[i])
			group->quarks[group->quark_count++] = group->quarks[i];
	return HISTREE_OK;
}

struct sought {
	const histree_quark *quarks;
	histree_quark quark;
};

static bool is_before(const void *context, size_t index)
{
	const struct sought *sought = context;
	return sought->quarks[index] < sought->quark;
}

/* Where a quark is, or would be, in an ascending list; it is likely to be near that position. */
static size_t find_quark(const histree_quark *quarks, size_t count, size_t near, histree_quark quark)
{
	const struct sought sought = { quarks, quark };
	return search_first(0, count, near, is_before, &sought);
}

size_t row_group_find(const struct row_group *group, histree_quark quark)
{
	return find_quark(group->quarks, group->quark_count, group->quark_count / 2, quark);
}

/* ---- one state -------------------------------------------------------------------------------------------- */

/* The k-th sample of a pixel: in the middle of a quarter of it. */
static histree_time sample(const struct pixel_scale *scale, uint32_t pixel, unsigned k)
{
	histree_time first = pixel_first(scale, pixel);
	uint64_t width = (uint64_t)pixel_last(scale, pixel) - (uint64_t)first;
	uint64_t eighths = 2 * k + 1;
	uint64_t after = width / (2 * SAMPLES_PER_PIXEL) * eighths +
			 width % (2 * SAMPLES_PER_PIXEL) * eighths / (2 * SAMPLES_PER_PIXEL);
	return (histree_time)((uint64_t)first + after);
}

/* How much of a pixel a state has: ns, or, of a sampled row, samples. */
static uint64_t share(const struct row_group *group, size_t row, uint32_t pixel, histree_time start,
		      histree_time end)
{
	if (!group->readings[row].sampled) {
		histree_time first = pixel_first(&group->scale, pixel), last = pixel_last(&group->scale, pixel);
		return (uint64_t)(end < last ? end : last) - (uint64_t)(start > first ? start : first) + 1;
	}
	assert(pixel < group->scale.pixels);
	uint64_t samples = 0;
	for (unsigned k = 0; k < SAMPLES_PER_PIXEL; k++) {
		histree_time t = sample(&group->scale, pixel, k);
		samples += t >= start && t <= end;
	}
	return samples;
}

static enum histree_status add_to_cells(struct row_group *group, size_t row, histree_time start, histree_time end,
					uint32_t value, struct histree_error *error)
{
	const struct pixel_scale *scale = &group->scale;
	if (start < scale->from)
		start = scale->from;
	if (end > scale->to)
		end = scale->to;
	assert(start <= end && row < group->quark_count);
	/* Mostly in the pixel of the one before.  Where pixels are shorter than a ns, several have one time. */
	const struct pixel_cell *before = &group->cell;
	bool is_near = scale->quotient > 0 && pixel_cell_has(before, start, end);
	if (is_near && !group->readings[row].sampled && (start > before->first || end < before->last))
		return cell_sums_add(&group->sums, row * scale->pixels + before->pixel, value,
				     (uint64_t)end - (uint64_t)start + 1, error);
	uint32_t first = before->pixel, last = first;
	if (!is_near) {
		first = pixel_from(scale, start);
		last = pixel_to(scale, end);
		group->cell = pixel_cell(scale, last);
	}
	assert(first <= last && last < scale->pixels);
	for (uint32_t pixel = first; pixel <= last; pixel++) {
		size_t cell = row * scale->pixels + pixel;
		bool inside = pixel > first && pixel < last;
		if (inside || (start <= pixel_first(scale, pixel) && end >= pixel_last(scale, pixel))) {
			cell_sums_fill(&group->sums, cell, value);
			continue;
		}
		uint64_t weight = share(group, row, pixel, start, end);
		enum histree_status status =
			weight == 0 ? HISTREE_OK : cell_sums_add(&group->sums, cell, value, weight, error);
		if (status != HISTREE_OK)
			return status;
	}
	return HISTREE_OK;
}

static enum histree_status row_group_take(struct reading *reading, const struct histree_interval *interval,
					  struct histree_error *error)
{
	struct row_group *group = reading->group;
	if (group->asked[reading->asked] != interval->quark)
		reading->asked = find_quark(group->asked, group->asked_count, reading->asked, interval->quark);
	assert(reading->asked < group->asked_count && group->asked[reading->asked] == interval->quark);
	size_t row = group->asked_rows[reading->asked];
	struct row_reading *how = &group->readings[row];
	how->states++;
	if (how->overview != UINT32_MAX && pyramid_value_is_rest(&interval->value))
		return HISTREE_OK; /* the others that lasted longer are there */
	uint32_t value;
	enum histree_status status = value_table_add(reading->values, &interval->value, &value, error);
	if (status != HISTREE_OK)
		return status;
	if (reading->request->shape == HISTREE_ROWS_STATES && pixel_scale_resolves(&group->scale, interval)) {
		if (!array_reserve(&group->resolved, &group->resolved_capacity, group->resolved_count + 1))
			return error_memory(error, "the states of rows");
		group->resolved[group->resolved_count++] = (struct resolved_state){
			.start = interval->start,
			.end = interval->end,
			.row = (uint32_t)row,
			.value = value,
		};
		return HISTREE_OK;
	}
	return add_to_cells(group, row, interval->start, interval->end, value, error);
}

/* ---- all states ------------------------------------------------------------------------------------------- */

enum { STATES_AT_ONCE = 128 };

static enum histree_status row_group_begin(struct row_group *group, struct histree_error *error)
{
	group->resolved_count = 0;
	for (size_t row = 0; row < group->quark_count; row++)
		group->readings[row].states = 0;
	return cell_sums_begin(&group->sums, group->quark_count * group->scale.pixels, error);
}

static void ask_nothing(struct reading *reading)
{
	reading->group->asked_count = 0;
	reading->asked = 0;
}

static void ask_for(struct row_group *group, size_t row, histree_quark quark)
{
	assert(group->asked_count < group->asked_capacity);
	assert(group->asked_count == 0 || group->asked[group->asked_count - 1] < quark);
	group->asked_rows[group->asked_count] = (uint32_t)row;
	group->asked[group->asked_count++] = quark;
}

/* Asks for the rows that come from the history: the sampled ones, or the others. */
static void ask_history(struct reading *reading, bool sampled)
{
	struct row_group *group = reading->group;
	ask_nothing(reading);
	for (size_t row = 0; row < group->quark_count; row++)
		if (group->readings[row].overview == UINT32_MAX && group->readings[row].sampled == sampled)
			ask_for(group, row, group->quarks[row]);
}

/* Asks for the rows from `first` to `end`, which are of one host. */
static void ask_overview(struct reading *reading, size_t first, size_t end, uint32_t overview)
{
	struct row_group *group = reading->group;
	ask_nothing(reading);
	for (size_t row = first; row < end; row++)
		if (group->readings[row].overview == overview)
			ask_for(group, row, group->readings[row].own);
}

/* Read the rows that are asked for, `most` states at most.  HISTREE_PARTIAL: there are more. */
static enum histree_status read_region(struct reading *reading, struct histree_cursor *query,
				       struct histree_region region, uint64_t max, struct histree_error *error)
{
	size_t count;
	region.quarks = reading->group->asked;
	region.quark_count = reading->group->asked_count;
	enum histree_status status = histree_query_start(query, &region, error);
	for (uint64_t read = 0, asked = 0; status == HISTREE_OK; read += count) {
		if (read >= asked) {
			status = cancel_check(&reading->request->work, 0, error);
			asked = read + CANCEL_STEPS;
		}
		if (status == HISTREE_OK)
			status = histree_cursor_read(query, STATES_AT_ONCE, &count, error);
		const struct histree_interval *batch = histree_cursor_interval(query);
		assert(status != HISTREE_OK || (count > 0 && count <= STATES_AT_ONCE));
		if (status == HISTREE_OK && count > max - read)
			return HISTREE_PARTIAL;
		for (size_t i = 0; status == HISTREE_OK && i < count; i++)
			status = row_group_take(reading, &batch[i], error);
	}
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* Every state of the rows that are not sampled.  HISTREE_PARTIAL: they have more than their part. */
static enum histree_status read_exactly(struct reading *reading, uint64_t per_row, struct histree_error *error)
{
	const struct histree_region region = { .from = reading->request->from, .to = reading->request->to };
	enum histree_status status = row_group_begin(reading->group, error);
	ask_history(reading, false);
	if (status == HISTREE_OK)
		status = read_region(reading, reading->sources->query, region,
				     per_row * reading->group->asked_count, error);
	return status;
}

static void add_sample(struct row_group *group, histree_time t)
{
	assert(group->sample_count == 0 || group->samples[group->sample_count - 1] <= t);
	assert(t >= group->scale.from && t <= group->scale.to);
	if (group->sample_count == 0 || group->samples[group->sample_count - 1] != t)
		group->samples[group->sample_count++] = t;
}

/* Those of each pixel, and the ends of the range: a long state may reach in by less than samples are apart. */
static enum histree_status choose_samples(struct row_group *group, struct histree_error *error)
{
	const struct pixel_scale *scale = &group->scale;
	group->sample_count = 0;
	if (!array_reserve(&group->samples, &group->samples_capacity,
			   (size_t)scale->pixels * SAMPLES_PER_PIXEL + 2))
		return error_memory(error, "the samples of rows");
	add_sample(group, scale->from);
	for (uint32_t pixel = 0; pixel < scale->pixels; pixel++)
		for (unsigned k = 0; k < SAMPLES_PER_PIXEL; k++)
			add_sample(group, sample(scale, pixel, k));
	add_sample(group, scale->to);
	return HISTREE_OK;
}

static enum histree_status read_samples(struct reading *reading, struct histree_error *error)
{
	struct row_group *group = reading->group;
	enum histree_status status = choose_samples(group, error);
	const struct histree_region region = { .times = group->samples, .time_count = group->sample_count };
	ask_history(reading, true);
	return status == HISTREE_OK ? read_region(reading, reading->sources->query, region, UINT64_MAX, error)
				    : status;
}

/*
 * All states, if they are not too many; else the rows with more than their part are left to samples, and what is
 * left is tried once more.  So no state is read more than twice in vain.
 */
static enum histree_status read_rows(struct reading *reading, uint64_t per_row, struct histree_error *error)
{
	struct row_group *group = reading->group;
	for (size_t row = 0; row < group->quark_count; row++)
		group->readings[row].sampled = false;
	enum histree_status status = read_exactly(reading, per_row, error);
	if (status != HISTREE_PARTIAL)
		return status;
	for (size_t row = 0; row < group->quark_count; row++)
		group->readings[row].sampled = group->readings[row].states > per_row;
	status = read_exactly(reading, per_row, error);
	if (status == HISTREE_PARTIAL) {
		for (size_t row = 0; row < group->quark_count; row++)
			group->readings[row].sampled = group->readings[row].overview == UINT32_MAX;
		status = row_group_begin(group, error);
	}
	return status == HISTREE_OK ? read_samples(reading, error) : status;
}

/* ---- from overviews ----------------------------------------------------------------------------------------- */

/* A pixel must be several cells wide: what was where in a cell is not known. */
static bool choose_overviews(struct reading *reading, uint64_t per_cell)
{
	struct row_group *group = reading->group;
	uint64_t cells = per_cell / INTERVALS_PER_OVERVIEW_CELL;
	bool any = false;
	if (cells < INTERVALS_PER_OVERVIEW_CELL)
		cells = INTERVALS_PER_OVERVIEW_CELL;
	for (size_t row = 0; row < group->quark_count; row++) {
		struct row_reading *how = &group->readings[row];
		histree_quark quark = group->quarks[row];
		how->overview = UINT32_MAX;
		how->host = (uint32_t)histree_history_host_of(reading->sources->history, quark);
		const struct histree_history *shard = history_of_host(reading->sources->history, &quark);
		if (shard == NULL)
			continue;
		const struct pyramid *rows = history_pyramid(shard, PYRAMID_ROWS);
		const struct pyramid_entry *entry;
		how->overview = pyramid_find_width(rows, quark, group->scale.quotient / cells, &entry);
		/* Rather than samples, which miss more. */
		if (how->overview == UINT32_MAX && per_cell <= INTERVALS_PER_CELL)
			how->overview = pyramid_find_width(rows, quark,
							   group->scale.quotient / OVERVIEW_CELLS_LEAST, &entry);
		if (how->overview != UINT32_MAX)
			how->own = entry->own;
		any = any || how->overview != UINT32_MAX;
	}
	return any;
}

/* The query of an overview of a host's history. */
static enum histree_status ask_with(struct row_sources *sources, const struct histree_history *shard, uint32_t host,
				    uint32_t overview, struct histree_cursor **out, struct histree_error *error)
{
	size_t hosts;
	histree_history_hosts(sources->history, &hosts);
	*out = NULL;
	if (sources->overviews == NULL)
		sources->overviews = calloc(hosts + 1, sizeof(*sources->overviews));
	if (sources->overviews == NULL)
		return error_memory(error, "rows");
	assert(host <= hosts && overview < PYRAMID_LEVELS_MAX);
	enum histree_status status = HISTREE_OK;
	if (sources->overviews[host][overview] == NULL)
		status = histree_query_create(history_pyramid(shard, PYRAMID_ROWS)->levels[overview].history,
					      &sources->overviews[host][overview], error);
	*out = sources->overviews[host][overview];
	return status;
}

/* The rows that are asked for are null in a time in which their host was not traced. */
static enum histree_status take_nulls(struct reading *reading, histree_time from, histree_time to,
				      struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < reading->group->asked_count && status == HISTREE_OK; i++) {
		const struct histree_interval outside = { from, to, reading->group->asked[i], histree_null() };
		status = row_group_take(reading, &outside, error);
	}
	return status;
}

/* HISTREE_ERR_FORMAT also where nothing but a part of it was damaged. */
static enum histree_status read_overview(struct reading *reading, const struct histree_history *shard,
					 uint32_t host, uint32_t overview, struct histree_error *error)
{
	const struct histree_history_info *all = histree_history_info(reading->sources->history);
	const struct histree_history_info *own = histree_history_info(shard);
	const struct histree_rows_request *request = reading->request;
	const struct histree_region region = { .from = request->from > own->start ? request->from : own->start,
					       .to = request->to < own->end ? request->to : own->end };
	struct histree_cursor *query;
	enum histree_status status = ask_with(reading->sources, shard, host, overview, &query, error);
	if (status == HISTREE_OK && request->from < own->start)
		status = take_nulls(reading, all->start, own->start - 1, error);
	if (status == HISTREE_OK && request->to > own->end)
		status = take_nulls(reading, own->end + 1, all->end, error);
	if (status != HISTREE_OK || region.from > region.to)
		return status;
	status = read_region(reading, query, region, UINT64_MAX, error);
	bool is_damaged = histree_cursor_loss(query).nodes > 0;
	return status == HISTREE_OK && is_damaged ? HISTREE_ERR_FORMAT : status;
}

static enum histree_status read_overviews(struct reading *reading, struct histree_error *error)
{
	const struct row_group *group = reading->group;
	enum histree_status status = HISTREE_OK;
	for (size_t first = 0, end; first < group->quark_count && status == HISTREE_OK; first = end) {
		uint32_t host = group->readings[first].host;
		for (end = first + 1; end < group->quark_count && group->readings[end].host == host;)
			end++;
		histree_quark last = group->quarks[end - 1]; /* no folder, if there is anything but that */
		const struct histree_history *shard = history_of_host(reading->sources->history, &last);
		for (uint32_t overview = 0; shard != NULL && overview < PYRAMID_LEVELS_MAX && status == HISTREE_OK;
		     overview++) {
			ask_overview(reading, first, end, overview);
			if (group->asked_count > 0)
				status = read_overview(reading, shard, host, overview, error);
		}
	}
	return status;
}

/* ----------------------------------------------------------------------------------------------------------- */

COMPARE(compare_resolved, struct resolved_state, BY(row) BY(start))

enum histree_status row_group_read(struct row_group *group, const struct histree_rows_request *request,
				   struct row_sources *sources, struct value_table *values,
				   struct histree_error *error)
{
	struct reading reading = { .group = group, .request = request, .sources = sources, .values = values };
	uint64_t per_cell = request->intervals_per_cell != 0 ? request->intervals_per_cell : INTERVALS_PER_CELL;
	group->scale = pixel_scale(request->from, request->to, request->pixels);
	group->cell = pixel_cell(&group->scale, 0);
	bool has_overviews = choose_overviews(&reading, per_cell);
	enum histree_status status = read_rows(&reading, per_cell * request->pixels, error);
	enum histree_status of_overviews =
		status == HISTREE_OK && has_overviews ? read_overviews(&reading, error) : HISTREE_OK;
	if (of_overviews == HISTREE_ERR_CANCELLED || of_overviews == HISTREE_ERR_MEMORY)
		return of_overviews;
	if (of_overviews != HISTREE_OK) { /* the history itself may be whole */
		for (size_t row = 0; row < group->quark_count; row++)
			group->readings[row].overview = UINT32_MAX;
		status = read_rows(&reading, per_cell * request->pixels, error);
	}
	if (histree_cursor_loss(sources->query).nodes > 0)
		sources->met_damage = true;
	if (status == HISTREE_OK && group->resolved_count > 1)
		qsort(group->resolved, group->resolved_count, sizeof(*group->resolved), compare_resolved);
	return status;
}

void row_sources_release(struct row_sources *sources)
{
	size_t hosts;
	histree_history_hosts(sources->history, &hosts);
	for (size_t host = 0; sources->overviews != NULL && host <= hosts; host++)
		for (size_t i = 0; i < PYRAMID_LEVELS_MAX; i++)
			histree_cursor_free(sources->overviews[host][i]);
	free(sources->overviews);
	histree_cursor_free(sources->query);
}

void row_group_release(struct row_group *group)
{
	free(group->quarks);
	free(group->readings);
	free(group->asked);
	free(group->asked_rows);
	free(group->resolved);
	free(group->samples);
	cell_sums_release(&group->sums);
	*group = (struct row_group){ 0 };
}
