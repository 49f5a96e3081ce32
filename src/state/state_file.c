// SPDX-License-Identifier: MIT
/*
 * state_file.c - the destinations of the intervals of a state system: a file, memory, or the functions of a caller;
 * and queues.
 *
 * A history file is a sink that writes a tree of intervals, then the sections ATTR and PROV beside those of the
 * tree.  A history in memory is the same file where files are in memory: the same tree, node for node, with the
 * same answers; its intervals take some bytes each, as on disk, where a sorted array of them would take forty
 * (docs/design/02-store-file.md).
 *
 * A queue uses the layout of the stack: "1" is the first to leave, and polling moves each value one slot up.  A
 * slot keeps the type of the first value it ever had, so values of mixed types cannot queue.
 */
#include "state/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "base/memory_files.h"
#include "histree/history.h"
#include "state/attribute_section.h"
#include "state/attributes.h"
#include "state/history.h"
#include "state/history_sections.h"
#include "state/ongoing_states.h"
#include "state/state_system.h"
#include "store/block_file.h"
#include "tree/tree_shape.h"
#include "tree/tree_writer.h"

/* ---- state resume -------------------------------------------------------------------------------------------- */

enum histree_status state_resume(histree_time start, const struct attribute_tree *names,
				 const struct interval_sink *sink, struct histree_state_system **out,
				 struct histree_error *error)
{
	enum histree_status status = state_system_create(start, sink, out, error);
	if (status != HISTREE_OK)
		return status;
	struct histree_state_system *system = *out;
	struct ongoing_states *ongoing = &system->ongoing;
	system->attributes = *names;
	system->shares_names = true;
	if (!ongoing_states_reserve(ongoing, names->base.count)) {
		system->sink.free = NULL;
		histree_state_free(system);
		*out = NULL;
		return error_memory(error, "ongoing states");
	}
	ongoing_states_extend(ongoing, names->base.count, start);
	for (histree_quark quark = 0; quark < names->base.count; quark++)
		if (names->attributes[quark].is_folder)
			ongoing->states[quark].fixed_type = ONGOING_FOLDER;
	return HISTREE_OK;
}

bool state_resume_state(struct histree_state_system *system, histree_quark quark, histree_time since,
			const struct histree_value *value)
{
	struct held_value held;
	if (!ongoing_states_hold(&system->ongoing, value, &held))
		return false;
	if (system->ongoing.states[quark].run != 0)
		undecided_replace(system->undecided, quark);
	ongoing_states_set(&system->ongoing, quark, since, &held);
	return true;
}

void state_resume_type(struct histree_state_system *system, histree_quark quark, uint8_t fixed_type)
{
	system->ongoing.states[quark].fixed_type = fixed_type;
}

void state_resume_options(struct histree_state_system *system, histree_time time, bool null_empty_stacks)
{
	system->current_end = time;
	system->null_empty_stacks = null_empty_stacks;
}

/* ---- state file ---------------------------------------------------------------------------------------------- */

/* ---- state queue --------------------------------------------------------------------------------------------- */

enum histree_status histree_state_queue_offer(struct histree_state_system *system, histree_time t,
					      histree_quark quark, struct histree_value value,
					      struct histree_error *error)
{
	return histree_state_push(system, t, quark, value, error);
}

enum histree_status histree_state_queue_peek(struct histree_state_system *system, histree_quark quark,
					     struct histree_value *value, struct histree_error *error)
{
	int32_t depth;
	histree_quark first;
	*value = histree_null();
	enum histree_status status = state_stack_occupied(system, quark, &depth, error);
	if (status == HISTREE_OK)
		status = state_stack_slot(system, quark, 1, &first, error);
	if (status == HISTREE_OK)
		*value = ongoing_states_value(&system->ongoing, first);
	return status;
}

