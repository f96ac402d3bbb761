/* The choice of convolution kernels: -layer_engine and -layer_isa. */
#include "layer/layer.h"

#include "core/error.h"

static const UnrOption options[] = {
    {"-layer_engine", UNR_WORD, "simd", 0, 0, NULL, "engine of the convolutions", UnrEngineNames},
    {"-layer_isa", UNR_WORD, "auto", 0, 0, NULL,
     "instruction set of the convolutions; auto: the best of this processor", "auto|avx512|avx2|generic"},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

PetscErrorCode UnrLayerRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrOptionsRegister("Layers", options, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "auto|avx2|generic": the words of -layer_isa for which the engine has kernels here. */
static void IsaNames(const UnrEngineOps *engine, UnrPrecision precision, char names[], size_t room)
{
  static const char *const words[] = {"auto", "avx512", "avx2", "generic"};
  size_t used = 0;

  names[0] = 0;
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    if (!engine->kernels(precision, words[i])) continue;
    used += (size_t)snprintf(names + used, room - used, "%s%s", used ? "|" : "", words[i]);
  }
}

/*
  UnrLayerKernels - the convolution kernels that the options choose.     Collective on the world.
  Out     kernels   static, borrowed
  Errors  a user error where this build has no such engine, or the engine no such kernels on a processor
*/
PetscErrorCode UnrLayerKernels(UnrPrecision precision, const UnrConvKernels **kernels)
{
  const char *name, *isa;
  char isas[64];
  const UnrEngineOps *engine;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionWord(options, NULL, "-layer_engine", &name));
  PetscCall(UnrOptionWord(options, NULL, "-layer_isa", &isa));
  engine = UnrEngineFind(name);
  UnrUserCheck(engine, "this build has no engine -layer_engine (%s); allowed: %s; try: -layer_engine simd",
               name, UnrEngineNames);
  *kernels = engine->kernels(precision, isa);
  IsaNames(engine, precision, isas, sizeof(isas));
  UnrUserCheck(*kernels,
               "engine %s has no %s precision kernels on this processor for -layer_isa (%s); allowed: %s; "
               "try: -layer_isa auto",
               name, precision == UNR_SINGLE ? "single" : "double", isa, isas);
  PetscFunctionReturn(PETSC_SUCCESS);
}
