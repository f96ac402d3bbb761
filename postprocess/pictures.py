"""The look of pictures: colours, fonts, files."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Okabe and Ito's colours, which the colour-blind tell apart; the modes keep theirs in every picture.
REFERENCE = {"color": "k", "ls": "-", "lw": 2.2}
COLOURS = {"bare": "#555555", "one": "#E69F00", "nog": "#0072B2", "wig": "#009E73", "predict": "#CC79A7"}
OTHERS = ("#D55E00", "#56B4E9", "#8C6D00", "#000000", "#7B3294", "#A6611A")
DASHES = ("--", "-.", ":")

plt.rcParams.update({
    "font.size": 11, "axes.titlesize": 11, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.color": "0.9", "axes.axisbelow": True, "legend.frameon": False, "savefig.dpi": 130,
    "figure.constrained_layout.use": True,
})


def styles(names):
    """A colour and a dash a name: the known ones keep their own wherever they stand."""
    others = [name for name in names if name not in COLOURS]
    style = {name: {"color": colour, "ls": "-"} for name, colour in COLOURS.items()}
    for i, name in enumerate(others):
        turn = i + i // len(OTHERS)  # another dash when the colours begin again
        style[name] = {"color": OTHERS[i % len(OTHERS)], "ls": DASHES[turn % len(DASHES)]}
    return {name: style[name] for name in names}


def legend_below(fig, ax):
    """One legend for all panels, below them; what was drawn last, the reference, comes first."""
    handles, names = ax.get_legend_handles_labels()
    columns = max(1, min(len(names), int(fig.get_figwidth() / 1.6)))
    share = (0.24 * -(-len(names) // columns) + 0.15) / fig.get_figheight()
    fig.get_layout_engine().set(rect=(0, share, 1, 1 - share))
    fig.legend(handles[-1:] + handles[:-1], names[-1:] + names[:-1], loc="lower center", ncols=columns, fontsize=10)


def save(fig, path):
    """Writes a picture; tells its path."""
    fig.savefig(path)
    plt.close(fig)
    print(path)
