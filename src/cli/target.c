// SPDX-License-Identifier: MIT
/*
 * target.c - opens what STORE and ANALYSIS name on the command line, and one host of a store of several; sentences
 * for hosts that are missing.
 */
#include "cli/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/trace_word.h"
#include "cli/attribute_list.h"
#include "cli/option.h"
#include "cli/picture_file.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/row_writer.h"
#include "cli/verb.h"
#include "histree/attributes.h"
#include "histree/build.h"
#include "histree/store.h"

/* ---- target -------------------------------------------------------------------------------------------------- */

static target_opener *the_opener;

static void *the_context;

void target_set_opener(target_opener *opener, void *context)
{
	the_opener = opener;
	the_context = context;
}

enum histree_status target_open_store(void *unused, const char *path, struct histree_store **out,
				      struct histree_error *error)
{
	(void)unused;
	return the_opener != NULL ? the_opener(the_context, path, out, error)
				  : histree_store_open(path, out, error);
}

static char *without_slashes(const char *path)
{
	size_t size = strlen(path);
	while (size > 1 && path[size - 1] == '/')
		size--;
	return strndup(path, size);
}

enum histree_status target_open(struct target *target, const char *path, struct histree_error *error)
{
	*target = (struct target){ .path = without_slashes(path) };
	if (target->path == NULL)
		return error_memory(error, "the name of the store");
	struct stat status;
	if (stat(target->path, &status) == 0 && !S_ISDIR(status.st_mode))
		return HISTREE_OK;
	return target_open_store(NULL, target->path, &target->store, error);
}

bool target_is_pair(const char *analysis)
{
	return strstr(analysis, " -> ") != NULL;
}

bool target_is_of_segments(const char *path, const char *analysis)
{
	struct target target = { 0 };
	struct histree_error error = { 0 };
	if (analysis == NULL || target_is_pair(analysis))
		return analysis != NULL;
	const bool is_found =
		target_open(&target, path, &error) == HISTREE_OK && target_find_segments(&target, analysis) != NULL;
	target_close(&target);
	return is_found;
}

enum histree_status target_salvage(const struct target *target, const char *analysis, struct histree_history **out,
				   struct histree_error *error)
{
	static const struct histree_open_options salvage = { .salvage = true };
	if (target->store != NULL)
		return histree_store_history(target->store, analysis, true, &salvage, out, error);
	return histree_history_open(target->path, &salvage, out, error);
}

enum histree_status target_history(const struct target *target, const char *analysis, bool any_version,
				   struct histree_history **out, struct histree_error *error)
{
	*out = NULL;
	if (target->store != NULL)
		return histree_store_history(target->store, analysis, any_version, NULL, out, error);
	enum histree_status status = histree_history_open(target->path, NULL, out, error);
	if (status != HISTREE_OK || analysis == NULL)
		return status;
	const char *provider = histree_history_info(*out)->provider;
	if (strcmp(provider, analysis) == 0)
		return HISTREE_OK;
	error_set(error, HISTREE_NOT_FOUND, "'%s' is a history of analysis '%s', not of '%s'", target->path,
		  provider, analysis);
	histree_history_close(*out);
	*out = NULL;
	return HISTREE_NOT_FOUND;
}

enum histree_status target_segments(const struct target *target, const char *analysis, bool any_version,
				    struct histree_segment_store **out, struct histree_error *error)
{
	if (target->store != NULL)
		return histree_store_segments(target->store, analysis, any_version, NULL, out, error);
	return histree_segment_store_open(target->path, NULL, out, error);
}

const struct histree_store_segments *target_find_segments(const struct target *target, const char *analysis)
{
	const struct histree_store_info *info = target->store != NULL ? histree_store_info(target->store) : NULL;
	for (size_t i = 0; info != NULL && analysis != NULL && i < info->segments_count; i++)
		if (strcmp(info->segments[i].analysis, analysis) == 0)
			return &info->segments[i];
	return NULL;
}

struct histree_segment_store *target_segments_if_any(const struct target *target, const char *analysis)
{
	struct histree_segment_store *store = NULL;
	const bool is_there = target_find_segments(target, analysis) != NULL &&
			      target_segments(target, analysis, false, &store, NULL) == HISTREE_OK;
	return is_there ? store : NULL;
}

bool target_has_history(const struct target *target, const char *analysis)
{
	const struct histree_store_info *info = target->store != NULL ? histree_store_info(target->store) : NULL;
	for (size_t i = 0; info != NULL && i < info->history_count; i++)
		if (strcmp(info->histories[i].analysis, analysis) == 0)
			return true;
	return false;
}

