/* Networks with every kind of boundary, halos per layer and deep, with overlap and without: gradients,
 * numbers, counts of exchanges. */
#include "net_answer.h"

static const char *const halos[] = {"layer", "deep"};

/* Six ranks find no six blocks in four points. */
static bool Fits(const NetConfig *config)
{
  return config->dim > 1 || config->points[0] >= TestRanks();
}

static void CaseCreate(NetCase *c, int config, int kinds, const char *halo, bool overlaps, bool is_alone)
{
  net_kinds = kinds;
  TEST_CALL(PetscOptionsSetValue(NULL, "-net_halo", halo));
  TEST_CALL(PetscOptionsSetValue(NULL, "-net_overlap", overlaps ? "true" : "false"));
  NetCaseCreate(c, &net_configs[config], "double", config % 2 ? "leaky_relu" : "gelu", is_alone);
  TEST_CALL(PetscOptionsClearValue(NULL, "-net_halo"));
  TEST_CALL(PetscOptionsClearValue(NULL, "-net_overlap"));
  net_kinds = 0;
}

/* <Jv, w> = <v, J'w> in all three parts at once. */
Test(net_halo, dot_product)
{
  for (int k = 0; k < NET_CONFIGS; k++)
    for (int kinds = k % 3; kinds < NET_KINDS && Fits(&net_configs[k]); kinds += 3)
      for (int h = 0; h < 2; h++) {
        NetCase c;
        double error;

        CaseCreate(&c, k, kinds, halos[h], kinds % 2, false);
        error = DotError(&c, 7);
        /* a few thousand rounding errors of either sign */
        cr_expect(error <= 1e-13, "%s, kinds %d, %s: %g", net_configs[k].title, kinds, halos[h], error);
        NetCaseDestroy(&c);
      }
}

/* The weights' gradient alone, without the input's: what is left out must not be missed. */
static double WeightsError(NetCase *c, const NetVector *whole)
{
  UnrBatch u = NetCaseBatch(c, "u"), w = NetCaseBatch(c, "w"), out = NetCaseBatch(c, NULL);
  NetVector bar;
  UnrTape tape;
  double error;

  NetVectorCreate(c, NULL, &bar);
  TEST_CALL(UnrTapeCreate(&tape));
  TEST_CALL(UnrNetApply(c->net, c->par, u, out, tape));
  TEST_CALL(UnrNetVjp(c->net, c->par, tape, w, NULL, NULL, bar.theta));
  memcpy(bar.par, whole->par, sizeof(bar.par));
  if (c->layout.rank) memset(bar.par, 0, sizeof(bar.par));
  error = GradientError(c, &bar, whole);
  TEST_CALL(UnrTapeDestroy(&tape));
  NetVectorDestroy(&bar);
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&w));
  TEST_CALL(UnrBatchDestroy(&out));
  return error;
}

/* All ranks against every rank alone, whose halos go per layer: outputs and gradients. */
Test(net_halo, same_numbers)
{
  for (int k = 0; k < NET_CONFIGS; k++)
    for (int kinds = k % 3; kinds < NET_KINDS && Fits(&net_configs[k]); kinds += 3) {
      NetCase alone;
      Answer whole;

      CaseCreate(&alone, k, kinds, "layer", false, true);
      AnswerCreate(&alone, &whole);
      for (int h = 0; h < 2; h++) {
        NetCase blocks;
        Answer part;
        double error[4];

        CaseCreate(&blocks, k, kinds, halos[h], true, false);
        AnswerCreate(&blocks, &part);
        error[0] = BatchError(part.out, whole.out);
        error[1] = BatchError(part.bar.u, whole.bar.u);
        error[2] = GradientError(&blocks, &part.bar, &whole.bar);
        error[3] = WeightsError(&blocks, &whole.bar);
        for (int e = 0; e < 4; e++) /* orders of summation differ */
          cr_expect(error[e] <= 1e-12, "%s, kinds %d, %s, %s: %g", net_configs[k].title, kinds, halos[h],
                    e == 0   ? "output"
                    : e == 1 ? "u_bar"
                    : e == 2 ? "gradients"
                             : "weights alone",
                    error[e]);
        AnswerDestroy(&part);
        NetCaseDestroy(&blocks);
      }
      AnswerDestroy(&whole);
      NetCaseDestroy(&alone);
    }
}

