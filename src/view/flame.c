// SPDX-License-Identifier: MIT
/*
 * flame.c - the call stacks of a history, added up into a tree of names.
 *
 * A stack is an attribute with levels below it, 1 for the outermost call.  Its states are read window by window.
 * All levels of a stack are one list, in which a state begins where another one of its level ends, null or not: so
 * nothing changes from one start to the next, and only the levels from the lowest changed one on are visited.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/hash_index.h"
#include "base/search.h"
#include "base/table.h"
#include "histree/attributes.h"
#include "histree/build.h"
#include "histree/history.h"
#include "histree/time_use.h"
#include "query/window.h"
#include "view/flame_tree.h"
#include "view/view.h"

/* ---- flame stacks -------------------------------------------------------------------------------------------- */

static const char stack_name[] = "CallStack";

/* What a level is in: numbers of names, and these. */
enum { LEVEL_EMPTY = -1, LEVEL_UNKNOWN = -2 };

struct level {
	int64_t now;     /* what it is in */
	uint32_t branch; /* of the stack up to here, as far as it is known */
};

struct stack {
	histree_quark quark;
	uint32_t base;    /* the branch on which it stands */
	uint32_t first;   /* its levels are those of the work from here on */
	uint32_t used;    /* levels above it are empty */
	uint32_t changed; /* those from it on have no branch yet */
};

struct stack_work {
	struct histree_flame *flame;
	const struct histree_flame_request *request;
	const struct histree_attributes *attributes;
	struct stack *stacks;
	size_t stack_count, stack_capacity;
	struct level *levels;
	size_t level_count, level_capacity;
	uint32_t *list_of, *level_of; /* by quark of a level: the stack, and the place in it */
	histree_quark *quarks;        /* of all levels, ascending */
	size_t quark_count, quark_capacity;
};

/* ---- which stacks ------------------------------------------------------------------------------------------- */

struct numbered {
	uint64_t number;
	histree_quark quark;
};

/* The name of a level as its number; 0: it is no level. */
static uint64_t number_of(const struct histree_attributes *attributes, histree_quark quark)
{
	char name[16], *end;
	size_t size = histree_attributes_name(attributes, quark, name, sizeof(name));
	if (size == 0 || size >= sizeof(name) || *name < '1' || *name > '9')
		return 0;
	uint64_t number = strtoull(name, &end, 10);
	return *end == '\0' ? number : 0;
}

COMPARE(by_number, struct numbered, BY(number))

static bool is_stack(const struct histree_attributes *attributes, histree_quark quark)
{
	char name[sizeof(stack_name)];
	histree_quark level;
	return histree_attributes_name(attributes, quark, name, sizeof(name)) == sizeof(stack_name) - 1 &&
	       strcmp(name, stack_name) == 0 &&
	       histree_attributes_child(attributes, quark, "1", 1, &level) == HISTREE_OK;
}

static bool has_stacks(const struct histree_history *history)
{
	const struct histree_attributes *attributes = histree_history_attributes(history);
	const uint32_t count = histree_attributes_count(attributes);
	histree_quark quark = 0;
	while (quark < count && !is_stack(attributes, quark))
		quark++;
	return quark < count;
}

/* In the order in which they are asked.  Of the library's analyses no others have stacks: nobody looks for them. */
enum stack_rank { RANK_CALLS, RANK_TRACKS, RANK_DEFINED, RANK_NONE };

static enum stack_rank stack_rank_of(const char *analysis)
{
	struct histree_analysis_info info;
	if (strcmp(analysis, "ust-calls") == 0)
		return RANK_CALLS;
	if (strcmp(analysis, "tracks") == 0)
		return RANK_TRACKS;
	for (size_t i = 0; histree_analysis(i, &info); i++)
		if (strcmp(analysis, info.name) == 0)
			return RANK_NONE;
	return RANK_DEFINED;
}

struct histree_history *histree_stack_history(struct histree_history *const *histories, size_t count,
					      bool with_tracks)
{
	for (enum stack_rank rank = RANK_CALLS; rank < RANK_NONE; rank++)
		for (size_t i = 0; i < count && (rank != RANK_TRACKS || with_tracks); i++)
			if (stack_rank_of(histree_history_info(histories[i])->provider) == rank &&
			    has_stacks(histories[i]))
				return histories[i];
	return NULL;
}

