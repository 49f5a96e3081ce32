// SPDX-License-Identifier: MIT
/*
 * system_calls.c - libseccomp's tables, asked once for each number of a trace.
 */
#include "analysis/kernel/system_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"

/*
 * What is asked of libseccomp, as <seccomp.h> declares it, which nobody needs to build histree.  The token of an
 * architecture is 0 if there is none of this name; a name is the caller's to free, or NULL.
 */
uint32_t seccomp_arch_resolve_name(const char *architecture);
char *seccomp_syscall_resolve_num_arch(uint32_t architecture, int number);

#define SECCOMP_FUNCTIONS(F) F(seccomp_, arch_resolve_name) F(seccomp_, syscall_resolve_num_arch)

static struct {
	SECCOMP_FUNCTIONS(LIBRARY_POINTER)
} lib_seccomp;

static struct library seccomp =
	LIBRARY("libseccomp.so.2", "names of system calls (Debian: libseccomp2)", SECCOMP_FUNCTIONS, lib_seccomp);

/* libseccomp's token for what uname calls the machine; 0 if it has none, or is not there. */
static uint32_t architecture_of(const char *machine)
{
	static const struct {
		const char *machine, *architecture;
	} other_names[] = {
		{ "i386", "x86" },   { "i486", "x86" },   { "i586", "x86" },   { "i686", "x86" },
		{ "armv6l", "arm" }, { "armv7l", "arm" }, { "armv8l", "arm" },
	};
	for (size_t i = 0; i < sizeof(other_names) / sizeof(other_names[0]); i++)
		if (strcmp(machine, other_names[i].machine) == 0)
			machine = other_names[i].architecture;
	return library_load(&seccomp, NULL) == HISTREE_OK ? lib_seccomp.arch_resolve_name(machine) : 0;
}

static char *make_name(struct system_calls *calls, const char *machine, int32_t number)
{
	uint32_t architecture = architecture_of(machine);
	char *known = NULL;
	if (architecture != 0 && number >= 0)
		known = lib_seccomp.syscall_resolve_num_arch(architecture, number);
	char unknown[32];
	snprintf(unknown, sizeof(unknown), "syscall_%" PRId32, number);
	const char *name = known != NULL ? known : unknown;
	char *copy = arena_copy(&calls->texts, name, strlen(name));
	free(known);
	return copy;
}

const char *system_calls_name(struct system_calls *calls, const struct event_trace *trace, int32_t number)
{
	uint64_t id = (uint64_t)trace->id << 32 | (uint32_t)number;
	char *name = id_map_find(&calls->names, id);
	if (name != NULL)
		return name;
	name = make_name(calls, trace->machine, number);
	return name != NULL && id_map_add(&calls->names, id, name) ? name : NULL;
}

void system_calls_release(struct system_calls *calls)
{
	id_map_release(&calls->names);
	arena_release(&calls->texts);
}
