import Chip from "@mui/material/Chip";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import Select from "@mui/material/Select";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useId } from "react";
import { useTranslation } from "react-i18next";
import { TOKEN_LIMITS } from "../../../../src/domain/api-keys/api-key-rules.ts";
import { projects } from "../../../api/accounts/spending-calls.ts";
import { useActing } from "../../../api/accounts/use-organization.ts";
import { NEVER, TOKENS_KEY, type Token } from "../../../api/api-keys/api-key.ts";
import { FormDrawer } from "../../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../../components/feedback/notify.tsx";
import { Section } from "../../../components/feedback/SideDrawer.tsx";
import { useCheckedForm } from "../../../components/form/use-checked-form.ts";
import { DateTimeInput } from "../../../components/inputs/date-time/DateTimeInput.tsx";
import { Field, Row } from "../../../components/layout.tsx";
import { AccessSection } from "./AccessSection.tsx";
import { createApiKeys, updateToken } from "./api-key-calls.ts";
import { type ApiKeyForm, bodyOf, changesOf, checkTokenForm, formOf, NEW_TOKEN } from "./api-key-form.ts";
import { LimitsSection, QuotaSection } from "./QuotaSection.tsx";

type TokenDrawerProps = Readonly<{
  /** Null: new keys. */
  token: Token | null;
  onClose: () => void;
  onCreated: (tokens: readonly Token[]) => void;
}>;

const QUANTITY_PICKS = [10, 20, 30, 100];

/** Creates keys, or edits one. */
export const ApiKeyDrawer = ({ token, onClose, onCreated }: TokenDrawerProps) => {
  const { t } = useTranslation();
  const id = useId();
  const client = useQueryClient();
  const send = async (form: ApiKeyForm) => {
    if (token) {
      await updateToken(token.id, bodyOf(form, form.name.trim(), token));
      notifyDone(t("apiKeys.saved", { name: form.name.trim() }));
    } else onCreated(await createApiKeys(bodyOf(form, form.name.trim()), Number(form.quantity)));
    void client.invalidateQueries({ queryKey: TOKENS_KEY });
    onClose();
  };
  const state = useCheckedForm({
    initial: token ? formOf(token) : NEW_TOKEN,
    check: checkTokenForm,
    send,
  });
  const { form, change, faults } = state;
  const fault = (field: keyof ApiKeyForm) => {
    const found = faults[field];
    return found && t(`apiKeys.form.errors.${found}`, TOKEN_LIMITS);
  };
  return (
    <FormDrawer
      state={state}
      title={token ? t("apiKeys.form.editTitle", { name: token.name }) : t("apiKeys.form.createTitle")}
      action={token ? t("apiKeys.form.save") : t("apiKeys.form.create", { count: Number(form.quantity) || 1 })}
      isNew={token === null}
      isShort
      isDirty={changesOf(state.initial, form) > 0}
      onClose={onClose}
    >
      <Section title={t("apiKeys.form.basics")}>
        <Field label={t("apiKeys.form.name")} htmlFor={`${id}name`} error={fault("name")}>
          <OutlinedInput
            id={`${id}name`}
            fullWidth
            autoFocus={token === null}
            value={form.name}
            error={faults.name !== undefined}
            placeholder={t("apiKeys.form.namePlaceholder")}
            onChange={(event) => change({ name: event.target.value })}
          />
        </Field>
        {!token && (
          <Field
            label={t("apiKeys.form.quantity")}
            htmlFor={`${id}quantity`}
            error={fault("quantity")}
            hint={t("apiKeys.form.quantityHint")}
          >
            <Row gap={2} wrap>
              <OutlinedInput
                id={`${id}quantity`}
                value={form.quantity}
                error={faults.quantity !== undefined}
                inputProps={{ inputMode: "numeric" }}
                sx={{ width: 96 }}
                onChange={(event) => change({ quantity: event.target.value })}
              />
              {QUANTITY_PICKS.map((pick) => (
                <Chip key={pick} variant="outlined" label={pick} onClick={() => change({ quantity: String(pick) })} />
              ))}
            </Row>
          </Field>
        )}
        <ProjectField value={form.projectId} onChange={(projectId) => change({ projectId })} />
        <ExpiryField
          value={form.expiresAt}
          onChange={(expiresAt) => change({ expiresAt })}
          error={fault("expiresAt")}
        />
      </Section>
      <QuotaSection token={token} form={form} faults={faults} change={change} />
      <AccessSection form={form} faults={faults} change={change} />
      <LimitsSection form={form} faults={faults} change={change} />
    </FormDrawer>
  );
};

type ProjectFieldProps = Readonly<{ value: number; onChange: (projectId: number) => void }>;

/** The project of a key, where the account is an organization that has projects. */
const ProjectField = ({ value, onChange }: ProjectFieldProps) => {
  const { t } = useTranslation();
  const { id } = useActing();
  const { data } = useQuery({ ...projects(id ?? 0), enabled: id !== null });
  if (!data || data.length === 0) return null;
  return (
    <Field label={t("apiKeys.form.project")}>
      <Select
        fullWidth
        value={String(value)}
        onChange={(event) => onChange(Number(event.target.value))}
        inputProps={{ "aria-label": t("apiKeys.form.project") }}
      >
        <MenuItem value="0">{t("apiKeys.form.projectNone")}</MenuItem>
        {data.map((project) => (
          <MenuItem key={project.id} value={String(project.id)}>
            {project.name}
          </MenuItem>
        ))}
      </Select>
    </Field>
  );
};

const QUICK = [
  ["quickNever", NEVER],
  ["quickHour", 3600],
  ["quickDay", 86_400],
  ["quickMonth", 30 * 86_400],
] as const;

type ExpiryFieldProps = Readonly<{
  /** Epoch seconds; -1: never; null: not a valid date. */
  value: number | null;
  onChange: (seconds: number | null) => void;
  error: string | undefined;
}>;

/** The expiry of a key. */
const ExpiryField = ({ value, onChange, error }: ExpiryFieldProps) => {
  const { t } = useTranslation();
  return (
    <Field label={t("apiKeys.form.expires")} error={error} hint={expiryHint(value, t)}>
      <DateTimeInput
        label={t("apiKeys.form.expires")}
        value={value === NEVER ? null : value}
        onChange={(seconds) => onChange(seconds === null ? NEVER : (seconds ?? null))}
        hasError={error !== undefined}
      />
      <Row gap={1.5} wrap sx={{ mt: 1.5 }}>
        {QUICK.map(([name, seconds]) => (
          <Chip
            key={name}
            variant="outlined"
            label={t(`apiKeys.form.${name}`)}
            onClick={() => onChange(seconds === NEVER ? NEVER : Math.floor(Date.now() / 1000) + seconds)}
          />
        ))}
      </Row>
    </Field>
  );
};

function expiryHint(value: number | null, t: TFunction): string | undefined {
  if (value === NEVER) return t("apiKeys.form.expiresNever");
  return value !== null && value <= Date.now() / 1000 ? t("apiKeys.form.expiresPast") : undefined;
}
