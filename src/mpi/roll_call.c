// SPDX-License-Identifier: MIT
#include "mpi/roll_call.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/report.h"
#include "histree/build.h"

enum { VERSION_SIZE = 512, TEXT_SIZE = 1024 };

/* The library's version, and that of each analysis: they decide what is in a store. */
static void write_version(char text[VERSION_SIZE])
{
	const char *pretended = getenv("HISTREE_MPI_VERSION"); /* for tests: histree-mpi(1) */
	struct histree_analysis_info info;
	size_t used = (size_t)snprintf(text, VERSION_SIZE, "%s", pretended != NULL ? pretended : histree_version());
	for (size_t i = 0; used < VERSION_SIZE && histree_analysis(i, &info); i++)
		used += (size_t)snprintf(text + used, VERSION_SIZE - used, "%s%s %u", i == 0 ? " (" : ", ",
					 info.name, info.version);
	if (used + 1 < VERSION_SIZE)
		snprintf(text + used, VERSION_SIZE - used, ")");
}

static void say_name(struct message *out)
{
	char version[VERSION_SIZE], node[sizeof(((struct roll_call *)NULL)->node)] = "";
	write_version(version);
	if (gethostname(node, sizeof(node) - 1) != 0)
		node[0] = '\0';
	message_string(out, version);
	message_string(out, node);
	message_number(out, (uint64_t)getpid());
}

struct name {
	char version[VERSION_SIZE];
	struct roll_call where;
};

static bool read_name(const struct message *message, struct name *name)
{
	struct byte_reader reader = byte_reader(message->bytes, message->size);
	read_text_into(&reader, name->version, sizeof(name->version));
	read_text_into(&reader, name->where.node, sizeof(name->where.node));
	name->where.pid = (uint32_t)read_varint(&reader);
	return !reader.failed;
}

/* Rank 0 hears all of them, and says whether they are alike. */
static bool hear_all(struct link *link, const struct message *own, struct roll_call *first)
{
	struct message message = { 0 };
	struct name mine, other;
	bool alike = read_name(own, &mine);
	*first = mine.where;
	for (int rank = 1; rank < link->count; rank++) {
		bool heard = link_receive(link, rank, &message) && read_name(&message, &other);
		if (!heard && alike)
			report("rank %d says nothing that this histree understands", rank);
		else if (alike && strcmp(mine.version, other.version) != 0)
			report("rank %d on %s is histree %s, rank 0 on %s is histree %s; their files and messages "
			       "would differ: install one version on all nodes",
			       rank, other.where.node, other.version, mine.where.node, mine.version);
		alike = alike && heard && strcmp(mine.version, other.version) == 0;
	}
	message_release(&message);
	return alike;
}

bool roll_call(struct link *link, struct roll_call *first)
{
	struct message own = { 0 }, reply = { 0 };
	struct name name = { 0 };
	bool alike = false;
	say_name(&own);
	if (link->rank == 0) {
		alike = hear_all(link, &own, first);
		message_byte(&reply, alike);
		message_bytes(&reply, own.bytes, own.size);
		for (int rank = 1; rank < link->count; rank++)
			alike = link_send(link, rank, &reply) && alike;
	} else if (link_send(link, 0, &own) && link_receive(link, 0, &reply) && reply.size > 0) {
		struct message rest = { .bytes = reply.bytes + 1, .size = reply.size - 1 };
		alike = reply.bytes[0] == 1 && read_name(&rest, &name);
		*first = name.where;
	}
	message_release(&own);
	message_release(&reply);
	return alike;
}

bool roll_call_first_is_gone(const struct roll_call *first)
{
	char node[sizeof(first->node)] = "";
	return gethostname(node, sizeof(node) - 1) == 0 && strcmp(node, first->node) == 0 &&
	       kill((pid_t)first->pid, 0) != 0 && errno == ESRCH;
}

bool roll_call_agree(struct link *link, const char *why)
{
	struct message message = { 0 };
	char text[TEXT_SIZE];
	bool agreed = why == NULL;
	if (link->rank != 0) {
		message_string(&message, why != NULL ? why : "");
		agreed = link_send(link, 0, &message) && link_receive(link, 0, &message) && message.size == 1 &&
			 message.bytes[0] == 1;
		message_release(&message);
		return agreed;
	}
	if (why != NULL && *why != '\0')
		report("%s", why);
	for (int rank = 1; rank < link->count; rank++) {
		bool heard = link_receive(link, rank, &message);
		struct byte_reader reader = byte_reader(message.bytes, heard ? message.size : 0);
		read_text_into(&reader, text, sizeof(text));
		bool is_well = heard && !reader.failed && *text == '\0';
		if (!is_well && agreed)
			report("rank %d: %s", rank, heard ? text : "it does not answer");
		agreed = agreed && is_well;
	}
	message_clear(&message);
	message_byte(&message, agreed);
	for (int rank = 1; rank < link->count; rank++)
		agreed = link_send(link, rank, &message) && agreed;
	message_release(&message);
	return agreed;
}
