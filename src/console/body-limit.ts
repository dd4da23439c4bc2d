import { Elysia, ParseError } from "elysia";
import { bytesUpTo, toldLength } from "../lib/limited-body.ts";
import { OperationError } from "../lib/operation-error.ts";
import { isConsolePath } from "./envelope.ts";

const MEGABYTE = 1_048_576;

/**
 * Refuses bodies under /api that are larger than `maxBytes` with 413 and the envelope: by the length that they tell, before
 * anything is read, else as soon as they are too long.
 */
export function bodyLimit(maxBytes: number) {
  const tooLarge = () =>
    new OperationError("request_too_large", { megabytes: Math.floor(maxBytes / MEGABYTE) }, { status: 413 });
  return new Elysia({ name: "console/body-limit" })
    .onRequest(({ request }) => {
      if ((toldLength(request) ?? 0) > maxBytes && isConsolePath(new URL(request.url).pathname)) throw tooLarge();
    })
    .onParse({ as: "global" }, async ({ request, contentType }) => {
      if (toldLength(request) !== null) return;
      const bytes = await bytesUpTo(request, maxBytes);
      if (!bytes) throw tooLarge();
      const text = Buffer.from(bytes).toString("utf8");
      if (text === "" || contentType !== "application/json") return text;
      try {
        return JSON.parse(text);
      } catch (error) {
        throw new ParseError(error as Error);
      }
    });
}
