// SPDX-License-Identifier: MIT
/*
 * segment_target.c - opens the segments that STORE and ANALYSIS name, as the options choose them; the threads that
 * their numbers stand for.
 */
#include "cli/segment_target.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "cli/verb_copy.h"
#include "histree/build.h"

static struct time_span span_of(const struct segment_target *target)
{
	if (target->target.store != NULL) {
		const struct histree_store_info *info = histree_store_info(target->target.store);
		return (struct time_span){ .start = info->start, .end = info->end, .what = "trace" };
	}
	const struct histree_segment_store_info *info = histree_segment_store_info(target->store);
	return (struct time_span){ .start = info->start, .end = info->end, .what = "time of the segments" };
}

/* What the segments do not say of their threads is in the history of the kernel. */
static enum cli_exit take_threads(const struct segment_target *target)
{
	struct histree_error error = { 0 };
	struct histree_history *kernel = NULL;
	if (!histree_segment_filter_lacks_threads(target->filter))
		return CLI_OK;
	if (target->target.store == NULL ||
	    target_history(&target->target, NULL, true, &kernel, &error) != HISTREE_OK)
		kernel = NULL;
	const enum histree_status status =
		histree_segment_filter_take_threads(target->filter, kernel, target->query.work, &error);
	histree_history_close(kernel);
	return status == HISTREE_OK             ? CLI_OK
	       : status == HISTREE_ERR_ARGUMENT ? report_exit(CLI_USAGE, "'--where': %s", error.message)
						: report_error(&error);
}

static enum cli_exit read_filter(struct segment_target *target, const char *where)
{
	struct histree_error error = { 0 };
	if (histree_segment_filter_create(&histree_segment_store_info(target->store)->schema, where,
					  target->span.start, target->span.end, &target->filter,
					  &error) != HISTREE_OK)
		return report_exit(exit_of_status(error.status), "'--where': %s", error.message);
	enum cli_exit code = take_threads(target);
	if (code != CLI_OK)
		return code;
	histree_segment_filter_apply(target->filter, &target->query);

	/* To name a host that does not exist is a slip, which an empty answer would hide. */
	size_t count;
	char names[256] = "";
	const struct histree_segment_part *parts = histree_segment_store_parts(target->store, &count);
	for (size_t i = 0; i < count; i++) {
		if (target->query.host_filter == NULL ||
		    target->query.host_filter(target->query.host_context, parts[i].name))
			return CLI_OK;
		name_list_add(names, sizeof(names), parts[i].name);
	}
	return count == 0 ? CLI_OK : report_exit(CLI_NOTHING, "'--where': no host passes; the hosts are %s", names);
}

/* What is wrong with `where` was said by then, with its own columns. */
static enum cli_exit segment_target_read_host(struct segment_target *target, const struct cli_question *question)
{
	const char *option = question->host_name != NULL ? question->host_name : "host";
	enum cli_exit code = host_part_segments(&target->target, target->store, option, question->host);
	if (code != CLI_OK)
		return code;
	histree_segment_filter_free(target->filter);
	target->filter = NULL;
	char *where = host_part_where(question->host, question->where);
	code = where != NULL ? read_filter(target, where) : report_no_memory();
	free(where);
	return code;
}

/* Whether a segment is of one of the threads of --thread, and passes the expression. */
static bool is_of_threads_wanted(void *context, const struct histree_segment *segment)
{
	const struct segment_target *target = context;
	/* In spans and in what was loaded it may be a long. */
	const struct histree_value *value = &segment->content[target->thread_field];
	const int64_t tid = histree_value_integer(value);
	size_t host = 0, count;
	const struct histree_segment_part *parts = histree_segment_store_parts(target->store, &count);
	const bool has_tid = value->type == HISTREE_INT || value->type == HISTREE_LONG;
	if (has_tid ? tid != (int32_t)tid : target->process_field == SIZE_MAX)
		return false;
	if (target->host_field != SIZE_MAX) {
		const struct histree_value *name = &segment->content[target->host_field];
		while (host < count && (strlen(parts[host].name) != name->size ||
					memcmp(parts[host].name, name->bytes, name->size) != 0))
			host++;
	}
	/* No thread that is named is of a process whose number no system gives. */
	int64_t pid = target->process_field != SIZE_MAX
			      ? histree_value_integer(&segment->content[target->process_field])
			      : 0;
	pid = pid == (int32_t)pid ? pid : 0;
	const int32_t thread = has_tid ? (int32_t)tid : THREAD_OF_NO_NUMBER;
	return thread_words_have(&target->threads, host, (int32_t)pid, thread, segment->start) &&
	       (target->filter == NULL || histree_segment_filter_match(target->filter, segment));
}

