import { queryOptions, useQuery } from "@tanstack/react-query";
import { useAtom, useAtomValue } from "jotai";
import { useEffect } from "react";
import type { FirstSteps } from "../../../../src/domain/system/first-steps.ts";
import { readData } from "../../../api/client.ts";
import { firstStepsApi } from "../../../api/groups.ts";
import { receiptUnseenAtom } from "../../../components/page/use-seen-receipt.ts";
import { useSession } from "../../../state/session.ts";
import { SWITCH_FORMAT, storedAtom } from "../../../state/stored-atom.ts";
import { isSuperAdmin } from "../../../state/stored-user.ts";

export const STEPS = ["channel", "test", "prices", "key", "call", "receipt"] as const;
export type Step = (typeof STEPS)[number];

export const FIRST_STEPS_KEY = ["first-steps"] as const;

export const firstSteps = queryOptions({
  queryKey: FIRST_STEPS_KEY,
  queryFn: ({ signal }) => readData(firstStepsApi.get({ fetch: { signal } })),
});

/** Whether the list was dismissed, or finished, on this device. */
export const dismissedAtom = storedAtom("first-steps-dismissed", SWITCH_FORMAT);

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

/** Whether there were first steps to do when this device last looked: the menu shows them at once, not a moment later. */
const lastKnownAtom = storedAtom("first-steps-open", SWITCH_FORMAT);

/** Whether the super admin still has first steps to do; until known, as this device last knew. */
export function useHasFirstSteps(): boolean {
  const { user } = useSession();
  const isDismissed = useAtomValue(dismissedAtom);
  const isReceiptUnseen = useAtomValue(receiptUnseenAtom);
  const [lastKnown, setLastKnown] = useAtom(lastKnownAtom);
  const isConcerned = isSuperAdmin(user) && !isDismissed;
  const { data } = useQuery({ ...firstSteps, enabled: isConcerned, staleTime: 30_000 });
  const isOpen = data && doneSteps(data, isReceiptUnseen).size < STEPS.length;
  useEffect(() => {
    if (isOpen !== undefined) setLastKnown(isOpen);
  }, [isOpen, setLastKnown]);
  return isConcerned && (isOpen ?? lastKnown);
}
