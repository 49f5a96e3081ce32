// SPDX-License-Identifier: MIT
/*
 * overview_writer.c - a history goes by in windows of time; in each, the states of one attribute after the other
 * are made fewer (overview_cells.h), and what comes of it goes into a new history by its end.  Nothing but a window
 * is in memory.
 */
#include "overview/overview_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "overview/overview_window.h"
#include "state/attribute_tree.h"
#include "state/history.h"
#include "state/state_file.h"

struct writer {
	const struct io *io;
	const char *path; /* of the history that has the overviews */
	char *name;       /* room for that of an overview: there must be some when memory is out */
	struct overview_options options;
	struct overview_progress progress;
	struct histree_history_info of;

	/* What is read, and what of it. */
	struct histree_history *source;
	struct histree_query *query;
	struct overview_choice choice;
	struct overview_window window;

	struct interval_sink sink; /* the overview */
	struct attribute_tree attributes;
};

/* ---- windows --------------------------------------------------------------------------------------------- */

/* What could not be read came as unknown, which the history does not say. */
static enum histree_status check_whole(const struct writer *writer, struct histree_error *error)
{
	if (histree_query_stats(writer->query).nodes_damaged == 0)
		return HISTREE_OK;
	return error_set(error, HISTREE_ERR_FORMAT, "'%s' is damaged: build it again", writer->path);
}

static enum histree_status write_state(struct writer *writer, const struct overview_state *state,
				       struct histree_error *error)
{
	assert(state->start <= state->end && state->attribute < writer->choice.count);
	struct condensed *condensed = &writer->choice.condensed[state->attribute];
	condensed->states++;
	struct histree_interval interval = {
		.quark = condensed->own,
		.start = state->start,
		.end = state->end,
		.value = state->value == OVERVIEW_REST ? histree_custom("", 0)
						       : writer->window.values.values[state->value],
	};
	return writer->sink.add(writer->sink.context, &interval, error);
}

static enum histree_status write_window(struct writer *writer, struct histree_error *error)
{
	const struct overview_window *window = &writer->window;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < window->cells.count && status == HISTREE_OK; i++)
		status = write_state(writer, &window->cells.states[window->order[i].index], error);
	return status;
}

/* Returns HISTREE_PARTIAL if there is too much in the window, and then nothing was written. */
static enum histree_status do_window(struct writer *writer, const histree_quark *quarks, size_t states_max,
				     struct histree_error *error)
{
	struct overview_window *window = &writer->window;
	enum histree_status status =
		overview_window_read(window, writer->query, &writer->choice, quarks, states_max, error);
	if (status == HISTREE_OK)
		status = check_whole(writer, error);
	if (status == HISTREE_OK)
		status = overview_window_condense(window, &writer->choice, writer->of.start, error);
	return status == HISTREE_OK ? write_window(writer, error) : status;
}

/*
 * Windows are as long as what is in them lets them be.  Each attribute has a state in a window, however short that
 * is.  `ahead` is how far the last ns of a window is from its first: all of time is 2^64 ns.
 */
static enum histree_status write_windows(struct writer *writer, const histree_quark *quarks,
					 struct histree_error *error)
{
	const struct histree_history_info *of = &writer->of;
	struct overview_window *window = &writer->window;
	size_t enough = (size_t)writer->options.states_in_window + writer->choice.count;
	uint64_t whole = (uint64_t)of->end - (uint64_t)of->start;
	uint64_t ahead = whole / (writer->choice.states / enough + 1);
	enum histree_status status = HISTREE_OK;
	window->from = of->start;
	while (status == HISTREE_OK) {
		uint64_t left = (uint64_t)of->end - (uint64_t)window->from;
		window->to = (histree_time)((uint64_t)window->from + (left < ahead ? left : ahead));
		status = overview_progress_show(&writer->progress, 1 - (double)left / ((double)whole + 1), error);
		if (status == HISTREE_OK)
			status = do_window(writer, quarks, ahead > 0 ? 2 * enough : SIZE_MAX, error);
		if (status == HISTREE_PARTIAL) {
			ahead /= 2;
			status = HISTREE_OK;
			continue;
		}
		if (window->to == of->end)
			break;
		window->from = window->to + 1;
		if (window->state_count < enough / 2)
			ahead = ahead < whole / 2 ? 2 * ahead + 1 : whole;
	}
	return status;
}

/* ---- an overview -------------------------------------------------------------------------------------------- */

static enum histree_status add_name(struct writer *writer, histree_quark parent, uint32_t number,
				    histree_quark *out, struct histree_error *error)
{
	char name[16];
	int size = snprintf(name, sizeof(name), "%" PRIu32, number);
	return attribute_tree_add(&writer->attributes, parent, name, (size_t)size, out, error);
}

static enum histree_status name_attributes(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = HISTREE_OK;
	for (uint32_t i = 0; i < writer->choice.count && status == HISTREE_OK; i++) {
		struct condensed *condensed = &writer->choice.condensed[i];
		histree_quark width;
		status = add_name(writer, HISTREE_ROOT, condensed->width_log2, &width, error);
		if (status == HISTREE_OK)
			status = add_name(writer, width, condensed->quark, &condensed->own, error);
	}
	return status;
}