/* What the manifest says is what a build is compared with. */
static uint32_t version_in_store(const struct histree_store_info *info, const char *analysis, uint32_t version)
{
	for (size_t i = 0; i < info->history_count; i++)
		if (strcmp(info->histories[i].analysis, analysis) == 0)
			return info->histories[i].analysis_version;
	for (size_t i = 0; i < info->segments_count; i++)
		if (strcmp(info->segments[i].analysis, analysis) == 0)
			return info->segments[i].analysis_version;
	return version;
}

void target_warn_of_version(const struct target *target, const char *analysis, uint32_t version)
{
	struct histree_analysis_info known;
	if (target->store != NULL)
		version = version_in_store(histree_store_info(target->store), analysis, version);
	for (size_t i = 0; histree_analysis(i, &known); i++) {
		if (strcmp(known.name, analysis) != 0 || known.version == version)
			continue;
		report("warning: '%s' was made by version %u of analysis '%s', and this is version %u, which may "
		       "give other states%s%s%s",
		       target->path, version, analysis, known.version,
		       target->store != NULL ? "; make it again with 'histree copy --rebuild " : "",
		       target->store != NULL ? target->path : "", target->store != NULL ? "'" : "");
	}
}

enum cli_exit target_open_history(struct target *target, const char *path, const char *analysis,
				  struct histree_history **out)
{
	*out = NULL;
	struct histree_error error = { 0 };
	enum histree_status status = target_open(target, path, &error);
	if (status == HISTREE_OK)
		status = target_history(target, analysis, true, out, &error);
	if (status != HISTREE_OK)
		return report_error(&error);
	const struct histree_history_info *info = histree_history_info(*out);
	target_warn_of_version(target, info->provider, info->provider_version);
	return CLI_OK;
}

char *target_host_name(const struct target *target)
{
	const struct histree_store_info *info = target->store != NULL ? histree_store_info(target->store) : NULL;
	if (info != NULL && info->host != NULL)
		return strdup(info->host);
	return path_last(info != NULL && info->trace_count > 0 ? info->traces[0] : target->path);
}

void target_say_missing(const struct target *target, const char *analysis)
{
	static const char *const lacks = ": the trace has no"; /* as in struct analysis.missing */
	const struct histree_store_info *info = target->store != NULL ? histree_store_info(target->store) : NULL;
	const size_t size = strlen(analysis);
	for (size_t i = 0; info != NULL && i < info->warning_count; i++) {
		const char *name = strstr(info->warnings[i], analysis); /* after that of a host */
		/* Others may say the same: "network, packets: ...". */
		if (name != NULL && (name[size] == ':' || name[size] == ',') && strstr(name, lacks) != NULL)
			report("warning: %s", info->warnings[i]);
	}
}

void target_say_warnings(const struct target *target, const char *text, const char *more)
{
	const struct histree_store_info *info = target->store != NULL ? histree_store_info(target->store) : NULL;
	for (size_t i = 0; info != NULL && i < info->warning_count; i++)
		if (strstr(info->warnings[i], text) != NULL)
			report("warning: %s%s", info->warnings[i], more);
}

void target_close(struct target *target)
{
	histree_store_close(target->store);
	free(target->path);
	*target = (struct target){ 0 };
}

/* ---- host option --------------------------------------------------------------------------------------------- */

static char *keep(struct host_choice *choice, char *text)
{
	if (text != NULL)
		choice->texts[choice->text_count++] = text;
	return text;
}

/* NAME=DIR; a name has no '=', a path may have some. */
static enum cli_exit host_option_read_host(struct host_choice *choice, const char *word, const char *map)
{
	const char *sign = strchr(word, '=');
	char *path = NULL;
	if (sign == NULL || sign == word || sign[1] == '\0')
		return report_exit(CLI_USAGE, "'--host-dir': '%s' is not NAME=DIR", word);
	char *name = keep(choice, strndup(word, (size_t)(sign - word)));
	if (map == NULL)
		path = strdup(sign + 1);
	else if (asprintf(&path, TRACE_WORD_TEXT "%s:%s", map, sign + 1) < 0)
		path = NULL;
	if (name == NULL || keep(choice, path) == NULL)
		return report_no_memory();
	choice->hosts[choice->host_count++] = (struct histree_build_host){ name, path };
	return CLI_OK;
}

