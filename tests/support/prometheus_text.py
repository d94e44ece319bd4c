"""A strict parser for the text format of Prometheus: any scraper accepts what it accepts."""

import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r"[a-zA-Z_][a-zA-Z0-9_]*"
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\S+)")
ONE_LABEL = re.compile(rf'({LABEL})="((?:[^"\\\n]|\\[\\n"])*)"(,|$)')
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf|NaN)")
KINDS = ("counter", "gauge", "histogram")


class Metric:
    """A metric: its kind, and its samples by suffix and labels."""

    def __init__(self, kind):
        self.kind = kind
        self.samples = {}  # (suffix, ((label, value), ...)) to a number


def require(holds, why):
    if not holds:
        raise ValueError(why)


def read_labels(text):
    """Returns the labels between braces, as sorted pairs."""
    labels = {}
    at = 0
    while at < len(text):
        found = ONE_LABEL.match(text, at)
        require(found, f"labels {text!r} at {at}")
        name, value, end = found.groups()
        require(name not in labels, f"label {name} twice: {text!r}")
        require(end != "," or found.end() < len(text), f"comma at the end: {text!r}")
        labels[name] = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], value)
        at = found.end()
    return tuple(sorted(labels.items()))


def read_metrics(text):
    """Returns metrics by name. Raises ValueError if the text violates the format."""
    require(text.endswith("\n"), "the last line has no end")
    metrics = {}
    name = None  # name of the current metric
    helped = None
    for line in text.split("\n")[:-1]:
        if line.startswith("# HELP "):
            helped, _, words = line[len("# HELP "):].partition(" ")
            require(re.fullmatch(NAME, helped), line)
            require(words and helped not in metrics, f"no words, or told twice: {line!r}")
            require(not re.search(r"\\(?![\\n])", words), f"escape: {line!r}")
        elif line.startswith("# TYPE "):
            name, _, kind = line[len("# TYPE "):].partition(" ")
            require(name == helped, f"no HELP before it: {line!r}")
            require(kind in KINDS and name not in metrics, f"no kind, or told twice: {line!r}")
            metrics[name] = Metric(kind)
        else:
            read_sample(line, name, metrics)
    for name, metric in metrics.items():
        require(metric.samples, f"{name} has no samples")
        require((metric.kind == "counter") == name.endswith("_total"),
                f"{name} is no name of a {metric.kind}")
        if metric.kind == "histogram":
            check_histogram(name, metric)
    return metrics


def read_sample(line, name, metrics):
    found = SAMPLE.fullmatch(line)
    require(found, f"no sample: {line!r}")
    full, labels, number = found.groups()
    require(name and full.startswith(name), f"not of the metric {name}: {line!r}")
    suffix = full[len(name):]
    metric = metrics[name]
    allowed = ("_bucket", "_sum", "_count") if metric.kind == "histogram" else ("",)
    require(suffix in allowed, f"{name} is no {full}")
    require(NUMBER.fullmatch(number), f"no number: {line!r}")
    require(metric.kind == "gauge" or not number.startswith("-"), f"negative: {line!r}")
    key = (suffix, read_labels(labels or ""))
    require(labels != "", f"braces without labels: {line!r}")
    require(key not in metric.samples, f"twice: {line!r}")
    metric.samples[key] = float(number)


def check_histogram(name, metric):
    """Buckets are cumulative, the last is +Inf and equals the count, and each series has a sum."""
    series = {}
    for (suffix, labels), value in metric.samples.items():
        bound = dict(labels).get("le")
        require((suffix == "_bucket") == (bound is not None), f"{name}: le of {suffix} {labels}")
        rest = tuple(pair for pair in labels if pair[0] != "le")
        series.setdefault(rest, {"_bucket": []})
        if suffix == "_bucket":
            series[rest]["_bucket"].append((float(bound.replace("+Inf", "inf")), value))
        else:
            series[rest][suffix] = value
    for labels, found in series.items():
        require({"_sum", "_count"} <= found.keys(), f"{name}{labels}: no _sum or _count")
        bounds = [bound for bound, _ in found["_bucket"]]
        counts = [count for _, count in found["_bucket"]]
        require(bounds == sorted(set(bounds)) and bounds, f"{name}{labels}: bounds {bounds}")
        require(bounds[-1] == float("inf"), f"{name}{labels}: the last bound is {bounds[-1]}")
        require(counts == sorted(counts), f"{name}{labels}: {counts} go down")
        require(counts[-1] == found["_count"], f"{name}{labels}: _count differs from +Inf")
        require((found["_count"] == 0) <= (found["_sum"] == 0), f"{name}{labels}: a sum of nothing")
