/*
  Exponential Runge-Kutta schemes as data.  With z = dt L and N_j = N(U_j):

      U_i     = F_{propagator[i]} u + sum_{j<i} F_{weight[i][j]} N_j,     i = 1 .. stages - 1,   U_0 = u
      u^{n+1} = the same with i = stages

  F of a function: sum of alpha phi_k(node z), times dt unless it is a propagator (k = 0).
  Maths: docs/method/etdrk.md eq. (6), (7).
*/
#pragma once

#include "core/base.h"

enum { UNR_ETDRK_STAGES = 4, UNR_ETDRK_FUNCTIONS = 8, UNR_ETDRK_TERMS = 3 };

/* Where a phi is evaluated: at z or at z/2. */
typedef enum { UNR_ETDRK_WHOLE, UNR_ETDRK_HALF, UNR_ETDRK_NODES } UnrEtdrkNode;
extern const double UnrEtdrkNodeValue[UNR_ETDRK_NODES];

typedef struct {
  double alpha; /* 0 ends the sum */
  int k;
  UnrEtdrkNode node;
} UnrEtdrkTerm;

typedef struct {
  int order, stages, functions;
  UnrEtdrkTerm function[UNR_ETDRK_FUNCTIONS][UNR_ETDRK_TERMS];
  int propagator[UNR_ETDRK_STAGES + 1];
  int weight[UNR_ETDRK_STAGES + 1][UNR_ETDRK_STAGES]; /* 0: none, since function 0 is a propagator */
} UnrEtdrkTableau;

/* order 1 to UNR_ETDRK_STAGES. */
const UnrEtdrkTableau *UnrEtdrkTableauGet(int order);