static enum cli_exit read_threads(struct segment_target *target, const char *text)
{
	const struct histree_segment_schema *schema = &histree_segment_store_info(target->store)->schema;
	size_t count;
	if (histree_segment_store_field(target->store, "tid", &target->thread_field) != HISTREE_OK)
		return report_exit(CLI_USAGE, "'--thread': the segments of '%s' do not belong to threads",
				   schema->provider);
	if (histree_segment_store_parts(target->store, &count) == NULL ||
	    histree_segment_store_field(target->store, "host", &target->host_field) != HISTREE_OK)
		target->host_field = SIZE_MAX;
	if ((strcmp(schema->provider, "track-spans") != 0 && strcmp(schema->provider, "track-instants") != 0) ||
	    histree_segment_store_field(target->store, "pid", &target->process_field) != HISTREE_OK)
		target->process_field = SIZE_MAX;
	target->query.filter = is_of_threads_wanted;
	target->query.filter_context = target;
	return thread_words_read(&target->threads, text, &target->target, NULL);
}

/* ---- a pair of events in place of an analysis ---------------------------------------------------------------- */

struct pair_name {
	char name[NAME_MAX + 1];
	uint32_t version;
};

static void keep_name(void *context, const struct histree_analysis_info *analysis)
{
	struct pair_name *pair = context;
	snprintf(pair->name, sizeof(pair->name), "%s", analysis->name);
	pair->version = analysis->version;
}

/* Whether a store has the segments of a pair, or others of that name. */
static enum cli_exit find_pair(const char *path, const struct pair_name *pair, bool *is_there)
{
	struct target target;
	struct histree_error error = { 0 };
	struct histree_segment_store *store = NULL;
	enum cli_exit code = CLI_OK;
	*is_there = false;
	if (target_open(&target, path, &error) != HISTREE_OK) {
		code = report_error(&error);
	} else if (target.store != NULL && target_find_segments(&target, pair->name) != NULL) {
		*is_there = true;
		if (target_segments(&target, pair->name, true, &store, &error) != HISTREE_OK)
			code = report_error(&error);
		else if (histree_segment_store_info(store)->schema.provider_version != pair->version)
			code = report_exit(CLI_USAGE, "'%s' has another '%s': give the pair another name", path,
					   pair->name);
		histree_segment_store_close(store);
	}
	target_close(&target);
	return code;
}

/* Gets the name of the analysis that a pair is, after adding it to the store if it is not there. */
static enum cli_exit have_pair(const char *path, const char *text, struct pair_name *pair)
{
	struct histree_error error = { 0 };
	bool is_there;
	if (histree_analyses_defined(&text, 1, keep_name, pair, &error) != HISTREE_OK)
		return report_error(&error);
	enum cli_exit code = find_pair(path, pair, &is_there);
	if (code != CLI_OK || is_there)
		return code;
	code = add_pair(path, text);
	if (code == CLI_OK)
		code = find_pair(path, pair, &is_there);
	return code != CLI_OK || is_there ? code : report_none("segments", NULL);
}

const char *segment_target_analysis(const struct cli_words *words, const struct cli_question *question)
{
	const char *word = words->count > 1 ? words->words[1] : NULL, *option = question->analysis;
	if (word == NULL && option == NULL)
		report("needs '-a ANALYSIS', the analysis whose segments are meant; 'histree info %s' lists them",
		       words->words[0]);
	else if (word != NULL && option != NULL && strcmp(word, option) != 0)
		report("'%s' and '--analysis %s' are two analyses: leave one out", word, option);
	else
		return word != NULL ? word : option;
	return NULL;
}

