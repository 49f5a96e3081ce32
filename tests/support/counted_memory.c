// SPDX-License-Identifier: MIT
#include "support/counted_memory.h"

#include <errno.h>
#include <jansson.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is freed may have been allocated before the count began: then there is less than nothing. */
static struct {
	ptrdiff_t now, peak, ceiling;
	bool refused;
} count;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t elements, size_t size);
void *__wrap_realloc(void *memory, size_t size);
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
}

size_t counted_memory_peak(void)
{
	return (size_t)count.peak;
}

bool counted_memory_refused(void)
{
	return count.refused;
}

static bool refuses(size_t size)
{
	if (count.ceiling == 0 || (size <= PTRDIFF_MAX / 2 && count.now + (ptrdiff_t)size <= count.ceiling))
		return false;
	count.refused = true;
	errno = ENOMEM;
	return true;
}

static void *counted(void *memory)
{
	count.now += (ptrdiff_t)malloc_usable_size(memory);
	if (count.now > count.peak)
		count.peak = count.now;
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
	size_t before = malloc_usable_size(memory);
	void *moved = __real_realloc(memory, size);
	if (moved == NULL)
		return NULL;
	counted(moved);
	count.now -= (ptrdiff_t)before;
	return moved;
}

void *__wrap_reallocarray(void *memory, size_t elements, size_t size)
{
	size_t bytes;
	return __builtin_mul_overflow(elements, size, &bytes) ? NULL : __wrap_realloc(memory, bytes);
}

void __wrap_free(void *memory)
{
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
	va_start(arguments, format);
	int length = vasprintf(out, format, arguments);
	va_end(arguments);
	if (length >= 0)
		counted(*out);
	return length;
}
