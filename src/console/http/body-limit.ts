import { Elysia } from "elysia";
import { declaredLength } from "../../lib/http/limited-body.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { isConsolePath } from "./envelope.ts";

const MEGABYTE = 1_048_576;

/** Refuses bodies under /api that say to be longer than `maxBytes`, with 413 and the envelope, before anything of them is read. */
export function bodyLimit(maxBytes: number) {
  return new Elysia({ name: "console/body-limit" }).onRequest(({ request }) => {
    if ((declaredLength(request) ?? 0) <= maxBytes || !isConsolePath(new URL(request.url).pathname)) return;
    throw new OperationError("request_too_large", { megabytes: Math.floor(maxBytes / MEGABYTE) }, { status: 413 });
  });
}
