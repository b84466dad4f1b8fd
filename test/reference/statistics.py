"""Reference values of statistics by NumPy and SciPy: python3 test/reference/statistics.py > test/fixtures/statistics/scipy.json

Only definitions of these libraries are used, or the textbook formula written out where they have none:
- percentiles: numpy.percentile(method="inverted_cdf"), which is definition 1 of Hyndman and Fan
- MAD: scipy.stats.median_abs_deviation; sd: numpy.std(ddof=1)
- interval of the median: scipy.stats.quantile_test(p=0.5).confidence_interval(0.95)
- autocorrelation: R's acf written out
- trend: S by definition, its variance by scipy.stats.rankdata's ties, p by scipy.stats.norm
- outliers: scipy.stats.median_abs_deviation(scale="normal")
"""

import json

import numpy
import scipy
from scipy import stats

PERCENTS = [0, 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 100]


def trend(values):
    rising = numpy.sign(values[None, :] - values[:, None])
    s = numpy.triu(rising, 1).sum()
    n = len(values)
    _, ties = numpy.unique(stats.rankdata(values), return_counts=True)
    variance = (n * (n - 1) * (2 * n + 5) - (ties * (ties - 1) * (2 * ties + 5)).sum()) / 18
    z = (s - numpy.sign(s)) / numpy.sqrt(variance)
    return {"s": float(s), "z": float(z), "p": float(2 * stats.norm.sf(abs(z)))}


def autocorrelation(values):
    distance = values - values.mean()
    return float((distance[1:] * distance[:-1]).sum() / (distance**2).sum())


def reference(values):
    interval = stats.quantile_test(values, p=0.5).confidence_interval(0.95)
    scale = stats.median_abs_deviation(values, scale="normal")
    return {
        "n": len(values),
        "mean": float(values.mean()),
        "harmonicMean": float(stats.hmean(values)),
        "sd": float(values.std(ddof=1)),
        "median": float(numpy.median(values)),
        "mad": float(stats.median_abs_deviation(values)),
        "percentiles": {str(p): float(numpy.percentile(values, p, method="inverted_cdf")) for p in PERCENTS},
        "medianInterval": [float(interval.low), float(interval.high)],
        "autocorrelation": autocorrelation(values),
        "trend": trend(values),
        "outliers": int((abs(values - numpy.median(values)) > 3.5 * scale).sum()),
    }


def correlated(random, n, r):
    noise = random.normal(size=n)
    values = [noise[0]]
    for one in noise[1:]:
        values.append(r * values[-1] + numpy.sqrt(1 - r * r) * one)
    return 100 + numpy.array(values)


random = numpy.random.default_rng(7)
# Sizes for which no percentile falls between two ranks by rounding. Few digits, so that the file holds the very numbers that the reference is of.
data = {
    "six": [3.0, 1.0, 4.0, 1.5, 9.0, 2.6],
    "seven": [31.0, 41.0, 59.0, 26.0, 53.0, 58.0, 97.0],
    "skewed": numpy.round(random.lognormal(sigma=0.8, size=701), 4),
    "with ties": numpy.round(random.normal(20, 2, size=200)),
    "normal": numpy.round(random.normal(50, 3, size=997), 3),
    "correlated": numpy.round(correlated(random, 500, 0.7), 4),
    "rising": numpy.round(random.normal(10, 1, size=120) + numpy.arange(120) * 0.01, 3),
    "with outliers": numpy.round(numpy.append(random.normal(5, 0.1, size=290), random.uniform(10, 500, size=10)), 3),
}
cases = {
    name: {"values": [float(value) for value in values], "reference": reference(numpy.array(values, dtype=float))}
    for name, values in data.items()
}
tails = {str(z): float(2 * stats.norm.sf(z)) for z in [0, 0.5, 1, 1.959963984540054, 2.9, 3, 3.1, 5, 10, 30]}
source = f"NumPy {numpy.__version__}, SciPy {scipy.__version__}, test/reference/statistics.py"
print(json.dumps({"source": source, "cases": cases, "twoSidedP": tails}))
