import { useMutation, useQueryClient } from "@tanstack/react-query";
import { notifyDone, notifyError } from "../../../../components/feedback/notify.tsx";
import { reloadWallet } from "../../wallet-calls.ts";

/** Runs a change of subscriptions and reloads what depends on it. */
export function useChange(onDone: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (change: () => Promise<unknown>) => change(),
    onSuccess: () => notifyDone(onDone),
    onError: notifyError,
    onSettled: () => reloadWallet(client),
  });
}
