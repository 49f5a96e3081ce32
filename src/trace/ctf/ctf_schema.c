// SPDX-License-Identifier: MIT
/*
 * ctf_schema.c - the declarations of metadata: clocks, streams, events and types, linked and completed with what
 * they imply: the clocks of times, the roles of fields, and the fields that hold lengths and tags.
 */
#include "trace/ctf/ctf_schema.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/status.h"

/* ---- ctf schema ---------------------------------------------------------------------------------------------- */

void *ctf_schema_allocate(struct ctf_schema *schema, size_t count, size_t size, struct histree_error *error)
{
	if (count > CTF_SCHEMA_BYTES_MAX / size || schema->memory.bytes_total > CTF_SCHEMA_BYTES_MAX) {
		error_set(error, HISTREE_ERR_TRACE, "the metadata declares more than fits %d MiB",
			  CTF_SCHEMA_BYTES_MAX >> 20);
		return NULL;
	}
	void *room = arena_allocate(&schema->memory, (count > 0 ? count : 1) * size,
				    size >= sizeof(void *) ? alignof(max_align_t) : 1);
	if (room == NULL)
		error_memory(error, "the metadata");
	return room;
}

static struct ctf_type *copy_type(struct ctf_schema *schema, struct ctf_type *type, unsigned depth,
				  struct histree_error *error)
{
	if (type == NULL || !ctf_type_is_compound(type))
		return type;
	if (depth > CTF_NESTING_MAX) {
		error_set(error, HISTREE_ERR_TRACE, "types of the metadata are nested more than %d deep",
			  CTF_NESTING_MAX);
		return NULL;
	}
	struct ctf_type *copy = ctf_schema_allocate(schema, 1, sizeof(*copy), error);
	if (copy == NULL)
		return NULL;
	*copy = *type;
	if (type->kind == CTF_ARRAY || type->kind == CTF_SEQUENCE) {
		copy->element = copy_type(schema, type->element, depth + 1, error);
		return copy->element == NULL ? NULL : copy;
	}
	copy->members = ctf_schema_allocate(schema, type->member_count, sizeof(*copy->members), error);
	if (copy->members == NULL)
		return NULL;
	for (size_t i = 0; i < type->member_count; i++) {
		copy->members[i] = type->members[i];
		copy->members[i].type = copy_type(schema, type->members[i].type, depth + 1, error);
		if (copy->members[i].type == NULL)
			return NULL;
	}
	return copy;
}

struct ctf_type *ctf_type_copy(struct ctf_schema *schema, struct ctf_type *type, struct histree_error *error)
{
	return copy_type(schema, type, 0, error);
}

/* ---- labels ---------------------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
	const struct ctf_label *first = a, *second = b;
	int order = strcmp(first->name, second->name);
	return order != 0 ? order : (first->low > second->low) - (first->low < second->low);
}

/* As signed numbers or as others: nothing but their order among themselves is asked for. */
static int compare_numbers(const void *a, const void *b)
{
	const struct ctf_label *first = a, *second = b;
	return (first->low > second->low) - (first->low < second->low);
}

void ctf_labels_sort(struct ctf_type *type)
{
	type->values = type->labels + type->label_count;
	memcpy(type->values, type->labels, type->label_count * sizeof(*type->labels));
	qsort(type->labels, type->label_count, sizeof(*type->labels), compare_names);
	qsort(type->values, type->label_count, sizeof(*type->values), compare_numbers);
}

/*
 * A range of signed numbers may begin below 0, which is above all others in this order: then its low end is greater
 * than its high one, and it is found behind the numbers that begin before it, or at the end.
 */
const char *ctf_label_find(const struct ctf_type *type, uint64_t number)
{
	enum { NEAR = 16 }; /* ranges that may lie across one another */
	if (!type->is_enumeration || type->label_count == 0)
		return NULL;
	const size_t low = SEARCH(i, 0, type->label_count, type->values[i].low <= number);
	for (size_t step = 1; step <= NEAR && step <= type->label_count; step++) {
		const struct ctf_label *label = &type->values[(low + type->label_count - step) % type->label_count];
		if (number - label->low <= label->high - label->low)
			return label->name;
	}
	return NULL;
}

/* ---- clocks ---------------------------------------------------------------------------------------------- */

static enum histree_status find_clock(struct ctf_schema *schema, struct ctf_type *type, struct histree_error *error)
{
	for (size_t i = 0; type->clock == NULL && i < schema->clock_count; i++)
		if (strcmp(schema->clocks[i].name, type->clock_name) == 0)
			type->clock = &schema->clocks[i];
	if (type->clock == NULL)
		return error_set(error, HISTREE_ERR_TRACE, "the metadata has no clock \"%.80s\"", type->clock_name);
	return HISTREE_OK;
}

