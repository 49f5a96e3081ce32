// SPDX-License-Identifier: MIT
/*
 * program.c - what uftrace records: threads, a process that is forked and one that runs another program, a library
 * that is loaded later, recursion, arguments of several kinds, and a longjmp.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf far;
static volatile int sink;

static void leaf(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
}

static void middle(int n)
{
	for (int i = 0; i < n; i++)
		leaf(i * 10);
}

int recurse(int n)
{
	leaf(n);
	return n == 0 ? 1 : 1 + recurse(n - 1);
}

double named(const char *name, double factor)
{
	return (double)strlen(name) * factor;
}

static void jump(void)
{
	longjmp(far, 1);
}

static void *worker(void *number)
{
	int n = (int)(long)number;
	for (int i = 0; i < 50; i++) {
		middle(n + i % 7);
		recurse(i % 9);
		usleep(20);
	}
	return NULL;
}

static void run_child(int argc)
{
	middle(3);
	if (argc > 1)
		execl("/bin/true", "true", (char *)NULL);
	exit(0);
}

static void load_library(void)
{
	void *library = dlopen("./libplugin.so", RTLD_NOW);
	int (*entry)(int) = library == NULL ? NULL : (int (*)(int))dlsym(library, "plugin_entry");
	if (entry != NULL)
		sink += entry(4);
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	(void)argv;
	for (long i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, worker, (void *)(i + 2));
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	pid_t child = fork();
	if (child == 0)
		run_child(argc);
	waitpid(child, NULL, 0);
	load_library();
	sink += (int)named("a name of some length", 1.5) + (int)named("", 2);
	if (setjmp(far) == 0)
		jump();
	return recurse(12) == 13 ? 0 : 1;
}
