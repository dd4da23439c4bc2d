import { queryOptions, useQuery } from "@tanstack/react-query";
import { useAtomValue, useSetAtom } from "jotai";
import { useEffect } from "react";
import type { FirstSteps } from "../../../src/domain/diagnostics/first-steps.ts";
import { readData } from "../../api/client.ts";
import { firstStepsApi } from "../../api/groups.ts";
import { useSession } from "../../state/session.ts";
import { SWITCH_FORMAT, storedAtom } from "../../state/stored-atom.ts";
import { isSuperAdmin } from "../../state/stored-user.ts";

export const STEPS = ["channel", "test", "prices", "key", "call", "receipt"] as const;
export type Step = (typeof STEPS)[number];

export const FIRST_STEPS_KEY = ["first-steps"] as const;

export const firstSteps = queryOptions({
  queryKey: FIRST_STEPS_KEY,
  queryFn: ({ signal }) => readData(firstStepsApi.get({ fetch: { signal } })),
});

/** Whether the list was dismissed, or finished, on this device. */
export const dismissedAtom = storedAtom("first-steps-dismissed", SWITCH_FORMAT);

/** Whether a receipt is still to be opened on this device; set by setup, cleared by opening one. */
export const receiptUnseenAtom = storedAtom("first-receipt-unseen", SWITCH_FORMAT);

/** Notes that a receipt is on the screen. */
export function useSeenReceipt(isReceipt: boolean): void {
  const setUnseen = useSetAtom(receiptUnseenAtom);
  useEffect(() => {
    if (isReceipt) setUnseen(false);
  }, [isReceipt, setUnseen]);
}

/** The steps that are done. */
export function doneSteps(steps: FirstSteps, isReceiptUnseen: boolean): ReadonlySet<Step> {
  const done: Readonly<Record<Step, boolean>> = {
    channel: steps.channel !== null,
    test: steps.is_tested,
    prices: steps.models > 0 && steps.unpriced.length === 0,
    key: steps.has_key,
    call: steps.request_id !== null,
    receipt: steps.request_id !== null && !isReceiptUnseen,
  };
  return new Set(STEPS.filter((step) => done[step]));
}

/** Whether the super admin still has first steps to do; false until known. */
export function useHasFirstSteps(): boolean {
  const { user } = useSession();
  const isDismissed = useAtomValue(dismissedAtom);
  const isReceiptUnseen = useAtomValue(receiptUnseenAtom);
  const { data } = useQuery({ ...firstSteps, enabled: isSuperAdmin(user) && !isDismissed, staleTime: 30_000 });
  return !isDismissed && data !== undefined && doneSteps(data, isReceiptUnseen).size < STEPS.length;
}
