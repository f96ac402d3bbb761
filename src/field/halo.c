/* The exchange of ghosts and its transpose, neighbours in one file.  Maths: docs/method/halo.md. */
#include "field/halo_impl.h"
#include "core/call.h"
#include "core/count.h"
#include "core/event.h"

/* The halo without its lists. */
static PetscErrorCode Make(UnrGrid grid, const PetscInt ghost[], const PetscInt width[], UnrHalo *halo)
{
  UnrHalo h;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&h));
  h->grid = grid;
  for (int a = 0; a < grid->dim; a++) {
    PetscCheck(width[a] >= 0 && width[a] <= ghost[a], PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "%" PetscInt_FMT " of %" PetscInt_FMT " ghost cells to exchange", width[a], ghost[a]);
    h->ghost[a] = ghost[a];
    h->width[a] = width[a];
  }
  *halo = h;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  UnrHaloCreateAxes - a halo of `width` cells for tiles with `ghost`.     Collective on the grid.
  In      grid    borrowed, must outlive the halo
          width   [axis of the grid] 0 <= width <= ghost; may pass a block's or the domain's extent
*/
PetscErrorCode UnrHaloCreateAxes(UnrGrid grid, const PetscInt ghost[UNR_MAX_DIM],
                                 const PetscInt width[UNR_MAX_DIM], UnrHalo *halo)
{
  PetscFunctionBeginUser;
  PetscCall(Make(grid, ghost, width, halo));
  PetscCall(PetscCommGetNewTag(grid->comm, &(*halo)->tag));
  PetscCall(UnrHaloListsMake(*halo));
  PetscCall(PetscMalloc1((*halo)->send.neighbours + (*halo)->receive.neighbours, &(*halo)->request));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrHaloCreate(UnrGrid grid, PetscInt ghost, PetscInt width, UnrHalo *halo)
{
  const PetscInt ghosts[] = {ghost, ghost, ghost}, widths[] = {width, width, width};

  PetscFunctionBeginUser;
  PetscCall(UnrHaloCreateAxes(grid, ghosts, widths, halo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* UnrHaloCreateLocal - fills what copies cells of the same tile.     Local.  See halo.h. */
PetscErrorCode UnrHaloCreateLocal(UnrGrid grid, const PetscInt ghost[UNR_MAX_DIM],
                                  const PetscInt width[UNR_MAX_DIM], UnrHalo *halo)
{
  PetscFunctionBeginUser;
  PetscCall(Make(grid, ghost, width, halo));
  (*halo)->is_local = true;
  PetscCall(UnrHaloListsMake(*halo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool UnrHaloIsEmpty(UnrHalo halo)
{
  return !halo->receive.neighbours && !halo->self.first_cell[1] && !halo->zero.first_cell[1];
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
  PetscCall(UnrHaloListDestroy(&(*halo)->zero));
  PetscCall(PetscFree((*halo)->request));
  PetscCall(PetscFree(*halo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool UnrHaloHasMessages(UnrHalo halo)
{
  return halo->send.neighbours || halo->receive.neighbours;
}

static PetscErrorCode CheckShape(UnrHalo halo, const UnrTileShape *shape)
{
  PetscFunctionBeginUser;
  for (int e = 0; e < UNR_MAX_DIM; e++) {
    int a = e - (UNR_MAX_DIM - halo->grid->dim);
    PetscInt count = a < 0 ? 1 : halo->grid->count[a], ghost = a < 0 ? 0 : halo->ghost[a];

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
  PetscFunctionBeginUser;
  PetscCheck(!halo->is_open, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "an exchange is under way");
  PetscCall(CheckShape(halo, shape));
  PetscCall(UnrEventBegin(UNR_EVENT_HALO));
  if (!halo->is_local) UnrCountAdd(UNR_COUNT_HALO, 1);
  halo->is_open = true;
  PetscCall(PostReceives(halo, &halo->receive, shape));
  PetscCall(Grow(&halo->send, shape));
  for (PetscInt i = 0; i < halo->send.neighbours; i++) {
    for (PetscInt s = 0; s < shape->samples; s++)
      UnrHaloCopy(&halo->send, i, shape, Sample(shape, tile, s), Message(&halo->send, shape, i, s));
    PetscCall(PostSend(halo, &halo->send, shape, i));
  }
  for (PetscInt s = 0; s < shape->samples; s++) {
    char *sample = Sample(shape, tile, s);

    UnrHaloCopy(&halo->self, 0, shape, sample, sample);
    UnrHaloZero(&halo->zero, 0, shape, sample);
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
      UnrHaloCopy(&halo->receive, i, shape, Message(&halo->receive, shape, i, s), Sample(shape, tile, s));
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

/* All ghosts that the halo fills, of all samples, become 0. */
static void ZeroGhosts(UnrHalo halo, const UnrTileShape *shape, void *tile)
{
  for (PetscInt s = 0; s < shape->samples; s++) {
    char *sample = Sample(shape, tile, s);

    UnrHaloZero(&halo->self, 0, shape, sample);
    UnrHaloZero(&halo->zero, 0, shape, sample);
    for (PetscInt i = 0; i < halo->receive.neighbours; i++) UnrHaloZero(&halo->receive, i, shape, sample);
  }
}

/*
  UnrHaloReduce - transpose of UnrHaloExchange: interior += ghosts that copy it, times their signs; ghosts =
  0. Collective on the grid.  Adds this rank's own ghosts first, then those of others by ascending rank, each
  in its tile's order: always the same bits.  Ghosts beyond `width` are left alone.
*/
PetscErrorCode UnrHaloReduce(UnrHalo halo, const UnrTileShape *shape, void *tile)
{
  PetscFunctionBeginUser;
  PetscCheck(!halo->is_open, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "an exchange is under way");
  PetscCall(CheckShape(halo, shape));
  PetscCall(UnrEventBegin(UNR_EVENT_HALO_T));
  if (!halo->is_local) UnrCountAdd(UNR_COUNT_HALO_T, 1);
  PetscCall(PostReceives(halo, &halo->send, shape));
  PetscCall(Grow(&halo->receive, shape));
  for (PetscInt i = 0; i < halo->receive.neighbours; i++) {
    for (PetscInt s = 0; s < shape->samples; s++)
      UnrHaloCopyBack(&halo->receive, i, shape, Message(&halo->receive, shape, i, s), Sample(shape, tile, s));
    PetscCall(PostSend(halo, &halo->receive, shape, i));
  }
  for (PetscInt s = 0; s < shape->samples; s++) {
    char *sample = Sample(shape, tile, s);

    UnrHaloAddBack(&halo->self, 0, shape, sample, sample);
  }
  PetscCall(WaitAll(halo));
  for (PetscInt i = 0; i < halo->send.neighbours; i++)
    for (PetscInt s = 0; s < shape->samples; s++)
      UnrHaloAddBack(&halo->send, i, shape, Sample(shape, tile, s), Message(&halo->send, shape, i, s));
  ZeroGhosts(halo, shape, tile);
  PetscCall(UnrEventEnd(UNR_EVENT_HALO_T));
  PetscFunctionReturn(PETSC_SUCCESS);
}
