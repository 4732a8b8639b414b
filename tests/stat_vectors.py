"""Worked example of the method sheet -> our answer to its input, in the shape of what it expects."""

import itertools
import math
import statistics

import numpy as np
from runs import graded, outputs_of
from scipy import stats

from bench.analysis.arms.budget import at_budget, hull, steps
from bench.analysis.arms.cost import per_carried
from bench.analysis.arms.extremes import extremes
from bench.analysis.arms.frontier import dominance
from bench.analysis.arms.pareto import dominates, frontier
from bench.analysis.arms.spread import best_at, fixture_spread, pooled_sd, range_at, worst_at
from bench.analysis.comparing.compare import compare
from bench.analysis.comparing.pairs import pairs
from bench.analysis.credited import credited
from bench.analysis.graders.grader_noise import grader_noise, moves_arms, moves_one
from bench.analysis.graders.run_agreement import between_passes
from bench.analysis.recall import arm_recall, atom_mean, fixture_recall, pass_recall, run_recall
from bench.analysis.statistics import power, relabel, sign_flip
from bench.analysis.statistics.agreement import (
    agreement,
    cohen_kappa,
    krippendorff_alpha,
    pairwise_disagreement,
    unanimous,
)
from bench.analysis.statistics.at_k import all_of, any_of
from bench.analysis.statistics.bootstrap import mean_draws
from bench.analysis.statistics.chain_sequences import sequences
from bench.analysis.statistics.clustered import clustered
from bench.analysis.statistics.components import RESIDUAL, components
from bench.analysis.statistics.equal_spread import equal_spread
from bench.analysis.statistics.equivalence import equivalence
from bench.analysis.statistics.false_discovery import false_discovery
from bench.analysis.statistics.fieller import fieller
from bench.analysis.statistics.grader_error import Labelled, corrected, judge_interval, rogan_gladen
from bench.analysis.statistics.halving import rounds
from bench.analysis.statistics.holm import holm
from bench.analysis.statistics.kaplan_meier import kaplan_meier, retention
from bench.analysis.statistics.looks import boundaries, crossing
from bench.analysis.statistics.mcnemar import mcnemar
from bench.analysis.statistics.mixture import half_width, mixture_test
from bench.analysis.statistics.multi_rater import multi_rater
from bench.analysis.statistics.normal_range import c4, d2, d3, range_p, sigma_limits, sigma_of_range
from bench.analysis.statistics.over_atoms import crossed_atoms, over_atoms
from bench.analysis.statistics.over_fixtures import over_fixtures
from bench.analysis.statistics.over_runs import Pair, Runs, over_runs
from bench.analysis.statistics.pass_flips import pass_flips
from bench.analysis.statistics.passes import best, majority, worst
from bench.analysis.statistics.prediction_powered import prediction_powered
from bench.analysis.statistics.projection import Sources, best_passes, best_whole_passes, se_like_these, se_these
from bench.analysis.statistics.proportion import effective_atoms, exact, jeffreys, least_if_all, wilson
from bench.analysis.statistics.questions import design_effect, question_variance, questions_needed, questions_see
from bench.analysis.statistics.variance import crossed, one_way, se_of_mean, shown
from bench.frames import records
from bench.rows import SCORES

LETTERS = {"C": "carried", "P": "partial", "L": "absent", ".": None}
CREDIT = {letter: None if verdict is None else SCORES[verdict] for letter, verdict in LETTERS.items()}


def recall_of(i, partial=0.5):
    """recall, bounds and coverage of one run, from its letters; None of no atom at all."""
    if not i["verdicts"]:
        return {"recall": None}
    table = graded({"f": {"a": [i["verdicts"]]}}, weights=i.get("weights"))
    (line,) = records(run_recall(table, partial=partial))
    return line


def binary(i):
    recall = recall_of(i)["recall"]
    return {"recall": recall, "points": 100 * recall}


def missing(i):
    line = recall_of(i)
    kept = line["carried"]
    out = line["weight"] - sum(w for w, v in zip(i["weights"], i["verdicts"], strict=True) if v != ".")
    return {
        "exclude": line["recall"], "coverage": line["coverage"],
        "lower_bound": kept / line["weight"], "upper_bound": (kept + out) / line["weight"],
    }  # fmt: skip


