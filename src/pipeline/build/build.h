/* SPDX-License-Identifier: MIT */
/*
 * build.h - builds the store of one host: the struct of a build, for build.c, which runs it, build_choice.c, which
 * chooses its analyses, and build_manifest.c, which writes its manifest.
 *
 * Analyses are on one lane, or on several that read the same events.
 *
 * Analyses that share an input (analysis.h) are on one lane, or have separate inputs.  The first lane belongs to
 * the building thread: it has all histories, which are published together.  The others have the analyses that make
 * segments: they are tasks of a crew, which take their events from a feed; without a feed there is one lane.
 */
#ifndef PIPELINE_BUILD_BUILD_H
#define PIPELINE_BUILD_BUILD_H

#include <stdatomic.h>

#include "analysis/analysis.h"
#include "analysis/definition/definition_files.h"
#include "base/crew.h"
#include "base/io.h"
#include "base/table.h"
#include "event_index/event_index.h"
#include "histree/build.h"
#include "pipeline/build/analysis_job.h"
#include "pipeline/build_plan.h"
#include "store_folder/store_folder.h"
#include "trace/event_stream.h"

/* Of which host a store is, and by which clock its times are corrected; NULL: it does not say. */
struct build_host {
	const char *name;
	const struct histree_clock *clock;
	bool is_one_of_many;   /* its store lies in one of several hosts */
	const char *old_store; /* to which analyses are added; NULL: that of the options */
	size_t tables_max;     /* bytes of tables; 0: as `memory_max` of the options says (build_plan.h) */
};

/* Build the store of one host, whatever the options say of hosts and clocks. */
enum histree_status build_one_host(const struct histree_build_options *options, const struct io *io,
				   const struct build_host *host, struct histree_error *error);

struct build_lane {
	struct analysis_inputs inputs;
	struct analysis_job **jobs;
	size_t job_count;
	struct class_table takers; /* of the events of each class, in the order of the jobs */
	struct event_feed *feed;
	unsigned reader;
	struct crew_task task;
	enum histree_status status;
	struct histree_error error;
	_Atomic bool *has_failed; /* of the lanes */
};

/* Zeroed ones are none. */
struct build_lanes {
	struct build_lane *lanes;
	size_t count;
	struct analysis_job **jobs; /* of all lanes */
	_Atomic bool has_failed;    /* one but the first */
};

struct each_job;

/* What is done: a build goes through these one after the other. */
enum stage {
	STAGE_NONE,
	STAGE_READ,      /* the analyses have seen all events */
	STAGE_CLOSED,    /* histories and segment stores are complete files */
	STAGE_SUMMED_UP, /* and have their overviews */
	STAGE_INDEXED,   /* the index of events is written */
	STAGE_COMPLETE,  /* the manifest says so */
};

struct build {
	enum stage stage;
	const struct histree_build_options *options; /* `own` */
	/* Threads: as many as the build has; 0: one, besides the trees'. Slices: as many as it has, too. */
	struct histree_build_options own;
	bool chose_slices; /* by itself */
	const struct build_host *host;
	const struct io *io;
	struct histree_error *error;
	struct store_folder folder;
	struct event_stream stream; /* of the trace */
	bool is_open;               /* it is: the trace is read, or waited for */
	struct memory_plan memory;
	struct definitions definitions; /* of analyses, from files */
	struct table_space tables;      /* of all analyses */
	struct symbol_places symbols;
	char *table_beside; /* of names of functions, beside the trace, which nobody had to name; NULL: none */
	struct crew *crew, own_crew; /* NULL: the building thread does all */
	struct build_lanes lanes;    /* that run them */
	struct analysis_job *jobs;
	size_t job_count, jobs_capacity;
	histree_time start, end; /* first event, greatest time so far */
	int64_t begun_ns, shown_ns;
	struct event_index_writer index;
	uint64_t seen, next_look; /* events and gaps that were handled; how many when the clock is looked at */
	uint64_t next_checkpoint; /* of partial histories: after so many */
	uint64_t index_identity;  /* once it is written */
	char *recipe;             /* leftover.h */
	struct publish_clock publish_clock;
	histree_time resumed_end; /* of what a build left that is gone on with; INT64_MIN: of nothing */
	histree_time published_end;
	char *cut_short;   /* why the input ended before its end; NULL: it did not */
	char *cut_depth;   /* which R-trees are flatter than asked for; NULL: none */
	char *only_events; /* why there is no analysis; NULL: there is one */
	/* That analyses are added to, and what it says; NULL: none. */
	struct histree_store *old_store;
	const struct histree_store_info *old;
	char **said;     /* sentences that analyses share; NULL, or by job */
	bool is_stopped; /* it was live, and its build was ended: what is there by then is kept */
	double overviews_share;
	struct each_job *each; /* while something is done with the file of each job (build.c) */
};

/* Whether a store is made. */
static inline bool build_makes_store(const struct histree_build_options *options)
{
	return options->backend == HISTREE_BACKEND_DISK || options->backend == HISTREE_BACKEND_PARTIAL;
}

/* Whether there is one analysis, and it is cut in time: then nobody needs the events one by one. */
static inline bool build_is_cut(const struct build *build)
{
	return build->job_count == 1 && build->jobs[0].slices != NULL;
}

/* Returns how many threads are to read slices of the trace, which is open; 0: it is not cut. */
uint32_t build_choose_slices(const struct build *build);

/* Choose the analyses that were named, or all that apply to the trace, which is open. */
enum histree_status build_choose_analyses(struct build *build);

/* Open the store that analyses are added to, if they are. */
enum histree_status build_open_old(struct build *build);

/* Returns whether that store has an analysis; or has it, or is known to have no events for it. */
bool build_has_already(const struct build *build, const char *analysis);
bool build_knows_already(const struct build *build, const char *analysis);

/*
 * The new files are complete: have the old ones beside them, and the manifest say what both do.  Returns
 * HISTREE_ERR_TRACE if the trace is not the same.  Lists go into the arena.
 */
enum histree_status build_join_manifests(struct build *build, struct histree_store_info *info, struct arena *arena);

/* Returns what became of the input, up to the last event that the analyses have seen. */
struct trace_report build_report(const struct build *build);

/* Whether some of the trace could not be read. */
bool build_is_partial(const struct build *build);

/* Whether the store gets nothing from a job: it was not requested by name, and the trace has nothing for it. */
bool build_leaves_out(const struct build *build, const struct analysis_job *job);

/* Write what the store says of itself; if it is not `complete`, it ends there. */
enum histree_status build_write_manifest(struct build *build, bool complete, histree_time end);

#endif