/* Lists the levels of a stack from the outermost one on; the caller frees them. */
static enum histree_status list_levels(const struct histree_attributes *attributes, histree_quark stack,
				       struct numbered **levels, size_t *count, struct histree_error *error)
{
	size_t capacity = 0;
	*levels = NULL;
	*count = 0;
	for (histree_quark child = histree_attributes_first_child(attributes, stack); child != HISTREE_ROOT;
	     child = histree_attributes_next_sibling(attributes, child)) {
		uint64_t number = number_of(attributes, child);
		if (number == 0)
			continue;
		if (!array_reserve(levels, &capacity, *count + 1))
			return error_memory(error, "a flame graph");
		(*levels)[(*count)++] = (struct numbered){ number, child };
	}
	if (*count > 1)
		qsort(*levels, *count, sizeof(**levels), by_number);
	return HISTREE_OK;
}

static bool add_levels(struct stack_work *work, const struct numbered *levels, size_t count)
{
	if (!array_reserve(&work->quarks, &work->quark_capacity, work->quark_count + count) ||
	    !array_reserve(&work->levels, &work->level_capacity, work->level_count + count) ||
	    !array_reserve(&work->stacks, &work->stack_capacity, work->stack_count + 1))
		return false;
	for (size_t i = 0; i < count; i++) {
		work->quarks[work->quark_count++] = levels[i].quark;
		work->list_of[levels[i].quark] = (uint32_t)work->stack_count;
		work->level_of[levels[i].quark] = (uint32_t)i;
		work->levels[work->level_count++] = (struct level){ .now = LEVEL_EMPTY };
	}
	return true;
}

static enum histree_status add_stack(struct stack_work *work, histree_quark quark, struct histree_error *error)
{
	struct numbered *levels;
	size_t count;
	const uint32_t first = (uint32_t)work->level_count;
	enum histree_status status = list_levels(work->attributes, quark, &levels, &count, error);
	if (status == HISTREE_OK && add_levels(work, levels, count))
		work->stacks[work->stack_count++] = (struct stack){ .quark = quark, .first = first };
	else if (status == HISTREE_OK)
		status = error_memory(error, "a flame graph");
	free(levels);
	return status;
}

/* Marks the requested attributes, by quark; `is_asked` stays as it is if all are requested. */
static enum histree_status mark_asked(const struct histree_flame_request *request, uint32_t count, bool *is_asked,
				      struct histree_error *error)
{
	for (size_t i = 0; request->quarks != NULL && i < request->quark_count; i++) {
		if (request->quarks[i] >= count)
			return error_set(error, HISTREE_ERR_QUARK,
					 "there is no attribute %" PRIu32 "; the history has %" PRIu32,
					 request->quarks[i], count);
		is_asked[request->quarks[i]] = true;
	}
	return HISTREE_OK;
}

/* Returns whether this attribute or one above it is asked for. */
static bool wants(const struct stack_work *work, const bool *is_asked, histree_quark quark)
{
	if (work->request->quarks == NULL)
		return true;
	while (quark != HISTREE_ROOT && !is_asked[quark])
		quark = histree_attributes_parent(work->attributes, quark);
	return quark != HISTREE_ROOT;
}

/* ---- whose they are ----------------------------------------------------------------------------------------- */

/* The name of a thread: its attribute Name, or its own state; null if it has neither. */
static enum histree_status find_name(const struct stack_work *work, struct histree_cursor *query,
				     histree_quark owner, struct histree_interval *name,
				     struct histree_error *error)
{
	const struct histree_history_info *info = histree_history_info(work->request->history);
	const histree_time last = work->request->to < info->end ? work->request->to : info->end;
	histree_quark quark = owner;
	name->value = histree_null();
	if (owner == HISTREE_ROOT || last < info->start)
		return HISTREE_OK;
	if (histree_attributes_find(work->attributes, owner, "Name", &quark) != HISTREE_OK)
		quark = owner;
	return histree_query_single(query, quark, last, name, error);
}