def share(i):
    n, k = i["atoms"], i["carried"]
    return {
        "recall": k / n, "wilson": wilson(k, n), "clopper_pearson": exact(k, n), "jeffreys": jeffreys(k, n),
        "one_sided_lower": least_if_all(n), "printed_wilson": [round(v, 4) for v in wilson(k, n)],
        "printed_clopper_pearson": [round(v, 4) for v in exact(k, n)],
    }  # fmt: skip


def weighted_interval(i):
    recall, n = recall_of(i)["recall"], effective_atoms(i["weights"])
    return {"recall": recall, "effective_atoms": n, "wilson": wilson(recall * n, n)}


def passes(i):
    table = graded({"f": {"a": [i["passes"]]}})
    atoms = [[LETTERS[v] for v in unit] for unit in zip(*i["passes"], strict=True)]
    told = {
        name: statistics.fmean(SCORES[v] for v in map(of, atoms) if v is not None)
        for name, of in (("majority", majority), ("any", best), ("all", worst))
    }
    (run,) = records(run_recall(table))
    per_pass = [r["recall"] for r in records(pass_recall(table))]
    return told | {
        "per_pass": per_pass, "mean_of_pass_recalls": statistics.fmean(per_pass), "atom_first_mean": run["recall"],
        "atoms": run["atoms"], "atoms_graded": run["atoms"] - run["missing"],
    }  # fmt: skip


def arm_unbalanced(i):
    runs = run_recall(graded(i["runs"]))
    by_fixture = {(r["arm"], r["fixture"]): r["recall"] for r in records(fixture_recall(runs))}
    macro, micro = ({r["arm"]: r["recall"] for r in records(of(runs))} for of in (arm_recall, atom_mean))
    found = {
        arm: {"per_fixture": {f: by_fixture[arm, f] for f in i["runs"]}, "macro": macro[arm], "micro": micro[arm]}
        for arm in ("A", "B")
    }
    return found | {"delta_macro": macro["B"] - macro["A"], "delta_micro": micro["B"] - micro["A"]}


def of_runs(recalls):
    """The spread of recalls as the frames tell it, on the scale 0..1."""
    import pandas as pd

    series = {"grader": "g", "scope": "s", "arm": "a", "model": "m", "chain_step": 1, "stale_by": 0, "fixture": "f"}
    runs = pd.DataFrame([series | {"replicate": n, "recall": r} for n, r in enumerate(recalls, 1)])
    if not recalls:
        return {"n": 0, **dict.fromkeys(("mean", "range", "sd", "worst", "best"))}
    (line,) = records(fixture_spread(runs))
    (ends,) = records(extremes(runs))
    scaled = {k: None if line[k] is None else line[k] / 100 for k in ("range", "sd")}
    return {k: line[k] for k in ("n", "mean")} | scaled | {k: ends[k] for k in ("worst", "best")}


def constants(i):
    return {str(n): {"d2": d2(n), "d3": d3(n), "c4": c4(n), "expected_min": -d2(n) / 2} for n in i["n"]}


def rescale(i):
    sigma = sigma_of_range(i["range"], i["n"])
    return {"sigma": sigma, "range_at_n0": sigma * d2(i["n0"])}


def subsample(i):
    x = i["recalls"]
    return {
        str(m): {"range": range_at(x, m) or 0.0, "worst": worst_at(x, m), "best": best_at(x, m)}
        for m in range(1, len(x) + 1)
    }


def two_arms(i):
    m = min(map(len, i.values()))
    raw, at = ({k: range_at(v, size or len(v)) for k, v in i.items()} for size in (None, m))
    return {
        "m": m, "raw": raw, "at_m": at, "ratio_raw": raw["b"] / raw["a"], "ratio_at_m": at["b"] / at["a"],
    }  # fmt: skip


def sd_interval(i):
    return {str(n): dict(zip(("lower", "upper"), sigma_limits(n), strict=True)) for n in i["n"]}


def pooled(i):
    sd, df = pooled_sd(i["groups"])
    return {"df": df, "variance": sd**2, "sd": sd}


def range_test(i):
    of = (i["range"], i["sigma"], i["k"])
    return {"p_known": range_p(*of), "p_estimated": range_p(*of, i["df"])}