/* The clock of a time for which no clock is named: the only clock, or one of nanoseconds if there is none. */
static const struct ctf_clock *implied_clock(struct ctf_schema *schema, struct histree_error *error)
{
	if (schema->clock_count == 0) {
		if (!array_reserve(&schema->clocks, &schema->clock_capacity, CTF_CLOCKS_MAX)) {
			error_memory(error, "the metadata");
			return NULL;
		}
		schema->clocks[schema->clock_count++] =
			(struct ctf_clock){ .name = "default", .frequency = 1000000000 };
	}
	if (schema->clock_count == 1)
		return &schema->clocks[0];
	error_set(error, HISTREE_ERR_TRACE, "a time of the metadata names none of its %zu clocks",
		  schema->clock_count);
	return NULL;
}

/* Integers are shared: this one gets its clock in a copy. */
static enum histree_status imply_clock(struct ctf_schema *schema, struct ctf_member *member,
				       struct histree_error *error)
{
	struct ctf_type *copy = ctf_schema_allocate(schema, 1, sizeof(*copy), error);
	const struct ctf_clock *clock = copy == NULL ? NULL : implied_clock(schema, error);
	if (clock == NULL)
		return error == NULL ? HISTREE_ERR_TRACE : error->status;
	*copy = *member->type;
	copy->clock = clock;
	member->type = copy;
	return HISTREE_OK;
}

/* Give the integers of a type their clocks; *found becomes the first that there is. */
static enum histree_status find_clocks(struct ctf_schema *schema, struct ctf_type *type, bool has_times,
				       const struct ctf_clock **found, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	if (type == NULL)
		return HISTREE_OK;
	if (type->kind == CTF_INTEGER) {
		if (type->clock_name != NULL && type->clock == NULL)
			status = find_clock(schema, type, error);
		if (*found == NULL)
			*found = type->clock;
		return status;
	}
	if (type->kind == CTF_ARRAY || type->kind == CTF_SEQUENCE)
		return find_clocks(schema, type->element, false, found, error);
	if (type->kind != CTF_STRUCTURE && type->kind != CTF_VARIANT)
		return HISTREE_OK;
	for (size_t i = 0; status == HISTREE_OK && i < type->member_count; i++) {
		struct ctf_member *member = &type->members[i];
		if (has_times && member->type->kind == CTF_INTEGER && member->type->clock_name == NULL &&
		    member->type->clock == NULL &&
		    (strcmp(member->name, "timestamp") == 0 || strcmp(member->name, "timestamp_begin") == 0 ||
		     strcmp(member->name, "timestamp_end") == 0))
			status = imply_clock(schema, member, error);
		if (status == HISTREE_OK)
			status = find_clocks(schema, member->type, has_times, found, error);
	}
	return status;
}

static enum histree_status link_clocks(struct ctf_schema *schema, struct ctf_stream_type *stream,
				       struct histree_error *error)
{
	enum histree_status status = find_clocks(schema, stream->event_header, true, &stream->clock, error);
	if (status == HISTREE_OK)
		status = find_clocks(schema, stream->packet_context, true, &stream->clock, error);
	if (status == HISTREE_OK)
		status = find_clocks(schema, stream->event_context, false, &stream->clock, error);
	for (size_t i = stream->linked_events; status == HISTREE_OK && i < stream->events.count; i++) {
		struct ctf_event_type *event = stream->events.entries[i].record;
		status = find_clocks(schema, event->context, false, &stream->clock, error);
		if (status == HISTREE_OK)
			status = find_clocks(schema, event->payload, false, &stream->clock, error);
	}
	return status;
}

const struct ctf_environment *ctf_schema_environment(const struct ctf_schema *schema, const char *key)
{
	for (size_t i = 0; i < schema->environment_count; i++)
		if (strcmp(schema->environment[i].key, key) == 0)
			return &schema->environment[i];
	return NULL;
}

/* ---- roles ------------------------------------------------------------------------------------------------ */

struct name_of_role {
	const char *name;
	enum ctf_role role;
};

static const struct name_of_role of_header[] = {
	{ "magic", CTF_ROLE_MAGIC },
	{ "stream_id", CTF_ROLE_STREAM },
	{ "stream_instance_id", CTF_ROLE_INSTANCE },
};

