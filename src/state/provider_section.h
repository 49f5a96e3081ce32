/* SPDX-License-Identifier: MIT */
/*
 * provider_section.h - which analysis made a history: the section PROV of a history file.
 *
 *	le32	version
 *	bytes	name, 0 to 63 of them, none of them zero
 */
#ifndef STATE_PROVIDER_SECTION_H
#define STATE_PROVIDER_SECTION_H

#include <stddef.h>
#include <stdint.h>

#include "histree/status.h"

enum { PROVIDER_NAME_ROOM = 64, PROVIDER_SECTION_SIZE_MAX = 4 + PROVIDER_NAME_ROOM - 1 };

struct provider {
	char name[PROVIDER_NAME_ROOM]; /* terminated */
	uint32_t version;
};

/* `name` NULL means no name.  Returns HISTREE_ERR_ARGUMENT if it is too long. */
enum histree_status provider_init(struct provider *provider, const char *name, uint32_t version,
				  struct histree_error *error);

/* Returns how many of the bytes it fills. */
size_t provider_section_save(const struct provider *provider, uint8_t bytes[PROVIDER_SECTION_SIZE_MAX]);
enum histree_status provider_section_load(struct provider *provider, const uint8_t *bytes, size_t size,
					  struct histree_error *error);

#endif