/* HOST=OFFSET[,SLOPE]; a name may contain '=', a clock cannot. */
static enum cli_exit read_clock(struct host_choice *choice, const char *word)
{
	struct histree_error error = { 0 };
	struct histree_build_clock *clock = &choice->clocks[choice->clock_count];
	const char *sign = strrchr(word, '=');
	if (sign == NULL || sign == word)
		return report_exit(CLI_USAGE, "'--clock': '%s' is neither packets, none nor HOST=OFFSET[,SLOPE]",
				   word);
	if (histree_clock_read(sign + 1, &clock->clock, &error) != HISTREE_OK)
		return report_exit(CLI_USAGE, "'--clock': %s", error.message);
	clock->host = keep(choice, strndup(word, (size_t)(sign - word)));
	if (clock->host == NULL)
		return report_no_memory();
	choice->clock_count++;
	return CLI_OK;
}

static enum cli_exit read_clocks(struct host_choice *choice, const struct cli_texts *words)
{
	bool has_packets = false;
	enum cli_exit code = CLI_OK;
	for (size_t i = 0; i < words->count && code == CLI_OK; i++) {
		if (strcmp(words->texts[i], "none") == 0)
			choice->no_clocks = true;
		else if (strcmp(words->texts[i], "packets") == 0)
			has_packets = true;
		else
			code = read_clock(choice, words->texts[i]);
	}
	if (code == CLI_OK && has_packets && choice->no_clocks)
		return report_exit(CLI_USAGE, "'--clock none' and '--clock packets' exclude each other");
	return code;
}

enum cli_exit host_choice_read(struct host_choice *choice, const struct host_options *options, const char *map)
{
	const struct cli_texts *hosts = &options->hosts, *clocks = &options->clocks;
	choice->hosts = calloc(hosts->count + 1, sizeof(*choice->hosts));
	choice->clocks = calloc(clocks->count + 1, sizeof(*choice->clocks));
	choice->texts = calloc(2 * hosts->count + clocks->count + 1, sizeof(*choice->texts));
	if (choice->hosts == NULL || choice->clocks == NULL || choice->texts == NULL)
		return report_no_memory();
	enum cli_exit code = CLI_OK;
	for (size_t i = 0; i < hosts->count && code == CLI_OK; i++)
		code = host_option_read_host(choice, hosts->texts[i], map);
	return code == CLI_OK ? read_clocks(choice, clocks) : code;
}

void host_choice_release(struct host_choice *choice)
{
	for (size_t i = 0; i < choice->text_count; i++)
		free(choice->texts[i]);
	free(choice->texts);
	free(choice->hosts);
	free(choice->clocks);
}

/* ---- host part ----------------------------------------------------------------------------------------------- */

enum { NAMES_SIZE = 256 };

char *host_part_condition(const char *host)
{
	char *name = malloc(2 * strlen(host) + 1), *to = name, *condition = NULL;
	if (name == NULL)
		return NULL;
	for (; *host != '\0'; host++) {
		if (*host == '"' || *host == '\\')
			*to++ = '\\';
		*to++ = *host;
	}
	*to = '\0';
	if (asprintf(&condition, "host == \"%s\"", name) < 0)
		condition = NULL;
	free(name);
	return condition;
}

static enum cli_exit refuse(const struct target *target, const char *option, const char *host, const char *names)
{
	if (names[0] == '\0')
		return report_exit(CLI_USAGE, "'--%s': '%s' does not have several hosts", option, target->path);
	return report_exit(CLI_USAGE, "'--%s': '%s' has no host '%s'; it has %s", option, target->path, host,
			   names);
}

enum cli_exit host_part_history(const struct target *target, struct histree_history *history, const char *option,
				const char *host, struct histree_history **out)
{
	size_t count;
	char names[NAMES_SIZE] = "";
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	*out = NULL;
	for (size_t i = 0; i < count; i++) {
		name_list_add(names, sizeof(names), hosts[i].name);
		if (strcmp(hosts[i].name, host) != 0)
			continue;
		*out = hosts[i].history;
		if (*out != NULL)
			return CLI_OK;
		return hosts[i].why != NULL ? report_exit(CLI_INPUT, "host '%s' is missing: %s", host, hosts[i].why)
					    : report_exit(CLI_NOTHING, "host '%s' has no history of analysis '%s'",
							  host, histree_history_info(history)->provider);
	}
	return refuse(target, option, host, names);
}

