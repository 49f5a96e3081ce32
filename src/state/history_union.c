// SPDX-License-Identifier: MIT
/*
 * history_union.c - the hosts of a union: their order, their folders, the mapping between attributes of a host and
 * of the union, and the attributes of the union: a folder for each host, and below it the attributes of the shard.
 *
 * Quark q of a host is quark folder + 1 + q of the union. `near` is where the last question was answered in a
 * shard; it is forgotten when another shard is asked.
 */
#include "state/history_union.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "histree/history.h"
#include "state/attribute_match.h"
#include "state/attributes.h"
#include "state/history_inside.h"
#include "tree/tree_reader.h"

/* ---- union attributes ---------------------------------------------------------------------------------------- */

static const struct history_union *union_of(const struct histree_attributes *attributes)
{
	return (const struct history_union *)attributes;
}

/* An attribute as its host's shard knows it. */
struct place {
	const struct histree_history_host *host;
	const struct histree_attributes *attributes; /* of the shard; NULL: the host has no attributes */
	histree_quark own;                           /* HISTREE_ROOT: it is the host's folder */
	uint32_t number;                             /* of the host */
};

static struct place place_of(const struct history_union *joined, histree_quark quark)
{
	uint32_t number = history_union_host(joined, quark);
	assert(number < joined->host_count);
	const struct histree_history_host *host = &joined->hosts[number];
	assert(quark >= host->folder && quark - host->folder <= host->count);
	return (struct place){
		.host = host,
		.attributes = host->history != NULL ? histree_history_attributes(host->history) : NULL,
		.own = quark - host->folder - 1, /* HISTREE_ROOT is the quark before the first */
		.number = number,
	};
}

_Static_assert(HISTREE_ROOT == (histree_quark)-1, "a folder's own attribute is the root of its shard");

static histree_quark in_union(const struct place *place, histree_quark own)
{
	assert(own == HISTREE_ROOT || own < place->host->count);
	return own == HISTREE_ROOT ? HISTREE_ROOT : own + place->host->folder + 1;
}

static void attribute_range_begin(const struct place *place, struct attribute_range *near)
{
	if (near->host != place->number + 1)
		*near = (struct attribute_range){ 0 };
}

/* What is near was found in this shard. */
static void end(const struct place *place, struct attribute_range *near)
{
	near->host = place->number + 1;
}

static histree_quark parent_of(const struct histree_attributes *attributes, histree_quark quark,
			       struct attribute_range *near)
{
	const struct place place = place_of(union_of(attributes), quark);
	if (place.own == HISTREE_ROOT)
		return HISTREE_ROOT;
	attribute_range_begin(&place, near);
	histree_quark own = place.attributes->source->parent(place.attributes, place.own, near);
	end(&place, near);
	return own == HISTREE_ROOT ? place.host->folder : in_union(&place, own);
}

static struct attribute_name name_of(const struct histree_attributes *attributes, histree_quark quark,
				     struct attribute_range *near)
{
	const struct place place = place_of(union_of(attributes), quark);
	if (place.own == HISTREE_ROOT)
		return attribute_name(place.host->name, strlen(place.host->name));
	attribute_range_begin(&place, near);
	struct attribute_name name = place.attributes->source->name(place.attributes, place.own, near);
	end(&place, near);
	return name;
}

static histree_quark first_child_of(const struct histree_attributes *attributes, histree_quark parent,
				    struct attribute_range *near)
{
	const struct history_union *joined = union_of(attributes);
	if (parent == HISTREE_ROOT)
		return joined->hosts[0].folder;
	const struct place place = place_of(joined, parent);
	if (place.attributes == NULL)
		return HISTREE_ROOT;
	attribute_range_begin(&place, near);
	histree_quark own = place.attributes->source->first_child(place.attributes, place.own, near);
	end(&place, near);
	return in_union(&place, own);
}

