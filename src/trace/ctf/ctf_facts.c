// SPDX-License-Identifier: MIT
/*
 * ctf_facts.c - what the metadata of a CTF trace say of the trace as a whole: its host, its tracer, its clock; and
 * texts of events that are not in UTF-8, as UTF-8.
 */
#include "trace/ctf/ctf_facts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "trace/ctf/ctf_schema.h"
#include "trace/ctf/tsdl.h"
#include "trace/trace_source.h"

/* ---- ctf texts ----------------------------------------------------------------------------------------------- */

struct ctf_text {
	struct ctf_text *next;
	const char *source; /* where it is in the packet; what is empty may be where another text is */
	size_t source_size, size;
	char bytes[];
};

enum { REPLACEMENT = 0xfffd, UTF_8_MAX = 4 };

static uint32_t unit_at(const uint8_t *at, unsigned unit, bool is_big)
{
	uint32_t number = 0;
	for (unsigned i = 0; i < unit; i++)
		number |= (uint32_t)at[i] << 8 * (is_big ? unit - 1 - i : i);
	return number;
}

static bool is_surrogate(uint32_t code)
{
	return code >= 0xd800 && code < 0xe000;
}

/* Take the character at *at, and step over it; `left` is at least a unit. */
static uint32_t text_take(const uint8_t **at, size_t left, enum ctf_encoding encoding)
{
	unsigned unit = ctf_unit_size(encoding);
	bool is_big = encoding == CTF_UTF_16_BIG || encoding == CTF_UTF_32_BIG;
	uint32_t code = unit_at(*at, unit, is_big), low = 0;
	if (unit == 2 && code >= 0xd800 && code < 0xdc00 && left >= 4)
		low = unit_at(*at + 2, unit, is_big);
	*at += unit;
	if (low >= 0xdc00 && low < 0xe000) {
		*at += unit;
		return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	return is_surrogate(code) || code > 0x10ffff ? REPLACEMENT : code;
}

static size_t text_put(char *out, uint32_t code)
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	unsigned count = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	for (unsigned i = count; i-- > 1; code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3f));
	out[0] = (char)(first[count] | code);
	return count;
}

/* Each unit becomes at most three bytes of UTF-8, a pair of units four. */
static size_t room_for(size_t size, enum ctf_encoding encoding)
{
	unsigned unit = ctf_unit_size(encoding);
	return size / unit * (unit == 2 ? 3 : UTF_8_MAX);
}

static size_t convert(const char *text, size_t size, enum ctf_encoding encoding, char *out)
{
	const uint8_t *at = (const uint8_t *)text, *end = at + size;
	size_t used = 0;
	while ((size_t)(end - at) >= ctf_unit_size(encoding))
		used += text_put(out + used, text_take(&at, (size_t)(end - at), encoding));
	return used;
}

bool ctf_texts_keep(struct ctf_texts *texts, enum ctf_encoding encoding, const char **text, size_t *size)
{
	struct ctf_text *kept = texts->kept;
	while (kept != NULL && (kept->source != *text || kept->source_size != *size))
		kept = kept->next;
	if (kept == NULL) {
		kept = malloc(sizeof(*kept) + room_for(*size, encoding));
		if (kept == NULL)
			return false;
		kept->source = *text;
		kept->source_size = *size;
		kept->size = convert(*text, *size, encoding, kept->bytes);
		kept->next = texts->kept;
		texts->kept = kept;
	}
	*text = kept->bytes;
	*size = kept->size;
	return true;
}

bool ctf_texts_make(struct ctf_texts *texts, enum ctf_encoding encoding, const char **text, size_t *size)
{
	if (!array_reserve(&texts->last, &texts->last_capacity, room_for(*size, encoding) + 1))
		return false;
	*size = convert(*text, *size, encoding, texts->last);
	*text = texts->last;
	return true;
}

void ctf_texts_clear(struct ctf_texts *texts)
{
	while (texts->kept != NULL) {
		struct ctf_text *next = texts->kept->next;
		free(texts->kept);
		texts->kept = next;
	}
}

void ctf_texts_release(struct ctf_texts *texts)
{
	ctf_texts_clear(texts);
	free(texts->last);
	free(texts->slots);
	*texts = (struct ctf_texts){ 0 };
}

/* ---- ctf facts ----------------------------------------------------------------------------------------------- */

#define NS_PER_SECOND INT64_C(1000000000)
__extension__ typedef __int128 wide;

/* A clock as it is declared (CTF 1.8, section 8). */
struct clock {
	char uuid[TRACE_FACT_SIZE], frequency[TRACE_FACT_SIZE], seconds[TRACE_FACT_SIZE], cycles[TRACE_FACT_SIZE];
};

/* Where the value of a key goes. */
struct fact {
	const char *key;
	char *value;
};

/* A word, a number with its sign, or a string without its quotes. */
static void copy_value(struct tsdl *tsdl, char *out)
{
	size_t length = 0;
	for (; tsdl->size > 0 && !tsdl_is(tsdl, ";") && !tsdl_is(tsdl, "}"); tsdl_next(tsdl)) {
		bool is_string = tsdl->text[0] == '"' && tsdl->size >= 2;
		size_t size = tsdl->size - (is_string ? 2 : 0), left = TRACE_FACT_SIZE - 1 - length;
		if (size > left)
			size = left;
		memcpy(out + length, tsdl->text + is_string, size);
		length += size;
	}
	out[length] = '\0';
}

