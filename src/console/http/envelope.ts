import { Elysia } from "elysia";
import { isOutOfService } from "../../../db/server/explain-server-failure.ts";
import type { LogDelivery } from "../../domain/logs/delivery/deliver-logs.ts";
import { isDeeperThan, MOST_DEPTH } from "../../formats/json.ts";
import { requestIdOf } from "../../lib/http/request.ts";
import { type Language, languageOf, type MessageCode, type MessageParams, say } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { Logger } from "../../lib/runtime/log.ts";

/** The shape of every response under /api; some routes add fields next to `data`. */
export type Envelope<T> = { success: true; message: string; data: T };
type Refusal = { success: false; message: string; code: MessageCode };

/** A success response; the console shows a non-empty `message` as a toast. */
export const ok = <T>(data: T, message = ""): Envelope<T> => ({ success: true, message, data });

/** A success response whose data is already JSON text. */
export const okText = (json: string): Response =>
  new Response(`{"success":true,"message":"","data":${json}}`, {
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });

/** A success response without data, with a message in the caller's language. */
export const done = (request: Request, code: MessageCode, params?: MessageParams): Envelope<null> =>
  ok(null, say(code, languageOf(request), params));

/** An error response in the caller's language. */
const fail = (request: Request, code: MessageCode, params?: MessageParams): Refusal => ({
  success: false,
  message: say(code, languageOf(request), params),
  code,
});

/** Paths whose responses use the envelope. */
export const isConsolePath = (path: string): boolean => path === "/api" || path.startsWith("/api/");

/**
 * Responds to every failure under /api with the envelope: operation errors (200 unless they set a status), input that is
 * invalid or can't be stored (400), unknown paths (404), an unreachable database (503) and unexpected errors (500, logged
 * with the request id). Nothing under /api may be cached.
 */
export function envelope({
  log,
  logDelivery = null,
}: Readonly<{ log: Logger; logDelivery?: Pick<LogDelivery, "status"> | null }>) {
  const unknownRoute = ({ request, path }: { request: Request; path: string }) => {
    throw new OperationError("unknown_route", { method: request.method, path }, { status: 404 });
  };
  const app = new Elysia({ name: "console/envelope" })
    .onRequest(({ request, set }) => {
      if (isConsolePath(new URL(request.url).pathname)) set.headers["cache-control"] = "no-store";
    })
    .onTransform({ as: "global" }, ({ body, path }) => {
      if (isConsolePath(path) && isDeeperThan(body, MOST_DEPTH)) {
        throw new OperationError("body_too_deep", { most: MOST_DEPTH }, { status: 400 });
      }
    })
    .onError({ as: "global" }, ({ code, error, request, path, set }) => {
      if (!isConsolePath(path)) return;
      set.headers["cache-control"] = "no-store";
      if (error instanceof OperationError) {
        set.status = error.status;
        if (error.retryAfterSeconds !== undefined) set.headers["retry-after"] = String(error.retryAfterSeconds);
        return fail(request, error.code, error.params);
      }
      if (code === "NOT_FOUND") {
        set.status = 404;
        return fail(request, "unknown_route", { method: request.method, path });
      }
      if (code === "PARSE") {
        set.status = 400;
        return fail(request, "malformed_body");
      }
      if (code === "VALIDATION" || code === "INVALID_COOKIE_SIGNATURE") {
        set.status = 400;
        const detail = describeInvalidInput(error as InvalidInput, languageOf(request));
        return fail(request, "invalid_request", { detail });
      }
      if (failsWith(error, isUnstorable)) {
        set.status = 400;
        return fail(request, "text_unstorable");
      }
      if (isDatabaseAway(error)) {
        log.warn({ requestId: requestIdOf(request), path, error }, "the database does not answer");
        set.status = 503;
        return fail(request, logDelivery?.status().isAway ? "log_database_unavailable" : "database_unavailable");
      }
      log.error({ requestId: requestIdOf(request), method: request.method, path, error }, "console call failed");
      set.status = 500;
      return fail(request, "internal_error", { requestId: requestIdOf(request) });
    });
  // One handler per method, because another plugin's GET wildcard (the console's pages) would take precedence over `all`.
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    app.route(method, "/api", unknownRoute, { detail: { hide: true } });
    app.route(method, "/api/*", unknownRoute, { detail: { hide: true } });
  }
  return app;
}

