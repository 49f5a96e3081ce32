// SPDX-License-Identifier: MIT
/*
 * line_pairs.c - fields of an event without a known shape, from the name=value pairs of its text.
 */
#include "trace/lines/line_pairs.h"

#include <string.h>

#include "trace/lines/line_scan.h"

static bool is_letter(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

/* A name such as C has them, and what stands behind it: '=' or ':'. */
static bool read_name(struct line_scan *scan, char behind, struct line_pair *pair)
{
	struct line_scan at = *scan;
	if (at.at == at.end || !is_letter(*at.at))
		return false;
	while (at.at < at.end && (is_letter(*at.at) || (*at.at >= '0' && *at.at <= '9')))
		at.at++;
	pair->name = scan->at;
	pair->name_size = (size_t)(at.at - scan->at);
	if (!line_scan_byte(&at, behind))
		return false;
	*scan = at;
	return true;
}

/* Go to the next word.  Returns false at the end. */
static bool next_word(struct line_scan *scan)
{
	while (scan->at < scan->end && *scan->at != ' ')
		scan->at++;
	line_scan_spaces(scan);
	return scan->at < scan->end;
}

/* A value ends where the next name begins; of a number only itself is the value. */
static struct text_cell read_value(struct line_scan *scan)
{
	struct line_scan at = *scan;
	struct line_pair next;
	struct text_cell cell = { .kind = TEXT_INTEGER };
	char *begin = scan->at, *end = scan->end;
	bool is_number = line_scan_integer(&at, &cell.integer) &&
			 (at.at == at.end || *at.at == ' ' || *at.at == ',' || *at.at == ')' || *at.at == ']');
	while (next_word(scan)) {
		struct line_scan name = *scan;
		if (read_name(&name, '=', &next)) {
			end = scan->at;
			break;
		}
	}
	if (is_number)
		return cell;
	while (end > begin && (end[-1] == ' ' || end[-1] == ','))
		end--;
	if (end - begin >= 2 && *begin == '"' && end[-1] == '"')
		begin++, end--;
	return (struct text_cell){ .kind = TEXT_STRING, .bytes = begin, .size = (size_t)(end - begin) };
}

static struct line_scan trim(char *text, size_t size)
{
	struct line_scan scan = { text, text + size };
	line_scan_spaces(&scan);
	while (scan.end > scan.at && scan.end[-1] == ' ')
		scan.end--;
	return scan;
}

size_t line_pairs_whole(char *text, size_t size, struct line_pair *out)
{
	struct line_scan scan = trim(text, size);
	out[0] = (struct line_pair){
		"text", 4, { .kind = TEXT_STRING, .bytes = scan.at, .size = (size_t)(scan.end - scan.at) }
	};
	return scan.at < scan.end;
}

size_t line_pairs_read(char *text, size_t size, struct line_pair *out)
{
	struct line_scan scan = trim(text, size);
	size_t count = 0;
	while (scan.at < scan.end && count < LINE_PAIRS_MAX) {
		if (read_name(&scan, '=', &out[count]))
			out[count].value = read_value(&scan), count++;
		else
			next_word(&scan);
	}
	return count > 0 ? count : line_pairs_whole(text, size, out);
}

/* The text that an address is of, which newer kernels write behind it. */
static void pass_quoted(struct line_scan *scan)
{
	line_scan_spaces(scan);
	if (!line_scan_byte(scan, '"'))
		return;
	char *end = memchr(scan->at, '"', (size_t)(scan->end - scan->at));
	scan->at = end == NULL ? scan->end : end + 1;
}

size_t line_pairs_of_call(char *text, size_t size, struct line_pair *out)
{
	struct line_scan scan = { text, text + size };
	size_t count = 0;
	while (count < LINE_PAIRS_MAX && read_name(&scan, ':', &out[count])) {
		uint64_t number;
		line_scan_spaces(&scan);
		line_scan_word(&scan, "0x");
		out[count].value = (struct text_cell){ .kind = TEXT_ABSENT };
		if (line_scan_hexadecimal(&scan, &number))
			out[count].value = (struct text_cell){ .kind = TEXT_INTEGER, .integer = (int64_t)number };
		count++;
		pass_quoted(&scan);
		struct line_pair next;
		struct line_scan name;
		do {
			scan.at = scan.at < scan.end ? memchr(scan.at, ',', (size_t)(scan.end - scan.at)) : NULL;
			if (scan.at == NULL)
				return count;
			scan.at++;
			line_scan_spaces(&scan);
			name = scan;
		} while (!read_name(&name, ':', &next));
	}
	return count;
}
