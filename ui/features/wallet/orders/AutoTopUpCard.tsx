import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { AutoTopUpView } from "../../../../src/domain/wallet/orders/automatic/auto-top-up.ts";
import { useActing } from "../../../api/accounts/use-organization.ts";
import { replaceData } from "../../../api/replace-data.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Panel, Row } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { formatDate } from "../../../lib/format/time.ts";
import {
  AutoTopUpDialog,
  autoTopUp,
  confirmCard,
  removeCard,
  resumeAutoTopUp,
  saveAutoTopUp,
  startCardSetup,
} from "./AutoTopUpDialog.tsx";

const TONES = { on: "ok", paused: "bad", off: "idle" } as const;

/** Automatic top-up with a saved card; renders nothing on a site that charges no cards. */
export const AutoTopUpCard = () => {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(autoTopUp);
  useReturnFromStripe();
  if (data && !data.is_available && !data.card) return null;
  const state = data?.is_on ? (data.paused_at > 0 ? "paused" : "on") : "off";
  return (
    <Panel
      title={t("wallet.autoTopUp.title")}
      action={data && <StatusChip tone={TONES[state]}>{t(`wallet.autoTopUp.states.${state}`)}</StatusChip>}
      sx={{ mt: 4 }}
    >
      {data ? (
        <Content view={data} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton variant="rounded" height={96} />
      )}
    </Panel>
  );
};

/** Looks the card up when the person returns from the page of Stripe: the webhook may come later. */
function useReturnFromStripe() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { text, set } = useAddress();
  const isBack = text("card") === "saved";
  const { mutate } = useMutation({
    mutationFn: confirmCard,
    onSuccess: async (view) => {
      await replaceData(client, autoTopUp.queryKey, view);
      if (view.card) notifyDone(t("wallet.autoTopUp.cardSaved"));
    },
    onError: notifyError,
  });
  useEffect(() => {
    if (!isBack) return;
    set({ card: undefined });
    mutate();
  }, [isBack, set, mutate]);
}

/** Runs a change and reloads the state. */
function useChange() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ run }: Readonly<{ run: () => Promise<unknown>; done: string }>) => run(),
    onSuccess: (_, { done }) => notifyDone(done),
    onError: notifyError,
    onSettled: () => client.invalidateQueries(autoTopUp),
  });
}

const Content = ({ view }: { view: AutoTopUpView }) => {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const { may } = useActing();
  const change = useChange();
  const [isEditing, setEditing] = useState(false);
  const turnOff = async () => {
    const isSure = await confirm({
      title: t("wallet.autoTopUp.offTitle"),
      body: t("wallet.autoTopUp.offBody"),
      action: t("wallet.autoTopUp.turnOff"),
    });
    const { threshold, amount, monthly_limit } = view;
    const run = () => saveAutoTopUp({ is_on: false, threshold, amount, monthly_limit });
    if (isSure) change.mutate({ run, done: t("wallet.autoTopUp.isOff") });
  };
  return (
    <>
      <CardRow view={view} />
      {view.is_on && <Rule view={view} />}
      {view.is_on && view.paused_at > 0 && <Pause view={view} />}
      {may("wallet.topUp") && view.card && (
        <Row gap={2} wrap sx={{ mt: 3, rowGap: 2 }}>
          {view.is_on && view.paused_at > 0 && (
            <Button
              variant="contained"
              color="primary"
              loading={change.isPending}
              onClick={() => change.mutate({ run: resumeAutoTopUp, done: t("wallet.autoTopUp.resumed") })}
            >
              {t("wallet.autoTopUp.resume")}
            </Button>
          )}
          <Button disabled={!view.is_available} onClick={() => setEditing(true)}>
            {t(view.is_on ? "wallet.autoTopUp.change" : "wallet.autoTopUp.setUp")}
          </Button>
          {view.is_on && <Button onClick={() => void turnOff()}>{t("wallet.autoTopUp.turnOff")}</Button>}
        </Row>
      )}
      {isEditing && <AutoTopUpDialog view={view} onClose={() => setEditing(false)} />}
    </>
  );
};

