import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { groupNames } from "../../../api/channels/channel-lists.ts";
import { optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { CandidateList } from "./CandidateList.tsx";
import { RouteExperiment } from "./RouteExperiment.tsx";
import { createRoute, type RouteView, routes, updateRoute } from "./route-calls.ts";
import { checkRouteForm, definitionOf, followModels, formOf, type RouteForm, STRATEGIES } from "./route-form.ts";
import { SimulationPanel } from "./SimulationPanel.tsx";

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
  const groups = useQuery(groupNames).data ?? [];
  const save = async (form: RouteForm) => {
    const name = form.name.trim();
    const definition = definitionOf(form);
    await (route ? updateRoute(route.name, name, definition) : createRoute(name, definition));
    return t("routes.savedToast", { name });
  };
  return (
    <ResourceForm
      hasDraft
      title={route ? t("routes.form.editTitle", { name: route.name }) : t("routes.form.createTitle")}
      action={t(route ? "routes.form.save" : "routes.form.create")}
      isNew={route === null}
      resource={route && { section: "routes", name: route.name }}
      text={(name) => `routes.form.${name}`}
      initial={formOf(route)}
      check={(form) => checkRouteForm(form, taken)}
      fault={(fault) => t(`routes.form.errors.${fault}`)}
      follow={(changed, form) => (route === null ? followModels(changed, form) : {})}
      save={save}
      reload={[routes]}
      sections={(form, change, faults) => [
        {
          title: t("routes.form.basics"),
          fields: [
            { kind: "text", field: "name", hint: true, autoFocus: route === null, placeholder: "best" },
            { kind: "text", field: "description", optional: t("routes.form.optional") },
            {
              kind: "switch",
              field: "isEnabled",
              label: t("routes.form.enabled"),
              hint: t("routes.form.enabledHint"),
            },
          ],
        },
        {
          title: t("routes.form.candidates"),
          hint: t("routes.form.candidatesHint"),
          fields: [
            {
              kind: "select",
              field: "strategy",
              hint: t(`routes.strategyHints.${form.strategy}`),
              options: optionsOf(STRATEGIES, (strategy) => t(`routes.strategies.${strategy}`)),
            },
            <CandidateList
              key="candidates"
              candidates={form.candidates}
              isWeighted={form.strategy === "weighted"}
              showsErrors={faults.candidates !== undefined}
              onChange={(candidates) => change({ candidates })}
            />,
          ],
        },
        {
          title: t("routes.form.hedge"),
          fields: [
            { kind: "switch", field: "isHedged", label: t("routes.form.hedged"), hint: t("routes.form.hedgedHint") },
            form.isHedged && [
              { kind: "text", field: "hedgeAfter", hint: true },
              { kind: "text", field: "hedgePercent", hint: true },
            ],
            { kind: "switch", field: "isQueued", label: t("routes.form.queued"), hint: t("routes.form.queuedHint") },
            form.isQueued && [
              { kind: "text", field: "queueWait" },
              { kind: "text", field: "queueLength" },
            ],
            form.isQueued && {
              kind: "names",
              field: "queueGroups",
              hint: true,
              options: groups,
              placeholder: t("routes.form.groupsPlaceholder"),
            },
          ],
        },
        {
          title: t("experiments.form.title"),
          hint: t("experiments.form.hint"),
          fields: [
            <RouteExperiment
              key="experiment"
              form={form.experiment}
              error={faults.experiment && t("experiments.form.error")}
              onChange={(fields) => change({ experiment: { ...form.experiment, ...fields } })}
            />,
          ],
        },
        {
          title: t("routes.simulation.title"),
          hint: t("routes.simulation.hint"),
          fields: [<SimulationPanel key="simulation" form={form} />],
        },
      ]}
      onClose={onClose}
    />
  );
};
