// SPDX-License-Identifier: MIT
/*
 * flame_samples.c - the stacks of samples, added up into a flame graph (docs/design/10-program-analyses.md).
 *
 * A stack is a number with the number of its caller's stack.  Each sample costs one access to the sum of its stack,
 * and only stacks that have a sum get their names.
 */
#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/time_use.h"
#include "view/flame_tree.h"

#define FLAME_NO_STACK UINT64_MAX

#define FLAME_NO_GROUP UINT32_MAX

struct flame_stack {
	uint64_t number, parent; /* a smaller number, or FLAME_NO_STACK */
	uint32_t name;           /* of the flame */
};

struct flame_sum {
	uint64_t stack, weight;
	uint32_t group; /* a name of the flame, or FLAME_NO_GROUP */
};

/* A zeroed one is empty. */
struct flame_sums {
	struct flame_stack *stacks; /* by number, once they are sorted */
	size_t stack_count, stack_capacity;
	struct flame_sum *sums;
	uint32_t count;
	size_t capacity;
	struct hash_index by_stack;
	uint32_t *path; /* of the stack that is being put: names, innermost first */
	size_t path_capacity;
};

static bool flame_sums_put(struct flame_sums *sums, struct histree_flame *flame, unsigned side);

/* ---- flame sums ---------------------------------------------------------------------------------------------- */

/* Sums take 24 bytes and their place in the index. */
enum { SUMS_MAX = 1 << 19, DEPTH_MAX = 1 << 16 };

/* Returns false when memory runs out, as all of these do. */
static bool flame_sums_add_stack(struct flame_sums *sums, const struct flame_stack *stack)
{
	if (!array_reserve(&sums->stacks, &sums->stack_capacity, sums->stack_count + 1))
		return false;
	sums->stacks[sums->stack_count++] = *stack;
	return true;
}

COMPARE(by_number, struct flame_stack, BY(number))

static bool has_key(const void *sums, uint32_t number, const void *key)
{
	const struct flame_sum *sum = &((const struct flame_sum *)sums)[number], *wanted = key;
	return sum->stack == wanted->stack && sum->group == wanted->group;
}

static uint64_t hash_of(const void *sums, uint32_t number)
{
	const struct flame_sum *sum = &((const struct flame_sum *)sums)[number];
	return hash_mix(hash_mix(sum->stack) ^ sum->group);
}

/* Something weighs on a stack.  When there are too many sums, they go into a side of the flame. */
static bool flame_sums_add(struct flame_sums *sums, struct histree_flame *flame, unsigned side,
			   const struct flame_sum *sum)
{
	const uint64_t hash = hash_of(sum, 0);
	uint32_t number = hash_index_find(&sums->by_stack, hash, has_key, sums->sums, sum);
	if (number != HASH_INDEX_NONE) {
		struct flame_sum *known = &sums->sums[number];
		if (__builtin_add_overflow(known->weight, sum->weight, &known->weight))
			known->weight = UINT64_MAX;
		return true;
	}
	if (sums->count == SUMS_MAX && !flame_sums_put(sums, flame, side))
		return false;
	if (!array_reserve(&sums->sums, &sums->capacity, (size_t)sums->count + 1) ||
	    !hash_index_reserve(&sums->by_stack, (size_t)sums->count + 1, hash_of, sums->sums))
		return false;
	sums->sums[sums->count] = *sum;
	hash_index_add(&sums->by_stack, hash, sums->count++);
	return true;
}

static bool put_sum(struct flame_sums *sums, struct histree_flame *flame, unsigned side,
		    const struct flame_sum *sum)
{
	size_t depth;
	bool is_whole;
	uint32_t branch = 0;

	/* The names of a stack, innermost first; it is whole if they go up to the outermost. */
	uint64_t number = sum->stack;
	depth = 0;
	while (number != FLAME_NO_STACK && depth < DEPTH_MAX) {
		const struct flame_stack key = { .number = number };
		const struct flame_stack *stack =
			sums->stack_count > 0
				? bsearch(&key, sums->stacks, sums->stack_count, sizeof(*sums->stacks), by_number)
				: NULL;
		if (stack == NULL)
			break;
		if (!array_reserve(&sums->path, &sums->path_capacity, depth + 1))
			return false;
		sums->path[depth++] = stack->name;
		if (stack->parent != FLAME_NO_STACK && stack->parent >= number)
			break;
		number = stack->parent;
	}
	is_whole = number == FLAME_NO_STACK && depth > 0;
	if (sum->group != FLAME_NO_GROUP)
		branch = flame_branch(flame, branch, HISTREE_FLAME_GROUP, sum->group);
	if (branch != FLAME_NONE && !is_whole)
		branch = flame_branch(flame, branch, HISTREE_FLAME_UNKNOWN, 0);
	while (is_whole && depth-- > 0 && branch != FLAME_NONE)
		branch = flame_branch(flame, branch, HISTREE_FLAME_FRAME, sums->path[depth]);
	if (branch == FLAME_NONE)
		return false;
	flame_spend(flame, side, branch, sum->weight);
	return true;
}

