import i18next from "i18next";
import type { FailureNote } from "../../src/billing/types.ts";
import type { Sentence } from "../../src/lib/messages.ts";

/** Codes in rows of older versions, by what they are called today. */
const RENAMED_CODES: ReadonlyMap<string, string> = new Map([
  ["gateway_key_group_gone", "gateway_key_group_removed"],
  ["gateway_owner_gone", "gateway_owner_removed"],
  ["gateway_picture_unavailable", "gateway_image_unavailable"],
  ["gateway_response_whole", "gateway_response_not_streamed"],
  ["gateway_whole_number", "gateway_integer"],
  ["gateway_whole_number_range", "gateway_integer_range"],
  ["gateway_whole_number_to", "gateway_integer_to"],
]);

type Note = Readonly<{ error?: string; error_reason?: FailureNote["error_reason"] | null }>;

/**
 * Why a call or an attempt failed: translated if the message is the gateway's own; an upstream's message and messages
 * of other releases stay unchanged. Empty: it did not fail.
 */
export function failureText({ error, error_reason: reason }: Note): string {
  return reason && i18next.exists(currentCode(reason.code), { ns: "failures" }) ? sentenceText(reason) : (error ?? "");
}

const currentCode = (code: string): string => RENAMED_CODES.get(code) ?? code;

const sentenceText = ({ code, params = {} }: Sentence): string =>
  i18next.t(currentCode(code), {
    ns: "failures",
    ...Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, typeof value === "object" ? sentenceText(value) : value]),
    ),
  });
