// SPDX-License-Identifier: MIT
/*
 * peers - the same intervals and the same queries on histree and on its peers, in one run, in one thread.
 *
 *	peers [--attributes N] [--intervals N] [--store STORE [--analysis ANALYSIS]] [--peers NAME,...]
 *	      [--variants VARIANT,...] [--questions KIND,...] [--queries N] [--cache BYTES] [--seed N]
 *	      [--folder FOLDER]
 *
 * Prints a table in TSV: a line for each peer, and for each variant of histree.  Every answer is compared, by
 * count and checksum, with that of the model, or, for the intervals of a store, with that of the sorted array.
 *
 * The questions are those of 'histree bench', and three that are selective: some attributes at a time ("few"),
 * and everything ("span") or some attributes ("part") in a thousandth of the time.  A profiler is to see one kind.
 */
#include <dirent.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/bench.h"
#include "peers/peer.h"

enum { SELECTIVE_SHAPES = 3, SPAN_SHARE = 1000 };

/* One kind of question, as it is called and as a peer is asked. */
struct question_kind {
	const char *name;
	enum bench_shape shape;
	bool of_some, of_span; /* a selective one: of some attributes, not all; over a span, not at a time */
};

static const struct question_kind question_kinds[] = {
	{ "single", BENCH_SINGLE, false, false }, { "full", BENCH_FULL, false, false },
	{ "times", BENCH_TIMES, false, false },   { "range", BENCH_RANGE, false, false },
	{ "few", BENCH_RANGE, true, false },      { "span", BENCH_RANGE, false, true },
	{ "part", BENCH_RANGE, true, true },
};
enum { QUESTION_KINDS = sizeof(question_kinds) / sizeof(question_kinds[0]) };
_Static_assert((int)QUESTION_KINDS == (int)BENCH_SHAPE_COUNT + (int)SELECTIVE_SHAPES, "each has its questions");

struct comparison {
	uint32_t attributes, intervals;
	const char *store, *analysis, *folder;
	const char *peers, *variants; /* lists with commas; "": the default variant */
	const char *kinds;            /* of questions, likewise; NULL: all */
	uint64_t queries, seed;
	size_t cache_bytes;

	struct interval_source source;
	struct bench_stopwatch making; /* what the source takes, of the peer that is built */
	struct bench_questions questions;
	/* Of the last kinds; their attributes are those of `questions`. */
	struct bench_questions selective[SELECTIVE_SHAPES];
	struct bench_engine judge;
	void *array; /* the judge of a store */
};

static bool read_options(struct comparison *comparison, int argc, char **argv)
{
	static const struct option options[] = {
		{ "attributes", required_argument, NULL, 'n' }, { "intervals", required_argument, NULL, 'i' },
		{ "store", required_argument, NULL, 's' },      { "analysis", required_argument, NULL, 'a' },
		{ "peers", required_argument, NULL, 'p' },      { "variants", required_argument, NULL, 't' },
		{ "questions", required_argument, NULL, 'k' },  { "queries", required_argument, NULL, 'q' },
		{ "cache", required_argument, NULL, 'c' },      { "seed", required_argument, NULL, 'r' },
		{ "folder", required_argument, NULL, 'f' },     { 0 },
	};
	for (int found; (found = getopt_long(argc, argv, "", options, NULL)) != -1;) {
		if (found == 'n')
			comparison->attributes = (uint32_t)strtoul(optarg, NULL, 10);
		else if (found == 'i')
			comparison->intervals = (uint32_t)strtoul(optarg, NULL, 10);
		else if (found == 's')
			comparison->store = optarg;
		else if (found == 'a')
			comparison->analysis = optarg;
		else if (found == 'p')
			comparison->peers = optarg;
		else if (found == 't')
			comparison->variants = optarg;
		else if (found == 'k')
			comparison->kinds = optarg;
		else if (found == 'q')
			comparison->queries = strtoull(optarg, NULL, 10);
		else if (found == 'c')
			comparison->cache_bytes = strtoull(optarg, NULL, 10);
		else if (found == 'r')
			comparison->seed = strtoull(optarg, NULL, 10);
		else if (found == 'f')
			comparison->folder = optarg;
		else
			return false;
	}
	return optind == argc && comparison->attributes > 0 && comparison->intervals > 0 && comparison->queries > 0;
}

/* ---- a folder of each peer's own ------------------------------------------------------------------------ */

static uint64_t folder_bytes(const char *path, bool remove_them)
{
	uint64_t bytes = 0;
	DIR *folder = opendir(path);
	for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
		struct stat status;
		if (fstatat(dirfd(folder), entry->d_name, &status, 0) != 0 || !S_ISREG(status.st_mode))
			continue;
		bytes += (uint64_t)status.st_size;
		if (remove_them)
			unlinkat(dirfd(folder), entry->d_name, 0);
	}
	if (folder != NULL)
		closedir(folder);
	return bytes;
}

