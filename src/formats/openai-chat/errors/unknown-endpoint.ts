import type { ReadError } from "./error.ts";

const UNKNOWN_ENDPOINT_STATUSES: ReadonlySet<number> = new Set([404, 405, 501]);

const OBJECT = "model|deployment|response|item|conversation|prompt|container|vector.?store|assistant|tool";
const ABSENCE =
  "not.?found|not exist|doesn.t exist|unknown|no such|missing|not available|unavailable|not supported|no access";

/** `model_not_found`, `DeploymentNotFound`, `previous_response_not_found`. */
const OBJECT_CODE = new RegExp(`(${OBJECT}).*(${ABSENCE})`, "i");
/** "The model `x` does not exist", "Item with id 'rs_1' not found", but not "POST /v1/responses not found". */
const OBJECT_THEN_ABSENCE = new RegExp(`(?<![/\\w])(${OBJECT})\\b.{0,300}(${ABSENCE})`, "is");
/** "No such model: x", "Not found: response resp_1". */
const ABSENCE_THEN_OBJECT = new RegExp(`(${ABSENCE})\\W{0,4}(the |a )?(${OBJECT})\\b`, "i");
/** Anthropic and compatible servers only name the object: "model: x". */
const OBJECT_ALONE = new RegExp(`^(${OBJECT})(_id)?: `, "i");

/**
 * Whether an error means that the server lacks the endpoint, rather than a model, response or item. Servers agree only
 * on the statuses 404, 405 and 501: their codes are `unknown_url`, `not_found`, `404`, empty or absent.
 */
export function isUnknownEndpoint(status: number, { code, message }: ReadError): boolean {
  if (!UNKNOWN_ENDPOINT_STATUSES.has(status)) return false;
  return (
    !OBJECT_CODE.test(String(code ?? "")) &&
    !OBJECT_THEN_ABSENCE.test(message) &&
    !ABSENCE_THEN_OBJECT.test(message) &&
    !OBJECT_ALONE.test(message)
  );
}
