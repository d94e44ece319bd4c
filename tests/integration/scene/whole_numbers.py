"""A hook of schemathesis: writes whole numbers without a fraction.

JSON Schema takes 3.0 for an integer; the server requires 3, and no schema can express that.
"""

import schemathesis


def whole(value):
    if isinstance(value, dict):
        return {name: whole(each) for name, each in value.items()}
    if isinstance(value, list):
        return [whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@schemathesis.hook
def map_body(_context, body):
    return whole(body)