/* Puts all sums into a side of the flame.  A stack that is not there is unknown. */
static bool flame_sums_put(struct flame_sums *sums, struct histree_flame *flame, unsigned side)
{
	for (uint32_t i = 0; i < sums->count; i++)
		if (!put_sum(sums, flame, side, &sums->sums[i]))
			return false;
	hash_index_clear(&sums->by_stack);
	sums->count = 0;
	return true;
}

static void flame_sums_release(struct flame_sums *sums)
{
	free(sums->stacks);
	free(sums->sums);
	free(sums->path);
	hash_index_release(&sums->by_stack);
	*sums = (struct flame_sums){ 0 };
}

/* ---- flame samples ------------------------------------------------------------------------------------------- */

enum { NAME_MAX_SHOWN = 255, GROUP_NAME_SIZE = 2 * NAME_MAX_SHOWN + 32 };

/* Numbers of fields; SIZE_MAX where the store of one host has none. */
struct sample_fields {
	size_t stack, event, period, number, name, host;
};

struct stack_fields {
	size_t stack, parent, name, host;
};

/* Threads and processes are called as they were last: a process has its caller's name until exec(). */
struct sample_group {
	uint32_t text; /* the name alone */
	uint32_t name; /* of the flame: with the number, and the host */
	histree_time last;
};

struct samples_work {
	struct histree_flame *flame;
	const struct histree_flame_samples_request *request;
	struct histree_segment_query query;
	struct sample_fields samples;
	struct stack_fields stacks;
	struct flame_sums sums;
	struct intern hosts, texts; /* texts: names of groups */
	struct arena records;
	struct id_map groups; /* struct sample_group by host and number */
	const char *event;
	bool counts, has_unit;
};

static enum histree_status no_memory(struct histree_error *error)
{
	return error_memory(error, "a flame graph of samples");
}

/* ---- fields ------------------------------------------------------------------------------------------------- */

static bool find(const struct histree_segment_store *store, const char *name, size_t *field)
{
	*field = SIZE_MAX;
	return histree_segment_store_field(store, name, field) == HISTREE_OK;
}

static enum histree_status find_fields(struct samples_work *work, struct histree_error *error)
{
	static const struct {
		const char *number, *name;
	} groups[] = {
		[HISTREE_FLAME_TOGETHER] = { "tid", "thread" },
		[HISTREE_FLAME_BY_THREAD] = { "tid", "thread" },
		[HISTREE_FLAME_BY_PROCESS] = { "pid", "process" },
		[HISTREE_FLAME_BY_CPU] = { "cpu", "thread" },
	};
	const struct histree_flame_samples_request *request = work->request;
	struct sample_fields *samples = &work->samples;
	struct stack_fields *stacks = &work->stacks;
	const size_t group = (size_t)request->group < sizeof(groups) / sizeof(groups[0]) ? request->group : 0;
	bool has_all = find(request->samples, "stack", &samples->stack) &&
		       find(request->samples, "event", &samples->event) &&
		       find(request->samples, "period", &samples->period) &&
		       find(request->samples, groups[group].number, &samples->number) &&
		       find(request->samples, groups[group].name, &samples->name) &&
		       find(request->stacks, "stack", &stacks->stack) &&
		       find(request->stacks, "parent", &stacks->parent) &&
		       find(request->stacks, "name", &stacks->name);
	const bool are_of_hosts = find(request->samples, "host", &samples->host);
	if (!has_all || find(request->stacks, "host", &stacks->host) != are_of_hosts)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "the segments are not those of the analyses samples and sample-stacks");
	return HISTREE_OK;
}

