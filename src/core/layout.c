#include "core/layout.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"

const UnrOption UnrLayoutOptions[] = {
    {"-layout_replicas", UNR_INT, NULL, 1, PETSC_MAX_INT, "1",
     "replicas of the grid: they hold the same weights and other samples; unset: the largest divisor of the "
     "number of "
     "ranks not above the samples of a batch",
     NULL},
    {"-layout_grid", UNR_INTS, NULL, 1, PETSC_MAX_INT, "ranks",
     "ranks per axis bx[,by[,bz]] that share a sample; unset: the least surface among what may be split",
     NULL},
    {0},
};

const UnrNeeds UnrNeedsNone = {.split = {true, true, true}, .stencil = 0, .multiple = 1};

void UnrNeedsMerge(UnrNeeds *needs, const UnrNeeds *more)
{
  for (int a = 0; a < UNR_MAX_DIM; a++) {
    if (!more->split[a] && needs->split[a]) needs->who[a] = more->who[a];
    needs->split[a] = needs->split[a] && more->split[a];
  }
  if (more->stencil > needs->stencil) needs->stencil = more->stencil;
  /* Blocks must suit both: the least common multiple. */
  PetscInt a = needs->multiple > 1 ? needs->multiple : 1, b = more->multiple > 1 ? more->multiple : 1, x = a,
           y = b;
  while (y) {
    PetscInt rest = x % y;
    x = y;
    y = rest;
  }
  needs->multiple = a / x * b;
}

/* The question that all of negotiation asks: may these ranks per axis cut the grid?  If not, why. */
typedef struct {
  int dim;
  const PetscInt *points;
  const UnrNeeds *needs;
} UnrDomain;

static bool UnrBlocksFit(const UnrDomain *domain, const PetscInt blocks[UNR_MAX_DIM], char why[], size_t size)
{
  const UnrNeeds *needs = domain->needs;

  for (int a = 0; a < UNR_MAX_DIM; a++) {
    const PetscInt n = a < domain->dim ? domain->points[a] : 1, b = blocks[a];
    const PetscInt multiple = a < domain->dim && needs->multiple > 1 ? needs->multiple : 1;
    if (b > 1 && (a >= domain->dim || !needs->split[a])) {
      const char *who = a < domain->dim ? needs->who[a] : "a grid of fewer dimensions";
      snprintf(why, size, "%s keeps axis %c whole", who ? who : "the case", "xyz"[a]);
      return false;
    }
    if (b > n || (b > 1 && n / b < needs->stencil)) {
      snprintf(why, size,
               "%" PetscInt_FMT " points along %c make no %" PetscInt_FMT
               " blocks of at least %" PetscInt_FMT,
               n, "xyz"[a], b, needs -> stencil > 1 ? needs -> stencil : 1);
      return false;
    }
    if (n % (b * multiple)) {
      /* With a multiple all blocks are equal: blocks differ by at most one point. */
      if (multiple == 1) continue;
      snprintf(why, size,
               "%" PetscInt_FMT " points along %c make no %" PetscInt_FMT
               " blocks of a multiple of %" PetscInt_FMT,
               n, "xyz"[a], b, multiple);
      return false;
    }
  }
  return true;
}

/*
  Ranks per axis for `ranks` ranks with the least surface of a block (in cells, of the split axes); of equals
  the one that cuts the earlier axes.  false, and why of the last one tried, if none fits.
*/
static bool UnrBlocksChoose(const UnrDomain *domain, PetscInt ranks, PetscInt blocks[UNR_MAX_DIM], char why[],
                            size_t size)
{
  double best = PETSC_MAX_REAL;

  for (PetscInt bx = ranks; bx >= 1; bx--) {
    for (PetscInt by = ranks / bx; by >= 1; by--) {
      PetscInt trial[UNR_MAX_DIM] = {bx, by, ranks / bx / by};
      double surface = 0, width[UNR_MAX_DIM];
      if (bx * by * trial[2] != ranks) continue;
      /* An axis that the grid has not is never worth a word: its refusal must not hide a real one. */
      if ((domain->dim < 2 && by > 1) || (domain->dim < 3 && trial[2] > 1)) continue;
      if (!UnrBlocksFit(domain, trial, why, size)) continue;
      for (int a = 0; a < UNR_MAX_DIM; a++)
        width[a] = a < domain->dim ? (double)domain->points[a] / (double)trial[a] : 1;
      for (int a = 0; a < UNR_MAX_DIM; a++) {
        if (trial[a] > 1) surface += width[0] * width[1] * width[2] / width[a];
      }
      if (surface < best * (1 - 1e-12)) {
        best = surface;
        memcpy(blocks, trial, sizeof(trial));
      }
    }
  }
  return best < PETSC_MAX_REAL;
}

