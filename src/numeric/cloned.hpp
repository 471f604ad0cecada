// Makes a polymorphic object a value.
#pragma once

#include <memory>
#include <utility>

namespace oscbo::numeric {

/// Owns an object of type T or of a derived class. A copy of Cloned owns a copy of the object, made
/// by T::clone(), which returns a std::unique_ptr<T>.
template <class T>
class Cloned {
 public:
  explicit Cloned(std::unique_ptr<T> object) : object_(std::move(object)) {}
  Cloned(const Cloned& other) : object_(other.object_->clone()) {}
  Cloned(Cloned&&) noexcept = default;
  Cloned& operator=(const Cloned& other) {
    if (this != &other) object_ = other.object_->clone();
    return *this;
  }
  Cloned& operator=(Cloned&&) noexcept = default;
  ~Cloned() = default;

  T* operator->() { return object_.get(); }
  const T* operator->() const { return object_.get(); }

 private:
  std::unique_ptr<T> object_;
};

}  // namespace oscbo::numeric