def brown_forsythe(i):
    found = equal_spread(i["a"], i["b"])
    return {"statistic": found.statistic, "p": found.p}


def at_k(i):
    n, c = i["n"], i["c"]
    return {str(k): {"any": any_of(k, n, c), "all": all_of(k, n, c)} for k in range(1, n + 1)}


def within_runs(i):
    found, g = one_way(i["runs"]), statistics.fmean(map(len, i["runs"]))
    told = {
        "ms_between": found.ms_between, "ms_within": found.ms_within, "within": found.ms_within, "n0": found.n0,
        "between_raw": found.between, "between": shown(found.between),
        "total_sd_of_runs": statistics.stdev(map(statistics.fmean, i["runs"])), "se_arm_mean": se_of_mean(i["runs"]),
    }  # fmt: skip
    if found.ms_within is None:
        return told | {"between": None}
    of = Sources(0.0, shown(found.between), found.ms_within)
    told |= {"sd_pass": found.ms_within**0.5, "sd_replicate": shown(found.between) ** 0.5}
    told |= {"printed_sd": [round(told["sd_replicate"], 2), round(told["sd_pass"], 2)]}
    both = se_these(of, 1, len(i["runs"]), round(g))  # of a difference of two arms alike, sqrt(2) of one
    return told | {"se_from_components": both / math.sqrt(2)}


def noise(i):
    points = [[100 * r for r in run] for run in i["runs"]]
    ranges = [max(r) - min(r) for r in points]
    sd, g = one_way(points).ms_within ** 0.5, len(points[0])
    by_pass = [statistics.fmean(one) for one in zip(*points, strict=True)]
    return {
        "sd_pass_points": sd, "mean_range_points": statistics.fmean(ranges), "max_range_points": max(ranges),
        "range_of_pass_means_points": max(by_pass) - min(by_pass),
        "sigma_from_range_points": sigma_of_range(statistics.fmean(ranges), g),
        "repeatability_limit_one_pass": moves_one(sd), "repeatability_limit_all_passes": moves_arms(sd, 1, g),
    }  # fmt: skip


def flips(i):
    found = pass_flips([[CREDIT[v] for v in one] for one in i["passes"]])
    return {
        "pairwise_disagreement": pairwise_disagreement(i["passes"]), "unanimous": unanimous(i["passes"]),
        "predicted_pass_variance": found.predicted, "observed_pass_variance": found.observed, "ratio": found.ratio,
    }  # fmt: skip


def fixture_arm(i):
    y = np.array(i["cells"])
    f, a, _ = np.indices(y.shape)
    found, theirs = (
        crossed(i["cells"]),
        components(y.ravel(), {"f": f.ravel(), "a": a.ravel(), "fa": (2 * f + a).ravel()}),
    )
    raw = {"replicate": theirs[RESIDUAL], "fixture_arm": theirs["fa"], "fixture": theirs["f"], "arm": theirs["a"]}
    assert np.allclose([found.replicate, found.fixture_arm, found.fixture, found.arm], list(raw.values()))
    fixtures, arms, runs = y.shape
    ms = {"replicate": found.replicate, "fixture_arm": found.ms_fixture_arm}
    ms["fixture"] = raw["fixture"] * arms * runs + ms["fixture_arm"]
    ms["arm"] = raw["arm"] * fixtures * runs + ms["fixture_arm"]
    of = Sources(found.fixture_arm, found.replicate, 0.0)
    return {"ms": ms, "components_raw": raw, "se_difference": se_like_these(of, fixtures, runs, 1)}


def projection(i):
    c = i["components"]
    of = Sources(c["arm_fixture"], c["replicate"], c["passes"])
    return {
        "designs": [
            {
                "fixtures": f, "replicates": r, "passes": g, "se_difference_same_fixtures": se_these(of, f, r, g),
                "se_difference_new_fixtures": se_like_these(of, f, r, g),
            }
            for f, r, g in i["designs"]
        ]
    }  # fmt: skip


def noise_points(i):
    sd = sigma_of_range(i["mean_range_points"], i["passes"])
    arms = moves_arms(sd, i["replicates"], i["passes"])
    return {"sd_pass_points": sd, "limit_single": moves_one(sd), "limit_arm_means": arms}


