import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { groupNames } from "../../../api/channels/channel-lists.ts";
import { FormDrawer } from "../../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { NameListInput } from "../../../components/inputs/NameListInput.tsx";
import { SwitchRow } from "../../../components/inputs/SwitchRow.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { CandidateList } from "./CandidateList.tsx";
import { RouteExperiment } from "./RouteExperiment.tsx";
import { createRoute, type RouteView, routes, updateRoute } from "./route-calls.ts";
import { checkRouteForm, definitionOf, formOf, type RouteForm, STRATEGIES } from "./route-form.ts";
import { SimulationPanel } from "./SimulationPanel.tsx";

type RouteSpeedProps = Readonly<{
  form: RouteForm;
  /** What is wrong, by field. */
  faults: Readonly<{ hedgeAfter?: unknown; queueWait?: unknown }>;
  onChange: (fields: Partial<RouteForm>) => void;
}>;

const NO_NAMES: readonly string[] = [];

/** What a route does about slow first tokens, and where everything is busy. */
const RouteSpeed = ({ form, faults, onChange }: RouteSpeedProps) => {
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

type RouteDrawerProps = Readonly<{
  /** Null: a new one. */
  route: RouteView | null;
  /** The names of the other routes. */
  taken: readonly string[];
  onClose: () => void;
}>;

/** Creates or edits a route. */
export const RouteDrawer = ({ route, taken, onClose }: RouteDrawerProps) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const send = async (form: RouteForm) => {
    const name = form.name.trim();
    const definition = definitionOf(form);
    await (route ? updateRoute(route.name, name, definition) : createRoute(name, definition));
    notifyDone(t("routes.savedToast", { name }));
    void client.invalidateQueries(routes);
    onClose();
  };
  const state = useCheckedForm({
    initial: formOf(route),
    check: (values: RouteForm) => checkRouteForm(values, taken),
    send,
  });
  const { form, change, faults } = state;
  const faultOf = (field: "name" | "description") => faults[field] && t(`routes.form.errors.${faults[field]}`);
  return (
    <FormDrawer
      state={state}
      title={route ? t("routes.form.editTitle", { name: route.name }) : t("routes.form.createTitle")}
      action={t(route ? "routes.form.save" : "routes.form.create")}
      isNew={route === null}
      onClose={onClose}
    >
      <Section title={t("routes.form.basics")}>
        <LabelledInput
          label={t("routes.form.name")}
          hint={t("routes.form.nameHint")}
          value={form.name}
          onChange={(name) => change({ name })}
          error={faultOf("name")}
          autoFocus={route === null}
          placeholder="best"
        />
        <LabelledInput
          label={t("routes.form.description")}
          optional={t("routes.form.optional")}
          value={form.description}
          onChange={(description) => change({ description })}
          error={faultOf("description")}
        />
        <SwitchRow
          label={t("routes.form.enabled")}
          hint={t("routes.form.enabledHint")}
          isOn={form.isEnabled}
          onChange={(isEnabled) => change({ isEnabled })}
        />
      </Section>
      <Section title={t("routes.form.candidates")} hint={t("routes.form.candidatesHint")}>
        <Field label={t("routes.form.strategy")} hint={t(`routes.strategyHints.${form.strategy}`)}>
          <Select
            fullWidth
            value={form.strategy}
            SelectDisplayProps={{ "aria-label": t("routes.form.strategy") }}
            onChange={(event) => change({ strategy: event.target.value })}
          >
            {STRATEGIES.map((strategy) => (
              <MenuItem key={strategy} value={strategy}>
                {t(`routes.strategies.${strategy}`)}
              </MenuItem>
            ))}
          </Select>
        </Field>
        <CandidateList
          candidates={form.candidates}
          isWeighted={form.strategy === "weighted"}
          showsErrors={faults.candidates !== undefined}
          onChange={(candidates) => change({ candidates })}
        />
      </Section>
      <Section title={t("routes.form.hedge")}>
        <RouteSpeed form={form} faults={faults} onChange={change} />
      </Section>
      <Section title={t("experiments.form.title")} hint={t("experiments.form.hint")}>
        <RouteExperiment
          form={form.experiment}
          error={faults.experiment && t("experiments.form.error")}
          onChange={(fields) => change({ experiment: { ...form.experiment, ...fields } })}
        />
      </Section>
      <Section title={t("routes.simulation.title")} hint={t("routes.simulation.hint")}>
        <SimulationPanel form={form} />
      </Section>
    </FormDrawer>
  );
};
