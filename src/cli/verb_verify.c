// SPDX-License-Identifier: MIT
/*
 * verb_verify.c - 'histree verify': checks everything in a store and prints a sentence for each fault: a line for
 * people, who are told if all is well, and a row for programs, for which no row says so.
 */
#include <inttypes.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/row_writer.h"
#include "cli/target.h"
#include "cli/verb.h"
#include "histree/events.h"
#include "histree/states.h"
#include "view/view.h"

struct verify_options {
	struct cli_question question;
	bool states;
};

static const struct cli_option options[] = {
	CLI_OPTION_FLAG(
		"states", 0, struct verify_options, states,
		"check also that at every moment each CPU runs one thread, and each running thread has a CPU"),
	{ 0 },
};

struct verifying {
	struct output *output;
	struct row_writer rows; /* for programs, on that output */
	bool is_for_people;
	const char *analysis; /* of the history being read; NULL: there is only one file */
	uint64_t histories, nodes, intervals, overviews, faults;
	uint64_t segment_stores, segments;
	bool wants_states;
	uint64_t states_checked; /* histories */
};

struct fault_row {
	const char *analysis, *fault;
};

static const struct row_column columns[] = {
	ROW_LEFT("analysis", 0, CELL_TEXT, struct fault_row, analysis),
	ROW_LEFT("fault", 0, CELL_TEXT, struct fault_row, fault),
};

static void report_fault(void *context, const char *fault)
{
	struct verifying *verifying = context;
	verifying->faults++;
	if (!verifying->is_for_people) {
		row_put(&verifying->rows, &(struct fault_row){ verifying->analysis, fault });
		return;
	}
	if (verifying->analysis != NULL)
		output_format(verifying->output, "%s: ", verifying->analysis);
	char shown[CONTROL_ESCAPE_SIZE * (sizeof(((struct histree_error *)NULL)->message) + 128)];
	control_text_copy(fault, shown, sizeof(shown));
	output_format(verifying->output, "%s\n", shown);
}

/*
 * The exit status after reading a part of the store: damage is what a verification looks for, not a failure of it.
 * A file that cannot even be opened because of its content is damaged, too.
 */
static enum cli_exit judge(struct verifying *verifying, enum histree_status status,
			   const struct histree_error *error, uint64_t faults_before)
{
	bool is_damage = status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_INCOMPLETE;
	if (is_damage && verifying->faults == faults_before)
		report_fault(verifying, error->message);
	return status == HISTREE_OK || is_damage ? CLI_OK : report_error(error);
}

/* The states of a history that is sound: whether threads and CPUs say the same. */
static enum histree_status verify_states(struct verifying *verifying, struct histree_history *history,
					 struct histree_error *error)
{
	enum histree_status status = histree_occupancy_verify(history, report_fault, verifying, error);
	if (status == HISTREE_NOT_FOUND) /* it is about something else */
		return HISTREE_OK;
	verifying->states_checked++;
	return status;
}

static enum cli_exit verify(struct verifying *verifying, const struct target *target, const char *analysis)
{
	struct histree_history *history;
	struct histree_error error = { 0 }, refusal = { 0 };
	uint64_t faults_before = verifying->faults;
	verifying->analysis = analysis;
	enum histree_status opened = target_history(target, analysis, true, &history, &error), status = opened;
	if (opened == HISTREE_ERR_FORMAT) { /* there may be more to say of the rest */
		refusal = error;
		status = target_salvage(target, analysis, &history, &error);
	}
	if (status == HISTREE_OK) {
		const struct histree_history_info *info = histree_history_info(history);
		verifying->histories++;
		verifying->nodes += info->node_count;
		verifying->intervals += info->interval_count;
		verifying->overviews += info->overview_count;
		status = histree_history_verify(history, report_fault, verifying, &error);
		if (status == HISTREE_OK && opened == HISTREE_OK) {
			/*
			 * Overviews that answer questions as if they were the history: whether they say what its
			 * states do.
			 */
			enum histree_status numbers =
				histree_numbers_verify(history, report_fault, verifying, &error);
			if (numbers != HISTREE_OK && numbers != HISTREE_ERR_FORMAT) {
				status = numbers;
			} else {
				enum histree_status sums =
					histree_sums_verify(history, report_fault, verifying, &error);
				status = sums != HISTREE_OK ? sums : numbers;
			}
		}
		if (status == HISTREE_OK && opened == HISTREE_OK && verifying->wants_states)
			status = verify_states(verifying, history, &error);
	}
	histree_history_close(history);
	if (opened == HISTREE_ERR_FORMAT && verifying->faults == faults_before)
		return judge(verifying, opened, &refusal, faults_before);
	return judge(verifying, status, &error, faults_before);
}

static enum cli_exit verify_segments(struct verifying *verifying, const struct target *target, const char *analysis)
{
	struct histree_segment_store *store;
	struct histree_error error = { 0 };
	uint64_t faults_before = verifying->faults;
	verifying->analysis = analysis;
	enum histree_status status = target_segments(target, analysis, true, &store, &error);
	if (status == HISTREE_OK) {
		const struct histree_segment_store_info *info = histree_segment_store_info(store);
		verifying->segment_stores++;
		verifying->nodes += info->node_count;
		verifying->segments += info->segment_count;
		verifying->overviews += histree_segment_store_overviews(store).count;
		status = histree_segment_store_verify(store, report_fault, verifying, &error);
	}
	histree_segment_store_close(store);
	return judge(verifying, status, &error, faults_before);
}