static histree_quark next_sibling_of(const struct histree_attributes *attributes, histree_quark quark,
				     struct attribute_range *near)
{
	const struct history_union *joined = union_of(attributes);
	const struct place place = place_of(joined, quark);
	if (place.own == HISTREE_ROOT)
		return place.number + 1 < joined->host_count ? joined->folders[place.number + 1] : HISTREE_ROOT;
	attribute_range_begin(&place, near);
	histree_quark own = place.attributes->source->next_sibling(place.attributes, place.own, near);
	end(&place, near);
	return in_union(&place, own);
}

/* The folder of a missing host is not a folder: it has a state, which is unknown. */
static bool is_folder(const struct histree_attributes *attributes, histree_quark quark)
{
	const struct place place = place_of(union_of(attributes), quark);
	if (place.own == HISTREE_ROOT)
		return !history_host_is_missing(place.host);
	return place.attributes->source->is_folder(place.attributes, place.own);
}

/* Orders the names of hosts as strcmp() does. */
static int compare_name(const char *name, const char *text, size_t size)
{
	return bytes_order(name, strlen(name), text, size);
}

static histree_quark child_of(const struct histree_attributes *attributes, histree_quark parent,
			      const struct attribute_name *name, struct attribute_near *near)
{
	(void)near; /* each host has an order of its own */
	const struct history_union *joined = union_of(attributes);
	if (parent == HISTREE_ROOT) {
		char room[ATTRIBUTE_NUMBER_SIZE];
		size_t size;
		const char *text = attribute_name_text(name, room, &size);
		const struct histree_history_host *hosts = joined->hosts;
		const size_t at = SEARCH(i, 0, joined->host_count,
					 compare_name(hosts[joined->by_name[i]].name, text, size) < 0);
		const struct histree_history_host *host =
			at < joined->host_count ? &hosts[joined->by_name[at]] : NULL;
		return host != NULL && compare_name(host->name, text, size) == 0 ? host->folder : HISTREE_ROOT;
	}
	const struct place place = place_of(joined, parent);
	if (place.attributes == NULL)
		return HISTREE_ROOT;
	return in_union(&place, place.attributes->source->child(place.attributes, place.own, name, NULL));
}

/* What a union answers as its attributes (attributes.h). */
static const struct attribute_source union_attributes = {
	.parent = parent_of,
	.name = name_of,
	.first_child = first_child_of,
	.next_sibling = next_sibling_of,
	.is_folder = is_folder,
	.child = child_of,
};

/* ---- history union ------------------------------------------------------------------------------------------- */

/* ---- what it is ------------------------------------------------------------------------------------------- */

const struct histree_history_host *histree_history_hosts(const struct histree_history *history, size_t *count)
{
	*count = history->hosts != NULL ? history->hosts->host_count : 0;
	return history->hosts != NULL ? history->hosts->hosts : NULL;
}

size_t histree_history_host_of(const struct histree_history *history, histree_quark quark)
{
	return history->hosts != NULL ? history_union_host(history->hosts, quark) : 0;
}

size_t histree_history_match_missing(const struct histree_history *history, const char *pattern,
				     bool (*found)(void *context, histree_quark quark), void *context)
{
	const struct history_union *joined = history->hosts;
	const char *rest = pattern;
	struct path_component first;
	if (joined == NULL || pattern_check(pattern, NULL) != HISTREE_OK || !path_cut(&rest, &first) ||
	    rest == NULL || pattern_is_up(&first))
		return 0;
	size_t calls = 0;
	for (uint32_t i = 0; i < joined->host_count; i++) {
		const struct histree_history_host *host = &joined->hosts[i];
		if (!history_host_is_missing(host) ||
		    (!pattern_is_any_depth(&first) &&
		     !pattern_component_matches(&first, host->name, strlen(host->name))))
			continue;
		calls++;
		if (!found(context, host->folder))
			break;
	}
	return calls;
}

void history_host_prefix(const struct histree_history_host *host, struct histree_error *error)
{
	error_prefix(error, "host '%s'", host->name);
}

/* ---- making one ------------------------------------------------------------------------------------------- */

