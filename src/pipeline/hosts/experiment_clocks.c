// SPDX-License-Identifier: MIT
/*
 * experiment_clocks.c - the clocks by which the times of hosts are corrected: those that were given, and for the
 * others those found from the packets between them.
 *
 * The traces of each host are read by themselves, their events are merged by uncorrected time, and packets are
 * looked for in the result.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/monotonic.h"
#include "base/table.h"
#include "clock/clock.h"
#include "event/event.h"
#include "histree/store.h"
#include "pipeline/build_plan.h"
#include "pipeline/hosts/experiment.h"
#include "trace/event_stream.h"
#include "trace/trace_list.h"

/* ---- sync ---------------------------------------------------------------------------------------------------- */

enum { EVENTS_PER_LOOK = 1 << 14 };

/* ---- hosts ----------------------------------------------------------------------------------------------- */

struct host {
	struct event_stream stream; /* what was looked at is the next event */
	bool is_over;
	const char *id;               /* of the start of the machine, or of its first trace; "": neither says */
	struct packet_class *classes; /* by id */
	size_t class_count, class_capacity;
};

struct histree_sync {
	struct arena names;
	struct histree_host_clock *hosts;
	size_t count;
};

struct syncing {
	const struct histree_sync_options *options;
	struct histree_sync *result;
	struct host *hosts;
	struct packet_table *table;
	struct clock_link *links;
	size_t link_count, link_capacity;
	uint32_t *queue; /* a heap of the hosts that have a next event */
	size_t queue_count;
};

static struct packet_class *class_of(struct host *host, const struct event_class *class)
{
	while (host->class_count <= class->id) {
		if (!array_reserve(&host->classes, &host->class_capacity, host->class_count + 1))
			return NULL;
		host->classes[host->class_count++] = (struct packet_class){ 0 };
	}
	struct packet_class *known = &host->classes[class->id];
	if (!known->is_known)
		*known = packet_class_of(class);
	return known;
}

/*
 * Which of two hosts has the x of their pair: the mean of two slopes is another one the other way round, and the
 * answer must not depend on the order of the paths.
 */
static bool is_x(const struct syncing *syncing, uint32_t host, uint32_t other)
{
	int order = strcmp(syncing->hosts[host].id, syncing->hosts[other].id);
	if (order == 0)
		order = strcmp(syncing->result->hosts[host].host, syncing->result->hosts[other].host);
	return order < 0;
}

static struct clock_link *link_of(struct syncing *syncing, uint32_t x, uint32_t y)
{
	for (size_t i = 0; i < syncing->link_count; i++)
		if (syncing->links[i].x == x && syncing->links[i].y == y)
			return &syncing->links[i];
	if (!array_reserve(&syncing->links, &syncing->link_capacity, syncing->link_count + 1))
		return NULL;
	struct clock_link *link = &syncing->links[syncing->link_count++];
	*link = (struct clock_link){ .x = x, .y = y };
	clock_pair_begin(&link->pair);
	return link;
}

static bool add_match(struct syncing *syncing, const struct packet_half *one, const struct packet_half *other)
{
	if (one->host == other->host)
		return true;
	const struct packet_half *x = is_x(syncing, one->host, other->host) ? one : other,
				 *y = x == one ? other : one;
	struct clock_link *link = link_of(syncing, x->host, y->host);
	return link != NULL && clock_pair_add(&link->pair, (struct clock_point){ x->time, y->time }, y->is_sent);
}

/* Takes the event that a host has next.  Returns false if memory runs out. */
static bool take_event(struct syncing *syncing, uint32_t index)
{
	struct host *host = &syncing->hosts[index];
	struct histree_host_clock *counts = &syncing->result->hosts[index];
	const struct event *event = host->stream.events;
	const struct packet_class *class = class_of(host, event->class);
	struct packet_half half = { .host = index, .time = event->time }, other;
	counts->events++;
	if (class == NULL || class->place == NULL)
		return class != NULL;
	half.is_sent = class->is_sent;
	if (!packet_read(class, event, &half.key))
		return true;
	counts->packets++;
	return !packet_table_take(syncing->table, &half, &other) || add_match(syncing, &half, &other);
}

/* ---- reading --------------------------------------------------------------------------------------------- */

static enum histree_status step(struct host *host, struct histree_error *error)
{
	enum histree_status status = event_stream_next(&host->stream, error);
	host->is_over = status == HISTREE_END;
	return host->is_over ? HISTREE_OK : status;
}

/* By their next events; of two at one time, the first host. */
static bool comes_before(const struct syncing *syncing, uint32_t a, uint32_t b)
{
	histree_time one = syncing->hosts[a].stream.events->time, other = syncing->hosts[b].stream.events->time;
	return one != other ? one < other : a < b;
}

