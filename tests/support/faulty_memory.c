// SPDX-License-Identifier: MIT
#include "support/faulty_memory.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct faulty_memory faulty_memory;

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

static bool refuses(void)
{
	uint64_t number = ++faulty_memory.requests;
	if (faulty_memory.fail_at == 0 || number < faulty_memory.fail_at ||
	    (number > faulty_memory.fail_at && !faulty_memory.for_ever))
		return false;
	faulty_memory.refused = true;
	errno = ENOMEM;
	return true;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_reallocarray(void *memory, size_t count, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));

void *__wrap_malloc(size_t size)
{
	return refuses() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return refuses() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
	return refuses() ? NULL : __real_realloc(memory, size);
}

void *__wrap_reallocarray(void *memory, size_t count, size_t size)
{
	size_t bytes;
	return __builtin_mul_overflow(count, size, &bytes) ? NULL : __wrap_realloc(memory, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return refuses() ? NULL : __real_aligned_alloc(alignment, size);
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
	if (refuses())
		return -1;
	va_start(arguments, format);
	int length = vasprintf(out, format, arguments);
	va_end(arguments);
	return length;
}
