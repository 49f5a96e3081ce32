// SPDX-License-Identifier: MIT
#include "support/faulty_memory.h"

#include <errno.h>
#include <jansson.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct faulty_memory faulty_memory;

/* What is freed may have been allocated before the count began: then there is less than nothing. */
static struct {
	bool goes_on, refused;
	ptrdiff_t now, peak, ceiling;
} count;

void faulty_memory_begin(uint64_t fail_at, bool for_ever)
{
	faulty_memory.requests = 0;
	faulty_memory.refused = false;
	faulty_memory.for_ever = for_ever;
	faulty_memory.fail_at = fail_at;
}

void faulty_memory_end(void)
{
	faulty_memory.fail_at = 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t elements, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t elements, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_reallocarray(void *memory, size_t elements, size_t size);
void __wrap_free(void *memory);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));

void counted_memory_begin(size_t ceiling)
{
	json_set_alloc_funcs(__wrap_malloc, __wrap_free);
	memset(&count, 0, sizeof(count));
	count.ceiling = (ptrdiff_t)ceiling;
	count.goes_on = true;
}

size_t counted_memory_peak(void)
{
	return (size_t)count.peak;
}

bool counted_memory_refused(void)
{
	return count.refused;
}

static bool is_above_ceiling(size_t size)
{
	return count.goes_on && count.ceiling != 0 &&
	       (size > PTRDIFF_MAX / 2 || count.now + (ptrdiff_t)size > count.ceiling);
}

static bool is_next_to_fail(void)
{
	uint64_t number = ++faulty_memory.requests;
	return faulty_memory.fail_at != 0 &&
	       (number == faulty_memory.fail_at || (number > faulty_memory.fail_at && faulty_memory.for_ever));
}

static bool refuses(size_t size)
{
	if (is_above_ceiling(size))
		count.refused = true;
	else if (is_next_to_fail())
		faulty_memory.refused = true;
	else
		return false;
	errno = ENOMEM;
	return true;
}

static void *counted(void *memory)
{
	if (count.goes_on) {
		count.now += (ptrdiff_t)malloc_usable_size(memory);
		count.peak = count.now > count.peak ? count.now : count.peak;
	}
	return memory;
}

void *__wrap_malloc(size_t size)
{
	return refuses(size) ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t elements, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(elements, size, &bytes) || refuses(bytes))
		return NULL;
	return counted(__real_calloc(elements, size));
}

/* While it is moved, there are both. */
void *__wrap_realloc(void *memory, size_t size)
{
	if (refuses(size))
		return NULL;
	ptrdiff_t before = count.goes_on ? (ptrdiff_t)malloc_usable_size(memory) : 0;
	void *moved = __real_realloc(memory, size);
	if (moved != NULL) {
		counted(moved);
		count.now -= before;
	}
	return moved;
}

void *__wrap_reallocarray(void *memory, size_t elements, size_t size)
{
	size_t bytes;
	return __builtin_mul_overflow(elements, size, &bytes) ? NULL : __wrap_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return refuses(size) ? NULL : counted(__real_aligned_alloc(alignment, size));
}

void __wrap_free(void *memory)
{
	if (count.goes_on)
		count.now -= (ptrdiff_t)malloc_usable_size(memory);
	__real_free(memory);
}

char *__wrap_strndup(const char *text, size_t size)
{
	size_t length = strnlen(text, size);
	char *copy = __wrap_malloc(length + 1);
	if (copy != NULL) {
		memcpy(copy, text, length);
		copy[length] = '\0';
	}
	return copy;
}

char *__wrap_strdup(const char *text)
{
	return __wrap_strndup(text, strlen(text));
}

int __wrap_asprintf(char **out, const char *format, ...)
{
	va_list arguments;
	if (refuses(0))
		return -1;
	va_start(arguments, format);
	int length = vasprintf(out, format, arguments);
	va_end(arguments);
	if (length >= 0)
		counted(*out);
	return length;
}
