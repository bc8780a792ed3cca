"""Rules that a schema cannot state, so that Schemathesis draws no request that is rightly rejected.

The host judges an idempotency key of version 7 by its own time, so a drawn one is old. With an order, a cursor
is the id of a record, which a drawn one is not; and an order cannot be combined with a search or with `updatedSince`.
"""

import re

import schemathesis

VERSION_7 = re.compile(r"^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-)7([0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12})$")

SORT = re.compile(r"^-?(updatedAt|number|code)$")
NOT_WITH_SORT = ("cursor", "text", "number", "updatedSince")


@schemathesis.hook
def map_query(context, query):
    """Removes only what is valid by itself: a request that is drawn to be rejected stays one."""
    if isinstance(query, dict):
        if SORT.match(str(query.get("sort"))) and any(name in query for name in NOT_WITH_SORT):
            del query["sort"]
    return query


@schemathesis.hook
def map_headers(context, headers):
    for name, value in dict(headers or {}).items():
        if name.lower() == "idempotency-key" and isinstance(value, str):
            headers[name] = VERSION_7.sub(r"\g<1>4\g<2>", value)
    return headers