static PetscInt UnrReplicasDefault(PetscInt size, PetscInt samples)
{
  PetscInt replicas = samples < size ? samples : size;

  while (replicas > 1 && size % replicas) replicas--;
  return replicas > 1 ? replicas : 1;
}

/* "1, 2, 4": the first few of what works for up to `size` ranks; or, with is_replicas, of replicas for `size`
 * ranks. */
static void UnrLayoutWorks(const UnrDomain *domain, PetscInt size, PetscInt samples, bool is_replicas,
                           char text[], size_t room)
{
  char why[256];
  PetscInt blocks[UNR_MAX_DIM], found = 0;
  size_t length = 0;

  text[0] = '\0';
  /* From above: what uses most of the ranks at hand comes first. */
  for (PetscInt n = size; n >= 1 && found < 6; n--) {
    PetscInt replicas = is_replicas ? n : UnrReplicasDefault(n, samples), ranks = is_replicas ? size : n;
    if (replicas > samples || ranks % replicas ||
        !UnrBlocksChoose(domain, ranks / replicas, blocks, why, sizeof(why)))
      continue;
    length += (size_t)snprintf(text + length, room - length, "%s%" PetscInt_FMT, found++ ? ", " : "", n);
  }
}

/* Reads both options into replicas and blocks (0 where free), and checks what does not depend on the needs.
 */