/* "glxgears (Threads/16073)", or the path alone. */
static enum histree_status name_stack(struct stack_work *work, struct stack *stack, struct histree_cursor *query,
				      struct histree_error *error)
{
	char text[HISTREE_FLAME_NAME_MAX], path[HISTREE_FLAME_NAME_MAX / 2] = "";
	const histree_quark owner = histree_attributes_parent(work->attributes, stack->quark);
	struct histree_interval name;
	enum histree_status status = find_name(work, query, owner, &name, error);
	if (status != HISTREE_OK)
		return status;
	if (owner != HISTREE_ROOT)
		histree_attributes_path(work->attributes, owner, path, sizeof(path));
	if (name.value.type == HISTREE_STRING && name.value.size > 0)
		snprintf(text, sizeof(text), "%.*s (%s)",
			 (int)(name.value.size < sizeof(path) ? name.value.size : sizeof(path)),
			 (const char *)name.value.bytes, path);
	else
		snprintf(text, sizeof(text), "%s", *path != '\0' ? path : stack_name);
	uint32_t number = flame_name(work->flame, text, strlen(text));
	stack->base = number != FLAME_NONE ? flame_branch(work->flame, 0, HISTREE_FLAME_GROUP, number) : FLAME_NONE;
	return stack->base != FLAME_NONE ? HISTREE_OK : error_memory(error, "a flame graph");
}

static enum histree_status name_stacks(struct stack_work *work, struct histree_error *error)
{
	struct histree_cursor *query;
	if (!work->request->by_thread)
		return HISTREE_OK;
	enum histree_status status = histree_query_create(work->request->history, &query, error);
	for (size_t i = 0; i < work->stack_count && status == HISTREE_OK; i++)
		status = name_stack(work, &work->stacks[i], query, error);
	histree_cursor_free(query);
	return status;
}

/* ---- states ------------------------------------------------------------------------------------------------- */

/* What a value is called. */
static uint32_t name_of(struct histree_flame *flame, const struct histree_history *history, histree_quark quark,
			const struct histree_value *value)
{
	char text[40] = "";
	const char *words = histree_label_words(histree_labels_of(history, quark), value);
	if (words != NULL)
		return flame_name(flame, words, strlen(words));
	switch (value->type) {
	case HISTREE_STRING:
	case HISTREE_CUSTOM:
		return flame_name(flame, value->bytes, value->size);
	case HISTREE_INT:
		snprintf(text, sizeof(text), "0x%" PRIx32, (uint32_t)value->int32);
		break;
	case HISTREE_LONG:
		snprintf(text, sizeof(text), "0x%" PRIx64, (uint64_t)value->int64);
		break;
	case HISTREE_DOUBLE:
		snprintf(text, sizeof(text), "%.17g", value->real);
		break;
	case HISTREE_BOOL:
		snprintf(text, sizeof(text), "%s", value->boolean ? "true" : "false");
		break;
	case HISTREE_NULL:
	case HISTREE_UNKNOWN:
		break;
	}
	return flame_name(flame, text, strlen(text));
}

/* The level in the upper half, what it is in in the lower one. */
static enum window_keep keep(void *context, const struct histree_interval *interval, int64_t *value)
{
	struct stack_work *work = context;
	int32_t now = LEVEL_EMPTY;
	if (interval->value.type == HISTREE_UNKNOWN) {
		now = LEVEL_UNKNOWN;
	} else if (interval->value.type != HISTREE_NULL) {
		uint32_t name = name_of(work->flame, work->request->history, interval->quark, &interval->value);
		if (name == FLAME_NONE)
			return WINDOW_HAS_NO_MEMORY;
		now = name == FLAME_NO_ROOM ? INT32_MAX : (int32_t)name;
	}
	*value = (int64_t)((uint64_t)work->level_of[interval->quark] << 32 | (uint32_t)now);
	return WINDOW_KEEPS;
}

/* The branch that a level adds to the stack up to it. */
static uint32_t branch_of(struct stack_work *work, uint32_t below, int64_t now)
{
	if (now == LEVEL_EMPTY || below == FLAME_NONE)
		return below;
	if (now == LEVEL_UNKNOWN)
		return flame_branch(work->flame, below, HISTREE_FLAME_UNKNOWN, 0);
	return flame_branch(work->flame, below, HISTREE_FLAME_FRAME,
			    now == INT32_MAX ? FLAME_NO_ROOM : (uint32_t)now);
}