/* Do `step` for each slot but the last, with the value after it. */
static enum histree_status
each_move(struct histree_state_system *system, histree_time t, histree_quark quark, int32_t depth,
	  enum histree_status (*step)(struct histree_state_system *system, histree_time t, histree_quark quark,
				      const struct histree_value *value, struct histree_error *error),
	  struct histree_error *error)
{
	histree_quark slot, next;
	enum histree_status status = state_stack_slot(system, quark, 1, &slot, error);
	for (int32_t number = 2; number <= depth && status == HISTREE_OK; number++) {
		status = state_stack_slot(system, quark, number, &next, error);
		if (status != HISTREE_OK)
			break;
		const struct histree_value value = ongoing_states_value(&system->ongoing, next);
		status = step(system, t, slot, &value, error);
		slot = next;
	}
	return status;
}

static enum histree_status check_move(struct histree_state_system *system, histree_time t, histree_quark quark,
				      const struct histree_value *value, struct histree_error *error)
{
	return state_check_change(system, t, quark, value, error);
}

enum histree_status histree_state_queue_poll(struct histree_state_system *system, histree_time t,
					     histree_quark quark, struct histree_value *polled,
					     struct histree_error *error)
{
	int32_t depth;
	histree_quark last;
	struct histree_value first;
	if (polled != NULL)
		*polled = histree_null();
	enum histree_status status = state_check_open(system, error);
	if (status == HISTREE_OK)
		status = state_stack_occupied(system, quark, &depth, error);
	if (status == HISTREE_OK)
		status = histree_state_queue_peek(system, quark, &first, error);
	if (status == HISTREE_OK)
		status = state_stack_slot(system, quark, depth, &last, error);
	if (status != HISTREE_OK)
		return status;

	const struct histree_value new_depth = state_stack_depth_value(system, depth - 1);
	status = state_check_change(system, t, quark, &new_depth, error);
	if (status == HISTREE_OK)
		status = each_move(system, t, quark, depth, check_move, error);
	if (status == HISTREE_OK)
		status = state_check_removal(system, t, last, error);
	if (status == HISTREE_OK)
		status = state_apply_change(system, t, quark, &new_depth, error);
	if (status == HISTREE_OK)
		status = each_move(system, t, quark, depth, state_apply_change, error);
	if (status == HISTREE_OK)
		status = state_apply_removal(system, t, last, error);
	if (status == HISTREE_OK && polled != NULL)
		*polled = first;
	return status;
}

/* ---- state file ---------------------------------------------------------------------------------------------- */

enum {
	TABLE_MEMORY_DEFAULT = 256 << 20, /* without a build; as the buffers of a cluster tree have */
	INTERVALS_PER_LOOK = 2048,        /* at what is resident of the tables */
};

/* What a section is to hold. */
struct told {
	uint8_t *bytes;
	size_t size;
};

struct state_file {
	struct block_file *file;
	struct tree_writer *writer;
	struct provider provider;
	struct told told[TOLD_SECTIONS];
	const struct io *io;
	struct table_space *tables; /* of the build, or its own */
	struct table_space own_tables;
	size_t unlooked; /* intervals since the last look */
	/* The file existed: what was published of it ends then, and nothing earlier replaces it. */
	bool resumed;
	histree_time resumed_end;
	/*
	 * The path of a history that cannot be continued, because it is complete or was made with other nodes. It
	 * answers until this one, which has another name until then, is complete.  NULL: there is no such
	 * history.
	 */
	char *replaces;
	/* For a branch: the file that it belongs to, its own path, and whether others may open it. */
	struct block_file *main;
	char *path;
	bool publish;
	/* For a partial file: adds what the rest is made from.  NULL: the file has everything. */
	enum histree_status (*write_part)(void *context, struct block_file *file, struct histree_error *error);
	void *part_context;
};

static enum histree_status file_add_many(void *context, const struct histree_interval *intervals, size_t count,
					 size_t *added, struct histree_error *error)
{
	struct state_file *state_file = context;
	state_file->unlooked += count;
	if (state_file->unlooked >= INTERVALS_PER_LOOK) {
		state_file->unlooked = 0;
		table_space_look(state_file->tables);
	}
	return tree_writer_add(state_file->writer, intervals, count, added, error);
}

