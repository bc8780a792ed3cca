// A rejection of the host as an error of the caller.
import type { components } from "./contract.js";

export type ProblemDetails = components["schemas"]["ProblemDetails"];
export type ProblemItem = components["schemas"]["ProblemItem"];
/** The known codes, and those that a later version of the host adds. */
export type ProblemCode = ProblemDetails["code"] | (string & {});

/** The host rejected the request. Nothing was changed. */
export class StoaProblem extends Error {
  override readonly name = "StoaProblem";
  readonly details: ProblemDetails;
  /** Decide by this. */
  readonly code: ProblemCode;
  readonly status: number;
  /** The faults: where they are and of which kind. */
  readonly errors: ProblemItem[];
  /** Include it when you ask for help. */
  readonly requestId: string;
  /** Seconds to wait before the next attempt, if the host states them. */
  readonly retryAfter: number | undefined;

  constructor(details: ProblemDetails, retryAfter?: number) {
    const places = details.errors.map((item) => ` ${item.code} at "${item.pointer}"`);
    super([`${details.code}: ${details.detail}`, ...places].join("\n"));
    this.details = details;
    this.code = details.code;
    this.status = details.status;
    this.errors = details.errors;
    this.requestId = details.requestId;
    this.retryAfter = retryAfter;
  }
}

/** A response that is no problem of the host, for example a proxy's. The request may have had an effect. */
export class UnexpectedResponse extends Error {
  override readonly name = "UnexpectedResponse";
  readonly status: number;
  /** The first 1,000 characters of the body. */
  readonly text: string;

  constructor(status: number, text: string) {
    super(`a response with status ${status} that is no problem of the host`);
    this.status = status;
    this.text = text.slice(0, 1000);
  }
}

/** The error that a response with another status than 2xx stands for. */
export async function toError(response: Response): Promise<StoaProblem | UnexpectedResponse> {
  const text = await response.text();
  const problem = parse(text);
  if (!isProblem(problem)) return new UnexpectedResponse(response.status, text);
  const wait = response.headers.get("Retry-After");
  return new StoaProblem(problem, wait !== null && /^\d+$/.test(wait) ? Number(wait) : undefined);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isProblem(value: unknown): value is ProblemDetails {
  if (typeof value !== "object" || value === null) return false;
  const problem = value as Partial<Record<keyof ProblemDetails, unknown>>;
  const hasTexts = [problem.code, problem.detail, problem.requestId].every((member) => typeof member === "string");
  return hasTexts && typeof problem.status === "number" && Array.isArray(problem.errors);
}
