"""Numbers that compare runs of evaluate with the bare solver: what table.py prints and report.py shows."""
import numpy as np

# Column: head, unit or note below it, how to write the value.
COLUMNS = (
    ("run", "", str),
    ("one frame", "rel. rms", lambda v: f"{v:.4g}"),
    ("gain", "bare / run", lambda v: f"{v:.1f} x"),
    ("rel median", "bare bounded", lambda v: f"{v:.3g}"),
    ("gain", "bare / run", lambda v: f"{v:.1f} x"),
    ("rel mean", "not diverged", lambda v: f"{v:.3g}"),
    ("diverged", "of tests", str),
    ("correlated", "frames, mean", str),
)


def median_bounded(run, bare):
    """Median rel over the tests where the bare solver stays bounded; a run that diverges on one has infinity there."""
    rel = np.where(run.is_diverged | ~np.isfinite(run.rel), np.inf, run.rel)
    chosen = rel[~(bare or run).is_diverged]
    return float(np.median(chosen)) if len(chosen) else np.nan


def mean(values):
    """Mean of what is finite; NaN where nothing is."""
    values = values[np.isfinite(values)]
    return float(values.mean()) if len(values) else np.nan


def correlated(run):
    """Mean correlation time in frames; a sign where tests were still correlated at the horizon."""
    time = run.test.get("correlation_time")
    if time is None:
        return ""
    beyond = np.any(time[np.isfinite(time)] >= run.frames)
    return f"{'> ' if beyond else ''}{mean(time):.0f}" if np.isfinite(time).any() else ""


def numbers(run, bare):
    """Values of COLUMNS for one run; the gains are None without a bare run."""
    one, rel = mean(run.one_frame), median_bounded(run, bare)
    is_other = bare is not None and run is not bare
    return (run.label, one, mean(bare.one_frame) / one if is_other else None, rel,
            median_bounded(bare, bare) / rel if is_other else None, mean(run.rel[~run.is_diverged]),
            f"{int(run.is_diverged.sum())} of {run.tests}", correlated(run))


def compare(metrics):
    """Rows of text, and a line on what the numbers are."""
    bare = metrics[0] if metrics[0].model == "solver" else None
    rows = [[("" if value is None else "-" if isinstance(value, float) and np.isnan(value) else write(value))
             for (_, _, write), value in zip(COLUMNS, numbers(run, bare))] for run in metrics]
    frames, tests = metrics[0].rel_frames, metrics[0].tests
    subset = (f"the median is over the {int((~bare.is_diverged).sum())} tests where the bare solver stays bounded"
              if bare else "no bare solver among the runs: the median is over all tests of a run that did not diverge")
    note = (f"{tests} tests; rel: mean over {frames} frames and the points of (u - ref)^2 / max|ref|^2; {subset}; "
            "diverged tests are counted, not averaged in; correlated: until the correlation with the reference stays "
            "below its threshold (>: some tests still are at the end of the horizon of "
            f"{metrics[0].frames} frames).")
    return rows, note
