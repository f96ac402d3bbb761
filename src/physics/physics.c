/* Physics by name: the list, options, parameters, lengths.  The calls are in physics_apply.c. */
#include "physics/physics_impl.h"

#include <string.h>
#include "core/error.h"

#define UNR_PHYSICS(name, Name) extern const UnrPhysicsOps UnrPhysicsOps_##Name;
#include "physics/list.h"
#undef UNR_PHYSICS

#define UNR_PHYSICS(name, Name) &UnrPhysicsOps_##Name.plugin,
static const UnrPlugin *const plugins[] = {
#include "physics/list.h"
    NULL,
};
#undef UNR_PHYSICS

#define UNR_PHYSICS(name, Name) "|" #name
static const char joined[] =
#include "physics/list.h"
    ;
#undef UNR_PHYSICS
const char *const UnrPhysicsNames = joined + 1;

static const UnrOption options[] = {
    {"-physics_type", UNR_WORD, "ks_spectral", 0, 0, NULL,
     "partial differential equation and its discretisation in space", joined + 1},
    {NULL, UNR_BOOL, NULL, 0, 0, NULL, NULL, NULL},
};

static const UnrPluginClass class = {"physics", options, plugins};

/* A float32 coordinate carries a length to 1e-7 relative; two lengths closer than this are the same. */
static bool IsSameLength(double a, double b)
{
  return PetscAbsReal(a - b) <= 1e-5 * PetscAbsReal(b);
}

