// SPDX-License-Identifier: MIT
/*
 * api_time.c - relations between the events of a range, for the page: the arrows between the rows of a view; the
 * critical path of a thread, in a separate panel and over the rows of a view; call stacks, added up; and where the
 * time went, as the rows of `histree top`, by any of its keys.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "histree/attributes.h"
#include "histree/time_use.h"
#include "server/api/api.h"
#include "server/api/page_request.h"
#include "server/model/flame_view.h"
#include "server/model/path_list.h"
#include "server/model/row_model.h"
#include "view/view.h"

/* ---- api arrows ---------------------------------------------------------------------------------------------- */

struct arrow_writer {
	struct json_writer *json;
	histree_time start;  /* of the store */
	uint32_t *positions; /* by row; HISTREE_NO_INDEX: it is not shown */
};

/* Where each row is shown, HISTREE_NO_INDEX: nowhere.  NULL: it has answered that memory runs out. */
static uint32_t *row_positions(struct call *call, const struct page_rows *rows)
{
	const uint32_t count = rows->rows->count;
	uint32_t *positions = reply_memory(call->reply, (size_t)count + 1, sizeof(*positions));
	if (positions != NULL)
		row_order_positions(rows->order, count, positions);
	return positions;
}

/* Where a row of a source is shown. */
static uint32_t api_arrows_position_of(const struct arrow_writer *writer, const struct arrow_source *source,
				       uint32_t row)
{
	uint32_t position = writer->positions[arrow_source_row(source, row)];
	if (position != HISTREE_NO_INDEX || source->model->instead == NULL)
		return position;
	return writer->positions[arrow_source_row(source, source->model->instead(source->view, row))];
}

/* Returns whether the chart shows any row of a source: of hosts that are folded no arrow is read. */
static bool is_shown(const void *context, const struct arrow_source *source)
{
	const struct arrow_writer *writer = context;
	bool is_shown = source->row_count == 0;
	for (uint32_t i = 0; i < source->row_count && !is_shown; i++)
		is_shown = writer->positions[source->first_row + i] != HISTREE_NO_INDEX;
	return is_shown;
}

static void write_end(const struct arrow_writer *writer, const struct arrow_source *source, const char *key,
		      const char *row_key, const char *name_key, uint32_t row)
{
	struct byte_buffer name = { 0 };
	source->model->name(source->view, row, &name);
	json_int_member(writer->json, key, api_arrows_position_of(writer, source, row));
	json_int_member(writer->json, row_key, arrow_source_row(source, row));
	json_string_member(writer->json, name_key, byte_buffer_chars(&name), name.size);
	byte_buffer_release(&name);
}

static void write_arrow(const struct arrow_writer *writer, const struct arrow_source *source,
			const struct histree_arrow *arrow)
{
	uint32_t from, to;
	if (!source->model->rows(source->view, arrow, &from, &to) ||
	    api_arrows_position_of(writer, source, from) == HISTREE_NO_INDEX ||
	    api_arrows_position_of(writer, source, to) == HISTREE_NO_INDEX ||
	    (api_arrows_position_of(writer, source, from) == api_arrows_position_of(writer, source, to) &&
	     arrow->kind != HISTREE_ARROW_INSTANT))
		return; /* also of threads that a row stands for together */
	json_begin_object(writer->json);
	json_int_member(writer->json, "kind", arrow->kind);
	if (arrow->name != NULL)
		json_text_member(writer->json, "name", arrow->name);
	write_end(writer, source, "from", "fromRow", "fromName", from);
	write_end(writer, source, "to", "toRow", "toName", to);
	json_int_member(writer->json, "tid", arrow->tid);
	json_int_member(writer->json, "cpu", arrow->cpu);
	json_int_member(writer->json, "start", arrow->start - writer->start);
	json_int_member(writer->json, "end", arrow->end - writer->start);
	json_end(writer->json);
}

