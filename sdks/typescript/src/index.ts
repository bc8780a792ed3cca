// The client of a Stoa host.
export { createStoa } from "./client.js";
export type { Stoa, StoaOptions } from "./client.js";
export type { RetryOptions } from "./retry.js";
export { StoaProblem, UnexpectedResponse } from "./problem.js";
export type { ProblemCode, ProblemDetails, ProblemItem } from "./problem.js";
export { isSigned, verifyWebhook, WebhookRejected } from "./webhook.js";
export type { WebhookEvent, WebhookHeaders, WebhookOptions } from "./webhook.js";
export type { components, operations, paths, webhooks } from "./contract.js";
