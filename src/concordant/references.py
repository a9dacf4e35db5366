"""The papers behind the coefficients, as BibTeX, by the keys that the registry uses."""

from __future__ import annotations

import re
import unicodedata

from .coefficients.registry import list_coefficients
from .errors import InputError

BIBTEX = {
    "kendall1938": """@article{kendall1938,
  author  = {Kendall, M. G.},
  title   = {A New Measure of Rank Correlation},
  journal = {Biometrika},
  volume  = {30},
  number  = {1/2},
  pages   = {81--93},
  year    = {1938}
}""",
    "woodbury1940": """@article{woodbury1940,
  author  = {Woodbury, Max A.},
  title   = {Rank Correlation when There are Equal Variates},
  journal = {The Annals of Mathematical Statistics},
  volume  = {11},
  number  = {3},
  pages   = {358--362},
  year    = {1940}
}""",
    "kendall1945": """@article{kendall1945,
  author  = {Kendall, M. G.},
  title   = {The Treatment of Ties in Ranking Problems},
  journal = {Biometrika},
  volume  = {33},
  number  = {3},
  pages   = {239--251},
  year    = {1945}
}""",
    "yilmaz2008": """@inproceedings{yilmaz2008,
  author    = {Yilmaz, Emine and Aslam, Javed A. and Robertson, Stephen},
  title     = {A New Rank Correlation Coefficient for Information Retrieval},
  booktitle = {Proceedings of the 31st Annual International ACM SIGIR Conference},
  pages     = {587--594},
  year      = {2008}
}""",
    "urbano2017": """@inproceedings{urbano2017,
  author    = {Urbano, Juli{\\'a}n and Marrero, M{\\'o}nica},
  title     = {The Treatment of Ties in {AP} Correlation},
  booktitle = {Proceedings of the ACM SIGIR International Conference on the Theory of Information Retrieval},
  pages     = {321--324},
  year      = {2017},
  doi       = {10.1145/3121050.3121106}
}""",
    "gao2015": """@inproceedings{gao2015,
  author    = {Gao, Ning and Oard, Douglas W.},
  title     = {A Head-Weighted Gap-Sensitive Correlation Coefficient},
  booktitle = {Proceedings of the 38th International ACM SIGIR Conference},
  pages     = {799--802},
  year      = {2015}
}""",
    "gao2016": """@inproceedings{gao2016,
  author    = {Gao, Ning and Bagdouri, Mossaab and Oard, Douglas W.},
  title     = {{Pearson} Rank: A Head-Weighted Gap-Sensitive Score-Based Correlation Coefficient},
  booktitle = {Proceedings of the 39th International ACM SIGIR Conference},
  pages     = {941--944},
  year      = {2016}
}""",
    "spearman1904": """@article{spearman1904,
  author  = {Spearman, C.},
  title   = {The Proof and Measurement of Association between Two Things},
  journal = {The American Journal of Psychology},
  volume  = {15},
  number  = {1},
  pages   = {72--101},
  year    = {1904}
}""",
    "pearson1895": """@article{pearson1895,
  author  = {Pearson, Karl},
  title   = {Note on Regression and Inheritance in the Case of Two Parents},
  journal = {Proceedings of the Royal Society of London},
  volume  = {58},
  pages   = {240--242},
  year    = {1895}
}""",
    "vigna2015": """@inproceedings{vigna2015,
  author    = {Vigna, Sebastiano},
  title     = {A Weighted Correlation Index for Rankings with Ties},
  booktitle = {Proceedings of the 24th International Conference on World Wide Web},
  pages     = {1166--1176},
  year      = {2015}
}""",
    "webber2010": """@article{webber2010,
  author  = {Webber, William and Moffat, Alistair and Zobel, Justin},
  title   = {A Similarity Measure for Indefinite Rankings},
  journal = {ACM Transactions on Information Systems},
  volume  = {28},
  number  = {4},
  pages   = {20:1--20:38},
  year    = {2010}
}""",
    "carterette2009": """@inproceedings{carterette2009,
  author    = {Carterette, Ben},
  title     = {On Rank Correlation and the Distance Between Rankings},
  booktitle = {Proceedings of the 32nd International ACM SIGIR Conference},
  pages     = {436--443},
  year      = {2009}
}""",
    "urbano2016": """@inproceedings{urbano2016,
  author    = {Urbano, Juli{\\'a}n and Marrero, M{\\'o}nica},
  title     = {Toward Estimating the Rank Correlation between the Test Collection Results
               and the True System Performance},
  booktitle = {Proceedings of the 39th International ACM SIGIR Conference},
  year      = {2016}
}""",
    "romano2005": """@article{romano2005,
  author  = {Romano, Joseph P. and Wolf, Michael},
  title   = {Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing},
  journal = {Journal of the American Statistical Association},
  volume  = {100},
  number  = {469},
  pages   = {94--108},
  year    = {2005}
}""",
    "corsi2024": """@inproceedings{corsi2024,
  author    = {Corsi, Matteo and Urbano, Juli{\\'a}n},
  title     = {The Treatment of Ties in Rank-Biased Overlap},
  booktitle = {Proceedings of the 47th International ACM SIGIR Conference},
  pages     = {251--260},
  year      = {2024}
}""",
}

# Papers to cite beside the one that defines a coefficient.
_ALSO = {"rbo": ("corsi2024",), "tau_a": ("urbano2017",)}
# What is no coefficient and has a paper.
_OTHERS = {
    name: key
    for key, names in {
        "carterette2009": ("rank_distance", "rank_test", "discriminative_power"),
        "urbano2016": ("discordance", "expected_correlation", "reliability", "split_half", "plan_topics"),
        "romano2005": ("rank_intervals",),
    }.items()
    for name in names
}


def bibliography(names: list[str]) -> list[str]:
    """BibTeX entries for coefficients and functions, or for keys of papers, each once."""
    papers = {key: (key,) for key in BIBTEX} | {name: (key,) for name, key in _OTHERS.items()}
    papers |= {c.name: (c.reference, *_ALSO.get(c.name, ())) for c in list_coefficients()}
    for name in names:
        if name not in papers:
            raise InputError(f"there is no {name!r} to cite: choose from {', '.join(papers)}")
    return [BIBTEX[key] for key in dict.fromkeys(key for name in names for key in papers[name])]


def reference(entry: str) -> str:
    """A BibTeX entry of this module as a line to read."""
    found = dict(re.findall(r"^  (\w+)\s*= \{(.*?)\},?$", entry, re.MULTILINE | re.DOTALL))
    plain = {k: re.sub(r"\s+", " ", v.replace("\\'", "\u0301")) for k, v in found.items()}
    plain = {k: re.sub(r"\u0301(\w)", "\\1\u0301", v.replace("{", "").replace("}", "")) for k, v in plain.items()}
    key = entry.partition("{")[2].partition(",")[0]
    where = plain.get("journal") or plain.get("booktitle", "")
    volume = f" {plain['volume']}" if "volume" in plain else ""
    pages = f", {plain['pages'].replace('--', '–')}" if "pages" in plain else ""
    authors = unicodedata.normalize("NFC", plain["author"].replace(" and ", "; "))
    return f"[{key}] {authors} ({plain['year']}). {plain['title']}. {where}{volume}{pages}."