static void answer_arrows(struct call *call, const struct page_rows *rows, const struct page_range *range)
{
	struct arrow_set set = { 0 };
	struct arrow_writer writer = { call->json, rows->info->start, row_positions(call, rows) };
	const struct arrow_asked asked = { host_rows_arrows, rows->rows, is_shown, &writer };
	const struct arrow_range own = { range->from, range->to, range->pixels, reply_cancel(call->reply) };
	if (writer.positions != NULL &&
	    reply_ok(call->reply, arrow_set_make(&set, &asked, &own, &call->reply->error))) {
		struct json_writer *json = writer.json;
		json_begin_object(json);
		json_bool_member(json, "all", set.are_all);
		json_begin_array_member(json, "kinds");
		for (unsigned kind = 0; kind < HISTREE_ARROW_KIND_COUNT; kind++)
			api_write_style(json, histree_arrow_style((enum histree_arrow_kind)kind));
		json_end(json);
		json_begin_array_member(json, "arrows");
		for (size_t i = 0; i < set.count; i++)
			for (size_t k = 0; k < set.parts[i].count; k++)
				write_arrow(&writer, &set.parts[i].source, &set.parts[i].list[k]);
		json_end(json);
		json_end(json);
	}
	arrow_set_release(&set);
}

void api_arrows(struct call *call)
{
	struct page_rows rows;
	struct page_range range;
	if (page_rows_open(call, &rows) && page_range(call, rows.info->start, rows.info->end, &range))
		answer_arrows(call, &rows, &range);
	page_rows_close(&rows);
}

/* ---- api path ------------------------------------------------------------------------------------------------ */

/* Where the rows of a view are shown. */
struct shown_rows {
	struct page_rows rows;
	uint32_t *positions; /* by row; HISTREE_NO_INDEX: not shown; NULL: no view was asked for */
};

static int64_t api_path_position_of(const struct shown_rows *shown, const struct path_list *list,
				    const struct path_place *place)
{
	if (shown->positions == NULL || place->tid <= 0)
		return -1;
	const char *host = path_list_host(list, place);
	const struct row_wanted wanted = { .tid = place->tid, .cpu = -1, .host = host != NULL ? host : "" };
	uint32_t row = host_rows_seek(shown->rows.rows, &wanted);
	bool is_shown = row != HISTREE_NO_INDEX && shown->positions[row] != HISTREE_NO_INDEX;
	return is_shown ? (int64_t)shown->positions[row] : -1;
}

static void write_threads(const struct path_list *list, const struct shown_rows *shown, struct json_writer *json)
{
	json_begin_array_member(json, "threads");
	for (size_t i = 0; i < list->place_count; i++) {
		struct byte_buffer name = { 0 };
		const struct path_place *place = &list->places[i];
		const char *host = path_list_host(list, place);
		path_list_name(list, place, &name);
		json_begin_object(json);
		json_int_member(json, "tid", place->tid);
		json_string_member(json, "name", byte_buffer_chars(&name), name.size);
		if (host != NULL)
			json_text_member(json, "host", host);
		json_int_member(json, "position", api_path_position_of(shown, list, place));
		json_end(json);
		byte_buffer_release(&name);
	}
	json_end(json);
}

static void write_steps(const struct path_list *list, histree_time start, struct json_writer *json)
{
	json_begin_array_member(json, "steps");
	for (size_t i = 0; i < list->step_count; i++) {
		const struct histree_path_step *step = &list->steps[i];
		json_begin_array(json);
		json_put_int(json, (int64_t)path_list_place(list, step->host, step->tid, step->start));
		json_put_int(json, step->is_arrow
					   ? (int64_t)path_list_place(list, step->to_host, step->to_tid, step->end)
					   : -1);
		json_put_int(json, step->state);
		json_put_int(json, step->start - start);
		json_put_int(json, step->end - start);
		json_end(json);
	}
	json_end(json);
}

