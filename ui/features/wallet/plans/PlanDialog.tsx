import OutlinedInput from "@mui/material/OutlinedInput";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Plan } from "../../../../src/domain/wallet/plans/plan-account.ts";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { groupNames } from "../../../api/channels/channel-lists.ts";
import { FormDialog } from "../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { QuotaInput } from "../../../components/inputs/QuotaInput.tsx";
import { SwitchRow } from "../../../components/inputs/SwitchRow.tsx";
import { Col, Field, Row } from "../../../components/layout.tsx";
import { Choice } from "./Choice.tsx";
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

/** Creates a plan, or changes one. */
export const PlanDialog = ({ plan, onClose }: { plan: Plan | null; onClose: () => void }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const groups = useQuery(groupNames).data ?? [];
  const { form, change, faults, problem, isSaving, submit } = useCheckedForm<PlanForm>({
    initial: formOf(plan),
    check: ({ name, price, windowQuota, periodCount, trialDays, seats, seatPrice, ...rates }) => ({
      name: name.trim() === "" ? "nameMissing" : undefined,
      price: isInteger(price) ? undefined : "notInteger",
      windowQuota: isInteger(windowQuota) ? undefined : "notInteger",
      windowCalls: isInteger(rates.windowCalls) ? undefined : "notInteger",
      periodCount: isInteger(periodCount) && Number(periodCount) > 0 ? undefined : "notInteger",
      trialDays: isInteger(trialDays) ? undefined : "notInteger",
      seats: seats.trim() === "" || (isInteger(seats) && Number(seats) > 0) ? undefined : "seatsInvalid",
      seatPrice: seats.trim() === "" || isInteger(seatPrice) ? undefined : "notInteger",
      requestsPerMinute: isInteger(rates.requestsPerMinute) ? undefined : "notInteger",
      tokensPerMinute: isInteger(rates.tokensPerMinute) ? undefined : "notInteger",
    }),
    rejection: "inline",
    send: async ({ price, windowQuota, periodCount, trialDays, seats, seatPrice, ...values }) => {
      await savePlan({
        ...values,
        ...(plan && { id: plan.id }),
        price: Number(price),
        windowQuota: Number(windowQuota),
        windowCalls: Number(values.windowCalls),
        periodCount: Number(periodCount),
        trialDays: Number(trialDays),
        seats: seats.trim() === "" ? null : Number(seats),
        seatPrice: seats.trim() === "" ? 0 : Number(seatPrice),
        models: values.models.split("\n").filter((pattern) => pattern.trim() !== ""),
        requestsPerMinute: Number(values.requestsPerMinute),
        tokensPerMinute: Number(values.tokensPerMinute),
      });
      await client.invalidateQueries({ queryKey: WALLET_KEY });
      notifyDone(t("plans.form.done"));
      onClose();
    },
  });
  const fault = (field: keyof PlanForm) => faults[field] && t(`plans.form.${faults[field]}`);
  return (
    <FormDialog
      title={plan ? t("plans.form.edit", { name: plan.name }) : t("plans.form.add")}
      action={t("plans.form.save")}
      isBusy={isSaving}
      onClose={onClose}
      onSubmit={submit}
    >
      <Col gap={4}>
        <Field label={t("plans.form.name")} htmlFor="plan-name" error={fault("name") ?? problem}>
          <OutlinedInput
            id="plan-name"
            fullWidth
            autoFocus
            value={form.name}
            onChange={(event) => change({ name: event.target.value })}
            error={faults.name !== undefined}
            inputProps={{ maxLength: 60, autoComplete: "off" }}
          />
        </Field>
        <Field label={t("plans.form.description")} htmlFor="plan-description">
          <OutlinedInput
            id="plan-description"
            fullWidth
            multiline
            minRows={2}
            value={form.description}
            onChange={(event) => change({ description: event.target.value })}
            inputProps={{ maxLength: 500 }}
          />
        </Field>
        <Field
          label={t("plans.form.price")}
          htmlFor="plan-price"
          hint={t("plans.form.priceHint")}
          error={fault("price")}
        >
          <QuotaInput
            id="plan-price"
            value={form.price}
            onChange={(price) => change({ price })}
            hasError={faults.price !== undefined}
            picks={[0, 5, 10, 20]}
          />
        </Field>
        <Row gap={3} sx={{ alignItems: "flex-start" }}>
          <Field label={t("plans.form.periodCount")} htmlFor="plan-count" error={fault("periodCount")}>
            <OutlinedInput
              id="plan-count"
              value={form.periodCount}
              onChange={(event) => change({ periodCount: event.target.value })}
              error={faults.periodCount !== undefined}
              inputProps={{ inputMode: "numeric", className: "num" }}
              sx={{ width: 96 }}
            />
          </Field>
          <Choice
            id="plan-period"
            label={t("plans.form.period")}
            value={form.period}
            options={PERIODS.map((period) => [period, t(`plans.periods.${period}`)])}
            onChange={(period) => change({ period })}
          />
        </Row>
        <Field label={t("plans.form.windowQuota")} htmlFor="plan-quota" error={fault("windowQuota")}>
          <QuotaInput
            id="plan-quota"
            value={form.windowQuota}
            onChange={(windowQuota) => change({ windowQuota })}
            hasError={faults.windowQuota !== undefined}
            picks={[1, 5, 20, 100]}
          />
        </Field>
        <Field
          label={t("plans.form.windowCalls")}
          htmlFor="plan-calls"
          hint={t("plans.form.windowCallsHint")}
          error={fault("windowCalls")}
        >
          <OutlinedInput
            id="plan-calls"
            value={form.windowCalls}
            onChange={(event) => change({ windowCalls: event.target.value })}
            error={faults.windowCalls !== undefined}
            inputProps={{ inputMode: "numeric", className: "num" }}
            sx={{ width: 140 }}
          />
        </Field>
        <Choice
          id="plan-window"
          label={t("plans.form.window")}
          hint={t("plans.form.windowHint")}
          value={form.window}
          options={WINDOWS.map((window) => [window, t(`plans.windows.${window}`)])}
          onChange={(window) => change({ window })}
        />
        <Field label={t("plans.form.models")} htmlFor="plan-models" hint={t("plans.form.modelsHint")}>
          <OutlinedInput
            id="plan-models"
            fullWidth
            multiline
            minRows={2}
            value={form.models}
            onChange={(event) => change({ models: event.target.value })}
            inputProps={{ spellCheck: false, className: "mono" }}
          />
        </Field>
        <Choice
          id="plan-group"
          label={t("plans.form.group")}
          hint={t("plans.form.groupHint")}
          value={form.userGroup}
          options={[
            ["", t("plans.form.ownGroup")],
            ...[...new Set([...(form.userGroup ? [form.userGroup] : []), ...groups])].map(
              (name) => [name, name] as const,
            ),
          ]}
          onChange={(userGroup) => change({ userGroup })}
        />
        <Field
          label={t("plans.form.trialDays")}
          htmlFor="plan-trial"
          hint={t("plans.form.trialHint")}
          error={fault("trialDays")}
        >
          <OutlinedInput
            id="plan-trial"
            value={form.trialDays}
            onChange={(event) => change({ trialDays: event.target.value })}
            error={faults.trialDays !== undefined}
            inputProps={{ inputMode: "numeric", className: "num" }}
            sx={{ width: 96 }}
          />
        </Field>
        <Field
          label={t("plans.form.seats")}
          htmlFor="plan-seats"
          hint={t("plans.form.seatsHint")}
          error={fault("seats")}
        >
          <OutlinedInput
            id="plan-seats"
            value={form.seats}
            onChange={(event) => change({ seats: event.target.value })}
            error={faults.seats !== undefined}
            inputProps={{ inputMode: "numeric", className: "num" }}
            sx={{ width: 96 }}
          />
        </Field>
        {form.seats.trim() !== "" && (
          <Field
            label={t("plans.form.seatPrice")}
            htmlFor="plan-seatPrice"
            hint={t("plans.form.seatPriceHint")}
            error={fault("seatPrice")}
          >
            <QuotaInput
              id="plan-seatPrice"
              value={form.seatPrice}
              onChange={(seatPrice) => change({ seatPrice })}
              hasError={faults.seatPrice !== undefined}
              picks={[0, 5, 10, 20]}
            />
          </Field>
        )}
        <Row gap={3} sx={{ alignItems: "flex-start" }}>
          {(["requestsPerMinute", "tokensPerMinute"] as const).map((field) => (
            <Field
              key={field}
              label={t(`plans.form.${field}`)}
              htmlFor={`plan-${field}`}
              hint={field === "requestsPerMinute" ? t("plans.form.rateHint") : undefined}
              error={fault(field)}
            >
              <OutlinedInput
                id={`plan-${field}`}
                value={form[field]}
                onChange={(event) => change({ [field]: event.target.value })}
                error={faults[field] !== undefined}
                inputProps={{ inputMode: "numeric", className: "num" }}
                sx={{ width: 144 }}
              />
            </Field>
          ))}
        </Row>
        <SwitchRow
          label={t("plans.form.overage")}
          hint={t("plans.form.overageHint")}
          isOn={form.allowsOverage}
          onChange={(allowsOverage) => change({ allowsOverage })}
        />
        <SwitchRow
          label={t("plans.form.visible")}
          hint={t("plans.form.visibleHint")}
          isOn={form.isVisible}
          onChange={(isVisible) => change({ isVisible })}
        />
      </Col>
    </FormDialog>
  );
};
