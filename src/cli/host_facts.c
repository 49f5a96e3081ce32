// SPDX-License-Identifier: MIT
/*
 * host_facts.c - what a store of several hosts says of each: its traces, its events and its clock.
 */
#include "cli/host_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/number_text.h"
#include "base/time_text.h"

/* Above it, nothing bounds the error of a clock. */
static const double error_max = 1e18;

/* What was written to memory, whose address is known from the end on; NULL if there was not enough. */
static char *take(FILE *file, char **text)
{
	bool is_whole = ferror(file) == 0;
	if (fclose(file) == 0 && is_whole)
		return *text;
	free(*text);
	return NULL;
}

static const char *neighbour_of(const struct histree_store_info *info, size_t host)
{
	const size_t neighbour = info->hosts[host].neighbour;
	return neighbour != host ? info->hosts[neighbour].name : NULL;
}

/* ---- lines -------------------------------------------------------------------------------------------------- */

/* "accurate by 46 packets, 25 of them accurate, with 'a'; at most 168.899 us wrong; slope ..., offset ... ns" */
static void put_clock_line(FILE *file, const struct histree_clock *clock, const char *by)
{
	fputs(histree_clock_quality_name(clock->quality), file);
	if (clock->quality == HISTREE_CLOCK_ABSENT)
		fputs(": nobody knows it, and times are not corrected", file);
	if (clock->quality == HISTREE_CLOCK_ABSENT || clock->quality == HISTREE_CLOCK_REFERENCE)
		return;
	if (clock->quality != HISTREE_CLOCK_GIVEN)
		fprintf(file, " by %" PRIu64 " packets, %" PRIu64 " of them accurate", clock->matches,
			clock->accurate);
	if (by != NULL)
		fprintf(file, ", with '%.96s'", by);
	if (clock->error < error_max) {
		char bound[TIME_TEXT_SIZE];
		time_format_duration((uint64_t)ceil(clock->error), bound);
		fprintf(file, "; at most %s (%.0f ns) wrong", bound, ceil(clock->error));
	}
	fprintf(file, "; slope %.17g, offset %.17g ns", histree_clock_slope(clock), histree_clock_offset(clock));
}

char *host_facts_clock(const struct histree_clock *clock, const char *by)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	if (file == NULL)
		return NULL;
	put_clock_line(file, clock, by);
	return take(file, &text);
}

char *host_facts_lines(const struct histree_store_info *info)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	if (file == NULL)
		return NULL;
	for (size_t i = 0; i < info->host_count; i++) {
		const struct histree_store_host *host = &info->hosts[i];
		fprintf(file, "%s%s: %" PRIu64 " events; clock ", i > 0 ? "\n" : "", host->name, host->event_count);
		if (host->clock != NULL)
			put_clock_line(file, host->clock, neighbour_of(info, i));
		else
			fputs("not corrected, as was asked for", file);
		if (host->why != NULL)
			fprintf(file, "; MISSING: %s", host->why);
	}
	return take(file, &text);
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static void put_string(FILE *file, const char *text)
{
	if (text == NULL) {
		fputs("null", file);
		return;
	}
	fputc('"', file);
	for (size_t size = strlen(text); size > 0;) {
		struct json_piece piece = json_piece_next(text, size);
		fwrite(text, 1, piece.plain, file);
		fwrite(piece.escape, 1, piece.escape_size, file);
		text += piece.taken;
		size -= piece.taken;
	}
	fputc('"', file);
}

static void put_real(FILE *file, double real)
{
	char text[NUMBER_TEXT_SIZE];
	fwrite(text, 1, number_format_real(real, text), file);
}

static void put_clock_object(FILE *file, const struct histree_clock *clock, const char *by)
{
	if (clock == NULL) {
		fputs("null", file);
		return;
	}
	fputs("{\"quality\":", file);
	put_string(file, histree_clock_quality_name(clock->quality));
	fputs(",\"slope\":", file);
	put_real(file, histree_clock_slope(clock));
	fputs(",\"offset\":", file);
	put_real(file, histree_clock_offset(clock));
	fprintf(file, ",\"matches\":%" PRIu64 ",\"accurate\":%" PRIu64 ",\"error\":", clock->matches,
		clock->accurate);
	if (clock->error < error_max)
		fprintf(file, "%.0f", ceil(clock->error));
	else
		fputs("null", file);
	fputs(",\"by\":", file);
	put_string(file, by);
	fputc('}', file);
}

/* `traces` are those of the host. */
static void put_host(FILE *file, const struct histree_store_info *info, size_t index, const char *const *traces)
{
	const struct histree_store_host *host = &info->hosts[index];
	fputs("{\"name\":", file);
	put_string(file, host->name);
	fputs(",\"folder\":", file);
	put_string(file, host->folder);
	fputs(",\"traces\":[", file);
	for (size_t i = 0; i < host->trace_count; i++) {
		fputs(i > 0 ? "," : "", file);
		put_string(file, traces[i]);
	}
	fprintf(file, "],\"event_count\":%" PRIu64, host->event_count);
	if (host->start <= host->end)
		fprintf(file, ",\"start\":%" PRId64 ",\"end\":%" PRId64, host->start, host->end);
	else
		fputs(",\"start\":null,\"end\":null", file);
	fputs(",\"clock\":", file);
	put_clock_object(file, host->clock, neighbour_of(info, index));
	fputs(",\"missing\":", file);
	put_string(file, host->why);
	fputc('}', file);
}

char *host_facts_json(const struct histree_store_info *info)
{
	char *text = NULL;
	size_t size, first = 0;
	FILE *file = open_memstream(&text, &size);
	if (file == NULL)
		return NULL;
	fputc('[', file);
	for (size_t i = 0; i < info->host_count; i++) {
		size_t count = info->hosts[i].trace_count;
		fputs(i > 0 ? "," : "", file);
		put_host(file, info, i, info->traces + first);
		first += count;
	}
	fputc(']', file);
	return take(file, &text);
}