static const struct name_of_role of_context[] = {
	{ "packet_size", CTF_ROLE_PACKET_SIZE },
	{ "content_size", CTF_ROLE_CONTENT_SIZE },
	{ "timestamp_begin", CTF_ROLE_BEGIN },
	{ "timestamp_end", CTF_ROLE_END },
	{ "events_discarded", CTF_ROLE_DISCARDED },
	{ "packet_seq_num", CTF_ROLE_SEQUENCE },
	{ "cpu_id", CTF_ROLE_CPU },
};

/* The first member of a name has a role, if it is an integer. */
static void give(const struct ctf_type *structure, const struct name_of_role *names, size_t count)
{
	for (size_t name = 0; structure != NULL && name < count; name++)
		for (size_t i = 0; i < structure->member_count; i++) {
			struct ctf_member *member = &structure->members[i];
			if (strcmp(member->name, names[name].name) != 0)
				continue;
			if (member->type->kind == CTF_INTEGER)
				member->roles |= 1u << names[name].role;
			break;
		}
}

/* Integers of a name have a role, at any depth. */
static void give_all(const struct ctf_type *type, const char *name, enum ctf_role role)
{
	while (type != NULL && (type->kind == CTF_ARRAY || type->kind == CTF_SEQUENCE))
		type = type->element;
	if (type == NULL || !ctf_type_is_compound(type))
		return;
	for (size_t i = 0; i < type->member_count; i++) {
		struct ctf_member *member = &type->members[i];
		if (member->type->kind == CTF_INTEGER && strcmp(member->name, name) == 0)
			member->roles |= 1u << role;
		give_all(member->type, name, role);
	}
}

/* ---- locations -------------------------------------------------------------------------------------------- */

/* A structure around what is looked at, and how many of its members come before that. */
struct ctf_around {
	const struct ctf_type *structure;
	size_t before;
	const struct ctf_around *outer;
};

struct ctf_finder {
	struct ctf_schema *schema;
	struct ctf_type *scopes[CTF_SCOPE_COUNT];
	enum ctf_scope_kind scope;       /* that is walked */
	enum ctf_scope_kind scopes_made; /* those before are linked, and get no new slots */
	uint32_t event_slots;            /* in use by the event that is walked */
	struct histree_error *error;
};

/* The members that a length or a tag may be, and where they are. */
enum { CTF_TARGETS_MAX = 256 };

struct ctf_targets {
	struct ctf_member *members[CTF_TARGETS_MAX];
	size_t count;
	enum ctf_scope_kind scope;
	bool are_too_many;
};

/*
 * A walk along the names of a location.  `chain` has the structures around the field that needs the location, the
 * outermost first: what is in them is decoded up to the member that leads on to the field.
 */
struct walk {
	const struct ctf_around *chain[2 * CTF_NESTING_MAX];
	size_t chain_count;
	const char *names[2 * CTF_NESTING_MAX];
	size_t name_count;
	uint64_t *searches;
	struct ctf_targets *targets;
};

#define OFF_CHAIN SIZE_MAX
static void step(struct walk *walk, const struct ctf_type *structure, size_t level, size_t name);

/* Go on inside of a member that is decoded. */
static void descend(struct walk *walk, struct ctf_member *member, size_t name)
{
	struct ctf_type *type = member->type;
	if (walk->targets->are_too_many || *walk->searches > CTF_SEARCHES_MAX)
		return;
	if (type->kind == CTF_VARIANT) {
		for (size_t i = 0; i < type->member_count; i++)
			descend(walk, &type->members[i], name);
	} else if (type->kind == CTF_STRUCTURE && name < walk->name_count) {
		step(walk, type, OFF_CHAIN, name);
	} else if (ctf_type_is_integer(type) && name == walk->name_count) {
		struct ctf_targets *targets = walk->targets;
		if (targets->count < CTF_TARGETS_MAX)
			targets->members[targets->count++] = member;
		else
			targets->are_too_many = true;
	}
}

/* Find a name in a structure, which is one of the chain or is all decoded. */
static void step(struct walk *walk, const struct ctf_type *structure, size_t level, size_t name)
{
	size_t end = level == OFF_CHAIN ? structure->member_count : walk->chain[level]->before + 1;
	*walk->searches += end;
	for (size_t i = 0; i < end && i < structure->member_count; i++) {
		if (strcmp(structure->members[i].name, walk->names[name]) != 0)
			continue;
		if (level == OFF_CHAIN || i < walk->chain[level]->before)
			descend(walk, &structure->members[i], name + 1);
		else if (level + 1 < walk->chain_count && name + 1 < walk->name_count)
			step(walk, walk->chain[level + 1]->structure, level + 1, name + 1);
		return;
	}
}

