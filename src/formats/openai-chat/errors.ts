import type { ReplyError } from "../conversation/reply.ts";
import { type ErrorExtra, extraOf } from "../conversation/service-error.ts";
import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../json.ts";

/** HTTP statuses of MiniMax's error codes. */
const STATUSES: Readonly<Record<number, number>> = {
  1002: 429,
  1004: 401,
  1008: 402,
  1026: 400,
  1027: 400,
  1039: 429,
  2013: 400,
  2049: 401,
  2056: 429,
};

/** A failure that MiniMax reports with status 200; `status` is missing if the code is unknown. */
type BaseFailure = Readonly<{ message: string; code: string; status?: number }>;

/** The failure in a MiniMax response of any kind; null if it succeeded. */
export function baseFailure(answer: JsonObject): BaseFailure | null {
  const baseResp = recordOf(answer.base_resp);
  const code = numberOf(baseResp?.status_code);
  if (code === null || code === 0) return null;
  const status = STATUSES[code];
  const message = textOf(baseResp?.status_msg) ?? "The call failed.";
  return {
    message,
    code: String(code),
    ...(status !== undefined && { status }),
  };
}

/** The error object of OpenAI's API. */
export type OpenAiError = { message: string; type: string; param: string; code: string | number | null };

/**
 * An upstream error to report. `shaped`: it has OpenAI's shape, so its type and code are retained. `status`: what it
 * means, if that differs from the HTTP status of the response.
 */
export type ReadError = OpenAiError & {
  shaped: boolean;
  status?: number;
  /** The service's code next to the message, where the error has another shape than OpenAI's. */
  serviceCode?: string | number;
  extra?: ErrorExtra;
  /** Seconds, as in a `Retry-After` header. */
  retryAfter?: string;
};

const STANDARD_MEMBERS: ReadonlySet<string> = new Set(["message", "type", "param", "code"]);

/**
 * Extracts the error from the body of a failed response, in the order that other gateways use: error.message, message,
 * msg, err, error_msg, header.message, response.error.message, errors[0].message; else a short plain-text body, else
 * the status. Reads a list of one error object, too, and a body that is the error object itself.
 */
export function readError(status: number, body: string): ReadError {
  const parsed = parseJson(body);
  const answer = recordOf(Array.isArray(parsed) ? parsed[0] : parsed);
  const error =
    answer && (recordOf(answer.error) ?? (answer.object === "error" ? answer : recordOf(baseFailure(answer))));
  // ElevenLabs's form; older errors have their code as `status`.
  const detail = recordOf(answer?.detail);
  const code = error?.code ?? detail?.code ?? detail?.status;
  const message =
    (error && providerMessage(error)) ||
    textOf(answer?.message) ||
    textOf(answer?.msg) ||
    textOf(answer?.err) ||
    textOf(answer?.error_msg) ||
    textOf(recordOf(answer?.header)?.message) ||
    textOf(recordOf(recordOf(answer?.response)?.error)?.message) ||
    textOf(recordsOf(answer?.errors)[0]?.message) ||
    textOf(answer?.error) ||
    textOf(answer?.detail) ||
    textOf(detail?.message) ||
    fieldProblems(answer?.detail) ||
    plainText(parsed === undefined ? body : parsed) ||
    `bad response status code ${status}`;
  const shaped = textOf(error?.message) !== null;
  return {
    message,
    type: (shaped && textOf(error?.type)) || "upstream_error",
    param: shaped ? (textOf(error?.param) ?? "") : String(status),
    code: typeof code === "string" || typeof code === "number" ? code : shaped ? null : "bad_response_status_code",
    shaped,
    ...(!shaped && hasCode(answer) && { serviceCode: answer.code }),
    ...(shaped && error && extraOf("openai-chat", error, STANDARD_MEMBERS)),
  };
}

const hasCode = (answer: JsonObject | null): answer is JsonObject & { code: string | number } =>
  typeof answer?.code === "string" || typeof answer?.code === "number";

/** OpenRouter's own message is generic; its metadata holds the message of the provider that rejected the request. */
function providerMessage(error: JsonObject): string | null {
  const message = textOf(error.message);
  const raw = textOf(recordOf(error.metadata)?.raw);
  return message && raw && !message.includes(raw) ? `${message}: ${raw}` : message;
}

/** Validation errors of servers made with FastAPI (Mistral, vLLM, Xinference, Jina), one per field. */
const fieldProblems = (detail: unknown): string =>
  recordsOf(detail)
    .flatMap(({ loc, msg }) => {
      const place = Array.isArray(loc) ? loc.filter((name) => name !== "body").join(".") : "";
      const problem = textOf(msg);
      return problem ? [place ? `${place}: ${problem}` : problem] : [];
    })
    .join("; ");

/** A short body that is neither JSON nor HTML. */
function plainText(body: unknown): string {
  const text = textOf(body)?.trim() ?? "";
  return text.length <= MAX_WORD_LENGTH && !/^[<{[]/.test(text) ? text : "";
}

const MAX_WORD_LENGTH = 500;

/** Whether a response with status 200 is an error object. */
export const isErrorAnswer = (answer: unknown): boolean => {
  const record = recordOf(answer);
  if (record === null) return false;
  if (record.error == null || record.error === "") return !hasChoices(record) && baseFailure(record) !== null;
  return !Array.isArray(record.choices) || Boolean(textOf(recordOf(record.error)?.message));
};

const hasChoices = ({ choices }: JsonObject): boolean => Array.isArray(choices) && choices.length > 0;

/**
 * The error in a parsed response, or in a chunk of a stream that began with status 200; null if there is none. Lists of
 * one error object count too (Gemini's OpenAI-compatible endpoint).
 */
export function errorOf(status: number, body: unknown): ReplyError | null {
  const answer = recordOf(Array.isArray(body) ? body[0] : body);
  if (!answer || (status < 400 && !hasError(answer))) return null;
  const { message, type, code, param, status: meant, extra } = readError(status, JSON.stringify(answer));
  return {
    status: meant ?? (status < 400 ? innerStatus(answer) : status),
    type,
    code: code === null ? null : String(code),
    message,
    param: param || null,
    ...(extra && { extra }),
  };
}

/** Chunks may have both an error and choices, and Mistral's error objects have no `error` member. */
const hasError = (answer: JsonObject): boolean =>
  (answer.error != null && answer.error !== "") || answer.object === "error" || isErrorAnswer(answer);

/** The HTTP status that the error body contains, if any. */
function innerStatus(answer: JsonObject): number {
  const base = baseFailure(answer);
  if (base) return base.status ?? 502;
  const error = recordOf(answer.error) ?? answer;
  const code = Number(error.status ?? error.code);
  if (Number.isInteger(code) && code >= 400 && code <= 599) return code;
  const kind = `${textOf(error.type) ?? ""} ${textOf(error.code) ?? ""}`;
  if (/rate_limit/.test(kind)) return 429;
  if (/overloaded/.test(kind)) return 503;
  return /invalid_request/.test(kind) ? 400 : 502;
}

const UNKNOWN_ENDPOINT_STATUSES: ReadonlySet<number> = new Set([404, 405, 501]);

const OBJECT =
  "model|deployment|response|item|conversation|prompt|container|vector.?store|assistant|tool|interaction|agent|environment|entity";
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
