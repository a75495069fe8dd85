/* What readers of sampled stacks share: see stacks.h. */
#include "ingest/stacks.h"

#include "base/decimal.h"
#include "base/utf8.h"
#include "ingest/json.h"
#include "ingest/tell.h"

void stacks_init(struct stacks *s, struct sink *sink, const struct read_options *options)
{
	*s = (struct stacks){ .sink = sink, .options = options };
	s->no_file = sink->text(sink, STR_LIT("~"));
	buf_init(&s->valid, SIZE_MAX);
}

void stacks_release(struct stacks *s)
{
	buf_release(&s->valid);
}

int stacks_tell(struct stacks *s, enum finding what, uint64_t offset, struct str excerpt,
		struct err *err)
{
	return tell_finding(s->sink, s->options, what, offset, excerpt, err);
}

int stacks_text(struct stacks *s, struct str text, uint64_t offset, uint32_t *out,
		struct err *err)
{
	struct str shown = text;
	uint32_t code;

	if (json_bad_utf8(text)) {
		buf_clear(&s->valid);
		for (struct str left = text; left.n;) {
			size_t n = utf8_decode(left, &code);
			buf_add_str(&s->valid, code == UTF8_INVALID
						       ? STR_LIT("\xef\xbf\xbd")
						       : (struct str){ left.p, n });
			left = str_behind(left, n);
		}
		shown = buf_str(&s->valid);
		if (stacks_tell(s, FINDING_UTF8, offset, text, err) < 0)
			return -1;
	}
	struct str cut = utf8_cut(shown, read_limits(s->options)->text_bytes);
	if (cut.n < shown.n && stacks_tell(s, FINDING_TEXT_SIZE, offset, text, err) < 0)
		return -1;
	*out = s->sink->text(s->sink, cut);
	return 0;
}

int stacks_name(struct stacks *s, struct str text, uint64_t offset, uint32_t *out,
		struct err *err)
{
	struct str cut = utf8_cut(text, spelt_part(&s->spelt, text.n, offset));

	if (cut.n < text.n && stacks_tell(s, FINDING_SHARED_SIZE, offset, text, err) < 0)
		return -1;
	return stacks_text(s, cut, offset, out, err);
}

int stacks_function(struct stacks *s, const struct stacks_frame *frame, uint64_t offset,
		    struct function_fact *out, struct err *err)
{
	*out = (struct function_fact){ .file = s->no_file, .line = frame->first_line };
	if (stacks_text(s, frame->name, offset, &out->name, err) < 0 ||
	    (frame->file.n && stacks_text(s, frame->file, offset, &out->file, err) < 0))
		return -1;
	if (!frame->file.n)
		out->line = 0;
	return 0;
}

int stacks_frame(struct stacks *s, const struct stacks_frame *frame, uint64_t offset,
		 struct frame_fact *out, struct err *err)
{
	struct function_fact function;

	if (stacks_function(s, frame, offset, &function, err) < 0)
		return -1;
	out->function = s->sink->function(s->sink, &function);
	out->line = stacks_line(frame->line);
	return 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The digits at the end; 0 where there are none or too many. */
static size_t digits_at_end(struct str text)
{
	size_t n = 0;

	while (n < text.n && is_digit(text.p[text.n - 1 - n]))
		n++;
	return n <= 18 ? n : 0;
}

static int64_t number_of(const char *p, size_t n)
{
	int64_t value = 0;

	for (size_t i = 0; i < n; i++)
		value = value * 10 + (p[i] - '0');
	return value;
}

static bool ends_with(struct str text, const char *end)
{
	size_t n = strlen(end);

	return text.n > n && memcmp(text.p + text.n - n, end, n) == 0;
}

/* What a part of a name is not, unless it is a file of Python's. */
static bool is_python_file(struct str text)
{
	return ends_with(text, ".py") || ends_with(text, ".pyx") ||
	       ends_with(text, ".pyc") || ends_with(text, ".ipynb") ||
	       (text.n > 2 && text.p[0] == '<' && text.p[text.n - 1] == '>');
}

static bool is_path(struct str text)
{
	return is_python_file(text) || memchr(text.p, '/', text.n) ||
	       memchr(text.p, '\\', text.n);
}

static struct stacks_frame name_alone(struct str name)
{
	return (struct stacks_frame){ .name = name,
				      .first_line = NUMBER_NONE,
				      .line = NUMBER_NONE };
}

/* The last `c` of the text's first n bytes; SIZE_MAX: none. */
static size_t last_of(struct str text, size_t n, char c)
{
	while (n > 0)
		if (text.p[--n] == c)
			return n;
	return SIZE_MAX;
}

size_t stacks_bracket(struct str text)
{
	size_t depth = 0, last = 0;

	if (text.n == 0 || text.p[text.n - 1] != ')')
		return 0;
	for (size_t at = text.n; at-- > 2;) {
		bool may_be = text.p[at] == '(' && text.p[at - 1] == ' ';
		if (may_be && depth == 1)
			return at;
		if (may_be && !last)
			last = at;
		depth += text.p[at] == ')';
		depth -= text.p[at] == '(' && depth;
	}
	return last;
}

/* "wait (threading.py:320)", "wait (threading.py)" */
static bool parse_py_spy(struct str text, struct stacks_frame *f)
{
	size_t open = stacks_bracket(text);

	if (open == 0)
		return false;
	struct str name = { text.p, open - 1 };
	struct str file = { text.p + open + 1, text.n - open - 2 };
	size_t n = digits_at_end(file);
	if (n && file.n > n + 1 && file.p[file.n - n - 1] == ':') {
		f->line = number_of(file.p + file.n - n, n);
		file.n -= n + 1;
	} else if (!is_python_file(file)) {
		return false;
	}
	f->name = name;
	f->file = file;
	return true;
}

/* "threading.py:wait:320" and "threading.py:320:wait"; "a.js:3:12" is a place alone. */
static bool parse_colons(struct str text, bool of_any_file, struct stacks_frame *f)
{
	size_t last = last_of(text, text.n, ':');
	size_t before = last == SIZE_MAX ? last : last_of(text, last, ':');

	if (before == SIZE_MAX || before == 0)
		return false;
	struct str file = { text.p, before };
	struct str middle = { text.p + before + 1, last - before - 1 };
	struct str end = str_behind(text, last + 1);
	if (!(of_any_file || is_path(file)) || middle.n == 0 || end.n == 0)
		return false;
	size_t n = digits_at_end(end), in_middle = digits_at_end(middle);
	if ((n == end.n) == (in_middle == middle.n))
		return false;
	f->file = file;
	f->name = n == end.n ? middle : end;
	f->line = n == end.n ? number_of(end.p, n) : number_of(middle.p, in_middle);
	return true;
}

/* "threading.py(320):_wait": export_stacks() makes blanks underscores. */
static bool parse_torch(struct str text, struct stacks_frame *f)
{
	for (size_t at = 1; at + 3 < text.n; at++) {
		if (text.p[at] != ')' || memcmp(text.p + at, "):_", 3) != 0)
			continue;
		size_t n = digits_at_end((struct str){ text.p, at });
		if (n == 0 || at < n + 2 || text.p[at - n - 1] != '(')
			continue;
		f->file = (struct str){ text.p, at - n - 1 };
		f->name = str_behind(text, at + 3);
		f->line = number_of(text.p + at - n, n);
		return true;
	}
	return false;
}

bool stacks_is_torch(struct str text)
{
	struct stacks_frame ignored;

	return parse_torch(text, &ignored);
}

struct stacks_frame stacks_parse(struct str text, bool of_any_file)
{
	struct stacks_frame frame = name_alone(text);