/* Traces that declare no packets have none to say. */
static enum histree_status begin_reading(struct syncing *syncing, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	syncing->queue = calloc(syncing->result->count + 1, sizeof(*syncing->queue));
	if (syncing->queue == NULL)
		return error_memory(error, "clocks");
	for (uint32_t i = 0; i < syncing->result->count && status == HISTREE_OK; i++) {
		struct host *host = &syncing->hosts[i];
		if (!trace_may_have(host->stream.trace, packet_name_is_known))
			continue;
		status = step(host, error);
		if (status == HISTREE_OK && !host->is_over)
			syncing->queue[syncing->queue_count++] = i;
	}
	HEAP_MAKE(syncing->queue, syncing->queue_count, a, b, comes_before(syncing, *a, *b));
	return status;
}

static enum histree_status look_around(const struct syncing *syncing, struct histree_error *error)
{
	const struct histree_sync_options *options = syncing->options;
	uint64_t bytes = 0, done = 0;
	if (cancel_asked(&options->work))
		return error_set(error, HISTREE_ERR_CANCELLED, "the comparison of clocks was cancelled");
	if (options->work.progress == NULL)
		return HISTREE_OK;
	for (size_t i = 0; i < syncing->result->count; i++) {
		bytes += trace_bytes(syncing->hosts[i].stream.trace);
		done += trace_report(syncing->hosts[i].stream.trace).bytes_done;
	}
	const struct histree_progress now = { .share = bytes > 0 ? (double)done / (double)bytes : 0,
					      .bytes = done,
					      .bytes_total = bytes };
	options->work.progress(options->work.context, &now);
	return HISTREE_OK;
}

static enum histree_status read_all(struct syncing *syncing, struct histree_error *error)
{
	enum histree_status status = begin_reading(syncing, error);
	for (uint64_t events = 0; status == HISTREE_OK && syncing->queue_count > 0; events++) {
		uint32_t next = syncing->queue[0];
		if (events % EVENTS_PER_LOOK == 0)
			status = look_around(syncing, error);
		if (status == HISTREE_OK && !take_event(syncing, next))
			status = error_memory(error, "packets");
		if (status == HISTREE_OK)
			status = step(&syncing->hosts[next], error);
		if (status == HISTREE_OK && syncing->hosts[next].is_over)
			HEAP_POP(syncing->queue, syncing->queue_count, a, b, comes_before(syncing, *a, *b));
		else if (status == HISTREE_OK)
			HEAP_SINK(syncing->queue, syncing->queue_count, 0, a, b, comes_before(syncing, *a, *b));
	}
	return status;
}

/* ---- the answer ------------------------------------------------------------------------------------------ */

static enum histree_status find_reference(const struct syncing *syncing, uint32_t *out, struct histree_error *error)
{
	const char *wanted = syncing->options->reference;
	*out = 0;
	for (uint32_t i = 0; wanted != NULL && i < syncing->result->count; i++) {
		*out = i;
		if (strcmp(syncing->result->hosts[i].host, wanted) == 0)
			return HISTREE_OK;
	}
	return wanted == NULL ? HISTREE_OK
			      : error_set(error, HISTREE_NOT_FOUND, "no trace is of a host '%s'", wanted);
}

static enum histree_status sync_find_clocks(struct syncing *syncing, uint32_t reference,
					    struct histree_error *error)
{
	struct histree_sync *result = syncing->result;
	struct histree_clock *clocks = calloc(result->count, sizeof(*clocks));
	size_t *neighbours = calloc(result->count, sizeof(*neighbours));
	if (clocks != NULL && neighbours != NULL) {
		clock_tree_find(syncing->links, syncing->link_count, reference, result->count, clocks, neighbours);
		for (size_t i = 0; i < result->count; i++) {
			result->hosts[i].clock = clocks[i];
			result->hosts[i].neighbour = neighbours[i];
		}
		for (size_t i = 0; i < syncing->link_count; i++) {
			const struct clock_link *link = &syncing->links[i];
			if (!link->pair.is_contradicted)
				continue;
			result->hosts[link->x].contradiction = link->pair.contradiction.x;
			result->hosts[link->y].contradiction = link->pair.contradiction.y;
		}
	}
	bool has_memory = clocks != NULL && neighbours != NULL;
	free(clocks);
	free(neighbours);
	return has_memory ? HISTREE_OK : error_memory(error, "clocks");
}

