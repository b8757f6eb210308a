#pragma once

// Escapes text for a page: nothing in it can close the surrounding element or attribute.

#include <string>
#include <string_view>

namespace lockstep {

// For content and for quoted attributes.
std::string html_escaped(std::string_view text);

// For JSON inside a <script>: the same JSON, without any "<".
std::string script_escaped(std::string_view json);

}  // namespace lockstep
