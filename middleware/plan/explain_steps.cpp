#include "middleware/plan/explain_steps.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sqlparse/arena.hpp"
#include "sqlparse/ast.hpp"
#include "sqlparse/parser.hpp"

namespace shardway::plan {

namespace {

// The names of a query's columns, where its text has them.
class ColumnNames {
public:
    ColumnNames(std::string_view text, const sqlparse::ParseOptions& options) : text_{text} {
        const sqlparse::Parsed parsed = sqlparse::parse(text, options, arena_);
        if (!parsed) return;
        if (const auto* query = parsed.statement->as<sqlparse::Query>()) query_ = query;
        select_ = query_ ? query_->select() : nullptr;
    }

    // The one at `index` in the list of columns: a star in front leaves it unknown.
    std::optional<std::string> visible(std::uint32_t index) const {
        if (!select_) return std::nullopt;
        for (std::uint32_t i = 0; i < select_->items.size(); ++i) {
            const sqlparse::SelectItem& item = select_->items[i];
            if (item.expr.as<sqlparse::Star>()) return std::nullopt;
            if (i == index) return named(item);
        }
        return std::nullopt;
    }
    // The one at `index` of the last `count`.
    std::optional<std::string> from_end(std::uint32_t index, std::uint32_t count) const {
        if (!select_ || select_->items.size() < count) return std::nullopt;
        return std::string{select_->items[select_->items.size() - count + index].expr.span.of(text_)};
    }
    // What ORDER BY or GROUP BY says at its `index`-th place of `count`; positions say nothing.
    std::optional<std::string> sorted_by(std::uint32_t index, std::size_t count) const {
        return query_ ? listed(query_->order_by, index, count) : std::nullopt;
    }
    std::optional<std::string> grouped_by(std::uint32_t index, std::size_t count) const {
        return select_ ? listed(select_->group_by, index, count) : std::nullopt;
    }

private:
    std::string named(const sqlparse::SelectItem& item) const {
        return std::string{item.alias ? item.alias.text : item.label.of(text_)};
    }
    std::optional<std::string> listed(const sqlparse::List<sqlparse::OrderItem>& items, std::uint32_t index,
                                      std::size_t count) const {
        if (items.size() != count || items[index].expr.as<sqlparse::Literal>()) return std::nullopt;
        return std::string{items[index].expr.span.of(text_)};
    }

    std::string_view text_;
    sqlparse::Arena arena_;
    const sqlparse::Query* query_ = nullptr;
    const sqlparse::Select* select_ = nullptr;
};

class MergeSteps {
public:
    MergeSteps(const Merge& merge, std::string_view text, std::string_view sent,
               const sqlparse::ParseOptions& options)
        : merge_{merge}, asked_{text, options}, sent_{sent, options} {}

    std::vector<std::string> steps() const {
        std::vector<std::string> out;
        switch (merge_.kind) {
        case Merge::Kind::concatenate: out.emplace_back("pass the rows of all parts on as they come"); break;
        case Merge::Kind::ordered:
            out.push_back(
                fmt::format("merge the sorted rows of the parts by {}; each part's own order is "
                            "checked meanwhile",
                            fmt::join(order(), ", ")));
            break;
        case Merge::Kind::aggregate: fold(out); break;
        }
        if (merge_.limit || merge_.offset > 0) out.push_back(limits());
        if (merge_.hidden > 0) out.push_back(cut());
        return out;
    }

private:
    std::string name(RowColumn column) const {
        const auto found =
            column.hidden ? sent_.from_end(column.index, merge_.hidden) : asked_.visible(column.index);
        if (found) return *found;
        return fmt::format("{}column {}", column.hidden ? "hidden " : "", column.index + 1);
    }

    // "note DESC (compared by WEIGHT_STRING(note AS CHAR(64)))"
    std::string key(const MergeKey& key, const std::optional<std::string>& written) const {
        std::string out = written ? *written : name(key.column);
        if (key.descending) out += " DESC";
        if (key.weight)
            out += fmt::format(" (text by {})", name(*key.weight));
        else if (written && key.column.hidden && name(key.column) != *written)
            out += fmt::format(" (by {})", name(key.column));
        return out;
    }

    std::vector<std::string> order() const {
        std::vector<std::string> out;
        for (std::uint32_t i = 0; i < merge_.order.size(); ++i)
            out.push_back(key(merge_.order[i], asked_.sorted_by(i, merge_.order.size())));
        return out;
    }

    std::string fold_of(std::uint32_t index) const {
        const MergeColumn& column = merge_.columns[index];
        const std::string what = name({false, index});
        switch (column.how) {
        case Combine::first: break;
        case Combine::count:
        case Combine::sum: return what + " adds up";
        case Combine::min: return what + " keeps the least";
        case Combine::max: return what + " keeps the greatest";
        case Combine::average:
            return fmt::format("{} is {} / {}", what, name(column.sum), name(column.count));
        case Combine::bit_and: return what + " joins by AND";
        case Combine::bit_or: return what + " joins by OR";
        case Combine::bit_xor: return what + " joins by XOR";
        }
        return {};
    }

    void fold(std::vector<std::string>& out) const {
        std::vector<std::string> groups, folds;
        for (std::uint32_t i = 0; i < merge_.groups.size(); ++i)
            groups.push_back(key(merge_.groups[i], asked_.grouped_by(i, merge_.groups.size())));
        for (std::uint32_t i = 0; i < merge_.columns.size(); ++i)
            if (auto how = fold_of(i); !how.empty()) folds.push_back(std::move(how));
        std::string step =
            groups.empty() ? std::string{"make one row of the rows of all parts"}
                           : fmt::format("make one row of those that agree in {}", fmt::join(groups, ", "));
        if (!folds.empty()) step += fmt::format(": {}", fmt::join(folds, ", "));
        out.push_back(std::move(step));
        if (!merge_.order.empty()) out.push_back(fmt::format("sort by {}", fmt::join(order(), ", ")));
    }

    std::string limits() const {
        const std::string skip =
            merge_.offset > 0 ? fmt::format("skip {}", counted(merge_.offset, "row")) : std::string{};
        if (!merge_.limit) return skip;
        return fmt::format("{}stop after {}", skip.empty() ? "" : skip + ", then ",
                           counted(*merge_.limit, "row"));
    }

    std::string cut() const {
        std::vector<std::string> columns;
        for (std::uint32_t i = 0; i < merge_.hidden; ++i) columns.push_back(name({true, i}));
        return fmt::format("cut off {} that the client did not ask for: {}", counted(merge_.hidden, "column"),
                           fmt::join(columns, ", "));
    }

    const Merge& merge_;
    const ColumnNames asked_, sent_;
};

}  // namespace

std::string counted(std::uint64_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::vector<std::string> merge_steps(const Merge& merge, std::string_view text, std::string_view sent,
                                     const sqlparse::ParseOptions& options) {
    return MergeSteps{merge, text, sent, options}.steps();
}

}  // namespace shardway::plan