static enum histree_status open_hosts(struct syncing *syncing, const struct trace_groups *groups,
				      struct histree_error *error)
{
	struct histree_sync *result = syncing->result;
	enum histree_status status = HISTREE_OK;
	result->hosts = calloc(groups->count + 1, sizeof(*result->hosts));
	syncing->hosts = calloc(groups->count + 1, sizeof(*syncing->hosts));
	syncing->table = packet_table_create();
	if (result->hosts == NULL || syncing->hosts == NULL || syncing->table == NULL)
		return error_memory(error, "clocks");
	for (size_t i = 0; i < groups->count && status == HISTREE_OK; i++) {
		const struct trace_group *group = &groups->groups[i];
		result->hosts[i].host = arena_copy(&result->names, group->name, strlen(group->name));
		if (result->hosts[i].host == NULL)
			return error_memory(error, "clocks");
		syncing->hosts[i].id = group->facts.boot[0] != '\0' ? group->facts.boot : group->facts.uuid;
		const struct event_origin origin = { .paths = (const char *const *)group->paths,
						     .path_count = group->path_count };
		status = event_stream_open(&syncing->hosts[i].stream, &origin, &syncing->options->work, error);
		result->count++;
	}
	return status;
}

static void close_hosts(struct syncing *syncing)
{
	for (size_t i = 0; syncing->hosts != NULL && i < syncing->result->count; i++) {
		event_stream_close(&syncing->hosts[i].stream);
		free(syncing->hosts[i].classes);
	}
	for (size_t i = 0; i < syncing->link_count; i++)
		clock_pair_release(&syncing->links[i].pair);
	free(syncing->links);
	free(syncing->queue);
	free(syncing->hosts);
	packet_table_free(syncing->table);
}

/* As histree_sync_traces() does, in the order of the groups. */
static enum histree_status sync_groups(const struct trace_groups *groups,
				       const struct histree_sync_options *options, struct histree_sync **out,
				       struct histree_error *error)
{
	struct syncing syncing = { .options = options };
	uint32_t reference;
	*out = NULL;
	syncing.result = calloc(1, sizeof(*syncing.result));
	if (syncing.result == NULL)
		return error_memory(error, "clocks");
	enum histree_status status = open_hosts(&syncing, groups, error);
	if (status == HISTREE_OK)
		status = find_reference(&syncing, &reference, error);
	if (status == HISTREE_OK)
		status = read_all(&syncing, error);
	if (status == HISTREE_OK)
		status = sync_find_clocks(&syncing, reference, error);
	close_hosts(&syncing);
	if (status == HISTREE_OK)
		*out = syncing.result;
	else
		histree_sync_free(syncing.result);
	return status;
}

/* A trace has no clock but its own: twice the same would be two hosts where it does not say whose it is. */
static enum histree_status check_paths(const char *const *paths, size_t path_count, struct histree_error *error)
{
	struct trace_places places = { 0 };
	bool has_memory = true;
	for (size_t i = 0; i < path_count && has_memory; i++)
		has_memory = trace_places_add(&places, paths[i], "");
	const struct trace_place *twice = has_memory ? trace_places_twice(&places) : NULL;
	enum histree_status status = has_memory ? HISTREE_OK : error_memory(error, "clocks");
	if (twice != NULL && strcmp(twice[-1].given, twice->given) == 0)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "'%s' is named twice; name it once", twice->given);
	else if (twice != NULL)
		status = error_set(error, HISTREE_ERR_ARGUMENT, "'%s' and '%s' are one trace; name it once",
				   twice[-1].given, twice->given);
	trace_places_release(&places);
	return status;
}

enum histree_status histree_sync_traces(const char *const *paths, size_t path_count,
					const struct histree_sync_options *options, struct histree_sync **out,
					struct histree_error *error)
{
	static const struct histree_sync_options defaults = { 0 };
	struct trace_groups groups = { 0 };
	*out = NULL;
	enum histree_status status = check_paths(paths, path_count, error);
	if (status == HISTREE_OK)
		status = trace_groups_find(&groups, paths, path_count, error);
	if (status == HISTREE_OK)
		status = sync_groups(&groups, options != NULL ? options : &defaults, out, error);
	trace_groups_release(&groups);
	return status;
}

const struct histree_host_clock *histree_sync_hosts(const struct histree_sync *sync, size_t *count)
{
	*count = sync->count;
	return sync->hosts;
}

void histree_sync_free(struct histree_sync *sync)
{
	if (sync == NULL)
		return;
	arena_release(&sync->names);
	free(sync->hosts);
	free(sync);
}

/* ---- experiment clocks --------------------------------------------------------------------------------------- */

void experiment_set_clock(struct histree_experiment *experiment, size_t index, const struct histree_clock *clock)
{
	if (clock != NULL)
		experiment->clocks[index] = *clock;
	experiment->hosts[index].clock = clock != NULL ? &experiment->clocks[index] : NULL;
}