static const struct histree_value *value_of(const struct histree_segment *segment, size_t field,
					    enum histree_type type)
{
	const struct histree_value *value = field != SIZE_MAX ? &segment->content[field] : NULL;
	return value != NULL && value->type == type ? value : NULL;
}

static bool number_of(const struct histree_segment *segment, size_t field, uint32_t *out)
{
	const struct histree_value *value = value_of(segment, field, HISTREE_INT);
	if (value != NULL)
		*out = (uint32_t)value->int32;
	return value != NULL;
}

/* Stacks of several hosts have numbers of their own each.  FLAME_NO_STACK: memory runs out. */
static uint64_t host_of(struct samples_work *work, const struct histree_segment *segment, size_t field)
{
	const struct histree_value *value = value_of(segment, field, HISTREE_STRING);
	if (value == NULL)
		return 0;
	const uint32_t number = intern_add(&work->hosts, value->bytes, value->size);
	return number != INTERN_NONE ? (uint64_t)number << 32 : FLAME_NO_STACK;
}

/* ---- walks -------------------------------------------------------------------------------------------------- */

typedef enum histree_status segment_taker(struct samples_work *work, void *context,
					  const struct histree_segment *segment, struct histree_error *error);

/* What was lost is unknown, and said of the side. */
static enum histree_status walk(struct samples_work *work, struct histree_segment_store *store,
				const struct histree_segment_query *query, segment_taker *take, void *context,
				struct histree_error *error)
{
	struct histree_cursor *iter;
	enum histree_status status = histree_segments_create(store, &iter, error);
	if (status != HISTREE_OK)
		return status;
	status = histree_segments_start(iter, query, NULL, error);
	while (status == HISTREE_OK) {
		status = histree_cursor_next(iter, error);
		if (status == HISTREE_OK)
			status = take(work, context, histree_cursor_segment(iter), error);
	}
	const struct histree_loss loss = histree_cursor_loss(iter);
	loss_add(&work->flame->losses[work->request->side], &loss);
	histree_cursor_free(iter);
	return status == HISTREE_END ? HISTREE_OK : status;
}

static enum histree_status take_stack(struct samples_work *work, void *context,
				      const struct histree_segment *segment, struct histree_error *error)
{
	(void)context;
	uint32_t number, parent;
	const struct histree_value *name = value_of(segment, work->stacks.name, HISTREE_STRING);
	if (name == NULL || !number_of(segment, work->stacks.stack, &number))
		return HISTREE_OK;
	const uint64_t host = host_of(work, segment, work->stacks.host);
	const bool has_parent = number_of(segment, work->stacks.parent, &parent);
	const struct flame_stack stack = { .number = host | number,
					   .parent = has_parent ? host | parent : FLAME_NO_STACK,
					   .name = flame_name(work->flame, name->bytes, name->size) };
	return host != FLAME_NO_STACK && stack.name != FLAME_NONE && flame_sums_add_stack(&work->sums, &stack)
		       ? HISTREE_OK
		       : no_memory(error);
}

/* ---- groups ---------------------------------------------------------------------------------------------- */

static void write_group(const struct samples_work *work, const struct histree_segment *segment, char *text)
{
	const struct histree_value *host = value_of(segment, work->samples.host, HISTREE_STRING);
	const struct histree_value *name = value_of(segment, work->samples.name, HISTREE_STRING);
	const int host_size = host != NULL ? (int)(host->size < NAME_MAX_SHOWN ? host->size : NAME_MAX_SHOWN) : 0;
	const int name_size = name != NULL ? (int)(name->size < NAME_MAX_SHOWN ? name->size : NAME_MAX_SHOWN) : 0;
	const char *slash = host_size > 0 ? "/" : "", *host_text = host != NULL ? host->bytes : "";
	const char *name_text = name != NULL ? name->bytes : "";
	uint32_t number;
	if (!number_of(segment, work->samples.number, &number))
		snprintf(text, GROUP_NAME_SIZE, "%.*s%s(not known)", host_size, host_text, slash);
	else if (work->request->group == HISTREE_FLAME_BY_CPU)
		snprintf(text, GROUP_NAME_SIZE, "%.*s%sCPU %" PRIu32, host_size, host_text, slash, number);
	else
		snprintf(text, GROUP_NAME_SIZE, "%.*s%s%.*s%s%" PRId32 "%s", host_size, host_text, slash, name_size,
			 name_text, name_size > 0 ? " (" : "", (int32_t)number, name_size > 0 ? ")" : "");
}

