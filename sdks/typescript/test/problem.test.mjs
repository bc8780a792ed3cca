import assert from "node:assert/strict";
import test from "node:test";

import { StoaProblem, UnexpectedResponse } from "../dist/index.js";
import { toError } from "../dist/problem.js";

const details = {
  type: "about:blank",
  title: "Bad Request",
  status: 400,
  code: "VALIDATION_FAILED",
  detail: "The request breaks a rule.",
  requestId: "01994d2f-5a00-7c3e-9b1d-2f6a8e4c7d03",
  errors: [{ pointer: "/variants/0/sku", code: "RANGE", expected: { maxLength: 64 } }],
};

test("a problem has the host's members", async () => {
  const error = await toError(Response.json(details, { status: 400 }));
  assert.ok(error instanceof StoaProblem && error instanceof Error);
  assert.deepEqual(
    [error.name, error.code, error.status, error.requestId, error.errors, error.retryAfter],
    ["StoaProblem", details.code, 400, details.requestId, details.errors, undefined],
  );
  assert.equal(error.message, 'VALIDATION_FAILED: The request breaks a rule.\n RANGE at "/variants/0/sku"');
});

test("a response that is no problem keeps its status and the beginning of its text", async () => {
  for (const text of ["<h1>Bad Gateway</h1>", '{"message": "no"}', "null", `"${"x".repeat(2000)}"`, ""]) {
    const error = await toError(new Response(text, { status: 502 }));
    assert.ok(error instanceof UnexpectedResponse, text);
    assert.deepEqual([error.status, error.text], [502, text.slice(0, 1000)]);
  }
});