static void answer_path(struct call *call, const struct shown_rows *shown)
{
	struct path_request request = { .work = reply_cancel(call->reply) };
	struct path_list list = { 0 };
	struct page_range range;
	const struct dataset *dataset = call->dataset;
	const struct histree_store_info *info = histree_store_info(dataset->store);
	struct json_writer *json = call->json;
	if (!path_list_applies(dataset) || !path_list_thread(dataset, page_text(call, "thread"), &request.thread)) {
		reply_error(call->reply, HTTP_NOT_FOUND, "The graph has no thread '%s'", page_text(call, "thread"));
		return;
	}
	if (!page_range_of_trace(call, &range))
		return;
	request.from = range.from;
	request.to = range.to;
	request.pixels = range.pixels;
	if (reply_ok(call->reply, path_list_make(&list, dataset, &request, &call->reply->error))) {
		json_begin_object(json);
		json_bool_member(json, "all", list.is_all);
		const struct histree_label_table *table = path_list_table(list.history);
		json_begin_array_member(json, "states");
		for (unsigned state = 0; state < HISTREE_GRAPH_STATE_COUNT; state++) {
			const struct histree_style *style = path_list_style(table, (enum histree_graph_state)state);
			json_begin_object(json);
			json_int_member(json, "own", (int64_t)list.own_ns[state]);
			json_int_member(json, "others", (int64_t)list.others_ns[state]);
			if (style != NULL) {
				json_key(json, "style");
				api_write_style(json, style);
			}
			json_end(json);
		}
		json_end(json);
		write_threads(&list, shown, json);
		write_steps(&list, info->start, json);
		json_end(json);
	}
	path_list_release(&list);
}

void api_path(struct call *call)
{
	struct shown_rows shown = { .positions = NULL };
	if (*page_text(call, "view") == '\0') {
		if (page_dataset(call))
			answer_path(call, &shown);
		return;
	}
	if (page_rows_open(call, &shown.rows) && (shown.positions = row_positions(call, &shown.rows)) != NULL)
		answer_path(call, &shown);
	page_rows_close(&shown.rows);
}

/* ---- api flame ----------------------------------------------------------------------------------------------- */

enum { STYLES_MAX = 64 };

/* Which colours were used; those of the palette are few. */
struct styles_used {
	const struct histree_style *all[STYLES_MAX];
	size_t count;
};

static int64_t number_of(struct styles_used *styles, const struct histree_flame_node *node)
{
	const struct histree_value name =
		node->kind == HISTREE_FLAME_UNKNOWN ? histree_unknown() : histree_string(node->name);
	const struct histree_style *style = histree_style_of(NULL, &name);
	for (size_t i = 0; i < styles->count; i++)
		if (styles->all[i] == style)
			return (int64_t)i;
	if (style == NULL || node->kind == HISTREE_FLAME_REST || styles->count == STYLES_MAX)
		return -1;
	styles->all[styles->count++] = style;
	return (int64_t)styles->count - 1;
}

void api_flame(struct call *call)
{
	struct page_range range;
	struct flame_list list = { .flame = NULL };
	struct styles_used styles = { .count = 0 };
	struct json_writer *json = call->json;
	if (!page_dataset(call))
		return;
	if (!flame_list_applies(call->dataset)) {
		reply_error(call->reply, HTTP_NOT_FOUND, "The trace has no call stacks");
		return;
	}
	if (!page_range_of_trace(call, &range))
		return;
	const struct flame_request request = { .from = range.from,
					       .to = range.to,
					       .pixels = range.pixels,
					       .by_thread = strcmp(page_text(call, "by"), "thread") == 0,
					       .work = reply_cancel(call->reply) };
	if (reply_ok(call->reply, flame_list_make(&list, call->dataset, &request, &call->reply->error))) {
		json_begin_object(json);
		json_unsigned_member(json, "total", list.nodes[0].total[0]);
		if (histree_flame_unit(list.flame) != NULL)
			json_text_member(json, "unit", histree_flame_unit(list.flame));
		json_bool_member(json, "isDamaged", histree_flame_loss(list.flame, 0).nodes > 0);
		json_begin_array_member(json, "nodes");
		for (uint32_t i = 1; i < list.count; i++) {
			const struct histree_flame_node *node = &list.nodes[i];
			if (node->total[0] < list.least || node->total[0] == 0) {
				i += node->descendants;
				continue;
			}
			json_begin_array(json);
			json_put_text(json, node->name);
			json_put_int(json, node->depth);
			json_put_unsigned(json, node->total[0]);
			json_put_unsigned(json, node->self[0]);
			json_put_int(json, number_of(&styles, node));
			json_end(json);
		}
		json_end(json);
		json_begin_array_member(json, "styles");
		for (size_t i = 0; i < styles.count; i++)
			api_write_style(json, styles.all[i]);
		json_end(json);
		json_end(json);
	}
	flame_list_release(&list);
}