enum cli_exit segment_target_open(struct segment_target *target, const char *path, const char *analysis,
				  const struct cli_question *question)
{
	*target = (struct segment_target){ .query = HISTREE_SEGMENTS_ALL };
	if (analysis == NULL)
		return CLI_USAGE;

	struct pair_name pair;
	enum cli_exit code = CLI_OK;
	if (target_is_pair(analysis)) {
		code = have_pair(path, analysis, &pair);
		if (code != CLI_OK)
			return code;
		analysis = pair.name;
	}
	struct histree_error error = { 0 };
	enum histree_status status = target_open(&target->target, path, &error);
	if (status == HISTREE_OK)
		status = target_segments(&target->target, analysis, true, &target->store, &error);
	if (status != HISTREE_OK) {
		code = report_error(&error);
	} else {
		const struct histree_segment_schema *schema = &histree_segment_store_info(target->store)->schema;
		target_warn_of_version(&target->target, schema->provider, schema->provider_version);
	}

	if (code != CLI_OK)
		return code;
	target->query.work.go_on = progress_goes_on;
	target->span = span_of(target);
	if (question->from != NULL || question->to != NULL || question->at != NULL)
		code = question_range(question, &target->span, &target->query.from, &target->query.to);
	if (code == CLI_OK && question->where != NULL)
		code = read_filter(target, question->where);
	target->host = question->host;
	if (code == CLI_OK && question->host != NULL)
		code = segment_target_read_host(target, question);
	if (code == CLI_OK && question->thread != NULL)
		code = read_threads(target, question->thread);
	return code;
}

void segment_target_close(struct segment_target *target)
{
	thread_words_release(&target->threads);
	thread_lives_release(&target->lives);
	histree_history_close(target->history);
	histree_segment_filter_free(target->filter);
	histree_segment_store_close(target->store);
	target_close(&target->target);
}

enum cli_exit segment_target_field(const struct segment_target *target, const char *option, const char *name,
				   size_t *field)
{
	if (histree_segment_store_field(target->store, name, field) == HISTREE_OK)
		return CLI_OK;
	const struct histree_segment_schema *schema = &histree_segment_store_info(target->store)->schema;
	char names[256] = "";
	for (size_t i = 0; i < schema->field_count; i++)
		name_list_add(names, sizeof(names), schema->fields[i].name);
	return report_exit(CLI_USAGE, "'--%s': these segments have no field '%s'; they have %s", option, name,
			   names);
}

/* ---- groups of threads ------------------------------------------------------------------------------------- */

const struct histree_thread *segment_target_thread(const struct segment_target *target, size_t host,
						   const struct histree_segment *segment,
						   const struct histree_value *number)
{
	if (number->type != HISTREE_INT)
		return NULL;
	return thread_lives_find(&target->lives, host, number->int32,
				 target->groups.are_at_end ? segment->end : segment->start);
}

static void put_life(void *context, const struct histree_segment *segment, struct histree_value *value)
{
	struct segment_target *target = context;
	const struct histree_thread *thread = segment_target_thread(target, target->groups.host, segment, value);
	if (thread == NULL)
		return;
	thread_lives_name(thread, target->groups.text, sizeof(target->groups.text));
	*value = histree_string(target->groups.text);
}

/* Whether values of a field are numbers of threads, which its name says. */
static bool is_of_threads(const struct segment_target *target, size_t field)
{
	static const char *const names[] = { "tid", "waker", "had_by", "taker" };
	const struct histree_segment_field *of = &histree_segment_store_info(target->store)->schema.fields[field];
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (of->type == HISTREE_INT && strcmp(of->name, names[i]) == 0)
			return true;
	return false;
}

/* Without a history of the kernel it is not known which thread had which number when. */
static void open_history(struct segment_target *target, size_t field)
{
	struct histree_error error = { 0 };
	if (target->target.store == NULL || !is_of_threads(target, field) ||
	    target_history(&target->target, NULL, true, &target->history, &error) != HISTREE_OK)
		return;
	target->groups.are_at_end =
		strcmp(histree_segment_store_info(target->store)->schema.fields[field].name, "had_by") == 0;
}

