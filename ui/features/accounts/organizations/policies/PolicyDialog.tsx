import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { projects } from "../../../../api/accounts/spending-calls.ts";
import { FormDialog } from "../../../../components/feedback/FormDialog.tsx";
import { notifyDone } from "../../../../components/feedback/notify.tsx";
import { useCheckedForm } from "../../../../components/form/use-checked-form.ts";
import { QuotaInput } from "../../../../components/inputs/QuotaInput.tsx";
import { SwitchRow } from "../../../../components/inputs/SwitchRow.tsx";
import { Col, Field } from "../../../../components/layout.tsx";
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

/** Creates a policy, or changes one. */
export const PolicyDialog = ({ id, policy, types, onClose }: Props) => {
  const { t } = useTranslation();
  const [nameField, priceField, daysField, rotationField] = [useId(), useId(), useId(), useId()];
  const client = useQueryClient();
  const known = useQuery(projects(id)).data ?? [];
  const { body, form, change, problem, problemCode, isSaving, submit } = useCheckedForm<Form>({
    initial: policy ? formOf(policy) : NEW,
    rejection: "inline",
    send: async (values) => {
      const input = {
        ...{ name: values.name, project_id: values.projectId },
        rules: {
          models: values.models.split("\n"),
          channel_types: values.types,
          regions: values.regions.split("\n"),
          ...{ allow_ips: values.ips, blocked_words: values.words, no_content_log: values.noContentLog },
          ...{ max_key_days: Number(values.days), rotation_days: Number(values.rotation) },
          ...{ max_call_quota: Number(values.price) },
        },
      };
      await (policy ? changePolicy(id, policy.id, input) : createPolicy(id, input));
      await client.invalidateQueries(policies(id));
      notifyDone(t("organizations.policies.saved", { name: values.name.trim() }));
      onClose();
    },
  });
  const errorOf = (field: keyof Form) => (field === (FIELDS[problemCode] ?? "name") ? problem : null);
  return (
    <FormDialog
      title={t(policy ? "organizations.policies.changeTitle" : "organizations.policies.create")}
      action={t(policy ? "organizations.policies.save" : "organizations.policies.create")}
      isBusy={isSaving}
      isDisabled={form.name.trim() === ""}
      onClose={onClose}
      onSubmit={submit}
    >
      <div ref={body}>
        <Col gap={4}>
          <Field label={t("organizations.policies.name")} htmlFor={nameField} error={errorOf("name")}>
            <OutlinedInput
              id={nameField}
              fullWidth
              autoFocus
              autoComplete="off"
              value={form.name}
              error={errorOf("name") !== null}
              onChange={(event) => change({ name: event.target.value })}
            />
          </Field>
          <Field label={t("organizations.policies.scope")} error={errorOf("projectId")}>
            <Select
              fullWidth
              value={String(form.projectId)}
              onChange={(event) => change({ projectId: Number(event.target.value) })}
              inputProps={{ "aria-label": t("organizations.policies.scope") }}
            >
              <MenuItem value="0">{t("organizations.policies.everything")}</MenuItem>
              {known.map((project) => (
                <MenuItem key={project.id} value={String(project.id)}>
                  {project.name}
                </MenuItem>
              ))}
            </Select>
          </Field>
          <Lines
            label={t("organizations.policies.models")}
            hint={t("organizations.policies.modelsHint")}
            value={form.models}
            onChange={(models) => change({ models })}
          />
          <Field label={t("organizations.policies.providers")}>
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
          </Field>
          <Lines
            label={t("organizations.policies.regions")}
            hint={t("organizations.policies.regionsHint")}
            value={form.regions}
            onChange={(regions) => change({ regions })}
          />
          <Lines
            label={t("organizations.policies.ips")}
            hint={t("organizations.policies.ipsHint")}
            error={errorOf("ips")}
            value={form.ips}
            onChange={(ips) => change({ ips })}
          />
          <Lines
            label={t("organizations.policies.words")}
            hint={t("organizations.policies.wordsHint")}
            error={errorOf("words")}
            value={form.words}
            onChange={(words) => change({ words })}
          />
          <SwitchRow
            label={t("organizations.policies.noContentLog")}
            hint={t("organizations.policies.noContentLogHint")}
            isOn={form.noContentLog}
            onChange={(noContentLog) => change({ noContentLog })}
          />
          <Field
            label={t("organizations.policies.maxKeyDays")}
            htmlFor={daysField}
            hint={t("organizations.policies.maxKeyDaysHint")}
            error={errorOf("days")}
          >
            <OutlinedInput
              id={daysField}
              fullWidth
              error={errorOf("days") !== null}
              value={form.days}
              inputProps={{ inputMode: "numeric" }}
              onChange={(event) => change({ days: event.target.value })}
            />
          </Field>
          <Field
            label={t("organizations.policies.rotationDays")}
            htmlFor={rotationField}
            hint={t("organizations.policies.rotationDaysHint")}
            error={errorOf("rotation")}
          >
            <OutlinedInput
              id={rotationField}
              fullWidth
              error={errorOf("rotation") !== null}
              value={form.rotation}
              inputProps={{ inputMode: "numeric" }}
              onChange={(event) => change({ rotation: event.target.value })}
            />
          </Field>
          <Field
            label={t("organizations.policies.maxPrice")}
            htmlFor={priceField}
            hint={t("organizations.policies.maxPriceHint")}
            error={errorOf("price")}
          >
            <QuotaInput
              id={priceField}
              value={form.price}
              onChange={(price) => change({ price })}
              hasError={errorOf("price") !== null}
            />
          </Field>
        </Col>
      </div>
    </FormDialog>
  );
};

type LinesProps = {
  label: string;
  hint: string;
  error?: string | null;
  value: string;
  onChange: (value: string) => void;
};

const Lines = ({ label, hint, error = null, value, onChange }: LinesProps) => {
  const field = useId();
  return (
    <Field label={label} htmlFor={field} hint={hint} error={error}>
      <OutlinedInput
        id={field}
        fullWidth
        error={error !== null}
        multiline
        minRows={2}
        maxRows={8}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
};
