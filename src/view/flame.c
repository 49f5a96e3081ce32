// SPDX-License-Identifier: MIT
/*
 * flame.c - stacks, added up into a tree of names.
 */
#include "histree/flame.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "view/flame_tree.h"

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

static bool begin(struct histree_flame *flame)
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
	if (!begin(flame)) {
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

bool histree_flame_is_damaged(const struct histree_flame *flame, unsigned side)
{
	return side < HISTREE_FLAME_SIDES && flame->is_damaged[side];
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

static int by_place(const void *one, const void *other)
{
	const struct placed *a = one, *b = other;
	bool a_is_last = a->kind >= HISTREE_FLAME_UNKNOWN, b_is_last = b->kind >= HISTREE_FLAME_UNKNOWN;
	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a_is_last != b_is_last)
		return a_is_last ? 1 : -1;
	if (a->both != b->both)
		return a->both > b->both ? -1 : 1;
	int order = memcmp(a->name, b->name, a->name_size < b->name_size ? a->name_size : b->name_size);
	if (order != 0)
		return order;
	return a->name_size != b->name_size ? (a->name_size > b->name_size) - (a->name_size < b->name_size)
					    : (int)a->kind - (int)b->kind;
}

/* Sums go from each branch to its parent, which comes before it. */
static void add_up(const struct histree_flame *flame, struct placed *places)
{
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
}

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
	add_up(flame, places);
	enum histree_status status = arrange(flame, places, error);
	free(places);
	return status;
}

const struct histree_flame_node *histree_flame_nodes(const struct histree_flame *flame, uint32_t *count)
{
	*count = flame->nodes != NULL ? flame->branch_count : 0;
	return flame->nodes;
}
