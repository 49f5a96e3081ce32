// SPDX-License-Identifier: MIT
/*
 * damage_file.c - a file of a store with one wrong bit, or cut short: never a crash, never a wrong answer.
 *
 *	damage_file FILE FLIPS TRUNCATIONS [SEED]
 *
 * FILE is a history, a store of segments or an index of events.  Each damaged copy is asked what can be asked of
 * such a file, and now and then all of it is verified: damage of what was used must be found.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "damage.h"
#include "truth.h"

enum { VERIFY_EVERY = 8 };

void damage_wrong(struct damage *damage, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fprintf(stderr, "WRONG, %s: ", damage->what);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	damage->wrong++;
}

static void load(struct damage *damage, const char *path)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL || fseek(file, 0, SEEK_END) != 0)
		give_up("cannot read '%s'", path);
	size_t size = (size_t)ftell(file);
	uint8_t *bytes = malloc(size + 1);
	rewind(file);
	if (bytes == NULL || fread(bytes, 1, size, file) != size)
		give_up("cannot read '%s'", path);
	fclose(file);
	memory_io_init(&damage->memory);
	if (!memory_io_put(&damage->memory, DAMAGE_PATH, bytes, size) ||
	    !memory_io_put(&damage->memory, DAMAGE_SOUND_PATH, bytes, size))
		give_up("out of memory");
	free(bytes);
}

static const struct damage_subject *learn(struct damage *damage, void **subject)
{
	static const struct damage_subject *const kinds[] = { &damage_history, &damage_segments, &damage_index };
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if ((*subject = kinds[i]->learn(damage)) != NULL)
			return kinds[i];
	give_up("neither a history nor a store of segments nor an index of events");
}

int main(int argc, char **argv)
{
	if (argc < 4)
		give_up("usage: damage_file FILE FLIPS TRUNCATIONS [SEED]");
	uint64_t flips = strtoull(argv[2], NULL, 10), cuts = strtoull(argv[3], NULL, 10);
	uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1;
	static struct damage damage;
	void *subject;
	damage.random.state = seed;
	load(&damage, argv[1]);
	const struct damage_subject *kind = learn(&damage, &subject);
	struct memory_file *file = memory_io_find(&damage.memory, DAMAGE_PATH);
	const size_t size = file->size;
	for (uint64_t i = 0; i < flips && damage.wrong == 0; i++) {
		size_t at = (size_t)random_below(&damage.random, size);
		unsigned bit = (unsigned)random_below(&damage.random, 8);
		snprintf(damage.what, sizeof(damage.what), "seed %" PRIu64 ", bit %u of byte %zu", seed, bit, at);
		file->bytes[at] ^= (uint8_t)(1U << bit);
		kind->ask(subject, i % VERIFY_EVERY == 0);
		file->bytes[at] ^= (uint8_t)(1U << bit);
	}
	for (uint64_t i = 0; i < cuts && damage.wrong == 0; i++) {
		file->size = (size_t)random_below(&damage.random, size);
		snprintf(damage.what, sizeof(damage.what), "seed %" PRIu64 ", cut to %zu bytes", seed, file->size);
		kind->ask(subject, false);
	}
	printf("%s, seed %" PRIu64 ": %" PRIu64 " bits flipped, %" PRIu64 " files cut short: %" PRIu64
	       " opened, %" PRIu64 " refused; %" PRIu64 " questions asked; ",
	       kind->name, seed, flips, cuts, damage.opened, damage.refused, damage.asked);
	kind->report(subject);
	printf("; damage found by %" PRIu64 " of %" PRIu64 " verifications; %" PRIu64 " wrong\n", damage.found,
	       damage.verified, damage.wrong);
	kind->forget(subject);
	memory_io_release(&damage.memory);
	return damage.wrong > 0;
}
