// Control connections as JavaScript sees them; src/engine/control.ts checks the arguments and has the class of errors.
#include <napi.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <system_error>

#include "engine/addon.hpp"
#include "engine/control.hpp"
#include "engine/control_failure_js.hpp"
#include "engine/own_operations.hpp"

namespace fabricbench {
namespace {

using Shared = std::shared_ptr<ControlConnection>;

struct Signalling : Operation {
  Shared connection;
};

constexpr int32_t kConnectionOver = 1;

void describe_signalling(Operation *self, int32_t, char *text, size_t length) {
  const ControlFailure why = static_cast<Signalling *>(self)->connection->end();
  snprintf(text, length, "%s", why.text.c_str());
}

int32_t execute_signal(Operation *self, Context *context) {
  if (static_cast<Signalling *>(self)->connection->send_signal(context)) return 0;
  return is_cancelled(context) ? kOperationCancelled : kConnectionOver;
}

int32_t execute_signalled(Operation *self, Context *) {
  ControlConnection &connection = *static_cast<Signalling *>(self)->connection;
  if (connection.take_signal()) return 0;
  if (__builtin_expect(!connection.is_over(), 1)) return kOperationPending;
  // One may have come between the two looks.
  return connection.take_signal() ? 0 : kConnectionOver;
}

class Connection : public Napi::ObjectWrap<Connection> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(
        env, "ControlConnection",
        {InstanceAccessor("peer", &Connection::peer, nullptr), InstanceAccessor("lost", &Connection::lost, nullptr),
         InstanceMethod("send", &Connection::send), InstanceMethod("receive", &Connection::receive),
         InstanceMethod("abort", &Connection::abort), InstanceMethod("close", &Connection::close),
         InstanceMethod("signal", &Connection::signal), InstanceMethod("signalled", &Connection::signalled)});
  }

  static Napi::FunctionReference &constructor() {
    static auto *reference = new Napi::FunctionReference;
    return *reference;
  }

  // Takes over the socket. `peer` is a text where the socket doesn't say who is there.
  static Napi::Value make(Napi::Env env, int socket, Napi::Value peer = Napi::Value()) {
    if (peer.IsEmpty()) peer = env.Undefined();
    return constructor().New({Napi::External<int>::New(env, &socket), peer});
  }

  explicit Connection(const Napi::CallbackInfo &info) : Napi::ObjectWrap<Connection>(info) {
    if (!info[0].IsExternal()) throw Napi::TypeError::New(info.Env(), "connections are made by accept and connect");
    const int socket = *info[0].As<Napi::External<int>>().Data();
    try {
      connection_ = info[1].IsString()
                        ? std::make_shared<ControlConnection>(socket, info[1].As<Napi::String>().Utf8Value())
                        : std::make_shared<ControlConnection>(socket);
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

  void send(const Napi::CallbackInfo &info) {
    const std::string text = info[0].As<Napi::String>().Utf8Value();
    if (text.size() > kLongestText) {
      throw_failure(info.Env(), {"too-long", "a text of " + std::to_string(text.size()) +
                                                 " bytes is longer than the 64 MiB that a frame holds"});
    }
    attempt(info.Env(), [&] { connection_->send(text); });
  }

  Napi::Value receive(const Napi::CallbackInfo &info) {
    const double seconds = info[0].As<Napi::Number>().DoubleValue();
    return Napi::String::New(info.Env(), attempt(info.Env(), [&] { return connection_->receive(seconds); }));
  }

  void abort(const Napi::CallbackInfo &info) { connection_->abort(info[0].As<Napi::String>().Utf8Value()); }
  void close(const Napi::CallbackInfo &) { connection_->close(); }

  Napi::Value operation(Napi::Env env, const char *name, int32_t (*execute)(Operation *, Context *)) {
    auto *operation = new_operation<Signalling>(name, execute);
    operation->describe = describe_signalling;
    operation->connection = connection_;
    return wrap_operation(env, operation, {});
  }
  Napi::Value signal(const Napi::CallbackInfo &info) { return operation(info.Env(), "signal", execute_signal); }
  Napi::Value signalled(const Napi::CallbackInfo &info) {
    return operation(info.Env(), "signalled", execute_signalled);
  }

  Shared connection_;
};

class Listener : public Napi::ObjectWrap<Listener> {
 public:
  static Napi::Function define(Napi::Env env) {
    return DefineClass(env, "ControlListener",
                       {InstanceAccessor("port", &Listener::port, nullptr), InstanceMethod("accept", &Listener::accept),
                        InstanceMethod("acceptRaw", &Listener::accept_raw), InstanceMethod("close", &Listener::close)});
  }

  // new ControlListener(port, ipv6)
  explicit Listener(const Napi::CallbackInfo &info) : Napi::ObjectWrap<Listener>(info) {
    const auto port = static_cast<uint16_t>(info[0].As<Napi::Number>().Uint32Value());
    const bool ipv6 = info[1].As<Napi::Boolean>().Value();
    listener_ = attempt(info.Env(), [&] { return std::make_unique<ControlListener>(port, ipv6); });
  }

 private:
  Napi::Value port(const Napi::CallbackInfo &info) { return Napi::Number::New(info.Env(), listener_->port()); }
  int accept_socket(const Napi::CallbackInfo &info) {
    const double seconds = info[0].As<Napi::Number>().DoubleValue();
    return attempt(info.Env(), [&] { return listener_->accept(seconds); });
  }
  // accept(seconds, negative for ever): a connection or null
  Napi::Value accept(const Napi::CallbackInfo &info) {
    const int socket = accept_socket(info);
    return socket < 0 ? info.Env().Null() : Connection::make(info.Env(), socket);
  }
  // The same for a connection of bytes.
  Napi::Value accept_raw(const Napi::CallbackInfo &info) {
    const int socket = accept_socket(info);
    return socket < 0 ? info.Env().Null() : make_raw_connection(info.Env(), socket);
  }
  void close(const Napi::CallbackInfo &) { listener_->close(); }

  std::unique_ptr<ControlListener> listener_;
};

// controlConnect(host, port, ipv6, seconds, source)
Napi::Value connect(const Napi::CallbackInfo &info) {
  const int socket = attempt(info.Env(), [&] {
    return connect_control(info[0].As<Napi::String>().Utf8Value(),
                           static_cast<uint16_t>(info[1].As<Napi::Number>().Uint32Value()),
                           info[2].As<Napi::Boolean>().Value(), info[3].As<Napi::Number>().DoubleValue(),
                           info[4].As<Napi::String>().Utf8Value());
  });
  return Connection::make(info.Env(), socket);
}

// controlAdopt(fd, peer)
Napi::Value adopt(const Napi::CallbackInfo &info) {
  return Connection::make(info.Env(), info[0].As<Napi::Number>().Int32Value(), info[1]);
}

}  // namespace

void export_control(Napi::Env env, Napi::Object exports) {
  Connection::constructor() = Napi::Persistent(Connection::define(env));
  Connection::constructor().SuppressDestruct();
  exports.Set("ControlListener", Listener::define(env));
  exports.Set("controlAdopt", Napi::Function::New(env, adopt));
  exports.Set("controlConnect", Napi::Function::New(env, connect));
}

}  // namespace fabricbench
