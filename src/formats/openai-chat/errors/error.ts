import { type ErrorExtra, extraOf } from "../../helpers/error-extra.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../json.ts";
import { baseFailure } from "./base-resp.ts";

/** The error object of OpenAI's API. */
export type OpenAiError = { message: string; type: string; param: string; code: string | number | null };

/**
 * An upstream error to report. `shaped`: it has OpenAI's shape, so its type and code are retained. `status`: what it
 * means, if that differs from the HTTP status of the response.
 */
export type ReadError = OpenAiError & {
  shaped: boolean;
  status?: number;
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
  const code = error?.code;
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
    fieldProblems(answer?.detail) ||
    plainText(parsed === undefined ? body : parsed) ||
    `bad response status code ${status}`;
  const shaped = textOf(error?.message) !== null;
  if (status === 400 && BAD_KEY.test(message)) {
    return { message, type: "authentication_error", param: "", code: "invalid_api_key", shaped, status: 401 };
  }
  return {
    message,
    type: (shaped && textOf(error?.type)) || "upstream_error",
    param: shaped ? (textOf(error?.param) ?? "") : String(status),
    code: typeof code === "string" || typeof code === "number" ? code : shaped ? null : "bad_response_status_code",
    shaped,
    ...(shaped && error && extraOf("openai-chat", error, STANDARD_MEMBERS)),
  };
}

/** xAI reports an invalid key as an invalid argument. */
const BAD_KEY = /^incorrect api key provided/i;

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
