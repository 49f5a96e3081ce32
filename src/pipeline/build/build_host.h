/* SPDX-License-Identifier: MIT */
/*
 * build_host.h - build the store of one host.
 */
#ifndef PIPELINE_BUILD_BUILD_HOST_H
#define PIPELINE_BUILD_BUILD_HOST_H

#include "base/io.h"
#include "histree/build.h"

/* Of which host a store is, and by which clock its times are corrected; NULL: it does not say. */
struct build_host {
	const char *name;
	const struct histree_clock *clock;
	bool is_one_of_many; /* its store lies in one of several hosts */
	size_t tables_max;   /* bytes of tables; 0: as `memory_max` of the options says (memory_plan.h) */
};

/* Build the store of one host, whatever the options say of hosts and clocks. */
enum histree_status build_one_host(const struct histree_build_options *options, const struct io *io,
				   const struct build_host *host, struct histree_error *error);

#endif
