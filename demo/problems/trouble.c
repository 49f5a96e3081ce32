// SPDX-License-Identifier: MIT
/*
 * trouble.c - does on purpose what goes wrong in real systems, so that it can be recorded and looked for.
 *
 *	trouble PROBLEM
 *
 * Each problem takes a tenth to a third of a second, on two processors, and needs root for its real-time threads.
 * `awake` is no problem: record starts it beside each.
 * Its threads are named by their part, and the cause is always one of them.  docs/problems.md finds it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000, BLOCK = 65536 }; /* us in a ms; bytes */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t begin_us; /* when all threads were there */

/* ---- what threads do --------------------------------------------------------------------------------------- */

static int64_t now_us(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t used_us(void)
{
	struct timespec used;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (int64_t)used.tv_sec * 1000000 + used.tv_nsec / 1000;
}

/* Keep a CPU busy for so long, waits for it not counted. */
static void burn(int64_t us)
{
	for (int64_t end = used_us() + us; used_us() < end;)
		for (volatile int i = 0; i < 2000; i++)
			;
}

static void sleep_until(int64_t us)
{
	struct timespec then = { us / 1000000, us % 1000000 * 1000 };
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
}

static void rest(int64_t us)
{
	sleep_until(now_us() + us);
}

static void stay_on(int cpu)
{
	cpu_set_t cpus;
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void stop(const char *what)
{
	perror(what);
	exit(1);
}

/* A part of a problem: a thread of this name, which begins with the others. */
struct part {
	const char *name;
	void (*play)(void);
	enum { ANY, CPU_0, CPU_1 } processor;
	int priority; /* of SCHED_FIFO; 0: an ordinary thread */
};

static void *part_run(void *context)
{
	const struct part *part = context;
	const struct sched_param param = { .sched_priority = part->priority };
	pthread_setname_np(pthread_self(), part->name);
	if (part->processor != ANY)
		stay_on(part->processor == CPU_1);
	if (part->priority > 0 && pthread_setschedparam(pthread_self(), SCHED_FIFO, &param) != 0)
		stop("trouble: real-time threads need root");
	sleep_until(begin_us);
	part->play();
	return NULL;
}

static void play_all(const struct part *parts, size_t count)
{
	pthread_t threads[16];
	begin_us = now_us() + 10 * MS;
	for (size_t i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, part_run, (void *)(uintptr_t)&parts[i]) != 0)
			stop("trouble: a thread");
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

/* ---- 1: a thread of high priority waits for one of low priority, which waits for one between them ---------- */

static void hold_lock_at_low_priority(void)
{
	pthread_mutex_lock(&lock);
	burn(3 * MS);
	pthread_mutex_unlock(&lock);
}

static void burn_at_middle_priority(void)
{
	sleep_until(begin_us + 2 * MS);
	burn(40 * MS);
}

static void want_lock_at_high_priority(void)
{
	sleep_until(begin_us + 1 * MS);
	pthread_mutex_lock(&lock);
	burn(MS);
	pthread_mutex_unlock(&lock);
}

/* ---- 2: six threads take turns at one lock, under which each waits ----------------------------------------- */

static void work_under_lock(void)
{
	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&lock);
		burn(50);
		rest(300);
		pthread_mutex_unlock(&lock);
		burn(100);
	}
}

/* ---- 3: a server shares its processor with a backup -------------------------------------------------------- */

static void serve(void)
{
	for (int i = 1; i <= 25; i++) {
		burn(1500);
		sleep_until(begin_us + i * 8 * MS);
	}
}

static void back_up(void)
{
	burn(60 * MS);
}

/* ---- 4: each record of a log is forced to disk ------------------------------------------------------------- */

static void write_log(void)
{
	static char block[BLOCK];
	char name[] = "trouble.XXXXXX";
	int file = mkstemp(name);
	if (file < 0)
		stop("trouble: a file");
	unlink(name);
	for (int i = 0; i < 30; i++) {
		burn(500);
		if (pwrite(file, block, sizeof(block), (off_t)i * BLOCK) < 0 || fdatasync(file) != 0)
			stop("trouble: writing");
	}
	close(file);
}

static void count(void)
{
	for (int i = 0; i < 30; i++) {
		burn(2 * MS);
		rest(MS);
	}
}

/* ---- 5: a timer every 100 us for nothing ------------------------------------------------------------------- */

static void poll_by_timer(void)
{
	const struct itimerspec often = { { 0, 100 * 1000 }, { 0, 100 * 1000 } };
	int timer = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t expired;
	timerfd_settime(timer, 0, &often, NULL);
	while (now_us() < begin_us + 100 * MS)
		if (read(timer, &expired, sizeof(expired)) < 0)
			stop("trouble: a timer");
	close(timer);
}

static void wake_now_and_then(void)
{
	for (int i = 0; i < 10; i++) {
		burn(MS);
		rest(9 * MS);
	}
}

/* ---- 6: a thread goes to and fro between processors -------------------------------------------------------- */

