// SPDX-License-Identifier: MIT
#include "analysis/samples/said_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Linux has 15 bytes of a name; of others, longer ones are cut. */
enum { SAID_NAME_MAX = 255 };

struct said_key {
	int64_t trace, pid, tid;
};

bool said_names_set(struct said_names *said, const struct event_trace *trace, int64_t pid, int64_t tid,
		    const char *name, size_t size)
{
	const struct said_key key = { trace->id, pid, tid };
	const uint32_t number = intern_add(&said->keys, &key, sizeof(key));
	if (number == INTERN_NONE || !array_reserve(&said->names, &said->capacity, (size_t)number + 1))
		return false;
	if (size > SAID_NAME_MAX)
		for (size = SAID_NAME_MAX; size > 0 && ((unsigned char)name[size] & 0xc0) == 0x80;)
			size--;
	said->names[number] = intern_add(&said->texts, name, strnlen(name, size));
	return said->names[number] != INTERN_NONE;
}

const char *said_names_get(const struct said_names *said, const struct event_trace *trace, int64_t pid, int64_t tid)
{
	const struct said_key key = { trace->id, pid, tid };
	const uint32_t number = intern_find(&said->keys, &key, sizeof(key));
	size_t size;
	return number != INTERN_NONE ? intern_get(&said->texts, said->names[number], &size) : NULL;
}

void said_names_release(struct said_names *said)
{
	intern_release(&said->keys);
	intern_release(&said->texts);
	free(said->names);
	*said = (struct said_names){ .names = NULL };
}
