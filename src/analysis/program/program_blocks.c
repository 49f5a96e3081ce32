// SPDX-License-Identifier: MIT
/*
 * program_blocks.c - runs the statements of a program: changes of attributes, stacks, and changes at later times.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/program/program_run.h"
#include "base/hash_index.h"
#include "base/heap.h"
#include "base/table.h"
#include "state/attributes.h"
#include "state/state_system.h"

/* ---- program blocks ------------------------------------------------------------------------------------------ */

/* ---- changes ---------------------------------------------------------------------------------------------- */

/* What was touched may be in doubt after a gap. */
static void touch(struct program_run *run, histree_quark quark)
{
	size_t known = run->touched_capacity;
	if (quark >= known) {
		if (!array_reserve(&run->touched, &run->touched_capacity, (size_t)quark + 1)) {
			changes_fail(&run->changes, HISTREE_ERR_MEMORY, "no memory for attributes");
			return;
		}
		memset(run->touched + known, 0, run->touched_capacity - known);
	}
	run->touched[quark] |= TOUCHED;
}

void run_change(struct program_run *run, histree_quark quark, struct histree_value value)
{
	touch(run, quark);
	change(&run->changes, quark, value);
}

static bool is_kept(const histree_quark *kept, size_t count, histree_quark quark)
{
	for (size_t i = 0; i < count; i++)
		if (kept[i] == quark)
			return true;
	return false;
}

void run_delete(struct program_run *run, histree_quark quark)
{
	run_delete_but(run, quark, NULL, 0);
}

/* Children first, as Trace Compass does it.  Most of them are null already. */
void run_delete_but(struct program_run *run, histree_quark quark, const histree_quark *kept, size_t kept_count)
{
	const struct subtree *subtree = run_subtree(run, quark);
	if (subtree == NULL) {
		changes_fail(&run->changes, HISTREE_ERR_MEMORY, "no memory for what is deleted");
		return;
	}
	const struct ongoing_states *ongoing = &run->changes.system->ongoing;
	for (size_t i = 0; i < subtree->count && run->calls.count > 0; i++)
		run_calls_end(run, subtree->quarks[i]);
	for (size_t i = 0; i < subtree->count; i++)
		if (ongoing->states[subtree->quarks[i]].type != HISTREE_NULL &&
		    !is_kept(kept, kept_count, subtree->quarks[i]))
			change(&run->changes, subtree->quarks[i], histree_null());
}

/* Returns the slot of a stack that was pushed to; NO_ATTRIBUTE after a failure. */
static histree_quark touch_top(struct program_run *run, histree_quark stack, int32_t depth)
{
	struct changes *changes = &run->changes;
	histree_quark top;
	changes->status = state_stack_slot(changes->system, stack, depth, &top, &changes->error);
	if (changes->status != HISTREE_OK)
		return NO_ATTRIBUTE;
	touch(run, top);
	return top;
}

static struct histree_value ongoing(struct program_run *run, histree_quark quark)
{
	return changes_value(&run->changes, quark);
}

static void push(struct program_run *run, histree_time time, histree_quark quark, struct histree_value value)
{
	struct changes *changes = &run->changes;
	struct histree_value depth = ongoing(run, quark);
	if (depth.type == HISTREE_UNKNOWN || changes->status != HISTREE_OK)
		return;
	touch(run, quark);
	changes->status = histree_state_push(changes->system, time, quark, value, &changes->error);
	int32_t top = depth.type == HISTREE_INT ? depth.int32 + 1 : 1;
	histree_quark slot = changes->status == HISTREE_OK ? touch_top(run, quark, top) : NO_ATTRIBUTE;
	if (slot != NO_ATTRIBUTE && run->program->call_groups_count > 0)
		run_call_begin(run, quark, (uint32_t)top, slot);
}

