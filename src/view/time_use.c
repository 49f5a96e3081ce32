// SPDX-License-Identifier: MIT
/*
 * time_use.c - what threads did with their time: pieces of their states, added up by the requested keys.
 *
 * If the range has whole cells of the cube (range_sums.h), all threads of a host together are read there, and only
 * the states at the two ends are read one by one.
 *
 * If another process holds the history of a host, question and answer go to it and back as bytes, and the states
 * of its threads stay where they are.
 *
 * A piece goes to its row, if the filter lets it pass.
 */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "filter/filter.h"
#include "histree/filter.h"
#include "histree/history.h"
#include "histree/states.h"
#include "histree/time_use.h"
#include "query/range_cube.h"
#include "query/thread_facts.h"
#include "query/thread_list.h"
#include "query/thread_pieces.h"
#include "query/window.h"
#include "state/history.h"
#include "view/control_flow.h"
#include "view/use_rows.h"
#include "view/use_sweep.h"
#include "view/view.h"

/* Of the filter. */
enum field {
	FIELD_HOST,
	FIELD_THREAD,
	FIELD_PROCESS,
	FIELD_NAME,
	FIELD_CPU,
	FIELD_STATE,
	FIELD_SYSTEM_CALL,
	FIELD_HAD_BY,
	FIELD_COUNT,
	FIELDS_OF_THREAD = FIELD_CPU, /* those before say nothing of a piece */
};

/* What a thread did last, in one piece. */
struct use_run {
	histree_time start;
	uint64_t ns;
	enum histree_use use;
	uint32_t row;
};

struct histree_time_use {
	struct histree_time_use_request request;
	struct histree_filter *filter; /* NULL: all is counted */
	bool filters_pieces;           /* it names more than threads */
	bool names_threads;            /* it compares threads or processes with names; */
	bool names_processes;          /* those of processes */
	struct thread_facts facts;     /* are these of the host that is being read */
	struct use_rows rows;
	/* The host that is being read. */
	uint32_t host;
	const char *host_name;
	struct histree_history *history;
	const struct histree_control_flow *flow; /* of it; NULL: names are looked up one by one */
	bool has_lives;                          /* it has numbers that several threads had */
	bool is_parted;                          /* it has not, and one was met that it should have told apart */
	struct use_run *runs;                    /* what each thread did; NULL: that is not asked for */
	struct id_map counted;                   /* calls by row and thread, if rows are told apart by calls, */
	struct arena calls;                      /* and where they are */
	bool has_threads, is_damaged;
};

/* The call of a thread that a row counted last. */
struct counted_call {
	histree_time start;
};

static bool time_use_has_idle(const struct histree_time_use *use);
static bool time_use_wants(void *context, const struct histree_thread *thread);
static bool time_use_wants_host(const struct histree_time_use *use);
static enum histree_status time_use_take(void *context, const struct use_piece *piece, struct histree_error *error);

/* ---- time use ------------------------------------------------------------------------------------------------ */

/* What is asked of one host. */
struct use_question {
	struct histree_time_use_request request; /* without a function to ask whether to go on */
	const char *host_name;
	histree_time start, end; /* to which times in the expression are relative */
};

/* That of a host; a zeroed one was not asked. */
struct use_asked {
	const struct histree_history_source *source;
	void *asked;
};

struct use_cube {
	/*
	 * What is asked for, without its threads, which are all of the host, and without its range, which is cut.
	 * If calls are asked for, rows differ by nothing else: how many calls are new in others is not known.
	 */
	struct use_sweep sweep;
	bool has_idle; /* idle loops are counted */
	/* Its own. */
	struct range_cube cells;
	struct histree_thread *threads;
	uint32_t thread_count;
	/* By thread: since when it had no status at the last time that was read; INT64_MAX if it had one. */
	histree_time *gone_since;
};

/* ---- use question -------------------------------------------------------------------------------------------- */

enum { QUESTION_VERSION = 1 };

/* ---- as bytes ----------------------------------------------------------------------------------------------- */

/* With its terminating zero; nothing at all for NULL. */
static void put_string(const char *text, struct byte_buffer *saved)
{
	byte_buffer_put_text(saved, text, text != NULL ? strlen(text) + 1 : 0);
}

static const char *read_string(struct byte_reader *reader)
{
	size_t size;
	const char *text = byte_reader_text(reader, &size);
	if (size == 0)
		return NULL;
	reader->failed |= memchr(text, '\0', size) != text + size - 1;
	return text;
}

static void put_question(const struct use_question *question, struct byte_buffer *saved)
{
	const struct histree_time_use_request *request = &question->request;
	byte_buffer_put_number(saved, QUESTION_VERSION);
	byte_buffer_put_signed(saved, request->from);
	byte_buffer_put_signed(saved, request->to);
	byte_buffer_put_number(saved, request->by);
	put_string(request->where, saved);
	byte_buffer_put_number(saved, request->longest);
	byte_buffer_put_number(saved, request->states_max);
	put_string(question->host_name, saved);
	byte_buffer_put_signed(saved, question->start);
	byte_buffer_put_signed(saved, question->end);
}

/* Reads what use_question_ask() has sent; texts are borrowed from it.  Returns false if it is no question. */
static bool use_question_read(struct use_question *question, const void *bytes, size_t size)
{
	struct byte_reader reader = byte_reader(bytes, size);
	struct histree_time_use_request *request = &question->request;
	*question = (struct use_question){ 0 };
	reader.failed = read_varint(&reader) != QUESTION_VERSION;
	request->from = byte_reader_signed(&reader);
	request->to = byte_reader_signed(&reader);
	request->by = (unsigned)byte_reader_below(&reader, 1U << HISTREE_USE_KEY_COUNT);
	request->where = read_string(&reader);
	request->longest = byte_reader_below(&reader, 2) != 0;
	request->states_max = (size_t)read_varint(&reader);
	question->host_name = read_string(&reader);
	question->start = byte_reader_signed(&reader);
	question->end = byte_reader_signed(&reader);
	return !reader.failed && byte_reader_left(&reader) == 0 && question->host_name != NULL;
}

