#include "compress/tokenizer/jinja_parse.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "compress/tokenizer/jinja_lex.hpp"

namespace tqm::compress::jinja {

Error template_error(int line, const std::string& what, const std::string& next) {
  return {ErrorKind::bad_input, fmt::format("chat template, line {}: {}", line, what), "", next};
}

namespace {

constexpr int max_nesting = 64;            // of statements, and of brackets in an expression
constexpr int max_expression_depth = 200;  // of the tree: a chain of + is as deep as it is long

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<std::vector<Statement>> document() {
    std::vector<Statement> out = TRY(statements({}));
    return out;
  }

 private:
  using Kind = Expression::Kind;

  const Token& now() const { return tokens_[at_]; }
  const Token& ahead() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  bool is(std::string_view symbol) const { return now().kind == Token::Kind::symbol && now().text == symbol; }
  bool word(std::string_view name) const { return now().kind == Token::Kind::name && now().text == name; }
  bool skip(std::string_view symbol) {
    if (!is(symbol)) return false;
    ++at_;
    return true;
  }
  bool skip_word(std::string_view name) {
    if (!word(name)) return false;
    ++at_;
    return true;
  }
  std::string shown() const {
    switch (now().kind) {
      case Token::Kind::end:
        return "the end of the template";
      case Token::Kind::block_end:
      case Token::Kind::output_end:
        return "the end of the tag";
      case Token::Kind::text:
        return "text";
      default:
        return "'" + now().text + "'";
    }
  }
  Error unexpected(const std::string& wanted) const {
    return template_error(now().line, wanted + " is expected, not " + shown());
  }
  Status expect(std::string_view symbol) {
    if (!skip(symbol)) return unexpected(fmt::format("'{}'", symbol));
    return {};
  }
  Status end_block() {
    if (now().kind != Token::Kind::block_end) return unexpected("the end of the tag");
    ++at_;
    return {};
  }
  Result<std::string> name() {
    if (now().kind != Token::Kind::name) return unexpected("a name");
    return tokens_[at_++].text;
  }

  // Statements up to a block that begins with one of the words, which is left open: its word is the next token.
  Result<std::vector<Statement>> statements(const std::vector<std::string_view>& ends) {
    if (++nesting_ > max_nesting)
      return template_error(now().line, fmt::format("blocks are nested more than {} deep", max_nesting));
    std::vector<Statement> out;
    while (true) {
      const Token& token = now();
      if (token.kind == Token::Kind::end) {
        if (!ends.empty()) return unexpected(fmt::format("'{{% {} %}}'", ends.back()));
        break;
      }
      if (token.kind == Token::Kind::block_begin) {
        const Token& first = ahead();
        if (first.kind == Token::Kind::name && std::ranges::find(ends, first.text) != ends.end()) {
          ++at_;
          break;
        }
        ++at_;
        out.push_back(TRY(block()));
        continue;
      }
      Statement statement;
      statement.line = token.line;
      if (token.kind == Token::Kind::text) {
        statement.text = token.text;
        ++at_;
      } else {
        ++at_;
        statement.kind = Statement::Kind::output;
        statement.expressions.push_back(TRY(tuple()));
        if (now().kind != Token::Kind::output_end) return unexpected("'}}'");
        ++at_;
      }
      out.push_back(std::move(statement));
    }
    --nesting_;
    return out;
  }

  Result<Statement> block() {
    Statement s;
    s.line = now().line;
    const std::string keyword = TRY(name());
    if (keyword == "if") {
      TRY(if_block(s));
    } else if (keyword == "for") {
      TRY(for_block(s));
    } else if (keyword == "set") {
      TRY(set_block(s));
    } else if (keyword == "macro") {
      TRY(macro_block(s));
    } else if (keyword == "with") {
      s.kind = Statement::Kind::with;
      while (now().kind != Token::Kind::block_end) {
        s.names.push_back(TRY(name()));
        TRY(expect("="));
        s.expressions.push_back(TRY(expression()));
        if (!skip(",")) break;
      }
      TRY(body(s, "endwith"));
    } else if (keyword == "generation") {
      s.kind = Statement::Kind::block;
      TRY(body(s, "endgeneration"));
    } else if (keyword == "break" || keyword == "continue") {
      if (loops_ == 0) return template_error(s.line, "'" + keyword + "' outside of a loop");
      s.kind = keyword == "break" ? Statement::Kind::leave : Statement::Kind::next;
      TRY(end_block());
    } else {
      return template_error(s.line, "the block '" + keyword + "' is not known",
                            "known are: break, continue, for, generation, if, macro, raw, set, with");
    }
    return s;
  }

  Status body(Statement& s, std::string_view end) {
    TRY(end_block());
    s.bodies.push_back(TRY(statements({end})));
    ++at_;
    return end_block();
  }