/* A null goes back from the name before it.  Returns how many go up from where the walk begins. */
static size_t take_names(struct walk *walk, const struct ctf_location *location)
{
	size_t up = 0;
	for (size_t i = 0; i < location->count; i++) {
		if (location->names[i] != NULL && walk->name_count < 2 * CTF_NESTING_MAX)
			walk->names[walk->name_count++] = location->names[i];
		else if (location->names[i] == NULL && walk->name_count > 0)
			walk->name_count--;
		else if (location->names[i] == NULL)
			up++;
	}
	return up;
}

/*
 * Find what a location of CTF 2 (section 6.4.2) names.  Only what was decoded before can be named; where that is in
 * a variant, each option may have it.
 */
static void ctf_location_find(const struct ctf_finder *finder, const struct ctf_location *location,
			      const struct ctf_around *around, struct ctf_targets *out)
{
	struct walk walk = { .searches = &finder->schema->searches, .targets = out };
	size_t up = take_names(&walk, location), depth = 0;
	*out = (struct ctf_targets){ .scope = finder->scope };
	for (const struct ctf_around *at = around; at != NULL; at = at->outer)
		depth++;
	if (depth > 2 * CTF_NESTING_MAX || location->count > 2 * CTF_NESTING_MAX || walk.name_count == 0)
		return;
	walk.chain_count = depth;
	for (const struct ctf_around *at = around; at != NULL; at = at->outer)
		walk.chain[--depth] = at;
	if (location->origin < 0) {
		if (up < walk.chain_count)
			step(&walk, walk.chain[walk.chain_count - 1 - up]->structure, walk.chain_count - 1 - up, 0);
		return;
	}
	out->scope = (enum ctf_scope_kind)location->origin;
	if (up > 0 || out->scope > finder->scope || finder->scopes[out->scope] == NULL)
		return;
	step(&walk, finder->scopes[out->scope], out->scope == finder->scope ? 0 : OFF_CHAIN, 0);
}

/* ---- what lengths and tags name --------------------------------------------------------------------------- */

static const char *const roots[CTF_SCOPE_COUNT] = {
	[CTF_SCOPE_PACKET_HEADER] = "trace.packet.header.",
	[CTF_SCOPE_PACKET_CONTEXT] = "stream.packet.context.",
	[CTF_SCOPE_EVENT_HEADER] = "stream.event.header.",
	[CTF_SCOPE_EVENT_CONTEXT] = "stream.event.context.",
	[CTF_SCOPE_CONTEXT] = "event.context.",
	[CTF_SCOPE_PAYLOAD] = "event.fields.",
};

static enum histree_status find_in(struct ctf_finder *finder, struct ctf_type *type,
				   const struct ctf_around *around);

static struct ctf_member *find_member(const struct ctf_type *structure, size_t before, const char *name,
				      size_t size, uint64_t *searches)
{
	*searches += before;
	if (size > 0 && name[0] == '_') {
		name++;
		size--;
	}
	for (size_t i = before; structure != NULL && i-- > 0;) {
		struct ctf_member *member = &structure->members[i];
		if (strncmp(member->name, name, size) == 0 && member->name[size] == '\0')
			return member;
	}
	return NULL;
}

/* Follow "a.b.c" down from a structure. */
static struct ctf_member *follow(const struct ctf_type *structure, size_t before, const char *path,
				 uint64_t *searches)
{
	for (;;) {
		size_t size = strcspn(path, ".");
		struct ctf_member *member = find_member(structure, before, path, size, searches);
		if (member == NULL || path[size] == '\0')
			return member;
		if (member->type->kind != CTF_STRUCTURE)
			return NULL;
		structure = member->type;
		before = structure->member_count;
		path += size + 1;
	}
}

static struct ctf_member *find_target(const struct ctf_finder *finder, const char *path,
				      const struct ctf_around *around, enum ctf_scope_kind *scope)
{
	struct ctf_member *found = NULL;
	uint64_t *searches = &finder->schema->searches;
	const struct ctf_around *root = around;
	while (root->outer != NULL)
		root = root->outer;
	for (*scope = CTF_SCOPE_PACKET_HEADER; *scope < CTF_SCOPE_COUNT; ++*scope) {
		size_t size = strlen(roots[*scope]);
		const struct ctf_type *structure = finder->scopes[*scope];
		if (strncmp(path, roots[*scope], size) != 0 || structure == NULL || *scope > finder->scope)
			continue;
		return follow(structure, *scope == finder->scope ? root->before + 1 : structure->member_count,
			      path + size, searches);
	}
	*scope = finder->scope;
	for (; found == NULL && around != NULL; around = around->outer)
		found = follow(around->structure, around->before, path, searches);
	for (int before = (int)finder->scope - 1; found == NULL && before >= 0; before--) {
		*scope = (enum ctf_scope_kind)before;
		if (finder->scopes[before] != NULL)
			found = follow(finder->scopes[before], finder->scopes[before]->member_count, path,
				       searches);
	}
	return found;
}

