/*
 * simdjson_visit FILE: visits every token of a document with simdjson's On-Demand API and
 * prints how many there were.  Strings are unescaped and numbers taken as their text; nothing
 * is kept.  The floor that an ingester is measured against; part of the bench, not of ptool.
 */
#include <cstdint>
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

static uint64_t visit_document(const char *path)
{
	ondemand::parser parser;
	padded_string text = padded_string::load(path);
	ondemand::document document = parser.iterate(text);

	if (document.type() == ondemand::json_type::array)
		return visit_array(document.get_array());
	return visit_object(document.get_object());
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		std::cerr << "usage: simdjson_visit FILE\n";
		return 2;
	}
	try {
		std::cout << visit_document(argv[1]) << " tokens\n";
	} catch (const simdjson_error &e) {
		std::cerr << "simdjson_visit: " << argv[1] << ": " << e.what() << '\n';
		return 4;
	}
	return 0;
}
