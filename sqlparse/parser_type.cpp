// Data types, of columns and of casts.
#include "sqlparse/parser_impl.hpp"

namespace shardway::sqlparse {

// [(length [, decimals])]
void Parser::type_length(DataType& type, bool decimals) {
    if (!accept(T::left_paren)) return;
    type.length = number(true);
    type.has_length = true;
    if (decimals && accept(T::comma)) {
        type.decimals = static_cast<std::uint32_t>(std::min<std::uint64_t>(number(), UINT32_MAX));
        type.has_decimals = true;
    }
    right_paren();
}

void Parser::number_attributes(DataType& type) {
    for (;;) {
        if (accept(K::unsigned_))
            type.is_unsigned = true;
        else if (accept(K::signed_))
            type.is_signed = true;
        else if (accept(K::zerofill_))
            type.zerofill = true;
        else
            return;
    }
}

// ASCII, UNICODE, BYTE, CHARACTER SET x, BINARY, in their combinations.
void Parser::charset_attributes(DataType& type) {
    for (;;) {
        if (is(K::ascii_)) {
            take();
            type.ascii = true;
        } else if (is(K::unicode_)) {
            take();
            type.unicode = true;
        } else if (is(K::byte_)) {
            take();
            type.byte = true;
        } else if (is(K::binary_)) {
            take();
            type.binary = true;
        } else if (accept(K::character_, K::set_) || accept(K::char_, K::set_) || accept(K::charset_)) {
            type.charset = charset_name_value();
        } else {
            return;
        }
    }
}

const DataType* Parser::data_type() {
    auto* result = arena_.make<DataType>();
    DataType& type = *result;
    const Token first = current();
    const auto integer = [&](TypeKind kind) {
        take();
        type.kind = kind;
        type_length(type, false);
        number_attributes(type);
    };
    const auto real = [&](TypeKind kind) {
        take();
        type.kind = kind;
        if (kind == TypeKind::double_ && first.keyword == K::double_) accept(K::precision_);
        type_length(type, true);
        number_attributes(type);
    };
    const auto text = [&](TypeKind kind, bool length) {
        take();
        type.kind = kind;
        if (length) type_length(type, false);
        charset_attributes(type);
    };
    const auto plain = [&](TypeKind kind, bool length) {
        take();
        type.kind = kind;
        if (length) type_length(type, false);
    };
    switch (first.keyword) {
    case K::tinyint_:
    case K::int1_: integer(TypeKind::tinyint); break;
    case K::smallint_:
    case K::int2_: integer(TypeKind::smallint); break;
    case K::mediumint_:
    case K::middleint_:
    case K::int3_: integer(TypeKind::mediumint); break;
    case K::int_:
    case K::integer_:
    case K::int4_: integer(TypeKind::int_); break;
    case K::bigint_:
    case K::int8_: integer(TypeKind::bigint); break;
    case K::decimal_:
    case K::numeric_:
    case K::dec_:
    case K::fixed_: real(TypeKind::decimal); break;
    case K::number_:
        if (!mariadb()) fail("a data type");
        real(TypeKind::decimal);
        break;
    case K::float_:
    case K::float4_: real(TypeKind::float_); break;
    case K::double_:
    case K::real_:
    case K::float8_: real(TypeKind::double_); break;
    case K::bit_: plain(TypeKind::bit, true); break;
    case K::bool_:
    case K::boolean_: plain(TypeKind::boolean, false); break;
    case K::serial_: plain(TypeKind::serial, false); break;
    case K::date_: plain(TypeKind::date, false); break;
    case K::time_: plain(TypeKind::time, true); break;
    case K::datetime_: plain(TypeKind::datetime, true); break;
    case K::timestamp_: plain(TypeKind::timestamp, true); break;
    case K::year_:
        plain(TypeKind::year, true);
        number_attributes(type);
        break;
    case K::char_:
    case K::character_:
        take();
        type.kind = accept(K::varying_) ? TypeKind::varchar : TypeKind::char_;
        type_length(type, false);
        charset_attributes(type);
        if (type.kind == TypeKind::varchar && !type.has_length) fail("(");
        break;
    case K::varchar_:
    case K::varcharacter_:
        text(TypeKind::varchar, true);
        if (!type.has_length) fail("(");
        break;
    case K::nchar_:
    case K::nvarchar_:
    case K::national_: {
        take();
        type.national = true;
        type.kind = first.keyword == K::nvarchar_ ? TypeKind::varchar : TypeKind::char_;
        if (first.keyword == K::national_) {
            if (is(K::varchar_) || is(K::varcharacter_)) {
                take();
                type.kind = TypeKind::varchar;
            } else {
                if (!accept(K::char_)) expect(K::character_);
                if (accept(K::varying_)) type.kind = TypeKind::varchar;
            }
        } else if (first.keyword == K::nchar_) {
            if (accept(K::varchar_) || accept(K::varying_) || accept(K::varcharacter_))
                type.kind = TypeKind::varchar;
        }
        type_length(type, false);
        if (accept(K::binary_)) type.binary = true;
        break;
    }
    case K::binary_: plain(TypeKind::binary, true); break;
    case K::varbinary_:
        plain(TypeKind::varbinary, true);
        if (!type.has_length) fail("(");
        break;
    case K::tinytext_: text(TypeKind::tinytext, false); break;
    case K::text_: text(TypeKind::text, true); break;
    case K::mediumtext_: text(TypeKind::mediumtext, false); break;
    case K::longtext_: text(TypeKind::longtext, false); break;
    case K::tinyblob_: plain(TypeKind::tinyblob, false); break;
    case K::blob_: plain(TypeKind::blob, true); break;
    case K::mediumblob_: plain(TypeKind::mediumblob, false); break;
    case K::longblob_: plain(TypeKind::longblob, false); break;
    case K::long_:
        take();
        if (accept(K::varbinary_)) {
            type.kind = TypeKind::mediumblob;
            break;
        }
        type.kind = TypeKind::mediumtext;
        if (accept(K::char_) || accept(K::character_))
            expect(K::varying_);
        else if (!accept(K::varchar_))
            accept(K::varcharacter_);
        charset_attributes(type);
        break;
    case K::enum_:
    case K::set_: {
        take();
        type.kind = first.keyword == K::enum_ ? TypeKind::enum_ : TypeKind::set;
        left_paren();
        ListBuilder<Expr, 4> values;
        do {
            if (!is(T::string) && !is(T::hex) && !is(T::bit)) fail("a string");
            const Token value = take();
            const LiteralKind kind = value.kind == T::string ? LiteralKind::string
                                     : value.kind == T::hex  ? LiteralKind::hex
                                                             : LiteralKind::bit;
            values.push(make_literal(value, kind, value.span(), false, false));
        } while (accept(T::comma));
        right_paren();
        type.values = values.list(arena_);
        charset_attributes(type);
        break;
    }
    case K::json_: plain(TypeKind::json, false); break;
    case K::geometry_: plain(TypeKind::geometry, false); break;
    case K::geometrycollection_:
    case K::geomcollection_: plain(TypeKind::geometrycollection, false); break;
    case K::point_: plain(TypeKind::point, false); break;
    case K::linestring_: plain(TypeKind::linestring, false); break;
    case K::polygon_: plain(TypeKind::polygon, false); break;
    case K::multipoint_: plain(TypeKind::multipoint, false); break;
    case K::multilinestring_: plain(TypeKind::multilinestring, false); break;
    case K::multipolygon_: plain(TypeKind::multipolygon, false); break;
    case K::vector_: plain(TypeKind::vector, true); break;
    default:
        if (mariadb() && is(T::word)) {
            if (is_word("uuid")) {
                plain(TypeKind::uuid, false);
                break;
            }
            if (is_word("inet6")) {
                plain(TypeKind::inet6, false);
                break;
            }
            if (is_word("inet4")) {
                plain(TypeKind::inet4, false);
                break;
            }
            if (is_word("clob")) {
                text(TypeKind::longtext, false);
                break;
            }
            if (is_word("varchar2")) {
                text(TypeKind::varchar, true);
                break;
            }
            if (is_word("raw")) {
                plain(TypeKind::varbinary, true);
                break;
            }
        }
        fail("a data type");
    }
    type.span = since(first.offset);
    return result;
}

const DataType* Parser::cast_type() {
    const Token first = current();
    auto* result = arena_.make<DataType>();
    DataType& type = *result;
    switch (first.keyword) {
    case K::signed_:
    case K::unsigned_:
        take();
        type.kind = first.keyword == K::signed_ ? TypeKind::signed_ : TypeKind::unsigned_;
        if (!accept(K::int_)) accept(K::integer_);
        break;
    case K::char_:
    case K::character_:
    case K::varchar_:
        take();
        if (first.keyword == K::varchar_ && mysql()) fail("a type to cast to");
        type.kind = TypeKind::char_;
        if (mariadb() && accept(K::varying_)) type.kind = TypeKind::varchar;
        type_length(type, false);
        charset_attributes(type);
        break;
    case K::nchar_:
        take();
        type.kind = TypeKind::char_;
        type.national = true;
        type_length(type, false);
        break;
    case K::national_:
        take();
        if (!accept(K::char_)) expect(K::character_);
        type.kind = TypeKind::char_;
        type.national = true;
        type_length(type, false);
        break;
    case K::binary_:
        take();
        type.kind = TypeKind::binary;
        type_length(type, false);
        break;
    case K::decimal_:
    case K::dec_:
    case K::numeric_:
    case K::fixed_:
        if (mysql() && first.keyword != K::decimal_ && first.keyword != K::dec_) fail("a type to cast to");
        take();
        type.kind = TypeKind::decimal;
        type_length(type, true);
        break;
    case K::int_:
    case K::integer_:
        if (mysql()) fail("a type to cast to");
        take();
        type.kind = TypeKind::signed_;
        if (accept(K::unsigned_))
            type.kind = TypeKind::unsigned_;
        else
            accept(K::signed_);
        break;
    case K::float_:
        take();
        type.kind = TypeKind::float_;
        type_length(type, mariadb());
        break;
    case K::double_:
    case K::real_:
        take();
        type.kind = TypeKind::double_;
        if (first.keyword == K::double_) accept(K::precision_);
        if (mariadb()) type_length(type, true);
        break;
    case K::date_:
    case K::time_:
    case K::datetime_:
    case K::timestamp_:
    case K::year_:
    case K::json_:
    case K::vector_:
    case K::point_:
    case K::linestring_:
    case K::polygon_:
    case K::multipoint_:
    case K::multilinestring_:
    case K::multipolygon_:
    case K::geometry_:
    case K::geometrycollection_:
    case K::geomcollection_: return data_type();
    default:
        if (mariadb() && is(T::word) && !at_end()) return data_type();
        fail("a type to cast to");
    }
    type.span = since(first.offset);
    return result;
}

}  // namespace shardway::sqlparse