static bool has_slot(const struct ctf_member *member, uint32_t slot)
{
	const struct ctf_slot *more = member->more_slots;
	while (more != NULL && more->slot != slot)
		more = more->next;
	return member->slot == slot || more != NULL;
}

/* A slot that all members have which a length or a tag may be: the one that they have, or a new one. */
static enum histree_status give_slot(struct ctf_finder *finder, const struct ctf_targets *targets, uint32_t *out)
{
	struct ctf_member *first = targets->members[0];
	const struct ctf_slot *more = first->more_slots;
	for (*out = first->slot; *out != CTF_NO_SLOT; *out = more->slot, more = more->next) {
		size_t have = 0;
		while (have < targets->count && has_slot(targets->members[have], *out))
			have++;
		if (have == targets->count)
			return HISTREE_OK;
		if (more == NULL)
			break;
	}
	bool is_shared = targets->scope < CTF_SCOPE_CONTEXT;
	uint32_t *used = is_shared ? &finder->schema->shared_slots : &finder->event_slots;
	if (is_shared && finder->scopes_made > targets->scope) {
		error_set(finder->error, HISTREE_ERR_TRACE,
			  "a length or a tag names a field that an earlier piece of the metadata declared");
		return finder->error->status;
	}
	if (*used == (is_shared ? CTF_SHARED_SLOTS : CTF_SLOTS_MAX)) {
		error_set(finder->error, HISTREE_ERR_TRACE,
			  "the metadata has too many fields that are lengths or tags");
		return finder->error->status;
	}
	*out = (*used)++;
	for (size_t i = 0; i < targets->count; i++) {
		struct ctf_member *member = targets->members[i];
		if (member->slot == CTF_NO_SLOT) {
			member->slot = *out;
			continue;
		}
		struct ctf_slot *another = ctf_schema_allocate(finder->schema, 1, sizeof(*another), finder->error);
		if (another == NULL)
			return finder->error->status;
		*another = (struct ctf_slot){ .slot = *out, .next = member->more_slots };
		member->more_slots = another;
	}
	return HISTREE_OK;
}

/* Each option is chosen by the numbers of the label that is called as it is. */
static enum histree_status find_choices(struct ctf_finder *finder, struct ctf_type *variant)
{
	const struct ctf_type *tag = variant->target->type;
	struct ctf_choice choices[CTF_CHOICES_MAX];
	size_t count = 0;
	for (size_t option = 0; option < variant->member_count; option++) {
		const char *name = variant->members[option].name;
		size_t low = SEARCH(i, 0, tag->label_count, strcmp(tag->labels[i].name, name) < 0);
		for (; low < tag->label_count && strcmp(tag->labels[low].name, name) == 0; low++) {
			if (count == CTF_CHOICES_MAX)
				return error_set(finder->error, HISTREE_ERR_TRACE,
						 "a variant of the metadata has more than %d choices",
						 CTF_CHOICES_MAX);
			choices[count++] = (struct ctf_choice){
				.low = tag->labels[low].low,
				.high = tag->labels[low].high,
				.member = (uint32_t)option,
			};
		}
	}
	variant->choices = ctf_schema_allocate(finder->schema, count, sizeof(*choices), finder->error);
	if (variant->choices == NULL)
		return finder->error->status;
	memcpy(variant->choices, choices, count * sizeof(*choices));
	variant->choice_count = count;
	return HISTREE_OK;
}

static enum histree_status check_searches(const struct ctf_finder *finder)
{
	if (finder->schema->searches > CTF_SEARCHES_MAX)
		return error_set(finder->error, HISTREE_ERR_TRACE,
				 "the metadata has too many lengths and tags in structures too large");
	return HISTREE_OK;
}