/* Returns whether there may be more below it. */
static bool pop(struct program_run *run, histree_time time, histree_quark quark)
{
	struct changes *changes = &run->changes;
	struct histree_value depth = ongoing(run, quark);
	if (depth.type != HISTREE_INT || depth.int32 <= 0 || changes->status != HISTREE_OK)
		return false;
	if (run->calls.count > 0)
		run_call_end(run, quark, (uint32_t)depth.int32);
	changes->status = state_stack_pop(changes->system, time, quark, true, NULL, &changes->error);
	return changes->status == HISTREE_OK && depth.int32 > 1;
}

static void apply(struct program_run *run, enum program_change kind, histree_quark quark,
		  struct histree_value value)
{
	struct changes *changes = &run->changes;
	switch (kind) {
	case PROGRAM_SET:
		run_change(run, quark, value);
		break;
	case PROGRAM_REPLACE:
		touch(run, quark);
		change_ongoing(changes, quark, value);
		break;
	case PROGRAM_INCREMENT:
		touch(run, quark);
		if (changes->status == HISTREE_OK && value.type == HISTREE_UNKNOWN)
			change(changes, quark, value);
		else if (changes->status == HISTREE_OK && value.type != HISTREE_NULL)
			changes->status = histree_state_increment(changes->system, changes->time, quark, value,
								  &changes->error);
		break;
	case PROGRAM_PUSH:
		push(run, changes->time, quark, value);
		break;
	case PROGRAM_POP:
		pop(run, changes->time, quark);
		break;
	case PROGRAM_POP_ALL:
		if (ongoing(run, quark).type == HISTREE_UNKNOWN)
			run_delete(run, quark);
		while (pop(run, changes->time, quark))
			;
		break;
	case PROGRAM_DELETE:
		run_delete(run, quark);
		break;
	}
}

/* ---- changes in the future: a heap -------------------------------------------------------------------------- */

static bool is_before(const struct future_change *first, const struct future_change *second)
{
	return first->time != second->time ? first->time < second->time : first->order < second->order;
}

void run_future(struct program_run *run, histree_time until)
{
	histree_time now = run->changes.time;
	while (run->future_count > 0 && run->future[0].time <= until && run->changes.status == HISTREE_OK) {
		struct future_change next = run->future[0];
		HEAP_POP(run->future, run->future_count, a, b, is_before(a, b));
		run->changes.time = next.time;
		apply(run, (enum program_change)next.change, next.quark, next.value);
		changes_forgive(&run->changes);
		free(next.text);
	}
	run->changes.time = now;
}

void run_forget_future(struct program_run *run)
{
	for (size_t i = 0; i < run->future_count; i++)
		free(run->future[i].text);
	run->future_count = 0;
}

/* ---- blocks ----------------------------------------------------------------------------------------------- */

static void run_change_row(struct program_run *run, const struct action_row *row)
{
	histree_quark quark = run_path(run, row->path, true);
	if (quark == NO_ATTRIBUTE)
		return;
	struct histree_value value = run_value(run, row->value);
	if (row->at == PROGRAM_NOTHING) {
		apply(run, (enum program_change)row->change, quark, value);
		return;
	}
	struct histree_value at = value_convert(run_value(run, row->at), HISTREE_LONG, &run->scratch);
	if (at.type != HISTREE_LONG || at.int64 < run->changes.time)
		return;
	struct future_change made = { .time = at.int64, .change = row->change, .quark = quark, .value = value };
	if (run->future_count == FUTURE_MAX) {
		run->changes.refused++;
		return;
	}
	if (made.value.type == HISTREE_STRING) {
		made.text = malloc((size_t)made.value.size + 1);
		if (made.text != NULL)
			memcpy(made.text, made.value.bytes, made.value.size);
		made.value.bytes = made.text;
	}
	if ((made.value.type == HISTREE_STRING && made.text == NULL) ||
	    !array_reserve(&run->future, &run->future_capacity, run->future_count + 1)) {
		free(made.text);
		changes_fail(&run->changes, HISTREE_ERR_MEMORY, "no memory for changes in the future");
		return;
	}
	made.order = run->future_order++;
	HEAP_PUSH(run->future, run->future_count, made, a, b, is_before(a, b));
}

