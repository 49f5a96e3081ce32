/* SPDX-License-Identifier: MIT */
/*
 * damage.h - a sound file, copies of it that are damaged, and what each kind of file is asked then.
 *
 * Nothing may crash, and no answer may be wrong: a damaged copy is refused, or says what it can no longer say.
 */
#ifndef TRIAL_DAMAGE_H
#define TRIAL_DAMAGE_H

#include "base/hash_index.h"
#include "support/memory_io.h"

/* The damaged copy and the sound file, in `memory`. */
#define DAMAGE_PATH "f"
#define DAMAGE_SOUND_PATH "sound"

struct damage {
	struct random random;
	struct memory_io memory;
	char what[80]; /* was done to the copy */
	uint64_t opened, refused, asked, wrong;
	uint64_t verified, found; /* how often all of it was verified, and damage found by that */
};

/* Say that what was asked of the copy had a wrong answer. */
__attribute__((format(printf, 2, 3))) void damage_wrong(struct damage *damage, const char *format, ...);

struct damage_subject {
	const char *name;
	/* What the copy says, which is sound yet; NULL if it is no such file. */
	void *(*learn)(struct damage *damage);
	/* Open the damaged copy and ask it at random; `verify`: all of it as well. */
	void (*ask)(void *subject, bool verify);
	/* Print what was counted besides, as part of a line. */
	void (*report)(const void *subject);
	void (*forget)(void *subject);
};

extern const struct damage_subject damage_history, damage_segments, damage_index;

#endif