/* For so long the stack was as it is now. */
static enum histree_status spend(struct stack_work *work, struct stack *stack, uint64_t ns,
				 struct histree_error *error)
{
	struct level *levels = &work->levels[stack->first];
	if (stack->used == 0)
		return HISTREE_OK;
	for (; stack->changed < stack->used; stack->changed++) {
		struct level *level = &levels[stack->changed];
		uint32_t below = stack->changed > 0 ? level[-1].branch : stack->base;
		level->branch = branch_of(work, below, level->now);
		if (level->branch == FLAME_NONE)
			return error_memory(error, "a flame graph");
	}
	flame_spend(work->flame, work->request->side, levels[stack->used - 1].branch, ns);
	return HISTREE_OK;
}

static enum histree_status take_list(struct stack_work *work, const struct window_states *states, uint32_t index,
				     struct histree_error *error)
{
	struct stack *stack = &work->stacks[index];
	const struct window_list list = window_states_list(states, index);
	enum histree_status status = HISTREE_OK;
	histree_time now = states->from;
	for (size_t i = 0; i < list.count && status == HISTREE_OK; i++) {
		const struct window_state *state = &list.states[i];
		if (state->start > now) {
			status = spend(work, stack, (uint64_t)state->start - (uint64_t)now, error);
			now = state->start;
		}
		const uint32_t place = (uint32_t)((uint64_t)state->value >> 32);
		struct level *levels = &work->levels[stack->first];
		levels[place].now = (int32_t)(uint32_t)state->value;
		if (place < stack->changed)
			stack->changed = place;
		if (place >= stack->used)
			stack->used = place + 1;
		while (stack->used > 0 && levels[stack->used - 1].now == LEVEL_EMPTY)
			stack->used--;
	}
	/* The length of all time does not fit: it is one less, as that of a sum that does not. */
	uint64_t rest = (uint64_t)states->to - (uint64_t)now;
	return status == HISTREE_OK ? spend(work, stack, rest < UINT64_MAX ? rest + 1 : rest, error) : status;
}

static enum histree_status take_states(struct stack_work *work, struct histree_error *error)
{
	const struct histree_flame_request *request = work->request;
	const struct histree_history_info *info = histree_history_info(request->history);
	struct window_states states = {
		.history = request->history,
		.quarks = work->quarks,
		.quark_count = work->quark_count,
		.list_of = work->list_of,
		.list_count = (uint32_t)work->stack_count,
		.first = request->from > info->start ? request->from : info->start,
		.last = request->to < info->end ? request->to : info->end,
		.states_max = request->states_max > 0 ? request->states_max : WINDOW_STATES_MAX,
		.keep = keep,
		.context = work,
		.work = &request->work,
		.what = "a flame graph",
	};
	enum histree_status status = window_states_next(&states, error);
	while (status == HISTREE_OK) {
		for (uint32_t i = 0; i < work->stack_count && status == HISTREE_OK; i++)
			status = take_list(work, &states, i, error);
		if (status == HISTREE_OK)
			status = window_states_next(&states, error);
	}
	loss_add(&work->flame->losses[request->side], &(struct histree_loss){ .nodes = states.is_damaged });
	window_states_release(&states);
	return status == HISTREE_END ? HISTREE_OK : status;
}

