#include "middleware/plan/row_ids.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "middleware/protocol/errors.hpp"
#include "schema/uuid7.hpp"
#include "sqlparse/lexer.hpp"
#include "sqlparse/literal.hpp"

namespace shardway::plan {

namespace {

enum class Meaning : std::uint8_t { given, missing, unknown };

// What the server would make of the literal in an AUTO_INCREMENT column.
Meaning meaning_of(const rules::Literal& literal, bool is_number, bool zero_is_a_value) {
    const auto by_zero = [&](bool zero) {
        return zero && is_number && !zero_is_a_value ? Meaning::missing : Meaning::given;
    };
    switch (literal.kind) {
    case rules::LiteralKind::null: return Meaning::missing;
    case rules::LiteralKind::boolean: return by_zero(literal.text == "0");
    case rules::LiteralKind::integer:
        if (literal.text.find_first_not_of("-0") != std::string_view::npos) return Meaning::given;
        return literal.text.starts_with('-') && by_zero(true) == Meaning::missing ? Meaning::unknown
                                                                                  : by_zero(true);
    case rules::LiteralKind::decimal:
    case rules::LiteralKind::floating:
        if (literal.text.starts_with('-')) return Meaning::unknown;
        return by_zero(std::strtod(std::string{literal.text}.c_str(), nullptr) < 0.5);
    case rules::LiteralKind::string:
        if (!is_number) return Meaning::given;
        if (literal.text.empty() || literal.text.size() > 20 ||
            literal.text.find_first_not_of("0123456789") != std::string_view::npos)
            return Meaning::unknown;
        return by_zero(literal.text.find_first_not_of('0') == std::string_view::npos);
    case rules::LiteralKind::bytes: return is_number ? Meaning::unknown : Meaning::given;
    default: return Meaning::unknown;
    }
}

std::optional<std::uint64_t> number_of(const rules::Literal& literal) {
    if (literal.kind != rules::LiteralKind::integer && literal.kind != rules::LiteralKind::string)
        return std::nullopt;
    const bool negative = literal.text.starts_with('-');
    const auto number = sqlparse::integer_value(literal.text.substr(negative ? 1 : 0));
    if (!number) return std::nullopt;
    return negative ? std::uint64_t{0} - *number : *number;
}

std::string hex_of(std::string_view bytes) {
    std::string out;
    for (const char byte : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    return out;
}

protocol::SqlError no_id(const IdTemplate& ids, schema::IdProblem problem) {
    const auto& database = ids.database->rule->name;
    const auto why = schema::text_of(problem);
    switch (problem) {
    case schema::IdProblem::clock_went_back:
        return protocol::id_clock_went_back(database, ids.table->name, why);
    case schema::IdProblem::too_fast:
    case schema::IdProblem::not_ready: return protocol::id_not_ready(database, ids.table->name, why);
    case schema::IdProblem::exhausted: break;
    }
    return protocol::ids_exhausted(database, ids.table->name, why);
}

}  // namespace

RowIds::RowIds(const IdTemplate& ids, const Values& values, const PlanContext& context)
    : ids_{ids}, values_{values}, context_{context} {
    rows_.resize(ids.set_form ? 1 : values.scan().rows.size());
}

const IdTemplate::Given& RowIds::given(std::size_t row) const {
    return ids_.runs[ids_.set_form ? 0 : values_.scan().rows[row].run];
}

rules::Literal RowIds::value_of(const IdTemplate::Given& given, std::size_t row) const {
    return ids_.set_form ? values_.only(given.value) : values_.in_row(given.value, row);
}

std::optional<protocol::SqlError> RowIds::before(std::size_t row) {
    using Form = IdTemplate::Given::Form;
    const IdTemplate::Given& given = this->given(row);
    last_given_.reset();
    needs_gene_ = false;
    if (given.form == Form::value) {
        const rules::Literal literal = value_of(given, row);
        const bool is_number = schema::is_integer(ids_.column->type);
        // 0 asks for an id in AUTO_INCREMENT columns alone.
        const bool zero_is_a_value = context_.zero_is_a_value || !ids_.column->auto_increment;
        const Meaning meaning = meaning_of(literal, is_number, zero_is_a_value);
        if (meaning == Meaning::given) {
            last_given_ = number_of(literal);
            if (last_given_ || ids_.gene_bits == 0) return std::nullopt;
        }
        if (meaning != Meaning::missing && ids_.source != IdSource::server)
            return protocol::not_supported(
                fmt::format("this form of value for the id column '{}'", ids_.column->name));
    }
    all_given_ = false;
    if (ids_.source == IdSource::server || given.form == Form::unknown) return std::nullopt;
    if (ids_.source == IdSource::nobody)
        return protocol::not_supported(
            fmt::format("AUTO_INCREMENT on '{0}' of table {1}, whose rule has no id: {{column: {0}, "
                        "generator: snowflake}}",
                        ids_.column->name, ids_.table->name));
    needs_gene_ = ids_.gene_bits != 0;
    return needs_gene_ ? std::nullopt : make(row, std::nullopt);
}

std::optional<protocol::SqlError> RowIds::after(std::size_t row, std::optional<rules::Slot> slot) {
    if (ids_.gene_bits == 0 || !slot) return std::nullopt;
    return needs_gene_ ? make(row, slot) : check_gene(*slot);
}

// An id that lies about its row's slot would hide the row from those who look for it by its id.
std::optional<protocol::SqlError> RowIds::check_gene(rules::Slot slot) const {
    const std::uint64_t carried = *last_given_ & ((std::uint64_t{1} << ids_.gene_bits) - 1);
    if (carried == slot.value) return std::nullopt;
    return protocol::id_gene_differs(ids_.column->name, *last_given_, carried, slot.value);
}

std::optional<protocol::SqlError> RowIds::make(std::size_t row, std::optional<rules::Slot> slot) {
    if (context_.ids == nullptr) return protocol::not_supported("generated ids here");
    const auto result = context_.ids->next(ids_.database->rule->name, *ids_.table, slot);
    if (const auto* problem = std::get_if<schema::IdProblem>(&result)) return no_id(ids_, *problem);
    const auto& id = std::get<rules::GeneratedId>(result);
    RowId& made = rows_[row];
    if (const auto* number = std::get_if<std::uint64_t>(&id)) {
        made.raw = made.text = std::to_string(*number);
        if (first_ == 0) first_ = *number;
        return std::nullopt;
    }
    const auto& uuid = std::get<schema::Uuid>(id);
    if (schema::is_bytes(ids_.column->type)) {
        made.raw.assign(uuid.begin(), uuid.end());
        made.text = fmt::format("x'{}'", hex_of(made.raw));
    } else {
        made.raw = schema::text_of(uuid);
        made.text = fmt::format("'{}'", made.raw);
    }
    return std::nullopt;
}

std::optional<rules::Literal> RowIds::literal(std::size_t row) const {
    const RowId& made = rows_[row];
    if (made.text.empty()) return std::nullopt;
    rules::Literal literal;
    literal.kind = made.text.front() == 'x'    ? rules::LiteralKind::bytes
                   : made.text.front() == '\'' ? rules::LiteralKind::string
                                               : rules::LiteralKind::integer;
    literal.text = made.raw;
    return literal;
}

// Where the value stands in the row's text: a literal where the scan saw it, a word where the commas say.
sqlparse::Span RowIds::value_span(const IdTemplate::Given& given, std::size_t row) const {
    const sqlparse::Scan& scan = values_.scan();
    if (given.form == IdTemplate::Given::Form::value && given.value.hole != sqlparse::no_hole) {
        for (std::size_t i = scan.rows[row].first_literal; i < scan.literals.size(); ++i)
            if (scan.literals[i].hole == given.value.hole) return scan.literals[i].span();
    }
    const sqlparse::Span whole = scan.rows[row].span;
    sqlparse::Lexer lexer{whole.of(values_.text()), context_.options};
    sqlparse::Span found{};
    std::size_t depth = 0, index = 0;
    for (;;) {
        const sqlparse::Token token = lexer.next();
        const std::size_t outside = depth;
        if (token.kind == sqlparse::TokenKind::end || token.kind == sqlparse::TokenKind::error) return found;
        if (token.kind == sqlparse::TokenKind::left_paren && depth++ == 0) continue;
        if (token.kind == sqlparse::TokenKind::right_paren && --depth == 0) return found;
        if (token.kind == sqlparse::TokenKind::comma && outside == 1) {
            if (index++ == given.index) return found;
            continue;
        }
        if (depth == 0 || index != given.index) continue;
        const sqlparse::Span here{whole.offset + token.offset, token.length};
        found = found.empty() ? here : sqlparse::cover(found, here);
    }
}

std::vector<PlacedEdit> RowIds::edits() const {
    static const EditTemplate row_edit{.span = {}, .label = {}, .fill = Fill::id};
    std::vector<PlacedEdit> edits;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        if (rows_[row].text.empty()) continue;
        const IdTemplate::Given& given = this->given(row);
        PlacedEdit placed;
        placed.from = &row_edit;
        if (given.form == IdTemplate::Given::Form::absent) {
            placed.begin = placed.end = values_.scan().rows[row].span.end() - 1;
            placed.text = (given.empty_row ? "" : ", ") + rows_[row].text;
        } else {
            const sqlparse::Span span = value_span(given, row);
            placed.begin = span.offset;
            placed.end = span.end();
            placed.text = rows_[row].text;
        }
        edits.push_back(std::move(placed));
    }
    return edits;
}

InsertIds RowIds::summary() const {
    InsertIds summary;
    summary.first_made = first_;
    summary.all_given = all_given_;
    if (all_given_) summary.last_given = last_given_;
    summary.reported = ids_.column->auto_increment;
    summary.on_duplicate = ids_.on_duplicate;
    return summary;
}

}  // namespace shardway::plan
