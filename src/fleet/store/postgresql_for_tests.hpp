// A PostgreSQL server of a test's own: made by initdb in a temporary folder, reached through a socket in it (no port,
// so that two runs on one machine don't meet), run as a user that is not root, gone with the test, however that ends.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <libpq-fe.h>
#include <memory>
#include <pwd.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/result.hpp"

namespace tqm::fleet {

class PostgresqlForTests {
 public:
  static Result<std::unique_ptr<PostgresqlForTests>> start() {
    std::unique_ptr<PostgresqlForTests> server(new PostgresqlForTests(TRY(TemporaryFolder::make("tqm-pg"))));
    TRY(server->begin());
    return server;
  }
  ~PostgresqlForTests() {
    if (process_ <= 0) return;
    ::kill(process_, SIGQUIT);  // at once: the data goes away as well
    ::waitpid(process_, nullptr, 0);
  }

  std::string address(const std::string& database) const {
    return "host=" + folder_.path().string() + " user=" + user_ + " dbname=" + database;
  }
  // A new empty database; its address.
  Result<std::string> make_database() {
    const std::string name = "t" + std::to_string(++databases_);
    PGconn* connection = PQconnectdb(address("postgres").c_str());
    PGresult* answer = PQexec(connection, ("CREATE DATABASE " + name).c_str());
    const bool made = PQresultStatus(answer) == PGRES_COMMAND_OK;
    const std::string message = PQerrorMessage(connection);
    PQclear(answer);
    PQfinish(connection);
    if (!made) return Error{ErrorKind::environment, "can't make a database: " + message, name, ""};
    return address(name);
  }

 private:
  explicit PostgresqlForTests(TemporaryFolder folder) : folder_(std::move(folder)) {}

  static Result<std::filesystem::path> programs() {
    std::error_code code;
    std::filesystem::path newest;
    for (std::filesystem::directory_iterator it("/usr/lib/postgresql", code), end; !code && it != end;
         it.increment(code))
      if (std::filesystem::exists(it->path() / "bin/initdb") && it->path() > newest) newest = it->path();
    if (newest.empty())
      return Error{ErrorKind::environment, "PostgreSQL is not installed", "/usr/lib/postgresql",
                   "run tools/setup test"};
    return newest / "bin";
  }

  Status begin() {
    const std::filesystem::path bin = TRY(programs());
    std::vector<std::string> as;
    const passwd* self = ::getpwuid(::geteuid());
    user_ = self ? self->pw_name : "postgres";
    if (::geteuid() == 0) {
      const passwd* user = ::getpwnam("postgres");
      if (!user) user = ::getpwnam("nobody");
      if (!user) return Error{ErrorKind::environment, "neither the user postgres nor nobody is there", "", ""};
      user_ = user->pw_name;
      if (::chown(folder_.path().c_str(), user->pw_uid, user->pw_gid) != 0)
        return system_error("can't give the folder away", folder_.path(), errno);
      as = {"setpriv", "--reuid=" + std::to_string(user->pw_uid), "--regid=" + std::to_string(user->pw_gid),
            "--clear-groups"};
    }
    const std::string data = (folder_.path() / "data").string();
    Command initdb;
    initdb.arguments = as;
    for (const std::string& word :
         {(bin / "initdb").string(), std::string("-D"), data, std::string("-U"), user_, std::string("-A"),
          std::string("trust"), std::string("-N"), std::string("--locale=C.UTF-8")})
      initdb.arguments.push_back(word);
    initdb.work_folder = folder_.path();
    const CommandResult made = TRY(run_command(initdb));
    if (made.code != 0) return Error{ErrorKind::environment, "initdb failed: " + made.errors, data, ""};

    std::vector<std::string> words = as;
    if (words.empty()) words = {"setpriv"};
    for (const std::string& word :
         {std::string("--pdeathsig=QUIT"), (bin / "postgres").string(), std::string("-D"), data, std::string("-k"),
          folder_.path().string(), std::string("-c"), std::string("listen_addresses="), std::string("-c"),
          std::string("fsync=off"), std::string("-c"), std::string("shared_buffers=16MB"), std::string("-c"),
          std::string("logging_collector=off")})
      words.push_back(word);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      if (::chdir(folder_.path().c_str()) != 0 || !std::freopen("server.log", "w", stderr)) ::_exit(127);
      ::execvp(arguments[0], arguments.data());
      ::_exit(127);
    }
    for (int tries = 0; tries < 3000; ++tries) {
      if (PQping(address("postgres").c_str()) == PQPING_OK) return {};
      if (::waitpid(process_, nullptr, WNOHANG) == process_) {
        process_ = 0;
        break;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    auto log = read_file(folder_.path() / "server.log");
    return Error{ErrorKind::environment, "PostgreSQL did not start: " + (log ? *log : std::string("no log")), data, ""};
  }

  TemporaryFolder folder_;
  std::string user_;
  pid_t process_ = 0;
  int databases_ = 0;
};

}  // namespace tqm::fleet
