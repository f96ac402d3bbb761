/* ETD1, ETD2RK, ETD3RK, ETD4RK of Cox & Matthews 2002, doi:10.1006/jcph.2002.6995, eq. (4), (22), (23)-(25),
 * (26)-(29). */
#include "stepper/etdrk_tableau.h"

#define WHOLE UNR_ETDRK_WHOLE
#define HALF UNR_ETDRK_HALF

const double UnrEtdrkNodeValue[UNR_ETDRK_NODES] = {[WHOLE] = 1, [HALF] = 0.5};

static const UnrEtdrkTableau tableaux[] = {
    {
        .order = 1,
        .stages = 1,
        .functions = 2,
        .function = {{{1, 0, WHOLE}}, {{1, 1, WHOLE}}},
        .weight = {{0}, {1}},
    },
    {
        .order = 2,
        .stages = 2,
        .functions = 4,
        .function = {{{1, 0, WHOLE}}, {{1, 1, WHOLE}}, {{1, 1, WHOLE}, {-1, 2, WHOLE}}, {{1, 2, WHOLE}}},
        .weight = {{0}, {1}, {2, 3}},
    },
    {
        .order = 3,
        .stages = 3,
        .functions = 8,
        .function = {{{1, 0, WHOLE}},
                     {{1, 0, HALF}},
                     {{0.5, 1, HALF}},
                     {{-1, 1, WHOLE}},
                     {{2, 1, WHOLE}},
                     {{1, 1, WHOLE}, {-3, 2, WHOLE}, {4, 3, WHOLE}},
                     {{4, 2, WHOLE}, {-8, 3, WHOLE}},
                     {{-1, 2, WHOLE}, {4, 3, WHOLE}}},
        .propagator = {0, 1, 0, 0},
        .weight = {{0}, {2}, {3, 4}, {5, 6, 7}},
    },
    {
        /* The last stage is e^{z/2} U_1 + dt/2 phi_1(z/2) (2 N_2 - N_0) in the paper; its weight of N_0 is
           phi_1(z/2) (e^{z/2} - 1) / 2 = phi_1(z) - phi_1(z/2). */
        .order = 4,
        .stages = 4,
        .functions = 8,
        .function = {{{1, 0, WHOLE}},
                     {{1, 0, HALF}},
                     {{0.5, 1, HALF}},
                     {{1, 1, WHOLE}, {-1, 1, HALF}},
                     {{1, 1, HALF}},
                     {{1, 1, WHOLE}, {-3, 2, WHOLE}, {4, 3, WHOLE}},
                     {{2, 2, WHOLE}, {-4, 3, WHOLE}},
                     {{-1, 2, WHOLE}, {4, 3, WHOLE}}},
        .propagator = {0, 1, 1, 0, 0},
        .weight = {{0}, {2}, {0, 2}, {3, 0, 4}, {5, 6, 6, 7}},
    },
};

const UnrEtdrkTableau *UnrEtdrkTableauGet(int order)
{
  return &tableaux[order - 1];
}
