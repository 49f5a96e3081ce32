// SPDX-License-Identifier: MIT
/*
 * test_state_memory.c - what a state system takes of memory, counted, and how long what it lends stays.
 */
#include <malloc.h>

#include "interval_recorder.h"
#include "support/test.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define UNDER_ADDRESS_SANITIZER 1
#endif
#ifdef UNDER_ADDRESS_SANITIZER
/* Of the sanitizer's run-time library; gcc does not bring its header. */
size_t __sanitizer_get_current_allocated_bytes(void);
#endif

TEST(borrowed_bytes_can_be_handed_back)
{
	struct recorder recorder;
	struct histree_state_system *system = create(&recorder);
	histree_quark from = attribute(system, "from");
	histree_quark to = attribute(system, "to");
	struct histree_value value;
	for (histree_time t = 2000; t < 22000; t++) {
		char text[VALUE_SIZE_MAX + 1];
		int size = snprintf(text, sizeof(text), "%" PRId64 " and some more bytes", t);
		assert_ok(histree_state_modify(system, t, from, histree_string(text), NULL));
		assert_ok(histree_state_ongoing(system, from, &value, NULL, NULL));
		/* No one holds it any more when a part of it is stored. */
		assert_ok(histree_state_modify(system, t, from, histree_null(), NULL));
		value.size -= 1;
		assert_ok(histree_state_modify(system, t, to, value, NULL));
		assert_ongoing(system, to, histree_string_n(text, (size_t)size - 1), t);
	}
	release(system, &recorder);
}

/* Bytes that the program holds now, 0 where nobody can tell. */
static size_t allocated_bytes(void)
{
#ifdef UNDER_ADDRESS_SANITIZER
	return __sanitizer_get_current_allocated_bytes();
#else
	struct mallinfo2 info = mallinfo2();
	return info.uordblks + info.hblkhd;
#endif
}

static enum histree_status forget(void *context, const struct histree_interval *interval,
				  struct histree_error *error)
{
	(void)context;
	(void)interval;
	(void)error;
	return HISTREE_OK;
}

static struct histree_state_system *create_forgetful(struct recorder *recorder)
{
	struct histree_state_system *system = create(recorder);
	system->sink.add = forget;
	return system;
}

TEST(memory_follows_what_is_held_not_what_came_by)
{
	struct recorder recorder;
	struct histree_state_system *system = create_forgetful(&recorder);
	size_t before = allocated_bytes();
	if (before == 0)
		skip();
	histree_quark quark = attribute(system, "a");
	for (histree_time t = 2000; t < 502000; t++) {
		char text[VALUE_SIZE_MAX];
		int size = snprintf(text, sizeof(text), "%038" PRId64, t);
		assert_ok(histree_state_modify(system, t, quark, histree_string_n(text, (size_t)size), NULL));
	}
	size_t used = allocated_bytes() - before;
	print_message("%zu bytes after 500000 distinct values\n", used);
	assert_true(used < 1 << 20);
	release(system, &recorder);
}

enum { MANY = 1000000 };

static size_t bytes_of_many(bool distinct)
{
	struct recorder recorder;
	struct histree_state_system *system = create_forgetful(&recorder);
	size_t before = allocated_bytes();
	histree_quark parent = HISTREE_ROOT;
	for (unsigned i = 0; i < MANY; i++) {
		char text[16];
		histree_quark quark;
		int size = snprintf(text, sizeof(text), "%u", i);
		if (distinct) {
			assert_ok(histree_state_child(system, HISTREE_ROOT, text, (size_t)size, &quark, NULL));
			assert_ok(histree_state_modify(system, 2000, quark, histree_string(text), NULL));
			continue;
		}
		/* As in a kernel trace: eight attributes a thread, of which only one has a new name. */
		static const char *const names[] = { "",     "System_call", "Exec_name", "PPID",
						     "Prio", "PID",         "CPU",       "State" };
		if (i % 8 == 0)
			assert_ok(histree_state_child(system, HISTREE_ROOT, text, (size_t)size, &parent, NULL));
		else
			assert_ok(histree_state_child(system, parent, names[i % 8], strlen(names[i % 8]), &quark,
						      NULL));
		assert_ok(histree_state_modify(system, 2000, i, histree_string(names[i % 8]), NULL));
	}
	size_t used = allocated_bytes() - before;
	release(system, &recorder);
	return used;
}

/* 2 GiB for 10,000,000 attributes, whatever their names and values, are 214 bytes each. */
TEST(an_attribute_takes_little_memory)
{
	if (allocated_bytes() == 0)
		skip();
	double distinct = (double)bytes_of_many(true) / MANY;
	double shared = (double)bytes_of_many(false) / MANY;
	print_message("%.1f bytes an attribute with its own name and string, %.1f with those of a kernel trace\n",
		      distinct, shared);
	assert_true(distinct < 214);
	assert_true(shared < 100);
}
