/* Schedules of the learning rate: closed forms, and the sequences of PyTorch's schedulers. */
#include "support.h"

#include "optim/rate.h"
#include "reference/rate_torch.h"

static UnrRate CreateStage(const char *options, const UnrRateStage *stage)
{
  UnrRate rate;

  TestOptionsSet(options);
  TEST_CALL(UnrRateCreate(stage, &rate));
  TestOptionsUnset(options);
  return rate;
}

static UnrRate Create(const char *options, double base, PetscInt64 updates)
{
  return CreateStage(options, &(UnrRateStage){.base = base, .updates = updates, .epoch = 7, .warmup = -1});
}

/* The rates of a whole stage; an error of the table is told after each update. */
static double Distance(const char *options, const double wanted[])
{
  UnrRate rate = Create(options, 0, TORCH_RATES);
  double most = 0;

  for (int k = 0; k < TORCH_RATES; k++) {
    most = TestMost(most, TestRelative(UnrRateAt(&rate, k), wanted[k]));
    UnrRateValidated(&rate, torch_errors[k]);
  }
  return most;
}

/* To rounding: sixty products, or a cosine near its zero of the difference to the least rate. */
Test(rate, as_torch)
{
  cr_expect_lt(Distance(TORCH_RATE_OPTIONS "-optim_rate plateau", torch_plateau), 1e-14);
  cr_expect_lt(Distance(TORCH_RATE_OPTIONS "-optim_rate exponential", torch_exponential), 1e-14);
  cr_expect_lt(Distance(TORCH_RATE_OPTIONS "-optim_rate cosine", torch_cosine), 1e-12);
}

/* No validation moves the other schedules: the constant stays, whatever it is told. */
Test(rate, constant_and_base)
{
  UnrRate rate = Create("-optim_lr 0.25 -optim_lr_min 0.125", 0, 10), own = Create("-optim_lr 0.25", 0.5, 10);

  for (PetscInt64 k = 0; k < 1000; k += 100) {
    UnrRateValidated(&rate, 1 + (double)k);
    cr_expect(UnrRateAt(&rate, k) == 0.25 && UnrRateAt(&own, k) == 0.5);
  }
}

/* The cosine ends where its stage ends and stays there; half way it is the mean. */
Test(rate, cosine_spans_the_stage)
{
  UnrRate rate = Create("-optim_lr 3 -optim_lr_min 1 -optim_rate cosine", 0, 4000000000);

  cr_expect(UnrRateAt(&rate, 0) == 3);
  cr_expect_float_eq(UnrRateAt(&rate, 2000000000), 2, 1e-15 * 2);
  cr_expect(UnrRateAt(&rate, 4000000000) == 1 && UnrRateAt(&rate, 5000000000) == 1);
}

/* Warm-up multiplies every schedule: 1/w, 2/w ... 1, and nothing beyond. */
Test(rate, warm_up)
{
  static const char *const schedule[] = {"constant", "exponential", "plateau", "cosine"};

  for (int s = 0; s < 4; s++) {
    char text[128];
    UnrRate cold, warm;

    snprintf(text, sizeof text, "-optim_rate %s -optim_lr_interval 2", schedule[s]);
    cold = Create(text, 0, 20);
    snprintf(text, sizeof text, "-optim_rate %s -optim_lr_interval 2 -optim_warmup 8", schedule[s]);
    warm = Create(text, 0, 20);
    for (PetscInt64 k = 0; k < 20; k++) {
      const double part = k < 8 ? ((double)k + 1) / 8 : 1;
      cr_expect(UnrRateAt(&warm, k) == part * UnrRateAt(&cold, k), "%s at %d", schedule[s], (int)k);
    }
  }
}

/* Per epoch, and a stage's own warm-up: the paper's schedule of a stage. */
Test(rate, epochs)
{
  const UnrRateStage stage = {.base = 0.5, .updates = 35, .epoch = 7, .warmup = 4};
  UnrRate rate = CreateStage(
      "-optim_rate exponential -optim_lr_factor 0.656 -optim_lr_epochs 1 -optim_warmup 9", &stage);
  UnrRate half = CreateStage("-optim_rate exponential -optim_lr_factor 0.656 -optim_lr_epochs 0.5", &stage);
  UnrRate cold = CreateStage("-optim_warmup 9", &(UnrRateStage){.base = 0.5, .updates = 35, .epoch = 7});

  for (PetscInt64 k = 0; k < 35; k++) {
    const double part = k < 4 ? ((double)k + 1) / 4 : 1;

    cr_expect_lt(TestRelative(UnrRateAt(&rate, k), part * 0.5 * pow(0.656, (double)(k / 7))), 1e-15);
    cr_expect_lt(TestRelative(UnrRateAt(&half, k), part * 0.5 * pow(0.656, (double)(k / 4))),
                 1e-15); /* 3.5 */
    cr_expect(UnrRateAt(&cold, k) == 0.5);
  }
}

/* The state is all that a checkpoint needs: a copied one goes on alike. */
Test(rate, state_resumes)
{
  UnrRate rate = Create(TORCH_RATE_OPTIONS "-optim_rate plateau", 0, TORCH_RATES), resumed;

  for (int k = 0; k < 30; k++) UnrRateValidated(&rate, torch_errors[k]);
  resumed = Create(TORCH_RATE_OPTIONS "-optim_rate plateau", 0, TORCH_RATES);
  memcpy(resumed.state, rate.state, sizeof rate.state);
  for (int k = 30; k < TORCH_RATES; k++) {
    cr_expect_lt(TestRelative(UnrRateAt(&resumed, k), torch_plateau[k]), 1e-14);
    UnrRateValidated(&resumed, torch_errors[k]);
  }
}

Test(rate, mistakes)
{
  const UnrRateStage stage = {.updates = 10, .epoch = 7, .warmup = -1};
  UnrRate rate;

  TestOptionsSet("-optim_lr_min 1e-3");
  TEST_REFUSES(UnrRateCreate(&stage, &rate), "-optim_lr_min (0.001) is above the learning rate 0.0001");
  TestOptionsUnset("-optim_lr_min 1");
  TestOptionsSet("-optim_rate sine");
  TEST_REFUSES(UnrRateCreate(&stage, &rate), "constant|exponential|plateau|cosine");
  TestOptionsUnset("-optim_rate sine");
}
