/* Made by closure_numpy.py: power of closures on two flows. */
#pragma once

static const double closure_smagorinsky[] = {-0.1860413200372883, -0.4087327801219224};
static const double closure_dynamic[] = {-0, -0.01512007683920393};
