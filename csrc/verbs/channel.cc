// Links: made of connected queue pairs, their queue and their memory; closed before these.
#include "verbs/channel.hpp"

#include "verbs/channel_js.hpp"
#include "verbs/operations.hpp"

namespace fabricbench::verbs {
namespace {

// What src/verbs makes queues and memory by.
Napi::Value layout(const Napi::CallbackInfo &info) {
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("slots", kSlots);
  result.Set("slotBytes", kSlotBytes);
  result.Set("bulk", kBulk);
  result.Set("eager", kEager);
  return result;
}

By by_of(const std::string &name) { return name == "send" ? By::kSend : name == "write" ? By::kWrite : By::kRead; }

// Notes what the link needs, so that it isn't destroyed before.
template <class T>
std::shared_ptr<T> part(Link &link, const Request &request, const char *name) {
  auto object = unbox<T>(request.get(name));
  ++object->users;
  link.parts.push_back(object);
  return object;
}

// A line of {frames, bulk, in, out, remoteAddress, remoteKey}.
void add_line(Link &link, const Request &request) {
  auto line = std::make_unique<Line>();
  const auto frames = part<Qp>(link, request, "frames");
  const auto in = part<Mr>(link, request, "in");
  const auto out = part<Mr>(link, request, "out");
  line->link = &link;
  line->index = static_cast<uint32_t>(link.lines.size());
  line->frames = frames->qp;
  line->bulk = part<Qp>(link, request, "bulk")->qp;
  line->max_inline = frames->max_inline;
  line->in = static_cast<char *>(in->mr->addr);
  line->in_lkey = in->mr->lkey;
  line->out = static_cast<char *>(out->mr->addr);
  line->out_lkey = out->mr->lkey;
  line->remote_in = request.word("remoteAddress");
  line->remote_rkey = request.number32("remoteKey");
  link.lines.push_back(std::move(line));
}

// verbsLink({cq, by, lines})
Napi::Value make(const Napi::CallbackInfo &info) {
  const Request request(info[0]);
  auto link = std::make_shared<Link>();
  const auto cq = part<Cq>(*link, request, "cq");
  link->by = by_of(request.get("by").As<Napi::String>());
  link->queue = cq->cq;
  for (const Request &line : request.parts("lines")) add_line(*link, line);
  if (link->by == By::kSend) {
    for (const auto &line : link->lines) post_slots(*line);
  }
  opened(*link, cq->context);
  return box(info.Env(), link);
}

// verbsLinkClose(link)
void close(const Napi::CallbackInfo &info) {
  const auto link = unbox<Link>(info[0]);
  if (link->closed) return;
  require_unused(info.Env(), *link, "closed");
  for (const auto &object : link->parts) --object->users;
  link->parts.clear();
  link->fail(ECANCELED);
  closed(*link);
}

// verbsLinkLeave(link, index): what is received there from now on has no place.
void leave(const Napi::CallbackInfo &info) {
  const auto link = unbox<Link>(info[0]);
  const Line &line = *link->lines[info[1].As<Napi::Number>().Uint32Value()];
  if (line.finished != line.posted || line.completed != line.queued) link->fail(ECANCELED);
}

}  // namespace

void register_links(Napi::Env env, Napi::Object exports) {
  exports.Set("verbsLinkLayout", Napi::Function::New(env, layout));
  exports.Set("verbsLink", Napi::Function::New(env, make));
  exports.Set("verbsLinkClose", Napi::Function::New(env, close));
  exports.Set("verbsLinkLeave", Napi::Function::New(env, leave));
}

void register_channels(Napi::Env env, Napi::Object exports) {
  register_links(env, exports);
  register_channel_calls(env, exports);
}

}  // namespace fabricbench::verbs