enum cli_exit host_part_of_question(const struct target *target, struct histree_history *history,
				    const struct cli_question *question, struct histree_history **out)
{
	*out = history;
	if (question->host == NULL)
		return CLI_OK;
	const char *option = question->host_name != NULL ? question->host_name : "host";
	return host_part_history(target, history, option, question->host, out);
}

char *host_part_where(const char *host, const char *where)
{
	char *condition = host_part_condition(host), *both = NULL;
	if (condition == NULL || where == NULL)
		return condition;
	if (asprintf(&both, "%s && (%s)", condition, where) < 0)
		both = NULL;
	free(condition);
	return both;
}

enum cli_exit host_part_segments(const struct target *target, const struct histree_segment_store *store,
				 const char *option, const char *host)
{
	size_t count;
	char names[NAMES_SIZE] = "";
	const struct histree_segment_part *parts = histree_segment_store_parts(store, &count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(parts[i].name, host) == 0)
			return CLI_OK;
	const struct histree_store_info *info = target->store != NULL ? histree_store_info(target->store) : NULL;
	for (size_t i = 0; info != NULL && i < info->host_count; i++) {
		name_list_add(names, sizeof(names), info->hosts[i].name);
		if (strcmp(info->hosts[i].name, host) == 0)
			return report_exit(CLI_NOTHING, "host '%s' has no segments of analysis '%s'", host,
					   histree_segment_store_info(store)->schema.provider);
	}
	return refuse(target, option, host, names);
}

enum cli_exit host_part_cut(const char *host, histree_time start, histree_time end, histree_time *from,
			    histree_time *to)
{
	if (*to < start || *from > end)
		return report_exit(CLI_NOTHING, "host '%s' was not recorded at that time", host);
	if (*from < start)
		*from = start;
	if (*to > end)
		*to = end;
	return CLI_OK;
}

/* Checks that the store of a host is there, and that it is the one that is meant. */
static enum cli_exit host_store_check(const struct target *target, const struct histree_store_info *info,
				      const char *name, const struct histree_store_host **host)
{
	char names[NAMES_SIZE] = "";
	struct histree_store *store = NULL;
	struct histree_error error = { 0 };
	*host = NULL;
	for (size_t i = 0; i < info->host_count && *host == NULL; i++) {
		name_list_add(names, sizeof(names), info->hosts[i].name);
		if (strcmp(info->hosts[i].name, name) != 0)
			continue;
		*host = &info->hosts[i];
		if (info->hosts[i].why == NULL &&
		    histree_store_host(target->store, i, &store, &error) != HISTREE_OK)
			return report_error(&error);
		histree_store_close(store);
	}
	if (*host == NULL)
		return refuse(target, "host", name, names);
	if ((*host)->why != NULL)
		return report_exit(CLI_INPUT, "host '%s' is missing: %s", name, (*host)->why);
	return CLI_OK;
}

/* The times in numbers, as the start of the host's store is another one. */
static enum cli_exit host_store_times(struct cli_question *question, const struct histree_store_info *info,
				      const struct histree_store_host *of, struct host_store *host)
{
	const struct time_span span = { .start = info->start, .end = info->end, .what = "trace" };
	histree_time from, to;
	if (question->from == NULL && question->to == NULL && question->at == NULL)
		return CLI_OK;
	enum cli_exit code = question_range(question, &span, &from, &to);
	if (code == CLI_OK)
		code = host_part_cut(of->name, of->start, of->end, &from, &to);
	if (code != CLI_OK)
		return code;
	snprintf(host->from, sizeof(host->from), "%" PRId64, from);
	snprintf(host->to, sizeof(host->to), "%" PRId64, to);
	question->from = host->from;
	question->to = host->to;
	question->at = NULL;
	return CLI_OK;
}

enum cli_exit host_store_of_question(struct cli_question *question, const char *path, struct host_store *host)
{
	struct target target;
	struct histree_error error = { 0 };
	const struct histree_store_host *of;
	*host = (struct host_store){ 0 };
	if (question->host == NULL)
		return (host->path = strdup(path)) != NULL ? CLI_OK : report_no_memory();
	enum cli_exit code = target_open(&target, path, &error) == HISTREE_OK ? CLI_OK : report_error(&error);
	const struct histree_store_info *info = target.store != NULL ? histree_store_info(target.store) : NULL;
	if (code == CLI_OK && info == NULL)
		code = refuse(&target, "host", question->host, "");
	if (code == CLI_OK)
		code = host_store_check(&target, info, question->host, &of);
	if (code == CLI_OK)
		code = host_store_times(question, info, of, host);
	if (code == CLI_OK && asprintf(&host->path, "%s/%s", target.path, of->folder) < 0) {
		host->path = NULL;
		code = report_no_memory();
	}
	question->host = NULL;
	target_close(&target);
	return code;
}

