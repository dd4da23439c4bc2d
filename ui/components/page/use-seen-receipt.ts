import { useSetAtom } from "jotai";
import { useEffect } from "react";
import { SWITCH_FORMAT, storedAtom } from "../../state/stored-atom.ts";

/** Whether a receipt is still to be opened on this device; set by setup, cleared by opening one. */
export const receiptUnseenAtom = storedAtom("first-receipt-unseen", SWITCH_FORMAT);

/** Notes that a receipt is on the screen. */
export function useSeenReceipt(isReceipt: boolean): void {
  const setUnseen = useSetAtom(receiptUnseenAtom);
  useEffect(() => {
    if (isReceipt) setUnseen(false);
  }, [isReceipt, setUnseen]);
}
