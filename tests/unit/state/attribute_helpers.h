/* SPDX-License-Identifier: MIT */
/*
 * attribute_helpers.h - attribute trees for tests: by hand or at random, and whether they are sound.
 *
 * HISTREE_SEED=NUMBER repeats a run with other random numbers.
 */
#ifndef UNIT_ATTRIBUTE_HELPERS_H
#define UNIT_ATTRIBUTE_HELPERS_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/table.h"
#include "state/attribute_section.h"
#include "support/effort.h"
#include "support/test.h"

/* ---- helpers ------------------------------------------------------------------------------------------ */

static inline histree_quark add(struct attribute_tree *tree, histree_quark from, const char *path)
{
	histree_quark quark;
	struct histree_error error;
	assert_ok(attribute_tree_add_path(tree, from, path, &quark, &error));
	return quark;
}

static inline void assert_path(const struct histree_attributes *attributes, histree_quark quark, const char *path)
{
	char buffer[256];
	assert_int_equal(histree_attributes_path(attributes, quark, buffer, sizeof(buffer)), strlen(path));
	assert_string_equal(buffer, path);
}

/* A name of any size: the caller frees it. */
static inline char *name_of(const struct histree_attributes *attributes, histree_quark quark, size_t *size)
{
	*size = histree_attributes_name(attributes, quark, NULL, 0);
	char *name = malloc(*size + 1);
	assert_non_null(name);
	assert_int_equal(histree_attributes_name(attributes, quark, name, *size + 1), *size);
	assert_true(name[*size] == '\0');
	return name;
}

/* Links, order and look-ups fit each other. */
static inline void assert_sound(const struct histree_attributes *attributes)
{
	uint32_t walked = 0;
	struct attribute_range near = { 0 };
	for (histree_quark quark = attributes_next(attributes, HISTREE_ROOT, HISTREE_ROOT, &near);
	     quark != HISTREE_ROOT; quark = attributes_next(attributes, HISTREE_ROOT, quark, &near)) {
		histree_quark parent = histree_attributes_parent(attributes, quark);
		histree_quark next = histree_attributes_next_sibling(attributes, quark);
		assert_true(parent == HISTREE_ROOT || parent < quark);
		assert_true(next == HISTREE_ROOT ||
			    (next > quark && histree_attributes_parent(attributes, next) == parent));
		histree_quark found;
		size_t size;
		char *name = name_of(attributes, quark, &size);
		assert_ok(histree_attributes_child(attributes, parent, name, size, &found));
		assert_int_equal(found, quark);
		free(name);
		walked++;
	}
	assert_int_equal(walked, histree_attributes_count(attributes));
}

/* Some at a time, which are the next ones each time. */
static inline void assert_equal_children(const struct histree_attributes *a, const struct histree_attributes *b,
					 histree_quark parent)
{
	histree_quark of_a[3], of_b[3], last = HISTREE_ROOT, walked = histree_attributes_first_child(a, parent);
	size_t count;
	while ((count = histree_attributes_children(a, parent, last, of_a, 3)) > 0) {
		assert_int_equal(histree_attributes_children(b, parent, last, of_b, 3), count);
		assert_memory_equal(of_a, of_b, count * sizeof(of_a[0]));
		assert_int_equal(of_a[0], last == HISTREE_ROOT ? histree_attributes_first_child(a, parent)
							       : histree_attributes_next_sibling(a, last));
		last = of_a[count - 1];
		walked = histree_attributes_next_sibling(a, last);
	}
	assert_int_equal(walked, HISTREE_ROOT); /* none was left out */
	assert_int_equal(histree_attributes_children(b, parent, last, of_b, 3), 0);
	assert_int_equal(histree_attributes_children(b, parent, parent, of_b, parent == HISTREE_ROOT ? 0 : 3), 0);
}

