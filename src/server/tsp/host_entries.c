// SPDX-License-Identifier: MIT
#include "server/tsp/host_entries.h"

#include "server/tsp/replies.h"

const struct host_view *host_entry_find(const struct host_rows *rows, int64_t id, uint32_t *own)
{
	int64_t row = id - HOST_ENTRIES_FIRST;
	*own = HISTREE_NO_INDEX;
	return row >= 0 && row < rows->count ? host_rows_find(rows, (uint32_t)row, own) : NULL;
}

int64_t host_entry_id(const struct host_rows *rows, const struct host_view *host, uint32_t own)
{
	if (own != HISTREE_NO_INDEX)
		return (int64_t)host_row(rows, host, own) + HOST_ENTRIES_FIRST;
	return rows->has_hosts ? (int64_t)host->first + HOST_ENTRIES_FIRST : HOST_ENTRIES_ROOT;
}

enum host_entry host_entry_begin(const struct host_rows *rows, size_t index, struct json_writer *json,
				 struct tree_entry *entry, const struct host_view **host, uint32_t *own)
{
	*entry = (struct tree_entry){ HOST_ENTRIES_ROOT, -1, rows->start, rows->end, false, false };
	*host = NULL;
	if (index == 0) {
		tree_entry_begin(json, entry);
		tree_entry_label(json, rows->name, strlen(rows->name));
		return HOST_ENTRY_WRITTEN;
	}
	entry->id = (int64_t)index - 1 + HOST_ENTRIES_FIRST;
	*host = host_entry_find(rows, entry->id, own);
	if (*host == NULL)
		return HOST_ENTRY_NONE;
	entry->start = (*host)->start;
	entry->end = (*host)->end;
	if (*own != HISTREE_NO_INDEX)
		return HOST_ENTRY_OWN;
	entry->parent = HOST_ENTRIES_ROOT;
	entry->has_data = (*host)->why != NULL;
	tree_entry_begin(json, entry);
	tree_entry_label(json, (*host)->name, strlen((*host)->name));
	return HOST_ENTRY_WRITTEN;
}

bool host_entry_row(const void *view, int64_t id, struct state_row *out)
{
	const struct host_rows *rows = view;
	*out = (struct state_row){ .id = id, .facts = { .label = HISTREE_ROOT } };
	int64_t row = id - HOST_ENTRIES_FIRST;
	if (row < 0 || row >= rows->count)
		return id == HOST_ENTRIES_ROOT;
	host_rows_facts(rows, (uint32_t)row, &out->facts);
	if (out->facts.quark == HISTREE_ROOT)
		out->facts.history = NULL;
	return true;
}

void host_entry_metadata(struct json_writer *json, const char *host)
{
	if (host == NULL)
		return;
	json_key(json, "host");
	json_begin_array(json);
	json_put_text(json, host);
	json_end(json);
}

/* Nothing of a host is known outside of its own times. */
static bool is_traced(const struct host_rows *rows, const struct host_view *host, uint32_t own, histree_time time)
{
	struct row_facts facts;
	rows->model->facts(host->view, own, &facts);
	const struct histree_history_info *info = histree_history_info(facts.history);
	return time >= info->start && time <= info->end;
}

const struct host_view *host_entry_tooltip(const struct output_call *output, struct tooltip_request *request,
					   uint32_t *own)
{
	const struct host_rows *rows = output->view;
	struct piece text = { 0 };
	if (!tooltip_begin(output, rows->start, rows->end, request))
		return NULL;
	const struct host_view *host = host_entry_find(rows, request->item, own);
	if (host == NULL || host->name == NULL)
		return host;
	piece_put_text(&text, host->name);
	tooltip_pair(output, "Host", &text);
	text.size = 0;
	if (host->why != NULL)
		piece_put_text(&text, host->why);
	tooltip_pair(output, "Unknown", &text);
	piece_release(&text);
	return *own != HISTREE_NO_INDEX && is_traced(rows, host, *own, request->time) ? host : NULL;
}
