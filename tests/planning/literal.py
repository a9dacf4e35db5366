"""The definitions of spec section 4, written down literally and slowly."""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt
from scipy import signal, special, stats

FloatArray = npt.NDArray[np.float64]


def by_sign(mean: float) -> float:
    return 0.0 if mean > 0 else 1.0 if mean < 0 else 0.5


def ml(d: FloatArray) -> float:
    n, mean, sd = len(d), float(d.mean()), float(d.std(ddof=1))
    if np.ptp(d) < 1e-12:
        return by_sign(round(mean, 12))
    c = math.sqrt((n - 1) / 2) * math.exp(special.gammaln((n - 1) / 2) - special.gammaln(n / 2))
    return float(stats.t.cdf(-math.sqrt(n) * mean / (sd * c), n - 1))


def msqd(d: FloatArray) -> float:
    n, mean = len(d), float(d.mean())
    if np.ptp(d) < 1e-12:
        return by_sign(round(mean, 12))
    z = stats.norm.ppf(stats.rankdata(d) / (n + 1))
    sd = float((d * z).sum() / (z * z).sum())
    return float(stats.t.cdf(-math.sqrt(n) * mean / sd, n - 1))


def msqd_tau(values: FloatArray) -> float:
    """Expected tau, identical systems concordant, with the ranks that the differences have as they are given."""
    n, m = values.shape
    ordered = values[:, np.argsort(-values.sum(axis=0), kind="stable")]
    i, j = np.triu_indices(m, 1)
    d = ordered[:, i] - ordered[:, j]
    d = d[:, np.ptp(d, axis=0) > 0]
    z = stats.norm.ppf(stats.rankdata(d, axis=0) / (n + 1))
    sd = (d * z).sum(axis=0) / (z * z).sum(axis=0)
    return float(1 - 4 * special.stdtr(n - 1, -math.sqrt(n) * d.mean(axis=0) / sd).sum() / (m * (m - 1)))


def res(d: FloatArray) -> float:
    """Over all n^n resamples."""
    found = 0.0
    for drawn in itertools.product(d.tolist(), repeat=len(d)):
        found += by_sign(round(math.fsum(drawn), 10))
    return float(found / len(d) ** len(d))


def kd(d: FloatArray, h: float) -> float:
    """Over all n^n resamples of the centres; the sum of their kernels is N(0, n h^2)."""
    found = 0.0
    for drawn in itertools.product(d.tolist(), repeat=len(d)):
        found += float(stats.norm.cdf(-math.fsum(drawn) / (h * math.sqrt(len(d)))))
    return float(found / len(d) ** len(d))


def res_on_grid(d: npt.NDArray[np.int64]) -> float:
    """For differences that are whole numbers: the distribution of the sum, by n convolutions."""
    low = int(d.min())
    one = np.bincount(d - low) / len(d)
    total = np.ones(1)
    for _ in range(len(d)):
        total = signal.fftconvolve(total, one) if len(one) > 1000 else np.convolve(total, one)
    sums = np.arange(len(total)) + len(d) * low
    return float(total[sums < 0].sum() + total[sums == 0].sum() / 2)


def plug_in(d: FloatArray) -> float:
    """The two-stage direct plug-in bandwidth of Sheather and Jones, with their n (n - 1)."""
    n = len(d)
    q = np.percentile(d, [25, 75])
    scale = min(float(d.std(ddof=1)), float(q[1] - q[0]) / 1.349) or float(d.std(ddof=1))

    def psi(r: int, g: float) -> float:
        total = 0.0
        for a in d.tolist():
            for b in d.tolist():
                u = (a - b) / g
                hermite = u**4 - 6 * u**2 + 3 if r == 4 else u**6 - 15 * u**4 + 45 * u**2 - 15
                total += hermite * math.exp(-u * u / 2) / math.sqrt(2 * math.pi)
        return total / (n * (n - 1) * g ** (r + 1))

    psi_8 = 105 / (32 * math.sqrt(math.pi) * scale**9)
    g = (-2 * -15 * stats.norm.pdf(0) / (psi_8 * n)) ** (1 / 9)
    g = (-2 * 3 * stats.norm.pdf(0) / (psi(6, g) * n)) ** (1 / 7)
    return float((1 / (2 * math.sqrt(math.pi)) / (psi(4, g) * n)) ** (1 / 5))


def expected(p: FloatArray, means: FloatArray) -> tuple[float, float]:
    """E[tau] and E[tau_ap] from a matrix of probabilities, as the mean over all orders of systems with equal means."""
    m = len(p)
    found = []
    for order in itertools.permutations(range(m)):
        if (np.diff(means[list(order)]) <= 0).all():
            q = p[np.ix_(order, order)]
            tau = 1 - 4 * math.fsum(q[i, j] for j in range(m) for i in range(j)) / (m * (m - 1))
            found.append((tau, 1 - 2 / (m - 1) * math.fsum(q[i, j] / j for j in range(1, m) for i in range(j))))
    tau, ap = np.mean(found, axis=0).tolist()
    return tau, ap


def discordant_shares(truth: FloatArray, observed: FloatArray) -> tuple[float, float]:
    """Share of discordant pairs, and the mean over observed places of the share of those above that are discordant."""
    m = len(truth)
    order = sorted(range(m), key=lambda k: (-observed[k], -truth[k]))
    pairs, down = 0, 0.0
    for place in range(1, m):
        wrong = sum(
            (truth[order[above]] - truth[order[place]]) * (observed[order[above]] - observed[order[place]]) < 0
            for above in range(place)
        )
        pairs += wrong
        down += wrong / place
    return pairs / (m * (m - 1) / 2), down / (m - 1)


