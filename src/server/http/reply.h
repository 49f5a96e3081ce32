/* SPDX-License-Identifier: MIT */
/*
 * reply.h - a request taken apart, and its answer.
 *
 * A request has the path and the query of its URL (RFC 3986), parsed and decoded.
 *
 * A path is cut at its slashes before it is decoded, so that %2F is part of a name.  Empty segments and slashes at
 * the end are dropped; "." and ".." are names like any other: no segment is ever used as a file path.
 *
 * A reply has a status, headers and a body that is made piece by piece.
 *
 * A handler fills a reply.  It writes a small body at once into `json` (or `body`), and leaves a large one to a
 * step function, which writes the next piece each time it is called:
 *
 * 	reply_envelope(reply);
 * 	reply_steps(reply, &(struct reply_steps){ write_rows, release_rows, rows });
 *
 * Only one piece is held, so memory does not grow with the answer; and when the client goes away no further step is
 * taken.  A step writes about PIECE_SIZE bytes at most.  Long work, within a step or before the first, must call
 * reply_cancel() now and then.
 *
 * The reply owns what it is made from: memory (reply_memory()), the dataset (reply_hold()), and what the state of
 * steps releases.  A function that fails fills reply->error, and reply_ok() answers with that.
 */
#ifndef SERVER_HTTP_REPLY_H
#define SERVER_HTTP_REPLY_H

#include <stdbool.h>
#include <stddef.h>

#include "histree/status.h"
#include "server/catalogue/dataset.h"
#include "server/text/json_writer.h"

enum { TARGET_SIZE_MAX = 8192, TARGET_SEGMENTS_MAX = 16, TARGET_PARAMETERS_MAX = 32 };

struct target_parameter {
	const char *name, *value;
};

/* A zeroed struct target is an empty one.  All strings lie in `text`. */
struct target {
	char *text;
	const char *segments[TARGET_SEGMENTS_MAX];
	size_t segment_count;
	struct target_parameter parameters[TARGET_PARAMETERS_MAX];
	size_t parameter_count;
};

enum target_result {
	TARGET_OK,
	TARGET_BAD,       /* a stray '%', a zero byte, or no '/' at the start */
	TARGET_TOO_LARGE, /* longer, or of more parts, than anything of ours */
	TARGET_NO_MEMORY,
};

/* Reads a URI; call target_release() after failure too. */
enum target_result target_parse(struct target *target, const char *uri);

/* Returns NULL if the query has no such parameter. */
const char *target_parameter(const struct target *target, const char *name);
void target_release(struct target *target);

enum http_status {
	HTTP_OK = 200,
	HTTP_BAD_REQUEST = 400,
	HTTP_FORBIDDEN = 403,
	HTTP_NOT_FOUND = 404,
	HTTP_NOT_ALLOWED = 405,
	HTTP_NOT_ACCEPTABLE = 406,
	HTTP_CONFLICT = 409,
	HTTP_TOO_LARGE = 413,
	HTTP_URI_TOO_LONG = 414,
	HTTP_SERVER_ERROR = 500,
	HTTP_BUSY = 503, /* viewers take 502 and above for a server that is down: only where it might as well be */
};

struct reply_steps {
	/* HISTREE_OK: there is more.  HISTREE_END: that was all.  Else the answer has failed. */
	enum histree_status (*next)(void *state, struct json_writer *json, struct histree_error *error);
	void (*release)(void *state); /* gives back what is no memory of the reply; NULL: nothing */
	void *state;                  /* NULL: there are no steps */
};

struct reply_block;

struct reply {
	enum http_status status;
	const char *content_type;
	const char *cache_control; /* NULL: nothing is kept */
	const void *fixed;         /* a body that outlives the answer, in place of `body`; NULL: none */
	size_t fixed_size;
	struct byte_buffer body; /* what of it was made, and not sent */
	struct json_writer json; /* into `body` */
	struct reply_steps steps;
	struct reply_block *memory; /* that was given out last */
	struct dataset *dataset;    /* held; NULL: none */
	bool is_envelope;
	const char *notice; /* what an envelope says of an answer that is complete, but not whole; NULL: it is */
	bool is_done;       /* nothing more will be written */
	bool is_cut;        /* it failed where that can no longer be said in it */
	struct histree_error error;
	int64_t deadline_ns; /* of the monotonic clock; 0: none */
	/* Waits until the answer may take `more` bytes, and returns whether it may go on; NULL: it may. */
	bool (*has_room)(void *context, size_t more);
	void *room_context;
	bool is_crowded; /* it was given up because it may not: the client is told when to come back */
	/* Returns whether the client still waits; NULL: not known. */
	bool (*is_wanted)(void *context);
	void *wanted_context;

	struct gzip *gzip; /* NULL: it goes out as it is */
	struct byte_buffer compressed;
};

void reply_init(struct reply *reply);
void reply_release(struct reply *reply);

/* Waits until the answer may take `more` bytes.  Returns false if it may not: it says so, and is to end. */
bool reply_claim(struct reply *reply, size_t more);

/*
 * Begin a GenericResponse of the protocol; what follows is its model.  The end of it is written by the answer: the
 * status stands last, so that an answer which fails half-way can still say so.
 */
void reply_envelope(struct reply *reply);

/* The same, whole, with no model, or as the model of a tree that has to be asked for again. */
void reply_envelope_only(struct reply *reply, const char *status, const char *message);

/* The answer releases the state from here on. */
void reply_steps(struct reply *reply, const struct reply_steps *steps);

/*
 * Goes on while the client waits and there is time; for what the answer is computed with.  Lives as the reply
 * does.
 */
struct histree_work reply_cancel(struct reply *reply);

/* Returns zeroed memory, which lives as the reply does; NULL: it has answered that memory runs out. */
void *reply_memory(struct reply *reply, size_t count, size_t size);

/* The dataset is the reply's from here on. */
void reply_hold(struct reply *reply, struct dataset *dataset);

/*
 * Answers with an error of the protocol, {"title": ...}, instead of all that was written.  The title begins with
 * a capital.  Returns false.
 */
bool reply_error(struct reply *reply, enum http_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Answers with reply->error, which the library filled, instead of all that was written.  Returns false. */
bool reply_failure(struct reply *reply);

/* Returns whether a function succeeded; if it did not, it has filled reply->error, and that is the answer. */
bool reply_ok(struct reply *reply, enum histree_status status);

/*
 * Make the next bytes of the body, compressed where that was begun; *size 0 at the end.  They are borrowed until
 * the next call.  False: the answer is cut, the connection has to be closed.
 */
bool reply_next(struct reply *reply, const char **bytes, size_t *size);

/* Compress what is made from now on as gzip (RFC 1952); false when memory runs out, and nothing has changed. */
bool reply_zip(struct reply *reply);

/* The answer goes out as it is after all; nothing of it was sent. */
void reply_unzip(struct reply *reply);

#endif
