import { Elysia } from "elysia";
import { declaredLength } from "../../lib/http/limited-body.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { isConsolePath } from "./envelope.ts";

const MEGABYTE = 1_048_576;

/** Rejects requests under /api whose Content-Length exceeds `maxBytes` with 413, before reading the body. */
export function bodyLimit(maxBytes: number) {
  return new Elysia({ name: "console/body-limit" }).onRequest(({ request }) => {
    if ((declaredLength(request) ?? 0) <= maxBytes || !isConsolePath(new URL(request.url).pathname)) return;
    throw new OperationError("request_too_large", { megabytes: Math.floor(maxBytes / MEGABYTE) }, { status: 413 });
  });
}
