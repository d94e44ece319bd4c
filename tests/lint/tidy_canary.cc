// Deliberate faults. tidy_canary_test.py demands that clang-tidy reports every check named in an
// `expect` comment, on that line (`expect-next`: on the next), and nothing else. In no build.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice {

std::size_t UseAfterMove(std::string text) {
  const std::string taken = std::move(text);
  // expect-next: clang-analyzer-cplusplus.Move
  return taken.size() + text.size();  // expect: bugprone-use-after-move
}

int DivideByZero(int units) {
  int none = 0;
  return units / none;  // expect: clang-analyzer-core.DivideZero
}

std::size_t CopyParameter(std::vector<int> units) {  // expect: performance-unnecessary-value-param
  return units.size();
}

const char* CastAway(const std::int64_t* nanos) {
  return (const char*)nanos;  // expect: cppcoreguidelines-pro-type-cstyle-cast
}

int SameOnBothSides(int a) {
  return a - a;  // expect: misc-redundant-expression
}

int bad_function_name() { return 1; }  // expect: readability-identifier-naming

constexpr int burst_max = 5;  // expect: readability-identifier-naming

enum class Colour { red };  // expect: readability-identifier-naming

class Implicit {
 public:
  Implicit(int units) : units_(units) {}  // expect: google-explicit-constructor
  [[nodiscard]] int Units() const { return units_; }

 private:
  int units_;
};

int* NullPointer() {
  return 0;  // expect: modernize-use-nullptr
}

int Uninitialised(bool set) {
  int units;  // expect: cppcoreguidelines-init-variables
  if (set) {
    units = 1;
  } else {
    units = 2;
  }
  return units;
}

int TooManyParameters(int a, int b, int c, int d, int e,  // expect: readability-function-size
                      int f) {
  return a + b + c + d + e + f;
}

int TooTangled(int a, int b) {  // expect: readability-function-cognitive-complexity
  int sum = 0;
  for (int i = 0; i < a; ++i) {
    for (int j = 0; j < b; ++j) {
      if (i > j) {
        if (i % 2 == 0) {
          if (j % 3 == 0) {
            while (sum < 100) {
              sum += i;
            }
          }
        }
      }
    }
  }
  return sum;
}

}  // namespace sluice
