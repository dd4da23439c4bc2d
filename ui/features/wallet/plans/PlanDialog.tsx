import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Plan } from "../../../../src/domain/wallet/plans/plan-account.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { groupNames } from "../../../api/channels/channel-lists.ts";
import { optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { savePlan } from "./plan-calls.ts";

const PERIODS = ["day", "week", "month", "year"] as const;
const WINDOWS = ["5h", "day", "week", "month", "period"] as const;

type PlanForm = {
  name: string;
  description: string;
  /** Quota units, as text while being edited. */
  price: string;
  windowQuota: string;
  windowCalls: string;
  period: Plan["period"];
  periodCount: string;
  window: Plan["window"];
  userGroup: string;
  trialDays: string;
  /** Empty: any number of members. */
  seats: string;
  seatPrice: string;
  /** Patterns, one a line. */
  models: string;
  requestsPerMinute: string;
  tokensPerMinute: string;
  allowsOverage: boolean;
  isVisible: boolean;
};

const formOf = (plan: Plan | null): PlanForm => ({
  name: plan?.name ?? "",
  description: plan?.description ?? "",
  price: plan ? String(plan.price) : "",
  windowQuota: plan ? String(plan.windowQuota) : "",
  windowCalls: String(plan?.windowCalls ?? 0),
  period: plan?.period ?? "month",
  periodCount: String(plan?.periodCount ?? 1),
  window: plan?.window ?? "month",
  userGroup: plan?.userGroup ?? "",
  trialDays: String(plan?.trialDays ?? 0),
  seats: plan?.seats ? String(plan.seats) : "",
  seatPrice: String(plan?.seatPrice ?? 0),
  models: plan?.models.join("\n") ?? "",
  requestsPerMinute: String(plan?.requestsPerMinute ?? 0),
  tokensPerMinute: String(plan?.tokensPerMinute ?? 0),
  allowsOverage: plan?.allowsOverage ?? true,
  isVisible: plan?.isVisible ?? true,
});

const isInteger = (text: string) => /^\d{1,13}$/.test(text.trim());

const check = (form: PlanForm) => {
  const integer = (text: string, least = 0) =>
    isInteger(text) && Number(text) >= least ? undefined : ("notInteger" as const);
  const hasSeats = form.seats.trim() !== "";
  return {
    name: form.name.trim() === "" ? "nameMissing" : undefined,
    price: integer(form.price),
    windowQuota: integer(form.windowQuota),
    windowCalls: integer(form.windowCalls),
    periodCount: integer(form.periodCount, 1),
    trialDays: integer(form.trialDays),
    seats: hasSeats && integer(form.seats, 1) ? "seatsInvalid" : undefined,
    seatPrice: hasSeats ? integer(form.seatPrice) : undefined,
    requestsPerMinute: integer(form.requestsPerMinute),
    tokensPerMinute: integer(form.tokensPerMinute),
  };
};

const bodyOf = (form: PlanForm) => ({
  ...form,
  price: Number(form.price),
  windowQuota: Number(form.windowQuota),
  windowCalls: Number(form.windowCalls),
  periodCount: Number(form.periodCount),
  trialDays: Number(form.trialDays),
  seats: form.seats.trim() === "" ? null : Number(form.seats),
  seatPrice: form.seats.trim() === "" ? 0 : Number(form.seatPrice),
  models: form.models.split("\n").filter((pattern) => pattern.trim() !== ""),
  requestsPerMinute: Number(form.requestsPerMinute),
  tokensPerMinute: Number(form.tokensPerMinute),
});

const PRICE_PICKS = [0, 5, 10, 20];
const QUOTA_PICKS = [1, 5, 20, 100];

/** Creates a plan, or changes one. */
export const PlanDialog = ({ plan, onClose }: { plan: Plan | null; onClose: () => void }) => {
  const { t } = useTranslation();
  const groups = useQuery(groupNames).data ?? [];
  return (
    <ResourceForm<PlanForm>
      hasDraft
      as="dialog"
      title={plan ? t("plans.form.edit", { name: plan.name }) : t("plans.form.add")}
      action={t("plans.form.save")}
      isNew={plan === null}
      resource={plan && { section: "plans", id: plan.id }}
      text={(name) => `plans.form.${name}`}
      initial={formOf(plan)}
      check={check}
      fault={(fault) => t(`plans.form.${fault}`)}
      rejectedField={() => "name"}
      // A plan includes what it costs, until another amount is typed.
      follow={({ price }, form) =>
        plan === null && price !== undefined && form.windowQuota === form.price ? { windowQuota: price } : {}
      }
      save={async (form) => {
        await savePlan({ ...bodyOf(form), ...(plan && { id: plan.id }) });
        return t("plans.form.done");
      }}
      reload={[{ queryKey: WALLET_KEY }]}
      sections={({ userGroup, seats }) => [
        {
          fields: [
            { kind: "text", field: "name", autoFocus: true, maxCharacters: 60 },
            { kind: "text", field: "description", rows: 2, maxCharacters: 500 },
            { kind: "quota", field: "price", hint: true, picks: PRICE_PICKS },
            [
              { kind: "integer", field: "periodCount" },
              { kind: "select", field: "period", options: optionsOf(PERIODS, (name) => t(`plans.periods.${name}`)) },
            ],
            { kind: "quota", field: "windowQuota", picks: QUOTA_PICKS },
            { kind: "integer", field: "windowCalls", hint: true, width: 140 },
            {
              kind: "select",
              field: "window",
              hint: true,
              options: optionsOf(WINDOWS, (name) => t(`plans.windows.${name}`)),
            },
            { kind: "text", field: "models", hint: true, rows: 2, isCode: true },
            {
              kind: "select",
              field: "userGroup",
              label: t("plans.form.group"),
              hint: t("plans.form.groupHint"),
              options: optionsOf([...new Set(["", userGroup, ...groups])], (name) => name || t("plans.form.ownGroup")),
            },
            { kind: "integer", field: "trialDays", hint: t("plans.form.trialHint"), width: 96 },
            { kind: "integer", field: "seats", hint: true, width: 96 },
            seats.trim() !== "" && { kind: "quota", field: "seatPrice", hint: true, picks: PRICE_PICKS },
            [
              { kind: "integer", field: "requestsPerMinute", hint: t("plans.form.rateHint") },
              { kind: "integer", field: "tokensPerMinute" },
            ],
            {
              kind: "switch",
              field: "allowsOverage",
              label: t("plans.form.overage"),
              hint: t("plans.form.overageHint"),
            },
            { kind: "switch", field: "isVisible", label: t("plans.form.visible"), hint: t("plans.form.visibleHint") },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
