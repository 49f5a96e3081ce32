// SPDX-License-Identifier: MIT
#include "server/catalogue/bookmark_json.h"

void bookmark_write_json(void *context, const struct bookmark *bookmark)
{
	struct json_writer *json = context;
	json_begin_object(json);
	json_text_member(json, "uuid", bookmark->uuid);
	json_text_member(json, "name", bookmark->name);
	json_int_member(json, "start", bookmark->start);
	json_int_member(json, "end", bookmark->end);
	json_end(json);
}