/* ---- warnings -------------------------------------------------------------------------------------------- */

/* Their packets give times relative to each other, but it is not known which host came first. */
static enum histree_status warn_of_absent(struct histree_experiment *experiment,
					  const struct histree_host_clock *host, struct histree_error *error)
{
	char sentence[sizeof(error->message)];
	static const char uncorrected[] = "its times stand uncorrected beside those of the others; '--clock "
					  "HOST=OFFSET' says it";
	if (host->contradiction != 0)
		snprintf(sentence, sizeof(sentence),
			 "host '%s': its packets contradict each other from %" PRId64
			 " on, by its clock, as they do when a clock was set; %s",
			 host->host, host->contradiction, uncorrected);
	else if (host->packets == 0)
		snprintf(sentence, sizeof(sentence),
			 "host '%s': its clock is not known, as its trace has no packets; %s", host->host,
			 uncorrected);
	else
		snprintf(sentence, sizeof(sentence),
			 "host '%s': its clock is not known, as no host whose clock is has seen its packets; %s",
			 host->host, uncorrected);
	const char *copy = arena_copy(&experiment->arena, sentence, strlen(sentence));
	if (copy == NULL)
		return error_memory(error, "clocks");
	experiment->warnings[experiment->warning_count++] = copy;
	return HISTREE_OK;
}

/* ---- from packets ---------------------------------------------------------------------------------------- */

static bool all_are_given(const struct histree_experiment *experiment)
{
	for (size_t i = 0; i < experiment->count; i++)
		if (i != experiment->reference &&
		    experiment_given_clock(experiment, experiment->hosts[i].name) == NULL)
			return false;
	return true;
}

static bool is_wanted(void *context)
{
	const struct histree_experiment *experiment = context;
	return !cancel_asked(&experiment->options.work);
}

static void show_share(void *context, const struct histree_progress *now)
{
	struct histree_experiment *experiment = context;
	const struct histree_work *work = &experiment->options.work;
	const struct histree_progress progress = { .elapsed_ns = monotonic_ns() - experiment->begun_ns,
						   .host_count = experiment->count,
						   .clocks_share = now->share };
	if (work->progress != NULL)
		work->progress(work->context, &progress);
}

static enum histree_status clocks_of_packets(struct histree_experiment *experiment, struct histree_error *error)
{
	const struct histree_sync_options options = { .reference = experiment->options.reference,
						      .work = { is_wanted, experiment, show_share } };
	struct histree_sync *sync;
	size_t count;
	enum histree_status status = sync_groups(&experiment->groups, &options, &sync, error);
	if (status != HISTREE_OK)
		return status;
	const struct histree_host_clock *found = histree_sync_hosts(sync, &count);
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		experiment->hosts[i].neighbour = found[i].neighbour;
		if (experiment_given_clock(experiment, experiment->hosts[i].name) != NULL)
			continue;
		experiment_set_clock(experiment, i, &found[i].clock);
		if (found[i].clock.quality == HISTREE_CLOCK_ABSENT)
			status = warn_of_absent(experiment, &found[i], error);
	}
	histree_sync_free(sync);
	return status;
}

/* A clock that a store was built with before is as good as it was then. */
static enum histree_status take_given(struct histree_experiment *experiment,
				      const struct histree_build_clock *given, struct histree_error *error)
{
	size_t index = experiment_find_host(experiment, given->host);
	size_t neighbour = given->neighbour != NULL ? experiment_find_host(experiment, given->neighbour) : index;
	experiment_set_clock(experiment, index, &given->clock);
	experiment->hosts[index].neighbour = neighbour < experiment->count ? neighbour : index;
	const struct histree_host_clock absent = { .host = given->host };
	return given->clock.quality == HISTREE_CLOCK_ABSENT ? warn_of_absent(experiment, &absent, error)
							    : HISTREE_OK;
}

enum histree_status experiment_find_clocks(struct histree_experiment *experiment, struct histree_error *error)
{
	static const struct histree_clock reference = { .quality = HISTREE_CLOCK_REFERENCE };
	enum histree_status status = HISTREE_OK;
	experiment->warnings =
		arena_allocate(&experiment->arena, (experiment->count + 1) * sizeof(char *), _Alignof(char *));
	if (experiment->warnings == NULL)
		return error_memory(error, "clocks");
	if (!experiment->options.no_clocks && all_are_given(experiment))
		experiment_set_clock(experiment, experiment->reference, &reference);
	else if (!experiment->options.no_clocks)
		status = clocks_of_packets(experiment, error);
	for (size_t i = 0; i < experiment->options.clock_count && status == HISTREE_OK; i++)
		status = take_given(experiment, &experiment->options.clocks[i], error);
	return status;
}
