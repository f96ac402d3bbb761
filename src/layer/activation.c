/* Activations as a table: value and derivative on rows of numbers, in both precisions. */
#include "layer/activation.h"

#include <string.h>
#include <tgmath.h>

static const double GELU_SCALE = 0.79788456080286535588, GELU_CUBIC = 0.044715; /* sqrt(2 / pi) */

/* gelu(z) = z (1 + t) / 2, t = tanh(a (z + b z^3)).    Source  Hendrycks & Gimpel 2016, arXiv:1606.08415 */
static double Gelu(double z)
{
  return 0.5 * z * (1 + tanh(GELU_SCALE * (z + GELU_CUBIC * z * z * z)));
}

/* gelu'(z) = (1 + t) / 2 + z (1 - t^2) a (1 + 3 b z^2) / 2. */
static double GeluDerivative(double z)
{
  const double t = tanh(GELU_SCALE * (z + GELU_CUBIC * z * z * z));

  return 0.5 * (1 + t) + 0.5 * z * (1 - t * t) * GELU_SCALE * (1 + 3 * GELU_CUBIC * z * z);
}

#define real float
#define NAME(function) function##Single
#include "layer/activation_body.h"
#undef real
#undef NAME

#define real double
#define NAME(function) function##Double
#include "layer/activation_body.h"
#undef real
#undef NAME

/* Every activation: name, family of functions, kinked, fused, derivative from the input. */
#define ACTIVATIONS(X)                                                                                       \
  X(leaky_relu, Slope, true, true, false)                                                                    \
  X(relu, Slope, true, true, false)                                                                          \
  X(tanh, Tanh, false, false, false)                                                                         \
  X(gelu, Gelu, false, false, true)                                                                          \
  X(identity, Slope, false, true, false)

#define ROW(word, Family, kinked, fused, input)                                                              \
  {.name = #word,                                                                                            \
   .is_kinked = kinked,                                                                                      \
   .is_fused = fused,                                                                                        \
   .needs_input = input,                                                                                     \
   .forward = {[UNR_SINGLE] = Family##ForwardSingle, [UNR_DOUBLE] = Family##ForwardDouble},                  \
   .reverse = {[UNR_SINGLE] = Family##ReverseSingle, [UNR_DOUBLE] = Family##ReverseDouble}},
static const UnrActivationOps table[] = {ACTIVATIONS(ROW)};
#undef ROW

#define WORD(word, ...) "|" #word
const char UnrActivationWords[] = ACTIVATIONS(WORD);
#undef WORD

PetscErrorCode UnrActivationFind(const char *name, double slope, UnrActivation *f)
{
  PetscFunctionBeginUser;
  for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
    if (strcmp(table[i].name, name)) continue;
    f->ops = &table[i];
    f->slope = !strcmp(name, "leaky_relu") ? slope : !strcmp(name, "relu") ? 0 : 1;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "no activation %s among %s", name, UnrActivationNames);
}

UnrActivation UnrActivationSmooth(UnrActivation f)
{
  const UnrActivationOps *ops = table;

  if (!f.ops->is_kinked) return f;
  while (strcmp(ops->name, "tanh")) ops++;
  return (UnrActivation){.ops = ops, .slope = 1};
}

static size_t RowNumbers(const UnrTileShape *s)
{
  return (size_t)(s->count[2] * s->channels);
}
static size_t RowByte(const UnrTileShape *s, size_t r)
{
  return UnrTileRow(s, r) * UnrPrecisionBytes(s->precision);
}

/*
  UnrActivationForward - y = f(z).     Local.
  In      z      tile of this shape
  Out     y      tile of this shape, its interior; may be z
*/
PetscErrorCode UnrActivationForward(UnrActivation f, const UnrTileShape *shape, const void *z, void *y)
{
  PetscFunctionBeginUser;
  for (size_t r = 0; r < UnrTileRows(shape); r++) {
    const size_t at = RowByte(shape, r);
    f.ops->forward[shape->precision](RowNumbers(shape), f.slope, (const char *)z + at, (char *)y + at);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrActivationReverse - z_bar = (y_bar + add) f'(z), in place of y_bar.     Local.  The tangent's too.
  In      saved   z if f needs its input, else y
          add     another part of y_bar, or NULL
*/
PetscErrorCode UnrActivationReverse(UnrActivation f, const UnrTileShape *shape, const void *saved,
                                    const void *add, void *y_bar)
{
  PetscFunctionBeginUser;
  for (size_t r = 0; r < UnrTileRows(shape); r++) {
    const size_t at = RowByte(shape, r);
    f.ops->reverse[shape->precision](RowNumbers(shape), f.slope, (const char *)saved + at,
                                     add ? (const char *)add + at : NULL, (char *)y_bar + at);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrSkipReverse - the cotangent of a tile that is also added elsewhere: y_bar += add.     Local. */
PetscErrorCode UnrSkipReverse(const UnrTileShape *shape, const void *add, void *y_bar)
{
  PetscFunctionBeginUser;
  for (size_t r = 0; r < UnrTileRows(shape); r++) {
    const size_t at = RowByte(shape, r);
    (shape->precision == UNR_SINGLE ? AddSingle : AddDouble)(RowNumbers(shape), (const char *)add + at,
                                                             (char *)y_bar + at);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
