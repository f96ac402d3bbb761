"""Published figures of Mosaic (github.com/pasteurlabs/mosaic, arXiv 2606.27895), run of 28 May 2026: GPU solvers on a Tesla T4 with
an EPYC 7V12 host; INS.jl and OpenFOAM on an unrecorded CPU.  A dash: not published, or it does not fit there."""

# Taylor-Green, nu 0.05, dt 0.01, one step: relative rms error by points a side.
ACCURACY = {
    "INS.jl": {16: 3.8e-2, 64: 2.4e-3, 128: 6.0e-4},
    "OpenFOAM": {16: 9.6e-4, 64: 5.8e-5, 128: 3.6e-5},
    "jax-cfd": {16: 3.8e-2, 64: 2.4e-3, 128: 6.2e-4},
    "PhiFlow": {16: 3.8e-2, 64: 2.4e-3, 128: 6.0e-4},
    "PICT": {16: 9.6e-4, 64: 5.6e-5, 128: 1.5e-5},
    "Warp-NS": {16: 1.3e-3, 64: 9.0e-5, 128: 2.3e-5},
    "XLB": {16: 5.0e-2, 64: 7.4e-3, 128: 7.0e-3},
}
AGREEMENT_BEST = 6e-4  # N 64, dt 0.05, 20 steps
GRADIENT = {"INS.jl": 9.0e-6, "PhiFlow": 9.6e-6, "Warp-NS": 3.1e-5, "XLB": 7.2e-5, "jax-cfd": 4.9e-4, "PICT": 7.2e-4}
# 3-D Taylor-Green, N 20, nu 0.001, dt 0.05: what ends each solver, by steps.
HORIZON = {"PhiFlow": "NaN at 160", "Warp-NS": "NaN at 160", "XLB": "out of memory past 1280", "INS.jl": "out of memory past 2560",
           "PICT": "out of memory past 2560", "Exponax": "reaches 10240"}
# Seconds, nu 0.01, dt 0.01; vjp: forward and reverse of sum(out^2).
COST = {
    ("2-D forward", 100): {
        "INS.jl": {64: .14, 128: .47, 256: 2.9}, "OpenFOAM": {64: .98, 128: 4.8, 256: 35},
        "jax-cfd": {64: .018, 128: .034, 256: .11}, "PhiFlow": {64: 1.2, 128: 11}, "PICT": {64: 2.1, 128: 2.8, 256: 4.2},
        "Warp-NS": {64: .25, 128: .32, 256: .61}, "XLB": {64: .03, 128: .03, 256: .13}},
    ("2-D vjp", 100): {
        "INS.jl": {64: 1.6, 128: 4.6, 256: 16}, "jax-cfd": {64: .71, 128: 3.2, 256: 18}, "PhiFlow": {64: 3.6, 128: 34},
        "PICT": {64: 7.8, 128: 9.3, 256: 13}, "Warp-NS": {64: .92, 128: 1.1, 256: 2.1}, "XLB": {64: .99, 128: .94, 256: 5.7}},
    ("3-D forward", 50): {
        "INS.jl": {16: .18, 32: 1.5, 64: 10}, "OpenFOAM": {16: .75, 32: 3.3, 64: 29}, "PhiFlow": {16: .2, 32: 3.4},
        "PICT": {16: .9, 32: 1.0, 64: 2.0}, "Warp-NS": {16: .15, 32: .30, 64: 2.2}, "XLB": {16: .11, 32: 7.7, 64: 184},
        "Exponax": {16: .034, 32: .18, 64: 1.5}},
    ("3-D vjp", 50): {
        "INS.jl": {16: 2.2, 32: 13, 64: 88}, "PhiFlow": {16: .64, 32: 11}, "PICT": {16: 3.4, 32: 3.9},
        "Warp-NS": {16: .52, 32: 1.0, 64: 5.6}, "XLB": {16: 7.3, 32: 145}, "Exponax": {16: .13, 32: .65, 64: 6.1}},
}
