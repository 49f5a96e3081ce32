// SPDX-License-Identifier: MIT
#include "support/failing_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

struct failing_files failing_files;

static bool call_fails(void)
{
	const bool fails = failing_files.fail_at != 0 && ++failing_files.count == failing_files.fail_at;
	failing_files.failed |= fails;
	if (fails)
		errno = EIO;
	return fails;
}

FILE *__real_fopen64(const char *path, const char *mode);
FILE *__real_fopen(const char *path, const char *mode);
size_t __real_fread(void *bytes, size_t size, size_t count, FILE *file);
int __real_stat64(const char *path, struct stat *out);
int __real_stat(const char *path, struct stat *out);
int __real_fstat64(int file, struct stat *out);
int __real_fstat(int file, struct stat *out);
int __real_open64(const char *path, int flags, ...);
int __real_open(const char *path, int flags, ...);
FILE *__wrap_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
size_t __wrap_fread(void *bytes, size_t size, size_t count, FILE *file);
int __wrap_stat64(const char *path, struct stat *out);
int __wrap_stat(const char *path, struct stat *out);
int __wrap_fstat64(int file, struct stat *out);
int __wrap_fstat(int file, struct stat *out);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);

FILE *__wrap_fopen64(const char *path, const char *mode)
{
	return call_fails() ? NULL : __real_fopen64(path, mode);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
	return call_fails() ? NULL : __real_fopen(path, mode);
}

/* As if the file were empty: then it is of no format. */
size_t __wrap_fread(void *bytes, size_t size, size_t count, FILE *file)
{
	return call_fails() ? 0 : __real_fread(bytes, size, count, file);
}

int __wrap_stat64(const char *path, struct stat *out)
{
	return call_fails() ? -1 : __real_stat64(path, out);
}

int __wrap_stat(const char *path, struct stat *out)
{
	return call_fails() ? -1 : __real_stat(path, out);
}

int __wrap_fstat64(int file, struct stat *out)
{
	return call_fails() ? -1 : __real_fstat64(file, out);
}

int __wrap_fstat(int file, struct stat *out)
{
	return call_fails() ? -1 : __real_fstat(file, out);
}

static mode_t mode_of(int flags, va_list *list)
{
	return (flags & O_CREAT) != 0 ? va_arg(*list, mode_t) : 0;
}

int __wrap_open64(const char *path, int flags, ...)
{
	va_list list;
	va_start(list, flags);
	const mode_t mode = mode_of(flags, &list);
	va_end(list);
	return call_fails() ? -1 : __real_open64(path, flags, mode);
}

int __wrap_open(const char *path, int flags, ...)
{
	va_list list;
	va_start(list, flags);
	const mode_t mode = mode_of(flags, &list);
	va_end(list);
	return call_fails() ? -1 : __real_open(path, flags, mode);
}
