// Means over topics, tau_b and tau_ap_b as the package computes them: the tests hold this against its kernels.
const concordantCoefficients = (function () {
  "use strict";
  const EPSILON = 2 ** -52;

  // Half to even, as NumPy rounds.
  function rint(x) {
    const low = Math.floor(x), rest = x - low;
    return rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1;
  }

  // 12 significant digits of x, counted from its size; undefined where a float has no such power of ten.
  function toDigits(x, size) {
    const digits = 11 - Math.floor(Math.log10(size > 0 ? size : 1));
    if (digits < 0 || digits > 300) return undefined;
    const up = Number("1e" + digits);
    const found = rint(Math.abs(x) * up - 0.02) / up;
    return (x < 0 ? -found : found) + 0;
  }

  // Systems whose totals rounding can part are tied, and means are written with 12 digits where that keeps the order:
  // concordant.means says why. `scores` has a row per topic; `topics` and `systems` are places in it.
  function means(scores, topics, systems) {
    const n = topics.length;
    const sums = systems.map((s) => topics.reduce((sum, t) => sum + scores[t][s], 0));
    const sizes = systems.map((s) => topics.reduce((sum, t) => sum + Math.abs(scores[t][s]), 0));
    const slack = (n / 2 + 2) * EPSILON;
    const order = systems.map((_, k) => k).sort((a, b) => sums[a] - sums[b]);
    const found = new Array(systems.length);
    let low = order[0], before = order[0];
    for (const k of order) {
      const far = (from) => sums[k] - sums[from] > slack * sizes[k] + slack * sizes[from];
      if (far(before) || far(low)) low = k;
      found[k] = sums[low] / n;
      before = k;
    }
    const short = found.map((mean, k) => toDigits(mean, sizes[k] / n));
    for (let k = 0; k < order.length; k++) {
      if (short[order[k]] === undefined) return found;
      if (k === 0) continue;
      const sign = (values) => Math.sign(values[order[k]] - values[order[k - 1]]);
      if (sign(found) !== sign(short)) return found;
    }
    return short;
  }

  // What two rankings have in common: i is above j where its score is larger, by the tolerance at least.
  function concordance(x, y, tolerance) {
    const m = x.length, above = (v, i, j) => v[i] > v[j] && v[i] - v[j] >= tolerance;
    const sums = { concordant: 0, discordant: 0, untiedTruth: 0, untiedCandidate: 0 };
    let downTruth = 0, downCandidate = 0, belowTruth = 0, belowCandidate = 0;
    for (let j = 0; j < m; j++) {
      let both = 0, aboveTruth = 0, aboveCandidate = 0;
      for (let i = 0; i < m; i++) {
        const inTruth = above(x, i, j), inCandidate = above(y, i, j);
        aboveTruth += inTruth;
        aboveCandidate += inCandidate;
        both += inTruth && inCandidate;
        sums.discordant += inTruth && above(y, j, i);
      }
      sums.concordant += both;
      sums.untiedTruth += aboveTruth;
      sums.untiedCandidate += aboveCandidate;
      if (aboveTruth) { downTruth += both / aboveTruth; belowTruth += 1; }
      if (aboveCandidate) { downCandidate += both / aboveCandidate; belowCandidate += 1; }
    }
    const ratio = (a, b) => (b === 0 ? NaN : a / b);
    sums.tau_b = ratio(sums.concordant - sums.discordant, Math.sqrt(sums.untiedTruth * sums.untiedCandidate));
    const walked = downCandidate * belowTruth + downTruth * belowCandidate;
    sums.tau_ap_b = ratio(walked, belowTruth * belowCandidate) - 1;
    return sums;
  }

  // 1 + the number of strictly better systems.
  const ranks = (means) => means.map((mean) => 1 + means.filter((other) => other > mean).length);

  // The k best by these means, those tied with the last included; all where k is not a number of 2 or more.
  function best(means, k) {
    const every = means.map((_, at) => at);
    if (!(k >= 2) || k >= means.length) return every;
    const least = means.slice().sort((a, b) => b - a)[k - 1];
    return every.filter((at) => means[at] >= least);
  }

  // The places of names that have one of the words in them, and none of those after a minus; all without words.
  function matching(names, words) {
    const terms = words.toLowerCase().split(/[\s,]+/).filter((term) => term && term !== "-");
    const wanted = terms.filter((term) => !term.startsWith("-"));
    const unwanted = terms.filter((term) => term.startsWith("-")).map((term) => term.slice(1));
    const holds = (name) => (term) => name.toLowerCase().includes(term);
    return names.map((_, at) => at).filter((at) =>
      (!wanted.length || wanted.some(holds(names[at]))) && !unwanted.some(holds(names[at])));
  }

  return { means, concordance, ranks, best, matching };
})();
