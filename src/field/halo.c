/* The exchange of ghosts and its transpose, neighbours in one file.  Maths: docs/method/halo.md. */
#include "field/halo_impl.h"
#include "core/call.h"
#include "core/event.h"

#include <string.h>

/*
  UnrHaloCreate - a halo of `width` cells for tiles with `ghost`.     Collective on the grid.
  In      grid    borrowed, must outlive the halo
          width   0 <= width <= ghost; may pass a block's or the domain's extent
*/
PetscErrorCode UnrHaloCreate(UnrGrid grid, PetscInt ghost, PetscInt width, UnrHalo *halo)
{
  UnrHalo h;

  PetscFunctionBeginUser;
  PetscCheck(width >= 0 && width <= ghost, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " of %" PetscInt_FMT " ghost cells to exchange", width, ghost);
  PetscCall(PetscNew(&h));
  h->grid = grid;
  h->ghost = ghost;
  h->width = width;
  for (int a = 0; a < UNR_MAX_DIM; a++) h->boundary[a] = UNR_BOUNDARY_PERIODIC;
  PetscCall(PetscCommGetNewTag(grid->comm, &h->tag));
  PetscCall(UnrHaloListsMake(h));
  PetscCall(PetscMalloc1(h->send.neighbours + h->receive.neighbours, &h->request));
  *halo = h;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrHaloDestroy - local; NULL is fine. */
PetscErrorCode UnrHaloDestroy(UnrHalo *halo)
{
  PetscFunctionBeginUser;
  if (!*halo) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!(*halo)->is_open, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "an exchange is under way");
  PetscCall(UnrHaloListDestroy(&(*halo)->send));
  PetscCall(UnrHaloListDestroy(&(*halo)->receive));
  PetscCall(UnrHaloListDestroy(&(*halo)->self));
  PetscCall(PetscFree((*halo)->request));
  PetscCall(PetscFree(*halo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckShape(UnrHalo halo, const UnrTileShape *shape)
{
  PetscFunctionBeginUser;
  for (int e = 0; e < UNR_MAX_DIM; e++) {
    int a = e - (UNR_MAX_DIM - halo->grid->dim);
    PetscInt count = a < 0 ? 1 : halo->grid->count[a], ghost = a < 0 ? 0 : halo->ghost;

    PetscCheck(shape->count[e] == count && shape->ghost[e] == ghost, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "engine axis %d of the tile has %" PetscInt_FMT " cells and %" PetscInt_FMT
               " ghosts, the halo %" PetscInt_FMT " and %" PetscInt_FMT,
               e, shape->count[e], shape->ghost[e], count, ghost);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static size_t CellBytes(const UnrTileShape *shape)
{
  return (size_t)shape->channels * UnrPrecisionBytes(shape->precision);
}

/* Neighbour i's message in the buffer, and its first byte of sample s. */
static char *Message(const UnrHaloList *list, const UnrTileShape *shape, PetscInt i, PetscInt s)
{
  size_t cells = list->first_cell[i + 1] - list->first_cell[i];

  return (char *)list->buffer +
         (list->first_cell[i] * (size_t)shape->samples + cells * (size_t)s) * CellBytes(shape);
}

static char *Sample(const UnrTileShape *shape, void *tile, PetscInt s)
{
  return (char *)tile + (size_t)s * shape->sample_stride * UnrPrecisionBytes(shape->precision);
}

static PetscErrorCode Grow(UnrHaloList *list, const UnrTileShape *shape)
{
  size_t bytes = list->first_cell[list->neighbours] * (size_t)shape->samples * CellBytes(shape);

  PetscFunctionBeginUser;
  if (bytes > list->buffer_bytes) {
    PetscCall(PetscFree(list->buffer));
    PetscCall(PetscMalloc(bytes, &list->buffer));
    list->buffer_bytes = bytes;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* to = from, over neighbour i's runs. */
static void CopyRuns(const UnrHaloList *list, PetscInt i, size_t cell, const char *from, char *to)
{
  for (size_t r = list->first_run[i]; r < list->first_run[i + 1]; r++) {
    const UnrHaloRun *run = &list->run[r];

    memcpy(to + run->to * cell, from + run->from * cell, run->cells * cell);
  }
}

/* from = to: packs what the transpose sends. */
static void CopyRunsBack(const UnrHaloList *list, PetscInt i, size_t cell, char *from, const char *to)
{
  for (size_t r = list->first_run[i]; r < list->first_run[i + 1]; r++) {
    const UnrHaloRun *run = &list->run[r];

    memcpy(from + run->from * cell, to + run->to * cell, run->cells * cell);
  }
}

static void AddFloats(size_t n, float *restrict to, const float *restrict from)
{
  for (size_t i = 0; i < n; i++) to[i] += from[i];
}

static void AddDoubles(size_t n, double *restrict to, const double *restrict from)
{
  for (size_t i = 0; i < n; i++) to[i] += from[i];
}

/* from += to: the transpose of CopyRuns. */
static void AddRunsBack(const UnrHaloList *list, PetscInt i, const UnrTileShape *shape, void *from,
                        const void *to)
{
  size_t channels = (size_t)shape->channels;

  for (size_t r = list->first_run[i]; r < list->first_run[i + 1]; r++) {
    const UnrHaloRun *run = &list->run[r];
    size_t f = run->from * channels, t = run->to * channels, n = run->cells * channels;

    if (shape->precision == UNR_SINGLE)
      AddFloats(n, (float *)from + f, (const float *)to + t);
    else
      AddDoubles(n, (double *)from + f, (const double *)to + t);
  }
}

/* Sets the ghosts that a list fills to zero. */
static void ZeroRuns(const UnrHaloList *list, const UnrTileShape *shape, void *tile)
{
  size_t cell = CellBytes(shape);

  for (PetscInt s = 0; s < shape->samples; s++) {
    char *to = Sample(shape, tile, s);

    for (size_t r = 0; r < list->first_run[list->neighbours]; r++)
      memset(to + list->run[r].to * cell, 0, list->run[r].cells * cell);
  }
}

/* Opens all receives into `incoming`'s buffer; numbers as the unit, so that counts stay small. */
static PetscErrorCode PostReceives(UnrHalo halo, UnrHaloList *incoming, const UnrTileShape *shape)
{
  MPI_Datatype type = shape->precision == UNR_SINGLE ? MPI_FLOAT : MPI_DOUBLE;
  PetscMPIInt count;

  PetscFunctionBeginUser;
  PetscCall(Grow(incoming, shape));
  for (PetscInt i = 0; i < incoming->neighbours; i++) {
    size_t cells = incoming->first_cell[i + 1] - incoming->first_cell[i];

    PetscCall(UnrMPICount(cells * (size_t)shape->samples * (size_t)shape->channels, &count));
    PetscCallMPI(MPI_Irecv(Message(incoming, shape, i, 0), count, type, incoming->rank[i], halo->tag,
                           halo->grid->comm, &halo->request[halo->requests++]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sends neighbour i's packed message. */
static PetscErrorCode PostSend(UnrHalo halo, const UnrHaloList *outgoing, const UnrTileShape *shape,
                               PetscInt i)
{
  MPI_Datatype type = shape->precision == UNR_SINGLE ? MPI_FLOAT : MPI_DOUBLE;
  size_t cells = outgoing->first_cell[i + 1] - outgoing->first_cell[i];
  PetscMPIInt count;

  PetscFunctionBeginUser;
  PetscCall(UnrMPICount(cells * (size_t)shape->samples * (size_t)shape->channels, &count));
  PetscCallMPI(MPI_Isend(Message(outgoing, shape, i, 0), count, type, outgoing->rank[i], halo->tag,
                         halo->grid->comm, &halo->request[halo->requests++]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WaitAll(UnrHalo halo)
{
  PetscFunctionBeginUser;
  if (halo->requests) PetscCallMPI(MPI_Waitall(halo->requests, halo->request, MPI_STATUSES_IGNORE));
  halo->requests = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrHaloExchangeBegin - send, and copy what this rank has itself.     Collective on the grid.
  In/out  tile    [sample][x][y][z][channel] of shape; its exchanged ghosts are undefined until End
  Cost    one message to each neighbour; allocates only where a message is longer than any before
*/
PetscErrorCode UnrHaloExchangeBegin(UnrHalo halo, const UnrTileShape *shape, void *tile)
{
  size_t cell = CellBytes(shape);

  PetscFunctionBeginUser;
  PetscCheck(!halo->is_open, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "an exchange is under way");
  PetscCall(CheckShape(halo, shape));
  PetscCall(UnrEventBegin(UNR_EVENT_HALO));
  halo->is_open = true;
  PetscCall(PostReceives(halo, &halo->receive, shape));
  PetscCall(Grow(&halo->send, shape));
  for (PetscInt i = 0; i < halo->send.neighbours; i++) {
    for (PetscInt s = 0; s < shape->samples; s++)
      CopyRuns(&halo->send, i, cell, Sample(shape, tile, s), Message(&halo->send, shape, i, s));
    PetscCall(PostSend(halo, &halo->send, shape, i));
  }
  for (PetscInt s = 0; s < shape->samples; s++) {
    char *sample = Sample(shape, tile, s);

    CopyRuns(&halo->self, 0, cell, sample, sample);
  }
  PetscCall(UnrEventEnd(UNR_EVENT_HALO));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrHaloExchangeEnd - receive.     Collective on the grid. */
PetscErrorCode UnrHaloExchangeEnd(UnrHalo halo, const UnrTileShape *shape, void *tile)
{
  PetscFunctionBeginUser;
  PetscCheck(halo->is_open, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "no exchange is under way");
  PetscCall(UnrEventBegin(UNR_EVENT_HALO));
  PetscCall(WaitAll(halo));
  for (PetscInt i = 0; i < halo->receive.neighbours; i++)
    for (PetscInt s = 0; s < shape->samples; s++)
      CopyRuns(&halo->receive, i, CellBytes(shape), Message(&halo->receive, shape, i, s),
               Sample(shape, tile, s));
  halo->is_open = false;
  PetscCall(UnrEventEnd(UNR_EVENT_HALO));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrHaloExchange(UnrHalo halo, const UnrTileShape *shape, void *tile)
{
  PetscFunctionBeginUser;
  PetscCall(UnrHaloExchangeBegin(halo, shape, tile));
  PetscCall(UnrHaloExchangeEnd(halo, shape, tile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrHaloReduce - transpose of UnrHaloExchange: interior += ghosts that copy it; ghosts = 0.     Collective on
  the grid. Adds this rank's own ghosts first, then those of others by ascending rank, each in its tile's
  order: always the same bits.  Ghosts beyond `width` are left alone.
*/
PetscErrorCode UnrHaloReduce(UnrHalo halo, const UnrTileShape *shape, void *tile)
{
  PetscFunctionBeginUser;
  PetscCheck(!halo->is_open, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "an exchange is under way");
  PetscCall(CheckShape(halo, shape));
  PetscCall(UnrEventBegin(UNR_EVENT_HALO_T));
  PetscCall(PostReceives(halo, &halo->send, shape));
  PetscCall(Grow(&halo->receive, shape));
  for (PetscInt i = 0; i < halo->receive.neighbours; i++) {
    for (PetscInt s = 0; s < shape->samples; s++)
      CopyRunsBack(&halo->receive, i, CellBytes(shape), Message(&halo->receive, shape, i, s),
                   Sample(shape, tile, s));
    PetscCall(PostSend(halo, &halo->receive, shape, i));
  }
  for (PetscInt s = 0; s < shape->samples; s++) {
    char *sample = Sample(shape, tile, s);

    AddRunsBack(&halo->self, 0, shape, sample, sample);
  }
  PetscCall(WaitAll(halo));
  for (PetscInt i = 0; i < halo->send.neighbours; i++)
    for (PetscInt s = 0; s < shape->samples; s++)
      AddRunsBack(&halo->send, i, shape, Sample(shape, tile, s), Message(&halo->send, shape, i, s));
  ZeroRuns(&halo->self, shape, tile);
  ZeroRuns(&halo->receive, shape, tile);
  PetscCall(UnrEventEnd(UNR_EVENT_HALO_T));
  PetscFunctionReturn(PETSC_SUCCESS);
}