static inline void assert_equal_trees(const struct histree_attributes *a, const struct histree_attributes *b)
{
	assert_int_equal(histree_attributes_count(a), histree_attributes_count(b));
	for (histree_quark quark = 0; quark < histree_attributes_count(a); quark++) {
		size_t size_a, size_b;
		char *name_a = name_of(a, quark, &size_a), *name_b = name_of(b, quark, &size_b);
		assert_int_equal(histree_attributes_parent(a, quark), histree_attributes_parent(b, quark));
		assert_int_equal(histree_attributes_first_child(a, quark),
				 histree_attributes_first_child(b, quark));
		assert_int_equal(histree_attributes_next_sibling(a, quark),
				 histree_attributes_next_sibling(b, quark));
		assert_int_equal(size_a, size_b);
		assert_memory_equal(name_a, name_b, size_a);
		free(name_a);
		free(name_b);
		assert_equal_children(a, b, quark);
	}
	assert_equal_children(a, b, HISTREE_ROOT);
	assert_sound(b);
}

/* Any shape; names of letters, so that many are alike, and numbers, of which some count up. */
static inline void random_tree(struct attribute_tree *tree, struct random *random, uint32_t count)
{
	attribute_tree_init(tree);
	uint32_t number = random_index(random, 1000);
	for (uint32_t i = 0; i < count; i++) {
		char name[16];
		size_t size = 1 + random_index(random, 4);
		for (size_t at = 0; at < size; at++)
			name[at] = (char)('a' + random_index(random, 2));
		if (random_index(random, 3) == 0) {
			number += random_index(random, 2) == 0 ? 1 : random_index(random, 100);
			size = (size_t)snprintf(name, sizeof(name), "%" PRIu32, number);
		}
		histree_quark quark = random_index(random, tree->base.count + 1) - 1; /* -1 is the root */
		assert_ok(attribute_tree_add(tree, quark, name, size, &quark, NULL));
	}
}

/* What a kernel analysis makes: threads come one after the other, most with the same attributes, some late. */
static inline void thread_tree(struct attribute_tree *tree, struct random *random, uint32_t threads)
{
	static const char *const names[] = {
		"PPID", "PID", "Exec_name", "System_call", "Stack/1", "Stack/2", "Prio"
	};
	attribute_tree_init(tree);
	uint32_t tid = 100;
	for (uint32_t i = 0; i < threads; i++) {
		char path[64];
		tid += random_index(random, 20) == 0 ? random_index(random, 50) : 1;
		for (size_t name = 0; name < 7; name++)
			if (random_index(random, 30) > 0) {
				snprintf(path, sizeof(path), "Threads/%" PRIu32 "/%s", tid, names[name]);
				add(tree, HISTREE_ROOT, path);
			}
		if (random_index(random, 10) == 0) {
			snprintf(path, sizeof(path), "Threads/%" PRIu32 "/%s", 101 + random_index(random, i + 1),
				 names[random_index(random, 7)]);
			add(tree, HISTREE_ROOT, path);
		}
	}
}

/* ---- as bytes ------------------------------------------------------------------------------------------- */

struct bytes_of_section {
	uint8_t *bytes;
	size_t size, capacity, pieces;
	size_t fail_at; /* the piece that cannot be written, from 1; 0: none */
};

static inline enum histree_status section_take(void *context, const void *bytes, size_t size,
					       struct histree_error *error)
{
	(void)error;
	struct bytes_of_section *section = context;
	if (++section->pieces == section->fail_at)
		return HISTREE_ERR_IO;
	assert_true(array_reserve(&section->bytes, &section->capacity, section->size + size));
	memcpy(section->bytes + section->size, bytes, size);
	section->size += size;
	return HISTREE_OK;
}

static inline enum histree_status section_save(const struct attribute_tree *tree, struct bytes_of_section *section)
{
	const struct section_sink sink = { .write = section_take, .context = section };
	return attribute_section_save(tree, &sink, NULL);
}

/* From memory of exactly that size, so that a sanitizer sees each byte read behind it. */
static inline enum histree_status section_open(struct attribute_view *view, const uint8_t *bytes, size_t size,
					       struct histree_error *error)
{
	uint8_t *copy = malloc(size > 0 ? size : 1);
	assert_non_null(copy);
	if (size > 0)
		memcpy(copy, bytes, size);
	return attribute_view_open(view, copy, size, error);
}

/* The tree as a finished history has it. */
static inline void finish(const struct attribute_tree *tree, struct attribute_view *view)
{
	struct bytes_of_section section = { 0 };
	assert_ok(section_save(tree, &section));
	assert_ok(section_open(view, section.bytes, section.size, NULL));
	free(section.bytes);
}

#endif