static PetscErrorCode UnrLayoutAsk(PetscInt size, PetscInt samples, int dim, PetscInt *replicas,
                                   PetscInt blocks[UNR_MAX_DIM])
{
  PetscInt count, product = 1, asked = 0;

  PetscFunctionBeginUser;
  PetscCall(UnrOptionInt(UnrLayoutOptions, NULL, "-layout_replicas", &asked));
  PetscCall(UnrOptionInts(UnrLayoutOptions, NULL, "-layout_grid", UNR_MAX_DIM, blocks, &count));
  for (PetscInt a = count; a < UNR_MAX_DIM; a++) blocks[a] = count ? 1 : 0;
  if (asked) {
    UnrUserCheck(asked <= samples,
                 "-layout_replicas leaves replicas without samples (%" PetscInt_FMT
                 "); allowed: 1 to %" PetscInt_FMT
                 ", the samples of a batch; try: -layout_replicas %" PetscInt_FMT,
                 asked, samples, UnrReplicasDefault(size, samples));
    UnrUserCheck(size % asked == 0,
                 "-layout_replicas does not divide the ranks (%" PetscInt_FMT
                 "); allowed: divisors of %" PetscInt_FMT "; try: -layout_replicas %" PetscInt_FMT,
                 asked, size, UnrReplicasDefault(size, samples));
  }
  for (PetscInt a = 0; a < count; a++) {
    UnrUserCheck(
        blocks[a] <= size && (a < dim || blocks[a] == 1),
        "-layout_grid does not suit %" PetscInt_FMT " ranks and %d axes (entry %" PetscInt_FMT
        " along %c); allowed: one entry an axis, product at most the ranks; try: without -layout_grid",
        size, dim, blocks[a], "xyz"[a]);
    product *= blocks[a];
  }
  if (count) {
    UnrUserCheck(product <= size && size % product == 0 && (!asked || asked * product == size),
                 "-layout_grid and the replicas do not use all ranks (%" PetscInt_FMT
                 " ranks a grid, %" PetscInt_FMT
                 " ranks); allowed: replicas x grid = ranks; try: without -layout_grid",
                 product, size);
    if (!asked) asked = size / product;
    UnrUserCheck(asked <= samples,
                 "-layout_grid makes more replicas than samples (%" PetscInt_FMT
                 "); allowed: 1 to %" PetscInt_FMT " replicas; try: without -layout_grid",
                 asked, samples);
  }
  *replicas = asked ? asked : UnrReplicasDefault(size, samples);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Chooses or checks the blocks of one grid communicator; refuses with what would work. */
static PetscErrorCode UnrLayoutNegotiate(const UnrDomain *domain, PetscInt size, PetscInt samples,
                                         PetscInt replicas, PetscInt blocks[UNR_MAX_DIM])
{
  char why[256] = "", ranks[128], with[128], shape[96];
  bool fits;

  PetscFunctionBeginUser;
  fits = blocks[0] ? UnrBlocksFit(domain, blocks, why, sizeof(why))
                   : UnrBlocksChoose(domain, size / replicas, blocks, why, sizeof(why));
  if (fits) PetscFunctionReturn(PETSC_SUCCESS);
  UnrLayoutWorks(domain, size, samples, false, ranks, sizeof(ranks));
  UnrLayoutWorks(domain, size, samples, true, with, sizeof(with));
  snprintf(shape, sizeof(shape),
           "%" PetscInt_FMT " ranks, %" PetscInt_FMT " samples a batch, %" PetscInt_FMT " ranks a sample",
           size, samples, size / replicas);
  if (!ranks[0])
    UnrUserCheck(false, "no layout: %s (%s); allowed: other -grid_points; try: unroll -help", why, shape);
  if (with[0])
    UnrUserCheck(
        false,
        "no layout: %s (%s); allowed: %s ranks, or -layout_replicas %s; try: -layout_replicas %.*s without "
        "-layout_grid",
        why, shape, ranks, with, (int)strcspn(with, ","), with);
  UnrUserCheck(false, "no layout: %s (%s); allowed: %s ranks, or more samples a batch; try: mpiexec -n %.*s",
               why, shape, ranks, (int)strcspn(ranks, ","), ranks);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrLayoutCreate(MPI_Comm world, PetscInt samples, int dim, const PetscInt points[UNR_MAX_DIM],
                               const UnrNeeds *needs, UnrLayout *layout)
{
  const UnrDomain domain = {.dim = dim, .points = points, .needs = needs};
  PetscInt replicas = 1;

  PetscFunctionBeginUser;
  PetscCheck(dim >= 1 && dim <= UNR_MAX_DIM && samples >= 1, world, PETSC_ERR_ARG_OUTOFRANGE,
             "%d axes, %" PetscInt_FMT " samples", dim, samples);
  *layout = (UnrLayout){.world = world, .grid = MPI_COMM_NULL, .dim = dim};
  PetscCallMPI(MPI_Comm_size(world, &layout->size));
  PetscCallMPI(MPI_Comm_rank(world, &layout->rank));
  PetscCall(UnrLayoutAsk(layout->size, samples, dim, &replicas, layout->blocks));
  PetscCall(UnrLayoutNegotiate(&domain, layout->size, samples, replicas, layout->blocks));
  layout->replicas = (int)replicas;
  /* Neighbouring ranks share a grid: they talk most. */
  layout->replica = layout->rank / (layout->size / layout->replicas);
  PetscCallMPI(MPI_Comm_split(world, layout->replica, layout->rank, &layout->grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrLayoutCreateSelf(UnrLayout *layout)
{
  PetscFunctionBeginUser;
  *layout = (UnrLayout){.world = MPI_COMM_SELF, .size = 1, .replicas = 1, .dim = 1, .blocks = {1, 1, 1}};
  PetscCallMPI(MPI_Comm_dup(MPI_COMM_SELF, &layout->grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrLayoutDestroy(UnrLayout *layout)
{
  PetscFunctionBeginUser;
  if (layout->size && layout->grid != MPI_COMM_NULL) PetscCallMPI(MPI_Comm_free(&layout->grid));
  *layout = (UnrLayout){.world = MPI_COMM_NULL, .grid = MPI_COMM_NULL};
  PetscFunctionReturn(PETSC_SUCCESS);
}

void UnrLayoutShare(const UnrLayout *layout, PetscInt samples, PetscInt *first, PetscInt *count)
{
  const PetscInt share = samples / layout->replicas, longer = samples % layout->replicas, r = layout->replica;

  *first = r * share + (r < longer ? r : longer);
  *count = share + (r < longer);
}

PetscErrorCode UnrLayoutText(const UnrLayout *layout, char text[], size_t size)
{
  char grid[64];
  size_t length = 0;

  PetscFunctionBeginUser;
  for (int a = 0; a < layout->dim; a++) {
    length += (size_t)snprintf(grid + length, sizeof(grid) - length, "%s%" PetscInt_FMT, a ? "x" : "",
                               layout->blocks[a]);
  }
  snprintf(text, size, "%d rank%s = %d replica%s x grid %s", layout->size, layout->size == 1 ? "" : "s",
           layout->replicas, layout->replicas == 1 ? "" : "s", grid);
  PetscFunctionReturn(PETSC_SUCCESS);
}
