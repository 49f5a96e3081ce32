// SPDX-License-Identifier: MIT
/*
 * arrows.c - the arrows of a range: switches and migrations of CPUs, forks, wake-ups, packets, flows, and instants.
 *
 * Each kind is gathered in a list of its own, thinned to what can be seen, and only the arrows that are shown get
 * their rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/attributes.h"
#include "histree/critical_path.h"
#include "histree/states.h"
#include "item/value.h"
#include "query/row_group.h"
#include "view/view.h"

/* Switches, forks, wake-ups or flows that are looked at at most. */
enum { ARROW_READS_MAX = 65536 };

/* A zeroed one is empty. */
struct arrow_list {
	struct histree_arrow *arrows;
	size_t count, capacity;
	bool lacks_some;
};

/* ---- arrows -------------------------------------------------------------------------------------------------- */

struct histree_arrows {
	struct arrow_list list;
	struct intern names; /* of flows and instants */
};

static enum histree_status arrow_list_add(struct arrow_list *list, const struct histree_arrow *arrow,
					  struct histree_error *error)
{
	if (!array_reserve(&list->arrows, &list->capacity, list->count + 1))
		return error_memory(error, "arrows");
	list->arrows[list->count++] = *arrow;
	return HISTREE_OK;
}

/* Adds the arrows of the segments in the range; where these are too many, none. */
static enum histree_status
add_segments(const struct histree_arrows_request *request, struct histree_segment_store *store,
	     enum histree_status (*add)(void *context, const struct histree_segment *segment,
					struct arrow_list *list, struct histree_error *error),
	     void *context, struct arrow_list *list, struct histree_error *error)
{
	struct histree_cursor *iter;
	struct histree_segment_query query = HISTREE_SEGMENTS_ALL;
	query.from = request->from;
	query.to = request->to;
	enum histree_status status = histree_segments_create(store, &iter, error);
	if (status == HISTREE_OK)
		status = histree_segments_start(iter, &query, NULL, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		if (step == ARROW_READS_MAX) {
			list->count = 0;
			list->lacks_some = true;
			break;
		}
		status = cancel_or_next(&request->work, step, iter, error);
		if (status == HISTREE_OK)
			status = add(context, histree_cursor_segment(iter), list, error);
	}
	histree_cursor_free(iter);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/* ---- thinning --------------------------------------------------------------------------------------------- */

/* The pixels in which arrows of `groups` CPUs or stacks may end, one each. */
static uint32_t arrow_pixels(const struct histree_arrows_request *request, size_t groups)
{
	enum { KINDS_OF_A_KERNEL = HISTREE_ARROW_FLOW };
	size_t pixels_max = HISTREE_ARROWS_MAX / KINDS_OF_A_KERNEL / (groups > 0 ? groups : 1);
	pixels_max = pixels_max > 0 ? pixels_max : 1;
	return request->pixels < pixels_max ? request->pixels : (uint32_t)pixels_max;
}

static bool is_of_tracks(enum histree_arrow_kind kind)
{
	return kind == HISTREE_ARROW_FLOW || kind == HISTREE_ARROW_INSTANT;
}

/* Where it ends, which others that end there hide. */
static int32_t group_of(const struct histree_arrow *arrow)
{
	bool is_by_row = is_of_tracks(arrow->kind) || arrow->kind == HISTREE_ARROW_PACKET;
	return is_by_row ? arrow->to : arrow->cpu;
}

COMPARE(compare_arrows, struct histree_arrow,
	BY_ORDER((group_of(a) > group_of(b)) - (group_of(a) < group_of(b))) BY(end) BY(start) BY(from) BY(to))

/* Keeps those candidates, which are of one kind, that can be told apart. */
static enum histree_status take_visible(struct arrow_list *out, struct arrow_list *candidates,
					const struct histree_arrows_request *request, struct histree_error *error)
{
	out->lacks_some = out->lacks_some || candidates->lacks_some;
	if (candidates->count == 0)
		return HISTREE_OK;
	qsort(candidates->arrows, candidates->count, sizeof(*candidates->arrows), compare_arrows);
	size_t count = 0;
	for (size_t i = 0; i < candidates->count; i++)
		count += i == 0 || group_of(&candidates->arrows[i]) != group_of(&candidates->arrows[i - 1]);
	struct pixel_scale scale = pixel_scale(request->from, request->to, arrow_pixels(request, count));
	const struct histree_arrow *last = NULL;
	uint32_t last_pixel = 0;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < candidates->count && status == HISTREE_OK; i++) {
		const struct histree_arrow *arrow = &candidates->arrows[i];
		if (arrow->end < request->from || arrow->start > request->to)
			continue;
		uint32_t pixel = pixel_from(&scale, arrow->end < request->to ? arrow->end : request->to);
		if ((last != NULL && group_of(last) == group_of(arrow) && last_pixel == pixel) ||
		    out->count == HISTREE_ARROWS_MAX) {
			out->lacks_some = true;
			continue;
		}
		status = arrow_list_add(out, arrow, error);
		last = arrow;
		last_pixel = pixel;
	}
	return status;
}

