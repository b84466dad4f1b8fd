// Connections of bytes as JavaScript sees them; src/engine/raw.ts checks the arguments.
#include <napi.h>

#include <memory>
#include <string>
#include <system_error>

#include "engine/addon.hpp"
#include "engine/control_failure_js.hpp"
#include "engine/raw.hpp"

namespace fabricbench {
namespace {

class Raw : public Napi::ObjectWrap<Raw> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "RawConnection",
                       {InstanceAccessor("peer", &Raw::peer, nullptr), InstanceAccessor("lost", &Raw::lost, nullptr),
                        InstanceMethod("write", &Raw::write), InstanceMethod("read", &Raw::read),
                        InstanceMethod("watch", &Raw::watch), InstanceMethod("close", &Raw::close)});
  }

  static Napi::FunctionReference &constructor() {
    static auto *reference = new Napi::FunctionReference;
    return *reference;
  }

  explicit Raw(const Napi::CallbackInfo &info) : Napi::ObjectWrap<Raw>(info) {
    if (!info[0].IsExternal()) throw Napi::TypeError::New(info.Env(), "connections are made by accept and connect");
    try {
      connection_ = std::make_unique<RawConnection>(*info[0].As<Napi::External<int>>().Data());
    } catch (const std::system_error &error) {
      throw_failure(info.Env(), {"other", std::string("the system gives no thread for a connection: ") + error.what()});
    }
  }

 private:
  Napi::Value peer(const Napi::CallbackInfo &info) { return Napi::String::New(info.Env(), connection_->peer()); }

  Napi::Value lost(const Napi::CallbackInfo &info) {
    if (!connection_->is_over()) return info.Env().Null();
    return Napi::String::New(info.Env(), connection_->end().text);
  }

  // write(bytes, seconds)
  void write(const Napi::CallbackInfo &info) {
    const auto bytes = info[0].As<Napi::Uint8Array>();
    const double seconds = info[1].As<Napi::Number>().DoubleValue();
    attempt(info.Env(),
            [&] { connection_->write(reinterpret_cast<const char *>(bytes.Data()), bytes.ByteLength(), seconds); });
  }

  // read(length, seconds)
  Napi::Value read(const Napi::CallbackInfo &info) {
    const auto length = static_cast<size_t>(info[0].As<Napi::Number>().Int64Value());
    const double seconds = info[1].As<Napi::Number>().DoubleValue();
    const std::string bytes = attempt(info.Env(), [&] { return connection_->read(length, seconds); });
    return Napi::Buffer<char>::Copy(info.Env(), bytes.data(), bytes.size());
  }

  void watch(const Napi::CallbackInfo &info) {
    attempt(info.Env(), [&] { connection_->watch(info[0].As<Napi::Boolean>().Value()); });
  }

  void close(const Napi::CallbackInfo &) { connection_->close(); }

  std::unique_ptr<RawConnection> connection_;
};

// rawConnect(host, port, ipv6, seconds, source)
Napi::Value connect(const Napi::CallbackInfo &info) {
  const int socket = attempt(info.Env(), [&] {
    return connect_control(info[0].As<Napi::String>().Utf8Value(),
                           static_cast<uint16_t>(info[1].As<Napi::Number>().Uint32Value()),
                           info[2].As<Napi::Boolean>().Value(), info[3].As<Napi::Number>().DoubleValue(),
                           info[4].As<Napi::String>().Utf8Value());
  });
  return make_raw_connection(info.Env(), socket);
}

}  // namespace

Napi::Value make_raw_connection(Napi::Env env, int socket) {
  return Raw::constructor().New({Napi::External<int>::New(env, &socket)});
}

void export_raw(Napi::Env env, Napi::Object exports) {
  Raw::constructor() = Napi::Persistent(Raw::define(env));
  Raw::constructor().SuppressDestruct();
  exports.Set("rawConnect", Napi::Function::New(env, connect));
}

}  // namespace fabricbench
