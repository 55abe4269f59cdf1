// What a failed statement gives back: the three fields of an ERR packet.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/system/result.hpp>

namespace shardway::protocol {

// Ours are made by the functions of errors.hpp; a node's keeps its number, SQLSTATE and text.
struct SqlError {
    // No aggregate: one would be constructible from a lone number, and Result<int> could not tell values from
    // errors.
    SqlError(std::uint16_t number, std::string state, std::string text)
        : code{number}, sqlstate{std::move(state)}, message{std::move(text)} {}

    SqlError() : code{0} {}  // what Result<T>::error() gives when there is a value

    std::uint16_t code;
    std::string sqlstate;  // five characters
    std::string message;

    friend bool operator==(const SqlError&, const SqlError&) = default;
};

// A value or the error that the client will see. `return errors_function(…);` and `return value;` both
// convert.
template <class T>
using Result = boost::system::result<T, SqlError>;

// What Result<T>::value() throws when there is none: a bug of the caller, who should have asked has_error().
class SqlErrorException : public std::runtime_error {
public:
    explicit SqlErrorException(SqlError error)
        : std::runtime_error{error.message}, error_{std::move(error)} {}
    const SqlError& error() const { return error_; }

private:
    SqlError error_;
};

// Found by boost::system::result through argument-dependent lookup.
[[noreturn]] inline void throw_exception_from_error(const SqlError& error, const boost::source_location&) {
    throw SqlErrorException{error};
}

}  // namespace shardway::protocol