def brennan(i):
    y = np.array(i["scores_t_r_p"])
    t, r, p = np.indices(y.shape)
    codes = {"p": p, "t": t, "r:t": 4 * t + r, "pt": 3 * p + t}
    found = components(y.ravel(), {name: code.ravel() for name, code in codes.items()})
    found["pr:t"] = found.pop(RESIDUAL)
    relative = found["pt"] / y.shape[0] + found["pr:t"] / (y.shape[0] * y.shape[1])
    g = found["p"] / (found["p"] + relative)
    printed = {k: round(v, 4) for k, v in found.items()}
    return {
        "components": found, "printed": printed, "relative_error": relative, "g_coefficient": g,
        "printed_g": round(g, 2),
    }  # fmt: skip


def paired(i):
    weights = i.get("weights") or [1.0] * len(i["a"])
    atoms = {}
    for f, a, b, w in zip(i["fixture"], i["a"], i["b"], weights, strict=True):
        atoms.setdefault(f, []).append((b - a, w))
    found = clustered(atoms)
    differences = [statistics.fmean(d for d, _ in one) for one in atoms.values()]
    t = over_fixtures(differences)
    told = {
        "n": len(i["a"]), "clusters": found.clusters, "delta_micro": found.difference, "se_cluster_cr0": found.cr0,
        "se_cluster_cr1": found.cr1, "delta_macro": t.difference, "se_macro": t.se, "df": t.df, "p": t.p,
        "signflip_p": sign_flip.sign_flip(differences), "ci95": [t.low, t.high],
    }  # fmt: skip
    return told | {"t": None if t.se is None else t.difference / t.se}


def replicates_one_fixture(i):
    a, b = tuple(i["a"]), tuple(i["b"])
    found = over_runs([Pair("f", statistics.fmean(b) - statistics.fmean(a), Runs(a), Runs(b))])
    return {
        "delta": found.difference, "se": found.se, "t": found.difference / found.se, "df": found.df,
        "p_welch": found.p, "ci95": [found.low, found.high], "p_relabel": relabel.relabel([(a, b)]),
        "smallest_possible_p": relabel.smallest_p([(len(a), len(b))]),
    }  # fmt: skip


def smallest_p(i):
    sizes = {name: tuple(map(int, name.split("v"))) for name in i["relabel"]}
    return {
        "relabel": {name: relabel.smallest_p([size]) for name, size in sizes.items()},
        "signflip": {n: sign_flip.smallest_p(int(n)) for n in i["signflip_fixtures"]},
    }


def crossed_runs(i):
    base, other = (np.array([[CREDIT[v] for v in i["runs"][f"{arm}{n}"]] for n in range(3)]) for arm in "AB")
    terms, found = crossed_atoms(base, other), over_atoms([(base, other)])
    return {
        "delta": found.difference, "var_runs_random": terms.runs, "var_atoms_random": terms.atoms,
        "var_residual": terms.residual, "var_both_raw": terms.runs + terms.atoms - terms.residual,
        "se_both": found.se, "df": found.df,
    }  # fmt: skip


def bootstrap_exact(i):
    """Drawn, not listed: 400,000 draws of 27; the SD is known to 0.1 %."""
    drawn = mean_draws(i["cluster_means"], draws=400_000)
    return {
        "mean": drawn.mean(), "sd": drawn.std(), "p_le_0": (drawn < 1e-12).mean(),
        "min": drawn.min(), "max": drawn.max(),
    }  # fmt: skip


def bootstrap_mc(i):
    drawn = mean_draws(i["cluster_means"], draws=200_000, seed=2)
    return {"percentile": np.quantile(drawn, [0.025, 0.975]).tolist()}


def darwin(i):
    p, t = sign_flip.sign_flip(i["differences"]), over_fixtures(i["differences"])
    n = 2 ** len(i["differences"])
    return {
        "p": p, "count": p * n, "of": n, "t": t.difference / t.se, "p_t": t.p, "printed_p": round(p, 4),
    }  # fmt: skip


def adjusted(i):
    h, bh = holm(i["p"]), false_discovery(i["p"])
    rejected = {
        f"rejected_{name}": sum(p is not None and p <= 0.05 for p in ps) for name, ps in (("holm", h), ("bh", bh))
    }
    return {"holm": h, "bh": bh, **rejected}


