import type { MessageCode, MessageParams } from "../../lib/messages.ts";

/** How something stands; `skip`: it could not be looked at, or there is nothing of the kind. */
export type State = "ok" | "warn" | "fail" | "skip";

type MessageRef = readonly [code: MessageCode, params?: MessageParams];

/** One thing that a check found, and what to do about it. */
export type Finding = Readonly<{ state: State; found: MessageRef; fix?: MessageRef }>;

/** A check that found nothing wrong. */
export const fine = (code: MessageCode, params?: MessageParams): Finding => ({ state: "ok", found: [code, params] });

/** A check that does not apply here, and why. */
export const skipped = (code: MessageCode, params?: MessageParams): Finding => ({
  state: "skip",
  found: [code, params],
});

/** Something that is wrong, with the fix: both named by message. */
export const trouble = (state: "warn" | "fail", found: MessageRef, fix: MessageRef): Finding => ({ state, found, fix });