enum histree_status histree_flame_add_history(struct histree_flame *flame,
					      const struct histree_flame_request *request,
					      struct histree_error *error)
{
	struct stack_work work = { .flame = flame,
				   .request = request,
				   .attributes = histree_history_attributes(request->history) };
	if (request->from > request->to || request->side >= HISTREE_FLAME_SIDES || flame->nodes != NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 "a flame graph from %" PRId64 " to %" PRId64 " of side %u%s", request->from,
				 request->to, request->side, flame->nodes != NULL ? ", though it is finished" : "");
	const uint32_t count = histree_attributes_count(work.attributes);
	bool *is_asked = calloc((size_t)count + 1, sizeof(*is_asked));
	work.list_of = malloc(((size_t)count + 1) * sizeof(*work.list_of));
	work.level_of = malloc(((size_t)count + 1) * sizeof(*work.level_of));
	enum histree_status status = is_asked != NULL && work.list_of != NULL && work.level_of != NULL
					     ? mark_asked(work.request, count, is_asked, error)
					     : error_memory(error, "a flame graph");
	for (histree_quark quark = 0; quark < count && status == HISTREE_OK; quark++)
		if (is_stack(work.attributes, quark) && wants(&work, is_asked, quark))
			status = add_stack(&work, quark, error);
	free(is_asked);
	if (work.quark_count > 1)
		qsort(work.quarks, work.quark_count, sizeof(*work.quarks), compare_u32);
	if (status == HISTREE_OK && work.stack_count == 0)
		status = error_set(
			error, HISTREE_NOT_FOUND,
			"the history of '%s' has no call stacks%s: no attribute '%s' with levels 1, 2, ...",
			histree_history_info(work.request->history)->provider,
			work.request->quarks != NULL ? " at or below those attributes" : "", stack_name);
	if (status == HISTREE_OK)
		status = name_stacks(&work, error);
	if (status == HISTREE_OK)
		status = take_states(&work, error);
	free(work.stacks);
	free(work.levels);
	free(work.list_of);
	free(work.level_of);
	free(work.quarks);
	return status;
}

/* ---- flame --------------------------------------------------------------------------------------------------- */

enum { NODES_MAX = 1 << 18, NAMES_MAX = 16 << 20 };

/* The first names, of what stacks have no words for. */
static const char *const own_names[] = { "", "(unknown)", "(rest)" };

enum { NAME_OF_ROOT, NAME_OF_UNKNOWN, NAME_OF_REST, OWN_NAME_COUNT };

/* ---- names and branches ------------------------------------------------------------------------------------- */

/* Not within a character. */
static size_t cut(const char *bytes, size_t size)
{
	if (size <= HISTREE_FLAME_NAME_MAX)
		return size;
	for (size = HISTREE_FLAME_NAME_MAX; size > 0 && ((unsigned char)bytes[size] & 0xc0) == 0x80; size--)
		;
	return size;
}

uint32_t flame_name(struct histree_flame *flame, const char *bytes, size_t size)
{
	size = cut(bytes, size);
	uint32_t known = intern_find(&flame->names, bytes, size);
	if (known != INTERN_NONE)
		return known;
	if (flame->name_bytes + size > flame->options.names_max)
		return FLAME_NO_ROOM;
	uint32_t name = intern_add(&flame->names, bytes, size);
	flame->name_bytes += name != INTERN_NONE ? size : 0;
	return name != INTERN_NONE ? name : FLAME_NONE;
}

static bool is_branch(const void *branches, uint32_t number, const void *key)
{
	const struct flame_branch *one = &((const struct flame_branch *)branches)[number], *other = key;
	return one->parent == other->parent && one->name == other->name && one->kind == other->kind;
}

static uint64_t hash_of(const struct flame_branch *branch)
{
	return hash_mix(hash_mix((uint64_t)branch->parent << 32 | branch->name) ^ branch->kind);
}

static uint64_t hash_of_number(const void *branches, uint32_t number)
{
	return hash_of(&((const struct flame_branch *)branches)[number]);
}

static uint32_t add_branch(struct histree_flame *flame, const struct flame_branch *branch)
{
	uint32_t number = flame->branch_count;
	if (!array_reserve(&flame->branches, &flame->branch_capacity, (size_t)number + 1) ||
	    !hash_index_reserve(&flame->by_name, (size_t)number + 1, hash_of_number, flame->branches))
		return FLAME_NONE;
	flame->branches[number] = *branch;
	flame->branch_count++;
	flame->rest_count += branch->kind == HISTREE_FLAME_REST;
	hash_index_add(&flame->by_name, hash_of(branch), number);
	return number;
}

static uint32_t find_branch(const struct histree_flame *flame, const struct flame_branch *key)
{
	uint32_t found = hash_index_find(&flame->by_name, hash_of(key), is_branch, flame->branches, key);
	return found != HASH_INDEX_NONE ? found : FLAME_NONE;
}

