// SPDX-License-Identifier: MIT
/*
 * ctf_reference.c - fields that others name: lengths, selectors, and those with a role.
 */
#include "trace/ctf/ctf_reference.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/search.h"
#include "trace/ctf/ctf_schema.h"

/* ---- ctf roles ----------------------------------------------------------------------------------------------- */

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

/* Each array of bytes of this name is the UUID; which of them is at a constant place, the decoder finds. */
static void give_uuid(const struct ctf_type *structure)
{
	for (size_t i = 0; structure != NULL && i < structure->member_count; i++)
		if (strcmp(structure->members[i].name, "uuid") == 0)
			structure->members[i].roles |= 1u << CTF_ROLE_UUID;
}

void ctf_roles_imply(const struct ctf_schema *schema)
{
	give(schema->packet_header, of_header, sizeof(of_header) / sizeof(of_header[0]));
	give_uuid(schema->packet_header);
	for (size_t i = schema->linked_streams; i < schema->stream_count; i++) {
		const struct ctf_stream_type *stream = schema->streams[i];
		give(stream->packet_context, of_context, sizeof(of_context) / sizeof(of_context[0]));
		give_all(stream->packet_context, "timestamp_end", CTF_ROLE_END);
		give_all(stream->event_header, "id", CTF_ROLE_EVENT);
	}
}

/* ---- ctf reference ------------------------------------------------------------------------------------------- */

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

static bool take_slot(struct ctf_finder *finder, enum ctf_scope_kind scope, uint32_t *out)
{
	bool is_shared = scope < CTF_SCOPE_CONTEXT;
	uint32_t *used = is_shared ? &finder->schema->shared_slots : &finder->event_slots;
	if (is_shared && finder->scopes_made > scope) {
		error_set(finder->error, HISTREE_ERR_TRACE,
			  "a length or a tag names a field that an earlier piece of the metadata declared");
		return false;
	}
	if (*used == (is_shared ? CTF_SHARED_SLOTS : CTF_SLOTS_MAX)) {
		error_set(finder->error, HISTREE_ERR_TRACE,
			  "the metadata has too many fields that are lengths or tags");
		return false;
	}
	*out = (*used)++;
	return true;
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
	if (!take_slot(finder, targets->scope, out))
		return finder->error->status;
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

static enum histree_status find_location(struct ctf_finder *finder, struct ctf_type *type,
					 const struct ctf_around *around)
{
	struct ctf_targets targets;
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
	if (type->location != NULL)
		return find_location(finder, type, around);
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

enum histree_status ctf_references_find(struct ctf_schema *schema, struct ctf_stream_type *stream,
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
