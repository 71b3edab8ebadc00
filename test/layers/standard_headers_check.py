#!/usr/bin/env python3
"""Every file includes the standard headers of the names that it uses, or has them from headers of this project.

What the headers of one standard library include of one another is its own affair, and those of the next one
include less: then a file without an include of its own does not compile. A compiler does not see that before,
and never where several files are compiled as one. Takes the source directory.
"""

import pathlib
import re
import sys

# What std:: is in front of. Any of the headers of a row brings its names.
NAMES = """
algorithm: adjacent_find all_of any_of binary_search clamp copy copy_if copy_n count count_if equal equal_range
algorithm: fill fill_n find find_first_of find_if find_if_not for_each generate is_sorted lexicographical_compare
algorithm: lower_bound max max_element min min_element minmax minmax_element mismatch none_of nth_element
algorithm: partial_sort partition pop_heap push_heap remove remove_if replace reverse rotate sample search shuffle sort
algorithm: stable_sort swap_ranges transform unique upper_bound
array: array to_array
barrier: barrier
array tuple utility variant: get
array deque map set span string string_view vector iterator: begin end size ssize data empty
atomic: atomic atomic_flag atomic_ref atomic_signal_fence atomic_thread_fence memory_order memory_order_acq_rel
atomic: memory_order_acquire memory_order_relaxed memory_order_release memory_order_seq_cst
bit: bit_cast bit_ceil bit_floor bit_width byteswap countl_one countl_zero countr_one countr_zero endian
bit: has_single_bit popcount rotl rotr
bitset: bitset
cctype: isalnum isalpha iscntrl isdigit isprint isspace isxdigit tolower toupper
charconv: chars_format from_chars to_chars
charconv system_error: errc
chrono: chrono
cmath: ceil exp exp2 fabs floor hypot isfinite isinf isnan llround log log10 log1p log2 lround nan nextafter pow round
cmath: signbit sqrt trunc
cmath cstdlib: abs
compare: partial_ordering strong_ordering weak_ordering
concepts: constructible_from convertible_to derived_from floating_point integral invocable same_as signed_integral
concepts: unsigned_integral
condition_variable: condition_variable
cstddef: byte max_align_t nullptr_t ptrdiff_t to_integer
cstddef cstdio cstdlib cstring ctime: size_t
cstdint: int16_t int32_t int64_t int8_t intmax_t intptr_t uint16_t uint32_t uint64_t uint8_t uintmax_t uintptr_t
cstdio: fclose fflush fopen fprintf fputs fread fwrite perror printf puts rename snprintf sscanf
cstdlib: _Exit abort aligned_alloc atexit atoi calloc exit free getenv llabs malloc realloc strtod strtol strtoul
cstdlib: strtoull
cstring: memchr memcmp memcpy memmove memset strchr strcmp strcpy strerror strlen strncmp strncpy strrchr strstr
ctime: time_t tm
deque: deque
deque map set string vector: erase erase_if
exception: current_exception exception exception_ptr rethrow_exception terminate
expected: expected unexpect unexpected
filesystem: filesystem
fstream: fstream ifstream ofstream
functional: cref equal_to function greater invoke less move_only_function plus ref reference_wrapper
functional string string_view: hash
future: async future promise
initializer_list map set string vector: initializer_list
ios iostream fstream sstream: ios
iostream: cerr cin clog cout
ostream iostream fstream sstream: ostream
istream iostream fstream sstream: istream
iterator: advance back_inserter distance istream_iterator istreambuf_iterator make_move_iterator next ostream_iterator
iterator: prev
latch: latch
limits: numeric_limits
list: list
map: map multimap
map utility: pair
memory: addressof allocator assume_aligned construct_at default_delete destroy_at make_shared make_unique
memory: make_unique_for_overwrite shared_ptr to_address unique_ptr weak_ptr
mutex: call_once lock_guard mutex once_flag scoped_lock unique_lock
new: align_val_t bad_alloc launder nothrow set_new_handler
numbers: numbers
numeric: accumulate gcd inner_product iota lcm midpoint partial_sum reduce
optional: make_optional nullopt optional
ios iostream fstream sstream string: streamsize
random: cauchy_distribution lognormal_distribution minstd_rand mt19937 mt19937_64 normal_distribution random_device
random: uniform_int_distribution uniform_real_distribution
ranges: views
regex: regex regex_match regex_replace regex_search smatch
set: multiset set
span: as_bytes as_writable_bytes span
sstream: istringstream ostringstream stringstream
stdexcept: invalid_argument logic_error out_of_range runtime_error
string: getline stod stoi stoul stoull string string_literals to_string
string string_view: string_view string_view_literals
system_error: error_code generic_category system_category system_error
thread: jthread this_thread thread
tuple: apply forward_as_tuple make_tuple tie tuple
type_traits: conditional_t decay_t enable_if_t false_type invoke_result_t is_arithmetic_v is_base_of_v is_convertible_v
type_traits: is_enum_v is_floating_point_v is_integral_v is_same_v is_signed_v is_trivially_copyable_v
type_traits: is_trivially_destructible_v is_unsigned_v is_void_v has_unique_object_representations_v make_signed_t
type_traits: make_unsigned_t remove_cvref_t remove_reference_t true_type type_identity underlying_type_t
unordered_map: unordered_map
unordered_set: unordered_set
utility: as_const cmp_equal cmp_greater cmp_less declval exchange forward in_place in_range index_sequence
utility: integer_sequence make_index_sequence make_integer_sequence make_pair move swap to_underlying unreachable
variant: get_if holds_alternative monostate variant visit
vector: vector
"""
MACROS = [("assert", "cassert"), ("errno", "cerrno"), (r"U?INT(?:8|16|32|64|PTR|MAX)_(?:MAX|MIN)", "cstdint"),
          (r"U?(?:CHAR|SHRT|INT|LONG|LLONG)_(?:MAX|MIN)", "climits"), (r"EXIT_(?:SUCCESS|FAILURE)", "cstdlib"),
          (r"(?:PRI|SCN)[diuoxX](?:8|16|32|64|PTR)", "cinttypes")]

