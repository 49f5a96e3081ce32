// SPDX-License-Identifier: MIT
#include "server/catalogue/uuid.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash_index.h"

/* FNV-1a, with the other half started elsewhere: not against an adversary, who would only confuse himself. */
#define FNV_START UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)
#define OTHER_START UINT64_C(0x9e3779b97f4a7c15)

static void add_byte(struct uuid_maker *maker, unsigned char byte)
{
	maker->high = (maker->high ^ byte) * FNV_PRIME;
	maker->low = (maker->low ^ byte) * FNV_PRIME;
}

struct uuid_maker uuid_begin(const char *kind)
{
	struct uuid_maker maker = { FNV_START, OTHER_START };
	uuid_add(&maker, kind);
	return maker;
}

void uuid_add(struct uuid_maker *maker, const char *text)
{
	for (; *text != '\0'; text++)
		add_byte(maker, (unsigned char)*text);
	add_byte(maker, 0);
}

void uuid_end(const struct uuid_maker *maker, char text[UUID_TEXT_SIZE])
{
	uint64_t high = hash_mix(maker->high), low = hash_mix(maker->low ^ maker->high);
	high = (high & ~UINT64_C(0xf000)) | UINT64_C(0x8000);   /* version 8: of our own making */
	low = (low & ~(UINT64_C(3) << 62)) | UINT64_C(1) << 63; /* variant of the RFC */
	snprintf(text, UUID_TEXT_SIZE, "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64,
		 high >> 32, high >> 16 & 0xffff, high & 0xffff, low >> 48, low & UINT64_C(0xffffffffffff));
}