/** Whether an error or one of its causes has such a code from the database or its driver. */
function failsWith(error: unknown, fits: (code: string) => boolean): boolean {
  for (let cause: unknown = error, depth = 0; cause && depth < 4; depth += 1) {
    const { code, cause: next } = cause as { code?: unknown; cause?: unknown };
    if (typeof code === "string" && fits(code)) return true;
    cause = next;
  }
  return false;
}

/** Whether an error says that the database does not answer. */
export const isDatabaseAway = (error: unknown): boolean => failsWith(error, isOutOfService);

/** Text with U+0000, which Postgres rejects in text and JSON values. */
const isUnstorable = (code: string): boolean => code === "22021" || code === "22P05";

/** A validation error of the framework. */
type InvalidInput = { all?: readonly { path?: string; value?: unknown; schema?: Schema }[] };

export type Schema = {
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
};

/** Describes in the caller's language which field is invalid and what it must be; never repeats the value. */
function describeInvalidInput(error: InvalidInput, language: Language): string {
  const first = error.all?.[0];
  const field = first?.path?.replace(/^\//, "").replaceAll("/", ".") ?? "";
  const [code, params] = expectation(first?.value, first?.schema ?? {});
  return say(code, language, { field: field || say("a_parameter", language), ...params });
}

/** What a value that does not fit the schema should be, as a message with its parameters. */
export function expectation(value: unknown, schema: Schema): [MessageCode, MessageParams?] {
  if (value === undefined) return ["field_required"];
  const kinds = kindsOf(schema);
  if (kinds.size > 0 && [...kinds].every((kind) => kind.startsWith("="))) {
    return ["field_choice", { choices: [...kinds].map((kind) => kind.slice(1)).join(", ") }];
  }
  const { minimum, maximum } = schema;
  if (kinds.has("integer") || kinds.has("number")) {
    if (minimum === undefined && maximum === undefined) {
      return [kinds.has("integer") ? "field_integer" : "field_number"];
    }
    const range = { min: minimum ?? "-∞", max: maximum ?? "∞" };
    return [kinds.has("integer") ? "field_integer_range" : "field_number_range", range];
  }
  // Checked before text, because the framework also accepts lists and numbers written as text.
  if (kinds.has("array")) {
    if (!Array.isArray(value)) return ["field_list"];
    if (value.length === 0) return ["field_list_empty"];
    return schema.maxItems !== undefined ? ["field_list_length", { max: schema.maxItems }] : ["field_list"];
  }
  if (kinds.has("string")) {
    const isLength = typeof value === "string" && (schema.maxLength !== undefined || schema.minLength !== undefined);
    if (isLength) return ["field_length", { min: schema.minLength ?? 0, max: schema.maxLength ?? "∞" }];
    // Text that does not fit a pattern.
    return [typeof value === "string" ? "field_malformed" : "field_text"];
  }
  if (kinds.has("boolean")) return ["field_bool"];
  return kinds.has("object") ? ["field_object"] : ["field_malformed"];
}

/** The types a schema accepts; constants as `=value`. */
function kindsOf(schema: Schema): ReadonlySet<string> {
  if (schema.anyOf) return new Set(schema.anyOf.flatMap((choice) => [...kindsOf(choice)]));
  if (schema.enum) return new Set(schema.enum.map((choice) => `=${choice}`));
  if (schema.const !== undefined) return new Set([`=${schema.const}`]);
  return new Set(schema.type && schema.type !== "null" ? [schema.type] : []);
}