TEXT = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<!\w)'(?:[^'\\\n]|\\.)+'""", re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
OF_C = ("cctype", "cmath", "cstdio", "cstdlib", "cstring")
# std::name, std::ranges::name, and a function of C as ::name(.
STANDARD = re.compile(r"\bstd::(?:ranges::)?(\w+)|(?<![\w>:])::(\w+)\(")


def table():
    """Name -> the headers of which each brings it."""
    of = {}
    for row in NAMES.split("\n"):
        headers, _, names = row.partition(":")
        for name in names.split():
            assert name not in of, f"{name} is in two rows"
            of[name] = headers.split()
    return of


class Sources:
    """The C++ files of a tree, and what reaches each of them by its includes."""

    def __init__(self, root):
        self.root = root
        self.code, self.includes = {}, {}
        for room in ("lib", "tools", "test"):
            for path in sorted((root / room).rglob("*")):
                if path.suffix in (".h", ".cpp"):
                    text = path.read_text(encoding="utf-8")
                    self.includes[path] = INCLUDE.findall(text)
                    self.code[path] = TEXT.sub(" ", text)

    def project_header(self, name, of):
        for folder in (self.root / "lib", self.root / "tools", self.root / "test", of.parent):
            if (folder / name) in self.code:
                return folder / name
        return None

    def headers(self, path, seen=None):
        """The headers of others that `path` includes, by itself or by headers of this project."""
        seen = {path} if seen is None else seen
        found = set()
        for name in self.includes[path]:
            header = self.project_header(name, path)
            if header is None:
                found.add(f"c{name[:-2]}" if name.endswith(".h") and "/" not in name else name)
            elif header not in seen:
                seen.add(header)
                found |= self.headers(header, seen)
        return found


def needs(code, of):
    """Name -> the headers of which one is needed, of what the code uses; None where the table lacks the name."""
    found = {}
    for name, function in STANDARD.findall(code):
        if name and name != "ranges":
            found[f"std::{name}"] = of.get(name)
        elif of.get(function, [""])[0] in OF_C:
            found[f"::{function}"] = of[function]
    for macro, header in MACROS:
        for word in re.findall(rf"\b{macro}\b", code):
            found[word] = [header]
    return found


def main(root):
    sources, of = Sources(pathlib.Path(root)), table()
    lacking = checked = 0
    for path, code in sources.code.items():
        have = sources.headers(path)
        for name, headers in sorted(needs(code, of).items()):
            checked += 1
            if headers is None:
                print(f"{path.relative_to(root)}: {name} is in no row of {pathlib.Path(__file__).name}")
            elif have.isdisjoint(headers):
                print(f"{path.relative_to(root)}: {name} needs #include <{'> or <'.join(headers)}>")
            else:
                continue
            lacking += 1
    print(f"{checked} names in {len(sources.code)} files, {lacking} without their header")
    return int(checked == 0 or lacking > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