/* The ranges of a variant as numbers of its tag: what no tag can be is left out. */
static enum histree_status take_ranges(struct ctf_finder *finder, struct ctf_type *variant)
{
	bool is_signed = variant->target->type->is_signed;
	ctf_wide least = is_signed ? INT64_MIN : 0, most = is_signed ? INT64_MAX : (ctf_wide)UINT64_MAX;
	variant->choices = ctf_schema_allocate(finder->schema, variant->range_count + 1, sizeof(*variant->choices),
					       finder->error);
	variant->choice_count = 0;
	if (variant->choices == NULL)
		return finder->error->status;
	for (size_t i = 0; i < variant->range_count; i++) {
		const struct ctf_range *range = &variant->ranges[i];
		ctf_wide low = range->low < least ? least : range->low;
		ctf_wide high = range->high > most ? most : range->high;
		if (low <= high)
			variant->choices[variant->choice_count++] = (struct ctf_choice){ .low = (uint64_t)low,
											 .high = (uint64_t)high,
											 .member = range->member };
	}
	if (variant->is_optional && (variant->target->type->form & CTF_BOOLEAN) != 0)
		variant->choices[variant->choice_count++] = (struct ctf_choice){ .low = 1, .high = 1 };
	return HISTREE_OK;
}

/* What the members that a length or a selector may be have to be.  Returns what is wrong, NULL if nothing is. */
static const char *fault_of_targets(const struct ctf_type *type, const struct ctf_targets *targets)
{
	bool is_variant = type->kind == CTF_VARIANT;
	bool is_boolean = targets->count > 0 && (targets->members[0]->type->form & CTF_BOOLEAN) != 0;
	if (targets->are_too_many)
		return "too many fields may be there";
	if (targets->count == 0)
		return is_variant ? "there is no boolean and no integer before the field that needs it"
				  : "there is no integer before the field that needs it";
	for (size_t i = 0; i < targets->count; i++) {
		const struct ctf_type *target = targets->members[i]->type;
		if (target->is_signed && !is_variant)
			return "the length is a signed integer";
		if (((target->form & CTF_BOOLEAN) != 0) != is_boolean ||
		    target->is_signed != targets->members[0]->type->is_signed)
			return "the fields that may be there are not of one kind";
	}
	if (is_boolean && !type->is_optional)
		return is_variant ? "the selector of a variant is a boolean" : "the length is a boolean";
	if (is_boolean && type->range_count > 0)
		return "the selector is a boolean, which has no ranges";
	return type->is_optional && !is_boolean && type->range_count == 0
		       ? "the selector is an integer, but 'selector-field-ranges' is missing"
		       : NULL;
}

/* A length may be an entry of the environment: then it is the same in each event, and the sequence an array. */
static bool take_environment(const struct ctf_schema *schema, struct ctf_type *type)
{
	static const char root[] = "env.";
	if (type->kind != CTF_SEQUENCE || strncmp(type->path, root, sizeof(root) - 1) != 0)
		return false;
	const struct ctf_environment *entry = ctf_schema_environment(schema, type->path + sizeof(root) - 1);
	if (entry == NULL || entry->text != NULL || entry->number < 0)
		return false;
	type->kind = CTF_ARRAY;
	type->length = (uint64_t)entry->number;
	return true;
}

static enum histree_status find_reference(struct ctf_finder *finder, struct ctf_type *type,
					  const struct ctf_around *around)
{
	bool is_variant = type->kind == CTF_VARIANT;
	struct ctf_targets targets = { .count = 1 };
	if (type->location != NULL) {
		ctf_location_find(finder, type->location, around, &targets);
		enum histree_status status = check_searches(finder);
		const char *fault = fault_of_targets(type, &targets);
		if (status == HISTREE_OK && fault != NULL)
			status = error_set(finder->error, HISTREE_ERR_TRACE, "%s: %s", type->location->text, fault);
		if (status == HISTREE_OK)
			status = give_slot(finder, &targets, &type->slot);
		type->target = targets.members[0];
		return status == HISTREE_OK && type->kind == CTF_VARIANT ? take_ranges(finder, type) : status;
	}
	if (type->path == NULL)
		return error_set(finder->error, HISTREE_ERR_TRACE, "a variant of the metadata has no tag");
	struct ctf_member *target = find_target(finder, type->path, around, &targets.scope);
	if (check_searches(finder) != HISTREE_OK)
		return finder->error->status;
	if (target == NULL && take_environment(finder->schema, type))
		return HISTREE_OK;
	if (target == NULL || target->type->kind != CTF_INTEGER || (is_variant && !target->type->is_enumeration))
		return error_set(finder->error, HISTREE_ERR_TRACE,
				 "the metadata has no %s \"%.80s\" before the %s that needs it",
				 is_variant ? "enumeration" : "integer", type->path,
				 is_variant ? "variant" : "sequence");
	if (!is_variant && target->type->is_signed)
		return error_set(finder->error, HISTREE_ERR_TRACE,
				 "the length \"%.80s\" in the metadata is a signed integer", type->path);
	targets.members[0] = type->target = target;
	enum histree_status status = give_slot(finder, &targets, &type->slot);
	return status == HISTREE_OK && is_variant ? find_choices(finder, type) : status;
}