static void remove_folder(const char *path)
{
	folder_bytes(path, true);
	rmdir(path);
}

/* ---- selective questions -------------------------------------------------------------------------------- */

/* At the times of the full queries, with the attributes of those about a range. */
static struct histree_region selective_question(const struct comparison *comparison,
						const struct question_kind *kind, size_t index)
{
	const struct histree_region *some = &comparison->questions.of_shape[BENCH_RANGE][index];
	const histree_time at = comparison->questions.of_shape[BENCH_FULL][index].from;
	const uint64_t span = (uint64_t)(comparison->source.end - comparison->source.start) / SPAN_SHARE;
	const uint64_t left = (uint64_t)(comparison->source.end - at);
	return (struct histree_region){
		.quarks = kind->of_some ? some->quarks : NULL,
		.quark_count = kind->of_some ? some->quark_count : 0,
		.from = at,
		.to = kind->of_span ? at + (histree_time)(span < left ? span : left) : at,
	};
}

static enum histree_status choose_selective(struct comparison *comparison, struct histree_error *error)
{
	const size_t count = comparison->questions.count[BENCH_FULL];
	for (unsigned i = 0; i < SELECTIVE_SHAPES; i++) {
		struct histree_region *chosen = malloc(count * sizeof(*chosen));
		if (chosen == NULL)
			return error_memory(error, "the questions");
		for (size_t index = 0; index < count; index++)
			chosen[index] =
				selective_question(comparison, &question_kinds[BENCH_SHAPE_COUNT + i], index);
		comparison->selective[i].of_shape[BENCH_RANGE] = chosen;
		comparison->selective[i].count[BENCH_RANGE] = count;
	}
	return HISTREE_OK;
}

static bool is_asked(const struct comparison *comparison, unsigned kind)
{
	const char *name = question_kinds[kind].name, *at = comparison->kinds;
	const size_t size = strlen(name);
	if (at == NULL)
		return true;
	for (; at != NULL; at = strchr(at, ','), at += at != NULL)
		if (strncmp(at, name, size) == 0 && (at[size] == ',' || at[size] == '\0'))
			return true;
	return false;
}

static const struct bench_questions *questions_of(const struct comparison *comparison, unsigned kind)
{
	return kind < BENCH_SHAPE_COUNT ? &comparison->questions : &comparison->selective[kind - BENCH_SHAPE_COUNT];
}

/* ---- one peer ------------------------------------------------------------------------------------------- */

static enum histree_status measure(const struct comparison *comparison, const struct bench_engine *engine,
				   struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	size_t all_wrong = 0;
	for (unsigned kind = 0; kind < QUESTION_KINDS && status == HISTREE_OK; kind++) {
		if (!is_asked(comparison, kind))
			continue;
		const struct bench_questions *questions = questions_of(comparison, kind);
		const enum bench_shape shape = question_kinds[kind].shape;
		struct bench_result result;
		size_t wrong = 0;
		status = bench_measure(engine, questions, shape, &result, error);
		if (status != HISTREE_OK)
			break;
		status = bench_compare(&comparison->judge, questions, shape, &result, &wrong, error);
		printf("\t%zu\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%.1f", result.asked, result.median_ns,
		       result.p99_ns, result.cpu_median_ns, result.intervals);
		all_wrong += wrong;
		bench_result_release(&result);
	}
	printf("\t%zu\n", all_wrong);
	fflush(stdout);
	return status;
}

static enum histree_status compare(const struct comparison *comparison, const struct peer *peer,
				   const struct histree_tree_options *tree, struct histree_error *error)
{
	char folder[4096];
	snprintf(folder, sizeof(folder), "%s/histree-peer-%ld", comparison->folder, (long)getpid());
	remove_folder(folder);
	if (mkdir(folder, 0700) != 0) {
		perror(folder);
		return HISTREE_ERR_IO;
	}
	const struct peer_setup setup = {
		.source = &comparison->source,
		.folder = folder,
		.cache_bytes = comparison->cache_bytes,
		.tree = *tree,
	};
	void *self;
	struct bench_stopwatch building = { 0 };
	*comparison->source.making = (struct bench_stopwatch){ 0 };
	bench_stopwatch_start(&building);
	enum histree_status status = peer->build(&setup, &self, error);
	bench_stopwatch_stop(&building);
	int64_t build_ns = building.ns - comparison->source.making->ns;
	int64_t build_cpu_ns = building.cpu_ns - comparison->source.making->cpu_ns;
	if (status == HISTREE_OK) {
		struct bench_engine engine = { .name = peer->name, .ask = peer->ask, .self = self };
		uint64_t bytes = peer->bytes != NULL ? peer->bytes(self) : folder_bytes(folder, false);
		printf("%s\t%s\t%u\t%" PRIu64 "\t%" PRId64 "\t%" PRId64 "\t%" PRIu64, peer->name,
		       tree->variant != NULL ? tree->variant : "", comparison->source.attribute_count,
		       comparison->source.interval_count, build_ns, build_cpu_ns, bytes);
		status = measure(comparison, &engine, error);
		peer->free(self);
	}
	remove_folder(folder);
	return status;
}

