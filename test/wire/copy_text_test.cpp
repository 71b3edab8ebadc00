// Texts of every size are copied, and nothing beside them is touched.
#include "wire/copy_text.h"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include "base/bytes.h"

using namespace wiremark;

TEST_CASE("a text of any size is copied whole, and no byte before or behind it is touched") {
  for (std::size_t size = 0; size < 300; ++size) {
    // The blocks end with their bytes, so that ASan sees a read or a write beyond.
    std::vector<char> text(size);
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i % 251 + 1);
    std::vector<std::byte> to(size + 2, std::byte{0xFF});
    wire::copy_text(to.data() + 1, {text.data(), size});
    REQUIRE(to.front() == std::byte{0xFF});
    REQUIRE(to.back() == std::byte{0xFF});
    REQUIRE(as_text(Bytes(to).subspan(1, size)) == std::string_view(text.data(), size));
  }
}
