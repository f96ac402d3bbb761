"""Numbers that compare runs of evaluate with the bare solver: what table.py prints and report.py shows."""
import numpy as np


def mean(values):
    """Mean of what is finite; NaN where nothing is."""
    values = values[np.isfinite(values)]
    return float(values.mean()) if len(values) else np.nan


def one_frame(run, bare):
    return mean(run.one_frame)


def median_bounded(run, bare):
    """Median rel over the tests where the bare solver stays bounded; a run that diverges on one has infinity there."""
    rel = np.where(run.is_diverged | ~np.isfinite(run.rel), np.inf, run.rel)
    chosen = rel[~(bare or run).is_diverged]
    return float(np.median(chosen)) if len(chosen) else np.nan


def mean_rel(run, bare):
    return mean(run.rel[~run.is_diverged])


def mean_mse(run, bare):
    return mean(run.test["mse"][~run.is_diverged])


def diverged(run, bare):
    return f"{int(run.is_diverged.sum())} of {run.tests}"


def time_of(name):
    """Mean of such a time in frames; a sign where some tests never came to it before the reference ended."""
    def value(run, bare):
        time = run.test.get(name)
        if time is None:
            return ""
        beyond = np.any(time[np.isfinite(time)] >= run.reference_frames)
        return f"{'> ' if beyond else ''}{mean(time):.0f}" if np.isfinite(time).any() else ""
    return value


def median_of(name):
    """Median of such a number over the tests that have it."""
    def value(run, bare):
        values = run.test.get(name, np.empty(0))
        values = values[np.isfinite(values)]
        return float(np.median(values)) if len(values) else np.nan
    return value


def gain(measure):
    """How many times smaller than the bare solver's; nothing without one."""
    def value(run, bare):
        if bare is None or run is bare:
            return None
        with np.errstate(divide="ignore", invalid="ignore"):  # a run without any error gains infinitely
            return float(np.divide(measure(bare, bare), measure(run, bare)))
    return value


# Column: head, unit or note below it, how to write the value, the value of a run beside the bare one (or None).
RUN = ("run", "", str, lambda run, bare: run.label)
ONE = (("one frame", "rel. rms", lambda v: f"{v:.4g}", one_frame),
       ("gain", "bare / run", lambda v: f"{v:.1f} x", gain(one_frame)))
DIVERGED = ("diverged", "of tests", str, diverged)
COLUMNS = (
    RUN, *ONE,
    ("rel median", "bare bounded", lambda v: f"{v:.3g}", median_bounded),
    ("gain", "bare / run", lambda v: f"{v:.1f} x", gain(median_bounded)),
    ("rel mean", "not diverged", lambda v: f"{v:.3g}", mean_rel),
    DIVERGED,
    ("correlated", "frames, mean", str, time_of("correlation_time")),
)
FLOW = (
    RUN,
    ("mse", "not diverged", lambda v: f"{v:.4g}", mean_mse),
    ("gain", "bare / run", lambda v: f"{v:.1f} x", gain(mean_mse)),
    *ONE, DIVERGED,
    ("vorticity", "frames, mean", str, time_of("vorticity_correlation_time")),
    ("energy", "rel. error", lambda v: f"{v:.2g}", median_of("energy_error")),
    ("spectrum", "decades", lambda v: f"{v:.2g}", median_of("spectrum_error")),
)


def columns(metrics):
    """Those of flows, which are told by velocity and vorticity, or those of other fields."""
    return FLOW if all(m.is_flow for m in metrics) else COLUMNS


def cell(write, value):
    """A value as text; nothing where there is none to compare with, a dash where it is no number."""
    if value is None:
        return ""
    return "-" if isinstance(value, float) and np.isnan(value) else write(value)


def compare(metrics):
    """Rows of text, and a line on what the numbers are."""
    bare = metrics[0] if metrics[0].model == "solver" else None
    rows = [[cell(write, of(run, bare)) for _, _, write, of in columns(metrics)] for run in metrics]
    frames, tests = metrics[0].rel_frames, metrics[0].tests
    lost = "diverged tests are counted, not averaged in"
    if columns(metrics) is FLOW:
        return rows, (f"{tests} tests; mse: of the velocity, mean over {frames} frames and the tests; {lost}; vorticity: "
                      "frames until the correlation of the vorticity with the reference's is below 0.95 (>: some tests "
                      f"never came to it in {metrics[0].reference_frames} frames); energy: error of its mean over those "
                      "frames; spectrum: mean distance from the reference's, by shell; medians.")
    subset = (f"the median is over the {int((~bare.is_diverged).sum())} tests where the bare solver stays bounded"
              if bare else "no bare solver among the runs: the median is over all tests of a run that did not diverge")
    note = (f"{tests} tests; rel: mean over {frames} frames and the points of (u - ref)^2 / max|ref|^2; {subset}; "
            f"{lost}; correlated: until the correlation with the reference stays "
            "below its threshold (>: some tests still are at the end of the horizon of "
            f"{metrics[0].reference_frames} frames).")
    return rows, note
