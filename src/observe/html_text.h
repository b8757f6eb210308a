#pragma once

// Text on its way into a page: nothing in it can end the element or the attribute that it stands in.

#include <string>
#include <string_view>

namespace lockstep {

// For content and for attributes in quotes.
std::string html_escaped(std::string_view text);

// For JSON inside a <script>: the same JSON, without any "<".
std::string script_escaped(std::string_view json);

}  // namespace lockstep