/* Every attribute has states from the beginning to the end; the attributes that only group others have null. */
static enum histree_status write_groups(struct writer *writer, struct histree_error *error)
{
	const struct histree_history_info *of = &writer->of;
	enum histree_status status = HISTREE_OK;
	for (histree_quark quark = writer->attributes.root.first_child;
	     quark != HISTREE_ROOT && status == HISTREE_OK;
	     quark = writer->attributes.attributes[quark].next_sibling) {
		const struct histree_interval null = { .quark = quark, .start = of->start, .end = of->end };
		status = writer->sink.add(writer->sink.context, &null, error);
	}
	return status;
}

static enum histree_status fill_overview(struct writer *writer, struct histree_error *error)
{
	histree_quark *quarks = malloc((writer->choice.count + 1) * sizeof(*quarks));
	if (quarks == NULL)
		return error_memory(error, "an overview");
	for (uint32_t i = 0; i < writer->choice.count; i++)
		quarks[i] = writer->choice.condensed[i].source;
	enum histree_status status = name_attributes(writer, error);
	if (status == HISTREE_OK)
		status = write_windows(writer, quarks, error);
	if (status == HISTREE_OK)
		status = write_groups(writer, error);
	if (status == HISTREE_OK)
		status = writer->sink.finish(writer->sink.context, &writer->attributes, writer->of.end, error);
	free(quarks);
	return status;
}

static enum histree_status make_overview(struct writer *writer, const char *path, struct histree_error *error)
{
	char provider[sizeof(writer->of.provider)];
	overview_provider(&writer->of, provider, sizeof(provider));
	const struct histree_history_options options = {
		.path = path,
		.provider = provider,
		.provider_version = OVERVIEW_VERSION,
		.start = writer->of.start,
		.tree = { .memory_max = writer->options.memory_max, .threads = writer->options.threads },
	};
	enum histree_status status = state_file_sink(writer->io, &options, NULL, &writer->sink, error);
	if (status != HISTREE_OK)
		return status;
	attribute_tree_init(&writer->attributes);
	status = fill_overview(writer, error);
	attribute_tree_release(&writer->attributes);
	writer->sink.free(writer->sink.context);
	return status;
}

static void close_source(struct writer *writer)
{
	histree_query_free(writer->query);
	histree_history_close(writer->source);
	writer->query = NULL;
	writer->source = NULL;
}

static enum histree_status open_source(struct writer *writer, const char *path, struct histree_error *error)
{
	static const struct histree_open_options options = { .cache_bytes = 8 << 20 };
	struct block_file *file;
	close_source(writer);
	enum histree_status status = block_file_open(writer->io, path, &file, error);
	if (status == HISTREE_OK)
		status = history_open_file(file, &options, &writer->source, error);
	return status == HISTREE_OK ? histree_query_create(writer->source, &writer->query, error) : status;
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

static enum histree_status begin(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = open_source(writer, writer->path, error);
	if (status != HISTREE_OK)
		return status;
	writer->of = *histree_history_info(writer->source);
	writer->of.nodes_at_height = NULL;
	if (writer->of.interval_count < writer->options.history_states_min)
		return HISTREE_OK;
	return overview_choice_of_history(&writer->choice, &writer->options, writer->query, &writer->of,
					  &writer->progress, error);
}

static enum histree_status write_all(struct writer *writer, struct histree_error *error)
{
	enum histree_status status = begin(writer, error);
	for (uint32_t number = 1; status == HISTREE_OK && writer->choice.count > 0 && number <= OVERVIEWS_MAX;
	     number++) {
		overview_path(writer->path, number, writer->name);
		writer->progress.steps = number;
		status = make_overview(writer, writer->name, error);
		overview_choice_of_overview(&writer->choice, &writer->options);
		if (status == HISTREE_OK && writer->choice.count > 0)
			status = open_source(writer, writer->name, error);
	}
	return status;
}

static struct overview_options with_defaults(const struct overview_options *asked)
{
	struct overview_options options = asked != NULL ? *asked : (struct overview_options){ 0 };
	if (options.history_states_min == 0)
		options.history_states_min = 4 << 20;
	if (options.states_min == 0)
		options.states_min = 1024;
	if (options.states_in_cell == 0)
		options.states_in_cell = 64;
	if (options.states_in_window == 0)
		options.states_in_window = 256 << 10;
	/* A view of the whole lifetime of an attribute has no more pixels than a quarter of this. */
	if (options.cells_min == 0)
		options.cells_min = 8192;
	if (options.cost_max_share == 0)
		options.cost_max_share = 10;
	return options;
}

/* Removes the overviews that are there. */
static void remove_all(struct writer *writer)
{
	for (uint32_t number = 1; number <= OVERVIEWS_MAX; number++) {
		overview_path(writer->path, number, writer->name);
		writer->io->unlink(writer->io->context, writer->name);
	}
}

enum histree_status overviews_write(const struct io *io, const char *path, const struct overview_options *options,
				    struct histree_error *error)
{
	struct writer writer = { .io = io, .path = path, .options = with_defaults(options) };
	writer.progress =
		(struct overview_progress){ .go_on = writer.options.go_on, .context = writer.options.context };
	writer.name = malloc(overview_path_size(path));
	if (writer.name == NULL)
		return error_memory(error, "a path");
	remove_all(&writer); /* what a build that was cut off left */
	enum histree_status status = write_all(&writer, error);
	close_source(&writer);
	overview_window_release(&writer.window);
	overview_choice_release(&writer.choice);
	if (status != HISTREE_OK)
		remove_all(&writer);
	free(writer.name);
	return status;
}