/* ---- api time use -------------------------------------------------------------------------------------------- */

enum { TIME_USE_ROWS_MAX = 10000 };

struct time_use_call {
	struct histree_time_use_request request;
	const struct histree_history_host *hosts; /* NULL: there is one */
	histree_time start;
	int64_t limit;
	int sort; /* an amount of a row (view.h); -1: as the rows come */
	bool descending;
};

static uint64_t amount_of(void *asked, const struct histree_use_row *row)
{
	return histree_use_row_amount(row, ((const struct time_use_call *)asked)->sort);
}

/* ---- answer -------------------------------------------------------------------------------------------------- */

static void write_key(struct json_writer *json, enum histree_use_key key, const struct histree_value *value)
{
	if (value->type == HISTREE_NULL)
		return;
	json_key(json, histree_use_key_name(key));
	if (key == HISTREE_USE_BY_STATE && value->type == HISTREE_INT)
		json_put_text(json, histree_use_name((enum histree_use)value->int32));
	else if (value->type == HISTREE_INT)
		json_put_int(json, value->int32);
	else if (value->type == HISTREE_STRING)
		json_put_string(json, value->bytes, value->size);
	else
		json_put_text(json, "?");
}

static void write_row(struct json_writer *json, const struct time_use_call *asked,
		      const struct histree_use_row *row)
{
	json_begin_object(json);
	if (asked->hosts != NULL)
		json_text_member(json, "host", asked->hosts[row->host].name);
	for (unsigned key = 0; key < HISTREE_USE_KEY_COUNT; key++)
		if ((asked->request.by & 1U << key) != 0)
			write_key(json, (enum histree_use_key)key, &row->keys[key]);
	if ((asked->request.by & HISTREE_BY(THREAD)) != 0) {
		json_text_member(json, "threadName", row->name);
		json_int_member(json, "from", row->from - asked->start);
	} else if ((asked->request.by & HISTREE_BY(PROCESS)) != 0) {
		json_text_member(json, "processName", row->name);
	}
	if ((asked->request.by & HISTREE_BY(HAD_BY)) != 0)
		json_text_member(json, "hadByName", row->had_by_name);
	json_int_member(json, "count", (int64_t)row->count);
	json_begin_array_member(json, "ns");
	for (unsigned use = 0; use < HISTREE_USE_COUNT; use++)
		json_put_unsigned(json, row->ns[use]);
	json_end(json);
	json_end(json);
}

/* A state as rows of threads and of CPUs show it. */
static const struct histree_style *style_of_use(enum histree_use use)
{
	static const char *const keys[HISTREE_USE_COUNT] = {
		[HISTREE_USE_USER] = "Usermode",
		[HISTREE_USE_SYSTEM] = "System call",
		[HISTREE_USE_INTERRUPTED] = "Interrupt",
		[HISTREE_USE_IDLE] = "Idle",
		[HISTREE_USE_WAITING] = "Wait for CPU",
		[HISTREE_USE_BLOCKED] = "Wait blocked",
		[HISTREE_USE_OTHER] = "Wait",
		[HISTREE_USE_UNKNOWN] = "Unknown",
	};
	const enum histree_meaning meaning =
		use == HISTREE_USE_IDLE ? HISTREE_MEANS_CPU_STATUS : HISTREE_MEANS_THREAD_STATUS;
	const struct histree_label_table *table = histree_labels_for(NULL, meaning);
	const struct histree_style *style;
	for (size_t i = 0; (style = histree_styles(table, i)) != NULL; i++)
		if (strcmp(style->key, keys[use]) == 0)
			break;
	assert(style != NULL);
	return style;
}