def tost(i):
    found = equivalence(over_fixtures(i["differences"]), i["margin"])
    wide = over_fixtures(i["differences"], level=0.90)
    return {
        "p_lower": found.p_worse, "p_upper": found.p_better, "p_equivalence": found.p, "ci90": [wide.low, wide.high],
    }  # fmt: skip


def common_atoms(i):
    import pandas as pd

    sides = []
    for arm in ("a", "b"):
        letters = "".join("C" if v else "L" for v in i[arm].values())
        table = graded({"f": {arm: [letters]}})
        sides.append(table.assign(atom=pd.Series(list(i[arm]), dtype="string")))
    found = pairs(*map(credited, sides))
    common = [a for a in i["a"] if a in i["b"]]
    assert (found.common_atoms, found.atoms_left_out) == (len(common), len(i["a"]) + len(i["b"]) - 2 * len(common))
    return {"delta": found.fixtures[0].difference}


def questions(i):
    variance = question_variance(i["omega2"], (i["sigma2_a"], i["k_a"]), (i["sigma2_b"], i["k_b"]))
    needed = questions_needed(variance, i["delta"])
    told = {"n_exact": needed, "n": math.ceil(needed), "printed": round(needed)}
    return told | ({"mde": questions_see(variance, i["atoms"])} if "atoms" in i else {})


def groups_needed(sd, difference):
    """Runs an arm, from the SE of two groups of 10."""
    return power.runs_needed(sd * math.sqrt(2 / 10), 18, 10, difference)


def cohen_d(i):
    n = groups_needed(1.0, i["d"])
    return {"n_exact": n, "n": math.ceil(n), "printed": math.ceil(n)}


def replicates_mde(i):
    sd = math.sqrt(i["sd_replicate"] ** 2 + i["sd_pass"] ** 2 / i["passes"])
    seen = {str(n): {"mde": power.detectable(sd * math.sqrt(2 / n), 2 * n - 2)} for n in i["replicates"]}
    return {"sd_run": sd, "by_replicates": seen}


def replicates_needed(i):
    n = groups_needed(i["sd_run"], i["delta"])
    return {"n_exact": n, "n": math.ceil(n)}


def passes_per_run(i):
    of, prices = Sources(0.0, i["sd_replicate"] ** 2, i["sd_pass"] ** 2), (i["cost_run"], i["cost_pass"])
    return {"optimum_real": best_passes(of, *prices), "optimum_integer": best_whole_passes(of, *prices)}


def clusters_of_atoms(i):
    effect = design_effect(i["m"], i["icc"])
    return {"deff": effect, "effective": i["m"] * i["fixtures"] / effect}


def two_graders(i):
    order = ("L", "P", "C")
    weighted = {w: cohen_kappa(i["a"], i["b"], weights=w, order=order) for w in ("linear", "quadratic")}
    return {"agreement": agreement(i["a"], i["b"]), "unweighted": cohen_kappa(i["a"], i["b"]), **weighted}


def two_by_two(i):
    pairs_ = [(x, y) for x in (0, 1) for y in (0, 1) for _ in range(i["table"][x][y])]
    a, b = zip(*pairs_, strict=True)
    return {"agreement": agreement(a, b), "kappa": cohen_kappa(a, b)}


def alpha(i):
    raters = i.get("passes_values") or [[None if v == "." else v for v in one] for one in i["passes"]]
    order = (1, 2, 3, 4, 5) if "passes_values" in i else ("L", "P", "C")
    levels = {level: krippendorff_alpha(raters, level=level, order=order) for level in ("nominal", "ordinal")}
    printed = {level: None if v is None else math.floor(1000 * v) / 1000 for level, v in levels.items()}
    return levels | {"printed": printed}


def fleiss(i):
    units = [["L"] * lost + ["C"] * carried for lost, carried in i["counts_lost_carried"]]
    return multi_rater(list(zip(*units, strict=True)))._asdict()