static uint64_t group_key(const struct samples_work *work, const struct histree_segment *segment, uint64_t host)
{
	uint32_t number = UINT32_MAX;
	number_of(segment, work->samples.number, &number);
	return host | number;
}

static bool meet_group(struct samples_work *work, const struct histree_segment *segment)
{
	char text[GROUP_NAME_SIZE];
	const uint64_t host = host_of(work, segment, work->samples.host);
	if (work->request->group == HISTREE_FLAME_TOGETHER || host == FLAME_NO_STACK)
		return host != FLAME_NO_STACK;
	const struct histree_value *name = value_of(segment, work->samples.name, HISTREE_STRING);
	const uint64_t key = group_key(work, segment, host);
	const uint32_t known =
		intern_add(&work->texts, name != NULL ? name->bytes : "", name != NULL ? name->size : 0);
	struct sample_group *group = id_map_find(&work->groups, key);
	if (known == INTERN_NONE)
		return false;
	if (group == NULL) {
		group = arena_allocate(&work->records, sizeof(*group), alignof(struct sample_group));
		if (group == NULL || !id_map_add(&work->groups, key, group))
			return false;
		*group = (struct sample_group){ .text = INTERN_NONE, .last = INT64_MIN };
	}
	if (segment->start < group->last)
		return true;
	group->last = segment->start;
	if (group->text == known || (group->text != INTERN_NONE && work->request->group == HISTREE_FLAME_BY_CPU))
		return true;
	group->text = known;
	write_group(work, segment, text);
	group->name = flame_name(work->flame, text, strlen(text));
	return group->name != FLAME_NONE;
}

/* ---- which event, and which groups ------------------------------------------------------------------------ */

struct event_counts {
	struct intern names;
	uint64_t *samples; /* by number of the name */
	size_t capacity;
};

static enum histree_status count_event(struct samples_work *work, void *context,
				       const struct histree_segment *segment, struct histree_error *error)
{
	struct event_counts *counts = context;
	const struct histree_value *event = value_of(segment, work->samples.event, HISTREE_STRING);
	if (event == NULL)
		return HISTREE_OK;
	const uint32_t known = counts->names.count;
	const uint32_t number = intern_add(&counts->names, event->bytes, event->size);
	if (number == INTERN_NONE || !array_reserve(&counts->samples, &counts->capacity, (size_t)number + 1))
		return no_memory(error);
	counts->samples[number] = number == known ? 1 : counts->samples[number] + 1;
	return meet_group(work, segment) ? HISTREE_OK : no_memory(error);
}

static enum histree_status choose_event(struct samples_work *work, struct histree_error *error)
{
	const unsigned side = work->request->side;
	struct event_counts counts = { .samples = NULL };
	enum histree_status status = walk(work, work->request->samples, &work->query, count_event, &counts, error);
	const char *event = work->request->event;
	if (status == HISTREE_OK && event == NULL) {
		/* The event with most samples; among equals, the first by name. */
		const char *best = NULL;
		uint64_t most = 0;
		size_t size;
		for (uint32_t i = 0; i < counts.names.count; i++) {
			const char *name = intern_get(&counts.names, i, &size);
			if (counts.samples[i] > most ||
			    (counts.samples[i] == most && best != NULL && strcmp(name, best) < 0)) {
				best = name;
				most = counts.samples[i];
			}
		}
		event = best;
	}
	if (status == HISTREE_OK && event != NULL) {
		free(work->flame->events[side]);
		work->flame->events[side] = strdup(event);
		work->flame->event_counts[side] = counts.names.count;
		if (work->flame->events[side] == NULL)
			status = no_memory(error);
	}
	work->event = work->flame->events[side];
	intern_release(&counts.names);
	free(counts.samples);
	return status;
}

/* ---- units -------------------------------------------------------------------------------------------------- */

