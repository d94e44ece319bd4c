// The Huffman code of HPACK (RFC 7541, 5.2 and appendix B).
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Decodes `coded` and appends the text. Returns false if the input is invalid: it contains the
// end-of-string mark, or its padding is not the shortest prefix of that mark. Part of the text may
// have been appended then.
bool AppendHuffmanText(std::string_view coded, std::string& out);

}  // namespace sluice
