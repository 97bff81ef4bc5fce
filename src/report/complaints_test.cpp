#include "report/complaints.hpp"

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "report/report.hpp"

namespace tqm::report {

std::string complaints(const std::string& document) {
  nlohmann::json schema_json = nlohmann::json::parse(schema());
  valijson::Schema parsed;
  valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_json), parsed);
  nlohmann::json target = nlohmann::json::parse(document);
  valijson::ValidationResults results;
  valijson::Validator().validate(parsed, valijson::adapters::NlohmannJsonAdapter(target), &results);
  std::string all;
  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    for (const std::string& part : error.context) all += part;
    all += ": " + error.description + "\n";
  }
  return all;
}

}  // namespace tqm::report
