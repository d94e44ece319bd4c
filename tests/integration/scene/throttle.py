"""The CL.THROTTLE sequences of the test suites of throttled, redis-cell, redis and Dragonfly.

A step is the arguments after the key and the reply: limited, limit, remaining, retry_after and
reset_after. The steps of a sequence share one key and follow one another immediately.
"""

# Five units, one returns per second.
THROTTLED = "4 60 60"
AT_ONCE = {
    "throttled": [
        (f"{THROTTLED} 6", [1, 5, 5, -1, 0]),
        (THROTTLED, [0, 5, 4, -1, 1]),
        (THROTTLED, [0, 5, 3, -1, 2]),
        (THROTTLED, [0, 5, 2, -1, 3]),
        (THROTTLED, [0, 5, 1, -1, 4]),
        (THROTTLED, [0, 5, 0, -1, 5]),
        (THROTTLED, [1, 5, 0, 1, 5]),
    ],
    "redis-cell": [("0 1 2", [0, 1, 0, -1, 2]), ("0 1 2", [1, 1, 0, 2, 2])],
    "redis-cell, its first example": [("15 30 60", [0, 16, 15, -1, 2])],
    "redis, one by one": [("5 1 60", [0, 6, 5 - n, -1, 60 + 60 * n]) for n in range(6)]
    + [("5 1 60", [1, 6, 0, 60, 360])],
    "redis, three at once": [("5 1 60 3", [0, 6, 3, -1, 180])],
    "redis, one and four": [("5 1 60", [0, 6, 5, -1, 60]), ("5 1 60 4", [0, 6, 1, -1, 300])],
    "redis, below a millisecond": [("1 10000 1", [0, 2, 1, -1, 1])],
    "Dragonfly": [("4 500000 1 2", [0, 5, 3, -1, 1])],
}

# Steps after AT_ONCE["throttled"] as units return: wait until reset_after is this low.
AS_UNITS_COME_BACK = [
    (2, THROTTLED, [0, 5, 2, -1, 3]),
    (3, THROTTLED, [0, 5, 1, -1, 4]),
    (3, THROTTLED, [0, 5, 1, -1, 4]),
    (0, THROTTLED, [0, 5, 4, -1, 1]),
    (0, THROTTLED, [0, 5, 4, -1, 1]),
    (1, f"{THROTTLED} 0", [0, 5, 4, -1, 1]),
    (1, f"{THROTTLED} 2", [0, 5, 2, -1, 3]),
    (3, f"{THROTTLED} 5", [1, 5, 2, 3, 3]),
    (0, f"{THROTTLED} 6", [1, 5, 5, -1, 0]),
]

# Arguments that are no valid limit.
ERRORS = ["-1 1 60", "1 0 60", "1 1 0", "1 1 -1", "1 1 60 -1", "200000000 1 86400", "1 1", "x 1 1"]
