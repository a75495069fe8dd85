/* Files that a client may have read: see mcp_call.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/walk.h"
#include "cli/mcp_call.h"

static bool is_within(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	while (n > 1 && folder[n - 1] == '/')
		n--;
	return strncmp(path, folder, n) == 0 &&
	       (path[n] == '/' || path[n] == '\0' || folder[n - 1] == '/');
}

static bool is_in_places(const struct mcp_call *call, const char *path)
{
	for (size_t i = 0; i < call->places->n; i++)
		if (is_within(path, call->places->items[i]))
			return true;
	return false;
}

/* Links in a folder count as the files behind them. */
static bool leads_out(const struct mcp_call *call, const char *folder)
{
	struct err ignored = ERR_INIT;
	bool is_out = false;
	struct walk walk;
	char real[PATH_MAX];

	if (walk_folder(folder, &walk, NULL, NULL, &ignored) < 0)
		is_out = true;
	for (size_t i = 0; i < walk.n && !is_out; i++)
		is_out = walk.files[i].kind == WALK_FILE &&
			 (!realpath(walk.files[i].path, real) ||
			  !is_in_places(call, real));
	walk_release(&walk);
	return is_out;
}

/* Each is looked through once for a call: it may hold very many files. */
static bool is_sound_folder(struct mcp_call *call, const char *folder)
{
	for (int i = 0; i < call->nfolders; i++)
		if (strcmp(call->folders[i], folder) == 0)
			return true;
	if (leads_out(call, folder))
		return false;
	if (call->nfolders < MCP_WORDS_MAX)
		call->folders[call->nfolders++] = arena_strdup(call->arena, folder);
	return true;
}

char *mcp_place(struct mcp_call *call, struct str path, struct err *err)
{
	char real[PATH_MAX];
	struct stat st;
	const char *text = arena_copy(call->arena, path).p;

	if (path.n && path.p[0] != '/')
		text = arena_printf(call->arena, "%s/%s", call->places->items[0], text);
	if (path.n && realpath(text, real) && is_in_places(call, real) &&
	    stat(real, &st) == 0 &&
	    (S_ISREG(st.st_mode) || (S_ISDIR(st.st_mode) && is_sound_folder(call, real))))
		return arena_strdup(call->arena, real);
	err_set(err, ERR_INPUT,
		"'" STR_FMT
		"' is not a file in the folders that this server reads, the first of "
		"which is %s",
		(int)(path.n < 200 ? path.n : 200), path.p, call->places->items[0]);
	return NULL;
}
