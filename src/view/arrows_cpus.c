// SPDX-License-Identifier: MIT
/*
 * Switches and migrations, from CPUs/<cpu>/Current_thread alone: who had which CPU, one stay after the other.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/cancel.h"
#include "histree/query.h"
#include "query/pixel_scale.h"
#include "view/arrow_list.h"

enum { NOBODY = -1, NOT_KNOWN = -2 }; /* instead of a tid */

struct cpu_row {
	histree_quark quark;
	int32_t cpu;
};

/* A time that a thread had a CPU; 0 is the idle one. */
struct stay {
	histree_time start, end;
	int32_t cpu, tid;
	bool is_beyond; /* it does not meet the range: known for the sake of its neighbour */
};

struct stays {
	const struct histree_arrows_request *request;
	const struct histree_history_info *info;
	struct histree_query *query;
	struct cpu_row *cpus; /* by quark */
	histree_quark *quarks;
	size_t cpu_count;
	struct stay *stays;
	size_t count, capacity;
	size_t unknown_count; /* sorted by thread, these come first */
	bool are_sampled;
};

/* ---- which CPUs ------------------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
	const struct cpu_row *first = a, *second = b;
	return (first->quark > second->quark) - (first->quark < second->quark);
}

static enum histree_status find_cpus(struct stays *stays, struct histree_error *error)
{
	uint32_t count;
	const struct histree_resource *list = histree_resources_list(stays->request->resources, &count);
	stays->cpus = malloc(((size_t)count + 1) * sizeof(*stays->cpus));
	stays->quarks = malloc(((size_t)count + 1) * sizeof(*stays->quarks));
	if (stays->cpus == NULL || stays->quarks == NULL)
		return error_memory(error, "arrows");
	for (uint32_t i = 0; i < count; i++)
		if (list[i].kind == HISTREE_RESOURCE_CURRENT_THREAD)
			stays->cpus[stays->cpu_count++] = (struct cpu_row){ list[i].quark, list[i].cpu };
	if (stays->cpu_count > 0)
		qsort(stays->cpus, stays->cpu_count, sizeof(*stays->cpus), compare_rows);
	for (size_t i = 0; i < stays->cpu_count; i++)
		stays->quarks[i] = stays->cpus[i].quark;
	return HISTREE_OK;
}

static const struct cpu_row *row_of(const struct stays *stays, histree_quark quark)
{
	const struct cpu_row key = { .quark = quark };
	return bsearch(&key, stays->cpus, stays->cpu_count, sizeof(key), compare_rows);
}

/* ---- reading ---------------------------------------------------------------------------------------------- */

static enum histree_status add_stay(struct stays *stays, const struct histree_interval *interval, bool is_beyond,
				    struct histree_error *error)
{
	const struct cpu_row *row = row_of(stays, interval->quark);
	if (row == NULL)
		return HISTREE_OK;
	if (!array_reserve(&stays->stays, &stays->capacity, stays->count + 1))
		return error_memory(error, "arrows");
	int32_t tid = interval->value.type == HISTREE_INT       ? interval->value.int32
		      : interval->value.type == HISTREE_UNKNOWN ? NOT_KNOWN
								: NOBODY;
	stays->stays[stays->count++] = (struct stay){ interval->start, interval->end, row->cpu, tid, is_beyond };
	return HISTREE_OK;
}

/* HISTREE_ERR_TOO_LARGE: there are more than `stays_max`. */
static enum histree_status read_region(struct stays *stays, const struct histree_region *region, size_t stays_max,
				       struct histree_error *error)
{
	struct histree_interval interval;
	enum histree_status status = histree_query_start(stays->query, region, error);
	stays->count = 0;
	while (status == HISTREE_OK && stays->count <= stays_max) {
		status = cancel_check(&stays->request->cancel, stays->count, error);
		if (status == HISTREE_OK)
			status = histree_query_next(stays->query, &interval, error);
		if (status == HISTREE_OK)
			status = add_stay(stays, &interval, false, error);
	}
	return status == HISTREE_OK ? HISTREE_ERR_TOO_LARGE : status == HISTREE_END ? HISTREE_OK : status;
}

