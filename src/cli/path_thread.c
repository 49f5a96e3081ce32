// SPDX-License-Identifier: MIT
#include "cli/path_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/host_part.h"
#include "histree/critical_path.h"

static enum cli_exit read_tid(const char *text, int32_t *tid)
{
	char *end;
	errno = 0;
	long number = strtol(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0' || number < HISTREE_KERNEL_TID || number > INT32_MAX)
		return report_exit(CLI_USAGE, "'%s' is no thread: give its number, such as 42, or HOST/42", text);
	*tid = (int32_t)number;
	return CLI_OK;
}

static bool has_thread(const struct histree_history_host *host, const char *tid)
{
	histree_quark threads, found;
	if (host->history == NULL)
		return false;
	const struct histree_attributes *attributes = histree_history_attributes(host->history);
	return histree_attributes_find(attributes, HISTREE_ROOT, "Threads", &threads) == HISTREE_OK &&
	       histree_attributes_child(attributes, threads, tid, strlen(tid), &found) == HISTREE_OK;
}

/* The only host that has the thread. */
static enum cli_exit find_host(const struct histree_history *history, const char *tid, size_t *out)
{
	size_t having = 0, count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	for (size_t i = count; i-- > 0;) {
		if (!has_thread(&hosts[i], tid))
			continue;
		*out = i;
		having++;
	}
	if (having > 1)
		return report_exit(CLI_USAGE, "%zu hosts have a thread %s: say which, as in %s/%s", having, tid,
				   hosts[*out].name, tid);
	if (having == 0)
		host_part_missing(history);
	return having == 1 ? CLI_OK : report_exit(CLI_NOTHING, "no host has a thread %s", tid);
}

/* HOST/TID, or the number alone where that is enough. */
enum cli_exit path_thread_read(const char *text, struct histree_history *history, size_t *host, int32_t *tid)
{
	size_t count;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	const char *slash = strrchr(text, '/');
	size_t size = slash != NULL ? (size_t)(slash - text) : 0;
	*host = 0;
	enum cli_exit code = read_tid(count > 0 && slash != NULL ? slash + 1 : text, tid);
	if (code != CLI_OK || count == 0)
		return code;
	if (slash == NULL)
		return find_host(history, text, host);
	while (*host < count && (strlen(hosts[*host].name) != size || memcmp(hosts[*host].name, text, size) != 0))
		++*host;
	if (*host == count)
		return report_exit(CLI_NOTHING, "'%s': there is no such host; 'histree info' lists them", text);
	if (hosts[*host].history == NULL && hosts[*host].why != NULL)
		return report_exit(CLI_INPUT, "'%s': the host is missing: %s", text, hosts[*host].why);
	return CLI_OK;
}