def labelled(i):
    of = Labelled(*(i[f"human_{h}_grader_{g}"] for h in ("carried", "lost") for g in ("carried", "lost")))
    found = corrected(i["observed_recall"], i["atoms"], of)
    human = ["C"] * of.carried + ["L"] * of.lost
    grader = ["C"] * of.carried_carried + ["L"] * of.carried_lost + ["C"] * of.lost_carried + ["L"] * of.lost_lost
    return {
        "accuracy": of.accuracy, "sensitivity": of.sensitivity, "specificity": of.specificity,
        "kappa": cohen_kappa(human, grader), "corrected_recall": found.recall, "se": found.se,
        "difference_factor": found.factor,
    }  # fmt: skip


def uncorrected(i):
    recall = rogan_gladen(i["observed_recall"], i["sensitivity"], i["specificity"])
    return {"corrected_recall": recall, "printed_percent": None if recall is None else round(100 * recall, 1)}


def ppi(i):
    of = (i["human"], i["grader_labelled"], i["grader_unlabelled"])
    whole, tuned = prediction_powered(*of, tuned=False), prediction_powered(*of)
    return {
        "human_only": statistics.fmean(i["human"]), "ppi": whole.mean, "ppi_ci": [whole.low, whole.high],
        "grader_only": statistics.fmean([*i["grader_labelled"], *i["grader_unlabelled"]]), "lambda": tuned.lam,
        "ppi_tuned": tuned.mean, "ppi_tuned_ci": [tuned.low, tuned.high],
    }  # fmt: skip


def cost_of_carried(i):
    """One atom a carried one, so that the frames do the sum."""
    most = max(n for _, n in i["runs_cost_carried"]) or 1
    runs = {"f": {"a": ["C" * n + "L" * (most - n) for _, n in i["runs_cost_carried"]]}}
    outputs = outputs_of(runs).assign(usd_api=[cost for cost, _ in i["runs_cost_carried"]])
    (line,) = records(per_carried(outputs, run_recall(graded(runs))))
    return {"ratio_of_totals": line["usd_per_carried"]}


def arms_frontier(i):
    arms = {name: tuple(point) for name, point in i["arms"].items()}
    on = [name for name, keep in zip(arms, frontier(list(arms.values())), strict=True) if keep]
    beaten = {a: [b for b in on if dominates(arms[b], arms[a])] for a in arms if a not in on}
    made = [{"from": s.start, "to": s.end, "cost_per_point": s.cost_per_point} for s in steps(list(arms.values()))]
    return {"frontier": on, "dominated_by": beaten, "hull": hull(list(arms.values())), "incremental": made}


def budgets(i):
    arms = {name: tuple(point) for name, point in i["arms"].items()}
    bought = {f"{b}": at_budget(arms, b) for b in i["budgets"]}
    return {b: {"step": one.recall, "mixture": one.mixture} for b, one in bought.items()}


def listed_dominance(i):
    """Every resample of both arms' two runs, through the function that counts drawn ones."""
    sides = [[np.mean(d, axis=0) for d in itertools.product(i[arm], repeat=2)] for arm in ("a", "b")]
    drawn = np.array(list(itertools.product(*sides)))
    return {"resamples": len(drawn), "p_b_dominates_a": float(dominance(drawn)[1][0, 1])}


def ratio(i):
    return {"ratio": sum(i["cost"]) / sum(i["carried"]), "ci95": fieller(i["cost"], i["carried"])}


def survival(i):
    curve, kept = kaplan_meier(i["last_step"], i["lost"]), retention(i["last_step"], i["lost"])
    by_step = dict(zip(map(str, curve.steps), curve.survival, strict=True))
    return {
        "times": curve.steps, "at_risk": curve.at_risk, "losses": curve.losses, "survival": curve.survival,
        "greenwood_variance": curve.variance, "trials": kept.trials, "losses_total": kept.losses,
        "retention": kept.retention, "half_life_steps": kept.half_life, "retention_one_sided_lower": kept.least,
        "by_step": by_step,
    }  # fmt: skip


def freireich(i):
    by_step = survival(i)["by_step"]
    # 0.8067 was printed 0.807; 0.8571 0.857
    return {"survival": by_step, "printed": {k: round(v, 3) for k, v in by_step.items()}}


def steps_of_atoms(i):
    found = sequences([[v == "C" for v in one] for one in i["atoms"]])
    return found._asdict() | {"return": found.came_back}


