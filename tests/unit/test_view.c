/* Views: fields in, a table out: order, limit, share, and what people see. */
#include "rendering.h"

#include "base/buf.h"
#include "query/view.h"

struct fruit {
	const char *name;
	int64_t calls, ns, device;
	double price; /* below 0: not known */
};

static const struct fruit fruits[] = {
	{ "pear", 3, 30, 1, -1 },
	{ "apple", 7, 50, 0, 2.5 },
	{ "fig", 3, 0, 0, 0.5 },
	{ "lime", 1, 20, 1, 9.0 },
};
#define NFRUITS (sizeof(fruits) / sizeof(fruits[0]))

static struct cell get_name(const void *from, const void *row, int arg)
{
	(void)from, (void)arg;
	return cell_text(str_of(((const struct fruit *)row)->name));
}

static struct cell get_price(const void *from, const void *row, int arg)
{
	const struct fruit *f = row;

	(void)from, (void)arg;
	return f->price < 0 ? cell_null() : cell_real(f->price);
}

/* What `from` points to: a column without a member of its own. */
static struct cell get_from(const void *from, const void *row, int arg)
{
	(void)row, (void)arg;
	return cell_int(*(const int64_t *)from);
}

/* Counts that no int64 holds are text. */
static struct cell get_stock(const void *from, const void *row, int arg)
{
	const struct fruit *f = row;

	(void)from, (void)arg;
	if (f->calls == 7)
		return cell_text(str_of("99999999999999999999"));
	return f->calls == 1 ? cell_text(str_of("100000000000000000000"))
			     : cell_int(f->calls);
}

/* Numbers, but for two rows. */
static struct cell get_known(const void *from, const void *row, int arg)
{
	const struct fruit *f = row;

	(void)from, (void)arg;
	return f->calls == 3 ? cell_null() : cell_int(f->calls);
}

enum { WITH_DEVICE = 1 };

#define NUMBER(member) .get = view_int64, .arg = (int)offsetof(struct fruit, member)

/* clang-format off */
static const struct field fields[] = {
	{ "calls", "Calls", "calls", "count", UNIT_COUNT, NUMBER(calls) },
	{ "name", "Name", "name", NULL, UNIT_TEXT, .get = get_name, .flags = FIELD_KEY, .least = 4 },
	{ "total_ns", "Total", "time", NULL, UNIT_NS, NUMBER(ns) },
	{ "price", "Price", "price", NULL, UNIT_RATIO, .get = get_price, .leaves = 1 },
	{ "device", "Device", "device", NULL, UNIT_ID, NUMBER(device), .needs = WITH_DEVICE },
	{ "shared", "Shared", NULL, NULL, UNIT_COUNT, .get = get_from, .flags = FIELD_PEOPLE, .leaves = 2 },
	{ "sold", NULL, "Z to A", NULL, UNIT_TEXT, .get = get_name, .flags = FIELD_SORT | FIELD_DESCENDS },
	{ "stock", NULL, "counts", NULL, UNIT_COUNT, .get = get_stock, .flags = FIELD_SORT },
	{ "known", NULL, "numbers and none", NULL, UNIT_COUNT, .get = get_known, .flags = FIELD_SORT },
	{ .name = NULL },
};
static const struct view_word by[] = {
	{ "name", 0 }, { "device", WITH_DEVICE }, { NULL, 0 },
};
/* clang-format on */

static const struct view view = { .name = "fruits",
				  .fields = fields,
				  .people = VIEW_PART(
					  "name device? total_ns calls price shared"),
				  .sort = "calls",
				  .by = by,
				  .share = "total_ns",
				  .share_of = "time" };

static struct memtable *open_view(const struct view_request *request, int64_t shared)
{
	const struct view_rows rows = { &shared, fruits, NFRUITS, sizeof(fruits[0]) };

	return view_table(&view, &rows, NULL, request);
}

static void assert_view(const char *format, const struct view_request *request,
			int64_t shared, const char *expected)
{
	assert_renders(format, open_view(request, shared), expected);
}

static void rows_are_in_the_views_order_and_ties_go_by_key(void **state)
{
	(void)state;
	assert_view(
		"csv", &(struct view_request){ 0 }, 0,
		"calls,name,total_ns,price\n"
		"7,\"apple\",50,2.5\n3,\"fig\",0,0.5\n3,\"pear\",30,\n1,\"lime\",20,9\n");
	assert_view(
		"csv", &(struct view_request){ .reverse = true }, 0,
		"calls,name,total_ns,price\n"
		"1,\"lime\",20,9\n3,\"fig\",0,0.5\n3,\"pear\",30,\n7,\"apple\",50,2.5\n");
}

static void what_is_not_known_comes_last_in_both_directions(void **state)
{
	struct view_request request = { .sort = view_field(&view, "price") };

	(void)state;
	assert_view(
		"csv", &request, 0,
		"calls,name,total_ns,price\n"
		"1,\"lime\",20,9\n7,\"apple\",50,2.5\n3,\"fig\",0,0.5\n3,\"pear\",30,\n");
	request.reverse = true;
	assert_view(
		"csv", &request, 0,
		"calls,name,total_ns,price\n"
		"3,\"fig\",0,0.5\n7,\"apple\",50,2.5\n1,\"lime\",20,9\n3,\"pear\",30,\n");
}

