// SPDX-License-Identifier: MIT
#include "cli/host_option.h"

#include <stdlib.h>
#include <string.h>

#include "base/trace_word.h"

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
