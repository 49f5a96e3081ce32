// SPDX-License-Identifier: MIT
/*
 * call_symbols.c - the mapped binaries of each process, from the events of LTTng-UST, and the names of the
 * functions at addresses in them.
 */
#include "analysis/ust/call_symbols.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/table.h"
#include "histree/attributes.h"

enum { BUILD_ID_MAX = 64, PATH_SIZE_MAX = 4095, MODULES_MAX = 1 << 16 };

enum module_role { MODULE_NONE, MODULE_LOADED, MODULE_BUILD_ID, MODULE_DUMP };

struct module_binding {
	enum module_role role;
	uint32_t pid, base, size, path, build_id; /* fields */
};

enum histree_status call_symbols_open(struct call_symbols *symbols, const struct symbol_places *places,
				      struct histree_error *error)
{
	symbols->is_on = places->count > 0 || (!places->no_binaries && elf_names_can_read());
	return symbol_source_open(&symbols->source, places, error);
}

/* ---- what lies where ---------------------------------------------------------------------------------------- */

static struct module_binding bind_class(const struct event_class *class)
{
	static const struct {
		const char *name;
		enum module_role role;
	} rows[] = {
		{ "lttng_ust_statedump:start", MODULE_DUMP },
		{ "lttng_ust_statedump:bin_info", MODULE_LOADED },
		{ "lttng_ust_statedump:build_id", MODULE_BUILD_ID },
		{ "lttng_ust_dl:dlopen", MODULE_LOADED },
		{ "lttng_ust_dl:dlmopen", MODULE_LOADED },
		{ "lttng_ust_dl:build_id", MODULE_BUILD_ID },
		{ "lttng_ust_lib:load", MODULE_LOADED },
		{ "lttng_ust_lib:build_id", MODULE_BUILD_ID },
	};
	struct module_binding binding = { .role = MODULE_NONE };
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(class->name, rows[i].name) == 0)
			binding.role = rows[i].role;
	binding.pid = event_class_context_field(class, "vpid");
	binding.base = event_class_field(class, "baddr");
	binding.size = event_class_field(class, "memsz");
	binding.path = event_class_field(class, "path");
	binding.build_id = event_class_field(class, "build_id");
	return binding;
}

struct call_space *call_symbols_space(struct call_symbols *symbols, uint64_t pid)
{
	struct call_space *space = id_map_find(&symbols->spaces, pid);
	if (space != NULL)
		return space;
	space = arena_allocate(&symbols->records, sizeof(*space), alignof(struct call_space));
	uint32_t number = (uint32_t)symbols->spaces.count;
	if (space == NULL || !id_map_add(&symbols->spaces, pid, space))
		return NULL;
	*space = (struct call_space){ .pid = pid, .number = number };
	return space;
}

/* What lay where the new one is, is gone. */
static bool load(struct call_symbols *symbols, struct call_space *space, const struct event *event,
		 const struct module_binding *binding)
{
	int64_t base, size;
	const char *path;
	size_t path_size, kept = 0;
	if (!event_int(event, binding->base, &base) || !event_int(event, binding->size, &size) || size <= 0 ||
	    !event_string(event, binding->path, &path, &path_size) || path_size > PATH_SIZE_MAX)
		return true;
	struct call_module module = { .base = (uint64_t)base, .size = (uint64_t)size };
	for (size_t i = 0; i < space->module_count; i++)
		if (space->modules[i].base - module.base >= module.size &&
		    module.base - space->modules[i].base >= space->modules[i].size)
			space->modules[kept++] = space->modules[i];
	space->module_count = kept;
	if (kept == MODULES_MAX)
		return true;
	module.path = arena_copy(&symbols->records, path, path_size);
	if (module.path == NULL || !array_reserve(&space->modules, &space->module_capacity, kept + 1))
		return false;
	space->modules[space->module_count++] = module;
	space->changes++;
	return true;
}

struct id_bytes {
	uint8_t bytes[BUILD_ID_MAX];
	size_t size;
};

