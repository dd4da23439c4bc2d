import type { Guardrail } from "../../../domain/models/guardrails/compile.ts";
import type { Verdict } from "../../../domain/models/guardrails/inspect.ts";
import type { Placeholders } from "../../../domain/models/guardrails/placeholders.ts";
import type { Conversation } from "../../../formats/conversation/conversation.ts";
import type { MaskedValues } from "./masked-values.ts";

/** What guardrails hold for the answer of a call, and what was masked in its request. */
export type CallGuard = Readonly<{
  answer: readonly Guardrail[];
  /** What stands for values of the request, and what would for those that the answer may not show. */
  placeholders: Placeholders;
  /** What is masked in the conversation so far, for those who store it; null: nothing is to be hidden. */
  masked(): MaskedValues | null;
  /** The conversation with the values that are masked in it, for the gateway's own store; null: it is no chat. */
  unmasked: (() => Conversation) | null;
  /** Texts of the request are masked: what its client sent is shown nowhere else. */
  hidesContent: boolean;
  /** Identifies the guardrails: answers that others let pass are not this call's. */
  fingerprint: string;
  /** A guardrail has chosen the model: no other may take over. */
  isRouted: boolean;
}>;

/** What guardrails reported of a call so far. */
export type GuardLog = {
  readonly verdicts: Verdict[];
  /** The most characters of a stream that were held back at a time. */
  heldCharacters: number;
  /** How long they kept the call and its complete answer waiting, services too. */
  delayMs: number;
  /** The call is in the log. */
  isWritten: boolean;
  /** Texts of the request are to be masked: nothing shows them before they are. */
  hidesContent: boolean;
};

/** A log in which nothing stands. */
export const emptyGuardLog = (): GuardLog => ({
  ...{ verdicts: [], heldCharacters: 0, delayMs: 0 },
  ...{ isWritten: false, hidesContent: false },
});
