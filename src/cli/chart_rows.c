// SPDX-License-Identifier: MIT
#include "cli/chart_rows.h"

#include "cli/report.h"
#include "cli/verb.h"
#include "histree/attributes.h"

static const struct row_column columns[] = {
	{ .name = "analysis", .width = 12 },
	{ .name = "chart", .width = 20 },
	{ .name = "kind", .width = 6 },
	{ .name = "unit", .width = 8 },
	{ .name = "title" },
};

static void put_charts(struct row_writer *rows, const struct histree_history *history)
{
	size_t count;
	const struct histree_chart *charts = histree_charts(history, &count);
	for (size_t i = 0; i < count; i++) {
		if (!histree_chart_has_rows(history, &charts[i]))
			continue;
		row_text(rows, histree_history_info(history)->provider);
		row_text(rows, charts[i].name);
		row_text(rows, charts[i].kind == HISTREE_CHART_LINES ? "lines" : "states");
		row_text(rows, charts[i].unit);
		row_text(rows, charts[i].title);
		row_end(rows);
	}
}

int chart_rows_print(const struct target *target, const struct cli_question *question)
{
	struct histree_error error = { 0 };
	enum histree_status status = HISTREE_OK;
	const char *analysis = question->analysis;
	size_t histories = 1;
	if (analysis == NULL && target->store != NULL)
		histories = histree_store_info(target->store)->history_count;
	struct row_writer rows;
	enum cli_exit code = rows_open(&rows, question, ROW_COLUMNS(columns), ROWS_PLAIN);
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
		put_charts(&rows, history);
		histree_history_close(history);
	}
	if (status != HISTREE_OK)
		return rows_close(&rows, report_error(&error));
	const bool found = rows.row_count > 0;
	if (!found)
		report("no analysis of it has charts of what is in the trace; 'io' and 'cpu-usage' may have some, "
		       "and files of 'build -x'");
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
