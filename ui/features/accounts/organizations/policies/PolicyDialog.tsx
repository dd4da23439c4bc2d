import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { projects } from "../../../../api/accounts/spending-calls.ts";
import { ResourceForm } from "../../../../components/form/ResourceForm.tsx";
import { Field } from "../../../../components/layout.tsx";
import { changePolicy, createPolicy, type Policy, policies } from "./policy-calls.ts";

type Props = {
  id: number;
  /** Null: a new one. */
  policy: Policy | null;
  types: readonly Readonly<{ id: number; name: string }>[];
  onClose: () => void;
};

type Form = {
  name: string;
  projectId: number;
  models: string;
  types: number[];
  regions: string;
  ips: string;
  words: string;
  noContentLog: boolean;
  days: string;
  rotation: string;
  price: string;
};

const NEW: Form = {
  ...{ name: "", projectId: 0, models: "", types: [], regions: "", ips: "", words: "" },
  ...{ noContentLog: false, days: "0", rotation: "0", price: "" },
};

const formOf = ({ name, project_id: projectId, rules }: Policy): Form => ({
  ...{ name, projectId, models: rules.models.join("\n"), types: [...rules.channel_types] },
  regions: (rules.regions ?? []).join("\n"),
  ...{ ips: rules.allow_ips, words: rules.blocked_words, noContentLog: rules.no_content_log },
  ...{ days: String(rules.max_key_days), rotation: String(rules.rotation_days ?? 0) },
  ...{ price: rules.max_call_quota ? String(rules.max_call_quota) : "" },
});

/** The field that each refusal of the server is about; all others are shown below the name. */
const FIELDS: Readonly<Record<string, keyof Form>> = {
  project_not_found: "projectId",
  token_ip_invalid: "ips",
  option_regex: "words",
  policy_days_invalid: "days",
  policy_rotation_invalid: "rotation",
  policy_quota_invalid: "price",
};

const bodyOf = (form: Form) => ({
  name: form.name,
  project_id: form.projectId,
  rules: {
    models: form.models.split("\n"),
    channel_types: form.types,
    regions: form.regions.split("\n"),
    ...{ allow_ips: form.ips, blocked_words: form.words, no_content_log: form.noContentLog },
    ...{ max_key_days: Number(form.days), rotation_days: Number(form.rotation), max_call_quota: Number(form.price) },
  },
});

/** Creates a policy, or changes one. */
export const PolicyDialog = ({ id, policy, types, onClose }: Props) => {
  const { t } = useTranslation();
  const known = useQuery(projects(id)).data ?? [];
  const lines = (field: "models" | "regions" | "ips" | "words", label: string, hint: string) =>
    ({ kind: "text", field, label, hint, rows: 2, maxRows: 8 }) as const;
  return (
    <ResourceForm<Form>
      as="dialog"
      title={t(policy ? "organizations.policies.changeTitle" : "organizations.policies.create")}
      action={t(policy ? "organizations.policies.save" : "organizations.policies.create")}
      isNew={policy === null}
      text={(name) => `organizations.policies.${name}`}
      initial={policy ? formOf(policy) : NEW}
      isComplete={({ name }) => name.trim() !== ""}
      rejectedField={(code) => FIELDS[code] ?? "name"}
      save={async (form) => {
        const input = bodyOf(form);
        await (policy ? changePolicy(id, policy.id, input) : createPolicy(id, input));
        return t("organizations.policies.saved", { name: form.name.trim() });
      }}
      reload={[policies(id)]}
      sections={(form, change) => [
        {
          fields: [
            { kind: "text", field: "name", autoFocus: true },
            {
              kind: "select",
              field: "projectId",
              label: t("organizations.policies.scope"),
              options: [
                [0, t("organizations.policies.everything")],
                ...known.map((project) => [project.id, project.name] as const),
              ],
            },
            lines("models", t("organizations.policies.models"), t("organizations.policies.modelsHint")),
            <Field key="types" label={t("organizations.policies.providers")}>
              <Select
                fullWidth
                multiple
                value={form.types.map(String)}
                onChange={(event) => change({ types: [event.target.value].flat().map(Number) })}
                inputProps={{ "aria-label": t("organizations.policies.providers") }}
              >
                {types.map((type) => (
                  <MenuItem key={type.id} value={String(type.id)}>
                    {type.name}
                  </MenuItem>
                ))}
              </Select>
            </Field>,
            lines("regions", t("organizations.policies.regions"), t("organizations.policies.regionsHint")),
            lines("ips", t("organizations.policies.ips"), t("organizations.policies.ipsHint")),
            lines("words", t("organizations.policies.words"), t("organizations.policies.wordsHint")),
            { kind: "switch", field: "noContentLog", hint: true },
            {
              kind: "integer",
              field: "days",
              label: t("organizations.policies.maxKeyDays"),
              hint: t("organizations.policies.maxKeyDaysHint"),
            },
            {
              kind: "integer",
              field: "rotation",
              label: t("organizations.policies.rotationDays"),
              hint: t("organizations.policies.rotationDaysHint"),
            },
            {
              kind: "quota",
              field: "price",
              label: t("organizations.policies.maxPrice"),
              hint: t("organizations.policies.maxPriceHint"),
            },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
