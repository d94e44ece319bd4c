#include "console/table.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace sluice::cli {
namespace {

constexpr std::size_t kGap = 2;

std::size_t WidthOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return !IsUtf8Continuation(c); }));
}

}  // namespace

Table::Table(std::vector<Column> columns) {
  std::vector<std::string> titles;
  for (Column& column : columns) {
    aligns_.push_back(column.align);
    titles.push_back(std::move(column.title));
  }
  widths_.resize(titles.size());
  Add(titles, Emphasis::kBold);
}

void Table::Add(const std::vector<std::string>& cells, std::optional<Emphasis> emphasis) {
  assert(cells.size() == aligns_.size());
  Row& row = rows_.emplace_back();
  row.emphasis = emphasis;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    row.cells.push_back(Printable(cells[i]));
    widths_[i] = std::max(widths_[i], WidthOf(row.cells[i]));
  }
}

std::string Table::LineOf(const Row& row, ColorMode ink) const {
  std::string line;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (i > 0) line.append(kGap, ' ');
    const std::string& cell = row.cells[i];
    const std::string blanks(widths_[i] - WidthOf(cell), ' ');
    line += aligns_[i] == Align::kRight ? blanks + cell : cell + blanks;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return row.emphasis ? Emphasized(ink, *row.emphasis, line) : line;
}

std::string Table::ToText(ColorMode ink) const {
  std::string text;
  for (const Row& row : rows_) text += LineOf(row, ink) + "\n";
  return text;
}

}  // namespace sluice::cli
