import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Checkbox from "@mui/material/Checkbox";
import FormControlLabel from "@mui/material/FormControlLabel";
import MenuItem from "@mui/material/MenuItem";
import Select from "@mui/material/Select";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { UserView } from "../../../src/domain/accounts/users/user-view.ts";
import { readSetting, saveSetting, self, type UserSetting } from "../../api/accounts/self-calls.ts";
import { exactAmountText, useMoneyFormat } from "../../components/display/Money.tsx";
import { notifyDone, notifyError } from "../../components/feedback/notify.tsx";
import { LabelledInput } from "../../components/inputs/LabelledInput.tsx";
import { MoneyInput } from "../../components/inputs/MoneyInput.tsx";
import { Col, Field, Panel, Row } from "../../components/layout.tsx";
import { useSite } from "../../state/site-status.ts";
import {
  EVENTS,
  FIELDS,
  type FieldName,
  formOf,
  isStored,
  isThresholdUnsaved,
  METHODS,
  missingFields,
  type NoticeEvent,
  type NotifyForm,
  requestOf,
  sendTest,
} from "./notify-form.ts";
import { PushBinding } from "./PushBinding.tsx";

/** Dollars. */
const PICKS = [0.2, 1, 2, 5, 10];

/** The user's notification settings: method, events and balance threshold. */
export const NotificationPanel = ({ user }: { user: UserView }) => {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const id = useId();
  const site = useSite();
  const format = useMoneyFormat();
  const setting = readSetting(user);
  const [form, setForm] = useState<NotifyForm>(() => formOf(setting, site?.quota_remind_threshold));
  const [isDirty, setDirty] = useState(false);
  const [missing, setMissing] = useState<readonly FieldName[]>([]);
  const isWarned = form.events.includes("low_balance");
  const isUnsaved = isThresholdUnsaved(form, setting);
  const isThresholdWrong = isWarned && !(Number(form.threshold) > 0);

  const change = (part: Partial<NotifyForm>) => {
    setForm((before) => ({ ...before, ...part }));
    setDirty(true);
    setMissing([]);
  };
  const save = useMutation({
    mutationFn: () => saveSetting(requestOf(form, i18n.language.startsWith("zh") ? "zh" : "en")),
    onSuccess: async ({ message }) => {
      await queries.invalidateQueries(self);
      const saved = queries.getQueryData(self.queryKey);
      if (saved) setForm(formOf(readSetting(saved), site?.quota_remind_threshold));
      setDirty(false);
      notifyDone(message);
    },
    onError: notifyError,
  });
  const trial = useMutation({
    mutationFn: sendTest,
    onSuccess: ({ message }) => notifyDone(message),
    onError: notifyError,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const empty = missingFields(form, setting);
    setMissing(empty);
    if (empty.length === 0 && !isThresholdWrong) save.mutate();
  };
  const toggle = (event: NoticeEvent, isOn: boolean) =>
    change({ events: EVENTS.filter((each) => (each === event ? isOn : form.events.includes(each))) });
  const isPushBound = Boolean(setting.wxpusher_uid);
  const methods = METHODS.filter((way) => way !== "wxpusher" || site?.wxpusher_enabled || isPushBound);
  return (
    <Panel title={t("notifications.title")}>
      <form onSubmit={submit} noValidate>
        <Col gap={4} sx={{ maxWidth: 480 }}>
          <Field
            label={t("notifications.method")}
            hint={form.way === "email" && !user.email && t("notifications.noEmail")}
          >
            <Select
              fullWidth
              value={form.way}
              onChange={(event) => change({ way: event.target.value })}
              inputProps={{ "aria-label": t("notifications.method") }}
            >
              {methods.map((way) => (
                <MenuItem key={way} value={way}>
                  {t(`notifications.methods.${way}`)}
                </MenuItem>
              ))}
            </Select>
          </Field>
          {form.way === "wxpusher" && <PushBinding isBound={isPushBound} />}
          <MethodFields
            form={form}
            setting={setting}
            missing={missing}
            onValue={(name, value) => change({ values: { ...form.values, [name]: value } })}
            onRemove={(name) => change({ removed: [...form.removed, name] })}
          />
          <Box component="fieldset" sx={{ m: 0, p: 0, border: 0 }}>
            <Box component="legend" sx={{ p: 0, mb: 1, fontSize: 12.5, fontWeight: 550 }}>
              {t("notifications.eventsTitle")}
            </Box>
            {EVENTS.map((event) => (
              <FormControlLabel
                key={event}
                sx={{ display: "flex", m: 0, gap: 2, "& .MuiFormControlLabel-label": { fontSize: 13 } }}
                control={
                  <Checkbox
                    size="small"
                    checked={form.events.includes(event)}
                    onChange={(_, isOn) => toggle(event, isOn)}
                  />
                }
                label={t(`notifications.events.${event}`)}
              />
            ))}
          </Box>
          {isWarned && (
            <Field
              label={t("notifications.threshold")}
              htmlFor={`${id}threshold`}
              hint={
                isUnsaved && site?.quota_remind_threshold !== undefined
                  ? t("notifications.thresholdUnsaved", {
                      amount: exactAmountText(site.quota_remind_threshold, format),
                    })
                  : t("notifications.thresholdHint")
              }
              error={isThresholdWrong ? t("notifications.thresholdWrong") : undefined}
            >
              <MoneyInput
                id={`${id}threshold`}
                value={form.threshold}
                onChange={(threshold) => change({ threshold })}
                hasError={isThresholdWrong}
                picks={PICKS}
              />
            </Field>
          )}
          <Row gap={3} wrap>
            <Button
              type="submit"
              variant="contained"
              color="primary"
              loading={save.isPending}
              disabled={!(isDirty || isUnsaved) || (form.way === "wxpusher" && !isPushBound)}
            >
              {t("notifications.save")}
            </Button>
            <Button onClick={() => trial.mutate()} loading={trial.isPending} disabled={isDirty}>
              {t("notifications.test")}
            </Button>
            {isDirty && <Box sx={{ fontSize: 12, color: "text.tertiary" }}>{t("notifications.testHint")}</Box>}
          </Row>
        </Col>
      </form>
    </Panel>
  );
};

type Props = {
  form: NotifyForm;
  setting: UserSetting;
  missing: readonly FieldName[];
  onValue: (name: FieldName, value: string) => void;
  onRemove: (name: FieldName) => void;
};

/** The fields of the chosen method; secrets can be replaced or removed, but are never shown. */
const MethodFields = ({ form, setting, missing, onValue, onRemove }: Props) => {
  const { t } = useTranslation();
  return (
    <Col gap={3.5}>
      {FIELDS[form.way].map(({ name, isSecret, isOptional }) => {
        const keepsStored = isSecret === true && isStored(setting, form, name);
        return (
          <LabelledInput
            key={name}
            name={name}
            label={t(`notifications.fields.${name}.label`)}
            hint={t(`notifications.fields.${name}.hint`)}
            optional={isOptional ? t("notifications.optional") : undefined}
            error={missing.includes(name) ? t("notifications.missing") : undefined}
            {...(isSecret && { type: "password", autoComplete: "off" })}
            {...(keepsStored && { placeholder: t("notifications.stored") })}
            value={form.values[name] ?? ""}
            onChange={(value) => onValue(name, value)}
            endAdornment={
              keepsStored &&
              isOptional && (
                <Button size="small" onClick={() => onRemove(name)} sx={{ flex: "none", mr: -1.5 }}>
                  {t("notifications.remove")}
                </Button>
              )
            }
          />
        );
      })}
    </Col>
  );
};