static void rows_without_a_number_stay_in_order_behind_the_others(void **state)
{
	struct view_request request = { .sort = view_field(&view, "known") };

	(void)state;
	assert_view(
		"csv", &request, 0,
		"calls,name,total_ns,price\n"
		"7,\"apple\",50,2.5\n1,\"lime\",20,9\n3,\"fig\",0,0.5\n3,\"pear\",30,\n");
	request.reverse = true;
	assert_view(
		"csv", &request, 0,
		"calls,name,total_ns,price\n"
		"1,\"lime\",20,9\n7,\"apple\",50,2.5\n3,\"fig\",0,0.5\n3,\"pear\",30,\n");
}

static void names_ascend_and_devices_are_there_when_asked_for(void **state)
{
	(void)state;
	assert_view(
		"csv",
		&(struct view_request){ .sort = view_field(&view, "name"),
					.asked = WITH_DEVICE,
					.limit = 2 },
		0,
		"calls,name,total_ns,price,device\n7,\"apple\",50,2.5,0\n3,\"fig\",0,0.5,0\n");
}

static void people_see_what_says_something_and_the_share(void **state)
{
	const struct view_request two = { .for_people = true, .limit = 2 };

	(void)state;
	assert_view("table", &two, 0,
		    "Name   Total (ns)  Calls  Price\n"
		    "apple          50      7  2.500\n"
		    "fig             0      3  0.500\n"
		    "\n"
		    "2 of 4 rows, 50.0% of time\n");
	assert_view("table", &(struct view_request){ .for_people = true, .limit = 1 }, 5,
		    "Name   Total (ns)  Calls  Price  Shared\n"
		    "apple          50      7  2.500       5\n"
		    "\n"
		    "1 of 4 rows, 50.0% of time\n");
}

static void columns_leave_a_narrow_line_and_are_counted(void **state)
{
	const struct view_request request = { .for_people = true, .limit = 1 };
	const struct render_opts narrow = { .command = "fruits", .width = 31 },
				 narrower = { .command = "fruits", .width = 26 };
	struct memtable *m = open_view(&request, 5);
	char *text = render_with("table", &m->table, &narrow);

	(void)state;
	assert_string_equal(
		"Name   Total (ns)  Calls  Price\n"
		"apple          50      7  2.500\n"
		"\n"
		"1 of 4 rows, 50.0% of time\n1 column hidden, --wide shows it\n",
		text);
	free(text);
	table_free(&m->table);
	m = open_view(&request, 5);
	text = render_with("table", &m->table, &narrower);
	assert_non_null(strstr(text, "\n2 columns hidden, --wide shows them\n"));
	assert_non_null(strstr(text, "Name   Total (ns)  Calls\n"));
	free(text);
	table_free(&m->table);
}

static void assert_order(const char *key, const char *names)
{
	const struct view_request request = { .sort = view_field(&view, key) };
	const struct view_rows rows = { NULL, fruits, NFRUITS, sizeof(fruits[0]) };
	uint32_t *order = view_order(&view, &rows, &request);
	struct buf text;

	buf_init(&text, 100);
	for (size_t i = 0; i < NFRUITS; i++)
		buf_addf(&text, "%s%s", i ? " " : "", fruits[order[i]].name);
	assert_int_equal(strlen(names), text.n);
	assert_memory_equal(names, text.p, text.n);
	buf_release(&text);
	free(order);
}

static void rows_are_sorted_by_what_no_column_shows(void **state)
{
	(void)state;
	assert_order("sold", "pear lime fig apple");
	assert_order("stock", "lime apple fig pear");
}

static void what_is_sorted_by_does_not_leave(void **state)
{
	const struct view_request request = { .for_people = true,
					      .sort = view_field(&view, "price") };
	const struct render_opts narrow = { .command = "fruits", .width = 20 };
	struct memtable *m = open_view(&request, 5);
	char *text = render_with("table", &m->table, &narrow);

	(void)state;
	assert_memory_equal("Name   Total (ns)  Calls  Price\n", text, 32);
	free(text);
	table_free(&m->table);
}

static void words_of_by_ask_for_columns(void **state)
{
	(void)state;
	assert_int_equal(WITH_DEVICE, view_by(&view, "name,device"));
	assert_int_equal(0, view_by(&view, "name"));
	assert_string_equal("device", view_by_at(&view, 1));
	assert_null(view_by_at(&view, 2));
	assert_string_equal("price", view_sort_at(&view, 3));
	assert_string_equal("device", view_sort_at(&view, 4));
	assert_string_equal("stock", view_sort_at(&view, 6));
	assert_null(view_sort_at(&view, 8));
}

static void a_key_is_found_by_all_its_names(void **state)
{
	struct arena arena = { 0 };

	(void)state;
	assert_ptr_equal(&fields[0], view_field(&view, "count"));
	assert_ptr_equal(&fields[2], view_field(&view, "total"));
	assert_null(view_field(&view, "shared")); /* people's alone */
	const char *const *names = view_sort_names(&view, &arena);
	assert_string_equal("calls", names[0]);
	assert_string_equal("count", names[8]);
	assert_null(names[9]);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_in_the_views_order_and_ties_go_by_key),
		cmocka_unit_test(what_is_not_known_comes_last_in_both_directions),
		cmocka_unit_test(rows_without_a_number_stay_in_order_behind_the_others),
		cmocka_unit_test(names_ascend_and_devices_are_there_when_asked_for),
		cmocka_unit_test(people_see_what_says_something_and_the_share),
		cmocka_unit_test(columns_leave_a_narrow_line_and_are_counted),
		cmocka_unit_test(rows_are_sorted_by_what_no_column_shows),
		cmocka_unit_test(what_is_sorted_by_does_not_leave),
		cmocka_unit_test(words_of_by_ask_for_columns),
		cmocka_unit_test(a_key_is_found_by_all_its_names),
	};

	return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}