static enum histree_status set_unit(struct samples_work *work, struct histree_error *error)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock", "wall-clock" };
	struct histree_flame *flame = work->flame;
	const char *unit = work->counts ? "samples" : work->event;
	/*
	 * The part of "cycles:u" that is counted; letters behind the colon say when.  A tracepoint has words there.
	 */
	const char *colon = strchr(unit, ':');
	const size_t size = colon != NULL && colon[1 + strspn(colon + 1, "ukhGHIDpPSeWb")] == '\0'
				    ? (size_t)(colon - unit)
				    : strlen(unit);
	for (size_t i = 0; unit != NULL && i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (size == strlen(clocks[i]) && strncmp(unit, clocks[i], size) == 0)
			unit = NULL;
	const bool is_same = unit == NULL || flame->unit == NULL
				     ? unit == flame->unit
				     : strlen(flame->unit) == size && strncmp(flame->unit, unit, size) == 0;
	if (flame->has_unit && !is_same)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "these samples are in %.*s, those before in %s: count them, or choose one event",
				 unit != NULL ? (int)size : 2, unit != NULL ? unit : "ns",
				 flame->unit != NULL ? flame->unit : "ns");
	if (!flame->has_unit && unit != NULL && (flame->unit = strndup(unit, size)) == NULL)
		return no_memory(error);
	flame->has_unit = true;
	return HISTREE_OK;
}

/* ---- samples ------------------------------------------------------------------------------------------------ */

static enum histree_status take_sample(struct samples_work *work, void *context,
				       const struct histree_segment *segment, struct histree_error *error)
{
	(void)context;
	const struct histree_value *event = value_of(segment, work->samples.event, HISTREE_STRING);
	const struct histree_value *period = value_of(segment, work->samples.period, HISTREE_LONG);
	const size_t size = strlen(work->event);
	uint32_t number;
	if (event == NULL || event->size != size || memcmp(event->bytes, work->event, size) != 0)
		return HISTREE_OK;
	/* All samples of an event have a period, or none. */
	if (!work->has_unit) {
		work->counts |= period == NULL;
		work->has_unit = true;
		enum histree_status status = set_unit(work, error);
		if (status != HISTREE_OK)
			return status;
	}
	const uint64_t host = host_of(work, segment, work->samples.host);
	struct flame_sum sum = { .group = FLAME_NO_GROUP, .weight = 1, .stack = FLAME_NO_STACK };
	if (!work->counts)
		sum.weight = period != NULL && period->int64 > 0 ? (uint64_t)period->int64 : 0;
	if (number_of(segment, work->samples.stack, &number))
		sum.stack = host | number;
	const struct sample_group *group = id_map_find(&work->groups, group_key(work, segment, host));
	if (group != NULL)
		sum.group = group->name;
	return host != FLAME_NO_STACK && flame_sums_add(&work->sums, work->flame, work->request->side, &sum)
		       ? HISTREE_OK
		       : no_memory(error);
}

static enum histree_status flame_samples_add(struct samples_work *work, struct histree_error *error)
{
	const struct histree_flame_samples_request *request = work->request;
	struct histree_segment_query all = HISTREE_SEGMENTS_ALL;
	all.from = request->query.from;
	all.to = request->query.to;
	all.host_filter = request->query.host_filter;
	all.host_context = request->query.host_context;
	all.work = request->query.work;
	enum histree_status status = find_fields(work, error);
	if (status == HISTREE_OK)
		status = choose_event(work, error);
	if (status == HISTREE_OK && work->event == NULL)
		return HISTREE_OK;
	if (status == HISTREE_OK)
		status = walk(work, request->stacks, &all, take_stack, NULL, error);
	/* All stacks are there: put them in order. */
	if (work->sums.stack_count > 1)
		qsort(work->sums.stacks, work->sums.stack_count, sizeof(*work->sums.stacks), by_number);
	if (status == HISTREE_OK)
		status = walk(work, request->samples, &work->query, take_sample, NULL, error);
	if (status == HISTREE_OK && !flame_sums_put(&work->sums, work->flame, request->side))
		status = no_memory(error);
	return status;
}

enum histree_status histree_flame_add_samples(struct histree_flame *flame,
					      const struct histree_flame_samples_request *request,
					      struct histree_error *error)
{
	struct samples_work work = {
		.flame = flame, .request = request, .query = request->query, .counts = request->counts
	};
	work.query.order = HISTREE_SEGMENTS_UNSORTED;
	work.query.limit = 0;
	if (request->side >= HISTREE_FLAME_SIDES || flame->nodes != NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 flame->nodes != NULL ? "a flame graph that is finished takes no stacks"
						      : "a flame graph has sides 0 and 1");
	enum histree_status status = flame_samples_add(&work, error);
	flame_sums_release(&work.sums);
	intern_release(&work.hosts);
	intern_release(&work.texts);
	id_map_release(&work.groups);
	arena_release(&work.records);
	return status;
}
