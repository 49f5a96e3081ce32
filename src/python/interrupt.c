// SPDX-License-Identifier: MIT
/*
 * interrupt.c - ends a call of the library when a signal handler of Python raises, as that of Ctrl-C does.
 *
 * A callback in Python cannot do this: a signal is handled before its first line runs, so that the exception leaves
 * it before it could be caught, and ctypes drops it.
 */
#include <stdbool.h>
#include <stddef.h>

#include "histree/status.h"

typedef struct _object PyObject;
extern int PyErr_CheckSignals(void);
extern void PyErr_Fetch(PyObject **type, PyObject **value, PyObject **traceback);
extern void PyErr_Restore(PyObject *type, PyObject *value, PyObject *traceback);
extern int PyGILState_Ensure(void);
extern void PyGILState_Release(int state);

/* What a signal handler raised; zeros at first. */
struct interrupt {
	PyObject *type, *value, *traceback;
};

HISTREE_API bool histree_python_go_on(void *interrupt);
HISTREE_API int histree_python_stop(void *interrupt);
HISTREE_API int histree_python_raise(struct interrupt *interrupt);

/*
 * For a struct histree_work: handle signals, and return whether no handler raised.  Only the main thread
 * handles them.
 */
bool histree_python_go_on(void *interrupt)
{
	struct interrupt *kept = interrupt;
	int state = PyGILState_Ensure();
	if (kept->type == NULL && PyErr_CheckSignals() != 0)
		PyErr_Fetch(&kept->type, &kept->value, &kept->traceback);
	bool is_quiet = kept->type == NULL;
	PyGILState_Release(state);
	return is_quiet;
}

/* For sqlite3_progress_handler(). */
int histree_python_stop(void *interrupt)
{
	return histree_python_go_on(interrupt) ? 0 : 1;
}

/* Raise what was kept, in the thread of the caller.  Returns 0 if there is nothing, -1 with an exception set. */
int histree_python_raise(struct interrupt *interrupt)
{
	struct interrupt kept = *interrupt;
	if (kept.type == NULL)
		return 0;
	*interrupt = (struct interrupt){ 0 };
	PyErr_Restore(kept.type, kept.value, kept.traceback);
	return -1;
}
