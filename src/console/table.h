// Table: formats rows of text in aligned columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "console/terminal.h"

namespace sluice::cli {

// A table with a header, for people to read.
//
// Invariants
//   (1) A column is as wide as its widest cell in characters (code points). Two spaces separate
//       columns, and no line ends in spaces.
//   (2) A row is one line: control characters in cells are shown as \xNN.
//   (3) The header is bold if color is enabled; otherwise the text has no escape sequences.
//
// Thread safety: none.
class Table {
 public:
  enum class Align : std::uint8_t { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns);

  // Adds a row, with an emphasis for the whole line if one is given. REQUIRES: one cell per column.
  void Add(const std::vector<std::string>& cells, std::optional<Emphasis> emphasis = std::nullopt);

  // Returns the header and the rows, one line each.
  [[nodiscard]] std::string ToText(ColorMode ink) const;

 private:
  struct Row {
    std::vector<std::string> cells;  // made printable
    std::optional<Emphasis> emphasis;
  };

  [[nodiscard]] std::string LineOf(const Row& row, ColorMode ink) const;

  std::vector<Align> aligns_;
  std::vector<std::size_t> widths_;
  std::vector<Row> rows_;  // the first row is the header
};

}  // namespace sluice::cli