/* ---- asking ------------------------------------------------------------------------------------------------- */

/* Asks it, and does not wait. */
static enum histree_status use_question_ask(const struct use_question *question,
					    const struct histree_history *history, struct use_asked *asked,
					    struct histree_error *error)
{
	uint32_t part;
	struct byte_buffer saved = { 0 };
	const struct histree_history_source *source = history_source_of(history, &part);
	put_question(question, &saved);
	enum histree_status status =
		saved.failed ? error_memory(error, "the use of time")
			     : source->view_ask(source->context, saved.bytes, saved.size, &asked->asked, error);
	if (status == HISTREE_OK)
		asked->source = source;
	byte_buffer_release(&saved);
	return status;
}

/* Waits for the answer, whose bytes are borrowed until it is dropped. */
static enum histree_status use_asked_take(const struct use_asked *asked, struct byte_reader *answer,
					  struct histree_error *error)
{
	const void *bytes = NULL;
	size_t size = 0;
	enum histree_status status = asked->source->view_take(asked->asked, &bytes, &size, error);
	*answer = byte_reader(status == HISTREE_OK ? bytes : "", status == HISTREE_OK ? size : 0);
	return status;
}

static void use_asked_drop(struct use_asked *asked)
{
	if (asked->source != NULL)
		asked->source->view_drop(asked->asked);
	*asked = (struct use_asked){ 0 };
}

/* ---- use cube ------------------------------------------------------------------------------------------------ */

/* ---- cells -------------------------------------------------------------------------------------------------- */

/* Waits have two kinds of rows, and only one kind is asked for. */
static enum histree_status hand_out_part(const struct use_cube *cube, enum cube_part part,
					 struct histree_error *error)
{
	const struct use_sweep *sweep = &cube->sweep;
	const struct cube_cell *rows = &cube->cells.parts[part];
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < rows->count && status == HISTREE_OK; i++) {
		const struct cube_row *row = &rows->rows[i];
		const struct use_piece piece = {
			.ns = row->ns,
			.use = part == CUBE_OF_OWNERS ? HISTREE_USE_WAITING
						      : use_sweep_use(row->key.is_idle, row->key.status),
			.cpu = row->key.cpu,
			.system_call = row->key.system_call,
			.had_by = row->key.had_by,
			.firsts = row->begins,
			.calls = row->calls,
		};
		const bool is_elsewhere =
			part == CUBE_OF_CALLS && piece.use == HISTREE_USE_WAITING && sweep->needs_owners;
		if (!is_elsewhere && (cube->has_idle || !row->key.is_idle))
			status = sweep->take(sweep->context, &piece, error);
	}
	return status;
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

COMPARE(by_status, struct histree_thread, BY(status))

/* Finds all threads: no more has to be known of them than where their states are. */
static enum histree_status find_threads(struct use_cube *cube, struct histree_error *error)
{
	struct thread_quarks quarks;
	enum histree_status status = thread_quarks_read(&quarks, cube->sweep.history, UINT32_MAX / 4, error);
	if (status == HISTREE_OK) {
		cube->threads = calloc(quarks.count + 1, sizeof(*cube->threads));
		cube->gone_since = malloc((quarks.count + 1) * sizeof(*cube->gone_since));
		if (cube->threads == NULL || cube->gone_since == NULL)
			status = error_memory(error, "the threads");
	}
	for (size_t i = 0; i < quarks.count && status == HISTREE_OK; i++)
		cube->threads[cube->thread_count++] = (struct histree_thread){
			.name = "",
			.tid = quarks.threads[i].tid,
			.pid = quarks.threads[i].tid,
			.cpu = quarks.threads[i].cpu,
			.node = quarks.threads[i].node,
			.status = quarks.threads[i].status,
			.system_call = quarks.threads[i].call,
			.from = INT64_MIN, /* of any life of the number */
			.to = INT64_MAX,
		};
	thread_quarks_release(&quarks);
	if (cube->thread_count > 1)
		qsort(cube->threads, cube->thread_count, sizeof(*cube->threads), by_status);
	return status;
}

/* ---- calls that go from one part of the range to the next --------------------------------------------------- */

/* Finds since when threads have no status at a time. */
static enum histree_status find_gone(struct use_cube *cube, histree_time time, struct histree_error *error)
{
	histree_quark *statuses = malloc((cube->thread_count + (size_t)1) * sizeof(*statuses));
	struct histree_cursor *query = NULL;
	struct histree_interval state;
	enum histree_status status = statuses != NULL ? histree_query_create(cube->sweep.history, &query, error)
						      : error_memory(error, "the use of time");
	for (uint32_t i = 0; i < cube->thread_count && status == HISTREE_OK; i++) {
		statuses[i] = cube->threads[i].status;
		cube->gone_since[i] = INT64_MAX;
	}
	const struct histree_region region = {
		.quarks = statuses, .quark_count = cube->thread_count, .times = &time, .time_count = 1
	};
	if (status == HISTREE_OK)
		status = histree_query_start(query, &region, error);
	for (uint64_t step = 0; status == HISTREE_OK; step++) {
		status = cancel_or_next(cube->sweep.work, step, query, error);
		if (status == HISTREE_OK)
			state = *histree_cursor_interval(query);
		if (status == HISTREE_OK && state.value.type == HISTREE_NULL)
			cube->gone_since[((uint32_t)SEARCH(i, 0, cube->thread_count,
							   cube->threads[i].status < state.quark))] = state.start;
	}
	histree_cursor_free(query);
	free(statuses);
	return status == HISTREE_END ? HISTREE_OK : status;
}

/*
 * A call in which the thread had a status before the range, then none, and one again in the cells: there it is not
 * new.
 */