uint32_t flame_branch(struct histree_flame *flame, uint32_t parent, enum histree_flame_kind kind, uint32_t name)
{
	const enum histree_flame_kind above = flame->branches[parent].kind;
	struct flame_branch key = { .parent = parent, .name = name, .kind = kind };
	if (above == HISTREE_FLAME_REST || above == HISTREE_FLAME_UNKNOWN)
		return parent;
	if (kind == HISTREE_FLAME_UNKNOWN)
		key.name = NAME_OF_UNKNOWN;
	uint32_t branch = key.name != FLAME_NO_ROOM ? find_branch(flame, &key) : FLAME_NONE;
	if (branch != FLAME_NONE)
		return branch;
	if (key.name == FLAME_NO_ROOM || flame->branch_count - flame->rest_count >= flame->options.nodes_max) {
		key.kind = HISTREE_FLAME_REST;
		key.name = NAME_OF_REST;
		branch = find_branch(flame, &key);
	}
	return branch != FLAME_NONE ? branch : add_branch(flame, &key);
}

static void add_ns(uint64_t *sum, uint64_t ns)
{
	if (__builtin_add_overflow(*sum, ns, sum))
		*sum = UINT64_MAX;
}

void flame_spend(struct histree_flame *flame, unsigned side, uint32_t branch, uint64_t ns)
{
	add_ns(&flame->branches[branch].self[side], ns);
}

/* ---- making ------------------------------------------------------------------------------------------------- */

static bool flame_begin(struct histree_flame *flame)
{
	const struct flame_branch root = { .parent = HISTREE_NO_INDEX, .name = NAME_OF_ROOT };
	for (uint32_t i = 0; i < OWN_NAME_COUNT; i++)
		if (intern_add(&flame->names, own_names[i], strlen(own_names[i])) != i)
			return false;
	return add_branch(flame, &root) == 0;
}

enum histree_status histree_flame_create(const struct histree_flame_options *options, struct histree_flame **out,
					 struct histree_error *error)
{
	*out = NULL;
	struct histree_flame *flame = calloc(1, sizeof(*flame));
	if (flame == NULL)
		return error_memory(error, "a flame graph");
	flame->options = *options;
	if (flame->options.nodes_max == 0)
		flame->options.nodes_max = NODES_MAX;
	if (flame->options.names_max == 0)
		flame->options.names_max = NAMES_MAX;
	if (!flame_begin(flame)) {
		histree_flame_free(flame);
		return error_memory(error, "a flame graph");
	}
	*out = flame;
	return HISTREE_OK;
}

void histree_flame_free(struct histree_flame *flame)
{
	if (flame == NULL)
		return;
	intern_release(&flame->names);
	hash_index_release(&flame->by_name);
	free(flame->branches);
	free(flame->nodes);
	free(flame->unit);
	for (unsigned side = 0; side < HISTREE_FLAME_SIDES; side++)
		free(flame->events[side]);
	free(flame);
}

enum histree_status histree_flame_add(struct histree_flame *flame, unsigned side,
				      const struct histree_flame_frame *frames, size_t count, uint64_t ns,
				      struct histree_error *error)
{
	uint32_t branch = 0;
	if (side >= HISTREE_FLAME_SIDES || flame->nodes != NULL)
		return error_set(error, HISTREE_ERR_ARGUMENT,
				 flame->nodes != NULL ? "a flame graph that is finished takes no stacks"
						      : "a flame graph has sides 0 and 1");
	for (size_t i = 0; i < count; i++) {
		bool is_unknown = frames[i].kind == HISTREE_FLAME_UNKNOWN;
		uint32_t name = is_unknown ? NAME_OF_UNKNOWN : flame_name(flame, frames[i].name, frames[i].size);
		branch = name != FLAME_NONE ? flame_branch(flame, branch, frames[i].kind, name) : FLAME_NONE;
		if (branch == FLAME_NONE)
			return error_memory(error, "a flame graph");
	}
	flame_spend(flame, side, branch, ns);
	return HISTREE_OK;
}

struct histree_loss histree_flame_loss(const struct histree_flame *flame, unsigned side)
{
	return side < HISTREE_FLAME_SIDES ? flame->losses[side] : (struct histree_loss){ 0 };
}

const char *histree_flame_unit(const struct histree_flame *flame)
{
	return flame->unit;
}

const char *histree_flame_event(const struct histree_flame *flame, unsigned side, uint32_t *count)
{
	*count = side < HISTREE_FLAME_SIDES ? flame->event_counts[side] : 0;
	return side < HISTREE_FLAME_SIDES ? flame->events[side] : NULL;
}