/* In the way of a union, before anything is made. */
static enum histree_status check_parts(const struct histree_history_part *parts, size_t count,
				       struct histree_error *error)
{
	uint64_t attributes = count;
	for (size_t i = 0; i < count; i++) {
		const struct histree_history *history = parts[i].history;
		if (parts[i].name == NULL || *parts[i].name == '\0')
			return error_set(error, HISTREE_ERR_ARGUMENT, "host %zu of %zu has no name", i + 1, count);
		if (history != NULL && history->hosts != NULL)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "host '%s' is a history of several hosts itself; unite their histories "
					 "one by one",
					 parts[i].name);
		attributes += history != NULL ? history->info.attribute_count : 0;
	}
	if (attributes > ATTRIBUTE_COUNT_MAX)
		return error_set(error, HISTREE_ERR_FORMAT,
				 "%zu hosts have %" PRIu64 " attributes; a history of several has %d at most",
				 count, attributes, ATTRIBUTE_COUNT_MAX);
	return HISTREE_OK;
}

/* From here on the union owns the histories of the parts. */
static bool take_parts(struct history_union *joined, const struct histree_history_part *parts, size_t count)
{
	histree_quark folder = 0;
	bool whole = true;
	for (size_t i = 0; i < count; i++) {
		struct histree_history_host *host = &joined->hosts[i];
		const char *why = parts[i].history == NULL ? parts[i].why : NULL;
		*host = (struct histree_history_host){ .history = parts[i].history, .folder = folder };
		joined->host_count++;
		host->name = arena_copy(&joined->texts, parts[i].name, strlen(parts[i].name));
		host->why = why != NULL ? arena_copy(&joined->texts, why, strlen(why)) : NULL;
		whole = whole && host->name != NULL && (why == NULL || host->why != NULL);
		host->count = host->history != NULL ? host->history->info.attribute_count : 0;
		joined->folders[i] = folder;
		joined->by_name[i] = (uint32_t)i;
		assert(host->count < ATTRIBUTE_COUNT_MAX - folder);
		folder += 1 + host->count;
	}
	joined->attributes = (struct histree_attributes){ .source = &union_attributes, .count = folder };
	return whole;
}

static int by_name(const void *one, const void *other, void *context)
{
	const struct histree_history_host *hosts = context;
	return strcmp(hosts[*(const uint32_t *)one].name, hosts[*(const uint32_t *)other].name);
}

static enum histree_status sort_names(struct history_union *joined, struct histree_error *error)
{
	qsort_r(joined->by_name, joined->host_count, sizeof(*joined->by_name), by_name, joined->hosts);
	for (uint32_t i = 1; i < joined->host_count; i++) {
		const char *name = joined->hosts[joined->by_name[i]].name;
		if (strcmp(joined->hosts[joined->by_name[i - 1]].name, name) == 0)
			return error_set(error, HISTREE_ERR_ARGUMENT, "two hosts have the name '%s'", name);
	}
	return HISTREE_OK;
}

static void close_parts(const struct histree_history_part *parts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		histree_history_close(parts[i].history);
}

static enum histree_status history_union_make(const struct histree_history_part *parts, size_t count,
					      struct history_union **out, struct histree_error *error)
{
	struct history_union *joined = *out = calloc(1, sizeof(*joined));
	if (joined != NULL) {
		joined->hosts = calloc(count + 1, sizeof(*joined->hosts));
		joined->folders = calloc(count + 1, sizeof(*joined->folders));
		joined->by_name = calloc(count + 1, sizeof(*joined->by_name));
	}
	if (joined == NULL || joined->hosts == NULL || joined->folders == NULL || joined->by_name == NULL) {
		close_parts(parts, count);
		return error_memory(error, "a history of several hosts");
	}
	return take_parts(joined, parts, count) ? HISTREE_OK : error_memory(error, "a history of several hosts");
}

/* ---- information ------------------------------------------------------------------------------------------ */

static void share_text(char *text, const char *other)
{
	if (strcmp(text, other) != 0)
		strcpy(text, "mixed");
}

static void share_number(uint32_t *number, uint32_t other)
{
	if (*number != other)
		*number = 0;
}