def msprt(i):
    found = mixture_test(i["differences"], i["sigma"], i["tau2"] ** 0.5)
    return {"lambda": [one.ratio for one in found], "p": [one.p for one in found]}


def sequence(i):
    return {"half_width": [half_width(n, i["sigma"], i["tau2"] ** 0.5) for n in range(1, i["n"] + 1)]}


def peeking(i):
    z = float(stats.norm.isf(0.025))
    rate = {str(k): crossing(list(range(1, k + 1)), [z] * k) for k in i["looks"]}
    return {"rate": rate, "printed": {k: round(v, 3) for k, v in rate.items()}}


def group_boundaries(i):
    found = {
        shape: {str(k): boundaries(tuple(range(1, k + 1)), 0.05, shape)[-1] for k in i["looks"]}
        for shape in ("pocock", "obrien-fleming")
    }
    both = {str(k): [round(found[shape][str(k)], 3) for shape in found] for k in i["looks"]}
    return {"pocock": found["pocock"], "obrien_fleming": found["obrien-fleming"], "printed": both}


def halving(i):
    found = rounds(i["arms"], i["budget_runs"], eta=i["eta"])
    told = [{"arms": r.arms, "new_replicates_each": r.new_replicates} for r in found]
    return {"rounds": told, "runs_used": sum(r.arms * r.new_replicates for r in found)}


def whole_bench(i):
    table, costs = graded(i["grades"]), i["costs"]
    outputs = outputs_of(i["grades"])
    outputs["usd_api"] = [
        costs[f][a][r - 1] for f, a, r in outputs[["fixture", "arm", "replicate"]].itertuples(index=False)
    ]
    runs = run_recall(table)
    arms, worst_of, per = (
        {r["arm"]: r for r in records(of)} for of in (arm_recall(runs), extremes(runs), per_carried(outputs, runs))
    )
    lines = records(fixture_spread(runs))
    told = {}
    for arm in arms:
        fixtures = {
            r["fixture"]: {k: r[k] for k in ("n", "mean", "worst", "best")}
            | {k: None if r[k] is None else r[k] / 100 for k in ("range", "sd")}
            for r in lines
            if r["arm"] == arm
        }
        groups = [one["recall"].tolist() for _, one in runs[runs["arm"] == arm].groupby("fixture")]
        sd, df = pooled_sd(groups)
        mean = statistics.fmean(statistics.fmean(costs[f][arm]) for f in costs)
        told[arm] = {
            "fixtures": fixtures, "macro_recall": arms[arm]["recall"], "worst_run": worst_of[arm]["worst"],
            "pooled_sd": sd, "pooled_df": df, "runs": arms[arm]["n"], "mean_cost": mean,
            "cost_per_carried": per[arm]["usd_per_carried"],
        }  # fmt: skip
    (grader,) = records(grader_noise(table))
    _, line = records(compare(table, ("base", "local", 1, 0)))
    micro = {r["arm"]: r["recall"] for r in records(atom_mean(runs))}
    differences = {f: d / 100 for f, d in line["fixture_differences"].items()}
    (agreed,) = records(between_passes(table))
    points = {arm: (told[arm]["mean_cost"], told[arm]["macro_recall"]) for arm in told}
    on = frontier(list(points.values()))
    return {
        "arms": told, "sd_pass": grader["pass_sd"] / 100, "df_pass": grader["df"],
        "pairwise_disagreement": agreed["flip_rate"],
        "against_first": {"terse": {
            "fixtures": differences, "atoms": line["common_atoms"], "delta_macro": line["difference"] / 100,
            "delta_micro": micro["terse"] - micro["base"],
            "se_macro": line["se"] / 100, "df": line["df"], "p_t": line["p"],
            "p_signflip": sign_flip.sign_flip(list(differences.values())),
        }},
        "frontier": [arm for arm, keep in zip(points, on, strict=True) if keep],
    }  # fmt: skip


