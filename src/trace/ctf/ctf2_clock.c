// SPDX-License-Identifier: MIT
/*
 * Clock classes of CTF 2, CTF2-SPEC-2.0, section 5.7.
 */
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "trace/ctf/ctf2_reader.h"

/* What says who made something and is not needed to read it. */
bool ctf2_check_identity(const struct ctf2_value *fragment)
{
	static const char *const keys[] = { "namespace", "name", "uid" };
	struct ctf2_value ignored;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!ctf2_get(fragment, keys[i], JSON_STRING, false, &ignored))
			return false;
	return true;
}

/* The Unix epoch, or something else that has a name; both are where the times of events begin to count. */
static bool read_origin(const struct ctf2_value *fragment, struct ctf_clock *clock)
{
	struct ctf2_value origin = ctf2_member(fragment, "origin");
	const char *name, *uid;
	clock->origin = "";
	if (origin.json == NULL)
		return true;
	if (json_is_string(origin.json)) {
		clock->origin = "unix-epoch";
		return strcmp(json_string_value(origin.json), clock->origin) == 0 ||
		       ctf2_fail(&origin, "\"%.60s\" is not known here", json_string_value(origin.json));
	}
	if (!json_is_object(origin.json))
		return ctf2_fail(&origin, "\"unix-epoch\" or an object is expected");
	if (!ctf2_check_identity(&origin) || !ctf2_get_text(&origin, "name", true, &name) ||
	    !ctf2_get_text(&origin, "uid", true, &uid))
		return false;
	clock->origin = name;
	return true;
}

static bool read_offset(const struct ctf2_value *fragment, struct ctf_clock *clock)
{
	struct ctf2_value offset;
	ctf_wide seconds = 0, cycles = 0;
	ctf_wide cycles_max = clock->frequency - 1 > INT64_MAX ? INT64_MAX : (ctf_wide)clock->frequency - 1;
	if (!ctf2_get(fragment, "offset-from-origin", JSON_OBJECT, false, &offset))
		return false;
	if (offset.json == NULL)
		return true;
	if (!ctf2_get_number(&offset, "seconds", false, INT64_MIN, INT64_MAX, &seconds) ||
	    !ctf2_get_number(&offset, "cycles", false, 0, cycles_max, &cycles))
		return false;
	clock->offset_seconds = (int64_t)seconds;
	clock->offset_cycles = (int64_t)cycles;
	return true;
}

struct ctf_clock *ctf2_clock_find(const struct ctf_schema *schema, const char *id)
{
	for (size_t i = 0; i < schema->clock_count; i++)
		if (strcmp(schema->clocks[i].id, id) == 0)
			return &schema->clocks[i];
	return NULL;
}

bool ctf2_clock(const struct ctf2_value *fragment)
{
	struct ctf_schema *schema = fragment->reader->schema;
	struct ctf2_value description;
	struct ctf_clock clock = { 0 };
	ctf_wide frequency = 0, precision = CTF_NOT_SAID, accuracy = CTF_NOT_SAID;
	if (schema->clock_count == CTF_CLOCKS_MAX)
		return ctf2_fail(fragment, "there are more than %d clocks", CTF_CLOCKS_MAX);
	if (!array_reserve(&schema->clocks, &schema->clock_capacity, CTF_CLOCKS_MAX)) {
		error_memory(fragment->reader->error, "the metadata");
		return false;
	}
	if (!ctf2_check_identity(fragment) || !ctf2_get_text(fragment, "id", true, &clock.id) ||
	    !ctf2_get_text(fragment, "name", false, &clock.name) ||
	    !ctf2_get_text(fragment, "uid", false, &clock.uid) ||
	    !ctf2_get(fragment, "description", JSON_STRING, false, &description) ||
	    !ctf2_get_number(fragment, "frequency", true, 1, UINT64_MAX, &frequency) ||
	    !ctf2_get_number(fragment, "precision", false, 0, UINT64_MAX, &precision) ||
	    !ctf2_get_number(fragment, "accuracy", false, 0, UINT64_MAX, &accuracy))
		return false;
	if (ctf2_clock_find(schema, clock.id) != NULL)
		return ctf2_fail(fragment, "there is a clock class \"%.80s\" already", clock.id);
	clock.name = clock.name == NULL ? clock.id : clock.name;
	clock.uid = clock.uid == NULL ? "" : clock.uid;
	clock.frequency = (uint64_t)frequency;
	clock.precision = (uint64_t)precision;
	clock.accuracy = (uint64_t)accuracy;
	if (!read_origin(fragment, &clock) || !read_offset(fragment, &clock))
		return false;
	schema->clocks[schema->clock_count++] = clock;
	return true;
}