	if (!(of_any_file && parse_colons(text, true, &frame)) &&
	    !parse_py_spy(text, &frame) && !parse_colons(text, false, &frame) &&
	    !parse_torch(text, &frame))
		return name_alone(text);
	if (str_is(frame.file, "~"))
		frame.file = (struct str){ text.p, 0 };
	return frame;
}

/* Half to even: must the number that was kept go up?  digits: those that were not. */
static bool goes_up(int64_t kept, struct str digits)
{
	bool is_more = false;

	for (size_t i = 1; i < digits.n; i++)
		is_more |= digits.p[i] != '0';
	return digits.p[0] > '5' || (digits.p[0] == '5' && (is_more || kept % 2 != 0));
}

static bool add_digits(struct str digits, int64_t *value)
{
	for (size_t i = 0; i < digits.n; i++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, digits.p[i] - '0', value))
			return false;
	return true;
}

enum stacks_number stacks_number(struct str text, int64_t *value, unsigned *decimals)
{
	bool is_negative = text.n && text.p[0] == '-';
	struct str whole = str_behind(text, is_negative), part = { "", 0 };
	size_t n = 0;

	while (n < whole.n && is_digit(whole.p[n]))
		n++;
	if (n < whole.n && whole.p[n] == '.')
		part = str_behind(whole, n + 1);
	else if (n < whole.n)
		return STACKS_NOT_A_NUMBER;
	whole.n = n;
	for (size_t i = 0; i < part.n; i++)
		if (!is_digit(part.p[i]))
			return STACKS_NOT_A_NUMBER;
	if (whole.n + part.n == 0)
		return STACKS_NOT_A_NUMBER;
	if (is_negative)
		return STACKS_NEGATIVE;
	while (part.n && part.p[part.n - 1] == '0')
		part.n--;
	struct str lost = { part.p, 0 };
	if (part.n > DECIMALS_MAX) {
		lost = str_behind(part, DECIMALS_MAX);
		part.n = DECIMALS_MAX;
	}
	*value = 0;
	*decimals = (unsigned)part.n;
	if (!add_digits(whole, value) || !add_digits(part, value))
		return STACKS_TOO_LARGE;
	if (lost.n == 0)
		return STACKS_NUMBER;
	*value += goes_up(*value, lost) && *value < INT64_MAX;
	return STACKS_ROUNDED;
}

int stacks_refer(struct stacks *s, uint64_t n, uint64_t file_bytes, uint64_t offset,
		 struct err *err)
{
	uint64_t most =
		STACKS_FACTOR * file_bytes + read_limits(s->options)->stack_frames;

	s->nreferred += n;
	if (s->nreferred <= most)
		return 0;
	return err_at(err, offset,
		      "the stacks have more than %llu frames, too many for a file of "
		      "this size",
		      (unsigned long long)most);
}

void stacks_end(struct stacks *s, const char *dialect)
{
	s->sink->profile(s->sink, &(struct profile_fact){ .format = "samples",
							  .dialect = dialect,
							  PROFILE_FACT_NONE });
}