static enum histree_status file_add(void *context, const struct histree_interval *interval,
				    struct histree_error *error)
{
	struct state_file *state_file = context;
	if (++state_file->unlooked >= INTERVALS_PER_LOOK) {
		state_file->unlooked = 0;
		table_space_look(state_file->tables);
	}
	return tree_writer_add_one(state_file->writer, interval, error);
}

static enum histree_status file_take_pack(void *context, const struct leaf_pack *pack, struct histree_error *error)
{
	struct state_file *state_file = context;
	table_space_look(state_file->tables);
	return tree_writer_take_pack(state_file->writer, pack, error);
}

static enum histree_status file_set_section(void *context, enum told_section section, const void *bytes,
					    size_t size, struct histree_error *error)
{
	struct state_file *state_file = context;
	struct told *told = &state_file->told[section];
	uint8_t *copy = malloc(size + 1);
	if (copy == NULL)
		return error_memory(error, section == TOLD_LABELS ? "labels" : "charts");
	if (size > 0)
		memcpy(copy, bytes, size);
	free(told->bytes);
	*told = (struct told){ copy, size };
	return HISTREE_OK;
}

static void file_closing(void *context, histree_time end)
{
	struct state_file *state_file = context;
	tree_writer_close_at(state_file->writer, end);
}

static enum histree_status write_section(void *context, const void *bytes, size_t size, struct histree_error *error)
{
	return block_file_section_write(context, bytes, size, error);
}

static enum histree_status save_attributes(struct block_file *file, const struct attribute_tree *attributes,
					   struct histree_error *error)
{
	const struct section_sink sink = { .write = write_section, .context = file };
	enum histree_status status = block_file_section_begin(file, SECTION_ATTRIBUTES, error);
	if (status == HISTREE_OK)
		status = attribute_section_save(attributes, &sink, error);
	if (status == HISTREE_OK)
		block_file_section_end(file);
	return status;
}

static enum histree_status save_provider(struct block_file *file, const struct provider *provider,
					 struct histree_error *error)
{
	uint8_t bytes[PROVIDER_SECTION_SIZE_MAX];
	size_t size = provider_section_save(provider, bytes);
	return block_file_section_put(file, SECTION_PROVIDER, bytes, size, error);
}

/* These come after the sections that a history cannot do without, whose copies have reserved room. */
static enum histree_status save_told(const struct state_file *state_file, struct histree_error *error)
{
	static const uint32_t ids[TOLD_SECTIONS] = { SECTION_LABELS, SECTION_CHARTS };
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < TOLD_SECTIONS && status == HISTREE_OK; i++) {
		const struct told *told = &state_file->told[i];
		if (told->size == 0)
			continue;
		status = block_file_section_put(state_file->file, ids[i], told->bytes, told->size, error);
	}
	return status;
}

/* The history that was there goes, together with its tail. */
static enum histree_status take_name(struct state_file *state_file, struct histree_error *error)
{
	const struct io *io = state_file->io;
	if (io->rename(io->context, state_file->file->path, state_file->replaces) != 0)
		return error_set(error, HISTREE_ERR_IO, "cannot rename '%s': %s", state_file->file->path,
				 strerror(errno));
	block_file_drop_tail(io, state_file->replaces);
	return io_sync_folder_of(io, state_file->replaces, error);
}

static enum histree_status file_finish(void *context, const struct attribute_tree *attributes, histree_time end,
				       struct histree_error *error)
{
	struct state_file *state_file = context;
	uint32_t count = attributes->base.count;
	struct folder_list folders;
	enum histree_status status = folder_list_of(attributes, &folders, error);
	for (size_t i = 0; i < folders.count && status == HISTREE_OK; i++)
		status = tree_writer_leave_out(state_file->writer, folders.quarks[i], error);
	if (status == HISTREE_OK)
		status = tree_writer_finish(state_file->writer, end, count, error);
	if (status == HISTREE_OK)
		status = save_attributes(state_file->file, attributes, error);
	if (status == HISTREE_OK)
		status = folder_section_save(&folders, state_file->file, error);
	folder_list_release(&folders);
	if (status == HISTREE_OK)
		status = save_provider(state_file->file, &state_file->provider, error);
	if (status == HISTREE_OK && state_file->write_part != NULL)
		status = state_file->write_part(state_file->part_context, state_file->file, error);
	if (status == HISTREE_OK)
		status = save_told(state_file, error);
	if (status == HISTREE_OK)
		status = block_file_complete(state_file->file, error);
	if (status == HISTREE_OK && state_file->replaces != NULL)
		status = take_name(state_file, error);
	bool later = !state_file->resumed || end > state_file->resumed_end;
	if (status == HISTREE_OK && state_file->publish && later)
		status = block_file_publish(state_file->main, state_file->file, error);
	return status;
}