/* ---- forks ------------------------------------------------------------------------------------------------ */

/* In the range, and perhaps seen by the trace. */
static bool may_be_fork(const struct histree_arrows_request *request, const struct histree_thread *thread)
{
	return thread->first == thread->ppid_since && thread->first >= request->from &&
	       thread->first <= request->to && thread->parent != HISTREE_NO_INDEX && thread->tid > 0 &&
	       thread->ppid > 0;
}

static enum histree_status check_forks(const struct histree_arrows_request *request,
				       const struct histree_thread *threads, uint32_t count,
				       struct histree_cursor *query, struct arrow_list *forks,
				       struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < count && status == HISTREE_OK; i++) {
		const struct histree_thread *thread = &threads[i];
		bool is_fork = false;
		status = cancel_check(&request->work, i, error);
		if (status == HISTREE_OK && may_be_fork(request, thread))
			status = histree_thread_is_forked(query, thread, &is_fork, error);
		if (status == HISTREE_OK && is_fork)
			status = arrow_list_add(forks,
						&(struct histree_arrow){
							.kind = HISTREE_ARROW_FORK,
							.from = thread->ppid,
							.to = thread->tid,
							.cpu = -1,
							.tid = thread->tid,
							.start = thread->first,
							.end = thread->first,
						},
						error);
	}
	return status;
}

static enum histree_status arrows_gather_forks(const struct histree_arrows_request *request,
					       struct arrow_list *forks, struct histree_error *error)
{
	uint32_t count, candidates = 0;
	struct histree_cursor *query;
	if (request->flow == NULL)
		return HISTREE_OK;
	const struct histree_thread *threads = histree_control_flow_threads(request->flow, &count);
	for (uint32_t i = 0; i < count; i++)
		candidates += may_be_fork(request, &threads[i]);
	forks->lacks_some = candidates > ARROW_READS_MAX;
	if (forks->lacks_some || candidates == 0)
		return HISTREE_OK;
	enum histree_status status = histree_query_create(request->history, &query, error);
	if (status == HISTREE_OK)
		status = check_forks(request, threads, count, query, forks, error);
	histree_cursor_free(query);
	return status;
}

/* ---- wake-ups --------------------------------------------------------------------------------------------- */

struct wakeup_fields {
	size_t tid, cpu, waker;
};

static enum histree_status find_fields(const struct histree_segment_store *store, struct wakeup_fields *fields)
{
	enum histree_status status = histree_segment_store_field(store, "tid", &fields->tid);
	if (status == HISTREE_OK)
		status = histree_segment_store_field(store, "cpu", &fields->cpu);
	return status == HISTREE_OK ? histree_segment_store_field(store, "waker", &fields->waker) : status;
}

static int32_t number_of(const struct histree_segment *segment, size_t field)
{
	const struct histree_value *value = &segment->content[field];
	return value->type == HISTREE_INT ? value->int32 : -1;
}

/* Interrupts of an idle CPU wake up too: those have no thread at the other end. */
static enum histree_status add_wakeup(void *context, const struct histree_segment *segment,
				      struct arrow_list *wakeups, struct histree_error *error)
{
	const struct wakeup_fields *fields = context;
	const struct histree_arrow arrow = {
		.kind = HISTREE_ARROW_WAKEUP,
		.from = number_of(segment, fields->waker),
		.to = number_of(segment, fields->tid),
		.cpu = number_of(segment, fields->cpu),
		.tid = number_of(segment, fields->tid),
		.start = segment->start,
		.end = segment->end,
	};
	return arrow.from > 0 && arrow.to > 0 ? arrow_list_add(wakeups, &arrow, error) : HISTREE_OK;
}

