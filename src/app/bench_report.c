#include "app/bench_report.h"
#include "core/provenance.h"

static const char *PhaseName(int p)
{
  return p < UNR_PHASES ? UnrPhaseName[p] : "other";
}

/* GFLOP/s of the convolutions in the time of the network, halos excluded, and in that of the whole update. */
static double NetRate(const UnrBenchResult *r)
{
  return 1e-9 * r->flops / (r->phase[UNR_PHASE_NET_FORWARD] + r->phase[UNR_PHASE_NET_REVERSE]);
}
static double UpdateRate(const UnrBenchResult *r)
{
  return 1e-9 * r->flops / r->seconds;
}

PetscErrorCode UnrBenchPrint(const UnrBenchResult *r)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n%-16s %10s %9s\n", "phase", "ms/update", "share"));
  for (int p = 0; p <= UNR_PHASES; p++) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-16s %10.4f %7.1f %%\n", PhaseName(p), 1e3 * r->phase[p],
                          100 * r->phase[p] / r->logged));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-16s %10.4f   (mean of %" PetscInt_FMT " updates with the log)\n",
                        "sum", 1e3 * r->logged, r->updates));
  PetscCall(
      PetscPrintf(PETSC_COMM_WORLD,
                  "without the log  %10.4f   median, %.4f least of %" PetscInt_FMT "; %.4g updates/s%s\n",
                  1e3 * r->seconds, 1e3 * r->fastest, r->updates, 1 / r->seconds,
                  r->logged > 1.1 * r->seconds ? "; the log or the machine slowed the other pass" : ""));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "convolutions %.4g MFLOP an update: net %.4g GFLOP/s, %.0f %% of the peak of %.4g; "
                        "update %.0f %%; recompute factor %.3g\n",
                        1e-6 * r->flops, NetRate(r), 100 * NetRate(r) / r->peak, r->peak,
                        100 * UpdateRate(r) / r->peak, r->recompute));
  if (r->skipped)
    PetscCall(
        PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt64_FMT " updates skipped by the guard\n", r->skipped));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnrBenchWrite(const UnrCase *c, const UnrBenchResult *r, const char *out)
{
  char path[PETSC_MAX_PATH_LEN];
  UnrJson json;

  PetscFunctionBeginUser;
  PetscCall(UnrSummaryBegin(&json, "bench", &c->layout));
  PetscCall(UnrJsonString(json, "model", UnrModelName(c->model)));
  PetscCall(UnrJsonInt(json, "parameters", (PetscInt64)UnrNetParameters(c->net)));
  PetscCall(UnrJsonInt(json, "batch", c->samples));
  PetscCall(UnrJsonInt(json, "steps", r->steps));
  PetscCall(UnrJsonInt(json, "updates", r->updates));
  PetscCall(UnrJsonInt(json, "warmup", r->warmup));
  PetscCall(UnrJsonReal(json, "updates_per_second", 1 / r->seconds));
  PetscCall(UnrJsonReal(json, "seconds_per_update", r->seconds));
  PetscCall(UnrJsonReal(json, "seconds_per_update_least", r->fastest));
  PetscCall(UnrJsonReal(json, "seconds_per_update_logged", r->logged));
  PetscCall(UnrJsonBegin(json, "phases", '{'));
  for (int p = 0; p <= UNR_PHASES; p++) PetscCall(UnrJsonReal(json, PhaseName(p), r->phase[p]));
  PetscCall(UnrJsonEnd(json));
  PetscCall(UnrJsonReal(json, "net_flops", r->flops));
  PetscCall(UnrJsonReal(json, "net_gflops", NetRate(r)));
  PetscCall(UnrJsonReal(json, "update_gflops", UpdateRate(r)));
  PetscCall(UnrJsonReal(json, "fma_peak_gflops", r->peak));
  PetscCall(UnrJsonReal(json, "net_share_of_peak", NetRate(r) / r->peak));
  PetscCall(UnrJsonReal(json, "update_share_of_peak", UpdateRate(r) / r->peak));
  PetscCall(UnrJsonReal(json, "recompute_factor", r->recompute));
  PetscCall(UnrJsonInt(json, "skipped", r->skipped));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/summary.json", out));
  PetscCall(UnrSummaryEnd(&json, NULL, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}
