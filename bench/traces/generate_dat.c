// SPDX-License-Identifier: MIT
/*
 * generate_dat.c - make a trace.dat of version 6, of any size: what trace-cmd would record of busy CPUs.
 *
 *	generate_dat [--cpus N] [--megabytes N] [--threads N] -o FILE
 *
 * On each CPU some threads take turns; between two switches the one that runs makes system calls.  The same options
 * give the same bytes.  What it made is said in one line: events, bytes.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash_index.h"

enum {
	PAGE_SIZE = 4096,
	PAGE_HEAD = 16,
	ENTRY_MAX = 80,
	CPUS_MAX = 8192,
	SWITCH = 310,
	CALL = 20,
	RETURN = 21,
	FIRST_TID = 1000,
	FIRST_TIME = 1000000000,
};

static const char common[] = "format:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
			     "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
static const char switch_fields[] = "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
				    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
				    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
				    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
				    "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
				    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
				    "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n";
static const char call_fields[] = "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n";
static const char return_fields[] = "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
				    "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n";
static const char page_text[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

/* ---- the head -------------------------------------------------------------------------------------------- */

static void put(FILE *file, const void *bytes, size_t size)
{
	fwrite(bytes, 1, size, file);
}

static void put_u32(FILE *file, uint32_t number)
{
	uint8_t bytes[4];
	put_le32(bytes, number);
	put(file, bytes, 4);
}

static void put_u64(FILE *file, uint64_t number)
{
	uint8_t bytes[8];
	put_le64(bytes, number);
	put(file, bytes, 8);
}

static void put_description(FILE *file, const char *name, int id, const char *fields)
{
	char text[2048];
	int size =
		snprintf(text, sizeof(text), "name: %s\nID: %d\n%s%s\nprint fmt: \"\"\n", name, id, common, fields);
	put_u64(file, (uint64_t)size);
	put(file, text, (size_t)size);
}

/* trace-cmd.dat.v6(5), up to the table of CPUs. */
static void put_head(FILE *file, uint32_t cpus)
{
	put(file, "\x17\x08\x44tracing6\0\0\x8", 14);
	put_u32(file, PAGE_SIZE);
	put(file, "header_page", 12);
	put_u64(file, sizeof(page_text) - 1);
	put(file, page_text, sizeof(page_text) - 1);
	put(file, "header_event", 13);
	put_u64(file, 0);
	put_u32(file, 0); /* events of ftrace */
	put_u32(file, 2); /* systems */
	put(file, "sched", 6);
	put_u32(file, 1);
	put_description(file, "sched_switch", SWITCH, switch_fields);
	put(file, "raw_syscalls", 13);
	put_u32(file, 2);
	put_description(file, "sys_enter", CALL, call_fields);
	put_description(file, "sys_exit", RETURN, return_fields);
	put_u32(file, 0); /* addresses */
	put_u32(file, 0); /* formats of printk */
	put_u64(file, 0); /* names of threads */
	put_u32(file, cpus);
	put(file, "flyrecord", 10);
}