static enum histree_status count_call(struct use_cube *cube, struct histree_cursor *query, uint32_t thread,
				      struct histree_error *error)
{
	const struct use_sweep *sweep = &cube->sweep;
	const histree_time before = cube->cells.from - 1;
	const histree_quark quark = cube->threads[thread].system_call;
	struct histree_interval state, call;
	enum histree_status status =
		histree_query_single(query, cube->threads[thread].status, before, &state, error);
	if (status != HISTREE_OK || state.end >= cube->cells.to)
		return status;
	status = histree_query_single(query, quark, before, &call, error);
	if (status != HISTREE_OK || call.start >= state.start || call.end <= state.end)
		return status;
	int64_t text;
	struct use_piece piece = { .cpu = USE_NOTHING, .had_by = USE_NOTHING, .calls = 1 };
	switch (thread_pieces_value(sweep->texts, &call.value, HISTREE_WHOLE, &text)) {
	case WINDOW_SKIPS:
		return HISTREE_OK;
	case WINDOW_HAS_NO_MEMORY:
		return error_memory(error, "the use of time");
	case WINDOW_KEEPS:
		break;
	}
	piece.system_call = (int32_t)text;
	return sweep->take(sweep->context, &piece, error);
}

static enum histree_status count_calls(struct use_cube *cube, struct histree_error *error)
{
	const struct use_sweep *sweep = &cube->sweep;
	const histree_time start = histree_history_info(sweep->history)->start;
	struct histree_cursor *query;
	enum histree_status status = find_gone(cube, cube->cells.from - 1, error);
	if (status != HISTREE_OK)
		return status;
	status = histree_query_create(sweep->history, &query, error);
	for (uint32_t i = 0; i < cube->thread_count && status == HISTREE_OK; i++) {
		const struct histree_thread *thread = &cube->threads[i];
		if (cube->gone_since[i] > start && cube->gone_since[i] <= sweep->from &&
		    thread->system_call != HISTREE_ROOT && thread->tid != 0)
			status = count_call(cube, query, i, error);
	}
	histree_cursor_free(query);
	return status;
}

/* ---- the ends ----------------------------------------------------------------------------------------------- */

/* Behind the cells, a call that went on there is counted if the thread had a status in it, and in the range. */
static enum histree_status take_behind(void *context, const struct use_piece *piece, struct histree_error *error)
{
	const struct use_cube *cube = context;
	const struct use_sweep *sweep = &cube->sweep;
	struct use_piece here = *piece;
	if (piece->system_call != USE_NOTHING && piece->call_start <= cube->cells.to) {
		const histree_time since = piece->call_start > sweep->from ? piece->call_start : sweep->from;
		here.call_is_counted = cube->gone_since[piece->number] > since;
	}
	return sweep->take(sweep->context, &here, error);
}

static bool wants_behind(void *context, const struct histree_thread *thread)
{
	const struct use_sweep *sweep = &((const struct use_cube *)context)->sweep;
	return sweep->wants(sweep->context, thread);
}

static enum histree_status sweep_end(struct use_cube *cube, histree_time from, histree_time to, bool is_behind,
				     struct histree_error *error)
{
	struct use_sweep sweep = cube->sweep;
	sweep.threads = cube->threads;
	sweep.thread_count = cube->thread_count;
	sweep.from = from;
	sweep.to = to;
	sweep.goes_on = is_behind;
	if (is_behind && sweep.needs_calls) {
		sweep.wants = wants_behind;
		sweep.take = take_behind;
		sweep.context = cube;
	}
	enum histree_status status = use_sweep_run(&sweep, error);
	cube->sweep.is_damaged |= sweep.is_damaged;
	return status;
}

static void use_cube_release(struct use_cube *cube)
{
	range_cube_release(&cube->cells);
	free(cube->threads);
	free(cube->gone_since);
}

/* ---- time use ------------------------------------------------------------------------------------------------ */