/* UnrPhysicsRegister - make the options of this room known. */
PetscErrorCode UnrPhysicsRegister(void)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsRegister(&class, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhysicsList(UnrPluginVisit visit, void *context)
{
  PetscFunctionBeginUser;
  PetscCall(UnrPluginsVisit(&class, visit, context));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrPhysicsDescribe - what the physics of -physics_type asks of the layout, before a grid exists.
                       Collective on the world.
  Out     needs, components   of one state
  Errors  a user error if the physics has no such dimension
*/
PetscErrorCode UnrPhysicsDescribe(int dim, UnrNeeds *needs, PetscInt *components)
{
  const UnrPhysicsOps *ops;

  PetscFunctionBeginUser;
  PetscCall(UnrPluginChoose(&class, NULL, &ops));
  *needs = UnrNeedsNone;
  UnrUserCheck(dim >= ops->dim[0] && dim <= ops->dim[1],
               "%s on a grid of dimension %d; allowed: %d to %d; try: -grid_points with as many numbers",
               ops->name, dim, ops->dim[0], ops->dim[1]);
  PetscCall(ops->describe(dim, needs, components));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *UnrPhysicsFor(const char *field, int dim)
{
  for (int i = 0; plugins[i]; i++) {
    const UnrPhysicsOps *ops = (const UnrPhysicsOps *)plugins[i]; /* a table begins with its head */

    if (!strcmp(ops->field, field) && dim >= ops->dim[0] && dim <= ops->dim[1]) return ops->name;
  }
  return NULL;
}

/* The option that holds the default of parameter p. */
static const char *ParameterOption(const UnrPhysicsOps *ops, PetscInt p)
{
  return ops->parameters[p];
}

/* "ks_spectral" has "-physics_ks_domain_size", whose name is "domain_size": what follows the family. */
static const char *ParameterName(const UnrPhysicsOps *ops, PetscInt p)
{
  const size_t family = (size_t)(strrchr(ops->name, '_') - ops->name);

  return ParameterOption(ops, p) + strlen("-physics_") + family + 1;
}

static PetscErrorCode ParametersFromOptions(UnrPhysics physics)
{
  const UnrPhysicsOps *ops = physics->ops;

  PetscFunctionBeginUser;
  while (ops->parameters && ops->parameters[physics->parameters]) physics->parameters++;
  PetscCall(PetscMalloc1(physics->parameters, &physics->parameter_default));
  for (PetscInt p = 0; p < physics->parameters; p++)
    PetscCall(UnrOptionReal(ops->options, NULL, ParameterOption(ops, p), &physics->parameter_default[p]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  LengthFromOptions - reads -grid_length into physics->length, and into the parameters that hold lengths.
  Errors  a user error if an explicit parameter contradicts it
*/
static PetscErrorCode LengthFromOptions(UnrPhysics physics)
{
  const UnrPhysicsOps *ops = physics->ops;
  PetscInt count;
  double *par;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionReals(UnrGridOptions, NULL, "-grid_length", UNR_MAX_DIM, physics->length, &count));
  UnrUserCheck(count == 0 || count == physics->grid->dim,
               "-grid_length has %d numbers (grid: %d-D); allowed: one an axis; try: as many as -grid_points",
               (int)count, physics->grid->dim);
  if (count == 0 || !ops->set_length) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(physics->parameters, &par));
  PetscCall(PetscArraycpy(par, physics->parameter_default, physics->parameters));
  PetscCall(ops->set_length(physics, physics->length, par));
  for (PetscInt p = 0; p < physics->parameters; p++) {
    bool given;

    PetscCall(UnrOptionGiven(ops->options, NULL, ParameterOption(ops, p), &given));
    UnrUserCheck(
        !given || IsSameLength(par[p], physics->parameter_default[p]),
        "%s %g contradicts -grid_length (which says %g); allowed: equal values; try: give only one of them",
        ParameterOption(ops, p), physics->parameter_default[p], par[p]);
  }
  PetscCall(PetscArraycpy(physics->parameter_default, par, physics->parameters));
  PetscCall(PetscFree(par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrPhysicsCreate - the physics of -physics_type on a grid.     Collective on the world.
  In      grid   borrowed, must outlive the physics; as UnrPhysicsDescribe() asked
*/
PetscErrorCode UnrPhysicsCreate(UnrGrid grid, UnrPhysics *physics_out)
{
  UnrPhysics physics;
  bool dealias = false;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&physics));
  physics->grid = grid;
  PetscCall(UnrPluginChoose(&class, NULL, &physics->ops));
  physics->field = physics->ops->field;
  PetscCall(ParametersFromOptions(physics));
  PetscCall(LengthFromOptions(physics));
  if (physics->ops->dealias) PetscCall(physics->ops->dealias(physics, &dealias));
  if (physics->ops->symbol) PetscCall(UnrFFTCreate(grid, dealias, &physics->fft));
  if (physics->ops->create) PetscCall(physics->ops->create(physics));
  *physics_out = physics;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhysicsDestroy(UnrPhysics *physics)
{
  PetscFunctionBeginUser;
  if (!*physics) PetscFunctionReturn(PETSC_SUCCESS);
  if ((*physics)->ops->destroy) PetscCall((*physics)->ops->destroy(*physics));
  PetscCall(UnrPhysicsDiagnosticsDestroy(*physics));
  if ((*physics)->fft) PetscCall(UnrFFTDestroy(&(*physics)->fft));
  for (int slot = 0; slot < UNR_PHYSICS_SLOTS; slot++) free((*physics)->scratch[slot]);
  PetscCall(PetscFree((*physics)->parameter_default));
  PetscCall(PetscFree(*physics));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *UnrPhysicsName(UnrPhysics physics)
{
  return physics->ops->name;
}

const char *UnrPhysicsFieldName(UnrPhysics physics)
{
  return physics->field;
}

UnrGrid UnrPhysicsGrid(UnrPhysics physics)
{
  return physics->grid;
}

UnrFFT UnrPhysicsFFT(UnrPhysics physics)
{
  return physics->fft;
}

PetscInt UnrPhysicsParameters(UnrPhysics physics)
{
  return physics->parameters;
}

const char *UnrPhysicsParameterName(UnrPhysics physics, PetscInt p)
{
  return ParameterName(physics->ops, p);
}

double UnrPhysicsParameterDefault(UnrPhysics physics, PetscInt p)
{
  return physics->parameter_default[p];
}

PetscErrorCode UnrPhysicsParameterGiven(UnrPhysics physics, PetscInt p, bool *given)
{
  return UnrOptionGiven(physics->ops->options, NULL, ParameterOption(physics->ops, p), given);
}

PetscErrorCode UnrPhysicsParameterCheck(UnrPhysics physics, PetscInt p, double value, const char *where)
{
  const UnrPhysicsOps *ops = physics->ops;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionCheckReal(ops->options, ParameterOption(ops, p), value, where));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt UnrPhysicsParameterIndex(UnrPhysics physics, const char *name)
{
  for (PetscInt p = 0; p < physics->parameters; p++) {
    if (!strcmp(name, ParameterName(physics->ops, p))) return p;
  }
  return -1;
}

bool UnrPhysicsHas(UnrPhysics physics, UnrPhysicsFeature feature)
{
  bool has_modes;

  if (feature == UNR_PHYSICS_SYMBOL) return physics->ops->symbol;
  if (feature == UNR_PHYSICS_ADJOINT) return !physics->has_no_adjoint;
  if (feature == UNR_PHYSICS_JACOBIAN) return physics->ops->jacobian;
  has_modes = physics->fft && (physics->ops->constrain_modes || physics->fft->is_dealiased);
  if (feature == UNR_PHYSICS_CONSTRAIN_MODES) return has_modes && !physics->ops->constrain;
  return has_modes || physics->ops->constrain;
}

/*
  UnrPhysicsLength - side lengths of the domain of a sample with parameters par.     Not collective.
  Out     length   [axis]; where neither the parameters nor -grid_length nor a file says it: the physics'
                   default, 2 pi if it has none
*/
PetscErrorCode UnrPhysicsLength(UnrPhysics physics, const double par[], double length[UNR_MAX_DIM])
{
  const double otherwise = physics->ops->default_length > 0 ? physics->ops->default_length : 2 * PETSC_PI;

  PetscFunctionBeginUser;
  for (int a = 0; a < UNR_MAX_DIM; a++) length[a] = physics->length[a] > 0 ? physics->length[a] : otherwise;
  if (physics->ops->length) PetscCall(physics->ops->length(physics, par, length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrPhysicsSetLength - take over the lengths of a file.     Collective on the world.
  In      length   [axis < dim]
  In/out  par      of the sample: changed where the physics has its length as a parameter and par says another
  Errors  a user error if -grid_length, or for physics without such a parameter an earlier file, says
  otherwise
*/
PetscErrorCode UnrPhysicsSetLength(UnrPhysics physics, const double length[UNR_MAX_DIM], double par[])
{
  PetscFunctionBeginUser;
  for (int a = 0; a < physics->grid->dim; a++) {
    const double known = physics->length[a];

    UnrUserCheck(known <= 0 || IsSameLength(length[a], known),
                 "length %g of the domain along axis %d contradicts %g; allowed: equal to 1e-5; try: "
                 "-grid_length as in "
                 "the file, or none",
                 length[a], a, known);
    if (known <= 0 && !physics->ops->set_length) physics->length[a] = length[a];
  }
  if (physics->ops->set_length) PetscCall(physics->ops->set_length(physics, length, par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrPhysicsScratch(UnrPhysics physics, int slot, size_t bytes, void **block)
{
  PetscFunctionBeginUser;
  PetscCheck(slot >= 0 && slot < UNR_PHYSICS_SLOTS, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "slot %d",
             slot);
  if (bytes > physics->scratch_bytes[slot] || !physics->scratch[slot]) {
    free(physics->scratch[slot]);
    physics->scratch_bytes[slot] = 0;
    physics->scratch[slot] = aligned_alloc(64, (bytes + 64) / 64 * 64);
    PetscCheck(physics->scratch[slot], PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for %zu bytes of scratch",
               bytes);
    physics->scratch_bytes[slot] = bytes;
  }
  *block = physics->scratch[slot];
  PetscFunctionReturn(PETSC_SUCCESS);
}
