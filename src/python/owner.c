// SPDX-License-Identifier: MIT
/*
 * owner.c - frees an object of C when the last reference to it in Python is gone, without running Python code.
 *
 * A __del__ cannot do this: a signal that arrives meanwhile is handled in it, and Python drops exceptions raised in
 * __del__, so that a Ctrl-C would be lost.
 */
#include <stdlib.h>

#include "histree/columns.h"

typedef struct _object PyObject;
typedef struct _ts PyThreadState;
typedef void (*capsule_destructor)(PyObject *capsule);
extern PyObject *PyCapsule_New(void *pointer, const char *name, capsule_destructor destructor);
extern void *PyCapsule_GetPointer(PyObject *capsule, const char *name);
extern PyObject *PyErr_NoMemory(void);
extern void Py_IncRef(PyObject *object);
extern void Py_DecRef(PyObject *object);
extern PyThreadState *PyEval_SaveThread(void);
extern void PyEval_RestoreThread(PyThreadState *state);

HISTREE_API PyObject *histree_python_own(void *object, void (*free_object)(void *object), PyObject *needs);
HISTREE_API void histree_python_release_array(void *array);
HISTREE_API void histree_python_release_stream(void *stream);

#define OWNER_NAME "histree_owner"

struct owner {
	void *object;
	void (*free_object)(void *object);
	PyObject *needs;
};

/* Called without the lock of the interpreter: a thread that the object waits for may want it. */
static void free_owner(PyObject *capsule)
{
	struct owner *owner = PyCapsule_GetPointer(capsule, OWNER_NAME);
	PyThreadState *state = PyEval_SaveThread();
	owner->free_object(owner->object);
	PyEval_RestoreThread(state);
	Py_DecRef(owner->needs);
	free(owner);
}

/*
 * Return a Python object that frees `object` when it goes itself, and keeps `needs` until then.  Returns NULL with
 * an exception set if there is no memory; the object is then still the caller's.
 */
PyObject *histree_python_own(void *object, void (*free_object)(void *object), PyObject *needs)
{
	struct owner *owner = malloc(sizeof(*owner));
	if (owner == NULL)
		return PyErr_NoMemory();
	*owner = (struct owner){ .object = object, .free_object = free_object, .needs = needs };
	PyObject *capsule = PyCapsule_New(owner, OWNER_NAME, free_owner);
	if (capsule == NULL) {
		free(owner);
		return NULL;
	}
	Py_IncRef(needs);
	return capsule;
}

void histree_python_release_array(void *array)
{
	struct ArrowArray *released = array;
	if (released->release != NULL)
		released->release(released);
}

void histree_python_release_stream(void *stream)
{
	struct ArrowArrayStream *released = stream;
	if (released->release != NULL)
		released->release(released);
}
