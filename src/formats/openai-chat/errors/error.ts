import { type ErrorExtra, extraOf } from "../../helpers/error-extra.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../json.ts";
import { baseFailure } from "./base-resp.ts";

/** The error object of OpenAI's API. */
export type OpenAiError = { message: string; type: string; param: string; code: string | number | null };

/**
 * An upstream's error as it can be told on; `shaped`: it came in OpenAI's shape, so its own type and code are kept; `status`:
 * what it means, where that is not the status that it came with.
 */
export type ReadError = OpenAiError & {
  shaped: boolean;
  status?: number;
  extra?: ErrorExtra;
  /** Seconds, as a `Retry-After` header has them. */
  retryAfter?: string;
};

const READ: ReadonlySet<string> = new Set(["message", "type", "param", "code"]);

/**
 * Recovers what went wrong from the body of a failed answer, in the order the ecosystem does: error.message, message, msg,
 * err, error_msg, header.message, response.error.message, errors[0].message; else what a server without JSON says, else the
 * status. A list of one error object is read too, and an answer that is the error object itself.
 */
export function readError(status: number, body: string): ReadError {
  const parsed = parseJson(body);
  const answer = recordOf(Array.isArray(parsed) ? parsed[0] : parsed);
  const error =
    answer && (recordOf(answer.error) ?? (answer.object === "error" ? answer : recordOf(baseFailure(answer))));
  const code = error?.code;
  const message =
    (error && ownMessage(error)) ||
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
    ...(shaped && error && extraOf("openai-chat", error, READ)),
  };
}

/** xAI takes a wrong key for a wrong argument. */
const BAD_KEY = /^incorrect api key provided/i;

/** OpenRouter says in general words that its provider refused, and beside them what that said. */
function ownMessage(error: JsonObject): string | null {
  const message = textOf(error.message);
  const raw = textOf(recordOf(error.metadata)?.raw);
  return message && raw && !message.includes(raw) ? `${message}: ${raw}` : message;
}

/** What servers made with FastAPI (Mistral, vLLM, Xinference, Jina) say of each field that they refuse. */
const fieldProblems = (detail: unknown): string =>
  recordsOf(detail)
    .flatMap(({ loc, msg }) => {
      const place = Array.isArray(loc) ? loc.filter((name) => name !== "body").join(".") : "";
      const problem = textOf(msg);
      return problem ? [place ? `${place}: ${problem}` : problem] : [];
    })
    .join("; ");

/** A short text that is neither JSON nor a page. */
function plainText(body: unknown): string {
  const text = textOf(body)?.trim() ?? "";
  return text.length <= LONGEST_WORDS && !/^[<{[]/.test(text) ? text : "";
}

const LONGEST_WORDS = 500;

/** Whether an answer with status 200 is an error object all the same. */
export const isErrorAnswer = (answer: unknown): boolean => {
  const record = recordOf(answer);
  if (record === null) return false;
  if (record.error == null || record.error === "") return !hasChoices(record) && baseFailure(record) !== null;
  return !Array.isArray(record.choices) || Boolean(textOf(recordOf(record.error)?.message));
};

const hasChoices = ({ choices }: JsonObject): boolean => Array.isArray(choices) && choices.length > 0;
