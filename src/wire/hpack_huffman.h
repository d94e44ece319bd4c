// The Huffman code of HPACK (RFC 7541, 5.2 and appendix B).
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Appends the text that `coded` stands for. False where it stands for none: it has the mark of the
// end, or what follows the last character is not the shortest beginning of that mark. Some of the
// text may have been appended then.
bool AppendHuffmanText(std::string_view coded, std::string& out);

}  // namespace sluice
