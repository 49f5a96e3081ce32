/* SPDX-License-Identifier: MIT */
/*
 * cpu_threads.h - who had the CPUs: the threads that ran in a range, and the usage of each over time.
 *
 * A number that several threads had, one after another, is as many threads.  Where it is not known who had a CPU,
 * the usage is the least that there was, and what may come on top of it is said apart.
 */
#ifndef SERVER_MODEL_CPU_THREADS_H
#define SERVER_MODEL_CPU_THREADS_H

#include "server/model/host_rows.h"

/* A thread that is known, and how long it ran. */
struct cpu_thread {
	const struct host_view *host;
	uint32_t own; /* the row of the host that it has; HISTREE_NO_INDEX: all threads of the host */
	int64_t ns;
};

struct cpu_threads {
	struct cpu_thread *list;
	size_t count, capacity;
	int64_t total, unknown;
};

/* Adds the threads of a host that ran in a range, as far as there is history of it, what ran longest first. */
enum histree_status cpu_threads_add(struct cpu_threads *threads, const struct host_view *host, histree_time from,
				    histree_time to, struct histree_work work, struct histree_error *error);
enum histree_status cpu_threads_put(struct cpu_threads *threads, const struct cpu_thread *one,
				    struct histree_error *error);
void cpu_threads_release(struct cpu_threads *threads);

/* In the order of the time that they ran; equal ones by their numbers. */
int cpu_threads_compare(const void *one, const void *other);

/* Adds "a host bash (42)", or the name of the host. */
void cpu_thread_name(const struct cpu_thread *thread, struct byte_buffer *name);

/* A range in pixels, and the usage of chosen threads in it: percent of one CPU. */
struct cpu_curves {
	histree_time from, to;
	uint32_t pixels;
	const struct cpu_thread *chosen; /* of several hosts; their times do not matter */
	size_t count;
	double *values;          /* of each, row after row; of the caller's, and zero */
	double *total, *unknown; /* as many for all threads together, of all hosts */
};

/* The most threads of one answer. */
enum { CPU_CURVES_MAX = 256 };

/* Adds what a host did. */
enum histree_status cpu_curves_add(struct cpu_curves *curves, const struct host_view *host, bool with_all,
				   struct histree_work work, struct histree_error *error);

/* What all threads did that have no curve: of all, less those that have. */
void cpu_curves_others(const struct cpu_curves *curves, double *out);

/* How many CPUs the kernels have whose threads these are. */
uint32_t cpu_count(const struct host_rows *rows);

#endif
