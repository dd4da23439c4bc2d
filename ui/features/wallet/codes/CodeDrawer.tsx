import Box from "@mui/material/Box";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import Switch from "@mui/material/Switch";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { CODE_LIMITS } from "../../../../src/domain/wallet/codes/code-rules.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { FormDrawer } from "../../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { DateTimeInput } from "../../../components/inputs/date-time/DateTimeInput.tsx";
import { QuotaInput } from "../../../components/inputs/QuotaInput.tsx";
import { useCheckedForm } from "../../../components/inputs/use-checked-form.ts";
import { Field, Row } from "../../../components/layout.tsx";
import { allPlans } from "../plans/plan-calls.ts";
import { CODES_KEY, type Code } from "./code.ts";
import { bodyOf, type CodeForm, checkCodeForm, createCodes, formOf, NEW_CODE, updateCode } from "./code-form.ts";

type CodeDrawerProps = Readonly<{
  /** Null: new codes. */
  code: Code | null;
  onClose: () => void;
  onCreated: (created: { name: string; keys: readonly string[] }) => void;
}>;

const QUOTA_PICKS = [1, 10, 50, 100, 500, 1000];

/** Creates redemption codes, or edits one that is unused. */
export const CodeDrawer = ({ code, onClose, onCreated }: CodeDrawerProps) => {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const money = useMoneyFormat();
  const plans = useQuery(allPlans).data ?? [];
  const worthText = ({ planId, quota }: CodeForm) =>
    planId === 0 ? amountText(Number(quota) || 0, money) : (plans.find(({ id }) => id === planId)?.name ?? "");
  const send = async (form: CodeForm) => {
    const request = bodyOf(form, worthText(form));
    if (code) {
      const { name, quota, valid_from, valid_until } = request;
      await updateCode(code.id, { name, ...(code.plan_id === null && { quota }), valid_from, valid_until });
      notifyDone(t("codes.saved", { name }));
    } else onCreated({ name: request.name, keys: await createCodes(request) });
    void client.invalidateQueries({ queryKey: CODES_KEY });
    onClose();
  };
  const state = useCheckedForm({
    initial: code ? formOf(code) : NEW_CODE,
    check: checkCodeForm,
    send,
  });
  const { form, change, faults } = state;
  const fault = (field: keyof CodeForm) => {
    const found = faults[field];
    return found && t(`codes.form.errors.${found}`, CODE_LIMITS);
  };
  const text = (field: "name" | "count" | "maxUses" | "key", props: { autoFocus?: boolean; placeholder?: string }) => (
    <OutlinedInput
      id={`${id}${field}`}
      fullWidth
      value={form[field]}
      error={faults[field] !== undefined}
      onChange={(event) => change({ [field]: event.target.value })}
      {...props}
    />
  );
  return (
    <FormDrawer
      state={state}
      title={code ? t("codes.form.editTitle", { name: code.name }) : t("codes.form.createTitle")}
      action={code ? t("codes.form.save") : t("codes.form.create", { count: form.key ? 1 : Number(form.count) || 1 })}
      isNew={code === null}
      isShort
      onClose={onClose}
    >
      <Section title={t("codes.form.basics")}>
        <Field
          label={t("codes.columns.name")}
          htmlFor={`${id}name`}
          error={fault("name")}
          hint={t("codes.form.nameHint")}
        >
          {text("name", { autoFocus: code === null, placeholder: worthText(form) })}
        </Field>
        {!code && plans.length > 0 && (
          <Field label={t("codes.form.worth")} htmlFor={`${id}plan`} hint={t("codes.form.worthHint")}>
            <Select
              fullWidth
              value={form.planId}
              onChange={(event) => change({ planId: Number(event.target.value) })}
              inputProps={{ id: `${id}plan`, "aria-label": t("codes.form.worth") }}
            >
              <MenuItem value={0}>{t("codes.columns.quota")}</MenuItem>
              {plans.map((plan) => (
                <MenuItem key={plan.id} value={plan.id}>
                  {t("codes.form.planPeriod", { name: plan.name })}
                </MenuItem>
              ))}
            </Select>
          </Field>
        )}
        {form.planId === 0 && (
          <Field label={t("codes.columns.quota")} htmlFor={`${id}quota`} error={fault("quota")}>
            <QuotaInput
              id={`${id}quota`}
              value={form.quota}
              onChange={(quota) => change({ quota })}
              hasError={faults.quota !== undefined}
              picks={QUOTA_PICKS}
            />
          </Field>
        )}
      </Section>
      {!code && (
        <Section title={t("codes.form.kind")}>
          <Row gap={3} sx={{ alignItems: "flex-start" }}>
            <Switch
              checked={form.isGift}
              onChange={(event) => change({ isGift: event.target.checked })}
              slotProps={{ input: { id: `${id}gift` } }}
            />
            <Box>
              <label htmlFor={`${id}gift`} style={{ fontSize: 13 }}>
                {t("codes.gift")}
              </label>
              <Box sx={{ fontSize: 12, color: "text.tertiary" }}>{t("codes.form.giftHint")}</Box>
            </Box>
          </Row>
          {form.isGift && (
            <Field
              label={t("codes.form.maxUses")}
              htmlFor={`${id}maxUses`}
              error={fault("maxUses")}
              hint={t("codes.form.maxUsesHint")}
            >
              {text("maxUses", {})}
            </Field>
          )}
          <Field
            label={t("codes.form.key")}
            htmlFor={`${id}key`}
            error={fault("key")}
            hint={t("codes.form.keyHint")}
            optional={t("codes.form.optional")}
          >
            {text("key", {})}
          </Field>
          {form.key.trim() === "" && (
            <Field label={t("codes.form.count")} htmlFor={`${id}count`} error={fault("count")}>
              {text("count", {})}
            </Field>
          )}
        </Section>
      )}
      <Section title={t("codes.form.window")} hint={t("codes.form.windowHint")}>
        {(["validFrom", "validUntil"] as const).map((field) => (
          <Field key={field} label={t(`codes.form.${field}`)} error={fault(field)}>
            <DateTimeInput
              label={t(`codes.form.${field}`)}
              value={form[field] || null}
              onChange={(seconds) => change({ [field]: seconds === null ? 0 : (seconds ?? null) })}
              hasError={faults[field] !== undefined}
            />
          </Field>
        ))}
      </Section>
    </FormDrawer>
  );
};