static void file_free(void *context)
{
	struct state_file *state_file = context;
	tree_writer_free(state_file->writer);
	block_file_close(state_file->file);
	/* A branch that was published has another name by now. */
	if (state_file->path != NULL)
		state_file->io->unlink(state_file->io->context, state_file->path);
	free(state_file->path);
	free(state_file->replaces);
	for (size_t i = 0; i < TOLD_SECTIONS; i++)
		free(state_file->told[i].bytes);
	if (state_file->tables == &state_file->own_tables)
		table_space_release(&state_file->own_tables);
	free(state_file);
}

/* ---- branches --------------------------------------------------------------------------------------------- */

static enum histree_status branch_open(void *context, const struct histree_open_options *options,
				       struct histree_history **out, struct histree_error *error)
{
	struct state_file *branch = context;
	struct block_file *file;
	enum histree_status status =
		block_file_open_with_tail(branch->io, branch->main->path, branch->path, &file, error);
	return status == HISTREE_OK ? history_open_file(file, options, out, error) : status;
}

static enum histree_status file_branch(void *context, bool publish, struct interval_sink *out,
				       struct histree_error *error)
{
	struct state_file *of = context, *branch = malloc(sizeof(*branch));
	if (branch == NULL)
		return error_memory(error, "a history file");
	*branch = (struct state_file){
		.provider = of->provider,
		.io = of->io,
		.tables = of->tables,
		.resumed = of->resumed,
		.resumed_end = of->resumed_end,
		.main = of->file,
		.publish = publish && of->replaces == NULL,
	};
	enum histree_status status = tree_writer_wait(of->writer, error);
	/* Nobody but us opens it by this name. */
	if (status == HISTREE_OK && asprintf(&branch->path, "%s.tail.new", of->file->path) < 0) {
		branch->path = NULL;
		status = error_memory(error, "a path");
	}
	if (status == HISTREE_OK)
		status = block_file_create_tail(of->file, branch->path, &branch->file, error);
	if (status == HISTREE_OK)
		status = tree_writer_copy(of->writer, branch->file, &branch->writer, error);
	for (enum told_section i = 0; i < TOLD_SECTIONS && status == HISTREE_OK; i++)
		status = file_set_section(branch, i, of->told[i].bytes, of->told[i].size, error);
	if (status != HISTREE_OK) {
		file_free(branch);
		return status;
	}
	*out = (struct interval_sink){
		.add = file_add,
		.add_many = file_add_many,
		.set_section = file_set_section,
		.closing = file_closing,
		.finish = file_finish,
		.open = branch_open,
		.free = file_free,
		.context = branch,
	};
	return HISTREE_OK;
}

/* ---- making one ------------------------------------------------------------------------------------------- */

/* Make a file that is to replace the one at `path` once it is complete. */
static enum histree_status create_successor(struct state_file *state_file, const char *path, uint32_t node_size,
					    struct histree_error *error)
{
	char *name;
	state_file->replaces = strdup(path);
	if (state_file->replaces == NULL || asprintf(&name, "%s.new", path) < 0)
		return error_memory(error, "a path");
	state_file->io->unlink(state_file->io->context, name); /* what a build that was cut off left */
	enum histree_status status = block_file_create(state_file->io, name, node_size, &state_file->file, error);
	free(name);
	return status;
}

