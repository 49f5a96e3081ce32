// SPDX-License-Identifier: MIT
/*
 * What the length of a sequence or the tag of a variant names, CTF 1.8, section 7.3.2: a path from the root of a
 * scope, or a name that is looked for in the structures around it, from the innermost one out, and then in the
 * scopes before.  Only what comes earlier in the event can be named.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/ctf/ctf_schema.h"

enum scope {
	SCOPE_PACKET_HEADER,
	SCOPE_PACKET_CONTEXT,
	SCOPE_EVENT_HEADER,
	SCOPE_EVENT_CONTEXT,
	SCOPE_CONTEXT,
	SCOPE_PAYLOAD,
	SCOPE_COUNT
};

static const char *const roots[SCOPE_COUNT] = {
	[SCOPE_PACKET_HEADER] = "trace.packet.header.",
	[SCOPE_PACKET_CONTEXT] = "stream.packet.context.",
	[SCOPE_EVENT_HEADER] = "stream.event.header.",
	[SCOPE_EVENT_CONTEXT] = "stream.event.context.",
	[SCOPE_CONTEXT] = "event.context.",
	[SCOPE_PAYLOAD] = "event.fields.",
};

/* A structure around what is looked at, and how many of its members come before that. */
struct around {
	const struct ctf_type *structure;
	size_t before;
	const struct around *outer;
};

struct finder {
	struct ctf_schema *schema;
	struct ctf_type *scopes[SCOPE_COUNT];
	enum scope scope;     /* that is walked */
	uint32_t event_slots; /* in use by the event that is walked */
	struct histree_error *error;
};

static enum histree_status find_in(struct finder *finder, struct ctf_type *type, const struct around *around);

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

static struct ctf_member *find_target(const struct finder *finder, const char *path, const struct around *around,
				      enum scope *scope)
{
	struct ctf_member *found = NULL;
	uint64_t *searches = &finder->schema->searches;
	const struct around *root = around;
	while (root->outer != NULL)
		root = root->outer;
	for (*scope = SCOPE_PACKET_HEADER; *scope < SCOPE_COUNT; ++*scope) {
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
		*scope = (enum scope)before;
		if (finder->scopes[before] != NULL)
			found = follow(finder->scopes[before], finder->scopes[before]->member_count, path,
				       searches);
	}
	return found;
}

static enum histree_status give_slot(struct finder *finder, struct ctf_member *member, enum scope scope)
{
	if (member->slot != CTF_NO_SLOT)
		return HISTREE_OK;
	bool is_shared = scope < SCOPE_CONTEXT;
	uint32_t *used = is_shared ? &finder->schema->shared_slots : &finder->event_slots;
	if (*used == (is_shared ? CTF_SHARED_SLOTS : CTF_SLOTS_MAX))
		return error_set(finder->error, HISTREE_ERR_TRACE,
				 "the metadata has too many fields that are lengths or tags");
	member->slot = (*used)++;
	return HISTREE_OK;
}

/* Each option is chosen by the numbers of the label that is called as it is. */
static enum histree_status find_choices(struct finder *finder, struct ctf_type *variant)
{
	const struct ctf_type *tag = variant->target->type;
	struct ctf_choice choices[CTF_CHOICES_MAX];
	size_t count = 0;
	for (size_t option = 0; option < variant->member_count; option++) {
		const char *name = variant->members[option].name;
		size_t low = 0, high = tag->label_count;
		while (low < high) {
			size_t middle = low + (high - low) / 2;
			if (strcmp(tag->labels[middle].name, name) < 0)
				low = middle + 1;
			else
				high = middle;
		}
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

static enum histree_status find_reference(struct finder *finder, struct ctf_type *type, const struct around *around)
{
	bool is_variant = type->kind == CTF_VARIANT;
	enum scope scope;
	if (type->path == NULL)
		return error_set(finder->error, HISTREE_ERR_TRACE, "a variant of the metadata has no tag");
	struct ctf_member *target = find_target(finder, type->path, around, &scope);
	if (finder->schema->searches > CTF_SEARCHES_MAX)
		return error_set(finder->error, HISTREE_ERR_TRACE,
				 "the metadata has too many lengths and tags in structures too large");
	if (target == NULL || target->type->kind != CTF_INTEGER || (is_variant && !target->type->is_enumeration))
		return error_set(finder->error, HISTREE_ERR_TRACE,
				 "the metadata has no %s \"%.80s\" before the %s that needs it",
				 is_variant ? "enumeration" : "integer", type->path,
				 is_variant ? "variant" : "sequence");
	if (!is_variant && target->type->is_signed)
		return error_set(finder->error, HISTREE_ERR_TRACE,
				 "the length \"%.80s\" in the metadata is a signed integer", type->path);
	enum histree_status status = give_slot(finder, target, scope);
	type->target = target;
	return status == HISTREE_OK && is_variant ? find_choices(finder, type) : status;
}

static enum histree_status find_in_members(struct finder *finder, struct ctf_type *type, const struct around *outer)
{
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; status == HISTREE_OK && i < type->member_count; i++) {
		struct around around = { .structure = type, .before = i, .outer = outer };
		/* The options of a variant do not come one before the other. */
		bool is_structure = type->kind == CTF_STRUCTURE;
		if (ctf_type_is_compound(type->members[i].type))
			status = find_in(finder, type->members[i].type, is_structure ? &around : outer);
	}
	return status;
}

static enum histree_status find_in(struct finder *finder, struct ctf_type *type, const struct around *around)
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

static enum histree_status find_in_scope(struct finder *finder, enum scope scope)
{
	finder->scope = scope;
	return finder->scopes[scope] == NULL ? HISTREE_OK : find_in(finder, finder->scopes[scope], NULL);
}

enum histree_status ctf_references_find(struct ctf_schema *schema, struct ctf_stream_type *stream,
					struct histree_error *error)
{
	struct finder finder = {
		.schema = schema,
		.scopes = { [SCOPE_PACKET_HEADER] = schema->packet_header,
			    [SCOPE_PACKET_CONTEXT] = stream->packet_context,
			    [SCOPE_EVENT_HEADER] = stream->event_header,
			    [SCOPE_EVENT_CONTEXT] = stream->event_context },
		.event_slots = CTF_SHARED_SLOTS,
		.error = error,
	};
	stream->slot_count = CTF_SHARED_SLOTS;
	enum histree_status status = HISTREE_OK;
	for (enum scope scope = SCOPE_PACKET_HEADER; status == HISTREE_OK && scope < SCOPE_CONTEXT; scope++)
		status = find_in_scope(&finder, scope);
	for (size_t i = 0; status == HISTREE_OK && i < stream->events.count; i++) {
		struct ctf_event_type *event = stream->events.entries[i].record;
		finder.scopes[SCOPE_CONTEXT] = event->context;
		finder.scopes[SCOPE_PAYLOAD] = event->payload;
		finder.event_slots = CTF_SHARED_SLOTS;
		status = find_in_scope(&finder, SCOPE_CONTEXT);
		if (status == HISTREE_OK)
			status = find_in_scope(&finder, SCOPE_PAYLOAD);
		if (stream->slot_count < finder.event_slots)
			stream->slot_count = finder.event_slots;
	}
	return status;
}
