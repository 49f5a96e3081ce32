// SPDX-License-Identifier: MIT
/*
 * kill_build.c - a build is killed at random moments; what it leaves must open, and be true up to its end.
 *
 *	kill_build HISTREE TRACE STORES [SEED [PUBLISH]]
 *
 * A complete build is the reference (that one is compared with Trace Compass's answers elsewhere).  Then builds of
 * random variants are killed with SIGKILL after random times, until so many stores were left.  Times are of the
 * processor, so that it does not matter how busy the machine is.  Every interval of
 * each is compared with the reference, cut at the end that the store states.  Some are gone on with by --resume,
 * killed again, and in the end completed: the stated end never goes back, and the complete one is the reference
 * again.
 *
 * The last line says how many stores there were and how many were wrong; SIGTERM makes it come early.  Exit: 0
 * none, 1 some, 2 it could not be tried.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "truth.h"

static const char *const variants[] = { "cluster", "cluster", "sht", "osht", "esht", "rsht", "vrsht" };

struct trial {
	const char *histree, *trace, *publish;
	char folder[64], store[96], building[112];
	struct random random;
	struct truth truth;
	int64_t build_ns; /* of the processor, that a build takes which nobody kills */
	uint64_t left;    /* by builds that were killed */
	uint64_t killed, opened, before_first, resumed, completed, wrong, intervals;
	uint64_t seed;
};

static volatile sig_atomic_t stopped;

static void stop(int signal)
{
	(void)signal;
	stopped = true;
}

__attribute__((format(printf, 2, 3))) static void wrong(struct trial *trial, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fprintf(stderr, "WRONG after %" PRIu64 " kills: ", trial->killed);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	trial->wrong++;
}

/* ---- comparing ------------------------------------------------------------------------------------------ */

static bool check_names(struct trial *trial, const struct histree_attributes *attributes)
{
	uint32_t count = histree_attributes_count(attributes);
	for (histree_quark quark = 0; quark < count; quark++) {
		char *path = truth_path(attributes, quark);
		bool same = quark < trial->truth.key_count && strcmp(path, trial->truth.paths[quark]) == 0;
		if (!same)
			wrong(trial, "attribute %u is '%s'", quark, path);
		free(path);
		if (!same)
			return false;
	}
	return true;
}

/* How many intervals the reference has up to `end`; attributes that are not known yet must be null. */
static uint64_t count_expected(struct trial *trial, uint32_t key_count, histree_time end)
{
	const struct truth *truth = &trial->truth;
	uint64_t count = 0;
	for (histree_quark quark = 0; quark < truth->key_count; quark++) {
		size_t first = truth->first[quark], behind = truth->first[quark + 1];
		for (size_t at = first; at < behind && truth->intervals[at].start <= end; at++) {
			if (quark < key_count)
				count++;
			else if (truth->intervals[at].value.type != HISTREE_NULL)
				wrong(trial, "attribute %u is missing at %" PRId64, quark, end);
		}
	}
	return count;
}

static void check_intervals(struct trial *trial, struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_query *query = truth_ask_all(history);
	struct histree_interval interval;
	struct histree_error error = { 0 };
	enum histree_status status;
	uint64_t count = 0;
	while ((status = histree_query_next(query, &interval, &error)) == HISTREE_OK) {
		const struct histree_interval *expected = truth_find(&trial->truth, &interval);
		count++;
		if (expected != NULL && histree_value_equal(&expected->value, &interval.value) &&
		    interval.end == (expected->end < info->end ? expected->end : info->end))
			continue;
		wrong(trial, "'%s' has a state from %" PRId64 " to %" PRId64 " of another end or value",
		      trial->truth.paths[interval.quark], interval.start, interval.end);
		break;
	}
	if (status < 0)
		wrong(trial, "%s", error.message);
	else if (status == HISTREE_END && count != count_expected(trial, info->attribute_count, info->end))
		wrong(trial, "%" PRIu64 " intervals up to %" PRId64, count, info->end);
	trial->intervals += count;
	histree_query_free(query);
}

static void ignore_fault(void *context, const char *fault)
{
	wrong(context, "verify: %s", fault);
}

/* Look at the store as anybody would.  Its stated end goes to *end; false if there is no store. */
static bool check_store(struct trial *trial, histree_time *end, bool *complete)
{
	struct histree_store *store;
	struct histree_history *history = NULL;
	struct histree_error error = { 0 };
	if (access(trial->store, F_OK) != 0) {
		char manifest[144];
		snprintf(manifest, sizeof(manifest), "%s/manifest.json", trial->building);
		if (access(manifest, F_OK) != 0)
			return false;
	}
	if (histree_store_open(trial->store, &store, &error) != HISTREE_OK) {
		wrong(trial, "%s", error.message);
		return false;
	}
	*complete = histree_store_info(store)->complete;
	if (histree_store_info(store)->building)
		wrong(trial, "the store says that its build is running");
	if (histree_store_history(store, NULL, false, NULL, &history, &error) != HISTREE_OK) {
		wrong(trial, "%s", error.message);
	} else {
		const struct histree_history_info *info = histree_history_info(history);
		*end = info->end;
		if (info->start != trial->truth.start)
			wrong(trial, "the history begins at %" PRId64, info->start);
		if (histree_history_verify(history, ignore_fault, trial, &error) == HISTREE_OK &&
		    check_names(trial, histree_history_attributes(history)))
			check_intervals(trial, history);
	}
	histree_history_close(history);
	histree_store_close(store);
	return history != NULL;
}