  Status if_block(Statement& s) {
    s.kind = Statement::Kind::if_else;
    while (true) {
      s.expressions.push_back(TRY(tuple()));
      TRY(end_block());
      s.bodies.push_back(TRY(statements({"elif", "else", "endif"})));
      if (skip_word("elif")) continue;
      if (skip_word("else")) {
        TRY(end_block());
        s.bodies.push_back(TRY(statements({"endif"})));
      }
      ++at_;
      return end_block();
    }
  }

  Result<std::vector<std::string>> targets() {
    std::vector<std::string> names;
    const bool bracket = skip("(");
    do {
      if (!names.empty() && now().kind != Token::Kind::name) break;
      names.push_back(TRY(name()));
    } while (skip(","));
    if (bracket) TRY(expect(")"));
    return names;
  }

  Status for_block(Statement& s) {
    s.kind = Statement::Kind::for_loop;
    s.names = TRY(targets());
    if (!skip_word("in")) return unexpected("'in'");
    s.expressions.push_back(TRY(tuple(false)));
    s.expressions.push_back(nullptr);
    if (skip_word("if")) s.expressions[1] = TRY(expression());
    if (word("recursive")) return template_error(s.line, "a recursive loop is not known");
    TRY(end_block());
    ++loops_;
    const bool before = std::exchange(names_loop_, false);
    s.bodies.push_back(TRY(statements({"else", "endfor"})));
    if (names_loop_) s.text = "loop";
    names_loop_ = names_loop_ || before;
    --loops_;
    if (skip_word("else")) {
      TRY(end_block());
      s.bodies.push_back(TRY(statements({"endfor"})));
    }
    ++at_;
    return end_block();
  }

  Status set_block(Statement& s) {
    s.kind = Statement::Kind::set;
    s.names = TRY(targets());
    if (skip(".")) s.text = TRY(name());
    if (skip("=")) {
      s.expressions.push_back(TRY(tuple()));
      return end_block();
    }
    if (!s.text.empty() || s.names.size() > 1) return unexpected("'='");
    s.kind = Statement::Kind::set_block;
    return body(s, "endset");
  }

  Status macro_block(Statement& s) {
    s.kind = Statement::Kind::macro;
    s.text = TRY(name());
    TRY(expect("("));
    while (!is(")")) {
      s.names.push_back(TRY(name()));
      s.expressions.push_back(nullptr);
      if (skip("=")) s.expressions.back() = TRY(expression());
      if (!skip(",")) break;
    }
    TRY(expect(")"));
    const int loops = std::exchange(loops_, 0);
    TRY(body(s, "endmacro"));
    loops_ = loops;
    return {};
  }

  // Expressions, from loose to tight.
  static Result<ExpressionPtr> checked(ExpressionPtr node) {
    for (const auto& child : node->children) {
      if (child) node->depth = std::max(node->depth, child->depth + 1);
    }
    for (const auto& [key, child] : node->named) node->depth = std::max(node->depth, child->depth + 1);
    if (node->depth > max_expression_depth) return template_error(node->line, "an expression is too deep");
    return node;
  }
  ExpressionPtr make(Kind kind, std::string text = {}) const {
    auto node = std::make_unique<Expression>();
    node->kind = kind;
    node->line = now().line;
    node->text = std::move(text);
    return node;
  }
  Result<ExpressionPtr> binary(std::string op, ExpressionPtr left, ExpressionPtr right) {
    ExpressionPtr node = make(Kind::binary, std::move(op));
    node->children.push_back(std::move(left));
    node->children.push_back(std::move(right));
    return checked(std::move(node));
  }

  // a, b, c without brackets is a list.
  Result<ExpressionPtr> tuple(bool with_condition = true) {
    ExpressionPtr first = with_condition ? TRY(expression()) : TRY(disjunction());
    if (!is(",")) return first;
    ExpressionPtr node = make(Kind::list, "tuple");
    node->children.push_back(std::move(first));
    while (skip(",")) {
      if (now().kind == Token::Kind::block_end || now().kind == Token::Kind::output_end) break;
      node->children.push_back(with_condition ? TRY(expression()) : TRY(disjunction()));
    }
    return checked(std::move(node));
  }

  Result<ExpressionPtr> expression() {
    if (++brackets_ > max_nesting) return template_error(now().line, "an expression is too deep");
    ExpressionPtr node = TRY(disjunction());
    while (skip_word("if")) {
      ExpressionPtr choice = make(Kind::conditional);
      choice->children.push_back(std::move(node));
      choice->children.push_back(TRY(disjunction()));
      choice->children.push_back(nullptr);
      if (skip_word("else")) choice->children[2] = TRY(expression());
      node = TRY(checked(std::move(choice)));
    }
    --brackets_;
    return node;
  }