/* Sums, and what all have. */
static void add_info(struct histree_history_info *all, const struct histree_history_info *one)
{
	share_text(all->variant, one->variant);
	share_text(all->provider, one->provider);
	share_number(&all->r_depth, one->r_depth);
	share_number(&all->node_size, one->node_size);
	share_number(&all->fan_out, one->fan_out);
	share_number(&all->provider_version, one->provider_version);
	share_number(&all->format_version, one->format_version);
	all->start = one->start < all->start ? one->start : all->start;
	all->end = one->end > all->end ? one->end : all->end;
	all->depth = one->depth > all->depth ? one->depth : all->depth;
	all->complete = all->complete && one->complete;
	all->has_lifetimes = all->has_lifetimes && one->has_lifetimes;
	all->partial = all->partial || one->partial;
	all->file_bytes += one->file_bytes;
	all->node_count += one->node_count;
	all->interval_count += one->interval_count;
	all->null_interval_count += one->null_interval_count;
	all->folder_count += one->folder_count;
	all->node_bytes += one->node_bytes;
	all->node_bytes_used += one->node_bytes_used;
	all->attribute_bytes += one->attribute_bytes;
	all->checkpoint_count += one->checkpoint_count;
	all->checkpoint_bytes += one->checkpoint_bytes;
	all->overview_count += one->overview_count;
	all->overview_bytes += one->overview_bytes;
	for (size_t i = 0; i < HISTREE_KEY_RANGE_BUCKETS; i++)
		all->key_range_nodes[i] += one->key_range_nodes[i];
}

static uint64_t identity_of(const struct history_union *joined)
{
	uint64_t identity = joined->host_count;
	for (uint32_t i = 0; i < joined->host_count; i++) {
		const struct histree_history_host *host = &joined->hosts[i];
		identity = hash_mix(identity ^ hash_bytes(host->name, strlen(host->name)));
		identity = hash_mix(identity ^ (host->history != NULL ? host->history->info.identity : 0));
	}
	return identity;
}

static enum histree_status inform(struct histree_history *history, histree_time start, histree_time end,
				  struct histree_error *error)
{
	struct history_union *joined = history->hosts;
	struct histree_history_info *all = &history->info;
	bool is_first = true;
	for (uint32_t i = 0; i < joined->host_count; i++) {
		const struct histree_history_host *host = &joined->hosts[i];
		if (host->history != NULL && is_first)
			*all = host->history->info;
		else if (host->history != NULL)
			add_info(all, &host->history->info);
		is_first = is_first && host->history == NULL;
	}
	all->start = start < all->start ? start : all->start;
	all->end = end > all->end ? end : all->end;
	joined->nodes_at_height = calloc((size_t)all->depth + 1, sizeof(*joined->nodes_at_height));
	if (joined->nodes_at_height == NULL)
		return error_memory(error, "a history of several hosts");
	for (uint32_t i = 0; i < joined->host_count; i++) {
		const struct histree_history_host *host = &joined->hosts[i];
		for (uint32_t k = 0; host->history != NULL && k < host->history->info.depth; k++)
			joined->nodes_at_height[k] += host->history->info.nodes_at_height[k];
		/* Count the nulls that no shard has: of folders, and of times in which a host was not traced. */
		uint64_t nulls = history_host_is_missing(host) ? 0 : 1;
		if (host->history != NULL && host->history->info.start > all->start)
			nulls += host->count;
		if (host->history != NULL && host->history->info.end < all->end)
			nulls += host->count;
		all->interval_count += nulls;
		all->null_interval_count += nulls;
		all->folder_count += !history_host_is_missing(host);
	}
	all->nodes_at_height = joined->nodes_at_height;
	all->attribute_count = joined->attributes.count;
	all->identity = identity_of(joined);
	return HISTREE_OK;
}

static void share_cache(struct histree_history *history, struct histree_history **with)
{
	if (history == NULL || history->reader == NULL)
		return;
	if (*with == NULL)
		*with = history;
	tree_reader_share_cache(history->reader, (*with)->reader);
}

/*
 * All of them share the memory that one history would take: for their own nodes, and for those of each file of a
 * pyramid.
 */