/* ---- killing -------------------------------------------------------------------------------------------- */

/* Until the process has had so much of the processor, or is over. */
static void wait_until(pid_t child, int64_t processor_ns)
{
	const struct timespec step = { .tv_nsec = 200000 };
	clockid_t clock;
	siginfo_t over = { 0 };
	struct timespec used;
	if (clock_getcpuclockid(child, &clock) != 0)
		return;
	while (clock_gettime(clock, &used) == 0 &&
	       (int64_t)used.tv_sec * 1000000000 + used.tv_nsec < processor_ns &&
	       waitid(P_PID, (id_t)child, &over, WEXITED | WNOHANG | WNOWAIT) == 0 && over.si_pid == 0)
		nanosleep(&step, NULL);
}

/* False: the build was over before.  *took is of the processor. */
static bool run_build(struct trial *trial, const char *variant, const char *how, int64_t kill_after_ns,
		      int64_t *took)
{
	pid_t child = fork();
	if (child < 0)
		give_up("cannot fork");
	if (child == 0) {
		execl(trial->histree, trial->histree, "build", "--quiet", "-o", trial->store, "-t", variant,
		      "--publish", trial->publish, how, trial->trace, (char *)NULL);
		_exit(127);
	}
	if (kill_after_ns >= 0) {
		wait_until(child, kill_after_ns);
		kill(child, SIGKILL);
	}
	int result;
	struct rusage usage;
	if (wait4(child, &result, 0, &usage) != child || (WIFEXITED(result) && WEXITSTATUS(result) != 0))
		give_up("the build failed");
	if (took != NULL)
		*took = ((int64_t)usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
			((int64_t)usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
	return WIFSIGNALED(result);
}

static int64_t some_time(struct trial *trial)
{
	return (int64_t)random_below(&trial->random, (uint64_t)trial->build_ns * 11 / 10);
}

static void clear(const struct trial *trial)
{
	char command[256];
	snprintf(command, sizeof(command), "rm -rf '%s' '%s'", trial->store, trial->building);
	if (system(command) != 0)
		give_up("cannot clear '%s'", trial->folder);
}

/* Kill, look, and now and then go on, until the store is complete or we have seen enough of it. */
static void try_once(struct trial *trial)
{
	const char *variant = variants[random_below(&trial->random, sizeof(variants) / sizeof(*variants))];
	histree_time end = INT64_MIN;
	bool complete = false;
	clear(trial);
	for (bool resume = false; !complete; resume = true) {
		bool last = resume && random_percent(&trial->random, 30);
		histree_time before = end;
		bool killed = run_build(trial, variant, resume ? "--resume" : "--force",
					last ? -1 : some_time(trial), NULL);
		trial->killed += killed;
		if (check_store(trial, &end, &complete)) {
			trial->opened++;
			trial->left += killed;
			trial->resumed += resume;
			trial->completed += complete;
			if (end < before)
				wrong(trial, "the end went back from %" PRId64 " to %" PRId64, before, end);
		} else {
			trial->before_first++;
		}
		if (!resume && random_percent(&trial->random, 70))
			return;
	}
}

static void prepare(struct trial *trial)
{
	struct histree_store *store;
	struct histree_history *history;
	struct histree_error error;
	snprintf(trial->folder, sizeof(trial->folder), "/tmp/histree-kill-XXXXXX");
	if (mkdtemp(trial->folder) == NULL)
		give_up("cannot make a folder");
	snprintf(trial->store, sizeof(trial->store), "%s/s.histree", trial->folder);
	snprintf(trial->building, sizeof(trial->building), "%s.building", trial->store);
	run_build(trial, "cluster", "--force", -1, &trial->build_ns);
	if (histree_store_open(trial->store, &store, &error) != HISTREE_OK ||
	    histree_store_history(store, NULL, false, NULL, &history, &error) != HISTREE_OK)
		give_up("%s", error.message);
	truth_learn(&trial->truth, history);
	histree_history_close(history);
	histree_store_close(store);
}

static void tidy(struct trial *trial)
{
	clear(trial);
	rmdir(trial->folder);
	truth_release(&trial->truth);
}

int main(int argc, char **argv)
{
	if (argc < 4)
		give_up("usage: kill_build HISTREE TRACE STORES [SEED [PUBLISH]]");
	struct trial trial = {
		.histree = argv[1],
		.trace = argv[2],
		.seed = argc > 4 ? strtoull(argv[4], NULL, 10) : 1,
		.publish = argc > 5 ? argv[5] : "10ms",
	};
	uint64_t wanted = strtoull(argv[3], NULL, 10);
	trial.random.state = trial.seed;
	prepare(&trial);
	signal(SIGTERM, stop);
	while (trial.left < wanted && trial.wrong == 0 && !stopped)
		try_once(&trial);
	printf("seed %" PRIu64 ": %" PRIu64 " kills left %" PRIu64 " stores; %" PRIu64 " opened (%" PRIu64
	       " of them resumed, %" PRIu64 " completed), %" PRIu64 " kills before anything was published; %" PRIu64
	       " intervals compared; %" PRIu64 " wrong\n",
	       trial.seed, trial.killed, trial.left, trial.opened, trial.resumed, trial.completed,
	       trial.before_first, trial.intervals, trial.wrong);
	tidy(&trial);
	return trial.wrong > 0;
}