/** The card on file, and what can be done with it. */
const CardRow = ({ view }: { view: AutoTopUpView }) => {
  const { t } = useTranslation();
  const confirm = useConfirm();
  const { may } = useActing();
  const change = useChange();
  const setUp = useMutation({
    mutationFn: startCardSetup,
    onSuccess: ({ url }) => window.location.assign(url),
    onError: notifyError,
  });
  const { card } = view;
  const name = card && t("wallet.autoTopUp.card", { brand: brandOf(card.brand), digits: card.last_four });
  const remove = async () => {
    const isSure = await confirm({
      title: t("wallet.autoTopUp.removeTitle", { card: name }),
      body: t("wallet.autoTopUp.removeBody"),
      action: t("wallet.autoTopUp.remove"),
      isDangerous: true,
    });
    if (isSure) change.mutate({ run: removeCard, done: t("wallet.autoTopUp.removed") });
  };
  return (
    <Row gap={3} wrap sx={{ rowGap: 2 }}>
      <Box sx={{ flex: "1 1 240px", fontSize: 13 }}>
        {card ? (
          <>
            <Box sx={{ fontWeight: 550 }}>{name}</Box>
            <Box sx={{ color: hasExpired(card) ? "tone.bad.text" : "text.secondary" }}>
              {t(hasExpired(card) ? "wallet.autoTopUp.expired" : "wallet.autoTopUp.expires", {
                date: `${String(card.expiry_month).padStart(2, "0")}/${card.expiry_year}`,
              })}
            </Box>
          </>
        ) : (
          <Box sx={{ color: "text.secondary" }}>{t("wallet.autoTopUp.empty")}</Box>
        )}
      </Box>
      {may("wallet.topUp") && (
        <Row gap={2} wrap>
          <Button
            disabled={!view.is_available}
            loading={setUp.isPending || setUp.isSuccess}
            onClick={() => setUp.mutate()}
          >
            {t(card ? "wallet.autoTopUp.replace" : "wallet.autoTopUp.saveCard")}
          </Button>
          {card && (
            <Button color="error" loading={change.isPending} onClick={() => void remove()}>
              {t("wallet.autoTopUp.remove")}
            </Button>
          )}
        </Row>
      )}
    </Row>
  );
};

const brandOf = (brand: string): string => brand.charAt(0).toUpperCase() + brand.slice(1);

/** A card is valid until the end of its month. */
const hasExpired = ({ expiry_month, expiry_year }: NonNullable<AutoTopUpView["card"]>): boolean =>
  Date.now() >= Date.UTC(expiry_year, expiry_month, 1);

/** When how much is bought, and how much of the month's limit is used. */
const Rule = ({ view }: { view: AutoTopUpView }) => {
  const { t, i18n } = useTranslation();
  const format = useMoneyFormat();
  const text = (quota: number) => amountText(quota, format);
  const isUsedUp = view.bought + view.amount > view.monthly_limit;
  return (
    <Box sx={{ mt: 3, fontSize: 13 }}>
      <Box>{t("wallet.autoTopUp.rule", { threshold: text(view.threshold), amount: text(view.amount) })}</Box>
      <Box sx={{ color: "text.secondary" }}>
        {t("wallet.autoTopUp.bought", { bought: text(view.bought), limit: text(view.monthly_limit) })}
      </Box>
      {isUsedUp && (
        <Alert severity="warning" sx={{ mt: 2 }}>
          {t("wallet.autoTopUp.limitReached", {
            date: formatDate(view.month_ends_at * 1000, i18n.language, { dateStyle: "medium" }),
          })}
        </Alert>
      )}
    </Box>
  );
};

const REASONS = [
  ...["authentication_required", "card_declined", "card_expired", "card_unusable", "charge_refused"],
  "amount_not_allowed",
] as const;

/** Since when and why it is paused, what to do, and when the card is charged again. */
const Pause = ({ view }: { view: AutoTopUpView }) => {
  const { t, i18n } = useTranslation();
  const reason = REASONS.find((known) => known === view.pause_reason) ?? "charge_refused";
  return (
    <Alert severity="error" role="alert" sx={{ mt: 3 }}>
      <Row gap={1} wrap sx={{ fontWeight: 550 }}>
        {t("wallet.autoTopUp.pausedSince")} <TimeAgo seconds={view.paused_at} />
      </Row>
      <Box>{t(`wallet.autoTopUp.reasons.${reason}`)}</Box>
      {view.next_try_at > 0 && (
        <Box>
          {t("wallet.autoTopUp.nextTry", {
            date: formatDate(view.next_try_at * 1000, i18n.language, { dateStyle: "medium", timeStyle: "short" }),
          })}
        </Box>
      )}
    </Alert>
  );
};
