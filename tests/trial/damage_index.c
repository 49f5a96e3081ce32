// SPDX-License-Identifier: MIT
/*
 * damage_index.c - a damaged index of events: it is read as a whole, and so refused as a whole.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "damage.h"
#include "event_index/event_index.h"
#include "truth.h"

struct index_trial {
	struct damage *damage;
	uint64_t for_its_version;
};

static void *learn(struct damage *damage)
{
	struct event_index index;
	if (event_index_read(&damage->memory.io, DAMAGE_PATH, &index, NULL) != HISTREE_OK)
		return NULL;
	event_index_release(&index);
	struct index_trial *trial = calloc(1, sizeof(*trial));
	if (trial == NULL)
		give_up("out of memory");
	trial->damage = damage;
	return trial;
}

static void ask(void *context, bool verify)
{
	struct index_trial *trial = context;
	struct event_index index;
	struct histree_error error = { 0 };
	enum histree_status status = event_index_read(&trial->damage->memory.io, DAMAGE_PATH, &index, &error);
	trial->damage->asked++;
	trial->damage->verified += verify;
	trial->damage->found += verify && status != HISTREE_OK;
	trial->damage->refused += status != HISTREE_OK;
	trial->damage->opened += status == HISTREE_OK;
	trial->for_its_version += status == HISTREE_ERR_VERSION;
	if (status == HISTREE_OK) {
		damage_wrong(trial->damage, "it was read");
		event_index_release(&index);
	} else if (status != HISTREE_ERR_FORMAT && status != HISTREE_ERR_VERSION) {
		damage_wrong(trial->damage, "refused with status %d: %s", status, error.message);
	}
}

static void report(const void *context)
{
	const struct index_trial *trial = context;
	printf("%" PRIu64 " of the refused for their version", trial->for_its_version);
}

const struct damage_subject damage_index = { "index of events", learn, ask, report, free };