static enum histree_status find_in_members(struct ctf_finder *finder, struct ctf_type *type,
					   const struct ctf_around *outer)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; status == HISTREE_OK && i < type->member_count; i++) {
		struct ctf_around around = { .structure = type, .before = i, .outer = outer };
		/* The options of a variant do not come one before the other. */
		bool is_structure = type->kind == CTF_STRUCTURE;
		if (ctf_type_is_compound(type->members[i].type))
			status = find_in(finder, type->members[i].type, is_structure ? &around : outer);
	}
	return status;
}

static enum histree_status find_in(struct ctf_finder *finder, struct ctf_type *type,
				   const struct ctf_around *around)
{
	enum histree_status status = HISTREE_OK;
	if (type->kind == CTF_SEQUENCE || type->kind == CTF_VARIANT)
		status = find_reference(finder, type, around);
	if (status != HISTREE_OK)
		return status;
	if (type->kind == CTF_STRUCTURE || type->kind == CTF_VARIANT)
		return find_in_members(finder, type, around);
	return ctf_type_is_compound(type) && ctf_type_is_compound(type->element)
		       ? find_in(finder, type->element, around)
		       : HISTREE_OK;
}

static enum histree_status find_in_scope(struct ctf_finder *finder, enum ctf_scope_kind scope)
{
	finder->scope = scope;
	return finder->scopes[scope] == NULL ? HISTREE_OK : find_in(finder, finder->scopes[scope], NULL);
}

/* Find what each length and tag of a stream and of its new events names, and give those members slots. */
static enum histree_status ctf_references_find(struct ctf_schema *schema, struct ctf_stream_type *stream,
					       struct histree_error *error)
{
	struct ctf_finder finder = {
		.schema = schema,
		.scopes = { [CTF_SCOPE_PACKET_HEADER] = schema->packet_header,
			    [CTF_SCOPE_PACKET_CONTEXT] = stream->packet_context,
			    [CTF_SCOPE_EVENT_HEADER] = stream->event_header,
			    [CTF_SCOPE_EVENT_CONTEXT] = stream->event_context },
		.event_slots = CTF_SHARED_SLOTS,
		.error = error,
	};
	bool is_known = stream->index < schema->linked_streams;
	if (is_known)
		finder.scopes_made = CTF_SCOPE_CONTEXT;
	else if (schema->linked_streams > 0)
		finder.scopes_made = CTF_SCOPE_PACKET_CONTEXT;
	if (!is_known)
		stream->slot_count = CTF_SHARED_SLOTS;
	enum histree_status status = HISTREE_OK;
	for (enum ctf_scope_kind scope = finder.scopes_made; status == HISTREE_OK && scope < CTF_SCOPE_CONTEXT;
	     scope++)
		status = find_in_scope(&finder, scope);
	for (size_t i = stream->linked_events; status == HISTREE_OK && i < stream->events.count; i++) {
		struct ctf_event_type *event = stream->events.entries[i].record;
		finder.scopes[CTF_SCOPE_CONTEXT] = event->context;
		finder.scopes[CTF_SCOPE_PAYLOAD] = event->payload;
		finder.event_slots = CTF_SHARED_SLOTS;
		status = find_in_scope(&finder, CTF_SCOPE_CONTEXT);
		if (status == HISTREE_OK)
			status = find_in_scope(&finder, CTF_SCOPE_PAYLOAD);
		if (stream->slot_count < finder.event_slots)
			stream->slot_count = finder.event_slots;
	}
	return status;
}

/* ---- streams and events ---------------------------------------------------------------------------------- */

/* Whether nothing was added to a stream since it was linked. */
static bool is_linked(const struct ctf_schema *schema, const struct ctf_stream_type *stream)
{
	return stream->index < schema->linked_streams && stream->linked_events == stream->events.count;
}

/* The metadata declares no stream where there is nothing to say of it. */
static enum histree_status imply_stream(struct ctf_schema *schema, struct histree_error *error)
{
	struct ctf_stream_type *stream = ctf_schema_allocate(schema, 1, sizeof(*stream), error);
	if (stream == NULL || !array_reserve(&schema->streams, &schema->stream_capacity, 1))
		return error_memory(error, "the metadata");
	*stream = (struct ctf_stream_type){ 0 };
	schema->streams[schema->stream_count++] = stream;
	return HISTREE_OK;
}