  Result<ExpressionPtr> disjunction() {
    ExpressionPtr left = TRY(conjunction());
    while (skip_word("or")) {
      ExpressionPtr right = TRY(conjunction());
      left = TRY(binary("or", std::move(left), std::move(right)));
    }
    return left;
  }

  Result<ExpressionPtr> conjunction() {
    ExpressionPtr left = TRY(negation());
    while (skip_word("and")) {
      ExpressionPtr right = TRY(negation());
      left = TRY(binary("and", std::move(left), std::move(right)));
    }
    return left;
  }

  Result<ExpressionPtr> unary(std::string op, Result<ExpressionPtr> (Parser::*operand)()) {
    if (++brackets_ > max_nesting) return template_error(now().line, "an expression is too deep");
    ExpressionPtr node = make(Kind::unary, std::move(op));
    node->children.push_back(TRY((this->*operand)()));
    --brackets_;
    return checked(std::move(node));
  }

  Result<ExpressionPtr> negation() {
    if (skip_word("not")) return unary("not", &Parser::negation);
    return comparison();
  }

  // a < b < c is (a < b) and (b < c) in Python; templates do not use it, so a second comparison is refused.
  Result<ExpressionPtr> comparison() {
    ExpressionPtr left = TRY(sum());
    std::string op;
    if (now().kind == Token::Kind::symbol) {
      for (const std::string_view known : {"==", "!=", "<=", ">=", "<", ">"}) {
        if (op.empty() && skip(known)) op = known;
      }
    } else if (skip_word("in")) {
      op = "in";
    } else if (word("not") && ahead().kind == Token::Kind::name && ahead().text == "in") {
      at_ += 2;
      op = "not in";
    }
    if (op.empty()) return left;
    ExpressionPtr right = TRY(sum());
    return binary(std::move(op), std::move(left), std::move(right));
  }

  Result<ExpressionPtr> chain(std::initializer_list<std::string_view> ops, Result<ExpressionPtr> (Parser::*operand)()) {
    ExpressionPtr left = TRY((this->*operand)());
    while (true) {
      std::string op;
      for (const std::string_view known : ops) {
        if (op.empty() && skip(known)) op = known;
      }
      if (op.empty()) return left;
      ExpressionPtr right = TRY((this->*operand)());
      left = TRY(binary(std::move(op), std::move(left), std::move(right)));
    }
  }
  Result<ExpressionPtr> sum() { return chain({"+", "-"}, &Parser::concatenation); }
  Result<ExpressionPtr> concatenation() { return chain({"~"}, &Parser::product); }
  Result<ExpressionPtr> product() { return chain({"*", "//", "/", "%"}, &Parser::power); }
  Result<ExpressionPtr> power() { return chain({"**"}, &Parser::filtered); }

  Result<ExpressionPtr> filtered() {
    ExpressionPtr node = TRY(signed_value());
    while (true) {
      if (skip("|")) {
        ExpressionPtr filter = make(Kind::filter, TRY(name()));
        filter->children.push_back(std::move(node));
        if (skip("(")) TRY(arguments(*filter));
        node = TRY(checked(std::move(filter)));
      } else if (skip_word("is")) {
        node = TRY(test(std::move(node)));
      } else {
        return node;
      }
    }
  }

  Result<ExpressionPtr> signed_value() {
    if (skip("-")) return unary("-", &Parser::signed_value);
    if (skip("+")) return unary("+", &Parser::signed_value);
    ExpressionPtr node = TRY(primary());
    return postfix(std::move(node));
  }

  Result<ExpressionPtr> test(ExpressionPtr subject) {
    const bool negated = skip_word("not");
    ExpressionPtr node;
    if (is("==") || is("!=") || is("<") || is(">") || is("<=") || is(">=")) return unexpected("the name of a test");
    node = make(Kind::test, TRY(name()));
    node->children.push_back(std::move(subject));
    const bool keyword =
        word("else") || word("or") || word("and") || word("is") || word("if") || word("not") || word("in");
    if (skip("(")) {
      TRY(arguments(*node));
    } else if ((now().kind == Token::Kind::name && !keyword) || now().kind == Token::Kind::string ||
               now().kind == Token::Kind::integer || now().kind == Token::Kind::real || is("[") || is("{")) {
      ExpressionPtr argument = TRY(primary());
      node->children.push_back(TRY(postfix(std::move(argument))));
    }
    node = TRY(checked(std::move(node)));
    if (!negated) return node;
    ExpressionPtr negation = make(Kind::unary, "not");
    negation->children.push_back(std::move(node));
    return checked(std::move(negation));
  }