static bool is_there(const struct io *io, const char *path)
{
	int file = io->open(io->context, path, O_RDONLY, 0);
	bool there = file >= 0 || errno != ENOENT;
	if (file >= 0)
		io->close(io->context, file);
	return there;
}

struct leftover {
	bool is_history; /* it can be asked */
	bool is_part;    /* of a history with nodes of the wanted size: it can be gone on with */
	histree_time end;
};

/*
 * What is no history is of no use to anyone, and no error.  What cannot be read now, or only by a newer version,
 * may be one.
 */
static enum histree_status look_at(const struct io *io, const char *path, uint32_t node_size, struct leftover *out,
				   struct histree_error *error)
{
	struct block_file *file = NULL;
	struct tree_shape shape;
	*out = (struct leftover){ .is_history = false };
	enum histree_status status = block_file_open(io, path, &file, error);
	if (status == HISTREE_OK)
		status = tree_shape_read(file, &shape, error);
	if (status == HISTREE_OK) {
		bool is_part = file->is_tail && file->block_size == node_size;
		*out = (struct leftover){ .is_history = true, .is_part = is_part, .end = shape.end };
	}
	block_file_close(file);
	bool is_useless = status == HISTREE_ERR_FORMAT || status == HISTREE_ERR_INCOMPLETE;
	return is_useless ? HISTREE_OK : status;
}

/*
 * Continue the file that is there, or replace it: at once if it cannot be asked, else once its successor is
 * complete.
 */
static enum histree_status continue_file(struct state_file *state_file, const char *path, uint32_t node_size,
					 struct histree_error *error)
{
	const struct io *io = state_file->io;
	struct leftover left;
	if (!is_there(io, path))
		return block_file_create(io, path, node_size, &state_file->file, error);
	enum histree_status status = look_at(io, path, node_size, &left, error);
	if (status != HISTREE_OK)
		return status;
	if (left.is_part) {
		state_file->resumed = true;
		state_file->resumed_end = left.end;
		return block_file_continue(io, path, &state_file->file, error);
	}
	if (left.is_history)
		return create_successor(state_file, path, node_size, error);
	block_file_drop_tail(io, path);
	if (io->unlink(io->context, path) != 0)
		return error_set(error, HISTREE_ERR_IO, "cannot remove '%s': %s", path, strerror(errno));
	return block_file_create(io, path, node_size, &state_file->file, error);
}

/* The tables belong to the space of a build, or to one of their own. */
static enum histree_status take_tables(struct state_file *state_file, const struct histree_history_options *options,
				       const struct state_shared *shared, struct histree_error *error)
{
	struct table_space *tables = shared != NULL ? shared->tables : NULL;
	state_file->tables = tables != NULL ? tables : &state_file->own_tables;
	size_t memory = options->tree.memory_max != 0 ? options->tree.memory_max : TABLE_MEMORY_DEFAULT;
	if (tables == NULL && !table_space_init(&state_file->own_tables, options->path, memory))
		return error_memory(error, "a history file");
	return HISTREE_OK;
}

enum histree_status state_file_sink(const struct io *io, const struct histree_history_options *options,
				    const struct state_shared *shared, struct interval_sink *out,
				    struct histree_error *error)
{
	if (options->path == NULL || options->path[0] == '\0')
		return error_set(error, HISTREE_ERR_ARGUMENT, "a history needs the path of the file to make");
	struct tree_options tree_options;
	struct provider provider;
	enum histree_status status = tree_options_resolve(&options->tree, options->start, &tree_options, error);
	if (status == HISTREE_OK)
		status = provider_init(&provider, options->provider, options->provider_version, error);
	if (status != HISTREE_OK)
		return status;

