/* SPDX-License-Identifier: MIT */
/*
 * ipc_field.h - what an ArrowSchema says of a column, as far as it can be written.
 *
 * Source: "The Arrow C data interface", format strings; Schema.fbs.
 */
#ifndef EXPORT_ARROW_IPC_FIELD_H
#define EXPORT_ARROW_IPC_FIELD_H

#include "export/arrow/flatbuffer.h"
#include "histree/arrow.h"

enum ipc_kind { IPC_INT, IPC_REAL, IPC_BOOL, IPC_UTF8, IPC_TIME };

struct ipc_type {
	enum ipc_kind kind;
	bool is_signed;   /* of an int */
	uint8_t size;     /* of a value in bytes; 0 of a bool and of utf8 */
	uint8_t unit;     /* of a time: 0 s, 1 ms, 2 us, 3 ns */
	const char *zone; /* of a time, borrowed; "" if it has none */
};

struct ipc_field {
	const char *name; /* borrowed */
	bool is_nullable;
	struct ipc_type type;            /* of the values; of a dictionary, of its indices */
	bool has_dictionary, is_ordered; /* of utf8 */
};

struct ipc_fields {
	struct ipc_field *fields;
	size_t count;
};

/*
 * Read the columns of a schema, which is borrowed until the fields are released.  Returns HISTREE_ERR_ARGUMENT if
 * there is one that cannot be written.
 */
enum histree_status ipc_fields_read(struct ipc_fields *fields, const struct ArrowSchema *schema,
				    struct histree_error *error);
void ipc_fields_release(struct ipc_fields *fields);

/* Returns a reference to the Schema; 0 if memory is out.  Dictionary `i` has the id `i`, as column `i` has it. */
uint32_t ipc_fields_schema(const struct ipc_fields *fields, struct flatbuffer *buffer);

#endif
