import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { ChangePreview } from "../../../../../src/domain/wallet/plans/changes/change-subscription.ts";
import { amountText, useMoneyFormat } from "../../../../components/display/Money.tsx";
import { notifyDone, notifyError } from "../../../../components/feedback/notify.tsx";
import { moneyText } from "../../../../lib/format/money.ts";
import { formatDate } from "../../../../lib/format/time.ts";
import { reloadWallet } from "../../wallet-calls.ts";
import { type Change, changePlan, changePreview } from "../plan-calls.ts";

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

/**
 * A change of a plan or its seats: what it costs and when it begins, in words, and to confirm it. Leaves for the page of a service where
 * one is to be paid or approved. `change` null: nothing is asked for yet.
 */
export function useConfirmedChange(id: number, change: Change | null, onClose: () => void) {
  const { t, i18n } = useTranslation();
  const format = useMoneyFormat();
  const client = useQueryClient();
  const preview = useQuery({ ...changePreview(id, change ?? { seats: 0 }), enabled: change !== null });
  const shown = change === null ? undefined : preview.data;
  const confirm = useMutation({
    mutationFn: (confirmed: ChangePreview) => changePlan(id, change ?? { seats: 0 }, confirmed),
    onSuccess: ({ url }) => {
      if (url !== null) return window.location.assign(url);
      notifyDone(t("plans.saved"));
      onClose();
    },
    onSettled: () => reloadWallet(client),
  });
  const money = (units: number, text: string, currency: string) =>
    shown?.pays === "balance" ? amountText(units, format) : moneyText(text, currency, i18n.language);
  const texts = shown && {
    due: money(shown.due_units, shown.due, shown.currency),
    price: money(shown.price_units, shown.price, shown.currency),
    date: formatDate(shown.period_end * 1000, i18n.language, { dateStyle: "medium" }),
  };
  return { preview, shown, texts, confirm, submit: () => shown && confirm.mutate(shown) };
}