	struct state_file *state_file = malloc(sizeof(*state_file));
	if (state_file == NULL)
		return error_memory(error, "a history file");
	*state_file = (struct state_file){ .provider = provider, .io = io };
	status = take_tables(state_file, options, shared, error);
	tree_options.crew = shared != NULL ? shared->crew : NULL;
	tree_options.tables = state_file->tables;
	if (status == HISTREE_OK && options->resume)
		status = continue_file(state_file, options->path, tree_options.node_size, error);
	else if (status == HISTREE_OK)
		status = block_file_create(io, options->path, tree_options.node_size, &state_file->file, error);
	if (status == HISTREE_OK)
		status = tree_writer_create(state_file->file, &tree_options, &state_file->writer, error);
	if (status != HISTREE_OK) {
		file_free(state_file);
		return status;
	}
	*out = (struct interval_sink){
		.tables = state_file->tables,
		.add = file_add,
		.add_many = file_add_many,
		.packs = tree_writer_packs(state_file->writer),
		.take_pack = file_take_pack,
		.set_section = file_set_section,
		.closing = file_closing,
		.finish = file_finish,
		.branch = file_branch,
		.free = file_free,
		.context = state_file,
		.value_size_max = tree_writer_value_size_max(state_file->writer),
	};
	return HISTREE_OK;
}

void state_file_make_partial(const struct interval_sink *sink,
			     enum histree_status (*write)(void *context, struct block_file *file,
							  struct histree_error *error),
			     void *context)
{
	struct state_file *state_file = sink->context;
	state_file->file->is_partial = true;
	state_file->write_part = write;
	state_file->part_context = context;
}

enum histree_status state_file_count(const struct interval_sink *sink, const struct histree_interval *interval,
				     struct histree_error *error)
{
	struct state_file *state_file = sink->context;
	return tree_writer_count(state_file->writer, interval, error);
}

enum histree_status state_file_create_in(const struct io *io, const struct histree_history_options *options,
					 const struct state_shared *shared, struct histree_state_system **out,
					 struct histree_error *error)
{
	struct interval_sink sink;
	*out = NULL;
	enum histree_status status = state_file_sink(io, options, shared, &sink, error);
	if (status != HISTREE_OK)
		return status;
	status = state_system_create(options->start, &sink, out, error);
	if (status != HISTREE_OK)
		sink.free(sink.context);
	else
		(*out)->null_empty_stacks = options->null_empty_stacks;
	return status;
}

enum histree_status histree_state_create(const struct histree_history_options *options,
					 struct histree_state_system **out, struct histree_error *error)
{
	return state_file_create(&io_posix, options, out, error);
}

/* ---- state memory -------------------------------------------------------------------------------------------- */

struct state_memory {
	const struct io *io;
	char *path;
	struct interval_sink file; /* the sink of the history file */
	struct table_space tables; /* which never goes to files */
};

static enum histree_status memory_add(void *context, const struct histree_interval *interval,
				      struct histree_error *error)
{
	const struct state_memory *memory = context;
	return memory->file.add(memory->file.context, interval, error);
}

static enum histree_status memory_add_many(void *context, const struct histree_interval *intervals, size_t count,
					   size_t *added, struct histree_error *error)
{
	const struct state_memory *memory = context;
	return memory->file.add_many(memory->file.context, intervals, count, added, error);
}

static enum histree_status memory_set_section(void *context, enum told_section section, const void *bytes,
					      size_t size, struct histree_error *error)
{
	const struct state_memory *memory = context;
	return memory->file.set_section(memory->file.context, section, bytes, size, error);
}

static void memory_closing(void *context, histree_time end)
{
	const struct state_memory *memory = context;
	memory->file.closing(memory->file.context, end);
}

static enum histree_status memory_finish(void *context, const struct attribute_tree *attributes, histree_time end,
					 struct histree_error *error)
{
	const struct state_memory *memory = context;
	return memory->file.finish(memory->file.context, attributes, end, error);
}

static enum histree_status memory_branch(void *context, bool publish, struct interval_sink *out,
					 struct histree_error *error)
{
	const struct state_memory *memory = context;
	return memory->file.branch(memory->file.context, publish, out, error);
}

static enum histree_status memory_history(void *context, const struct histree_open_options *options,
					  struct histree_history **out, struct histree_error *error)
{
	const struct state_memory *memory = context;
	struct block_file *file;
	enum histree_status status = block_file_open(memory->io, memory->path, &file, error);
	return status == HISTREE_OK ? history_open_file(file, options, out, error) : status;
}

