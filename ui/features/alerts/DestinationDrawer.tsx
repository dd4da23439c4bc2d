import Button from "@mui/material/Button";
import InputAdornment from "@mui/material/InputAdornment";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../components/display/CopyButton.tsx";
import { FormDrawer } from "../../components/feedback/FormDrawer.tsx";
import { notifyDone } from "../../components/feedback/notify.tsx";
import { Section } from "../../components/feedback/SideDrawer.tsx";
import { LabelledInput } from "../../components/inputs/LabelledInput.tsx";
import { SwitchRow } from "../../components/inputs/SwitchRow.tsx";
import { useCheckedForm } from "../../components/inputs/use-checked-form.ts";
import { Field, Row } from "../../components/layout.tsx";
import {
  type AlertScope,
  addDestination,
  changeDestination,
  type Destination,
  destinationList,
} from "./alert-calls.ts";
import {
  bodyOf,
  type ConfigField,
  checkForm,
  type DestinationForm,
  DIGESTS,
  FIELDS,
  formOf,
  hasDigest,
  makeWebhookSecret,
  TYPES,
} from "./destination-form.ts";

type DestinationDrawerProps = Readonly<{
  scope: AlertScope;
  /** Null: a new one. */
  destination: Destination | null;
  onClose: () => void;
}>;

const LONGEST_NAME = 60;

/** Adds a destination of alerts, or edits one; secrets are replaced, never shown. */
export const DestinationDrawer = ({ scope, destination, onClose }: DestinationDrawerProps) => {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const stored = destination?.secrets_set ?? [];
  const send = async (values: DestinationForm) => {
    const request = bodyOf(values);
    if (destination) await changeDestination(scope, destination.id, request);
    else await addDestination(scope, { ...request, type: values.type });
    notifyDone(t("alerts.saved", { name: request.name }));
    void client.invalidateQueries(destinationList(scope));
    onClose();
  };
  const state = useCheckedForm({
    initial: formOf(destination, i18n.language.startsWith("zh") ? "zh" : "en"),
    check: (values: DestinationForm) => checkForm(values, stored),
    send,
  });
  const { form, change, faults } = state;
  const fault = (field: ConfigField | "name") => {
    const found = faults[field];
    return found && t(`alerts.form.errors.${found}`);
  };
  return (
    <FormDrawer
      state={state}
      title={destination ? t("alerts.form.editTitle", { name: destination.name }) : t("alerts.form.addTitle")}
      action={t(destination ? "alerts.form.save" : "alerts.form.add")}
      isNew={destination === null}
      onClose={onClose}
    >
      <Section title={t("alerts.form.service")}>
        {destination === null && (
          <Field label={t("alerts.form.type")}>
            <Select
              fullWidth
              value={form.type}
              onChange={({ target }) => change({ type: target.value })}
              inputProps={{ "aria-label": t("alerts.form.type") }}
            >
              {TYPES.map((type) => (
                <MenuItem key={type} value={type}>
                  {t(`alerts.types.${type}`)}
                </MenuItem>
              ))}
            </Select>
          </Field>
        )}
        {FIELDS[form.type].map(({ name, isSecret, isOptional }) => {
          const isStored = stored.includes(name);
          if (name === "region") {
            return <RegionField key={name} value={form.region} onChange={(region) => change({ region })} />;
          }
          const isGenerated = form.type === "webhook" && name === "secret";
          return (
            <LabelledInput
              key={`${form.type}.${name}`}
              label={t(`alerts.fields.${form.type}.${name}.label`)}
              hint={isStored ? t("alerts.form.stored") : t(`alerts.fields.${form.type}.${name}.hint`)}
              error={fault(name)}
              optional={isOptional && t("alerts.form.optional")}
              name={`alert-${name}`}
              autoComplete="off"
              value={form[name]}
              onChange={(value) => change({ [name]: value })}
              {...(isSecret && !isGenerated && { type: "password", autoComplete: "new-password" })}
              {...(isGenerated && {
                endAdornment: (
                  <InputAdornment position="end" sx={{ mr: 1 }}>
                    {form.secret !== "" && <CopyButton text={form.secret} label={t("alerts.form.copySecret")} />}
                    <Button size="small" variant="text" onClick={() => change({ secret: makeWebhookSecret() })}>
                      {t("alerts.form.generate")}
                    </Button>
                  </InputAdornment>
                ),
              })}
            />
          );
        })}
      </Section>
      <Section title={t("alerts.form.messages")}>
        <LabelledInput
          label={t("alerts.columns.name")}
          hint={t("alerts.form.nameHint")}
          error={fault("name")}
          name="alert-name"
          maxCharacters={LONGEST_NAME}
          value={form.name}
          onChange={(name) => change({ name })}
        />
        <Field label={t("alerts.columns.language")}>
          <Select
            fullWidth
            value={form.language}
            onChange={({ target }) => change({ language: target.value })}
            inputProps={{ "aria-label": t("alerts.columns.language") }}
          >
            <MenuItem value="en">English</MenuItem>
            <MenuItem value="zh">中文</MenuItem>
          </Select>
        </Field>
        <SwitchRow
          label={t("alerts.form.enabled")}
          hint={t("alerts.form.enabledHint")}
          isOn={form.enabled}
          onChange={(enabled) => change({ enabled })}
        />
        {hasDigest(form.type) && (
          <Field label={t("alerts.form.digest")} hint={t("alerts.form.digestHint")}>
            <Select
              fullWidth
              value={form.digest}
              onChange={({ target }) => change({ digest: Number(target.value) })}
              inputProps={{ "aria-label": t("alerts.form.digest") }}
            >
              {[...new Set([...DIGESTS, form.digest])].map((minutes) => (
                <MenuItem key={minutes} value={minutes}>
                  {minutes === 0 ? t("alerts.form.atOnce") : t("alerts.form.everyMinutes", { minutes })}
                </MenuItem>
              ))}
            </Select>
          </Field>
        )}
        <SwitchRow
          label={t("alerts.form.quiet")}
          hint={t("alerts.form.quietHint")}
          isOn={form.hasQuietHours}
          onChange={(hasQuietHours) => change({ hasQuietHours })}
        />
        {form.hasQuietHours && (
          <Row gap={3} sx={{ alignItems: "flex-start" }} wrap>
            {(["quietFrom", "quietUntil"] as const).map((field) => (
              <LabelledInput
                key={field}
                label={t(`alerts.form.${field}`)}
                type="time"
                value={form[field]}
                onChange={(value) => change({ [field]: value })}
              />
            ))}
            <LabelledInput
              label={t("alerts.form.timeZone")}
              value={form.timeZone}
              onChange={(timeZone) => change({ timeZone })}
            />
          </Row>
        )}
      </Section>
    </FormDrawer>
  );
};

/** Where the account of the service is: its two regions have addresses of their own. */
const RegionField = ({ value, onChange }: Readonly<{ value: string; onChange: (region: string) => void }>) => {
  const { t } = useTranslation();
  return (
    <Field label={t("alerts.form.region")}>
      <Select
        fullWidth
        value={value || "us"}
        onChange={({ target }) => onChange(target.value)}
        inputProps={{ "aria-label": t("alerts.form.region") }}
      >
        <MenuItem value="us">{t("alerts.form.regions.us")}</MenuItem>
        <MenuItem value="eu">{t("alerts.form.regions.eu")}</MenuItem>
      </Select>
    </Field>
  );
};
