// SPDX-License-Identifier: MIT
/*
 * tsp_diagnostic.c - GET /health and /identifier.
 */
#include <sys/utsname.h>
#include <unistd.h>

#include "server/tsp/tsp.h"

void tsp_health(struct call *call)
{
	struct json_writer *json = &call->reply->json;
	json_begin_object(json);
	json_text_member(json, "status", "UP");
	json_end(json);
}

void tsp_identifier(struct call *call)
{
	struct json_writer *json = &call->reply->json;
	struct utsname machine = { .sysname = "unknown", .machine = "unknown", .release = "unknown" };
	uname(&machine);
	json_begin_object(json);
	json_text_member(json, "version", histree_version());
	json_text_member(json, "os", machine.sysname);
	json_text_member(json, "osArch", machine.machine);
	json_text_member(json, "osVersion", machine.release);
	json_int_member(json, "cpuCount", sysconf(_SC_NPROCESSORS_ONLN));
	json_int_member(json, "maxMemory", (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
	json_text_member(json, "productId", "histree");
	json_text_member(json, "tspVersion", "0.6.0");
	json_end(json);
}