static bool take_byte(void *context, const struct event_part *part)
{
	struct id_bytes *id = context;
	if ((part->kind == EVENT_INT || part->kind == EVENT_UNSIGNED) && id->size < sizeof(id->bytes))
		id->bytes[id->size++] = (uint8_t)part->integer;
	else if (part->kind == EVENT_BYTES && part->size <= sizeof(id->bytes)) {
		memcpy(id->bytes, part->bytes, part->size);
		id->size = part->size;
	}
	return true;
}

/* Another program begins: what the one before called gets its names while its binaries are known. */
static bool end_program(struct call_symbols *symbols, struct call_space *space)
{
	struct histree_error error;
	const struct id_entry *function;
	/* Before its first dump, a program runs on while it is being dumped. */
	if (space->functions.count > 0 && space->module_count > 0) {
		if (!array_reserve(&space->before, &space->before_capacity, space->before_count + 1))
			return false;
		symbols->missing_path = NULL;
		for (size_t at = 0; (function = id_map_next(&space->functions, &at)) != NULL;) {
			struct call_function *called = function->record;
			called->tried = 0;
			if (call_symbols_name(symbols, space, called, &error) != HISTREE_OK)
				return false;
		}
		if (symbols->missing_path != NULL && symbols->missing_before == NULL) {
			symbols->missing_before = symbols->missing_path;
			symbols->was_other_build = symbols->is_other_build;
		}
		space->before[space->before_count++] = space->functions;
		space->functions = (struct id_map){ 0 };
		id_map_release(&space->sites);
	}
	space->module_count = 0; /* all of them follow */
	space->changes++;
	return true;
}

bool call_symbols_take(struct call_symbols *symbols, const struct event *event)
{
	if (!symbols->is_on)
		return true;
	const struct module_binding *binding = class_table_find(&symbols->bindings, event->class);
	if (binding == NULL) {
		struct module_binding made = bind_class(event->class);
		binding = class_table_add(&symbols->bindings, event->class, &made, sizeof(made));
		if (binding == NULL)
			return false;
	}
	if (binding->role == MODULE_NONE)
		return true;
	int64_t pid;
	struct call_space *space =
		call_symbols_space(symbols, event_int(event, binding->pid, &pid) ? (uint64_t)pid : 0);
	if (space == NULL)
		return false;
	if (binding->role == MODULE_DUMP)
		return end_program(symbols, space);
	if (binding->role == MODULE_LOADED)
		return load(symbols, space, event, binding);
	if (binding->role != MODULE_BUILD_ID)
		return true;
	int64_t base;
	struct id_bytes id = { .size = 0 };
	if (!event_int(event, binding->base, &base) || binding->build_id == EVENT_NO_FIELD)
		return true;
	event_visit(event, binding->build_id, take_byte, &id);
	for (size_t i = 0; i < space->module_count && id.size > 0; i++) {
		struct call_module *module = &space->modules[i];
		if (module->base != (uint64_t)base)
			continue;
		void *bytes = arena_copy(&symbols->records, id.bytes, id.size);
		if (bytes == NULL)
			return false;
		module->build_id = bytes;
		module->build_id_size = id.size;
		space->changes++;
	}
	return true;
}

/* ---- functions ---------------------------------------------------------------------------------------------- */

struct call_function *call_symbols_function(struct call_symbols *symbols, struct call_space *space,
					    uint64_t address)
{
	struct call_function *function = id_map_find(&space->functions, address);
	if (function != NULL)
		return function;
	function = arena_allocate(&symbols->records, sizeof(*function), alignof(struct call_function));
	if (function == NULL || !id_map_add(&space->functions, address, function))
		return NULL;
	*function = (struct call_function){ .address = address, .program = (uint32_t)space->before_count };
	return function;
}

static const struct call_module *module_at(const struct call_space *space, uint64_t address)
{
	for (size_t i = 0; i < space->module_count; i++)
		if (address - space->modules[i].base < space->modules[i].size)
			return &space->modules[i];
	return NULL;
}

