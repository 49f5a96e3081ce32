/* SPDX-License-Identifier: MIT */
/*
 * build_request.h - the command line of `build` as a request to the library; histree-mpi uses it, too.
 */
#ifndef CLI_BUILD_REQUEST_H
#define CLI_BUILD_REQUEST_H

#include "cli/target.h"
#include "cli/tree_option.h"

/* The options that the table of verb_build fills; a larger struct of options begins with this one. */
struct build_options {
	struct tree_options tree;
	struct host_options hosts;
	struct cli_texts definitions, symbols;
	const char *output, *analysis, *map, *backend, *gaps, *empty_stacks, *progress;
	uint64_t checkpoint_events, threads, slices, slice_events, publish;
	bool force, resume, no_overviews, quiet;
};

struct build_request {
	struct histree_build_options wanted; /* it points to what follows, and to the command line */
	char *store;                         /* NULL: the backend makes none */
	char *analyses;                      /* their names, with terminators */
	const char **names;
	char **traces;
	size_t name_count, name_capacity, trace_count;
	struct host_choice hosts;
};

/*
 * Reads the request, of which the caller adds callbacks.  What is wrong is reported.  build_request_release() in
 * any case.
 */
enum cli_exit build_request_read(struct build_request *request, const struct build_options *chosen,
				 const struct cli_words *words);
void build_request_release(struct build_request *request, struct build_options *chosen);

/*
 * Gives the store of a trace, which the caller frees: `option`, or, if it is NULL, NAME.histree here.
 */
enum cli_exit build_store_path(const char *option, const char *trace, char **path);

/* Builds in this process, and reports the result. */
int build_here(const struct build_options *chosen, const struct build_request *request);

/* Reports what was built, as the store itself says. */
enum cli_exit build_report_store(const char *path, bool is_partial, bool is_quiet);

#endif
