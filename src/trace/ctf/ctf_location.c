// SPDX-License-Identifier: MIT
/*
 * ctf_location.c - finds the field that a length or a tag refers to, by its location.
 */
#include "trace/ctf/ctf_reference.h"

#include <string.h>

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

static void add_target(struct walk *walk, struct ctf_member *member)
{
	struct ctf_targets *targets = walk->targets;
	if (targets->count < CTF_TARGETS_MAX)
		targets->members[targets->count++] = member;
	else
		targets->are_too_many = true;
}

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
		add_target(walk, member);
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

void ctf_location_find(const struct ctf_finder *finder, const struct ctf_location *location,
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