static void write_time_use(const struct call *call, struct time_use_call *asked, const struct histree_time_use *use)
{
	size_t count;
	struct json_writer *json = call->json;
	const struct histree_use_row *rows = histree_time_use_rows(use, &count);
	struct histree_use_ordered *ordered =
		histree_time_use_order(use, asked->sort >= 0 ? amount_of : NULL, asked, asked->descending);
	uint64_t ns[HISTREE_USE_COUNT] = { 0 };
	if (ordered == NULL) {
		reply_error(call->reply, HTTP_SERVER_ERROR, "out of memory");
		return;
	}
	for (size_t i = 0; i < count; i++)
		for (unsigned state = 0; state < HISTREE_USE_COUNT; state++)
			ns[state] += rows[i].ns[state];
	json_begin_object(json);
	json_unsigned_member(json, "total", count);
	json_bool_member(json, "isDamaged", histree_time_use_loss(use).nodes > 0);
	json_begin_array_member(json, "states");
	for (unsigned state = 0; state < HISTREE_USE_COUNT; state++)
		json_put_text(json, histree_use_name((enum histree_use)state));
	json_end(json);
	json_begin_array_member(json, "styles");
	for (unsigned state = 0; state < HISTREE_USE_COUNT; state++)
		api_write_style(json, style_of_use((enum histree_use)state));
	json_end(json);
	json_begin_array_member(json, "ns");
	for (unsigned state = 0; state < HISTREE_USE_COUNT; state++)
		json_put_unsigned(json, ns[state]);
	json_end(json);
	json_begin_array_member(json, "rows");
	for (size_t i = 0; i < count && i < (size_t)asked->limit; i++)
		write_row(json, asked, ordered[i].row);
	json_end(json);
	json_end(json);
	free(ordered);
}

/* ---- request ------------------------------------------------------------------------------------------------- */

static bool read_sort(const struct call *call, struct time_use_call *out)
{
	const char *name = page_text(call, "sort");
	int64_t descending;
	out->sort = -1;
	if (!page_number(call, "descending", 0, 1, 1, &descending))
		return false;
	out->descending = descending != 0;
	for (int use = 0; use < HISTREE_USE_COUNT; use++)
		if (strcmp(name, histree_use_name((enum histree_use)use)) == 0)
			out->sort = use;
	if (strcmp(name, "time") == 0 || strcmp(name, "count") == 0)
		out->sort = *name == 't' ? HISTREE_USE_AMOUNT_TIME : HISTREE_USE_AMOUNT_COUNT;
	if (out->sort >= 0 || *name == '\0')
		return true;
	return reply_error(call->reply, HTTP_BAD_REQUEST, "'sort' is no state, and neither time nor count");
}

void api_time_use(struct call *call)
{
	struct histree_time_use *use;
	size_t host_count;
	if (!page_dataset(call))
		return;
	struct histree_history *history = dataset_history(call->dataset, "kernel");
	if (history == NULL) {
		reply_error(call->reply, HTTP_NOT_FOUND, "The trace has no threads of a kernel");
		return;
	}
	struct time_use_call asked = { .hosts = histree_history_hosts(history, &host_count),
				       .start = histree_store_info(call->dataset->store)->start };
	const struct histree_history_info *info = histree_history_info(history);
	const char *by = page_text(call, "by"), *where = page_text(call, "where");
	int64_t from, to;
	if (!page_number(call, "from", 0, INT64_MAX - 1, 0, &from) ||
	    !page_number(call, "to", 0, INT64_MAX - 1, info->end - asked.start, &to) ||
	    !page_number(call, "limit", 1, TIME_USE_ROWS_MAX, TIME_USE_ROWS_MAX, &asked.limit) ||
	    !reply_ok(call->reply, histree_use_keys_read(by, &asked.request.by, &call->reply->error)) ||
	    !read_sort(call, &asked))
		return;
	asked.request.from = asked.start + from;
	asked.request.to = asked.start + to;
	asked.request.where = *where != '\0' ? where : NULL;
	asked.request.work = reply_cancel(call->reply);
	if (!reply_ok(call->reply, histree_time_use_create(history, &asked.request, &use, &call->reply->error)))
		return;
	write_time_use(call, &asked, use);
	histree_time_use_free(use);
}
