// MPI's constants: integers, predefined communicators, groups, datatypes and operations. In MPI's headers some are
// addresses that exist before MPI_Init, so that they can be made when the module is loaded.
#include "register.hpp"

namespace fabricbench::mpi {
namespace {

struct Integer {
  const char *name;
  int value;
};

#define FB_INTEGER(name) \
  { #name, MPI_##name }
const Integer kIntegers[] = {
    FB_INTEGER(SUCCESS),         FB_INTEGER(ANY_SOURCE),
    FB_INTEGER(ANY_TAG),         FB_INTEGER(PROC_NULL),
    FB_INTEGER(UNDEFINED),       FB_INTEGER(ROOT),
    FB_INTEGER(IDENT),           FB_INTEGER(CONGRUENT),
    FB_INTEGER(SIMILAR),         FB_INTEGER(UNEQUAL),
    FB_INTEGER(THREAD_SINGLE),   FB_INTEGER(THREAD_FUNNELED),
    FB_INTEGER(BSEND_OVERHEAD),  FB_INTEGER(THREAD_SERIALIZED),
    FB_INTEGER(THREAD_MULTIPLE), FB_INTEGER(COMM_TYPE_SHARED),
    FB_INTEGER(LOCK_SHARED),     FB_INTEGER(LOCK_EXCLUSIVE),
    FB_INTEGER(MODE_NOCHECK),    FB_INTEGER(MODE_NOSTORE),
    FB_INTEGER(MODE_NOPUT),      FB_INTEGER(MODE_NOPRECEDE),
    FB_INTEGER(MODE_NOSUCCEED),  FB_INTEGER(CART),
    FB_INTEGER(GRAPH),           FB_INTEGER(DIST_GRAPH),
};
#undef FB_INTEGER

struct Type {
  const char *name;
  MPI_Datatype value;
};

#define FB_TYPE(name) \
  { #name, MPI_##name }
// All that a TypedArray can hold, and the pairs that MAXLOC and MINLOC take. Not constant: MPI fills some in at load.
const Type *types(size_t *length) {
  static const Type kTypes[] = {
      FB_TYPE(CHAR),
      FB_TYPE(SIGNED_CHAR),
      FB_TYPE(UNSIGNED_CHAR),
      FB_TYPE(BYTE),
      FB_TYPE(PACKED),
      FB_TYPE(WCHAR),
      FB_TYPE(SHORT),
      FB_TYPE(UNSIGNED_SHORT),
      FB_TYPE(INT),
      FB_TYPE(UNSIGNED),
      FB_TYPE(LONG),
      FB_TYPE(UNSIGNED_LONG),
      FB_TYPE(LONG_LONG),
      FB_TYPE(LONG_LONG_INT),
      FB_TYPE(UNSIGNED_LONG_LONG),
      FB_TYPE(INT8_T),
      FB_TYPE(INT16_T),
      FB_TYPE(INT32_T),
      FB_TYPE(INT64_T),
      FB_TYPE(UINT8_T),
      FB_TYPE(UINT16_T),
      FB_TYPE(UINT32_T),
      FB_TYPE(UINT64_T),
      FB_TYPE(FLOAT),
      FB_TYPE(DOUBLE),
      FB_TYPE(LONG_DOUBLE),
      FB_TYPE(C_BOOL),
      FB_TYPE(C_FLOAT_COMPLEX),
      FB_TYPE(C_DOUBLE_COMPLEX),
      FB_TYPE(AINT),
      FB_TYPE(OFFSET),
      FB_TYPE(COUNT),
      FB_TYPE(FLOAT_INT),
      FB_TYPE(DOUBLE_INT),
      FB_TYPE(LONG_INT),
      FB_TYPE(SHORT_INT),
      FB_TYPE(DATATYPE_NULL),
      {"TWO_INT", MPI_2INT},  // MPI_2INT: no JavaScript name begins with a digit
  };
  *length = sizeof kTypes / sizeof kTypes[0];
  return kTypes;
}
#undef FB_TYPE

struct Operator {
  const char *name;
  MPI_Op value;
};

#define FB_OP(name) \
  { #name, MPI_##name }
const Operator *operators(size_t *length) {
  static const Operator kOperators[] = {
      FB_OP(SUM), FB_OP(PROD), FB_OP(MAX),    FB_OP(MIN),    FB_OP(LAND),    FB_OP(LOR),   FB_OP(LXOR),    FB_OP(BAND),
      FB_OP(BOR), FB_OP(BXOR), FB_OP(MAXLOC), FB_OP(MINLOC), FB_OP(REPLACE), FB_OP(NO_OP), FB_OP(OP_NULL),
  };
  *length = sizeof kOperators / sizeof kOperators[0];
  return kOperators;
}
#undef FB_OP

}  // namespace

void register_constants(Registry &r) {
  for (const Integer &each : kIntegers) r.exports.Set(each.name, Napi::Number::New(r.env, each.value));
  define_sentinels(r.env, r.exports);
  r.exports.Set("COMM_WORLD", make_handle<Comm>(r.env, MPI_COMM_WORLD));
  r.exports.Set("COMM_SELF", make_handle<Comm>(r.env, MPI_COMM_SELF));
  r.exports.Set("COMM_NULL", make_comm(r.env, MPI_COMM_NULL, nullptr));
  r.exports.Set("GROUP_EMPTY", make_group(r.env, MPI_GROUP_EMPTY, nullptr));
  size_t length = 0;
  const Type *type = types(&length);
  for (size_t i = 0; i < length; ++i) {
    auto box = std::make_shared<Datatype>();
    box->value = type[i].value;
    box->predefined = true;
    r.exports.Set(type[i].name, wrap<Datatype>(r.env, std::move(box)));
  }
  const Operator *op = operators(&length);
  for (size_t i = 0; i < length; ++i) r.exports.Set(op[i].name, make_handle<Op>(r.env, op[i].value));
}

}  // namespace fabricbench::mpi
