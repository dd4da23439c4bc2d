import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CODE_LIMITS } from "../../../../src/domain/wallet/codes/code-rules.ts";
import { amountText, useMoneyFormat } from "../../../components/display/Money.tsx";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
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
  const money = useMoneyFormat();
  const plans = useQuery(allPlans).data ?? [];
  const worthText = ({ planId, quota }: CodeForm) =>
    planId === 0 ? amountText(Number(quota) || 0, money) : (plans.find(({ id }) => id === planId)?.name ?? "");
  const save = async (form: CodeForm) => {
    const request = bodyOf(form, worthText(form));
    if (!code) {
      onCreated({ name: request.name, keys: await createCodes(request) });
      return;
    }
    const { name, quota, valid_from, valid_until } = request;
    await updateCode(code.id, { name, ...(code.plan_id === null && { quota }), valid_from, valid_until });
    return t("codes.saved", { name });
  };
  return (
    <ResourceForm
      title={code ? t("codes.form.editTitle", { name: code.name }) : t("codes.form.createTitle")}
      action={({ count }) => (code ? t("codes.form.save") : t("codes.form.create", { count: Number(count) || 1 }))}
      isNew={code === null}
      isShort
      text={(name) => `codes.form.${name}`}
      initial={code ? formOf(code) : NEW_CODE}
      check={checkCodeForm}
      fault={(fault) => t(`codes.form.errors.${fault}`, CODE_LIMITS)}
      save={save}
      reload={[{ queryKey: CODES_KEY }]}
      sections={(form) => [
        {
          title: t("codes.form.basics"),
          fields: [
            {
              kind: "text",
              field: "name",
              label: t("codes.columns.name"),
              hint: true,
              autoFocus: code === null,
              placeholder: worthText(form),
            },
            !code &&
              plans.length > 0 && {
                kind: "select",
                field: "planId",
                label: t("codes.form.worth"),
                hint: t("codes.form.worthHint"),
                options: [
                  [0, t("codes.columns.quota")],
                  ...plans.map(({ id, name }) => [id, t("codes.form.planPeriod", { name })] as const),
                ],
              },
            form.planId === 0 && {
              kind: "quota",
              field: "quota",
              label: t("codes.columns.quota"),
              picks: QUOTA_PICKS,
            },
          ],
        },
        !code && {
          title: t("codes.form.kind"),
          fields: [
            { kind: "switch", field: "isGift", label: t("codes.gift"), hint: t("codes.form.giftHint") },
            form.isGift && { kind: "text", field: "maxUses", hint: true },
            { kind: "text", field: "key", hint: true, optional: t("codes.form.optional") },
            { kind: "text", field: "count" },
          ],
        },
        {
          title: t("codes.form.window"),
          fields: [
            { kind: "time", field: "validFrom", none: { value: 0, text: t("codes.form.validAtOnce") } },
            { kind: "time", field: "validUntil", none: { value: 0, text: t("components.neverExpires") } },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