void host_store_release(struct host_store *host)
{
	free(host->path);
}

char *host_part_title(const char *path, const char *host)
{
	char *store = picture_file_title(path), *both = NULL;
	if (host == NULL || store == NULL)
		return store;
	if (asprintf(&both, "%s, %s", store, host) < 0)
		both = NULL;
	free(store);
	return both;
}

enum cli_exit host_part_missing(const struct histree_history *history)
{
	size_t count;
	enum cli_exit code = CLI_OK;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	for (size_t i = 0; i < count; i++)
		if (hosts[i].history == NULL && hosts[i].why != NULL)
			code = report_exit(CLI_INPUT, "incomplete: host '%s' is missing: %s", hosts[i].name,
					   hosts[i].why);
	return code;
}

enum cli_exit host_part_damaged(const struct histree_history *history)
{
	host_part_missing(history);
	return report_damaged_history();
}

/* ---- charts -------------------------------------------------------------------------------------------------- */

static void put_analysis(struct row_writer *rows, const void *chart)
{
	(void)chart;
	row_text(rows, histree_history_info(rows->context)->provider);
}

static void put_kind(struct row_writer *rows, const void *chart)
{
	row_text(rows, ((const struct histree_chart *)chart)->kind == HISTREE_CHART_LINES ? "lines" : "states");
}

/* The context is their history. */
static const struct row_column chart_columns[] = {
	{ .name = "analysis", .width = 12, .put = put_analysis },
	ROW_LEFT("chart", 20, CELL_TEXT, struct histree_chart, name),
	{ .name = "kind", .width = 6, .put = put_kind },
	ROW_LEFT("unit", 8, CELL_TEXT, struct histree_chart, unit),
	ROW_LEFT("title", 0, CELL_TEXT, struct histree_chart, title),
};

int chart_rows_print(const struct target *target, const struct cli_question *question)
{
	struct histree_error error = { 0 };
	enum histree_status status = HISTREE_OK;
	const char *analysis = question->analysis;
	size_t histories = 1;
	if (analysis == NULL && target->store != NULL)
		histories = histree_store_info(target->store)->history_count;
	struct row_writer rows;
	enum cli_exit code = rows_open(&rows, question, ROW_COLUMNS(chart_columns), ROWS_PLAIN);
	if (code != CLI_OK)
		return code;
	for (size_t i = 0; i < histories && status == HISTREE_OK; i++) {
		struct histree_history *history;
		const char *each = analysis == NULL && target->store != NULL
					   ? histree_store_info(target->store)->histories[i].analysis
					   : analysis;
		status = target_history(target, each, true, &history, &error);
		if (status != HISTREE_OK)
			break;
		size_t count;
		const struct histree_chart *charts = histree_charts(history, &count);
		rows.context = history;
		for (size_t k = 0; k < count; k++)
			if (histree_chart_has_rows(history, &charts[k]))
				row_put(&rows, &charts[k]);
		histree_history_close(history);
	}
	if (status != HISTREE_OK)
		return rows_close(&rows, report_error(&error));
	const bool found = rows.row_count > 0;
	if (!found)
		report("none of its analyses has charts of what is in the trace; 'io' and 'cpu-usage' may have "
		       "some, and so may analyses of 'build -x'");
	return rows_close(&rows, found ? CLI_OK : CLI_NOTHING);
}

enum cli_exit chart_rows_find(const struct target *target, const char *chart, const char **analysis)
{
	*analysis = NULL;
	size_t count = target->store != NULL ? histree_store_info(target->store)->history_count : 0;
	for (size_t i = 0; i < count && *analysis == NULL; i++) {
		struct histree_history *history;
		struct histree_error error = { 0 };
		const char *each = histree_store_info(target->store)->histories[i].analysis;
		if (target_history(target, each, true, &history, &error) != HISTREE_OK)
			return report_error(&error);
		if (histree_chart_find(history, chart) != NULL)
			*analysis = each;
		histree_history_close(history);
	}
	return CLI_OK;
}

void open_files_allow_all(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE,
			&limit); /* what it refuses is not had, and files that cannot be opened say so */
}
