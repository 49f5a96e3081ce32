// SPDX-License-Identifier: MIT
#include "server/tsp/style_reply.h"

#include <stdio.h>

/* Areas have the colour of their ground, lines that of ink. */
static void write_style(struct json_writer *json, const struct histree_style *style, bool is_line)
{
	char colour[8];
	snprintf(colour, sizeof(colour), "#%06X", style->light & 0xffffff);
	json_key_string(json, style->key, strlen(style->key));
	json_begin_object(json);
	json_key(json, "values");
	json_begin_object(json);
	json_text_member(json, "style-name", style->name);
	json_text_member(json, "background-color", colour);
	if (is_line)
		json_text_member(json, "color", colour);
	json_key(json, "height");
	json_put_real(json, style->height);
	json_end(json);
	json_end(json);
}

/* Keys are unique within a table only; tables that share one show it alike. */
static bool is_known_before(const struct histree_label_table *const *tables, size_t table_count, size_t style_count,
			    const char *key)
{
	for (size_t i = 0; i <= table_count; i++) {
		const struct histree_style *style;
		for (size_t k = 0;
		     (i < table_count || k < style_count) && (style = histree_styles(tables[i], k)) != NULL; k++)
			if (strcmp(style->key, key) == 0)
				return true;
	}
	return false;
}

void style_reply(const struct output_call *output, const struct histree_label_table *const *tables, size_t count)
{
	style_reply_with_arrows(output, tables, count, NULL, 0);
}

void style_reply_with_arrows(const struct output_call *output, const struct histree_label_table *const *tables,
			     size_t table_count, const enum histree_arrow_kind *arrows, size_t arrow_count)
{
	struct reply *reply = output->call->reply;
	struct json_writer *json = &reply->json;
	reply_envelope(reply);
	json_begin_object(json);
	json_key(json, "styles");
	json_begin_object(json);
	for (size_t i = 0; i < table_count; i++) {
		const struct histree_style *style;
		for (size_t k = 0; (style = histree_styles(tables[i], k)) != NULL; k++)
			if (!is_known_before(tables, i, k, style->key))
				write_style(json, style, false);
	}
	for (size_t i = 0; i < arrow_count; i++)
		write_style(json, histree_arrow_style(arrows[i]), true);
	json_end(json);
	json_end(json);
}
