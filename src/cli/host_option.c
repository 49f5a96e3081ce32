// SPDX-License-Identifier: MIT
/*
 * host_option.c - one host of a store of several, and sentences for hosts that are missing.
 */
#include "cli/host_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/trace_word.h"
#include "cli/name_list.h"
#include "cli/option.h"
#include "cli/picture_file.h"
#include "cli/report.h"
#include "cli/target.h"
#include "histree/build.h"

/* ---- host option --------------------------------------------------------------------------------------------- */

static char *keep(struct host_choice *choice, char *text)
{
	if (text != NULL)
		choice->texts[choice->text_count++] = text;
	return text;
}

/* NAME=DIR; a name has no '=', a path may have some. */
static enum cli_exit read_host(struct host_choice *choice, const char *word, const char *map)
{
	const char *sign = strchr(word, '=');
	char *path = NULL;
	if (sign == NULL || sign == word || sign[1] == '\0')
		return report_exit(CLI_USAGE, "'--host': '%s' is no NAME=DIR", word);
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
		code = read_host(choice, hosts->texts[i], map);
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
		return report_exit(CLI_USAGE, "'--%s': '%s' is not of several hosts", option, target->path);
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
