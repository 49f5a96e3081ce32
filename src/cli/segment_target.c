// SPDX-License-Identifier: MIT
/*
 * segment_target.c - what the verbs that read segments share: STORE and ANALYSIS, and the options that choose
 * segments.
 */
#include "cli/segment_target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/host_option.h"
#include "cli/name_list.h"
#include "cli/progress.h"

static enum cli_exit open_store(struct segment_target *target, const char *path, const char *analysis)
{
	struct histree_error error = { 0 };
	enum histree_status status = target_open(&target->target, path, &error);
	if (status == HISTREE_OK)
		status = target_segments(&target->target, analysis, true, &target->store, &error);
	if (status != HISTREE_OK)
		return report_error(&error);
	const struct histree_segment_schema *schema = &histree_segment_store_info(target->store)->schema;
	target_warn_of_version(&target->target, schema->provider, schema->provider_version);
	return CLI_OK;
}

static struct time_span span_of(const struct segment_target *target)
{
	if (target->target.store != NULL) {
		const struct histree_store_info *info = histree_store_info(target->target.store);
		return (struct time_span){ .start = info->start, .end = info->end, .what = "trace" };
	}
	const struct histree_segment_store_info *info = histree_segment_store_info(target->store);
	return (struct time_span){ .start = info->start, .end = info->end, .what = "time of the segments" };
}

static enum cli_exit read_range(struct segment_target *target, const struct segment_options *options)
{
	const struct time_range_options range = {
		.from_name = options->from_name != NULL ? options->from_name : "from",
		.to_name = options->to_name != NULL ? options->to_name : "to",
		.from = options->from,
		.to = options->to,
	};
	return time_option_range_of(&range, &target->span, &target->query.from, &target->query.to);
}

/* A host that there is not is a slip that an empty answer would hide. */
static enum cli_exit check_hosts(const struct segment_target *target)
{
	size_t count;
	char names[256] = "";
	const struct histree_segment_part *parts = histree_segment_store_parts(target->store, &count);
	for (size_t i = 0; i < count; i++) {
		if (target->query.host_filter == NULL ||
		    target->query.host_filter(target->query.host_context, parts[i].name))
			return CLI_OK;
		name_list_add(names, sizeof(names), parts[i].name);
	}
	return count == 0 ? CLI_OK : report_exit(CLI_NOTHING, "'--where': no host passes; there are %s", names);
}

static enum cli_exit read_filter(struct segment_target *target, const char *where)
{
	struct histree_error error = { 0 };
	if (histree_segment_filter_create(&histree_segment_store_info(target->store)->schema, where,
					  target->span.start, target->span.end, &target->filter,
					  &error) != HISTREE_OK)
		return report_exit(exit_of_status(error.status), "'--where': %s", error.message);
	histree_segment_filter_apply(target->filter, &target->query);
	return check_hosts(target);
}

/* NULL without memory; to be freed. */
static char *with_host(const char *host, const char *where)
{
	char *condition = host_part_condition(host), *both = NULL;
	if (condition == NULL || where == NULL)
		return condition;
	if (asprintf(&both, "%s && (%s)", condition, where) < 0)
		both = NULL;
	free(condition);
	return both;
}

/* What is wrong with `where` was said by then, with its own columns. */
static enum cli_exit read_host(struct segment_target *target, const struct segment_options *options)
{
	enum cli_exit code = host_part_segments(&target->target, target->store, options->host_name, options->host);
	if (code != CLI_OK)
		return code;
	histree_segment_filter_free(target->filter);
	target->filter = NULL;
	char *where = with_host(options->host, options->where);
	code = where != NULL ? read_filter(target, where) : report_no_memory();
	free(where);
	return code;
}

enum cli_exit segment_target_open(struct segment_target *target, const struct cli_words *words,
				  const struct segment_options *options)
{
	*target = (struct segment_target){ .query = HISTREE_SEGMENTS_ALL };
	enum cli_exit code = open_store(target, words->words[0], words->words[1]);
	if (code != CLI_OK)
		return code;
	target->query.cancel.go_on = progress_goes_on;
	target->span = span_of(target);
	if (options->from != NULL || options->to != NULL)
		code = read_range(target, options);
	if (code == CLI_OK && options->where != NULL)
		code = read_filter(target, options->where);
	target->host = options->host;
	if (code == CLI_OK && options->host != NULL)
		code = read_host(target, options);
	return code;
}

void segment_target_close(struct segment_target *target)
{
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
	size_t length = 0;
	for (size_t i = 0; i < schema->field_count && length < sizeof(names); i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s", i == 0 ? "" : ", ",
					   schema->fields[i].name);
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
	if (thread_lives_read(&target->lives, target->history, target->host, target->query.cancel, &error) !=
	    HISTREE_OK)
		return report_error(&error);
	return CLI_OK;
}

enum cli_exit segment_target_threads(struct segment_target *target, const char *name, size_t *field)
{
	enum cli_exit code = segment_target_field(target, "by", name, field);
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

enum cli_exit segment_target_report_loss(const struct histree_segment_store *store,
					 const struct histree_segment_loss *loss)
{
	size_t count;
	const struct histree_segment_part *parts = histree_segment_store_parts(store, &count);
	const struct histree_segment_part *part = loss->part < count ? &parts[loss->part] : NULL;
	if (part != NULL && part->store == NULL)
		return report_exit(CLI_INPUT, "incomplete: the segments of host '%s' are missing: %s", part->name,
				   part->why);
	if (part != NULL)
		return report_exit(CLI_INPUT,
				   "incomplete: %" PRIu64 " segments of host '%s' at most, from %" PRId64
				   " to %" PRId64
				   ", were in node %u, which is damaged; see 'histree verify' and 'histree repair'",
				   loss->count_max, part->name, loss->from, loss->to, loss->node);
	return report_exit(CLI_INPUT,
			   "incomplete: %" PRIu64 " segments at most, from %" PRId64 " to %" PRId64
			   ", were in node %u, which is damaged; see 'histree verify' and 'histree repair'",
			   loss->count_max, loss->from, loss->to, loss->node);
}

struct row_column segment_target_column(const struct histree_segment_schema *schema, size_t field)
{
	const bool is_text = schema->fields[field].type == HISTREE_STRING;
	const unsigned width = is_text ? 16 : 8, name_width = (unsigned)strlen(schema->fields[field].name);
	return (struct row_column){ .name = schema->fields[field].name,
				    .width = name_width > width ? name_width : width,
				    .to_the_right = !is_text };
}

enum cli_exit segment_target_judge(const struct histree_segment_store *store,
				   const struct histree_segment_loss *loss, bool found_some, const char *where)
{
	if (loss != NULL)
		return segment_target_report_loss(store, loss);
	return found_some ? CLI_OK : report_none("segments", where);
}
