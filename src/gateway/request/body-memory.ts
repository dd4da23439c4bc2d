import { ByteBudget } from "../../lib/limits/byte-budget.ts";
import { memoryLimitBytes } from "../../lib/runtime/host/memory-limit.ts";
import type { Config } from "../../server/config.ts";
import type { ClientBody } from "../call/endpoint.ts";
import { GatewayError } from "../call/errors.ts";
import type { CallTools } from "../call/services.ts";

/** What knows how much memory bodies take. */
export type BodyMemory = Pick<CallTools, "bodies" | "ownerOfBody">;

/** Bodies up to this size are not counted: most are, and they take little. */
export const FREE_BYTES = 32_768;

/** What a body takes of memory: as the client's text, which its parsed form shares, and as what is sent upstream. */
const COPIES = 2;

/** Whether a body's text is not all ASCII: then it takes two bytes a character. */
export const isWide = ({ text, size }: Pick<ClientBody, "text" | "size">): boolean => text.length < size;

const RETRY_AFTER_S = 2;

/** What a process needs besides bodies. */
const BASE_BYTES = 268_435_456;

/** The memory for bodies of this process: as configured, or half of its part of what this host's processes may use. */
export function createBodyBudget(
  { bodyMemoryBytes, workers }: Pick<Config, "bodyMemoryBytes" | "workers">,
  limitBytes = memoryLimitBytes(),
): ByteBudget {
  const totalBytes = bodyMemoryBytes ?? Math.max(0, limitBytes / (workers ?? 1) - BASE_BYTES) / 2;
  return new ByteBudget(totalBytes, totalBytes / 2);
}

/**
 * Takes memory for so many more bytes of a request's body, until the request has ended. Throws GatewayError 503 if that of all
 * requests, or the share of one user, is taken.
 */
export function takeMemory({ bodies, ownerOfBody }: BodyMemory, request: Request, bytes: number): void {
  if (bodies.take(request, ownerOfBody(request), bytes * COPIES)) return;
  const seconds = RETRY_AFTER_S;
  throw new GatewayError(
    503,
    "server_overloaded",
    { code: "gateway_bodies_full", params: { seconds } },
    { type: "server_error", retryAfterSeconds: seconds, limit: "body_memory", isBodyUnread: true },
  );
}