/* Who had the CPUs at each pixel's beginning, and at the end. */
static enum histree_status read_samples(struct stays *stays, struct histree_error *error)
{
	const struct histree_arrows_request *request = stays->request;
	uint32_t pixels = arrow_pixels(request, stays->cpu_count);
	struct pixel_scale scale = pixel_scale(request->from, request->to, pixels);
	histree_time *times = malloc(((size_t)pixels + 1) * sizeof(*times));
	if (times == NULL)
		return error_memory(error, "arrows");
	size_t count = 0;
	for (uint32_t i = 0; i < pixels; i++) {
		histree_time time = pixel_first(&scale, i);
		if (count == 0 || time > times[count - 1])
			times[count++] = time;
	}
	if (times[count - 1] < request->to)
		times[count++] = request->to;
	struct histree_region region = {
		.quarks = stays->quarks,
		.quark_count = stays->cpu_count,
		.times = times,
		.time_count = count,
	};
	enum histree_status status = read_region(stays, &region, SIZE_MAX - 1, error);
	stays->are_sampled = true;
	free(times);
	return status;
}

static enum histree_status read_stays(struct stays *stays, struct histree_error *error)
{
	struct histree_region region = {
		.quarks = stays->quarks,
		.quark_count = stays->cpu_count,
		.from = stays->request->from,
		.to = stays->request->to,
	};
	enum histree_status status = read_region(stays, &region, ARROW_READS_MAX, error);
	return status == HISTREE_ERR_TOO_LARGE ? read_samples(stays, error) : status;
}

static int compare_by_cpu(const void *a, const void *b)
{
	const struct stay *first = a, *second = b;
	if (first->cpu != second->cpu)
		return first->cpu < second->cpu ? -1 : 1;
	return (first->start > second->start) - (first->start < second->start);
}

static int compare_by_thread(const void *a, const void *b)
{
	const struct stay *first = a, *second = b;
	if (first->tid != second->tid)
		return first->tid < second->tid ? -1 : 1;
	if (first->start != second->start)
		return first->start < second->start ? -1 : 1;
	return (first->cpu > second->cpu) - (first->cpu < second->cpu);
}

static void sort(struct stays *stays, int (*compare)(const void *a, const void *b))
{
	if (stays->count > 0)
		qsort(stays->stays, stays->count, sizeof(*stays->stays), compare);
}

/* ---- neighbours out of the range -------------------------------------------------------------------------- */

/* A stay that does not meet the range. */
static enum histree_status look(struct stays *stays, histree_quark quark, histree_time time,
				struct histree_interval *out, struct histree_error *error)
{
	enum histree_status status = histree_query_single(stays->query, quark, time, out, error);
	return status == HISTREE_OK ? add_stay(stays, out, true, error) : status;
}

static bool is_idle(const struct histree_interval *interval)
{
	return interval->value.type == HISTREE_INT && interval->value.int32 == 0;
}

/*
 * An arrow meets the range also where one of its threads, or both, do not: between them is idle time.  As two idle
 * times never follow each other, two stays before the range and one after it are enough.
 */
static enum histree_status look_beyond(struct stays *stays, histree_quark quark, struct histree_error *error)
{
	const struct histree_arrows_request *request = stays->request;
	struct histree_interval at;
	enum histree_status status = histree_query_single(stays->query, quark, request->from, &at, error);
	for (int i = 0; i < 2 && status == HISTREE_OK && at.start > stays->info->start; i++)
		if (i == 0 || is_idle(&at))
			status = look(stays, quark, at.start - 1, &at, error);
	if (status == HISTREE_OK)
		status = histree_query_single(stays->query, quark, request->to, &at, error);
	if (status == HISTREE_OK && is_idle(&at) && at.end < stays->info->end)
		status = look(stays, quark, at.end + 1, &at, error);
	return status;
}

/* ---- arrows ----------------------------------------------------------------------------------------------- */

