/*
 * simdjson_visit FILE [TIMES]: visits every token of a document with simdjson's On-Demand API
 * and prints how many there were.  Strings are unescaped and numbers taken as their text;
 * nothing is kept.  With TIMES so often, with the text in memory, and prints the shortest in
 * seconds.  The floors that an ingester is measured against: the whole process, and the walk
 * alone.  Part of the bench, not of ptool.
 */
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <simdjson.h>

using namespace simdjson;

static uint64_t visit(ondemand::value value);

static uint64_t visit_array(ondemand::array array)
{
	uint64_t tokens = 2; /* the brackets */

	for (auto element : array)
		tokens += visit(element.value());
	return tokens;
}

static uint64_t visit_object(ondemand::object object)
{
	uint64_t tokens = 2;

	for (auto field : object) {
		tokens += !std::string_view(field.unescaped_key()).empty();
		tokens += visit(field.value());
	}
	return tokens;
}

static uint64_t visit(ondemand::value value)
{
	switch (value.type()) {
	case ondemand::json_type::array:
		return visit_array(value.get_array());
	case ondemand::json_type::object:
		return visit_object(value.get_object());
	case ondemand::json_type::string:
		return std::string_view(value.get_string()).data() != nullptr;
	default:
		return !value.raw_json_token()
				.empty(); /* a number, true, false or null */
	}
}

static uint64_t visit_document(ondemand::parser &parser, const padded_string &text)
{
	ondemand::document document = parser.iterate(text);

	if (document.type() == ondemand::json_type::array)
		return visit_array(document.get_array());
	return visit_object(document.get_object());
}

static void visit_times(const char *path, long times)
{
	using clock = std::chrono::steady_clock;
	ondemand::parser parser;
	padded_string text = padded_string::load(path);
	uint64_t tokens = 0;
	double best = 0;

	for (long i = 0; i < times; i++) {
		clock::time_point from = clock::now();
		tokens = visit_document(parser, text);
		double s = std::chrono::duration<double>(clock::now() - from).count();
		best = i == 0 || s < best ? s : best;
	}
	std::cout << tokens << " tokens\n";
	if (times > 1)
		std::cout << best << " s in memory, the shortest of " << times << '\n';
}

int main(int argc, char **argv)
{
	if (argc != 2 && argc != 3) {
		std::cerr << "usage: simdjson_visit FILE [TIMES]\n";
		return 2;
	}
	try {
		visit_times(argv[1], argc == 3 ? std::atol(argv[2]) : 1);
	} catch (const simdjson_error &e) {
		std::cerr << "simdjson_visit: " << argv[1] << ": " << e.what() << '\n';
		return 4;
	}
	return 0;
}