static struct symbol_module binary_of(const struct call_module *module)
{
	return (struct symbol_module){ .path = module->path,
				       .base = module->base,
				       .build_id = module->build_id,
				       .build_id_size = module->build_id_size };
}

static enum symbol_answer find(struct call_symbols *symbols, const struct call_space *space, uint64_t address,
			       const char **name, char *line)
{
	line[0] = '\0';
	*name = symbol_source_in_tables(&symbols->source, address);
	if (*name != NULL)
		return SYMBOL_FOUND;
	const struct call_module *module = module_at(space, address);
	if (module == NULL) {
		symbols->has_homeless |= space->module_count > 0;
		return SYMBOL_NONE;
	}
	const struct symbol_module binary = binary_of(module);
	enum symbol_answer answer = symbol_source_find(&symbols->source, &binary, address, name, line);
	if ((answer == SYMBOL_NO_FILE || answer == SYMBOL_OTHER_BUILD) && symbols->missing_path == NULL) {
		symbols->missing_path = module->path;
		symbols->is_other_build = answer == SYMBOL_OTHER_BUILD;
	}
	return answer;
}

enum histree_status call_symbols_name(struct call_symbols *symbols, const struct call_space *space,
				      struct call_function *function, struct histree_error *error)
{
	const char *name;
	char line[ELF_LINE_SIZE], key[HISTREE_LABEL_TEXT_MAX + 1];
	if (function->name != NULL || function->tried == space->changes + 1 ||
	    function->program != space->before_count)
		return HISTREE_OK;
	function->tried = space->changes + 1;
	enum symbol_answer answer = find(symbols, space, function->address, &name, line);
	if (answer == SYMBOL_NO_MEMORY)
		return error_memory(error, "names of functions");
	if (answer != SYMBOL_FOUND)
		return HISTREE_OK;
	snprintf(key, sizeof(key), "0x%" PRIx64 "%s%s", function->address, *line != '\0' ? " " : "", line);
	function->key = arena_copy(&symbols->records, key, strlen(key));
	const char *copy = arena_copy(&symbols->records, name, strnlen(name, HISTREE_LABEL_TEXT_MAX));
	if (function->key == NULL || copy == NULL)
		return error_memory(error, "names of functions");
	function->name = copy;
	return HISTREE_OK;
}

/* ---- sites of calls ----------------------------------------------------------------------------------------- */

enum { SITE_SIZE_MAX = 1000 };

struct site_text {
	char text[SITE_SIZE_MAX + 1];
	size_t size;
	bool is_cut;
};

static void add_frame(void *context, const char *name, const char *line, bool is_inlined)
{
	static const char rest[] = " > ...";
	struct site_text *site = context;
	char *end = site->text + site->size;
	const size_t room = sizeof(site->text) - sizeof(rest) - site->size;
	if (site->is_cut)
		return;
	const int size = snprintf(end, room, "%s%.*s%s%s%s", site->size > 0 ? " > " : "", HISTREE_LABEL_TEXT_MAX,
				  name, is_inlined ? " (inlined)" : "", *line != '\0' ? " " : "", line);
	site->is_cut = size < 0 || (size_t)size >= room;
	if (site->is_cut)
		memcpy(end, rest, sizeof(rest));
	site->size += site->is_cut ? sizeof(rest) - 1 : (size_t)size;
}

static bool find_site(struct call_symbols *symbols, const struct call_space *space, uint64_t address,
		      struct site_text *site)
{
	/* Tables are of no use: they say where functions begin, and not where they end. */
	const struct call_module *module = module_at(space, address);
	if (module == NULL)
		return true;
	const struct symbol_module binary = binary_of(module);
	return symbol_source_chain(&symbols->source, &binary, address, add_frame, site) != SYMBOL_NO_MEMORY;
}

