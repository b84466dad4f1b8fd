// The templates of handles.hpp.
#pragma once

#include <utility>

namespace fabricbench::mpi {

template <class T>
struct ClassOf {
  static inline Napi::FunctionReference constructor;
};

// The only value with which a handle's constructor lets itself be called; it lives while `wrap` runs.
struct Construction {
  static inline bool allowed = false;
};

template <class T>
void define_class(Napi::Env env, Napi::Object exports) {
  const auto construct = [](napi_env raw, napi_callback_info info) -> napi_value {
    napi_value self = nullptr;
    napi_get_cb_info(raw, info, nullptr, nullptr, &self, nullptr);
    if (!Construction::allowed) {
      const std::string text = std::string(T::kClass) + ": only MPI's own functions make " + T::kWhat;
      napi_throw_type_error(raw, nullptr, text.c_str());
    }
    return self;
  };
  napi_value constructor = nullptr;
  napi_define_class(env, T::kClass, NAPI_AUTO_LENGTH, construct, nullptr, 0, nullptr, &constructor);
  ClassOf<T>::constructor = Napi::Persistent(Napi::Function(env, constructor));
  ClassOf<T>::constructor.SuppressDestruct();
  exports.Set(T::kClass, ClassOf<T>::constructor.Value());
}

template <class T>
Napi::Object wrap(Napi::Env env, std::shared_ptr<T> box) {
  Construction::allowed = true;
  Napi::Object object = ClassOf<T>::constructor.New({});
  Construction::allowed = false;
  const auto finalize = [](napi_env, void *data, void *) { delete static_cast<std::shared_ptr<T> *>(data); };
  auto owned = std::make_unique<std::shared_ptr<T>>(std::move(box));
  if (napi_type_tag_object(env, object, &T::kTag) != napi_ok ||
      napi_wrap(env, object, owned.get(), finalize, nullptr, nullptr) != napi_ok) {
    throw Napi::Error::New(env, std::string(T::kClass) + ": the object could not be made");
  }
  owned.release();
  return object;
}

template <class T>
std::shared_ptr<T> unwrap(const Napi::Value &value) {
  if (!value.IsObject()) return nullptr;
  bool tagged = false;
  napi_env env = value.Env();
  if (napi_check_object_type_tag(env, value, &T::kTag, &tagged) != napi_ok || !tagged) return nullptr;
  void *data = nullptr;
  if (napi_unwrap(env, value, &data) != napi_ok || !data) return nullptr;
  return *static_cast<std::shared_ptr<T> *>(data);
}

}  // namespace fabricbench::mpi
