#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "middleware/cli/apply_command.hpp"
#include "middleware/cli/check_command.hpp"
#include "middleware/cli/explain_command.hpp"
#include "middleware/cli/parse_command.hpp"
#include "middleware/cli/serve_command.hpp"
#include "middleware/cli/simulate_command.hpp"
#include "middleware/cli/skew_command.hpp"

int main(int argc, char** argv) {
    CLI::App app{"Shardway: many MySQL servers as one logical database"};
    app.require_subcommand(1);
    app.footer(
        "A first run, with a rules file and a schema at hand:\n\n"
        "  shardway check --config shardway.yaml                       find what is wrong with the rules\n"
        "  shardway apply --config shardway.yaml --schema schema.sql   create the tables on all nodes\n"
        "  shardway serve --config shardway.yaml                       serve clients\n"
        "  shardway explain --config shardway.yaml \"SELECT ...\"        what a statement will do\n\n"
        "Each command has its own --help.");
    shardway::cli::add_serve_command(app);
    shardway::cli::add_check_command(app);
    shardway::cli::add_apply_command(app);
    shardway::cli::add_explain_command(app);
    shardway::cli::add_parse_command(app);
    shardway::cli::add_skew_command(app);
    shardway::cli::add_simulate_command(app);
    auto* version = app.add_subcommand("version", "Print the version");
    version->callback([] {
        fmt::print("shardway {}\n", SHARDWAY_VERSION);
        throw CLI::Success{};
    });
    try {
        app.parse(argc, argv);
    } catch (const CLI::RuntimeError& status) {  // a command's own
        return status.get_exit_code();
    } catch (const CLI::ParseError& error) {  // wrong options, or --help, which is 0
        return app.exit(error) == 0 ? 0 : 2;
    }
    return 0;
}