static const struct histree_filter_field fields[FIELD_COUNT] = {
	[FIELD_HOST] = { "host", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	/* Or their names. */
	[FIELD_THREAD] = { "thread", HISTREE_NULL, HISTREE_FILTER_PLAIN },
	[FIELD_PROCESS] = { "process", HISTREE_NULL, HISTREE_FILTER_PLAIN },
	[FIELD_NAME] = { "name", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[FIELD_CPU] = { "cpu", HISTREE_INT, HISTREE_FILTER_PLAIN },
	[FIELD_STATE] = { "state", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[FIELD_SYSTEM_CALL] = { "system_call", HISTREE_STRING, HISTREE_FILTER_PLAIN },
	[FIELD_HAD_BY] = { "had_by", HISTREE_INT, HISTREE_FILTER_PLAIN },
};

const char *histree_use_key_name(enum histree_use_key key)
{
	static const char *const names[HISTREE_USE_KEY_COUNT] = { "thread", "process",     "name",  "cpu",
								  "state",  "system_call", "had_by" };
	assert((unsigned)key < HISTREE_USE_KEY_COUNT);
	return names[key];
}

/* Whether that word is the name, with "-" for "_" or without. */
static bool is_key_name(const char *name, const char *word, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (name[i] != (word[i] == '-' ? '_' : word[i]))
			return false;
	return name[size] == '\0';
}

/* Returns the bit of a key, 0 for "host", all bits for a word that is neither. */
static unsigned key_of_word(const char *word, size_t size)
{
	if (is_key_name("host", word, size))
		return 0;
	for (unsigned key = 0; key < HISTREE_USE_KEY_COUNT; key++)
		if (is_key_name(histree_use_key_name((enum histree_use_key)key), word, size))
			return 1U << key;
	return ~0U;
}

enum histree_status histree_use_keys_read(const char *text, unsigned *by, struct histree_error *error)
{
	*by = 0;
	for (const char *word = text, *end;; word = end + 1) {
		end = strchrnul(word, ',');
		const unsigned key = key_of_word(word, (size_t)(end - word));
		if (key == ~0U)
			return error_set(error, HISTREE_ERR_ARGUMENT,
					 "'%.*s' is not one of thread, process, name, cpu, state, system-call, "
					 "had-by and host",
					 (int)(end - word), word);
		*by |= key;
		if (*end == '\0')
			return HISTREE_OK;
	}
}

const char *histree_use_name(enum histree_use use)
{
	static const char *const names[HISTREE_USE_COUNT] = { "user",    "system",  "interrupted", "idle",
							      "waiting", "blocked", "other",       "unknown" };
	return names[(unsigned)use < HISTREE_USE_COUNT ? use : HISTREE_USE_UNKNOWN];
}

/* ---- hosts -------------------------------------------------------------------------------------------------- */

static bool needs(const struct histree_time_use *use, enum histree_use_key key, enum field field)
{
	return (use->request.by & 1U << key) != 0 ||
	       (use->filter != NULL && histree_filter_needs(use->filter, field));
}

static struct use_sweep sweep_of(struct histree_time_use *use, struct histree_history *history)
{
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_time_use_request *request = &use->request;
	return (struct use_sweep){
		.history = history,
		.from = request->from > info->start ? request->from : info->start,
		.to = request->to < info->end ? request->to : info->end,
		.needs_cpus = needs(use, HISTREE_USE_BY_CPU, FIELD_CPU),
		.needs_calls = needs(use, HISTREE_USE_BY_SYSTEM_CALL, FIELD_SYSTEM_CALL),
		.needs_owners = needs(use, HISTREE_USE_BY_HAD_BY, FIELD_HAD_BY),
		.needs_order = request->longest,
		.wants = time_use_wants,
		.take = time_use_take,
		.context = use,
		.texts = &use->rows.texts,
		.states_max = request->states_max > 0 ? request->states_max : WINDOW_STATES_MAX,
		.work = &use->request.work,
	};
}

/* ---- with the list of threads ------------------------------------------------------------------------------- */

static enum histree_status sweep_threads(struct histree_time_use *use, struct histree_history *history,
					 struct histree_error *error)
{
	struct use_sweep sweep = sweep_of(use, history);
	struct thread_walk walk;
	thread_walk_begin(&walk, histree_history_attributes(history));
	use->has_threads |= thread_walk_next(&walk); /* even if no thread lives in the range */
	sweep.threads = histree_control_flow_threads(use->flow, &sweep.thread_count);
	if (sweep.thread_count == 0)
		return HISTREE_OK;
	use->has_lives = histree_control_flow_has_lives(use->flow);
	if (use->request.longest && (use->runs = calloc(sweep.thread_count, sizeof(*use->runs))) == NULL)
		return error_memory(error, "the use of time");
	enum histree_status status = use_sweep_run(&sweep, error);
	use->is_damaged |= sweep.is_damaged;
	free(use->runs);
	use->runs = NULL;
	return status;
}

static enum histree_status read_threads(struct histree_time_use *use, struct histree_history *history,
					struct histree_error *error)
{
	struct histree_control_flow *flow;
	enum histree_status status = control_flow_create_during(history, use->request.from, use->request.to,
								use->request.work, &flow, error);
	if (status != HISTREE_OK)
		return status;
	use->flow = flow;
	status = sweep_threads(use, history, error);
	histree_control_flow_free(flow);
	use->flow = NULL;
	return status;
}

/* ---- without it --------------------------------------------------------------------------------------------- */

/* Whether nothing is asked but these keys, which of the host does not matter: a filter names their fields alone. */
static bool asks_only(const struct histree_time_use *use, unsigned keys)
{
	static const enum field fields_of[HISTREE_USE_KEY_COUNT] = {
		FIELD_THREAD, FIELD_PROCESS, FIELD_NAME, FIELD_CPU, FIELD_STATE, FIELD_SYSTEM_CALL, FIELD_HAD_BY,
	};
	bool is_only = true;
	for (unsigned key = 0; key < HISTREE_USE_KEY_COUNT; key++)
		is_only &= (keys & 1U << key) != 0 || !needs(use, (enum histree_use_key)key, fields_of[key]);
	return is_only;
}

/*
 * Returns whether a cube can answer.  By system call it counts calls, and a filter on other keys could exclude a
 * part of a call; it has the thread that had a CPU only for waits, and no other key for these waits.
 */
static bool is_for_cube(const struct histree_time_use *use)
{
	const unsigned by = use->request.by;
	if (use->request.longest)
		return false;
	if ((by & HISTREE_BY(SYSTEM_CALL)) != 0)
		return asks_only(use, HISTREE_BY(SYSTEM_CALL));
	return asks_only(use, HISTREE_BY(CPU) | HISTREE_BY(STATE) | HISTREE_BY(SYSTEM_CALL)) ||
	       asks_only(use, HISTREE_BY(STATE) | HISTREE_BY(HAD_BY));
}

/*
 * Names of a few threads are looked up one by one; for many the list is made.  The cells know numbers, and not
 * which of several threads had one.
 */
static enum histree_status hand_out(struct histree_time_use *use, struct use_cube *cube,
				    struct histree_error *error)
{
	enum { NAMES_MAX = 256 };
	struct histree_control_flow *flow = NULL;
	enum histree_status status = HISTREE_OK;
	if (cube->cells.parts[CUBE_OF_OWNERS].count > NAMES_MAX && (use->request.by & HISTREE_BY(HAD_BY)) != 0)
		status = control_flow_create_during(cube->sweep.history, use->request.from, use->request.to,
						    use->request.work, &flow, error);
	use->flow = flow;
	use->is_parted = flow != NULL && histree_control_flow_has_lives(flow);
	if (status == HISTREE_OK && !use->is_parted) {
		/* Hands out what was read, and the pieces of what is before and behind it. */
		status = hand_out_part(cube, CUBE_OF_CALLS, error);
		if (status == HISTREE_OK && cube->sweep.needs_owners)
			status = hand_out_part(cube, CUBE_OF_OWNERS, error);
		if (status == HISTREE_OK) {
			const struct range_cube *cells = &cube->cells;
			const struct use_sweep *sweep = &cube->sweep;
			const bool is_before = cells->from > sweep->from, is_behind = cells->to < sweep->to;
			status = is_before || is_behind ? find_threads(cube, error) : HISTREE_OK;
			if (status == HISTREE_OK && is_before)
				status = sweep_end(cube, sweep->from, cells->from - 1, false, error);
			if (status == HISTREE_OK && is_before && sweep->needs_calls)
				status = count_calls(cube, error);
			if (status == HISTREE_OK && is_behind && sweep->needs_calls)
				status = find_gone(cube, cells->to, error);
			if (status == HISTREE_OK && is_behind)
				status = sweep_end(cube, cells->to + 1, sweep->to, true, error);
		}
	}
	use->flow = NULL;
	histree_control_flow_free(flow);
	return status;
}

/* *is_read is false if there is no cube that says it; rows of the host may have been made. */
static enum histree_status read_cube(struct histree_time_use *use, struct histree_history *history, bool *is_read,
				     struct histree_error *error)
{
	struct use_cube cube = { .sweep = sweep_of(use, history), .has_idle = time_use_has_idle(use) };
	*is_read = false;
	if (!is_for_cube(use))
		return HISTREE_OK;
	/* Whether there are any cells, `cells.is_any` says. */
	const struct use_sweep *sweep = &cube.sweep;
	enum histree_status status = range_cube_read(&cube.cells, sweep->history, sweep->from, sweep->to,
						     sweep->needs_owners, sweep->texts, error);
	if (status == HISTREE_OK && cube.cells.is_any) {
		use->has_threads = true;
		status = hand_out(use, &cube, error);
		*is_read = !use->is_parted;
	}
	use->is_damaged |= cube.sweep.is_damaged;
	use_cube_release(&cube);
	return status;
}

/* ------------------------------------------------------------------------------------------------------------- */

static enum histree_status read_host(struct histree_time_use *use, struct histree_history *history,
				     struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	bool is_read = false;
	if (strncmp(info->provider, "kernel", strlen("kernel")) != 0)
		return HISTREE_OK; /* its states mean something else */
	if (use->request.from > info->end || use->request.to < info->start) {
		use->has_threads = true; /* not known; nothing is wrong with it */
		return HISTREE_OK;
	}
	use->history = history;
	use->has_lives = use->is_parted = false;
	const size_t before = use->rows.count;
	enum histree_status status = HISTREE_OK;
	if (use->names_processes)
		status = thread_facts_read(&use->facts, history, NULL, 0, 1, use->request.work, error);
	if (status == HISTREE_OK)
		status = read_cube(use, history, &is_read, error);
	if (status == HISTREE_OK && use->is_parted)
		use_rows_cut(&use->rows, before);
	if (status == HISTREE_OK && !is_read)
		status = read_threads(use, history, error);
	thread_facts_release(&use->facts);
	return status;
}

/* ---- hosts whose histories other processes hold ------------------------------------------------------------- */

/* Asks the holders, so that they read while this process does. */
static enum histree_status ask_holders(const struct histree_time_use *use, const struct histree_history_info *info,
				       const struct histree_history_host *hosts, size_t count,
				       struct use_asked *asked, struct histree_error *error)
{
	struct use_question question = { .request = use->request, .start = info->start, .end = info->end };
	const struct use_asked *last = NULL;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (hosts[i].history == NULL || hosts[i].count == 0)
			continue;

		/* Whether another process holds the history, and answers such questions. */
		uint32_t part;
		const struct histree_history_source *source = history_source_of(hosts[i].history, &part);
		if (source == NULL || source->view_ask == NULL)
			continue;
		question.host_name = hosts[i].name;
		status = use_question_ask(&question, hosts[i].history, &asked[i], error);
		last = &asked[i];
	}
	/* What all holders of one context were asked goes off together. */
	return status == HISTREE_OK && last != NULL ? last->source->view_send(last->source->context, error)
						    : status;
}

static enum histree_status take_answers(struct histree_time_use *use, const struct use_asked *asked, size_t count,
					struct histree_error *error)
{
	const struct histree_time_use_request *request = &use->request;
	struct byte_reader answer;
	enum histree_status status = HISTREE_OK;
	for (size_t i = 0; i < count && status == HISTREE_OK; i++) {
		if (asked[i].source == NULL)
			continue;
		status = use_asked_take(&asked[i], &answer, error);
		if (status != HISTREE_OK)
			return status;
		use->has_threads |= byte_reader_below(&answer, 2) != 0;
		use->is_damaged |= byte_reader_below(&answer, 2) != 0;
		status = use_rows_load(&use->rows, request->by, request->longest, (uint32_t)i, &answer, error);
	}
	return status;
}

static enum histree_status read_all(struct histree_time_use *use, struct histree_history *history,
				    struct histree_error *error)
{
	size_t count;
	const struct histree_history_info *info = histree_history_info(history);
	const struct histree_history_host one = { .name = "", .history = history, .count = 1 };
	const struct histree_history_host *hosts = histree_history_hosts(history, &count);
	if (count == 0) {
		hosts = &one;
		count = 1;
	}
	struct use_asked *asked = calloc(count, sizeof(*asked));
	enum histree_status status = asked != NULL ? ask_holders(use, info, hosts, count, asked, error)
						   : error_memory(error, "the use of time");
	if (status == HISTREE_OK) {
		status = HISTREE_OK;
		for (size_t k = 0; k < count && status == HISTREE_OK; k++) {
			use->host = (uint32_t)k;
			use->host_name = hosts[k].name;
			use->is_damaged |=
				hosts[k].history == NULL && hosts[k].why != NULL && time_use_wants_host(use);
			if (hosts[k].history != NULL && hosts[k].count > 0 && asked[k].source == NULL)
				status = read_host(use, hosts[k].history, error);
		}
	}
	if (status == HISTREE_OK)
		status = take_answers(use, asked, count, error);
	for (size_t i = 0; asked != NULL && i < count; i++)
		use_asked_drop(&asked[i]);
	free(asked);
	return status;
}

/* ---- the answer --------------------------------------------------------------------------------------------- */

/* Times in the expression are relative to `start` and `end`. */
static enum histree_status prepare(struct histree_time_use *use, histree_time start, histree_time end,
				   struct histree_error *error)
{
	const struct histree_filter_scope scope = { fields, FIELD_COUNT, start, end };
	const struct histree_time_use_request *request = &use->request;
	if (request->from > request->to)
		return error_set(error, HISTREE_ERR_ARGUMENT, "a range ends at %lld, before it starts at %lld",
				 (long long)request->to, (long long)request->from);
	if (request->by >= 1U << HISTREE_USE_KEY_COUNT)
		return error_set(error, HISTREE_ERR_ARGUMENT, "there are no such keys of time as %#x", request->by);
	if (request->where == NULL)
		return HISTREE_OK;
	enum histree_status status = histree_filter_create(request->where, &scope, &use->filter, error);
	for (size_t field = FIELDS_OF_THREAD; field < FIELD_COUNT && status == HISTREE_OK; field++)
		use->filters_pieces |= histree_filter_needs(use->filter, field);
	use->names_processes = status == HISTREE_OK && filter_compares_text(use->filter, FIELD_PROCESS);
	use->names_threads =
		use->names_processes || (status == HISTREE_OK && filter_compares_text(use->filter, FIELD_THREAD));
	return status;
}

enum histree_status histree_time_use_create(struct histree_history *history,
					    const struct histree_time_use_request *request,
					    struct histree_time_use **out, struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(history);
	struct histree_time_use *use = *out = calloc(1, sizeof(*use));
	if (use == NULL)
		return error_memory(error, "the use of time");
	use->request = *request;
	enum histree_status status = prepare(use, info->start, info->end, error);
	if (status == HISTREE_OK)
		status = read_all(use, history, error);
	if (status == HISTREE_OK && !use->has_threads) {
		const bool is_kernel = strncmp(info->provider, "kernel", strlen("kernel")) == 0;
		const bool is_of_spans = strcmp(info->provider, "tracks") == 0;
		status = error_set(
			error, HISTREE_ERR_ARGUMENT,
			"the history is of the analysis '%s' and has no threads; the use of time %s%s",
			info->provider,
			is_kernel ? "is made of sched_switch, sched_wakeup, interrupts and system calls, which "
				    "the trace has to record"
				  : "is that of 'kernel', of a trace that records sched_switch: 'histree add STORE "
				    "kernel' makes it",
			is_of_spans
				? "; 'histree segments STORE track-spans --by name --of self' adds up the time of "
				  "spans"
				: "");
	}
	if (status != HISTREE_OK) {
		histree_time_use_free(use);
		*out = NULL;
		return status;
	}
	use_rows_sort(&use->rows, request->by);
	return HISTREE_OK;
}

enum histree_status histree_time_use_answer(struct histree_history *history, const void *bytes, size_t size,
					    struct histree_work work, void **answer, size_t *answer_size,
					    struct histree_error *error)
{
	struct use_question question;
	struct byte_buffer saved = { 0 };
	*answer = NULL;
	*answer_size = 0;
	if (!use_question_read(&question, bytes, size))
		return error_set(error, HISTREE_ERR_FORMAT, "this is no question about the use of time");
	struct histree_time_use *use = calloc(1, sizeof(*use));
	if (use == NULL)
		return error_memory(error, "the use of time");
	use->request = question.request;
	use->request.work = work;
	use->host_name = question.host_name;
	enum histree_status status = prepare(use, question.start, question.end, error);
	if (status == HISTREE_OK)
		status = read_host(use, history, error);
	if (status == HISTREE_OK) {
		byte_buffer_put_number(&saved, use->has_threads);
		byte_buffer_put_number(&saved, use->is_damaged);
		use_rows_put(&use->rows, use->request.by, use->request.longest, &saved);
		if (saved.failed)
			status = error_memory(error, "the use of time");
	}
	histree_time_use_free(use);
	if (status != HISTREE_OK) {
		byte_buffer_release(&saved);
		return status;
	}
	*answer = saved.bytes;
	*answer_size = saved.size;
	return HISTREE_OK;
}

void histree_time_use_free(struct histree_time_use *use)
{
	if (use == NULL)
		return;
	histree_filter_free(use->filter);
	use_rows_release(&use->rows);
	id_map_release(&use->counted);
	arena_release(&use->calls);
	free(use);
}

const struct histree_use_row *histree_time_use_rows(const struct histree_time_use *use, size_t *count)
{
	*count = use->rows.count;
	return use->rows.rows;
}

struct histree_loss histree_time_use_loss(const struct histree_time_use *use)
{
	return (struct histree_loss){ .nodes = use->is_damaged };
}

uint64_t histree_use_row_amount(const struct histree_use_row *row, int amount)
{
	uint64_t sum = 0;
	if (amount == HISTREE_USE_AMOUNT_COUNT)
		return row->count;
	if (amount > HISTREE_USE_AMOUNT_COUNT)
		return amount == HISTREE_USE_AMOUNT_WAIT ? row->longest_wait.ns : row->longest_block.ns;
	for (int use = 0; use < HISTREE_USE_COUNT; use++)
		sum += amount == HISTREE_USE_AMOUNT_TIME || amount == use ? row->ns[use] : 0;
	return sum;
}

COMPARE(by_amount_up, struct histree_use_ordered, BY(amount) BY(row))
COMPARE(by_amount_down, struct histree_use_ordered, BY_MOST(amount) BY(row))

struct histree_use_ordered *histree_time_use_order(const struct histree_time_use *use,
						   uint64_t (*amount_of)(void *context,
									 const struct histree_use_row *row),
						   void *context, bool is_down)
{
	const size_t count = use->rows.count;
	struct histree_use_ordered *ordered = malloc((count + 1) * sizeof(*ordered));
	for (size_t i = 0; ordered != NULL && i < count; i++) {
		const struct histree_use_row *row = &use->rows.rows[i];
		ordered[i] = (struct histree_use_ordered){ amount_of != NULL ? amount_of(context, row) : 0, row };
	}
	if (ordered != NULL && count > 1 && amount_of != NULL)
		qsort(ordered, count, sizeof(*ordered), is_down ? by_amount_down : by_amount_up);
	return ordered;
}

/* ---- time use pieces ----------------------------------------------------------------------------------------- */

/* ---- rows --------------------------------------------------------------------------------------------------- */

/* Kept by the texts. */
static enum histree_status keep_name(struct histree_time_use *use, const char *name, const char **out,
				     struct histree_error *error)
{
	size_t size;
	const uint32_t text = intern_add(&use->rows.texts, name, strlen(name));
	*out = text != INTERN_NONE ? intern_get(&use->rows.texts, text, &size) : "";
	return text != INTERN_NONE ? HISTREE_OK : error_memory(error, "the use of time");
}

/* Who has a CPU in the range need not have a status in it, and so not be in the list. */
static enum histree_status name_of_owner(struct histree_time_use *use, int32_t tid, const struct use_piece *piece,
					 const char **out, struct histree_error *error)
{
	uint32_t count, found = HISTREE_NO_INDEX;
	/* Cells have no times of their own. */
	const bool has_time = use->flow != NULL && piece->thread != NULL;
	const histree_time from = has_time ? piece->start : use->request.from;
	const histree_time to = has_time ? piece->start : use->request.to;
	bool are_several;
	*out = tid == 0 ? "(idle)" : "";
	if (tid <= 0)
		return HISTREE_OK;
	if (use->flow != NULL)
		found = histree_control_flow_find_at(use->flow, tid, -1, to);
	if (found != HISTREE_NO_INDEX)
		return keep_name(use, histree_control_flow_threads(use->flow, &count)[found].name, out, error);
	enum histree_status status =
		thread_list_name(use->history, tid, from, to, &use->rows.texts, out, &are_several, error);
	use->is_parted |= use->flow == NULL && are_several;
	return status;
}

/* A process is called as its first thread; of one that the trace does not know, as the first that it does. */
static enum histree_status name_of_process(struct histree_time_use *use, int32_t pid, const struct use_piece *piece,
					   const char **out, struct histree_error *error)
{
	enum histree_status status = name_of_owner(use, pid, piece, out, error);
	if (status == HISTREE_OK && **out == '\0' && pid > 0 && piece->thread != NULL)
		status = keep_name(use, piece->thread->name, out, error);
	return status;
}

/* Returns which life of its number the thread is that has the CPU. */
static int32_t life_of_owner(const struct histree_time_use *use, const struct use_piece *piece)
{
	uint32_t count;
	if (!use->has_lives || piece->had_by <= 0)
		return 0;
	const uint32_t found = histree_control_flow_find_at(use->flow, piece->had_by, -1, piece->start);
	return found != HISTREE_NO_INDEX ? histree_control_flow_threads(use->flow, &count)[found].life : 0;
}

static enum histree_status find_row(struct histree_time_use *use, const struct use_key *key,
				    const struct use_piece *piece, struct histree_use_row **out,
				    struct histree_error *error)
{
	bool is_new;
	struct histree_use_row *row = *out = use_rows_find(&use->rows, key, &is_new);
	enum histree_status status = row != NULL ? HISTREE_OK : error_memory(error, "the use of time");
	if (status == HISTREE_OK && is_new && (use->request.by & HISTREE_BY(THREAD)) != 0) {
		const struct histree_thread *thread = piece->thread;
		row->from = thread->from;
		row->to = thread->to;
		status = keep_name(use,
				   thread->tid == 0  ? "(idle)"
				   : thread->tid < 0 ? ""
						     : thread->name,
				   &row->name, error);
	}
	if (status == HISTREE_OK && is_new &&
	    (use->request.by & (HISTREE_BY(THREAD) | HISTREE_BY(PROCESS))) == HISTREE_BY(PROCESS))
		status = name_of_process(use, key->keys[HISTREE_USE_BY_PROCESS], piece, &row->name, error);
	if (status == HISTREE_OK && is_new && (use->request.by & HISTREE_BY(HAD_BY)) != 0)
		status = name_of_owner(use, key->keys[HISTREE_USE_BY_HAD_BY], piece, &row->had_by_name, error);
	return status;
}

/* ---- pieces ------------------------------------------------------------------------------------------------- */

/* What a thread is, and the names by which its numbers may be meant. */
static void fill_of_thread(const struct histree_time_use *use, const struct histree_thread *thread,
			   struct histree_value *values, struct histree_value *others)
{
	const struct thread_owner owner = { .tid = thread->tid };
	struct histree_value facts[THREAD_FIELDS], names[THREAD_FIELDS];
	if (use->names_threads) {
		thread_facts_fill(&use->facts, &owner, thread, thread->from, facts, names);
		others[FIELD_THREAD] = names[THREAD_FIELD_THREAD];
		others[FIELD_PROCESS] = names[THREAD_FIELD_PROCESS];
	}
	values[FIELD_HOST] = histree_string(use->host_name);
	values[FIELD_THREAD] = histree_int(thread->tid);
	values[FIELD_PROCESS] = thread->has_process ? histree_int(thread->pid) : histree_unknown();
	values[FIELD_NAME] = histree_string(thread->name);
}

static bool passes(const struct histree_time_use *use, const struct use_piece *piece)
{
	if (!use->filters_pieces)
		return true; /* those of threads that do not are not read */
	struct histree_value values[FIELD_COUNT] = { 0 }, others[FIELD_COUNT] = { 0 };
	if (piece->thread != NULL)
		fill_of_thread(use, piece->thread, values, others);
	else
		values[FIELD_HOST] = histree_string(use->host_name);
	values[FIELD_CPU] = use_rows_value(&use->rows, HISTREE_USE_BY_CPU, piece->cpu);
	values[FIELD_STATE] = histree_string(histree_use_name(piece->use));
	values[FIELD_SYSTEM_CALL] = use_rows_value(&use->rows, HISTREE_USE_BY_SYSTEM_CALL, piece->system_call);
	values[FIELD_HAD_BY] = use_rows_value(&use->rows, HISTREE_USE_BY_HAD_BY, piece->had_by);
	return filter_match_either(use->filter, values, use->names_threads ? others : NULL);
}

/* Returns whether idle loops are counted. */
static bool time_use_has_idle(const struct histree_time_use *use)
{
	return (use->request.by & (HISTREE_BY(CPU) | HISTREE_BY(STATE))) != 0;
}

/* Returns whether anything of a thread can pass; a piece goes to its row.  The context is the use of time. */
static bool time_use_wants(void *context, const struct histree_thread *thread)
{
	const struct histree_time_use *use = context;
	struct histree_value values[FIELD_COUNT] = { 0 }, others[FIELD_COUNT] = { 0 };
	bool are_known[FIELD_COUNT] = {
		[FIELD_HOST] = true, [FIELD_THREAD] = true, [FIELD_PROCESS] = true, [FIELD_NAME] = true
	};
	if (thread->tid == 0 && !time_use_has_idle(use))
		return false;
	if (use->filter == NULL)
		return true;
	fill_of_thread(use, thread, values, others);
	const struct histree_value *second = use->names_threads ? others : NULL;
	return use->filters_pieces ? filter_may_pass_either(use->filter, values, second, are_known)
				   : filter_match_either(use->filter, values, second);
}

/* Whether the filter lets anything pass of the host that is read, so that one which is missing is missed. */
static bool time_use_wants_host(const struct histree_time_use *use)
{
	struct histree_value values[FIELD_COUNT] = { [FIELD_HOST] = histree_string(use->host_name) };
	const bool are_known[FIELD_COUNT] = { [FIELD_HOST] = true };
	return use->filter == NULL || histree_filter_may_pass(use->filter, values, are_known);
}

/* A wait goes on where the piece before it ended, if that was of the same row. */
static void follow_run(struct histree_time_use *use, const struct use_piece *piece)
{
	struct use_run *run = &use->runs[piece->number];
	const uint32_t number = use->rows.last;
	struct histree_use_row *row = &use->rows.rows[number];
	struct histree_use_longest *longest = piece->use == HISTREE_USE_WAITING   ? &row->longest_wait
					      : piece->use == HISTREE_USE_BLOCKED ? &row->longest_block
										  : NULL;
	const bool goes_on = run->ns > 0 && run->use == piece->use && run->row == number &&
			     (uint64_t)piece->start - (uint64_t)run->start == run->ns;
	if (!goes_on)
		*run = (struct use_run){ .start = piece->start, .use = piece->use, .row = number };
	run->ns += piece->ns;
	if (longest != NULL && (run->ns > longest->ns || (run->ns == longest->ns && run->start < longest->start)))
		*longest = (struct histree_use_longest){ .ns = run->ns, .start = run->start };
}

/* By system call, a row counts the calls that it has a part of, whatever their number of states; else states. */
static bool count(struct histree_time_use *use, const struct use_piece *piece)
{
	const uint32_t number = use->rows.last;
	struct histree_use_row *row = &use->rows.rows[number];
	if ((use->request.by & HISTREE_BY(SYSTEM_CALL)) == 0 || piece->system_call == USE_NOTHING) {
		row->count += piece->firsts;
		return true;
	}
	if (piece->thread == NULL || piece->call_is_counted) {
		row->count += piece->calls;
		return true;
	}
	const uint64_t id = (uint64_t)number << 32 | piece->number;
	struct counted_call *call = id_map_find(&use->counted, id);
	if (call != NULL && call->start == piece->call_start)
		return true;
	if (call == NULL) {
		call = arena_allocate(&use->calls, sizeof(*call), alignof(struct counted_call));
		if (call == NULL || !id_map_add(&use->counted, id, call))
			return false;
	}
	call->start = piece->call_start;
	row->count++;
	return true;
}

static enum histree_status time_use_take(void *context, const struct use_piece *piece, struct histree_error *error)
{
	struct histree_time_use *use = context;
	const unsigned by = use->request.by;
	struct use_key key;
	if (!passes(use, piece))
		return HISTREE_OK;
	int32_t name = 0;
	if (by & HISTREE_BY(NAME)) {
		uint32_t text = intern_add(&use->rows.texts, piece->thread->name, strlen(piece->thread->name));
		if (text == INTERN_NONE)
			return error_memory(error, "the use of time");
		name = (int32_t)text;
	}
	const int32_t all[HISTREE_USE_KEY_COUNT] = {
		[HISTREE_USE_BY_THREAD] = piece->thread != NULL ? piece->thread->tid : USE_NOTHING,
		[HISTREE_USE_BY_PROCESS] = piece->thread == NULL        ? USE_NOTHING
					   : piece->thread->has_process ? piece->thread->pid
									: USE_NOT_KNOWN,
		[HISTREE_USE_BY_NAME] = name,
		[HISTREE_USE_BY_CPU] = piece->cpu,
		[HISTREE_USE_BY_STATE] = (int32_t)piece->use,
		[HISTREE_USE_BY_SYSTEM_CALL] = piece->system_call,
		[HISTREE_USE_BY_HAD_BY] = piece->had_by,
	};
	key.host = use->host;
	key.life = (by & HISTREE_BY(THREAD)) != 0 && piece->thread != NULL ? piece->thread->life : 0;
	key.had_by_life = (by & HISTREE_BY(HAD_BY)) != 0 ? life_of_owner(use, piece) : 0;
	for (size_t i = 0; i < HISTREE_USE_KEY_COUNT; i++)
		key.keys[i] = by & 1U << i ? all[i] : USE_NOTHING;
	struct histree_use_row *row;
	enum histree_status status = find_row(use, &key, piece, &row, error);
	if (status != HISTREE_OK)
		return status;
	if (!count(use, piece))
		return error_memory(error, "the use of time");
	row->ns[piece->use] += piece->ns;
	if (use->runs != NULL)
		follow_run(use, piece);
	return HISTREE_OK;
}
