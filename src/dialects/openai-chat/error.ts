import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../json.ts";
import { baseFailure } from "./base-resp.ts";

/** The error object of OpenAI's API. */
export type OpenAiError = { message: string; type: string; param: string; code: string | number | null };

/** An upstream's error as it can be told on; `shaped`: it came in OpenAI's shape, so its own type and code are kept. */
export type ReadError = OpenAiError & { shaped: boolean };

/**
 * Recovers what went wrong from the body of a failed answer, in the order the ecosystem does: error.message, message, msg,
 * err, error_msg, header.message, response.error.message, errors[0].message; else the status. A list of one error object is read too.
 */
export function readError(status: number, body: string): ReadError {
  const parsed = parseJson(body);
  const answer = recordOf(Array.isArray(parsed) ? parsed[0] : parsed);
  const error = recordOf(answer?.error) ?? recordOf(answer && baseFailure(answer));
  const code = error?.code;
  const message =
    textOf(error?.message) ||
    textOf(answer?.message) ||
    textOf(answer?.msg) ||
    textOf(answer?.err) ||
    textOf(answer?.error_msg) ||
    textOf(recordOf(answer?.header)?.message) ||
    textOf(recordOf(recordOf(answer?.response)?.error)?.message) ||
    textOf(recordsOf(answer?.errors)[0]?.message) ||
    textOf(answer?.error) ||
    textOf(answer?.detail) ||
    `bad response status code ${status}`;
  const shaped = textOf(error?.message) !== null;
  return {
    message,
    type: (shaped && textOf(error?.type)) || "upstream_error",
    param: shaped ? (textOf(error?.param) ?? "") : String(status),
    code: typeof code === "string" || typeof code === "number" ? code : shaped ? null : "bad_response_status_code",
    shaped,
  };
}

/** Whether an answer with status 200 is an error object all the same. */
export const isErrorAnswer = (answer: unknown): boolean => {
  const record = recordOf(answer);
  if (record === null) return false;
  if (record.error == null || record.error === "") return !hasChoices(record) && baseFailure(record) !== null;
  return !Array.isArray(record.choices) || Boolean(textOf(recordOf(record.error)?.message));
};

const hasChoices = ({ choices }: JsonObject): boolean => Array.isArray(choices) && choices.length > 0;