static enum histree_status add_switches(struct stays *stays, struct arrow_list *switches,
					struct histree_error *error)
{
	const struct stay *from = NULL; /* the last who was there, if nobody unknown came after */
	enum histree_status status = HISTREE_OK;
	sort(stays, compare_by_cpu);
	for (size_t i = 0; i < stays->count && status == HISTREE_OK; i++) {
		const struct stay *stay = &stays->stays[i];
		bool follows = i > 0 && stay[-1].cpu == stay->cpu && stay[-1].end + 1 == stay->start;
		from = follows && stay->tid >= 0 ? from : NULL;
		if (from != NULL && stay->tid > 0)
			status = arrow_list_add(switches,
						&(struct histree_arrow){
							.kind = HISTREE_ARROW_SWITCH,
							.from = from->tid,
							.to = stay->tid,
							.cpu = stay->cpu,
							.tid = stay->tid,
							.start = from->end + 1,
							.end = stay->start,
						},
						error);
		from = stay->tid > 0 ? stay : from;
	}
	return status;
}

/* What is sorted by thread: the ends of the unknown times become the latest so far. */
static void prepare_unknown(struct stays *stays)
{
	struct stay *unknown = stays->stays;
	size_t i = 0;
	for (; i < stays->count && unknown[i].tid == NOT_KNOWN; i++)
		if (i > 0 && unknown[i].end < unknown[i - 1].end)
			unknown[i].end = unknown[i - 1].end;
	stays->unknown_count = i;
}

/* Whether a thread may have run on some CPU in [from, to] without anybody knowing it. */
static bool is_unknown(const struct stays *stays, histree_time from, histree_time to)
{
	size_t low = 0, high = stays->unknown_count; /* those before `low` start at `to` or before */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (stays->stays[middle].start <= to)
			low = middle + 1;
		else
			high = middle;
	}
	return from <= to && low > 0 && stays->stays[low - 1].end >= from;
}

/*
 * Between two stays of a thread that both meet the range there is none that does not; but where a CPU is unknown
 * there may be one.
 */
static enum histree_status add_migrations(struct stays *stays, struct arrow_list *migrations,
					  struct histree_error *error)
{
	const struct stay *from = NULL;
	enum histree_status status = HISTREE_OK;
	sort(stays, compare_by_thread);
	prepare_unknown(stays);
	for (size_t i = 0; i < stays->count && status == HISTREE_OK; i++) {
		const struct stay *stay = &stays->stays[i];
		if (stay->is_beyond || stay->tid <= 0)
			continue;
		if (from != NULL && from->tid == stay->tid && from->cpu != stay->cpu && from->end < stay->start &&
		    !is_unknown(stays, from->end + 1, stay->start - 1))
			status = arrow_list_add(migrations,
						&(struct histree_arrow){
							.kind = HISTREE_ARROW_MIGRATION,
							.from = from->cpu,
							.to = stay->cpu,
							.cpu = stay->cpu,
							.tid = stay->tid,
							.start = from->end + 1,
							.end = stay->start,
						},
						error);
		from = stay;
	}
	return status;
}

static enum histree_status gather(struct stays *stays, struct arrow_list *switches, struct arrow_list *migrations,
				  struct histree_error *error)
{
	enum histree_status status = find_cpus(stays, error);
	if (status == HISTREE_OK && stays->cpu_count == 0)
		return HISTREE_OK;
	if (status == HISTREE_OK)
		status = read_stays(stays, error);
	for (size_t i = 0; i < stays->cpu_count && status == HISTREE_OK && !stays->are_sampled; i++)
		status = look_beyond(stays, stays->quarks[i], error);
	if (status == HISTREE_OK)
		status = add_switches(stays, switches, error);
	if (status == HISTREE_OK && !stays->are_sampled)
		status = add_migrations(stays, migrations, error);
	bool is_damaged = histree_query_stats(stays->query).nodes_damaged > 0;
	switches->lacks_some = stays->are_sampled || is_damaged;
	migrations->lacks_some = is_damaged;
	return status;
}

enum histree_status arrows_gather_cpus(const struct histree_arrows_request *request, struct arrow_list *switches,
				       struct arrow_list *migrations, struct histree_error *error)
{
	struct stays stays = { .request = request, .info = histree_history_info(request->history) };
	if (request->resources == NULL)
		return HISTREE_OK;
	enum histree_status status = histree_query_create(request->history, &stays.query, error);
	if (status == HISTREE_OK)
		status = gather(&stays, switches, migrations, error);
	histree_query_free(stays.query);
	free(stays.cpus);
	free(stays.quarks);
	free(stays.stays);
	return status;
}