  // Behind "(": positional arguments into children, named ones beside them.
  Status arguments(Expression& node) {
    while (!is(")")) {
      if (is("*") || is("**")) return template_error(now().line, "unpacked arguments (*) are not known");
      if (now().kind == Token::Kind::name && ahead().kind == Token::Kind::symbol && ahead().text == "=") {
        std::string key = TRY(name());
        ++at_;
        node.named.emplace_back(std::move(key), TRY(expression()));
      } else {
        if (!node.named.empty())
          return template_error(now().line, "an argument without a name follows one with a name");
        node.children.push_back(TRY(expression()));
      }
      if (!skip(",")) break;
    }
    return expect(")");
  }

  Result<ExpressionPtr> postfix(ExpressionPtr node) {
    while (true) {
      if (skip(".")) {
        if (now().kind != Token::Kind::name && now().kind != Token::Kind::integer) return unexpected("a name");
        ExpressionPtr outer = make(now().kind == Token::Kind::name ? Kind::attribute : Kind::item, now().text);
        outer->children.push_back(std::move(node));
        if (outer->kind == Kind::item) {
          outer->children.push_back(TRY(primary()));
        } else {
          ++at_;
        }
        node = TRY(checked(std::move(outer)));
      } else if (skip("[")) {
        node = TRY(subscript(std::move(node)));
      } else if (skip("(")) {
        ExpressionPtr call = make(Kind::call);
        call->children.push_back(std::move(node));
        TRY(arguments(*call));
        node = TRY(checked(std::move(call)));
      } else {
        return node;
      }
    }
  }

  Result<ExpressionPtr> subscript(ExpressionPtr subject) {
    ExpressionPtr node = make(Kind::item);
    node->children.push_back(std::move(subject));
    ExpressionPtr parts[3];
    size_t part = 0;
    while (!is("]")) {
      if (skip(":")) {
        if (++part > 2) return unexpected("']'");
        continue;
      }
      parts[part] = TRY(expression());
      if (!is(":") && !is("]")) return unexpected("']'");
    }
    ++at_;
    if (part > 0) {
      node->kind = Kind::slice;
      for (ExpressionPtr& p : parts) node->children.push_back(std::move(p));
    } else if (parts[0]) {
      node->children.push_back(std::move(parts[0]));
    } else {
      return template_error(node->line, "an index is expected between '[' and ']'");
    }
    return checked(std::move(node));
  }

  Result<ExpressionPtr> primary() {
    const Token& token = now();
    ExpressionPtr node = make(Kind::literal);
    switch (token.kind) {
      case Token::Kind::name: {
        const std::string& text = token.text;
        if (text == "true" || text == "True") {
          node->value = true;
        } else if (text == "false" || text == "False") {
          node->value = false;
        } else if (text == "none" || text == "None") {
          node->value = nullptr;
        } else {
          node->kind = Kind::name;
          node->text = text;
          names_loop_ = names_loop_ || text == "loop";
        }
        ++at_;
        return node;
      }
      case Token::Kind::string: {
        std::string text = token.text;
        for (++at_; now().kind == Token::Kind::string; ++at_) text += now().text;
        node->value = std::move(text);
        return node;
      }
      case Token::Kind::integer: {
        int64_t value = 0;
        const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
        if (error != std::errc()) return template_error(token.line, "the number " + token.text + " is too large");
        node->value = value;
        ++at_;
        return node;
      }
      case Token::Kind::real: {
        double value = 0;
        const auto [end, error] = std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
        if (error != std::errc()) return template_error(token.line, "the number " + token.text + " is out of range");
        node->value = value;
        ++at_;
        return node;
      }
      default:
        break;
    }
    if (skip("(")) return bracketed();
    if (skip("[")) {
      node->kind = Kind::list;
      while (!is("]")) {
        node->children.push_back(TRY(expression()));
        if (!skip(",")) break;
      }
      TRY(expect("]"));
      return checked(std::move(node));
    }
    if (skip("{")) {
      node->kind = Kind::dict;
      while (!is("}")) {
        node->children.push_back(TRY(expression()));
        TRY(expect(":"));
        node->children.push_back(TRY(expression()));
        if (!skip(",")) break;
      }
      TRY(expect("}"));
      return checked(std::move(node));
    }
    return unexpected("a value");
  }

  Result<ExpressionPtr> bracketed() {
    ExpressionPtr list = make(Kind::list, "tuple");
    bool is_list = is(")");
    while (!is(")")) {
      list->children.push_back(TRY(expression()));
      if (!skip(",")) break;
      is_list = true;
    }
    TRY(expect(")"));
    if (!is_list) return std::move(list->children[0]);
    return checked(std::move(list));
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int nesting_ = 0, brackets_ = 0, loops_ = 0;
  bool names_loop_ = false;
};

}  // namespace

Result<std::vector<Statement>> parse(const std::string& source) {
  std::vector<Token> tokens = TRY(tokens_of(source));
  return Parser(std::move(tokens)).document();
}

}  // namespace tqm::compress::jinja