static enum histree_status link_streams(struct ctf_schema *schema, struct histree_error *error)
{
	for (size_t i = schema->linked_streams; i < schema->stream_count; i++) {
		struct ctf_stream_type *stream = schema->streams[i];
		stream->index = i;
		if (id_map_find(&schema->streams_by_id, stream->id) != NULL)
			return error_set(error, HISTREE_ERR_TRACE, "the metadata declares stream %llu twice",
					 (unsigned long long)stream->id);
		if (!id_map_add(&schema->streams_by_id, stream->id, stream))
			return error_memory(error, "the metadata");
	}
	return HISTREE_OK;
}

static enum histree_status link_events(struct ctf_schema *schema, struct histree_error *error)
{
	for (size_t i = schema->linked_events; i < schema->event_count; i++) {
		struct ctf_event_type *event = schema->events[i];
		struct ctf_stream_type *stream = !event->has_stream && schema->stream_count == 1
							 ? schema->streams[0]
							 : id_map_find(&schema->streams_by_id, event->stream_id);
		if (stream == NULL)
			return error_set(error, HISTREE_ERR_TRACE,
					 "the metadata has no stream %llu, which event \"%.80s\" is said to be of",
					 (unsigned long long)event->stream_id, event->name);
		if (id_map_find(&stream->events, event->id) != NULL)
			return error_set(error, HISTREE_ERR_TRACE,
					 "the metadata declares event %llu of stream %llu twice",
					 (unsigned long long)event->id, (unsigned long long)stream->id);
		if (!id_map_add(&stream->events, event->id, event))
			return error_memory(error, "the metadata");
	}
	return HISTREE_OK;
}

enum histree_status ctf_schema_link_more(struct ctf_schema *schema, struct histree_error *error)
{
	const struct ctf_clock *ignored = NULL;
	bool is_by_name = schema->version == 1; /* CTF 2 says which clock a stream has, and what integers mean */
	if (schema->linked_streams == 0)
		schema->shared_slots = CTF_HEAD_ROLES;
	enum histree_status status = link_streams(schema, error);
	if (status == HISTREE_OK)
		status = link_events(schema, error);
	if (status == HISTREE_OK && is_by_name)
		status = find_clocks(schema, schema->packet_header, false, &ignored, error);
	for (size_t i = 0; status == HISTREE_OK && is_by_name && i < schema->stream_count; i++)
		if (!is_linked(schema, schema->streams[i]))
			status = link_clocks(schema, schema->streams[i], error);
	if (status == HISTREE_OK && is_by_name) {
		/* What integers of CTF 1.8 mean, in streams that are not linked yet. */
		give(schema->packet_header, of_header, sizeof(of_header) / sizeof(of_header[0]));
		/*
		 * Each array of bytes with this name is the UUID; the decoder finds which of them is at a constant
		 * place.
		 */
		for (size_t i = 0; schema->packet_header != NULL && i < schema->packet_header->member_count; i++)
			if (strcmp(schema->packet_header->members[i].name, "uuid") == 0)
				schema->packet_header->members[i].roles |= 1u << CTF_ROLE_UUID;
		for (size_t i = schema->linked_streams; i < schema->stream_count; i++) {
			const struct ctf_stream_type *stream = schema->streams[i];
			give(stream->packet_context, of_context, sizeof(of_context) / sizeof(of_context[0]));
			give_all(stream->packet_context, "timestamp_end", CTF_ROLE_END);
			give_all(stream->event_header, "id", CTF_ROLE_EVENT);
		}
	}
	for (size_t i = 0; status == HISTREE_OK && i < schema->stream_count; i++)
		if (!is_linked(schema, schema->streams[i]))
			status = ctf_references_find(schema, schema->streams[i], error);
	schema->linked_streams = schema->stream_count;
	schema->linked_events = schema->event_count;
	for (size_t i = 0; i < schema->stream_count; i++)
		schema->streams[i]->linked_events = schema->streams[i]->events.count;
	return status;
}

enum histree_status ctf_schema_link(struct ctf_schema *schema, struct histree_error *error)
{
	enum histree_status status = schema->stream_count == 0 ? imply_stream(schema, error) : HISTREE_OK;
	return status == HISTREE_OK ? ctf_schema_link_more(schema, error) : status;
}

void ctf_schema_release(struct ctf_schema *schema)
{
	for (size_t i = 0; i < schema->stream_count; i++)
		id_map_release(&schema->streams[i]->events);
	id_map_release(&schema->streams_by_id);
	free(schema->clocks);
	free((void *)schema->streams);
	free((void *)schema->events);
	free(schema->environment);
	arena_release(&schema->memory);
	*schema = (struct ctf_schema){ 0 };
}
