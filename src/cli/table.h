// Table: rows of texts in columns that line up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal.h"

namespace sluice::cli {

// A header and rows, for people to read.
//
// Invariants
//   (1) A column is as wide as its widest cell in characters (code points), and two blanks stand
//       between columns; no line ends in blanks.
//   (2) A row is one line: control characters in cells are shown as \xNN.
//   (3) The header is bold in color, and all there is without it are the texts.
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

  // A row, the whole of it with an emphasis where it has one. REQUIRES: one cell for each column.
  void Add(const std::vector<std::string>& cells, std::optional<Emphasis> emphasis = std::nullopt);

  // Header and rows, a line each; the header alone where there are no rows.
  [[nodiscard]] std::string ToText(Ink ink) const;

 private:
  struct Row {
    std::vector<std::string> cells;  // printable
    std::optional<Emphasis> emphasis;
  };

  [[nodiscard]] std::string LineOf(const Row& row, Ink ink) const;

  std::vector<Align> aligns_;
  std::vector<std::size_t> widths_;
  std::vector<Row> rows_;  // the first is the header
};

}  // namespace sluice::cli