/* Overlap changes the order of work, not a bit of its result. */
Test(net_halo, overlap_keeps_bits)
{
  for (int k = 0; k < NET_CONFIGS; k++)
    for (int kinds = 0; kinds < NET_KINDS && Fits(&net_configs[k]); kinds += 8)
      for (int h = 0; h < 2; h++) {
        NetCase c[2];
        Answer answer[2];
        size_t numbers;

        for (int o = 0; o < 2; o++) {
          CaseCreate(&c[o], k, kinds, halos[h], o, false);
          AnswerCreate(&c[o], &answer[o]);
        }
        numbers = NET_SAMPLES * answer[0].out->stride;
        cr_expect(!memcmp(answer[0].out->data, answer[1].out->data, numbers * sizeof(double)),
                  "%s, kinds %d, %s: output", net_configs[k].title, kinds, halos[h]);
        cr_expect(!memcmp(answer[0].bar.u->data, answer[1].bar.u->data, numbers * sizeof(double)),
                  "%s, kinds %d, %s: u_bar", net_configs[k].title, kinds, halos[h]);
        cr_expect(!memcmp(answer[0].bar.theta, answer[1].bar.theta, c[0].parameters * sizeof(double)),
                  "%s, kinds %d, %s: weights", net_configs[k].title, kinds, halos[h]);
        for (int o = 0; o < 2; o++) {
          AnswerDestroy(&answer[o]);
          NetCaseDestroy(&c[o]);
        }
      }
}

/* Exchanges of one call forward, and of its reverse for weights alone and for all. */
static void Counts(NetCase *c, PetscInt64 count[3])
{
  UnrBatch u = NetCaseBatch(c, "u"), w = NetCaseBatch(c, "w"), out = NetCaseBatch(c, NULL);
  NetVector bar;
  UnrTape tape;

  NetVectorCreate(c, NULL, &bar);
  TEST_CALL(UnrTapeCreate(&tape));
  for (int call = 0; call < 3; call++) {
    UnrCountReset();
    if (call == 0)
      TEST_CALL(UnrNetApply(c->net, c->par, u, out, tape));
    else
      TEST_CALL(UnrNetVjp(c->net, c->par, tape, w, call == 2 ? bar.u : NULL, NULL, bar.theta));
    count[call] = UnrCountGet(UNR_COUNT_HALO) + UnrCountGet(UNR_COUNT_HALO_T);
  }
  TEST_CALL(UnrTapeDestroy(&tape));
  NetVectorDestroy(&bar);
  TEST_CALL(UnrBatchDestroy(&u));
  TEST_CALL(UnrBatchDestroy(&w));
  TEST_CALL(UnrBatchDestroy(&out));
}

/* Deep halos: one exchange forward, and one in reverse where the input's cotangent is wanted; per layer: one
   a layer each way, less the first's. */
Test(net_halo, exchanges)
{
  const int kolm = 3; /* four blocks of two convolutions, and the last */

  for (int kinds = 0; kinds < NET_KINDS; kinds += 5)
    for (int h = 0; h < 2; h++) {
      const PetscInt64 expected[2][3] = {{9, 8, 9}, {1, 0, 1}};
      PetscInt64 count[3];
      NetCase c;

      CaseCreate(&c, kolm, kinds, halos[h], true, false);
      Counts(&c, count);
      for (int call = 0; call < 3; call++)
        cr_expect(count[call] == expected[h][call], "kinds %d, %s, call %d: %d exchanges", kinds, halos[h],
                  call, (int)count[call]);
      NetCaseDestroy(&c);
    }
}