static enum histree_status arrows_gather_wakeups(const struct histree_arrows_request *request,
						 struct arrow_list *wakeups, struct histree_error *error)
{
	struct wakeup_fields fields;
	if (request->wakeups == NULL)
		return HISTREE_OK;
	if (find_fields(request->wakeups, &fields) != HISTREE_OK)
		return error_set(error, HISTREE_ERR_ARGUMENT, "these segments are no wake-ups");
	return add_segments(request, request->wakeups, add_wakeup, &fields, wakeups, error);
}

/* ---- arrows cpus --------------------------------------------------------------------------------------------- */

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
	struct histree_cursor *query;
	struct cpu_row *cpus; /* by quark */
	histree_quark *quarks;
	size_t cpu_count;
	struct stay *stays;
	size_t count, capacity;
	size_t unknown_count; /* sorted by thread, these come first */
	bool are_sampled;
};

/* ---- which CPUs ------------------------------------------------------------------------------------------- */

COMPARE(compare_rows, struct cpu_row, BY(quark))

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

/* ---- reading ---------------------------------------------------------------------------------------------- */

static enum histree_status add_stay(struct stays *stays, const struct histree_interval *interval, bool is_beyond,
				    struct histree_error *error)
{
	const struct cpu_row key = { .quark = interval->quark };
	const struct cpu_row *row = bsearch(&key, stays->cpus, stays->cpu_count, sizeof(key), compare_rows);
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
		status = cancel_or_next(&stays->request->work, stays->count, stays->query, error);
		if (status == HISTREE_OK)
			interval = *histree_cursor_interval(stays->query);
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

COMPARE(compare_by_cpu, struct stay, BY(cpu) BY(start))

COMPARE(compare_by_thread, struct stay, BY(tid) BY(start) BY(cpu))

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

/* ---- arrows ----------------------------------------------------------------------------------------------- */

static enum histree_status add_switches(struct stays *stays, struct arrow_list *switches,
					struct histree_error *error)
{
	const struct stay *from = NULL; /* the last stay of a thread; NULL: unknown time came after */
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

/* Returns whether a CPU is unknown at some time of [from, to], so that a thread may have run there. */
static bool is_unknown(const struct stays *stays, histree_time from, histree_time to)
{
	/* Those before `low` start at `to` or before. */
	const size_t low = SEARCH(i, 0, stays->unknown_count, stays->stays[i].start <= to);
	return from <= to && low > 0 && stays->stays[low - 1].end >= from;
}

/*
 * All stays between two stays of a thread that both meet the range meet it too, and are known; but where a CPU is
 * unknown there may be another one.
 */
static enum histree_status add_migrations(struct stays *stays, struct arrow_list *migrations,
					  struct histree_error *error)
{
	const struct stay *from = NULL;
	enum histree_status status = HISTREE_OK;
	sort(stays, compare_by_thread);