static enum cli_exit read_lives(struct segment_target *target)
{
	struct histree_error error = { 0 };
	if (thread_lives_read(&target->lives, target->history, target->host, target->query.work, &error) !=
	    HISTREE_OK)
		return report_error(&error);
	return CLI_OK;
}

enum cli_exit segment_target_threads(struct segment_target *target, const char *option, const char *name,
				     size_t *field)
{
	enum cli_exit code = segment_target_field(target, option, name, field);
	if (code == CLI_OK)
		open_history(target, *field);
	return code == CLI_OK ? read_lives(target) : code;
}

/* Returns the number of the host whose segments are grouped, or SIZE_MAX: of several. */
static size_t host_of_groups(const struct segment_target *target)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(target->history, &count);
	for (size_t i = 0; i < count; i++)
		if (target->host != NULL && strcmp(hosts[i].name, target->host) == 0)
			return i;
	return hosts == NULL ? 0 : SIZE_MAX;
}

/* Numbers of several hosts together belong to no single thread, and stay one group each. */
enum cli_exit segment_target_groups(struct segment_target *target, const char *name, size_t *field)
{
	enum cli_exit code = segment_target_field(target, "by", name, field);
	if (code == CLI_OK)
		open_history(target, *field);
	if (code != CLI_OK || target->history == NULL)
		return code;
	target->groups.host = host_of_groups(target);
	if (target->groups.host != SIZE_MAX)
		code = read_lives(target);
	if (thread_lives_are_any(&target->lives)) {
		target->query.group = put_life;
		target->query.group_context = target;
	}
	return code;
}

/* ------------------------------------------------------------------------------------------------------------- */

enum cli_exit segment_target_report_loss(const struct histree_segment_store *store, const struct histree_loss *loss)
{
	size_t count;
	const struct histree_segment_part *parts = histree_segment_store_parts(store, &count);
	const struct histree_segment_part *part = loss->part < count ? &parts[loss->part] : NULL;
	if (part != NULL && part->store == NULL)
		return report_exit(CLI_INPUT, "incomplete: the segments of host '%s' are missing: %s", part->name,
				   part->why);
	if (part != NULL)
		return report_exit(
			CLI_INPUT,
			"incomplete: %" PRIu64 " segments of host '%s' at most, from %" PRId64 " to %" PRId64
			", were in node %u, which is damaged; see 'histree verify' and 'histree copy --repair'",
			loss->rows_max, part->name, loss->from, loss->to, loss->node);
	return report_exit(CLI_INPUT,
			   "incomplete: %" PRIu64 " segments at most, from %" PRId64 " to %" PRId64
			   ", were in node %u, which is damaged; see 'histree verify' and 'histree copy --repair'",
			   loss->rows_max, loss->from, loss->to, loss->node);
}

enum cli_exit segment_target_report_losses(const struct histree_segment_store *store,
					   const struct histree_cursor *cursor)
{
	size_t count;
	const struct histree_loss *losses = histree_cursor_losses(cursor, &count);
	enum cli_exit code = CLI_OK;
	for (size_t i = 0; i < count; i++)
		code = segment_target_report_loss(store, &losses[i]);
	return code;
}

struct row_column segment_target_column(const struct histree_segment_schema *schema, size_t field)
{
	const bool is_text = schema->fields[field].type == HISTREE_STRING;
	const unsigned width = is_text ? 16 : 8, name_width = (unsigned)strlen(schema->fields[field].name);
	return (struct row_column){ .name = schema->fields[field].name,
				    .width = name_width > width ? name_width : width,
				    .to_the_right = !is_text };
}

enum cli_exit segment_target_judge(const struct histree_segment_store *store, struct histree_loss loss,
				   bool found_some, const char *where)
{
	if (loss.nodes > 0)
		return segment_target_report_loss(store, &loss);
	return found_some ? CLI_OK : report_none("segments", where);
}
