"""The look of pictures: colours, fonts, files."""
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Okabe and Ito's colours, which the colour-blind tell apart; the modes keep theirs in every picture.
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
        style[name] = {"color": OTHERS[i % len(OTHERS)], "ls": DASHES[i % len(DASHES)]}
    return {name: style[name] for name in names}


def save(fig, path):
    """Writes a picture; tells its path."""
    fig.savefig(path)
    plt.close(fig)
    print(path)
