/* Names of processes and threads: see naming.h. */
#include "store/naming.h"

#define REPEATS_MAX 10000 /* that are usual */

/* Replaces a text or a sort index; does it say what was said before? */
static bool set_text(struct model *m, uint32_t *number, struct str text)
{
	bool is_repeated = *number != TEXT_NONE;

	*number = intern_add(m->texts, text);
	return is_repeated;
}

static bool set_index(int64_t *index, int64_t value)
{
	bool is_repeated = *index != NUMBER_NONE;

	*index = value;
	return is_repeated;
}

/* Looking one up may move the array: the index comes first. */
static bool name_process(struct model *m, const struct naming_fact *naming)
{
	uint32_t at = model_process(m, naming->pid);
	struct process *process = &m->processes[at];

	if (naming->kind == NAMING_PROCESS)
		return set_text(m, &process->name, naming->text);
	if (naming->kind == NAMING_PROCESS_LABELS)
		return set_text(m, &process->labels, naming->text);
	return set_index(&process->sort_index, naming->index);
}

static bool name_thread(struct model *m, const struct naming_fact *naming)
{
	uint32_t at = model_place(m, naming->pid, naming->tid);
	struct place *place = &m->places[at];

	if (naming->kind == NAMING_THREAD)
		return set_text(m, &place->name, naming->text);
	return set_index(&place->sort_index, naming->index);
}

/* Some exporters name a process once more for each of its events. */
void naming_add(struct model *m, const struct naming_fact *naming)
{
	bool is_repeated = naming_is_thread(naming->kind) ? name_thread(m, naming)
							  : name_process(m, naming);

	if (is_repeated && ++m->nrepeated > REPEATS_MAX)
		model_finding(m, FINDING_REPEATED_METADATA, naming->offset, STR_LIT(""),
			      naming->text);
}
