/* SPDX-License-Identifier: MIT */
/*
 * ctf_reference.h - fields that others name: lengths, selectors, and those with a role.
 *
 * What the two ways of naming a length or a tag share: the structures around it.
 */
#ifndef TRACE_CTF_CTF_REFERENCE_H
#define TRACE_CTF_CTF_REFERENCE_H

#include "trace/ctf/ctf_schema.h"

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
 * Find what a location of CTF 2 (section 6.4.2) names.  Only what was decoded before can be named; where that is in
 * a variant, each option may have it.
 */
void ctf_location_find(const struct ctf_finder *finder, const struct ctf_location *location,
		       const struct ctf_around *around, struct ctf_targets *out);

#endif