	/* What is sorted by thread: the ends of the unknown times become the latest so far. */
	struct stay *unknown = stays->stays;
	size_t k = 0;
	for (; k < stays->count && unknown[k].tid == NOT_KNOWN; k++)
		if (k > 0 && unknown[k].end < unknown[k - 1].end)
			unknown[k].end = unknown[k - 1].end;
	stays->unknown_count = k;
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

static enum histree_status arrows_cpus_gather(struct stays *stays, struct arrow_list *switches,
					      struct arrow_list *migrations, struct histree_error *error)
{
	enum histree_status status = find_cpus(stays, error);
	if (status == HISTREE_OK && stays->cpu_count == 0)
		return HISTREE_OK;
	if (status == HISTREE_OK) {
		struct histree_region region = {
			.quarks = stays->quarks,
			.quark_count = stays->cpu_count,
			.from = stays->request->from,
			.to = stays->request->to,
		};
		status = read_region(stays, &region, ARROW_READS_MAX, error);
		status = status == HISTREE_ERR_TOO_LARGE ? read_samples(stays, error) : status;
	}
	for (size_t i = 0; i < stays->cpu_count && status == HISTREE_OK && !stays->are_sampled; i++) {
		/*
		 * An arrow meets the range also where one of its threads, or both, do not: between them is idle
		 * time.  As two idle times never follow each other, two stays before the range and one after it are
		 * enough.
		 */
		const histree_quark quark = stays->quarks[i];
		const struct histree_arrows_request *request = stays->request;
		struct histree_interval at;
		status = histree_query_single(stays->query, quark, request->from, &at, error);
		for (int k = 0; k < 2 && status == HISTREE_OK && at.start > stays->info->start; k++)
			if (k == 0 || is_idle(&at))
				status = look(stays, quark, at.start - 1, &at, error);
		if (status == HISTREE_OK)
			status = histree_query_single(stays->query, quark, request->to, &at, error);
		if (status == HISTREE_OK && is_idle(&at) && at.end < stays->info->end)
			status = look(stays, quark, at.end + 1, &at, error);
	}
	if (status == HISTREE_OK)
		status = add_switches(stays, switches, error);
	if (status == HISTREE_OK && !stays->are_sampled)
		status = add_migrations(stays, migrations, error);
	bool is_damaged = histree_cursor_loss(stays->query).nodes > 0;
	switches->lacks_some = stays->are_sampled || is_damaged;
	migrations->lacks_some = is_damaged;
	return status;
}

/* The query finds all arrows that meet the range, or more. */
static enum histree_status arrows_gather_cpus(const struct histree_arrows_request *request,
					      struct arrow_list *switches, struct arrow_list *migrations,
					      struct histree_error *error)
{
	struct stays stays = { .request = request, .info = histree_history_info(request->history) };
	if (request->resources == NULL)
		return HISTREE_OK;
	enum histree_status status = histree_query_create(request->history, &stays.query, error);
	if (status == HISTREE_OK)
		status = arrows_cpus_gather(&stays, switches, migrations, error);
	histree_cursor_free(stays.query);
	free(stays.cpus);
	free(stays.quarks);
	free(stays.stays);
	return status;
}

/* ---- arrows flows -------------------------------------------------------------------------------------------- */

/* Or instants, which are on one stack. */
struct flows {
	enum histree_arrow_kind kind;
	const struct histree_attributes *attributes;
	size_t from_field, to_field, host_field, name_field;
	bool has_names;
	struct intern *names;
	const struct histree_history_host *hosts; /* of a history of several; NULL: of one */
	size_t host_count, host;                  /* host: of the flow before */
	char *path;                               /* with its terminator */
	size_t capacity;
};

/* The folder of the host of a flow, below which its paths are; false: that host has no history. */
static bool find_folder(struct flows *flows, const struct histree_value *host, histree_quark *folder)
{
	*folder = HISTREE_ROOT;
	if (flows->hosts == NULL)
		return true;
	for (size_t i = 0; i < flows->host_count; i++) {
		size_t index = (flows->host + i) % flows->host_count;
		if (!value_is_text(host, flows->hosts[index].name))
			continue;
		flows->host = index;
		*folder = flows->hosts[index].folder;
		return flows->hosts[index].history != NULL;
	}
	return false;
}

/*
 * Finds the stack of a path; HISTREE_ROOT: it is not said, or nothing was ever on it.  An instant where there was
 * never a span is one of the thread or process itself.
 */
static enum histree_status find_stack(struct flows *flows, histree_quark folder, const struct histree_value *path,
				      histree_quark *out, struct histree_error *error)
{
	*out = HISTREE_ROOT;
	if (path->type != HISTREE_STRING)
		return HISTREE_OK;
	if (!array_reserve(&flows->path, &flows->capacity, (size_t)path->size + 1))
		return error_memory(error, "arrows");
	memcpy(flows->path, path->bytes, path->size);
	flows->path[path->size] = '\0';
	if (histree_attributes_find(flows->attributes, folder, flows->path, out) == HISTREE_OK)
		return HISTREE_OK;
	char *stack = flows->kind == HISTREE_ARROW_INSTANT ? strrchr(flows->path, '/') : NULL;
	if (stack != NULL)
		*stack = '\0';
	if (stack == NULL || histree_attributes_find(flows->attributes, folder, flows->path, out) != HISTREE_OK)
		*out = HISTREE_ROOT;
	return HISTREE_OK;
}

/* Returns the name of a flow, which lives as the arrows do; NULL: it has none. */
static const char *name_of(const struct flows *flows, const struct histree_segment *segment)
{
	const struct histree_value *name = flows->has_names ? &segment->content[flows->name_field] : NULL;
	if (name == NULL || name->type != HISTREE_STRING)
		return NULL;
	const uint32_t id = intern_add(flows->names, name->bytes, name->size);
	return id != INTERN_NONE ? intern_get(flows->names, id, NULL) : NULL;
}

static enum histree_status add_flow(void *context, const struct histree_segment *segment, struct arrow_list *list,
				    struct histree_error *error)
{
	struct flows *flows = context;
	histree_quark folder, from, to = HISTREE_ROOT;
	if (!find_folder(flows, &segment->content[flows->host_field], &folder))
		return HISTREE_OK;
	enum histree_status status = find_stack(flows, folder, &segment->content[flows->from_field], &from, error);
	if (status == HISTREE_OK)
		status = find_stack(flows, folder, &segment->content[flows->to_field], &to, error);
	if (status != HISTREE_OK || from > INT32_MAX || to > INT32_MAX) /* HISTREE_ROOT among them */
		return status;
	return arrow_list_add(list,
			      &(struct histree_arrow){
				      .kind = flows->kind,
				      .name = name_of(flows, segment),
				      .from = (int32_t)from,
				      .to = (int32_t)to,
				      .cpu = -1,
				      .tid = -1,
				      .start = segment->start,
				      .end = segment->end,
			      },
			      error);
}

/* From stack to stack, until arrows_find_rows() finds the rows of the arrows shown. */
static enum histree_status arrows_gather_flows(const struct histree_arrows_request *request,
					       enum histree_arrow_kind kind, struct arrow_list *list,
					       struct intern *names, struct histree_error *error)
{
	const bool are_instants = kind == HISTREE_ARROW_INSTANT;
	struct histree_segment_store *store = are_instants ? request->instants : request->flows;
	struct flows flows = { .kind = kind,
			       .attributes = histree_history_attributes(request->history),
			       .names = names };
	if (store == NULL)
		return HISTREE_OK;
	if (histree_segment_store_field(store, are_instants ? "stack" : "from_stack", &flows.from_field) !=
		    HISTREE_OK ||
	    histree_segment_store_field(store, are_instants ? "stack" : "to_stack", &flows.to_field) != HISTREE_OK)
		return error_set(error, HISTREE_ERR_ARGUMENT, "these segments are no %s",
				 are_instants ? "instants" : "flows");
	flows.has_names = histree_segment_store_field(store, "name", &flows.name_field) == HISTREE_OK;
	flows.hosts = histree_history_hosts(request->history, &flows.host_count);
	if (flows.hosts != NULL && histree_segment_store_field(store, "host", &flows.host_field) != HISTREE_OK)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "these flows are of one host, and the history is of several");
	enum histree_status status = add_segments(request, store, add_flow, &flows, list, error);
	free(flows.path);
	return status;
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

/*
 * Replaces a stack by the row of the innermost span that is open.  Where no span is known to be open, a flow meets
 * the outermost row: the span that it belongs to is yet to come.
 */
static enum histree_status find_row(struct histree_cursor *query, const struct histree_attributes *attributes,
				    int32_t *row, histree_time time, struct histree_error *error)
{
	static const char stack[] = "CallStack";
	char depth[16], name[sizeof(stack) + 1];
	histree_quark slot;
	struct histree_interval open;
	if (histree_attributes_name(attributes, (histree_quark)*row, name, sizeof(name)) != sizeof(stack) - 1 ||
	    strcmp(name, stack) != 0)
		return HISTREE_OK; /* an instant of a thread or process itself */
	enum histree_status status = histree_query_single(query, (histree_quark)*row, time, &open, error);
	if (status != HISTREE_OK)
		return status;
	bool is_known = open.value.type == HISTREE_INT && open.value.int32 > 0;
	snprintf(depth, sizeof(depth), "%d", is_known ? open.value.int32 : 1);
	if (histree_attributes_find(attributes, (histree_quark)*row, depth, &slot) == HISTREE_OK &&
	    slot <= INT32_MAX)
		*row = (int32_t)slot;
	return HISTREE_OK;
}

static enum histree_status arrows_find_rows(const struct histree_arrows_request *request, struct arrow_list *list,
					    struct histree_error *error)
{
	struct histree_cursor *query;
	const struct histree_history_info *info = histree_history_info(request->history);
	const struct histree_attributes *attributes = histree_history_attributes(request->history);
	if ((request->flows == NULL && request->instants == NULL) || list->count == 0)
		return HISTREE_OK;
	enum histree_status status = histree_query_create(request->history, &query, error);
	for (size_t i = 0; i < list->count && status == HISTREE_OK; i++) {
		struct histree_arrow *arrow = &list->arrows[i];
		status = cancel_check(&request->work, i, error);
		if (status == HISTREE_OK && is_of_tracks(arrow->kind))
			status = find_row(query, attributes, &arrow->from, histree_time_within(info, arrow->start),
					  error);
		if (status == HISTREE_OK && is_of_tracks(arrow->kind))
			status = find_row(query, attributes, &arrow->to, histree_time_within(info, arrow->end),
					  error);
	}
	histree_cursor_free(query);
	return status;
}

/* ---- arrows packets ------------------------------------------------------------------------------------------ */

static enum histree_status arrows_add(void *context, const struct histree_path_step *packet,
				      struct histree_error *error)
{
	return arrow_list_add(context,
			      &(struct histree_arrow){
				      .kind = HISTREE_ARROW_PACKET,
				      .from = packet->tid,
				      .to = packet->to_tid,
				      .from_host = (uint32_t)packet->host,
				      .to_host = (uint32_t)packet->to_host,
				      .cpu = -1,
				      .tid = packet->to_tid,
				      .start = packet->start,
				      .end = packet->end,
			      },
			      error);
}

/* Of packets that came in the range. */
static enum histree_status arrows_gather_packets(const struct histree_arrows_request *request,
						 struct arrow_list *list, struct histree_error *error)
{
	if (request->paths == NULL)
		return HISTREE_OK;
	const struct histree_packets_request packets = { .from = request->from,
							 .to = request->to,
							 .count_max = ARROW_READS_MAX,
							 .visit = arrows_add,
							 .context = list,
							 .work = request->work };
	enum histree_status status = histree_critical_path_packets(request->paths, &packets, error);
	if (status != HISTREE_NOT_FOUND)
		return status;
	list->count = 0;
	list->lacks_some = true;
	return HISTREE_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------ */

static enum histree_status arrows_gather(const struct histree_arrows_request *request, struct arrow_list *kinds,
					 struct intern *names, struct histree_error *error)
{
	enum histree_status status =
		arrows_gather_cpus(request, &kinds[HISTREE_ARROW_SWITCH], &kinds[HISTREE_ARROW_MIGRATION], error);
	if (status == HISTREE_OK)
		status = arrows_gather_forks(request, &kinds[HISTREE_ARROW_FORK], error);
	if (status == HISTREE_OK)
		status = arrows_gather_wakeups(request, &kinds[HISTREE_ARROW_WAKEUP], error);
	if (status == HISTREE_OK)
		status = arrows_gather_packets(request, &kinds[HISTREE_ARROW_PACKET], error);
	for (int kind = 0; kind < HISTREE_ARROW_KIND_COUNT && status == HISTREE_OK; kind++)
		if (is_of_tracks(kind))
			status = arrows_gather_flows(request, kind, &kinds[kind], names, error);
	return status;
}

static enum histree_status check_request(const struct histree_arrows_request *request, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(request->history);
	if (request->pixels == 0)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a chart has at least one pixel");
	if (request->from > request->to || request->from < info->start || request->to > info->end)
		return error_set(error, HISTREE_ERR_TIME_RANGE, "the range is not inside the history");
	return HISTREE_OK;
}

enum histree_status histree_arrows_create(const struct histree_arrows_request *request, struct histree_arrows **out,
					  struct histree_error *error)
{
	struct arrow_list kinds[HISTREE_ARROW_KIND_COUNT] = { 0 };
	*out = NULL;
	enum histree_status status = check_request(request, error);
	if (status != HISTREE_OK)
		return status;
	struct histree_arrows *arrows = calloc(1, sizeof(*arrows));
	if (arrows == NULL)
		return error_memory(error, "arrows");
	status = arrows_gather(request, kinds, &arrows->names, error);
	for (size_t i = 0; i < HISTREE_ARROW_KIND_COUNT; i++) {
		if (status == HISTREE_OK)
			status = take_visible(&arrows->list, &kinds[i], request, error);
		free(kinds[i].arrows);
	}
	if (status == HISTREE_OK)
		status = arrows_find_rows(request, &arrows->list, error);
	if (status == HISTREE_OK)
		*out = arrows;
	else
		histree_arrows_free(arrows);
	return status;
}

void histree_arrows_free(struct histree_arrows *arrows)
{
	if (arrows == NULL)
		return;
	free(arrows->list.arrows);
	intern_release(&arrows->names);
	free(arrows);
}

const struct histree_arrow *histree_arrows_list(const struct histree_arrows *arrows, size_t *count)
{
	*count = arrows->list.count;
	return arrows->list.arrows;
}

bool histree_arrows_are_all(const struct histree_arrows *arrows)
{
	return !arrows->list.lacks_some;
}