static void share_caches(const struct history_union *joined)
{
	struct histree_history *first = NULL, *firsts[PYRAMIDS][PYRAMID_LEVELS_MAX] = { { NULL } };
	for (uint32_t i = 0; i < joined->host_count; i++) {
		struct histree_history *history = joined->hosts[i].history;
		share_cache(history, &first);
		for (unsigned id = 0; history != NULL && id < PYRAMIDS; id++)
			for (uint32_t k = 0; k < history->pyramids[id].level_count && k < pyramid_files_max(id);
			     k++)
				share_cache(history->pyramids[id].levels[k].history, &firsts[id][k]);
	}
}

enum histree_status histree_history_unite(const struct histree_history_part *parts, size_t count,
					  struct histree_history **out, struct histree_error *error)
{
	return histree_history_unite_within(parts, count, INT64_MAX, INT64_MIN, out, error);
}

enum histree_status histree_history_unite_within(const struct histree_history_part *parts, size_t count,
						 histree_time start, histree_time end, struct histree_history **out,
						 struct histree_error *error)
{
	struct histree_history *history = NULL;
	bool has_one = false;
	*out = NULL;
	for (size_t i = 0; i < count; i++)
		has_one = has_one || parts[i].history != NULL;
	enum histree_status status = check_parts(parts, count, error);
	if (status == HISTREE_OK && !has_one) {
		char why[400];
		size_t size = 0;
		why[0] = '\0';
		for (size_t i = 0; i < count && size < sizeof(why); i++)
			if (parts[i].why != NULL)
				size += (size_t)snprintf(why + size, sizeof(why) - size, "%shost '%s': %s",
							 size == 0 ? ": " : "; ", parts[i].name, parts[i].why);
		status = error_set(error, HISTREE_ERR_ARGUMENT, "of %zu hosts none has a history%s", count, why);
	}
	if (status == HISTREE_OK) {
		history = calloc(1, sizeof(*history));
		if (history == NULL)
			status = error_memory(error, "a history of several hosts");
	}
	if (status != HISTREE_OK) {
		close_parts(parts, count);
		return status;
	}
	attribute_view_init(&history->attributes);
	status = history_union_make(parts, count, &history->hosts, error);
	if (status == HISTREE_OK)
		status = sort_names(history->hosts, error);
	if (status == HISTREE_OK)
		status = inform(history, start, end, error);
	if (status == HISTREE_OK) {
		history->told = told_slots_create();
		if (history->told == NULL)
			status = error_memory(error, "a history of several hosts");
	}
	if (status != HISTREE_OK) {
		histree_history_close(history);
		return status;
	}
	share_caches(history->hosts);
	*out = history;
	return HISTREE_OK;
}

/* ---- checking --------------------------------------------------------------------------------------------- */

struct host_faults {
	const char *name;
	void (*report)(void *context, const char *fault);
	void *context;
};

static void report_of_host(void *context, const char *fault)
{
	const struct host_faults *faults = context;
	char text[sizeof(((struct histree_error *)NULL)->message) + 128];
	snprintf(text, sizeof(text), "host '%s': %s", faults->name, fault);
	if (faults->report != NULL)
		faults->report(faults->context, text);
}

enum histree_status history_union_check(const struct history_union *joined, history_check *check,
					void (*report)(void *context, const char *fault), void *context,
					struct histree_error *error)
{
	enum histree_status result = HISTREE_OK;
	for (uint32_t i = 0; i < joined->host_count; i++) {
		const struct histree_history_host *host = &joined->hosts[i];
		struct host_faults faults = { host->name, report, context };
		struct histree_error fault = { 0 };
		enum histree_status status = HISTREE_OK;
		if (history_host_is_missing(host)) {
			report_of_host(&faults, host->why);
			status = error_set(&fault, HISTREE_ERR_FORMAT, "%s", host->why);
		} else if (host->history != NULL) {
			status = check(host->history, report_of_host, &faults, &fault);
		}
		if (status == HISTREE_OK)
			continue;
		if (result == HISTREE_OK || status != HISTREE_ERR_FORMAT)
			error_set(error, status, "host '%s': %s", host->name, fault.message);
		if (status != HISTREE_ERR_FORMAT)
			return status;
		result = status;
	}
	return result;
}