/* ---- order -------------------------------------------------------------------------------------------------- */

/* A branch with what is needed to put it into its place. */
struct placed {
	const char *name;
	size_t name_size;
	uint64_t total[HISTREE_FLAME_SIDES], both;
	uint32_t branch, parent, descendants;
	enum histree_flame_kind kind;
};

COMPARE(by_place, struct placed,
	BY(parent) BY_ORDER((a->kind >= HISTREE_FLAME_UNKNOWN) - (b->kind >= HISTREE_FLAME_UNKNOWN)) BY_MOST(both)
		BY_ORDER(bytes_order(a->name, a->name_size, b->name, b->name_size)) BY(kind))

static void put_node(const struct histree_flame *flame, const struct placed *place, uint32_t at, uint32_t parent)
{
	struct histree_flame_node *node = &flame->nodes[at];
	*node = (struct histree_flame_node){ .name = place->name,
					     .parent = parent,
					     .depth = parent != HISTREE_NO_INDEX ? flame->nodes[parent].depth + 1
										 : 0,
					     .descendants = place->descendants,
					     .kind = place->kind };
	memcpy(node->self, flame->branches[place->branch].self, sizeof(node->self));
	memcpy(node->total, place->total, sizeof(node->total));
}

/*
 * Puts all nodes into their places.  The places are sorted by parent, so that siblings follow one another.  Those
 * of one parent come in the order in which branches were made, after that of the parent; `at` has by branch where
 * its node is, and where the next child of that begins.
 */
static enum histree_status arrange(struct histree_flame *flame, struct placed *places, struct histree_error *error)
{
	const uint32_t count = flame->branch_count;
	uint32_t *at = malloc(count * sizeof(*at)), *next = malloc(count * sizeof(*next));
	flame->nodes = malloc(count * sizeof(*flame->nodes));
	if (at == NULL || next == NULL || flame->nodes == NULL) {
		free(at);
		free(next);
		free(flame->nodes);
		flame->nodes = NULL;
		return error_memory(error, "a flame graph");
	}
	at[0] = 0;
	next[0] = 1;
	put_node(flame, &places[0], 0, HISTREE_NO_INDEX);
	qsort(places + 1, count - 1, sizeof(*places), by_place);
	/* The parent of a branch has a smaller number, so its place comes earlier in this order as well. */
	for (uint32_t i = 1; i < count; i++) {
		const struct placed *place = &places[i];
		uint32_t mine = next[place->parent];
		next[place->parent] += place->descendants + 1;
		at[place->branch] = mine;
		next[place->branch] = mine + 1;
		put_node(flame, place, mine, at[place->parent]);
	}
	free(at);
	free(next);
	return HISTREE_OK;
}

enum histree_status histree_flame_finish(struct histree_flame *flame, struct histree_error *error)
{
	if (flame->nodes != NULL)
		return HISTREE_OK;
	struct placed *places = malloc(flame->branch_count * sizeof(*places));
	if (places == NULL)
		return error_memory(error, "a flame graph");

	/* Sums go from each branch to its parent, which comes before it. */
	for (uint32_t i = 0; i < flame->branch_count; i++) {
		const struct flame_branch *branch = &flame->branches[i];
		struct placed *place = &places[i];
		*place = (struct placed){ .branch = i, .parent = branch->parent, .kind = branch->kind };
		place->name = intern_get(&flame->names, branch->name, &place->name_size);
		memcpy(place->total, branch->self, sizeof(place->total));
	}
	for (uint32_t i = flame->branch_count; i-- > 0;) {
		struct placed *place = &places[i], *parent = i > 0 ? &places[place->parent] : NULL;
		for (unsigned side = 0; side < HISTREE_FLAME_SIDES; side++) {
			add_ns(&place->both, place->total[side]);
			if (parent != NULL)
				add_ns(&parent->total[side], place->total[side]);
		}
		if (parent != NULL)
			parent->descendants += place->descendants + 1;
	}
	enum histree_status status = arrange(flame, places, error);
	free(places);
	return status;
}

const struct histree_flame_node *histree_flame_nodes(const struct histree_flame *flame, uint32_t *count)
{
	*count = flame->nodes != NULL ? flame->branch_count : 0;
	return flame->nodes;
}