enum histree_status call_symbols_site(struct call_symbols *symbols, struct call_space *space, uint64_t address,
				      const char **text, struct histree_error *error)
{
	struct call_site *site = id_map_find(&space->sites, address);
	*text = NULL;
	if (site == NULL) {
		site = arena_allocate(&symbols->records, sizeof(*site), alignof(struct call_site));
		if (site == NULL || !id_map_add(&space->sites, address, site))
			return error_memory(error, "sites of calls");
		*site = (struct call_site){ .text = NULL };
	}
	if (site->text == NULL && site->tried != space->changes + 1) {
		struct site_text made = { .size = 0 };
		site->tried = space->changes + 1;
		/* The call itself is before the place that it returns to. */
		if (!find_site(symbols, space, address - 1, &made))
			return error_memory(error, "sites of calls");
		if (made.size > 0)
			site->text = arena_copy(&symbols->records, made.text, made.size);
		if (made.size > 0 && site->text == NULL)
			return error_memory(error, "sites of calls");
	}
	*text = site->text;
	return HISTREE_OK;
}

/* ---- at the end --------------------------------------------------------------------------------------------- */

/* Functions that have names by now are found; those of a program that is over will not get any. */
static void count_functions(struct call_symbols *symbols, const struct id_map *functions)
{
	const struct id_entry *function;
	for (size_t i = 0; (function = id_map_next(functions, &i)) != NULL;) {
		const bool is_found = ((const struct call_function *)function->record)->name != NULL;
		symbols->found += is_found;
		symbols->not_found += !is_found;
	}
}

enum histree_status call_symbols_name_all(struct call_symbols *symbols, struct histree_error *error)
{
	const struct id_entry *space, *function;
	enum histree_status status = HISTREE_OK;
	symbols->found = symbols->not_found = 0;
	symbols->missing_path = symbols->missing_before;
	symbols->is_other_build = symbols->was_other_build;
	symbols->has_homeless = false;
	for (size_t at = 0; (space = id_map_next(&symbols->spaces, &at)) != NULL;) {
		const struct call_space *one = space->record;
		for (size_t i = 0; status == HISTREE_OK && (function = id_map_next(&one->functions, &i)) != NULL;) {
			struct call_function *called = function->record;
			called->tried = 0; /* what is missing is said of this time */
			status = call_symbols_name(symbols, one, called, error);
		}
		for (size_t i = 0; i < one->before_count; i++)
			count_functions(symbols, &one->before[i]);
		count_functions(symbols, &one->functions);
	}
	return status;
}

void call_symbols_missing(const struct call_symbols *symbols, char *text, size_t size)
{
	const uint64_t all = symbols->found + symbols->not_found;
	text[0] = '\0';
	if (symbols->not_found == 0)
		return;
	if (symbols->missing_path != NULL)
		snprintf(text, size,
			 "%" PRIu64 " of %" PRIu64
			 " functions keep their addresses: here is %s '%.200s'; say where it is with '--symbols "
			 "FOLDER', a root with the binaries of the machine that was traced, or their files of "
			 "debugging information",
			 symbols->not_found, all, symbols->is_other_build ? "another build of" : "no",
			 symbols->missing_path);
	else if (symbols->has_homeless)
		snprintf(text, size,
			 "%" PRIu64 " of %" PRIu64
			 " functions keep their addresses, as the trace does not say in which binary they are; "
			 "record with LD_PRELOAD=liblttng-ust-dl.so besides, which says what dlopen() loads",
			 symbols->not_found, all);
}

void call_symbols_release(struct call_symbols *symbols)
{
	const struct id_entry *entry;
	for (size_t at = 0; (entry = id_map_next(&symbols->spaces, &at)) != NULL;) {
		struct call_space *space = entry->record;
		for (size_t i = 0; i < space->before_count; i++)
			id_map_release(&space->before[i]);
		free(space->before);
		free(space->modules);
		id_map_release(&space->functions);
		id_map_release(&space->sites);
	}
	id_map_release(&symbols->spaces);
	class_table_release(&symbols->bindings);
	arena_release(&symbols->records);
	symbol_source_release(&symbols->source);
}