static void change_processors(void)
{
	for (int i = 0; i < 150; i++) {
		stay_on(i % 2);
		burn(400);
	}
}

static void stay(void)
{
	burn(30 * MS);
}

/* ---- 7: a thread keeps what it takes ----------------------------------------------------------------------- */

static char *take_block(void)
{
	char *block = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (block == MAP_FAILED)
		stop("trouble: memory");
	memset(block, 1, BLOCK);
	return block;
}

static void take_and_keep(void)
{
	for (int i = 0; i < 80; i++) {
		take_block();
		rest(MS);
	}
}

static void take_and_give_back(void)
{
	for (int i = 0; i < 80; i++) {
		munmap(take_block(), BLOCK);
		rest(MS);
	}
}

/* ---- 8: a frame is late, because what it needs is being loaded --------------------------------------------- */

enum { FRAME = 10 * MS };

static void render(void)
{
	for (int frame = 1; frame <= 20; frame++) {
		burn(2 * MS);
		pthread_mutex_lock(&lock);
		burn(MS);
		pthread_mutex_unlock(&lock);
		sleep_until(begin_us + frame * FRAME);
	}
}

static void load_level(void)
{
	sleep_until(begin_us + 12 * FRAME - MS);
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 5; i++) {
		burn(2 * MS);
		rest(3 * MS);
	}
	pthread_mutex_unlock(&lock);
}

/* ---- 10: the same work in two releases --------------------------------------------------------------------- */

static void parse(size_t piece)
{
	char bytes[4096];
	int file = open("/dev/zero", O_RDONLY);
	for (int record = 0; record < 20; record++) {
		for (size_t at = 0; at < sizeof(bytes); at += piece)
			if (read(file, bytes + at, piece) < 0)
				stop("trouble: reading");
		burn(MS);
		rest(MS);
	}
	close(file);
}

static void parse_in_blocks(void)
{
	parse(4096);
}

static void parse_in_bytes(void)
{
	parse(64);
}

static void show(void)
{
	for (int i = 0; i < 20; i++) {
		burn(500);
		rest(2 * MS);
	}
}

/* ---- none: what keeps both processors from idling ----------------------------------------------------------- */

static void stay_awake(void)
{
	const struct sched_param none = { 0 };
	pthread_setschedparam(pthread_self(), SCHED_IDLE, &none);
	burn(10 * 1000 * MS);
}

/* ---- all of them ------------------------------------------------------------------------------------------- */

static const struct problem {
	const char *name;
	struct part parts[8];
} problems[] = {
	{ "awake", { { "awake", stay_awake, CPU_0, 0 }, { "awake", stay_awake, CPU_1, 0 } } },
	{ "inversion",
	  { { "logger", hold_lock_at_low_priority, CPU_1, 10 },
	    { "encoder", burn_at_middle_priority, CPU_1, 20 },
	    { "control", want_lock_at_high_priority, CPU_1, 30 } } },
	{ "convoy",
	  { { "worker-1", work_under_lock, ANY, 0 },
	    { "worker-2", work_under_lock, ANY, 0 },
	    { "worker-3", work_under_lock, ANY, 0 },
	    { "worker-4", work_under_lock, ANY, 0 },
	    { "worker-5", work_under_lock, ANY, 0 },
	    { "worker-6", work_under_lock, ANY, 0 } } },
	{ "neighbour",
	  { { "server", serve, CPU_1, 0 }, { "backup-1", back_up, CPU_1, 0 }, { "backup-2", back_up, CPU_1, 0 } } },
	{ "disk", { { "journal", write_log, ANY, 0 }, { "counter", count, ANY, 0 } } },
	{ "timers", { { "poller", poll_by_timer, CPU_1, 0 }, { "clock", wake_now_and_then, CPU_0, 0 } } },
	{ "migration", { { "ball", change_processors, ANY, 0 }, { "rock", stay, ANY, 0 } } },
	{ "leak", { { "cache", take_and_keep, CPU_0, 0 }, { "buffer", take_and_give_back, CPU_1, 0 } } },
	{ "frame", { { "render", render, CPU_0, 0 }, { "loader", load_level, CPU_1, 0 } } },
	{ "release-1", { { "parser", parse_in_blocks, CPU_0, 0 }, { "display", show, CPU_1, 0 } } },
	{ "release-2", { { "parser", parse_in_bytes, CPU_0, 0 }, { "display", show, CPU_1, 0 } } },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(problems) / sizeof(*problems); i++) {
		const struct problem *problem = &problems[i];
		if (strcmp(argv[1], problem->name) != 0)
			continue;
		size_t count = 0;
		while (count < 8 && problem->parts[count].play != NULL)
			count++;
		play_all(problem->parts, count);
		return 0;
	}
	fprintf(stderr, "usage: trouble PROBLEM, one of");
	for (size_t i = 0; i < sizeof(problems) / sizeof(*problems); i++)
		fprintf(stderr, " %s", problems[i].name);
	fprintf(stderr, "\n");
	return 2;
}
