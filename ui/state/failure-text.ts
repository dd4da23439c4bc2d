import i18next from "i18next";
import type { FailureNote } from "../../src/billing/types.ts";
import type { Sentence } from "../../src/lib/messages.ts";

type Note = Readonly<{ error?: string; error_reason?: FailureNote["error_reason"] | null }>;

/**
 * Why a call or an attempt failed: translated if the message is the gateway's own; an upstream's message and messages
 * of other releases stay unchanged. Empty: it did not fail.
 */
export function failureText({ error, error_reason: reason }: Note): string {
  return reason && i18next.exists(reason.code, { ns: "failures" }) ? sentenceText(reason) : (error ?? "");
}

const sentenceText = ({ code, params = {} }: Sentence): string =>
  i18next.t(code, {
    ns: "failures",
    ...Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, typeof value === "object" ? sentenceText(value) : value]),
    ),
  });
