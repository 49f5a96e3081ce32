// SPDX-License-Identifier: MIT
/*
 * kill_build.c - builds are killed at any moment; what was published must stay, and be true up to its end.
 *
 *	kill_build HISTREE TRACE KILLS [SEED]
 *
 * A complete build is the reference (that one is compared with Trace Compass's answers elsewhere).  Then builds of
 * random variants are killed with SIGKILL, and those that go on with them by --resume, and so on, until one of
 * them comes to its end; some are to replace an older store.  Half are killed at a random time of the processor,
 * which the business of the machine does not change.  The others kill themselves at one of their file calls: at
 * any, at one that changes names, or after a history is complete and before the store has its name.
 *
 * Meanwhile others open the store and ask it.  After each kill all that it says is compared with the reference, cut
 * at the end that it states, and this end never goes back.  A store that came to its end has the bytes of one that
 * nobody disturbed.
 *
 * The last line says what was tried and how much was wrong; SIGTERM makes it come early.  Exit: 0 nothing, 1
 * something, 2 it could not be tried.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kill_store.h"
#include "pipeline/hosts/experiment.h"
#include "support/files.h"
#include "support/killing_io.h"

static const char *const variants[] = { "cluster", "sht", "osht", "esht", "rsht", "vrsht" };
static const char *const analyses[] = { "kernel", "system-calls" };

enum { VARIANTS = sizeof(variants) / sizeof(*variants), DEFAULT_PERCENT = 40, EXIT_EXISTS = 3 };

enum outcome { BUILD_DONE, BUILD_KILLED, BUILD_REFUSED };

struct trial {
	const char *histree, *trace;
	char folder[64];
	struct random random;
	struct truth truth;
	struct kill_store store;
	_Atomic uint64_t *counts;      /* of the file calls of the build that runs; shared with it */
	uint64_t calls[KILLING_KINDS]; /* of a build that nobody kills */
	int64_t build_ns;              /* of the processor, that it takes */
	bool has_reference[VARIANTS];
	bool no_exchange; /* in this try */
	uint64_t kills, kills_of_resumes, late_kills, resumes, resumes_of_resumes, replaced, completed;
	uint64_t seed;
};

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = true;
}

/* ---- one build ------------------------------------------------------------------------------------------ */

struct killing {
	bool by_clock;
	int64_t processor_ns;
	enum killing_calls calls;
	enum killing_way way;
	uint64_t at; /* 0: it is not killed */
};

static struct killing no_kill(void)
{
	return (struct killing){ .by_clock = false };
}

static struct killing some_kill(struct trial *trial)
{
	struct random *random = &trial->random;
	struct killing killing = {
		.by_clock = random_percent(random, 50),
		.processor_ns = (int64_t)random_below(random, (uint64_t)trial->build_ns * 11 / 10),
		.calls = (enum killing_calls)random_below(random, KILLING_KINDS),
		.way = (enum killing_way)random_below(random, KILLING_WAYS),
	};
	killing.at = 1 + random_below(random, trial->calls[killing.calls] * 11 / 10 + 1);
	return killing;
}

/* As a process of its own, on a table of file calls that ends it. */
_Noreturn static void build_here(const struct trial *trial, const char *store, const char *variant, bool resume,
				 const struct killing *killing)
{
	struct killing_io io;
	killing_io_init(&io, trial->counts);
	io.calls = killing->calls;
	io.way = killing->way;
	io.kill_at = killing->at;
	io.no_exchange = trial->no_exchange;
	const struct histree_build_options options = {
		.traces = &trial->trace,
		.trace_count = 1,
		.store = store,
		.analyses = analyses,
		.analysis_count = sizeof(analyses) / sizeof(*analyses),
		.force = !resume,
		.resume = resume,
		.publish_ns = 5 * 1000 * 1000,
		.tree = { .variant = variant },
	};
	enum histree_status status = pipeline_build(&options, &io.io, NULL);
	_exit(status == HISTREE_OK ? 0 : status == HISTREE_ERR_EXISTS ? EXIT_EXISTS : 1);
}

_Noreturn static void build_by_command(const struct trial *trial, const char *store, const char *variant,
				       bool resume)
{
	if (freopen("/dev/null", "w", stderr) != NULL)
		execl(trial->histree, trial->histree, "build", "--quiet", "-o", store, "-t", variant, "-a",
		      "kernel,system-calls", "--publish", "5ms", resume ? "--resume" : "--force", trial->trace,
		      (char *)NULL);
	_exit(127);
}

static bool is_over(pid_t child)
{
	siginfo_t over = { 0 };
	return waitid(P_PID, (id_t)child, &over, WEXITED | WNOHANG | WNOWAIT) != 0 || over.si_pid != 0;
}

