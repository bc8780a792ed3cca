// Hosts that a test scripts: each attempt takes the next outcome. `waits` has the times that `send` would wait.

export const problem = (status, code, headers = {}) => () =>
  Response.json(
    { type: "about:blank", title: "", status, code, detail: "A sentence.", requestId: crypto.randomUUID(), errors: [] },
    { status, headers: { "Content-Type": "application/problem+json", ...headers } },
  );

export const lost = () => {
  throw new TypeError("fetch failed");
};

/** A response whose connection ends within the body. */
export const cut = () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"id":'));
      controller.error(new TypeError("terminated"));
    },
  });
  return new Response(body, { status: 201, headers: { "Content-Type": "application/json" } });
};

export function script(...outcomes) {
  const [requests, waits] = [[], []];
  return {
    requests,
    waits,
    random: () => 0.5,
    sleep: async (milliseconds, signal) => {
      signal.throwIfAborted();
      waits.push(milliseconds);
    },
    fetch: async (request, { signal }) => {
      requests.push({
        method: request.method,
        url: request.url,
        key: request.headers.get("Idempotency-Key"),
        token: request.headers.get("Authorization"),
        body: await request.text(),
      });
      return outcomes[Math.min(requests.length, outcomes.length) - 1](signal);
    },
  };
}
