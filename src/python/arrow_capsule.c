// SPDX-License-Identifier: MIT
/*
 * arrow_capsule.c - hands Arrow streams to other libraries inside a Python process (the Arrow PyCapsule interface,
 * https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html).
 *
 * The package in python/ is pure ctypes, except for this.  A capsule may be freed while an exception passes, when
 * no line of Python can run without losing it: its destructor cannot be a callback of ctypes.  Nor can the
 * release of a stream, which its consumer calls on any thread, with or without the lock of the interpreter.
 *
 * No header of Python is needed: what is declared below belongs to its stable ABI, and the process that loads
 * this library has it.
 */
#include <stdlib.h>

#include "histree/columns.h"

typedef struct _object PyObject;
typedef void (*capsule_destructor)(PyObject *capsule);
extern PyObject *PyCapsule_New(void *pointer, const char *name, capsule_destructor destructor);
extern void *PyCapsule_GetPointer(PyObject *capsule, const char *name);
extern PyObject *PyErr_NoMemory(void);
extern void Py_IncRef(PyObject *object);
extern void Py_DecRef(PyObject *object);
extern int Py_IsInitialized(void);
extern int PyGILState_Ensure(void);
extern void PyGILState_Release(int state);

HISTREE_API PyObject *histree_python_stream(struct ArrowArrayStream *stream, PyObject *needs);
HISTREE_API PyObject *histree_python_schema(struct ArrowSchema *schema);

#define STREAM_NAME "arrow_array_stream"
#define SCHEMA_NAME "arrow_schema"

/* A stream of the library, and the Python object that keeps alive what it borrows. */
struct held_stream {
	struct ArrowArrayStream stream;
	PyObject *needs;
};

static int get_schema(struct ArrowArrayStream *self, struct ArrowSchema *out)
{
	struct held_stream *held = self->private_data;
	return held->stream.get_schema(&held->stream, out);
}

static int get_next(struct ArrowArrayStream *self, struct ArrowArray *out)
{
	struct held_stream *held = self->private_data;
	return held->stream.get_next(&held->stream, out);
}

static const char *get_last_error(struct ArrowArrayStream *self)
{
	struct held_stream *held = self->private_data;
	return held->stream.get_last_error(&held->stream);
}

static void release_stream(struct ArrowArrayStream *self)
{
	struct held_stream *held = self->private_data;
	self->release = NULL;
	held->stream.release(&held->stream);
	/* At the end of the process the interpreter may be gone before a consumer that is not of Python. */
	if (Py_IsInitialized()) {
		int state = PyGILState_Ensure();
		Py_DecRef(held->needs);
		PyGILState_Release(state);
	}
	free(held);
}

/* A consumer that took the stream has left no release. */
static void free_stream(PyObject *capsule)
{
	struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, STREAM_NAME);
	if (stream->release != NULL)
		stream->release(stream);
	free(stream);
}

static void free_schema(PyObject *capsule)
{
	struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, SCHEMA_NAME);
	if (schema->release != NULL)
		schema->release(schema);
	free(schema);
}

/*
 * Move a stream into a new capsule, which keeps `needs` until the stream is released.  Returns NULL with an
 * exception set if there is no memory; the stream is then as it was.
 */
PyObject *histree_python_stream(struct ArrowArrayStream *stream, PyObject *needs)
{
	struct ArrowArrayStream *out = malloc(sizeof(*out));
	struct held_stream *held = malloc(sizeof(*held));
	PyObject *capsule = NULL;
	if (out == NULL || held == NULL) {
		PyErr_NoMemory();
	} else {
		*out = (struct ArrowArrayStream){ .get_schema = get_schema,
						  .get_next = get_next,
						  .get_last_error = get_last_error,
						  .release = release_stream,
						  .private_data = held };
		capsule = PyCapsule_New(out, STREAM_NAME, free_stream);
	}
	if (capsule == NULL) {
		free(out);
		free(held);
		return NULL;
	}
	*held = (struct held_stream){ .stream = *stream, .needs = needs };
	Py_IncRef(needs);
	stream->release = NULL;
	return capsule;
}

/* Move a schema into a new capsule, likewise. */
PyObject *histree_python_schema(struct ArrowSchema *schema)
{
	struct ArrowSchema *out = malloc(sizeof(*out));
	if (out == NULL)
		return PyErr_NoMemory();
	*out = *schema;
	PyObject *capsule = PyCapsule_New(out, SCHEMA_NAME, free_schema);
	if (capsule == NULL)
		free(out);
	else
		schema->release = NULL;
	return capsule;
}