/* Look at the store until the process is over, and kill it once it has had so much of the processor. */
static void attend(struct trial *trial, pid_t child, const struct killing *killing)
{
	const struct timespec step = { .tv_nsec = 200000 };
	enum { STEPS_PER_LOOK = 40 };
	clockid_t clock;
	struct timespec used = { 0 };
	if (clock_getcpuclockid(child, &clock) != 0)
		return;
	for (unsigned steps = 1; !is_over(child); steps++) {
		if (killing->by_clock && clock_gettime(clock, &used) == 0 &&
		    (int64_t)used.tv_sec * 1000000000 + used.tv_nsec >= killing->processor_ns)
			kill(child, SIGKILL);
		if (steps % STEPS_PER_LOOK == 0)
			kill_store_look(&trial->store);
		nanosleep(&step, NULL);
	}
}

static enum outcome run_build(struct trial *trial, const char *store, const char *variant, bool resume,
			      struct killing killing, int64_t *took)
{
	for (int kind = 0; kind < KILLING_KINDS; kind++)
		trial->counts[kind] = 0;
	pid_t child = fork();
	if (child < 0)
		give_up("cannot fork");
	if (child == 0 && killing.by_clock)
		build_by_command(trial, store, variant, resume);
	if (child == 0)
		build_here(trial, store, variant, resume, &killing);
	if (took == NULL)
		attend(trial, child, &killing);
	int result;
	struct rusage usage;
	if (wait4(child, &result, 0, &usage) != child)
		give_up("cannot wait for the build");
	if (took != NULL)
		*took = ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
			((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
	if (WIFSIGNALED(result) && WTERMSIG(result) == SIGKILL)
		return BUILD_KILLED;
	if (WIFEXITED(result) && WEXITSTATUS(result) == 0)
		return BUILD_DONE;
	if (WIFEXITED(result) && WEXITSTATUS(result) == EXIT_EXISTS)
		return BUILD_REFUSED;
	give_up("the build of '%s' failed", store);
}

/* ---- references ------------------------------------------------------------------------------------------- */

/* The store of a variant that nobody disturbed. */
static void reference_path(const struct trial *trial, size_t variant, char path[96])
{
	snprintf(path, 96, "%s/%s", trial->folder, variants[variant]);
}

static void make_reference(struct trial *trial, size_t variant)
{
	char path[96];
	int64_t took;
	reference_path(trial, variant, path);
	if (!trial->has_reference[variant] &&
	    run_build(trial, path, variants[variant], false, no_kill(), &took) != BUILD_DONE)
		give_up("the build of '%s' failed", path);
	trial->has_reference[variant] = true;
}

static bool is_reference(const struct trial *trial, size_t variant, char *why, size_t why_size)
{
	char path[96];
	reference_path(trial, variant, path);
	return same_files(trial->store.path, path, own_of_builds, why, why_size);
}

static void clear(const struct trial *trial)
{
	const struct kill_store *store = &trial->store;
	remove_all("%s", store->path);
	remove_all("%s", store->building);
	remove_all("%s.old", store->building);
}

/* ---- one try ---------------------------------------------------------------------------------------------- */

static size_t some_variant(struct trial *trial)
{
	return random_percent(&trial->random, DEFAULT_PERCENT) ? 0 : random_below(&trial->random, VARIANTS);
}

/* Have an older store, of another variant, that is to be replaced.  Returns its variant. */
static size_t have_older(struct trial *trial, size_t variant)
{
	char path[96];
	size_t older = (variant + 1) % VARIANTS;
	make_reference(trial, older);
	reference_path(trial, older, path);
	copy_all(path, trial->store.path);
	trial->store.end = trial->truth.end;
	trial->replaced++;
	return older;
}

/* Where the older store stood there is now it or its successor, each of them whole. */
static bool check_replaced(struct trial *trial, size_t variant, size_t older)
{
	char why[192];
	bool is_new = is_reference(trial, variant, why, sizeof(why));
	if (!is_new && !is_reference(trial, older, why, sizeof(why)))
		kill_store_wrong(&trial->store, "it is neither the older store nor the new one: %s", why);
	return is_new;
}

static void check_bytes(struct trial *trial, size_t variant)
{
	char why[192];
	trial->completed++;
	if (!is_reference(trial, variant, why, sizeof(why)))
		kill_store_wrong(&trial->store, "it is not the store of a build that nobody killed: %s", why);
}

static void count_kill(struct trial *trial, unsigned resume)
{
	trial->kills++;
	trial->kills_of_resumes += resume > 0;
	trial->late_kills += trial->store.end == trial->truth.end && access(trial->store.path, F_OK) != 0;
}

/* Kill, look, and go on, until the store has its name. */
static void try_once(struct trial *trial)
{
	size_t variant = some_variant(trial);
	bool replaces = random_percent(&trial->random, 20);
	struct kill_store *store = &trial->store;
	store->end = INT64_MIN;
	store->complete = false;
	trial->no_exchange = random_percent(&trial->random, 20);
	clear(trial);
	make_reference(trial, variant);
	size_t older = replaces ? have_older(trial, variant) : variant;
	bool done = false;
	for (unsigned resume = 0; !done && store->wrong == 0; resume++) {
		/* A build that was killed before it published left nothing to go on with: it begins again. */
		char manifest[160];
		snprintf(manifest, sizeof(manifest), "%s/manifest.json", store->building);
		bool goes_on = resume > 0 && access(manifest, F_OK) == 0;
		struct killing killing = random_percent(&trial->random, 85) ? some_kill(trial) : no_kill();
		enum outcome outcome = run_build(trial, store->path, variants[variant], goes_on, killing, NULL);
		trial->resumes += goes_on;
		trial->resumes_of_resumes += resume > 1 && goes_on;
		kill_store_check(store);
		if (outcome == BUILD_KILLED)
			count_kill(trial, goes_on);
		done = outcome == BUILD_DONE;
		if (replaces)
			done = access(store->path, F_OK) == 0 && (check_replaced(trial, variant, older) || done);
		else if (access(store->path, F_OK) == 0)
			done = true;
		if (outcome == BUILD_REFUSED && !done && !replaces)
			kill_store_wrong(store, "nothing is there, and yet --resume refuses");
	}
	if (store->wrong == 0)
		check_bytes(trial, variant);
}

/* ---- the trial -------------------------------------------------------------------------------------------- */

static void prepare(struct trial *trial)
{
	struct histree_store *store;
	struct histree_history *history;
	struct histree_error error;
	char path[96];
	snprintf(trial->folder, sizeof(trial->folder), "/tmp/histree-kill-XXXXXX");
	if (mkdtemp(trial->folder) == NULL)
		give_up("cannot make a folder");
	trial->counts = mmap(NULL, KILLING_KINDS * sizeof(*trial->counts), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (trial->counts == MAP_FAILED)
		give_up("out of memory");
	snprintf(trial->store.path, sizeof(trial->store.path), "%s/s.histree", trial->folder);
	snprintf(trial->store.building, sizeof(trial->store.building), "%s.building", trial->store.path);
	reference_path(trial, 0, path);
	if (run_build(trial, path, variants[0], false, no_kill(), &trial->build_ns) != BUILD_DONE)
		give_up("the build of '%s' failed", path);
	trial->has_reference[0] = true;
	for (int kind = 0; kind < KILLING_KINDS; kind++)
		trial->calls[kind] = trial->counts[kind];
	if (histree_store_open(path, &store, &error) != HISTREE_OK ||
	    histree_store_history(store, NULL, false, NULL, &history, &error) != HISTREE_OK)
		give_up("%s", error.message);
	truth_learn(&trial->truth, history);
	trial->store.truth = &trial->truth;
	trial->store.random.state = trial->seed + 1;
	histree_history_close(history);
	histree_store_close(store);
}

static void report(const struct trial *trial)
{
	const struct kill_store *store = &trial->store;
	printf("seed %" PRIu64 ": %" PRIu64 " kills (%" PRIu64 " of resumes; %" PRIu64
	       " of a complete history without its name), %" PRIu64 " resumes (%" PRIu64 " of resumes), %" PRIu64
	       " older stores replaced; %" PRIu64 " stores opened and compared, %" PRIu64
	       " intervals; asked %" PRIu64 " times meanwhile; %" PRIu64
	       " completed with the same bytes; losses: %" PRIu64 "\n",
	       trial->seed, trial->kills, trial->kills_of_resumes, trial->late_kills, trial->resumes,
	       trial->resumes_of_resumes, trial->replaced, store->opened, store->intervals, store->looks,
	       trial->completed, store->wrong);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		give_up("usage: kill_build HISTREE TRACE KILLS [SEED]");
	struct trial trial = {
		.histree = argv[1],
		.trace = argv[2],
		.seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1,
	};
	uint64_t wanted = strtoull(argv[3], NULL, 10);
	trial.random.state = trial.seed;
	prepare(&trial);
	signal(SIGTERM, stop);
	while (trial.kills < wanted && trial.store.wrong == 0 && !stopped)
		try_once(&trial);
	report(&trial);
	if (trial.store.wrong == 0)
		remove_all("%s", trial.folder);
	truth_release(&trial.truth);
	return trial.store.wrong > 0;
}