static enum cli_exit verify_all(struct verifying *verifying, const struct target *target, const char *analysis)
{
	if (target->store == NULL)
		return verify(verifying, target, analysis);
	const struct histree_store_info *info = histree_store_info(target->store);
	if (target_find_segments(target, analysis) != NULL)
		return verify_segments(verifying, target, analysis);
	if (analysis != NULL)
		return verify(verifying, target, analysis);
	enum cli_exit code = CLI_OK;

	/*
	 * A host whose store cannot be opened, or is another one: that is said of each analysis, if there is one.
	 */
	for (size_t i = 0; i < info->host_count; i++) {
		char fault[sizeof(((struct histree_error *)NULL)->message) + 128];
		if (info->hosts[i].why == NULL || !info->complete || info->history_count + info->segments_count > 0)
			continue;
		snprintf(fault, sizeof(fault), "host '%.96s': %s", info->hosts[i].name, info->hosts[i].why);
		verifying->analysis = NULL;
		report_fault(verifying, fault);
	}

	for (size_t i = 0; i < info->history_count && code == CLI_OK; i++)
		code = verify(verifying, target, info->histories[i].analysis);
	for (size_t i = 0; i < info->segments_count && code == CLI_OK; i++)
		code = verify_segments(verifying, target, info->segments[i].analysis);
	if (code != CLI_OK)
		return code;

	/*
	 * The index is read as a whole.  A store that is being built has no index yet, and a repaired one never
	 * has.
	 */
	struct histree_events *events;
	struct histree_error error = { 0 };
	uint64_t faults_before = verifying->faults;
	verifying->analysis = NULL;
	enum histree_status status = histree_events_open(target->store, &events, &error);
	if (status == HISTREE_OK)
		histree_events_close(events);
	if (status == HISTREE_ERR_TOO_LARGE || status == HISTREE_ERR_VERSION)
		status = HISTREE_ERR_FORMAT;
	return status == HISTREE_NOT_FOUND ? CLI_OK : judge(verifying, status, &error, faults_before);
}

static void say_ok(const struct verifying *verifying, const char *path)
{
	output_format(verifying->output, "ok: %s: %" PRIu64 " %s, %" PRIu64 " nodes, %" PRIu64 " intervals", path,
		      verifying->histories, verifying->histories == 1 ? "history" : "histories", verifying->nodes,
		      verifying->intervals);
	if (verifying->overviews > 0)
		output_format(verifying->output, ", %" PRIu64 " %s", verifying->overviews,
			      verifying->overviews == 1 ? "overview" : "overviews");
	if (verifying->segment_stores > 0)
		output_format(
			verifying->output, ", %" PRIu64 " %s, %" PRIu64 " segments", verifying->segment_stores,
			verifying->segment_stores == 1 ? "segment store" : "segment stores", verifying->segments);
	if (verifying->states_checked > 0)
		output_format(verifying->output, "; threads and CPUs agree");
	output_char(verifying->output, '\n');
}

static int verify_run(void *said, const struct cli_words *words)
{
	struct verify_options *chosen = said;
	struct verifying verifying = {
		.output = output_create(STDOUT_FILENO),
		.is_for_people = row_format_find(chosen->question.format)->for_people,
		.wants_states = chosen->states,
	};
	if (verifying.output == NULL)
		return report_no_memory();
	if (!verifying.is_for_people)
		rows_open_on(&verifying.rows, verifying.output, &chosen->question, ROW_COLUMNS(columns),
			     ROWS_PLAIN);
	struct target target;
	struct histree_error error = { 0 };
	enum histree_status opened = target_open(&target, words->words[0], &error);
	enum cli_exit code = judge(&verifying, opened, &error, 0);
	if (opened == HISTREE_OK)
		code = verify_all(&verifying, &target, chosen->question.analysis);
	if (code == CLI_OK && verifying.faults > 0)
		code = CLI_NOTHING;
	else if (code == CLI_OK && chosen->states && verifying.states_checked == 0)
		code = report_exit(CLI_INPUT, "'%s' has no states of CPUs and their threads to check", target.path);
	else if (code == CLI_OK && verifying.is_for_people)
		say_ok(&verifying, target.path);
	target_close(&target);
	return verifying.is_for_people ? cli_end(verifying.output, code) : rows_close(&verifying.rows, code);
}

const struct cli_verb verb_verify = {
	.name = "verify",
	.summary = "read every node of a store and say what is damaged",
	.arguments = { "STORE", 1, 1 },
	.complete = CLI_COMPLETE_PATH,
	.asks = ASKS(ANALYSIS) | ASKS(FORMAT),
	.says = { [ASK_ANALYSIS] = "; default: everything" },
	CLI_OPTIONS(options, struct verify_options),
	.run = verify_run,
};