static void memory_free(void *context)
{
	struct state_memory *memory = context;
	if (memory->file.free != NULL)
		memory->file.free(memory->file.context);
	if (memory->io != NULL)
		memory_files_leave(memory->io);
	table_space_release(&memory->tables);
	free(memory->path);
	free(memory);
}

static enum histree_status create_file(struct state_memory *memory, const struct histree_history_options *options,
				       uint64_t bytes_max, struct histree_error *error)
{
	struct histree_history_options in_memory = *options;
	memory->path = strdup(options->path != NULL && options->path[0] != '\0' ? options->path : "memory");
	memory->io = memory_files_create(bytes_max == 0 ? UINT64_MAX : bytes_max);
	if (memory->path == NULL || memory->io == NULL ||
	    !table_space_init(&memory->tables, memory->path, SIZE_MAX))
		return error_memory(error, "a history");
	in_memory.path = memory->path;
	const struct state_shared shared = { .tables = &memory->tables };
	return state_file_sink(memory->io, &in_memory, &shared, &memory->file, error);
}

enum histree_status histree_state_create_in_memory(const struct histree_history_options *options,
						   uint64_t bytes_max, struct histree_state_system **out,
						   struct histree_error *error)
{
	*out = NULL;
	if (options->resume)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there is nothing in memory to resume");
	struct state_memory *memory = calloc(1, sizeof(*memory));
	if (memory == NULL)
		return error_memory(error, "a history");
	enum histree_status status = create_file(memory, options, bytes_max, error);
	if (status == HISTREE_OK) {
		const struct interval_sink sink = {
			.tables = &memory->tables,
			.add = memory_add,
			.add_many = memory_add_many,
			.set_section = memory_set_section,
			.closing = memory_closing,
			.finish = memory_finish,
			.branch = memory_branch,
			.open = memory_history,
			.free = memory_free,
			.context = memory,
			.value_size_max = memory->file.value_size_max,
		};
		status = state_system_create(options->start, &sink, out, error);
	}
	if (status != HISTREE_OK)
		memory_free(memory);
	else
		(*out)->null_empty_stacks = options->null_empty_stacks;
	return status;
}

/* ---- state backend ------------------------------------------------------------------------------------------- */

static enum histree_status backend_add(void *context, const struct histree_interval *interval,
				       struct histree_error *error)
{
	const struct histree_backend *backend = context;
	return backend->add != NULL ? backend->add(backend->context, interval, error) : HISTREE_OK;
}

static enum histree_status backend_finish(void *context, const struct attribute_tree *attributes, histree_time end,
					  struct histree_error *error)
{
	const struct histree_backend *backend = context;
	return backend->finish != NULL ? backend->finish(backend->context, &attributes->base, end, error)
				       : HISTREE_OK;
}

static enum histree_status backend_branch(void *context, bool publish, struct interval_sink *out,
					  struct histree_error *error)
{
	(void)context, (void)publish, (void)out;
	return error_set(error, HISTREE_ERR_ARGUMENT,
			 "only a history in a file can be published or opened while it is built");
}

static void backend_free(void *context)
{
	struct histree_backend *backend = context;
	if (backend->free != NULL)
		backend->free(backend->context);
	free(backend);
}

enum histree_status histree_state_create_for(const struct histree_backend *backend, histree_time start,
					     struct histree_state_system **out, struct histree_error *error)
{
	*out = NULL;
	struct histree_backend *copy = calloc(1, sizeof(*copy));
	if (copy == NULL)
		return error_memory(error, "a state system");
	if (backend != NULL)
		*copy = *backend;
	const struct interval_sink sink = {
		.add = backend_add,
		.finish = backend_finish,
		.branch = backend_branch,
		.free = backend_free,
		.context = copy,
		.value_size_max = UINT32_MAX,
	};
	enum histree_status status = state_system_create(start, &sink, out, error);
	if (status != HISTREE_OK)
		free(copy);
	return status;
}