def split_half(values: FloatArray, replace: bool, splits: int, rng: np.random.Generator) -> tuple[float, float]:
    n = len(values)
    points: list[tuple[float, float, float]] = []
    for size in np.unique(np.round(np.linspace(1, n // 2, 21)))[1:].astype(int):
        for _ in range(splits):
            drawn = rng.choice(n, 2 * size, replace=replace)
            a, b = (np.round(values[half].mean(axis=0), 12) for half in (drawn[:size], drawn[size:]))
            points.append((int(size), *discordant_shares(a, b)))
    found = []
    for k in (1, 2):
        x = np.array([p[0] for p in points if p[k] > 1e-12], dtype=np.float64)
        y = np.array([math.log(p[k]) for p in points if p[k] > 1e-12])
        slope, intercept = np.polyfit(x, y, 1)
        found.append(1 - 2 * min(1.0, math.exp(intercept + slope * n)))
    return found[0], found[1]


Table = list[list[float]]


def partial_labels(human: list[list[float | None]], machine: Table, by_topic: bool) -> dict[str, list[float]]:
    """Spec section 13 C, step by step, cell by cell; None is a cell without a label."""
    n, m = len(machine), len(machine[0])
    labelled = [[t for t in range(n) if human[t][s] is not None] for s in range(m)]
    cells = [(t, s) for s in range(m) for t in labelled[s]]

    def centred(values: dict[tuple[int, int], float]) -> dict[tuple[int, int], float]:
        mean = [math.fsum(values[t, s] for t in labelled[s]) / len(labelled[s]) for s in range(m)]
        return {(t, s): values[t, s] - mean[s] for t, s in cells}

    y = centred({(t, s): float(human[t][s] or 0) for t, s in cells})
    f = centred({(t, s): machine[t][s] for t, s in cells})
    ridge = math.fsum(v * v for v in f.values())
    ridge += math.fsum(float(np.var([machine[t][s] for t in range(n)], ddof=1)) for s in range(m)) / m
    tau = {(t, s): 0.0 for t in range(n) for s in range(m)}
    lam = 0.0
    for _ in range(6 if by_topic else 1):
        tc = centred({cell: tau[cell] for cell in cells})
        lam = max(math.fsum((y[c] - tc[c]) * f[c] for c in cells) / ridge, 0.0)
        if not by_topic:
            break
        r = {c: y[c] - lam * f[c] for c in cells}
        same = [(a, b) for a in cells for b in cells if a != b and a[0] == b[0]]
        of_topics = math.fsum(r[a] * r[b] for a, b in same) / len(same)
        if of_topics <= 0:
            tau = dict.fromkeys(tau, 0.0)
            break
        rest = math.fsum(v * v for v in r.values()) / (len(cells) - m) - of_topics
        for t, s in tau:
            others = [r[u, o] for u, o in cells if u == t and o != s]
            tau[t, s] = math.fsum(others) / (len(others) + rest / of_topics)
    g = {(t, s): lam * machine[t][s] + tau[t, s] for t in range(n) for s in range(m)}
    e = {(t, s): float(human[t][s] or 0) - g[t, s] for t, s in cells}
    ec = centred(e)
    free = len(cells) - m
    own = [math.fsum(ec[t, s] ** 2 for t in labelled[s]) / (len(labelled[s]) - 1) * free / (free - 1) for s in range(m)]
    pooled = math.fsum((len(labelled[s]) - 1) * own[s] for s in range(m)) / free
    d = [len(labelled[s]) - 1 for s in range(m)]
    z = [math.log(own[s]) - special.digamma(d[s] / 2) + math.log(d[s] / 2) for s in range(m)]
    excess = float(np.var(z, ddof=1)) - math.fsum(special.polygamma(1, d[s] / 2) for s in range(m)) / m
    low, high = 1e-3, 500.0  # trigamma falls: bisect for d0 / 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if special.polygamma(1, middle) > excess else (low, middle)
    d0 = 1e3 if excess <= 1e-3 else 2 * low
    s0 = math.exp(math.fsum(z) / m + special.digamma(d0 / 2) - math.log(d0 / 2))
    d0, s0 = (1.0, pooled) if d0 < 1 else (min(d0, 4.0), max(s0, pooled))
    s2 = [(d0 * s0 + d[s] * own[s]) / (d0 + d[s]) for s in range(m)]
    gbar = [math.fsum(g[t, s] for t in range(n)) / n for s in range(m)]
    both = math.fsum(ec[t, s] * (g[t, s] - gbar[s]) for t, s in cells) / free
    found: dict[str, list[float]] = {"means": [], "of_labels": [], "variance": [], "freedom": [], "lam": [lam]}
    for s in range(m):
        count = len(labelled[s])
        shift = math.fsum(machine[t][s] for t in range(n)) / n - math.fsum(machine[t][s] for t in labelled[s]) / count
        ve = s2[s] * (1 / count + shift**2 * math.fsum(v * v for v in f.values()) / ridge**2)
        vg = math.fsum((g[t, s] - gbar[s]) ** 2 for t in range(n)) / (n - 1) / n
        total = max(ve + vg + 2 * both / n, ve)
        found["means"].append(gbar[s] + math.fsum(e[t, s] for t in labelled[s]) / count)
        found["of_labels"].append(ve)
        found["variance"].append(total)
        found["freedom"].append(total**2 / (ve**2 / (d[s] + d0) + vg**2 / (n - 1)))
    return found
