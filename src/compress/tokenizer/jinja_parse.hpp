// The template language read into trees.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "compress/tokenizer/jinja_value.hpp"

namespace tqm::compress::jinja {

struct Expression {
  enum class Kind {
    literal,      // value
    name,         // text
    list,         // children; text: "tuple" where it is one
    dict,         // children: key, value, key, value …
    attribute,    // children[0].text
    item,         // children[0][children[1]]
    slice,        // children[0][children[1]:children[2]:children[3]], each of the last three may be null
    call,         // children[0](children[1…], named)
    filter,       // children[0] | text(children[1…], named)
    test,         // children[0] is text(children[1…])
    unary,        // text: "-", "+", "not"
    binary,       // text: the operator
    conditional,  // children[0] if children[1] else children[2], which may be null
  } kind = Kind::literal;
  int line = 0;
  int depth = 1;
  std::string text;
  Value value;
  std::vector<std::unique_ptr<Expression>> children;
  std::vector<std::pair<std::string, std::unique_ptr<Expression>>> named;
};
using ExpressionPtr = std::unique_ptr<Expression>;

struct Statement {
  enum class Kind {
    text,       // text
    output,     // expressions[0]
    if_else,    // expressions[i] guards bodies[i]; one body more is the else
    for_loop,   // names in expressions[0] if expressions[1] (may be null): bodies[0], else bodies[1] (may be missing);
                // text: "loop" where the body names it
    set,        // names = expressions[0]; text: the attribute of a namespace, where one is set
    set_block,  // names[0] = bodies[0]
    macro,      // text(names = expressions): bodies[0]; expressions may hold nulls
    with,       // names = expressions in bodies[0]
    block,      // bodies[0], as it stands
    leave,      // {% break %}
    next,       // {% continue %}
  } kind = Kind::text;
  int line = 0;
  std::string text;
  std::vector<std::string> names;
  std::vector<ExpressionPtr> expressions;
  std::vector<std::vector<Statement>> bodies;
};

Result<std::vector<Statement>> parse(const std::string& source);

// "chat template, line 3: what"
Error template_error(int line, const std::string& what, const std::string& next = "");

}  // namespace tqm::compress::jinja
