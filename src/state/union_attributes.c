// SPDX-License-Identifier: MIT
/*
 * union_attributes.c - the attributes of several hosts: a folder each, and below it what the shard says.
 *
 * `near` is where the last question was answered in a shard; it is forgotten when another shard is asked.
 */
#include <string.h>

#include "base/search.h"
#include "state/history_union.h"

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
	const struct histree_history_host *host = &joined->hosts[number];
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
	return own == HISTREE_ROOT ? HISTREE_ROOT : own + place->host->folder + 1;
}

static void begin(const struct place *place, struct attribute_range *near)
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
	begin(&place, near);
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
	begin(&place, near);
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
	begin(&place, near);
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
	begin(&place, near);
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
	size_t name_size = strlen(name);
	int order = memcmp(name, text, name_size < size ? name_size : size);
	return order != 0 ? order : (name_size > size) - (name_size < size);
}

static histree_quark find_host(const struct history_union *joined, const struct attribute_name *name)
{
	char room[ATTRIBUTE_NUMBER_SIZE];
	size_t size;
	const char *text = attribute_name_text(name, room, &size);
	const struct histree_history_host *hosts = joined->hosts;
	const size_t at =
		SEARCH(i, 0, joined->host_count, compare_name(hosts[joined->by_name[i]].name, text, size) < 0);
	const struct histree_history_host *host = at < joined->host_count ? &hosts[joined->by_name[at]] : NULL;
	return host != NULL && compare_name(host->name, text, size) == 0 ? host->folder : HISTREE_ROOT;
}

static histree_quark child_of(const struct histree_attributes *attributes, histree_quark parent,
			      const struct attribute_name *name, struct attribute_near *near)
{
	(void)near; /* each host has an order of its own */
	const struct history_union *joined = union_of(attributes);
	if (parent == HISTREE_ROOT)
		return find_host(joined, name);
	const struct place place = place_of(joined, parent);
	if (place.attributes == NULL)
		return HISTREE_ROOT;
	return in_union(&place, place.attributes->source->child(place.attributes, place.own, name, NULL));
}

const struct attribute_source union_attributes = {
	.parent = parent_of,
	.name = name_of,
	.first_child = first_child_of,
	.next_sibling = next_sibling_of,
	.is_folder = is_folder,
	.child = child_of,
};