/* Each variant of histree by itself; "rsht:3" is rsht with --r-depth 3. */
static enum histree_status compare_variants(const struct comparison *comparison, const struct peer *peer,
					    struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	char *list = strdup(comparison->variants), *rest = list;
	for (char *variant; status == HISTREE_OK && (variant = strsep(&rest, ",")) != NULL;) {
		struct histree_tree_options tree = { .variant = *variant != '\0' ? variant : NULL, .threads = 1 };
		char *colon = strchr(variant, ':');
		if (colon != NULL) {
			*colon = '\0';
			tree.r_depth = (uint32_t)strtoul(colon + 1, NULL, 10);
		}
		status = compare(comparison, peer, &tree, error);
	}
	free(list);
	return status;
}

static enum histree_status compare_all(const struct comparison *comparison, struct histree_error *error)
{
	printf("peer\tvariant\tattributes\tintervals\tbuild_ns\tbuild_cpu_ns\tbytes");
	for (unsigned kind = 0; kind < QUESTION_KINDS; kind++) {
		const char *name = question_kinds[kind].name;
		if (!is_asked(comparison, kind))
			continue;
		printf("\t%s_asked\t%s_median_ns\t%s_p99_ns\t%s_cpu_median_ns\t%s_intervals", name, name, name,
		       name, name);
	}
	printf("\twrong\n");
	enum histree_status status = HISTREE_OK;
	char *list = comparison->peers != NULL ? strdup(comparison->peers) : NULL, *rest = list;
	for (size_t i = 0; list == NULL && peers[i] != NULL && status == HISTREE_OK; i++)
		status = peers[i] == &peer_histree
				 ? compare_variants(comparison, peers[i], error)
				 : compare(comparison, peers[i], &(struct histree_tree_options){ 0 }, error);
	for (char *name; status == HISTREE_OK && (name = strsep(&rest, ",")) != NULL;) {
		const struct peer *peer = peer_find(name);
		if (peer == NULL)
			fprintf(stderr, "peers: '%s' is not among the peers of this program\n", name);
		else if (peer == &peer_histree)
			status = compare_variants(comparison, peer, error);
		else
			status = compare(comparison, peer, &(struct histree_tree_options){ 0 }, error);
	}
	free(list);
	return status;
}

/* ------------------------------------------------------------------------------------------------------------ */

static enum histree_status prepare(struct comparison *comparison, struct histree_error *error)
{
	enum histree_status status;
	if (comparison->store != NULL)
		status = interval_source_store(&comparison->source, comparison->store, comparison->analysis, error);
	else
		status = interval_source_model(&comparison->source, comparison->attributes, comparison->intervals,
					       comparison->seed, error);
	if (status != HISTREE_OK)
		return status;
	comparison->source.making = &comparison->making;
	const struct interval_source *source = &comparison->source;
	status = bench_questions_init(&comparison->questions, source->attribute_count, source->start, source->end,
				      comparison->queries, comparison->seed, error);
	if (status == HISTREE_OK)
		status = choose_selective(comparison, error);
	if (status != HISTREE_OK || comparison->store == NULL) {
		comparison->judge = bench_model_engine(&comparison->source.model);
		return status;
	}
	status = peer_array.build(&(struct peer_setup){ .source = source }, &comparison->array, error);
	comparison->judge = (struct bench_engine){ "array", peer_array.ask, comparison->array };
	return status;
}

int main(int argc, char **argv)
{
	const char *folder = getenv("TMPDIR");
	struct comparison comparison = {
		.attributes = 100000,
		.intervals = 20,
		.queries = 10000,
		.seed = 1,
		.cache_bytes = 128 << 20,
		.folder = folder != NULL ? folder : "/tmp",
		.variants = "",
	};
	if (!read_options(&comparison, argc, argv)) {
		fprintf(stderr, "usage: peers [OPTION]..., as the head of bench/peers/main.c says\n");
		return 2;
	}
	struct histree_error error = { 0 };
	enum histree_status status = prepare(&comparison, &error);
	if (status == HISTREE_OK)
		status = compare_all(&comparison, &error);
	if (status != HISTREE_OK)
		fprintf(stderr, "peers: %s\n", error.message);
	peer_array.free(comparison.array);
	for (unsigned kind = 0; kind < SELECTIVE_SHAPES; kind++)
		bench_questions_release(&comparison.selective[kind]);
	bench_questions_release(&comparison.questions);
	interval_source_release(&comparison.source);
	return status == HISTREE_OK ? 0 : 3;
}
