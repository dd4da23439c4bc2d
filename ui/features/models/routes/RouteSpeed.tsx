import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { NameListInput } from "../../../components/inputs/NameListInput.tsx";
import { SwitchRow } from "../../../components/inputs/SwitchRow.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { groupNames } from "../../channels/channel-queries.ts";
import type { RouteForm } from "./route-form.ts";

type RouteSpeedProps = Readonly<{
  form: RouteForm;
  /** What is wrong, by field. */
  faults: Readonly<{ hedgeAfter?: unknown; queueWait?: unknown }>;
  onChange: (fields: Partial<RouteForm>) => void;
}>;

const NO_NAMES: readonly string[] = [];

/** What a route does about slow first tokens, and where everything is busy. */
export const RouteSpeed = ({ form, faults, onChange }: RouteSpeedProps) => {
  const { t } = useTranslation();
  const id = useId();
  const groups = useQuery(groupNames).data ?? NO_NAMES;
  return (
    <>
      <SwitchRow
        label={t("routes.form.hedged")}
        hint={t("routes.form.hedgedHint")}
        isOn={form.isHedged}
        onChange={(isHedged) => onChange({ isHedged })}
      />
      {form.isHedged && (
        <Row gap={3} sx={{ alignItems: "flex-start" }}>
          <LabelledInput
            label={t("routes.form.hedgeAfter")}
            hint={t("routes.form.hedgeAfterHint")}
            value={form.hedgeAfter}
            onChange={(hedgeAfter) => onChange({ hedgeAfter })}
            error={faults.hedgeAfter ? t("routes.form.errors.hedge") : undefined}
          />
          <LabelledInput
            label={t("routes.form.hedgePercent")}
            hint={t("routes.form.hedgePercentHint")}
            value={form.hedgePercent}
            onChange={(hedgePercent) => onChange({ hedgePercent })}
          />
        </Row>
      )}
      <SwitchRow
        label={t("routes.form.queued")}
        hint={t("routes.form.queuedHint")}
        isOn={form.isQueued}
        onChange={(isQueued) => onChange({ isQueued })}
      />
      {form.isQueued && (
        <>
          <Row gap={3} sx={{ alignItems: "flex-start" }}>
            <LabelledInput
              label={t("routes.form.queueWait")}
              value={form.queueWait}
              onChange={(queueWait) => onChange({ queueWait })}
              error={faults.queueWait ? t("routes.form.errors.queue") : undefined}
            />
            <LabelledInput
              label={t("routes.form.queueLength")}
              value={form.queueLength}
              onChange={(queueLength) => onChange({ queueLength })}
            />
          </Row>
          <Field label={t("routes.form.queueGroups")} htmlFor={`${id}groups`} hint={t("routes.form.queueGroupsHint")}>
            <NameListInput
              id={`${id}groups`}
              value={form.queueGroups}
              options={groups}
              placeholder={t("routes.form.groupsPlaceholder")}
              onChange={(queueGroups) => onChange({ queueGroups })}
            />
          </Field>
        </>
      )}
    </>
  );
};