/* Step over a block in braces; the current token is its "{". */
static void skip_block(struct tsdl *tsdl)
{
	size_t depth = 0;
	for (; tsdl->size > 0; tsdl_next(tsdl)) {
		if (tsdl_is(tsdl, "{"))
			depth++;
		else if (tsdl_is(tsdl, "}") && --depth == 0)
			return;
	}
}

/* Read the values of a block.  The current token is its "{", and in the end its "}". */
static void read_block(struct tsdl *tsdl, const struct fact *facts)
{
	tsdl_next(tsdl);
	while (tsdl->size > 0 && !tsdl_is(tsdl, "}")) {
		const struct fact *fact = facts;
		while (fact->key != NULL && !tsdl_is(tsdl, fact->key))
			fact++;
		if (tsdl_is(tsdl, "{"))
			skip_block(tsdl);
		tsdl_next(tsdl);
		if (fact->key != NULL && tsdl_accept(tsdl, "="))
			copy_value(tsdl, fact->value);
	}
}

/* Returns false if the text is no number of 64 bits. */
static bool read_number(const char *text, int64_t *out)
{
	char *end;
	*out = strtoll(text, &end, 0);
	return *end == '\0' && *out > INT64_MIN && *out < INT64_MAX;
}

static bool read_clock(const struct clock *clock, struct trace_facts *out)
{
	int64_t frequency = NS_PER_SECOND, seconds = 0, cycles = 0, zero;
	if ((clock->frequency[0] != '\0' && !read_number(clock->frequency, &frequency)) || frequency <= 0 ||
	    !read_number(clock->seconds, &seconds) || !read_number(clock->cycles, &cycles))
		return false;
	wide ns = (wide)cycles * NS_PER_SECOND / frequency + (wide)seconds * NS_PER_SECOND;
	zero = (int64_t)ns;
	out->frequency = (uint64_t)frequency;
	out->zero = zero;
	return zero == ns;
}

/* LTTng says "hostname" and "kernel_release", perf "host" and "release". */
void ctf_facts_read(const char *metadata, struct trace_facts *out)
{
	struct clock clock = { 0 };
	size_t clocks = 0;
	*out = (struct trace_facts){ 0 };
	const struct fact of_trace[] = { { "uuid", out->uuid }, { 0 } };
	const struct fact of_environment[] = {
		{ "hostname", out->hostname }, { "host", out->hostname },      { "kernel_release", out->kernel },
		{ "release", out->kernel },    { "tracer_name", out->tracer }, { 0 },
	};
	const struct fact of_clock[] = { { "uuid", clock.uuid },
					 { "freq", clock.frequency },
					 { "offset_s", clock.seconds },
					 { "offset", clock.cycles },
					 { 0 } };
	for (struct tsdl tsdl = tsdl_begin(metadata, 0); tsdl.size > 0; tsdl_next(&tsdl)) {
		const struct fact *facts = NULL;
		struct tsdl ahead = tsdl;
		tsdl_next(&ahead);
		if (tsdl_is(&ahead, "{")) {
			facts = tsdl_is(&tsdl, "trace")   ? of_trace
				: tsdl_is(&tsdl, "env")   ? of_environment
				: tsdl_is(&tsdl, "clock") ? of_clock
							  : NULL;
			clocks += facts == of_clock;
			tsdl = ahead;
		}
		if (facts != NULL)
			read_block(&tsdl, facts);
		else if (tsdl_is(&tsdl, "{"))
			skip_block(&tsdl);
	}
	out->has_clock = clocks == 1 && read_clock(&clock, out);
	if (clocks == 1 && strncmp(out->tracer, "lttng", 5) == 0)
		memcpy(out->boot, clock.uuid, sizeof(out->boot));
}

static void take_text(const struct ctf_schema *schema, const char *key, char *out)
{
	const struct ctf_environment *entry = ctf_schema_environment(schema, key);
	if (out[0] == '\0' && entry != NULL && entry->text != NULL)
		snprintf(out, TRACE_FACT_SIZE, "%s", entry->text);
}

/* The unique id of the trace, or else the UUID of its metadata. */
static void take_identity(const struct ctf_schema *schema, char *out)
{
	size_t used = 0;
	if (schema->uid != NULL)
		snprintf(out, TRACE_FACT_SIZE, "%s", schema->uid);
	for (size_t i = 0; schema->uid == NULL && schema->has_uuid && i < sizeof(schema->uuid); i++)
		used += (size_t)snprintf(out + used, TRACE_FACT_SIZE - used, "%s%02x",
					 i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", schema->uuid[i]);
}

void ctf_facts_take(const struct ctf_schema *schema, struct trace_facts *out)
{
	static const struct {
		const char *key;
		size_t place;
	} keys[] = {
		{ "hostname", offsetof(struct trace_facts, hostname) },
		{ "host", offsetof(struct trace_facts, hostname) },
		{ "kernel_release", offsetof(struct trace_facts, kernel) },
		{ "release", offsetof(struct trace_facts, kernel) },
		{ "tracer_name", offsetof(struct trace_facts, tracer) },
	};
	*out = (struct trace_facts){ 0 };
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		take_text(schema, keys[i].key, (char *)out + keys[i].place);
	take_identity(schema, out->uuid);
	if (schema->clock_count != 1)
		return;
	const struct ctf_clock *clock = &schema->clocks[0];
	wide ns = (wide)clock->offset_cycles * NS_PER_SECOND / (wide)clock->frequency +
		  (wide)clock->offset_seconds * NS_PER_SECOND;
	out->frequency = clock->frequency;
	out->zero = (int64_t)ns;
	out->has_clock = out->zero == ns;
	if (strncmp(out->tracer, "lttng", 5) == 0)
		snprintf(out->boot, sizeof(out->boot), "%s", clock->uid);
}