METHODS = {
    "recall.binary": binary,
    "recall.weighted-partial": lambda i: {f"partial_{p:g}": recall_of(i, p)["recall"] for p in (0, 0.5, 1)},
    "recall.missing": missing,
    **dict.fromkeys(("recall.no-atoms", "recall.all-missing", "recall.zero-weight"), recall_of),
    **dict.fromkeys(
        (
            "recall.all-carried",
            "recall.none-carried",
            "recall.newcombe-81-263",
            "recall.newcombe-0-20",
            "recall.interval",
        ),
        share,
    ),
    "recall.weighted-interval": weighted_interval,
    "recall.passes": passes,
    "recall.arm-unbalanced": arm_unbalanced,
    **{
        f"spread.{name}": lambda i: of_runs(i["recalls"])
        for name in ("basic", "one-replicate", "no-replicate", "identical")
    },
    "spread.d2-d3-c4": constants,
    "spread.rescale": rescale,
    "spread.subsample": subsample,
    "spread.two-arms": two_arms,
    "spread.sd-interval": sd_interval,
    "spread.pooled-sd": pooled,
    "spread.range-test": range_test,
    "spread.brown-forsythe": brown_forsythe,
    "spread.at-k": at_k,
    **{
        f"variance.{name}": within_runs
        for name in ("runs-and-passes", "unbalanced-passes", "negative", "one-pass", "dyestuff")
    },
    "variance.grader-noise": noise,
    "variance.flips": flips,
    "variance.fixture-arm": fixture_arm,
    "variance.projection": projection,
    "variance.noise-points": noise_points,
    "variance.brennan-p-r-in-t": brennan,
    **{f"compare.{name}": paired for name in ("paired-clustered", "paired-clustered-weighted", "one-fixture")},
    "compare.replicates-one-fixture": replicates_one_fixture,
    "compare.smallest-p": smallest_p,
    "compare.crossed": crossed_runs,
    "compare.bootstrap-exact": bootstrap_exact,
    "compare.bootstrap-mc": bootstrap_mc,
    "compare.darwin": darwin,
    **{
        f"compare.signflip-{name}": lambda i: {"p": sign_flip.sign_flip(i["differences"])}
        for name in ("zeros", "all-zero")
    },
    **{
        f"compare.mcnemar-{name}": lambda i: {"p_exact": mcnemar(i["only_a"], i["only_b"])}
        for name in ("published", "small", "none")
    },
    "compare.bh-1995": adjusted,
    "compare.adjust-missing": adjusted,
    "compare.equivalence": tost,
    "compare.common-atoms": common_atoms,
    "power.miller-969": questions,
    "power.atoms-needed": questions,
    "power.cohen-0.5": cohen_d,
    "power.replicates-mde": replicates_mde,
    "power.replicates-needed": replicates_needed,
    "power.fixtures-mde": lambda i: {
        "mde": power.detectable(i["sd_fixture_difference"] / math.sqrt(i["fixtures"]), i["fixtures"] - 1)
    },
    "power.passes-per-run": passes_per_run,
    "power.design-effect": clusters_of_atoms,
    "agreement.cohen": two_graders,
    "agreement.cohen-published": two_by_two,
    "agreement.cohen-undefined": two_graders,
    **{f"agreement.krippendorff{name}": alpha for name in ("", "-one-value", "-one-pass", "-2011")},
    "agreement.fleiss": fleiss,
    "agreement.grader-vs-human": labelled,
    "agreement.judge-interval": lambda i: {
        "interval": judge_interval(i["p"], i["n"], (i["sensitivity"], i["m1"]), (i["specificity"], i["m0"]))
    },
    **{f"agreement.rogan-gladen-{name}": uncorrected for name in ("clip", "undefined", "published")},
    "agreement.ppi": ppi,
    "cost.per-carried": cost_of_carried,
    "cost.none-carried": cost_of_carried,
    "cost.frontier": arms_frontier,
    "cost.at-budget": budgets,
    "cost.dominance-probability": listed_dominance,
    "cost.fieller": ratio,
    "cost.fieller-unbounded": ratio,
    **{f"chain.{name}": survival for name in ("survival", "none-lost", "all-lost")},
    "chain.sequences": steps_of_atoms,
    "chain.freireich": freireich,
    "sequential.msprt": msprt,
    "sequential.normal-mixture-sequence": sequence,
    "sequential.peeking": peeking,
    "sequential.group-boundaries": group_boundaries,
    "sequential.successive-halving": halving,
    "report.bench": whole_bench,
}
