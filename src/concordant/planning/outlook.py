"""What more topics would change: the next ones are drawn, given what the topics at hand leave open."""

from __future__ import annotations

import numpy as np

from ..arrays import FloatArray
from ..coefficients.registry import get_coefficient
from ..data.means import mean_over_topics, mean_ranks
from ..inference.posterior import correlations, draw
from ..inference.resampling import Resampling
from ..ranks.intervals import Outlook


def outlook(values: FloatArray, topics: int, how: Resampling) -> Outlook:
    """Of a matrix of topics, or groups, x systems.

    True means are drawn from their posterior, and means over the new topics around these, as `plan_topics` does; the
    board is then ranked by all topics, old and new.
    """
    n = len(values)
    scaled = np.ldexp(values, -int(np.frexp(np.abs(values).max())[1]))  # as `draw` has them
    now = mean_over_topics(scaled)
    drawn = draw(scaled, how.n_resamples, "normal", how.generator(), new=True)
    then = now - now.mean()
    if topics:
        then = (n * then + topics * drawn.observed(topics)) / (n + topics)
    then = np.broadcast_to(then, drawn.truth.shape)
    tau = get_coefficient("tau_a")
    before, after = mean_ranks(now[None]), mean_ranks(then)
    first = before[0] == before[0].min()
    return Outlook(
        topics=topics,
        tau_now=float(correlations(tau, drawn.truth, now, how.threads).mean()),
        tau_then=float(correlations(tau, drawn.truth, then, how.threads).mean()),
        tau_between=float(correlations(tau, then, now, how.threads).mean()) if topics else 1.0,  # then may have ties
        leader_stays=float((after[:, first] == after.min(axis=1, keepdims=True)).any(axis=1).mean()),
        places_moved=float(np.abs(after - before).mean()),
    )