void run_block(struct program_run *run, program_block block)
{
	const struct program *program = run->program;
	if (block == PROGRAM_NOTHING)
		return;
	for (uint32_t i = program->blocks[block].first; i != PROGRAM_NOTHING; i = program->actions[i].next) {
		const struct action_row *row = &program->actions[i];
		switch ((enum action_kind)row->kind) {
		case ACTION_CHANGE:
			run_change_row(run, row);
			break;
		case ACTION_IF:
			run_block(run, run_is_true(run, row->value) ? row->then : row->otherwise);
			break;
		case ACTION_SEGMENT:
			run_segment(run, row);
			break;
		case ACTION_SPAN_BEGIN:
			run_span_begin(run, row);
			break;
		case ACTION_SPAN_END:
			run_span_end(run, row);
			break;
		case ACTION_SPAN_STEP:
			run_span_step(run, row);
			break;
		}
		if (run->changes.status != HISTREE_OK)
			changes_forgive(&run->changes);
	}
}

/* ---- program subtrees ---------------------------------------------------------------------------------------- */

static bool has_top(const void *subtrees, uint32_t number, const void *key)
{
	return ((const struct subtree *)subtrees)[number].top == *(const histree_quark *)key;
}

static uint64_t hash_of_subtree(const void *subtrees, uint32_t number)
{
	return hash_mix(((const struct subtree *)subtrees)[number].top);
}

static bool append(struct subtree *subtree, histree_quark quark)
{
	if (!array_reserve(&subtree->quarks, &subtree->capacity, subtree->count + 1))
		return false;
	subtree->quarks[subtree->count++] = quark;
	return true;
}

/* A parent is older than its children. */
static bool is_below(const struct attribute_tree *tree, histree_quark quark, histree_quark top)
{
	while (quark > top && quark != HISTREE_ROOT)
		quark = tree->attributes[quark].parent;
	return quark == top;
}

/* Learn of attributes that were made since then: one by one, or by a walk, whichever is less. */
static bool refresh(struct subtree *subtree, const struct attribute_tree *tree)
{
	uint32_t from = subtree->known, count = tree->base.count;
	if (from == count)
		return true;
	subtree->known = count;
	if (subtree->count == 0 || count - from > subtree->count) {
		/* Parents come before their children in a walk, so the other way round children come first. */
		struct attribute_range near = { 0 };
		subtree->count = 0;
		for (histree_quark quark = subtree->top; quark != HISTREE_ROOT;
		     quark = attributes_next(&tree->base, subtree->top, quark, &near))
			if (!append(subtree, quark))
				return false;
		for (size_t i = 0, j = subtree->count; i + 1 < j; i++) {
			histree_quark other = subtree->quarks[--j];
			subtree->quarks[j] = subtree->quarks[i];
			subtree->quarks[i] = other;
		}
		return true;
	}
	for (histree_quark quark = from; quark < count; quark++)
		if (is_below(tree, quark, subtree->top) && !append(subtree, quark))
			return false;
	return true;
}

const struct subtree *run_subtree(struct program_run *run, histree_quark top)
{
	struct subtrees *subtrees = &run->subtrees;
	uint64_t hash = hash_mix(top);
	uint32_t found = hash_index_find(&subtrees->index, hash, has_top, subtrees->all, &top);
	if (found == HASH_INDEX_NONE) {
		if (!array_reserve(&subtrees->all, &subtrees->capacity, subtrees->count + 1) ||
		    !hash_index_reserve(&subtrees->index, subtrees->count + 1, hash_of_subtree, subtrees->all))
			return NULL;
		found = (uint32_t)subtrees->count++;
		subtrees->all[found] = (struct subtree){ .top = top };
		hash_index_add(&subtrees->index, hash, found);
	}
	struct subtree *subtree = &subtrees->all[found];
	return refresh(subtree, &run->changes.system->attributes) ? subtree : NULL;
}

void run_release_subtrees(struct program_run *run)
{
	for (size_t i = 0; i < run->subtrees.count; i++)
		free(run->subtrees.all[i].quarks);
	free(run->subtrees.all);
	hash_index_release(&run->subtrees.index);
}
