// SPDX-License-Identifier: MIT
/*
 * history_charts.c - the charts of a history, or those that are known of the analysis that made it.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/registry.h"
#include "histree/charts.h"
#include "state/charts.h"
#include "state/history.h"

static const struct histree_chart *known_of(const char *provider, size_t *count)
{
	const struct registry_entry *entry = registry_find(provider);
	bool is_known = entry != NULL && entry->analysis != NULL;
	*count = is_known ? entry->analysis->chart_count : 0;
	return is_known ? entry->analysis->charts : NULL;
}

static const struct history_charts *charts_of_one(const struct histree_history *history)
{
	return charts_slot_get(history_charts_slot(history), history_file(history),
			       histree_history_info(history)->provider, known_of);
}

static const struct history_charts *charts_in(const struct histree_history *history)
{
	size_t count, found = 0;
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	if (hosts == NULL)
		return charts_of_one(history);
	const struct history_charts **of_hosts = calloc(count, sizeof(*of_hosts));
	for (size_t i = 0; of_hosts != NULL && i < count; i++) {
		if (hosts[i].history != NULL)
			of_hosts[found] = charts_of_one(hosts[i].history);
		found += of_hosts[found] != NULL;
	}
	const struct history_charts *charts =
		of_hosts != NULL ? charts_slot_unite(history_charts_slot(history), of_hosts, found) : NULL;
	free(of_hosts);
	return charts;
}

const struct histree_chart *histree_charts(const struct histree_history *history, size_t *count)
{
	const struct history_charts *charts = charts_in(history);
	*count = charts != NULL ? charts->count : 0;
	return charts != NULL ? charts->charts : NULL;
}

const struct histree_chart *histree_chart_find(const struct histree_history *history, const char *name)
{
	size_t count;
	const struct histree_chart *charts = histree_charts(history, &count);
	for (size_t i = 0; i < count; i++)
		if (strcmp(charts[i].name, name) == 0)
			return &charts[i];
	return NULL;
}
