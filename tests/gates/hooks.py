"""Rules that a schema cannot state, and the reasons of rejections.

The host judges an idempotency key of version 7 by its own time, so a drawn one is old. In a valid request the
coverage phase states `0` for an optional key, whatever its pattern: that is a fault of Schemathesis. With an order, a cursor
is the id of a record, which a drawn one is not; and an order cannot be combined with a search or with `updatedSince`.
"""

import json
import re
import uuid

import schemathesis

KEY = re.compile(r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[47][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$")

SORT = re.compile(r"^-?(updatedAt|number|code)$")
NOT_WITH_SORT = ("cursor", "text", "number", "updatedSince")

# A valid request may be answered so: that depends on records.
BY_RECORDS = (401, 403, 404, 409, 412, 429)


def is_valid(case):
    return case.meta is not None and case.meta.generation.mode.is_positive


@schemathesis.hook
def before_call(context, case, kwargs):
    """Changes only what is valid by itself: a request that is drawn to be rejected stays one."""
    query = case.query
    if query and SORT.match(str(query.get("sort"))) and any(name in query for name in NOT_WITH_SORT):
        del query["sort"]
    for name, value in dict(case.headers or {}).items():
        if name.lower() == "idempotency-key" and (is_valid(case) or (isinstance(value, str) and KEY.match(value))):
            case.headers[name] = str(uuid.uuid4())


@schemathesis.check
def list_rejections(context, response, case):
    """Writes down why valid requests are rejected: Schemathesis tells one rejection of an operation, without its reason."""
    status = response.status_code
    if is_valid(case) and 400 <= status < 500 and status not in BY_RECORDS:
        with open("rejections.jsonl", "a", encoding="utf-8") as rejections:
            key = response.request.headers.get("Idempotency-Key")
            rejection = {"operation": case.operation.label, "key": repr(key), "problem": response.json()}
            print(json.dumps(rejection), file=rejections)