static void put_table(FILE *file, uint32_t cpus, uint64_t pages)
{
	uint64_t begin = (uint64_t)ftell(file) + 16 * (uint64_t)cpus;
	begin = (begin + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
	for (uint64_t cpu = 0; cpu < cpus; cpu++) {
		put_u64(file, begin + cpu * pages * PAGE_SIZE);
		put_u64(file, pages * PAGE_SIZE);
	}
	while ((uint64_t)ftell(file) < begin)
		put(file, "", 1);
}

/* ---- the pages of a CPU ---------------------------------------------------------------------------------- */

struct cpu {
	struct random random;
	uint64_t time;
	uint32_t first_tid, threads, running; /* running: a number below threads; threads: the idle one */
	uint32_t calls;                       /* to come before the next switch */
	bool is_in_call;
};

static uint32_t tid_of(const struct cpu *cpu, uint32_t thread)
{
	return thread == cpu->threads ? 0 : cpu->first_tid + thread;
}

static void put_thread(uint8_t *name, uint8_t *tid_and_priority, const struct cpu *cpu, uint32_t thread)
{
	snprintf((char *)name, 16, thread == cpu->threads ? "swapper" : "thread-%" PRIu32, tid_of(cpu, thread));
	put_le32(tid_and_priority, tid_of(cpu, thread));
	put_le32(tid_and_priority + 4, 120);
}

/* Returns the size of the next event, which is a multiple of 4. */
static uint32_t make_event(struct cpu *cpu, uint8_t event[static ENTRY_MAX])
{
	memset(event, 0, ENTRY_MAX);
	put_le32(event + 4, tid_of(cpu, cpu->running));
	if (cpu->is_in_call || cpu->calls > 0) {
		put_le16(event, cpu->is_in_call ? RETURN : CALL);
		put_le64(event + 8, cpu->calls % 300);
		cpu->calls -= !cpu->is_in_call;
		cpu->is_in_call = !cpu->is_in_call;
		return cpu->is_in_call ? 64 : 24;
	}
	uint32_t next = (uint32_t)random_below(&cpu->random, cpu->threads + 1);
	if (next == cpu->running)
		next = (next + 1) % (cpu->threads + 1);
	put_le16(event, SWITCH);
	put_thread(event + 8, event + 24, cpu, cpu->running);
	put_le64(event + 32, cpu->running != cpu->threads);
	put_thread(event + 40, event + 56, cpu, next);
	cpu->running = next;
	cpu->calls = next == cpu->threads ? 0 : (uint32_t)random_below(&cpu->random, 8);
	return 64;
}

/* Returns how many events the page has. */
static uint64_t put_page(FILE *file, struct cpu *cpu)
{
	uint8_t page[PAGE_SIZE] = { 0 };
	uint32_t at = PAGE_HEAD;
	uint64_t events = 0;
	for (; at + 4 + 64 <= PAGE_SIZE; events++) {
		uint64_t passed = 200 + random_below(&cpu->random, 1600);
		uint8_t event[ENTRY_MAX];
		cpu->time += passed;
		if (events == 0)
			put_le64(page, cpu->time);
		uint32_t size = make_event(cpu, event);
		put_le32(page + at, (uint32_t)(events == 0 ? 0 : passed) << 5 | size / 4);
		memcpy(page + at + 4, event, size);
		at += 4 + size;
	}
	put_le64(page + 8, at - PAGE_HEAD);
	put(file, page, PAGE_SIZE);
	return events;
}

/* ---- the command ----------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
	static const struct option known[] = {
		{ "cpus", required_argument, NULL, 'c' },
		{ "megabytes", required_argument, NULL, 'm' },
		{ "threads", required_argument, NULL, 't' },
		{ "output", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 },
	};
	uint64_t cpus = 8, megabytes = 100, threads = 16, events = 0;
	const char *path = NULL;
	int option;
	while ((option = getopt_long(argc, argv, "o:", known, NULL)) != -1) {
		if (option == 'o')
			path = optarg;
		else if (option == 'c')
			cpus = strtoull(optarg, NULL, 10);
		else if (option == 'm')
			megabytes = strtoull(optarg, NULL, 10);
		else if (option == 't')
			threads = strtoull(optarg, NULL, 10);
	}
	FILE *file = path == NULL || cpus == 0 || cpus > CPUS_MAX || threads == 0 || threads > 1000
			     ? NULL
			     : fopen(path, "wb");
	if (file == NULL) {
		fprintf(stderr, "usage: generate_dat [--cpus N] [--megabytes N] [--threads N] -o FILE\n");
		return 2;
	}
	uint64_t pages = megabytes * 1000000 / PAGE_SIZE / cpus;
	put_head(file, (uint32_t)cpus);
	put_table(file, (uint32_t)cpus, pages);
	for (uint64_t number = 0; number < cpus; number++) {
		struct cpu cpu = {
			.random = { .state = number + 1 },
			.time = FIRST_TIME + number,
			.first_tid = (uint32_t)(FIRST_TID + number * threads),
			.threads = (uint32_t)threads,
			.running = (uint32_t)threads,
		};
		for (uint64_t page = 0; page < pages; page++)
			events += put_page(file, &cpu);
	}
	printf("%" PRIu64 "\t%ld\n", events, ftell(file));
	return fclose(file) == 0 ? 0 : 1;
}
