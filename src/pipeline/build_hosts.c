// SPDX-License-Identifier: MIT
/*
 * build_hosts.c - a build, whether its traces are of one host or of several.
 */
#include "base/error.h"
#include "pipeline/build.h"
#include "pipeline/build_host.h"
#include "pipeline/experiment_inside.h"
#include "trace/trace_hosts.h"

/* One host that was named, or whose clock was given. */
static enum histree_status build_named(struct histree_experiment *experiment, struct histree_error *error)
{
	struct histree_build_options options = experiment->options;
	const struct histree_experiment_host *host = &experiment->hosts[0];
	const struct build_host of = {
		.name = experiment->groups.groups[0].is_named || options.clock_count > 0 ? host->name : NULL,
		.clock = experiment_given_clock(experiment, host->name),
	};
	options.traces = host->paths;
	options.trace_count = host->path_count;
	options.host_count = 0;
	options.reference = NULL;
	options.no_clocks = false;
	return build_one_host(&options, experiment->io, &of, error);
}

static enum histree_status build_several(struct histree_experiment *experiment, struct histree_error *error)
{
	enum histree_status status = experiment_begin(experiment, true, error);
	return status == HISTREE_OK ? experiment_run(experiment, error) : status;
}

enum histree_status pipeline_build(const struct histree_build_options *options, const struct io *io,
				   struct histree_error *error)
{
	static const struct build_host nameless = { 0 };
	struct histree_experiment *experiment = NULL;
	struct histree_error message = { 0 };
	bool has_name = options->store != NULL && options->store[0] != '\0';
	bool needs_name = options->backend == HISTREE_BACKEND_DISK || options->backend == HISTREE_BACKEND_PARTIAL;
	if (options->trace_count + options->host_count == 0 || (needs_name && !has_name))
		return error_set(error, HISTREE_ERR_ARGUMENT, "a build needs a trace and a name for the store");
	enum histree_status status = experiment_init(options, io, &experiment, &message);
	if (status == HISTREE_OK)
		status = experiment_plan(experiment, &message);
	if (status == HISTREE_OK && experiment->count == 0)
		status = build_one_host(options, io, &nameless, &message);
	else if (status == HISTREE_OK)
		status = experiment->count == 1 ? build_named(experiment, &message)
						: build_several(experiment, &message);
	histree_experiment_free(experiment);
	if (error != NULL && status != HISTREE_OK)
		*error = message;
	return status;
}

enum histree_status histree_build(const struct histree_build_options *options, struct histree_error *error)
{
	return pipeline_build(options, &io_posix, error);
}

enum histree_status histree_build_check(const char *const *traces, size_t trace_count, struct histree_error *error)
{
	return trace_hosts_check_paths(traces, trace_count, error);
}
